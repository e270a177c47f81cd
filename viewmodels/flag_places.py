"""Where the words of marks and events stand at the top of a chart: beside their line, none over another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sessions.model import Event, Mark
from sessions.times import TimeRange
from viewmodels.axis_events import AxisEvent, Track

ROWS = 2
_MAX_WIDTH, _MIN_WIDTH = 170.0, 30.0
_MAX_LASTING = 4
_MAX_EACH = 200
"""So many marks and events are looked at; a chart has room for the words of a few dozen."""


@dataclass(frozen=True, slots=True)
class Flag:
    """The words of a mark or event: where its line is (pixels), and how wide the words are, with margins."""

    x: float
    width: float
    of: AxisEvent


@dataclass(frozen=True, slots=True)
class PlacedFlag:
    """A flag that has a place: from ``left`` to ``right`` in pixels, in row 0 (the top) or below."""

    of: AxisEvent
    left: float
    right: float
    row: int


def visible_flags(
    marks: Track[Mark],
    events: Track[Event],
    window: TimeRange,
    edges: tuple[float, float],
    width: Callable[[AxisEvent], float],
) -> list[Flag]:
    """Return the flags of a window, marks before events: what begins in it, and what has lasted since before.

    ``edges`` are the pixels of the window's ends.
    """
    left, right = edges
    lasting = [one for one in events.near(window, _MAX_LASTING) if one.at < window.start]
    found = [Flag(x, width(one), one) for x, one in marks.ticks(window, left, right)[:_MAX_EACH]]
    found += [Flag(left, width(one), one) for one in lasting]
    found += [Flag(x, width(one), one) for x, one in events.ticks(window, left, right)[:_MAX_EACH]]
    return found


def placed_flags(flags: Sequence[Flag], left: float, right: float) -> list[PlacedFlag]:
    """Return the flags that find a place between two edges (pixels); the first ones choose first.

    A flag stands right of its line, or left of it near the right edge. It is shortened where another one
    stands in its way, and left out where there is no room for a few letters.
    """
    placed: list[PlacedFlag] = []
    for flag in flags:
        wanted = min(flag.width, _MAX_WIDTH)
        places = [place for row in range(ROWS) for place in _free(flag, wanted, row, placed, left, right)]
        whole = [place for place in places if place.right - place.left >= wanted]
        best = [*whole, *sorted(places, key=lambda place: place.left - place.right)]
        if best:
            placed.append(best[0])
    return placed


def _free(
    flag: Flag, wanted: float, row: int, placed: Sequence[PlacedFlag], left: float, right: float
) -> list[PlacedFlag]:
    """Return the free places of a flag in a row: right of its line, and left of it."""
    taken = [one for one in placed if one.row == row]
    if any(one.left < flag.x < one.right for one in taken):
        return []
    end = min([right, *(one.left for one in taken if one.left >= flag.x)])
    begin = max([left, *(one.right for one in taken if one.right <= flag.x)])
    found = []
    if end - flag.x >= min(wanted, _MIN_WIDTH):
        found.append(PlacedFlag(flag.of, flag.x, min(flag.x + wanted, end), row))
    if flag.x - begin >= min(wanted, _MIN_WIDTH):
        found.append(PlacedFlag(flag.of, max(flag.x - wanted, begin), flag.x, row))
    return found
