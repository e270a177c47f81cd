"""What the timeline shows, as values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from sessions.findings import Finding, Severity
from sessions.model import Event, FloatArray, Mark
from sessions.times import TimeRange


@dataclass(frozen=True, slots=True)
class Bar:
    """A stretch of a lane: one window of a finding."""

    window: TimeRange
    severity: Severity
    text: str
    finding: Finding


@dataclass(frozen=True, slots=True)
class SourceLane:
    """A source: when it was recorded, and its gaps as holes in that."""

    name: str
    window: TimeRange
    gaps: Sequence[tuple[TimeRange, str]] = ()


@dataclass(frozen=True)
class Load:
    """The curve on top: ``times`` (n,) in ms, ``values`` (n,) in ``unit``, NaN where nothing was measured."""

    label: str = ""
    unit: str = ""
    times: FloatArray = field(default_factory=lambda: np.zeros(0))
    values: FloatArray = field(default_factory=lambda: np.zeros(0))

    @property
    def top(self) -> float:
        """The highest value, NaN where there is none."""
        there = self.values[np.isfinite(self.values)]
        return float(there.max()) if there.size else np.nan

    def near(self, t_ms: float) -> float:
        """The value that is nearest to a moment, NaN where there is none."""
        return float(self.values[np.argmin(np.abs(self.times - t_ms))]) if self.times.size else np.nan


@dataclass(frozen=True)
class TimelineContent:
    """All lanes, top to bottom."""

    span: TimeRange | None = None
    load: Load = field(default_factory=Load)
    bars: Sequence[Bar] = ()
    events: Sequence[Event] = ()
    marks: Sequence[Mark] = ()
    sources: Sequence[SourceLane] = ()
    following: bool = False
