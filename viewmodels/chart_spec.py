"""What a chart shows, as values: which series, which limits, which windows. Knows neither Qt nor samples."""

from __future__ import annotations

from dataclasses import dataclass

from sessions.findings import Severity
from sessions.times import TimeRange


@dataclass(frozen=True, slots=True)
class Limit:
    """A threshold as a dashed line: its value in the chart's unit, and the words beside its number."""

    value: float
    label: str
    severity: Severity = "warning"


@dataclass(frozen=True, slots=True)
class Band:
    """A stretch of time that is tinted: a finding's window."""

    window: TimeRange
    severity: Severity


@dataclass(frozen=True, slots=True)
class ChartSpec:
    """A chart: its title, the unit of its axis, ``note`` (what the number is per), series ids in order."""

    title: str
    unit: str
    series: tuple[int, ...]
    note: str = ""
    limits: tuple[Limit, ...] = ()
    bands: tuple[Band, ...] = ()
