"""The one time axis of a recording: what its sources' clocks show, and how far their times are moved.

The axis is the clock of what can't be moved: a vCenter's, else that of the vCenter behind an esxtop service,
else ours. A source is moved only by more than its clock can be told apart, and stays where it is until
somebody sets a clock: stored times do not jitter with the network.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from resources.units import format_duration

_READINGS = 8
"""Of so many readings the one with the least doubt counts (RFC 5905, 10: the clock filter has 8 stages)."""
_DRIFT = 100e-6
"""So fast a clock may drift while a reading grows old: that of a crystal. RFC 5905, 7.3 reckons with 15e-6
for one that is disciplined.
"""
_LEAST_MS = 500
"""A stamp of whole seconds is off by as much: closer clocks are taken as equal."""


@dataclass(frozen=True, slots=True)
class ClockReading:
    """One reading of a clock: its time when our monotonic clock showed ``at`` seconds.

    ``ahead_ms`` is its time minus ours. ``doubt_ms`` is the largest possible error of the reading: half
    of the round trip.
    """

    server_ms: float
    at: float
    ahead_ms: float = 0.0
    doubt_ms: float = 0.0

    @classmethod
    def answered(cls, told_ms: float, began: float, took_s: float, grain_ms: float = 0.0) -> ClockReading:
        """Read a clock that was asked at ``began`` (s of our clock) and answered just now, after ``took_s``.

        It tells whole ``grain_ms``.
        """
        middle_ms = told_ms + grain_ms / 2
        ahead_ms = middle_ms - (began + took_s / 2) * 1000
        return cls(middle_ms, time.monotonic() - took_s / 2, ahead_ms, took_s * 500 + grain_ms / 2)

    def now_ms(self) -> float:
        """Return the clock's time now, in ms since 1970, counted on from the reading."""
        return self.server_ms + (time.monotonic() - self.at) * 1000

    def jumped_ms(self, before: ClockReading, min_ms: float) -> int:
        """Return by how many ms the clock was set since the reading ``before``; 0 for less than ``min_ms``.

        A sleep of our machine, or a change of our own clock, is no jump of this one: only a jump relative to
        both of our clocks (monotonic and wall) counts.
        """
        passed = self.server_ms - before.server_ms - (self.at - before.at) * 1000
        moved = self.ahead_ms - before.ahead_ms
        jump = min(passed, moved, key=abs) if passed * moved > 0 else 0.0
        return round(jump) if abs(jump) >= min_ms + self.doubt_ms + before.doubt_ms else 0


class SourceClock:
    """Readings of one clock: of the recent ones that agree, the one with the smallest round trip counts."""

    def __init__(self, jump_ms: float) -> None:
        self._jump_ms = jump_ms
        self._readings: deque[ClockReading] = deque(maxlen=_READINGS)
        self.best: ClockReading | None = None

    def add(self, reading: ClockReading) -> int:
        """Take a reading; return by how many ms the clock was set since the one before, 0 for no jump."""
        best = self.best
        jump_ms = reading.jumped_ms(best, self._jump_ms) if best is not None else 0
        if best is not None and not _agree(best, reading):  # it was set, or ours was
            self._readings.clear()
        self._readings.append(reading)
        self.best = min(self._readings, key=lambda one: _doubt_at(one, reading.at))
        return jump_ms

    def restart(self, reading: ClockReading) -> None:
        """Take a reading of a clock that was set: those before count no more."""
        self._readings.clear()
        self.best = None
        self.add(reading)


def _doubt_at(reading: ClockReading, at: float) -> float:
    return reading.doubt_ms + abs(at - reading.at) * 1000 * _DRIFT


def _agree(before: ClockReading, now: ClockReading) -> bool:
    return abs(now.ahead_ms - before.ahead_ms) <= now.doubt_ms + _doubt_at(before, now.at)


class Rank(IntEnum):
    """Whose clock is the axis, the first before the others."""

    VCENTER, HOST, BEHIND_SERVICE, OURS = range(4)


@dataclass(frozen=True, slots=True)
class Reference:
    """The clock that is the axis: whose it is (empty: ours), how far ahead of ours, with its doubt (ms).

    ``jumps`` counts how often it was set.
    """

    place: str = ""
    ahead_ms: float = 0.0
    doubt_ms: float = 0.0
    rank: Rank = Rank.OURS
    jumps: int = 0


class Axis:
    """The axis of one recording, shared by its collectors. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._reference = Reference()

    @property
    def reference(self) -> Reference:
        """The clock that is the axis now."""
        with self._lock:
            return self._reference

    def refer(self, rank: Rank, place: str, reading: ClockReading, *, was_set: bool = False) -> None:
        """Tell of a clock: it is the axis unless there is one of a better rank, or of the same."""
        with self._lock:
            now = self._reference
            if (rank, place) != (now.rank, now.place) and rank >= now.rank:
                return
            jumps = now.jumps + was_set
            self._reference = Reference(place, reading.ahead_ms, reading.doubt_ms, rank, jumps)


class Placement:
    """Where the times of one source are put: ``shift_ms`` is taken from them.

    Without an axis (files, a collector by itself) they stay as the source gave them, or come to the clock
    that ``fallback`` tells.
    """

    def __init__(self, axis: Axis | None, fallback: Callable[[], Reference] | None = None) -> None:
        self._axis, self._fallback = axis, fallback
        self._jumps: int | None = None
        self.shift_ms = 0

    @property
    def reference(self) -> Reference | None:
        """The clock that the times are put on; None for the source's own."""
        if self._axis is not None:
            return self._axis.reference
        return self._fallback() if self._fallback is not None else None

    def place(self, ahead_ms: float, doubt_ms: float, max_step_ms: float, *, was_set: bool) -> bool:
        """Put the times where a clock that is so far ahead of ours (± ``doubt_ms``) belongs.

        Return True if that is elsewhere than before. Where nobody set it (``was_set``) nor the axis, it is
        followed up to ``max_step_ms``: what is more is a clock of ours that was set, or an axis that was
        known late.
        """
        reference = self.reference
        if reference is None:
            return False
        is_free = was_set or self._jumps is None or self._jumps != reference.jumps
        self._jumps = reference.jumps
        wanted = ahead_ms - reference.ahead_ms
        least_ms = max(_LEAST_MS, doubt_ms + reference.doubt_ms)
        off_ms = abs(wanted - self.shift_ms)
        if off_ms <= least_ms or (off_ms > max_step_ms and not is_free):
            return False
        self.shift_ms = round(wanted) if abs(wanted) > least_ms else 0
        return True

    def nudge(self, by_ms: int) -> None:
        """Take so much more from the times: what a source's own steps tell better than its clock."""
        self.shift_ms += by_ms


def ahead_sentence(ahead_ms: float, doubt_ms: float, place: str) -> str:
    """Return how far a clock is ahead of another one, in words: ``3.2 s ahead of vc01's, ± 100 ms``."""
    way = "ahead of" if ahead_ms > 0 else "behind"
    off, doubt = (format_duration(round(abs(one) / 1000, 1)) for one in (ahead_ms, doubt_ms))
    return f"{off} {way} {place}'s, ± {doubt}"


def clock_jump_message(place: str, jump_ms: int) -> str:
    """Return the sentence that says that the clock of ``place`` was set by ``jump_ms``."""
    way = "forward" if jump_ms > 0 else "back"
    return f"The clock of {place} was set {way} by {format_duration(round(abs(jump_ms) / 1000))}"
