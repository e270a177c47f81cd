"""Round times for the labels of a time axis, in the clock that the user chose. Knows no widget."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

Clock = Callable[[int], datetime]
"""Milliseconds since 1970 to the time that the axes show."""

_SECOND, _MINUTE, _HOUR, _DAY = 1_000, 60_000, 3_600_000, 86_400_000
_STEPS = (
    *(n * _SECOND for n in (1, 2, 5, 10, 15, 30)),
    *(n * _MINUTE for n in (1, 2, 5, 10, 15, 30)),
    *(n * _HOUR for n in (1, 2, 3, 6, 12)),
    *(n * _DAY for n in (1, 2, 7, 14, 28)),
)
LABEL_PIXELS = 72


def clock_of(setting: str) -> Clock:
    """The clock of the setting ``look.times``: UTC for ``utc``, else this computer's zone."""
    if setting == "utc":
        return lambda t_ms: datetime.fromtimestamp(t_ms / 1000, UTC)
    return lambda t_ms: datetime.fromtimestamp(t_ms / 1000, UTC).astimezone()


def time_ticks(
    start: float, end: float, pixels: float, at: Clock, apart: int = LABEL_PIXELS
) -> tuple[list[float], int]:
    """Instants in ms where labels go, at round times of the clock, and the step between them in ms.

    ``apart``: how many pixels there are at least between two labels.
    """
    wanted = (end - start) / max(pixels / apart, 1)
    step = next((step for step in _STEPS if step >= wanted), _STEPS[-1])
    zone = at(int(start)).utcoffset() or timedelta()
    shift = round(zone.total_seconds() * 1000)
    first = -(-(int(start) + shift) // step) * step - shift
    return [float(t) for t in range(first, int(end) + 1, step)], step


def time_label(t_ms: float, step: int, at: Clock) -> str:
    """``14:05``, ``14:05:30`` where seconds tell labels apart, ``21 Nov`` where days do or a day begins."""
    when = at(int(t_ms))
    if step >= _DAY or (when.hour == when.minute == when.second == 0 and step >= _MINUTE):
        return f"{when.day} {when:%b}"
    return f"{when:%H:%M:%S}" if step < _MINUTE else f"{when:%H:%M}"
