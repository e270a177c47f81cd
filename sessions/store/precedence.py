"""Who has the last word: joined strips get a newer number, yet must not overrule what came after them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sessions.model import FloatArray, IntArray
from sessions.store.contents import Contents, Decoded
from sessions.store.database import Database
from sessions.store.segments import Layout, Segment

_LATER = """SELECT id, layout, t0, t1, ticks, samples, 1 FROM block WHERE id > ?1 AND t0 <= ?3 AND t1 >= ?2
UNION ALL SELECT id, layout, t0, t1, ticks, samples, 0 FROM strip WHERE id > ?1 AND t0 <= ?3 AND t1 >= ?2"""


@dataclass(frozen=True, slots=True)
class Word:
    """What a segment says of series that a layout has as well.

    ``values`` (len(positions), len(times)), NaN where it says nothing; ``positions`` are the layout's.
    """

    segment: int
    times: IntArray
    positions: IntArray
    values: FloatArray


class Precedence:
    """Finds segments by number, time and series; knows all layouts of the session."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._layouts: dict[int, Layout] = {}
        self._common: dict[tuple[int, int], tuple[IntArray, IntArray]] = {}

    def add(self, layout: Layout) -> None:
        """One more layout."""
        self._layouts[layout.id] = layout

    def later(self, layout: int, among: Sequence[int], start: int, end: int) -> list[Word]:
        """What others than the segments ``among`` say of the layout's series from ``start`` to ``end``.

        Only those with a number above the lowest ``among``; in the order of their numbers.
        """
        rows = self._database.rows(_LATER, (int,) * 7, (min(among), start, end))
        own = set(among)
        found = sorted((row for row in rows if row[0] not in own), key=lambda row: int(row[0]))
        contents = Contents(self._database, Decoded())
        words = []
        for number, other, first, last, ticks, samples, is_block in found:
            here, there = self._in_common(layout, other)
            if here.size:
                segment = Segment(number, self._layouts[other], first, last, ticks, samples, bool(is_block))
                values = contents.columns(segment, there)
                words.append(Word(number, contents.times(segment), here, values))
        return words

    def _in_common(self, one: int, other: int) -> tuple[IntArray, IntArray]:
        """Positions in both layouts of the series that they share."""
        if (one, other) not in self._common:
            there, here = self._layouts[one].find(self._layouts[other].ids)
            self._common[one, other] = here, there
        return self._common[one, other]


def silence(times: IntArray, stored: FloatArray, word: Word) -> None:
    """Blank what ``stored`` (times, series) says wherever ``word``, which came later, has a value."""
    at = np.searchsorted(times, word.times)
    at[at == times.size] = 0
    same = np.flatnonzero(times[at] == word.times)
    said = np.ix_(at[same], word.positions)
    stored[said] = np.where(np.isnan(word.values[:, same].T), stored[said], np.nan)
