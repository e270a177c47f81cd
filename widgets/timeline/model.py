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
class TimelineContent:
    """``load_times`` (n,) in ms and ``load`` (n,) are the curve on top, ``load_words`` names it."""

    span: TimeRange | None = None
    load_times: FloatArray = field(default_factory=lambda: np.zeros(0))
    load: FloatArray = field(default_factory=lambda: np.zeros(0))
    load_words: str = ""
    bars: Sequence[Bar] = ()
    events: Sequence[Event] = ()
    marks: Sequence[Mark] = ()
    sources: Sequence[SourceLane] = ()
    following: bool = False
