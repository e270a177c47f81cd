"""What a chart shows, as values: series, limits and tinted windows, without samples. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

from sessions.findings import Severity
from sessions.times import TimeRange


@dataclass(frozen=True, slots=True)
class Limit:
    """A threshold drawn as a dashed line: its value in the chart's unit, and the label beside the line."""

    value: float
    label: str
    severity: Severity = "warning"


@dataclass(frozen=True, slots=True)
class Band:
    """A window of time that is tinted in a chart: when a finding's problem was there."""

    window: TimeRange
    severity: Severity


@dataclass(frozen=True, slots=True)
class ChartSpec:
    """A chart: what it is about, axis unit, series ids in order, limits and bands.

    ``title`` is empty if the counters' names say what it is about. ``note`` says what the numbers are per
    (say, per vCPU). ``heading`` is the whole title as it is shown: with what all curves are of.
    ``line`` is shown instead of the chart, if nothing changes in it. ``keeps_limits``: its limits are those
    that a finding was judged by, whatever limits its counters have.
    """

    title: str
    unit: str
    series: tuple[int, ...]
    note: str = ""
    limits: tuple[Limit, ...] = ()
    bands: tuple[Band, ...] = ()
    heading: str = ""
    line: str = ""
    keeps_limits: bool = False

    @property
    def shown_title(self) -> str:
        """The title to show: the heading, if it is known already."""
        return self.heading or self.title
