"""The content of the timeline, as values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from sessions.findings import Finding, Severity
from sessions.model import Event, FloatArray, Mark
from sessions.times import TimeRange


@dataclass(frozen=True, slots=True)
class Bar:
    """One window of a finding, drawn as a bar on the findings lane."""

    window: TimeRange
    severity: Severity
    text: str
    finding: Finding


@dataclass(frozen=True, slots=True)
class GapBar:
    """A gap of a source with its reason. ``is_partial``: one of a single entity, while the others came."""

    window: TimeRange
    reason: str
    is_partial: bool = False


@dataclass(frozen=True, slots=True)
class SourceLane:
    """The lane of a source, or of several: the window in which it was recorded, and its gaps."""

    name: str
    window: TimeRange
    gaps: Sequence[GapBar] = ()


@dataclass(frozen=True)
class Load:
    """The load curve on top of the timeline: ``times`` (n,) in ms, ``values`` (n,) in ``unit``, NaN
    in gaps.
    """

    label: str = ""
    unit: str = ""
    times: FloatArray = field(default_factory=lambda: np.zeros(0))
    values: FloatArray = field(default_factory=lambda: np.zeros(0))

    @property
    def top(self) -> float:
        """The highest value, NaN if there is none."""
        present = self.values[np.isfinite(self.values)]
        return float(present.max()) if present.size else np.nan

    def near(self, t_ms: float) -> float:
        """Return the value nearest to the time ``t_ms``, NaN if there is none."""
        return float(self.values[np.argmin(np.abs(self.times - t_ms))]) if self.times.size else np.nan


@dataclass(frozen=True)
class TimelineContent:
    """All lanes of the timeline, top to bottom: load, findings, events with marks, and sources.

    ``unjudged`` is the part of the session in which nobody has looked for findings yet.
    """

    span: TimeRange | None = None
    load: Load = field(default_factory=Load)
    bars: Sequence[Bar] = ()
    events: Sequence[Event] = ()
    marks: Sequence[Mark] = ()
    sources: Sequence[SourceLane] = ()
    following: bool = False
    unjudged: TimeRange | None = None
