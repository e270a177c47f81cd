"""Positions on the timeline in pixels, and what a drag of the brush means. No widget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sessions.times import TimeRange

Grip = Literal["start", "end", "inside", "outside"]

GUTTER = 128
RIGHT = 14
LOAD_TOP, LOAD_HEIGHT = 4, 36
FINDINGS_TOP, FINDINGS_HEIGHT = 44, 16
EVENTS_TOP, EVENTS_HEIGHT = 64, 16
SPANS_TOP, SPANS_HEIGHT, SPANS_MIN_WIDTH = 79, 3, 3
SOURCES_TOP, SOURCE_STEP = 86, 7
AXIS_HEIGHT = 20
_GRIP_PIXELS = 6
_SMALLEST_MS = 1_000


@dataclass(frozen=True, slots=True)
class Scale:
    """Converts between times and pixel columns of a strip of some width that shows the session ``span``."""

    span: TimeRange
    width: int

    @property
    def left(self) -> int:
        """The pixel column at which the session begins."""
        return GUTTER

    @property
    def pixels(self) -> int:
        """The width of the session in pixels."""
        return max(self.width - GUTTER - RIGHT, 1)

    def x(self, t_ms: float) -> float:
        """Return the pixel column of the time ``t_ms``."""
        length = max(self.span.end - self.span.start, 1)
        return self.left + (t_ms - self.span.start) / length * self.pixels

    def x_within(self, t_ms: float) -> float:
        """Return the pixel column of a time; for times outside the session that of the nearest edge."""
        return min(max(self.x(t_ms), float(self.left)), float(self.left + self.pixels))

    def time(self, x: float) -> int:
        """Return the time (ms) at the pixel column ``x``, within the session."""
        length = self.span.end - self.span.start
        part = min(max((x - self.left) / self.pixels, 0.0), 1.0)
        return self.span.start + round(part * length)

    def grip(self, x: float, window: TimeRange) -> Grip:
        """Return which part of the brush around ``window`` is at the pixel column ``x``."""
        start, end = self.x(window.start), self.x(window.end)
        if abs(x - start) <= _GRIP_PIXELS:
            return "start"
        if abs(x - end) <= _GRIP_PIXELS:
            return "end"
        whole = window.start <= self.span.start and window.end >= self.span.end
        return "inside" if start < x < end and not whole else "outside"

    def dragged(self, grip: Grip, window: TimeRange, begin: float, now: float) -> TimeRange:
        """Return the window after a drag of ``grip`` from pixel column ``begin`` to ``now``."""
        if grip == "outside":
            start, end = sorted((self.time(begin), self.time(now)))
        elif grip == "start":
            start, end = min(self.time(now), window.end - _SMALLEST_MS), window.end
        elif grip == "end":
            start, end = window.start, max(self.time(now), window.start + _SMALLEST_MS)
        else:
            length = window.end - window.start
            by = round((now - begin) / self.pixels * (self.span.end - self.span.start))
            start = min(max(window.start + by, self.span.start), self.span.end - length)
            end = start + length
        return TimeRange(start, max(end, start + _SMALLEST_MS))
