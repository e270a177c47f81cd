"""Labels of a time axis at round times, and the clock of the time zone that the user chose. No Qt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from resources.failures import UsageError
from sessions.clock import HOST, LOCAL, UTC_CLOCK, UTC_ZONE, Clock, clock_named, zone_names
from viewmodels.host_zone import host_clock

__all__ = [
    "HOST", "LOCAL", "UTC_CLOCK", "UTC_ZONE", "Clock", "clock_of", "host_clock", "time_label", "time_ticks",
    "zone_names",
]  # fmt: skip

_SECOND, _MINUTE, _HOUR, _DAY = 1_000, 60_000, 3_600_000, 86_400_000
_STEPS = (
    *(n * _SECOND for n in (1, 2, 5, 10, 15, 30)),
    *(n * _MINUTE for n in (1, 2, 5, 10, 15, 30)),
    *(n * _HOUR for n in (1, 2, 3, 6, 12)),
    *(n * _DAY for n in (1, 2, 7, 14, 28)),
)
LABEL_PIXELS = 72


def clock_of(setting: str, host: Clock | None = None) -> Clock:
    """Return the clock for the setting ``look.times``; this computer's for a zone that is not known here.

    ``host`` is the clock of the session's hosts (``host_clock``); UTC stands for it where that is unknown.
    """
    try:
        return clock_named(setting, host)
    except UsageError:
        return clock_named(LOCAL)


def time_ticks(
    start: float, end: float, pixels: float, at: Clock, min_distance: int = LABEL_PIXELS
) -> tuple[list[float], int]:
    """Return the times (ms) of axis labels, round in the clock ``at``, and the step between them in ms.

    ``pixels`` is the width from ``start`` to ``end`` (ms); labels are at least ``min_distance`` pixels apart,
    except where clocks are set forward: there a label may be an hour nearer.
    """
    wanted = (end - start) / max(pixels / min_distance, 1)
    step = next((step for step in _STEPS if step >= wanted), _STEPS[-1])
    while (
        step < wanted
    ):  # a wrong clock, a forged time: an axis of centuries has no more labels than one of hours
        step *= 2
    ticks: list[int] = []
    for first, last, ahead in _stretches(int(start), int(end), at):
        begin = -(-(first + ahead) // step) * step - ahead
        if ticks and begin - ticks[-1] < step / 2:
            begin += step
        ticks.extend(range(begin, last + 1, step))
    return [float(t) for t in ticks], step


def _stretches(start: int, end: int, at: Clock) -> Iterator[tuple[int, int, int]]:
    """Yield (first ms, last ms, ms ahead of UTC) for each part of a window without a change of the clocks."""
    borders: Sequence[int] = [start, *at.changes(start, end)]
    for first, after in zip(borders, [*borders[1:], end + 1], strict=True):
        yield first, after - 1, at.offset_ms(first)


def time_label(t_ms: float, step: int, at: Clock) -> str:
    """Return the text of an axis label: ``14:05``; ``14:05:30`` for steps below a minute; ``21 Nov`` at
    midnight; ``02:30 +1`` in an hour that comes twice, because clocks are set back; ``2026-11`` where steps
    are longer than a month.
    """
    when = at(t_ms)
    if step > _STEPS[-1]:
        return f"{when.year:04}-{when.month:02}"
    if step >= _DAY or (when.hour == when.minute == when.second == 0 and step >= _MINUTE):
        return at.day(t_ms)
    return at.time(t_ms, seconds=step < _MINUTE)
