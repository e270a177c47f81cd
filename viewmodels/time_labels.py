"""Labels of a time axis at round times, in the time zone that the user chose. No Qt."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

Clock = Callable[[int], datetime]
"""Converts milliseconds since 1970 into a datetime of the time zone that is displayed."""

_SECOND, _MINUTE, _HOUR, _DAY = 1_000, 60_000, 3_600_000, 86_400_000
_STEPS = (
    *(n * _SECOND for n in (1, 2, 5, 10, 15, 30)),
    *(n * _MINUTE for n in (1, 2, 5, 10, 15, 30)),
    *(n * _HOUR for n in (1, 2, 3, 6, 12)),
    *(n * _DAY for n in (1, 2, 7, 14, 28)),
)
LABEL_PIXELS = 72


def clock_of(setting: str) -> Clock:
    """Return the clock for the setting ``look.times``: UTC for ``utc``, else this computer's time zone."""
    if setting == "utc":
        return lambda t_ms: datetime.fromtimestamp(t_ms / 1000, UTC)
    return lambda t_ms: datetime.fromtimestamp(t_ms / 1000, UTC).astimezone()


def time_ticks(
    start: float, end: float, pixels: float, at: Clock, min_distance: int = LABEL_PIXELS
) -> tuple[list[float], int]:
    """Return the times (ms) of axis labels, round in the clock ``at``, and the step between them in ms.

    ``pixels`` is the width from ``start`` to ``end`` (ms); labels are at least ``min_distance`` pixels apart.
    """
    wanted = (end - start) / max(pixels / min_distance, 1)
    step = next((step for step in _STEPS if step >= wanted), _STEPS[-1])
    zone = at(int(start)).utcoffset() or timedelta()
    shift = round(zone.total_seconds() * 1000)
    first = -(-(int(start) + shift) // step) * step - shift
    return [float(t) for t in range(first, int(end) + 1, step)], step


def time_label(t_ms: float, step: int, at: Clock) -> str:
    """Return the text of an axis label: ``14:05``; ``14:05:30`` for steps below a minute; ``21 Nov`` at
    midnight.
    """
    when = at(int(t_ms))
    if step >= _DAY or (when.hour == when.minute == when.second == 0 and step >= _MINUTE):
        return f"{when.day} {when:%b}"
    return f"{when:%H:%M:%S}" if step < _MINUTE else f"{when:%H:%M}"
