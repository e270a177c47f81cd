"""Which of overlapping segments counts: joined strips get a newer number, but must not
override later segments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from sessions.model import FloatArray, IntArray
from sessions.store.contents import Contents, Decoded
from sessions.store.database import Database
from sessions.store.segments import Layout, Segment

_LATER = """SELECT id, layout, t0, t1, ticks, samples, 1 FROM block WHERE id > ? AND t1 >= ? AND t0 <= ?
UNION ALL SELECT id, layout, t0, t1, ticks, samples, 0 FROM strip WHERE id > ? AND t1 >= ? AND t0 <= ?"""


@dataclass(frozen=True, slots=True)
class Piece:
    """What a segment holds of some series: ``load`` returns values (len(rows), len(times)), NaN where absent.

    ``times`` and ``rows`` are strictly increasing.
    """

    times: IntArray
    rows: IntArray
    load: Callable[[], FloatArray]


class Precedence:
    """Finds segments by number, time and series; knows all layouts of the session."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._layouts: dict[int, Layout] = {}
        self._common: dict[tuple[int, int], tuple[IntArray, IntArray]] = {}

    def add(self, layout: Layout) -> None:
        """Add a layout."""
        self._layouts[layout.id] = layout

    def later(self, layout: int, among: Sequence[int], start: int, end: int) -> list[tuple[int, Piece]]:
        """Return what segments other than ``among`` hold of the layout's series from ``start``
        to ``end`` (ms).

        Only segments with a number above the lowest of ``among``, as (number, piece), ascending; rows of a
        piece are positions in the layout.
        """
        rows = self._database.rows(_LATER, (int,) * 7, (min(among), start, end) * 2)
        own = set(among)
        found = sorted((row for row in rows if row[0] not in own), key=lambda row: int(row[0]))
        contents = Contents(self._database, Decoded())
        pieces = []
        for number, other, first, last, ticks, samples, is_block in found:
            here, there = self._in_common(layout, other)
            if here.size:
                segment = Segment(number, self._layouts[other], first, last, ticks, samples, bool(is_block))
                load = partial(contents.columns, segment, there)
                pieces.append((number, Piece(contents.times(segment), here, load)))
        return pieces

    def _in_common(self, one: int, other: int) -> tuple[IntArray, IntArray]:
        """Positions in both layouts of the series that they share."""
        if (one, other) not in self._common:
            there, here = self._layouts[one].find(self._layouts[other].ids)
            self._common[one, other] = here, there
        return self._common[one, other]


def blank_overridden(times: IntArray, stored: FloatArray, later: Piece) -> None:
    """Set ``stored`` (times, series) to NaN, in place, wherever ``later`` has a value."""
    at = np.searchsorted(times, later.times)
    at[at == times.size] = 0
    same = np.flatnonzero(times[at] == later.times)
    cells = np.ix_(at[same], later.rows)
    stored[cells] = np.where(np.isnan(later.load()[:, same].T), stored[cells], np.nan)
