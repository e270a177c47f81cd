"""What the timeline shows, as values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from sessions.findings import Finding, Severity
from sessions.model import FloatArray
from sessions.times import TimeRange


@dataclass(frozen=True, slots=True)
class Bar:
    """A stretch of a lane: one window of a finding."""

    window: TimeRange
    severity: Severity
    text: str
    finding: Finding


@dataclass(frozen=True, slots=True)
class Moment:
    """An event or a mark."""

    at: int
    text: str
    is_mark: bool = False


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
    moments: Sequence[Moment] = ()
    sources: Sequence[SourceLane] = ()
    following: bool = False
