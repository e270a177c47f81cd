"""Which two windows are meant where only one, or none, was named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from resources.failures import NotFoundError, UsageError
from sessions.times import TimeRange

BEFORE, DAY_BEFORE, AFTER, DAY_AFTER = "before", "day-before", "after", "day-after"
_DAY_MS = 86_400_000
Alignment = Literal["start", "time of day"]
DayShift = Callable[[int, int], int]
"""The same time of day so many days later: takes an instant (ms) and days, gives an instant."""


def day_of_utc(t_ms: int, days: int) -> int:
    """Return the same time of day in UTC, where all days are as long."""
    return t_ms + days * _DAY_MS


@dataclass(frozen=True, slots=True)
class Windows:
    """Both windows, and how they were chosen: a sentence, empty where the user named both.

    ``aligned`` says what stands above each other in charts: the start of each, or the time of day.
    """

    a: TimeRange
    b: TimeRange
    chosen: str
    aligned: Alignment


def windows_of_one(
    span: TimeRange,
    a: TimeRange | str | None,
    b: TimeRange | str | None,
    same_time: DayShift = day_of_utc,
) -> Windows:
    """Return two windows of one session. ``a`` may be BEFORE or DAY_BEFORE (of B), ``b`` AFTER or DAY_AFTER
    (of A). ``same_time`` is the clock on the wall, by which people work: where clocks are set back the day
    before is 25 hours earlier.

    With one window named the other is as long and next to it; with none the session is cut into halves.
    Raises UsageError if the windows overlap or cannot be found, NotFoundError where the session has
    nothing.
    """
    if isinstance(a, str) and isinstance(b, str):
        raise UsageError(
            f"{a!r} and {b!r} both ask for the other window.", advice="Give one of them as T..T."
        )
    chosen = ""
    if isinstance(b, TimeRange) and not isinstance(a, TimeRange):
        days = a == DAY_BEFORE
        a = _by_days(b, -1, same_time) if days else _shifted(b, b.start - b.end - 1)
        chosen = "A is the same time a day before B." if days else "A is as long as B and right before it."
    elif isinstance(a, TimeRange) and not isinstance(b, TimeRange):
        days = b == DAY_AFTER
        b = _by_days(a, 1, same_time) if days else _shifted(a, a.end - a.start + 1)
        chosen = "B is the same time a day after A." if days else "B is as long as A and right after it."
    elif not isinstance(a, TimeRange) or not isinstance(b, TimeRange):
        if isinstance(a, str) or isinstance(b, str):
            raise UsageError(f"{a or b!r} needs the other window.", advice="Give that one as T..T.")
        middle = (span.start + span.end) // 2
        a, b = TimeRange(span.start, middle), TimeRange(middle + 1, max(span.end, middle + 1))
        chosen = "No window was named: A is the session's first half, B the second."
    a, b = apart(a, b)
    for side, window in (("A", a), ("B", b)):
        _require_inside(window, span, side)
    return Windows(a, b, chosen, alignment(a, b))


def apart(a: TimeRange, b: TimeRange) -> tuple[TimeRange, TimeRange]:
    """Return both windows of one session without an instant that they share because one ends where the other
    begins: it is the earlier one's. Raises UsageError if they share more.
    """
    first, second = sorted((a, b), key=lambda one: one.start)
    if first.end == second.start < second.end:
        second = TimeRange(second.start + 1, second.end)
    if first.intersect(second) is not None:
        raise UsageError(
            "A and B overlap, so that the same samples would be on both sides.",
            advice="Choose windows of which one ends before the other begins.",
        )
    return (first, second) if a.start <= b.start else (second, first)


def windows_of_two(
    spans: tuple[TimeRange, TimeRange], a: TimeRange | str | None, b: TimeRange | str | None
) -> Windows:
    """Return a window of each of two sessions; the whole session where none is named. Raises as the other
    one.
    """
    if isinstance(a, str) or isinstance(b, str):
        word = a if isinstance(a, str) else b
        raise UsageError(f"{word!r} is for two windows of one session.", advice="Give --a and --b as T..T.")
    found = (a or spans[0], b or spans[1])
    for side, window, span in zip("AB", found, spans, strict=True):
        _require_inside(window, span, side)
    chosen = "" if a and b else "Of a session without a window all of it counts."
    return Windows(*found, chosen, alignment(*found))


def _shifted(window: TimeRange, by: int) -> TimeRange:
    return TimeRange(window.start + by, window.end + by)


def _by_days(window: TimeRange, days: int, same_time: DayShift) -> TimeRange:
    """The same time of day, and as long."""
    return _shifted(window, same_time(window.start, days) - window.start)


def alignment(a: TimeRange, b: TimeRange) -> Alignment:
    """Return what stands above each other in charts: windows whole days apart show the time of day."""
    apart = b.start - a.start
    return "time of day" if apart and apart % _DAY_MS == 0 else "start"


def _require_inside(window: TimeRange, span: TimeRange, side: str) -> None:
    if window.intersect(span) is None:
        raise NotFoundError(
            f"The session has nothing in window {side}.", advice="'hyperscope info' says what time it covers."
        )
