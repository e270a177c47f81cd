"""Puts a streamed host's stamps on the recording's axis, and notices when somebody sets the host's clock."""

from __future__ import annotations

import time
from collections.abc import Callable

from collectors.axis import Axis, ClockReading, Placement, SourceClock, ahead_sentence

AskClock = Callable[[], ClockReading | None]
"""Asks what the host's clock shows; None if it does not tell."""
_EVERY_S = 600.0
_LEAST_S = 1.0
"""A host is not asked more often, however odd its stamps are: esxtop takes a sample every 2 s at most."""
_SECOND_MS = 1000
"""Stamps are of whole seconds."""


class StreamClock:
    """The clock of one host; ``read`` takes what the host's ``date`` says.

    Rows come one interval after another by our monotonic clock: a stamp that does not, while ``date`` has
    moved by as much, tells to the second by how much the clock was set. Without an axis times stay as
    the host tells them.
    """

    def __init__(self, axis: Axis | None, jump_s: float) -> None:
        self._axis, self._jump_ms = axis, jump_s * 1000
        self._clock, self._placement = SourceClock(self._jump_ms), Placement(axis)
        self._asked = self._heard = 0.0

    @property
    def is_known(self) -> bool:
        """True once the host has told the time."""
        return self._clock.best is not None

    @property
    def ahead_ms(self) -> float:
        """The host's clock minus ours; 0 if it does not tell."""
        return 0.0 if self._clock.best is None else self._clock.best.ahead_ms

    @property
    def offset_ms(self) -> int:
        """The stored times minus our clock, 0 if that is less than can be told."""
        best = self._clock.best
        if best is None:
            return 0
        off = best.ahead_ms - self._placement.shift_ms
        return round(off) if abs(off) > best.doubt_ms else 0

    def now_ms(self) -> float:
        """Return the present time of the stored samples."""
        return time.time() * 1000 + self.offset_ms

    def host_now_ms(self) -> float:
        """Return the host's present time."""
        best = self._clock.best
        ahead = 0.0 if best is None or abs(best.ahead_ms) <= best.doubt_ms else best.ahead_ms
        return time.time() * 1000 + ahead

    def sentence(self) -> str:
        """Return how far the clock is off and whose time the samples are on; empty if nothing is moved."""
        best, reference = self._clock.best, self._placement.reference
        if best is None or reference is None or not self._placement.shift_ms:
            return ""
        place = reference.place or "this computer"
        ahead = ahead_sentence(best.ahead_ms - reference.ahead_ms, best.doubt_ms + reference.doubt_ms, place)
        return f"{ahead}; samples are on that one's time"

    def read(self, reading: ClockReading) -> int:
        """Take what the host's clock shows; return by how many ms it was set since it was asked last."""
        self._asked = time.monotonic()
        jump_ms = self._clock.add(reading)
        best = self._clock.best or reading
        self._placement.place(best.ahead_ms, best.doubt_ms, self._jump_ms, was_set=bool(jump_ms))
        return jump_ms

    def put(self, t_ms: int, last_ms: int | None, usual_ms: float, ask: AskClock) -> tuple[int, int]:
        """Return when a row of this stamp, which has just come, was on the axis, and by how many ms the clock
        was set before it. ``last_ms`` is the row before on the axis.
        """
        if self._axis is None:
            return t_ms, 0
        before, now = self._heard, time.monotonic()
        self._heard = now
        if now - self._asked > _EVERY_S:
            self._asked = now
            if (reading := ask()) is not None:
                self.read(reading)
        placed = t_ms - self._placement.shift_ms
        if last_ms is None or not before:
            return placed, 0
        expected = last_ms + max((now - before) * 1000, usual_ms)
        is_odd = placed <= last_ms or placed - expected > usual_ms
        if not is_odd or abs(placed - expected) < _SECOND_MS or now - self._asked < _LEAST_S:
            return placed, 0
        jump_ms = self._jump(round(placed - expected), ask)
        return placed - jump_ms, jump_ms

    def _jump(self, step_ms: int, ask: AskClock) -> int:
        """By how much the clock was set if stamps are off by ``step_ms``: that, if ``date`` says so."""
        self._asked = time.monotonic()
        before, reading = self._clock.best, ask()
        if reading is None or before is None:
            return 0
        moved, doubt_ms = reading.ahead_ms - before.ahead_ms, reading.doubt_ms + before.doubt_ms
        if abs(moved) <= doubt_ms or abs(moved - step_ms) > doubt_ms + _SECOND_MS:
            self.read(reading)
            return 0
        self._clock.restart(reading)
        self._placement.nudge(step_ms)
        return step_ms
