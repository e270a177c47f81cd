"""Which windows are offered to compare a window with: right before, a day before, before what was changed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from resources.foreign_text import shown
from sessions.model import Event, Mark
from sessions.times import TimeRange

_DAY_MS = 86_400_000
_MOST = 3
_LEAST_SHARE = 0.5
_CHANGES = frozenset({"reconfigure", "vmotion", "storage_vmotion", "drs", "power", "host"})


@dataclass(frozen=True, slots=True)
class Offer:
    """Two windows and why they are offered: ``right before``."""

    why: str
    a: TimeRange
    b: TimeRange


def offers(
    span: TimeRange, window: TimeRange, events: Iterable[Event] = (), marks: Iterable[Mark] = ()
) -> list[Offer]:
    """Return at most three comparisons for a window, the likeliest first.

    Where a mark or a change lies within the window, its part before that is offered against the part after.
    Otherwise the window is B, and A is as long: right before it, or at the same time a day before; at least
    half of A must be in the session.
    """
    found: list[Offer] = []
    changed = [(mark.at, shown(mark.text, 40) or "the mark") for mark in marks]
    changed += [(one.until, f"{one.kind} {shown(one.text, 40)}") for one in events if one.kind in _CHANGES]
    inside = [one for one in changed if _parts_well(window, one[0])]
    if inside:
        at, what = max(inside)
        a, b = TimeRange(window.start, at - 1), TimeRange(at, window.end)
        found.append(Offer(f"before and after “{what}”", a, b))
    length = window.end - window.start + 1
    for why, by in (("right before", length), ("same time a day before", _DAY_MS)):
        a = TimeRange(window.start - by, window.end - by)
        part = a.intersect(span)
        if part is not None and part.end - part.start >= _LEAST_SHARE * length and by >= length:
            found.append(Offer(why, part, window))
    rest = TimeRange(span.start, window.start - 1) if window.start > span.start else None
    if rest is not None and rest.end - rest.start > length:
        found.append(Offer("all before", rest, window))
    return found[:_MOST]


def _parts_well(window: TimeRange, at: int) -> bool:
    """True if at least a tenth of the window is on either side."""
    room = (window.end - window.start) / 10
    return window.start + room <= at <= window.end - room
