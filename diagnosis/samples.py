"""Samples of many series as rows on one source's time axis, read in blocks within a memory budget."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

import numpy as np

from diagnosis.arrays import BoolArray, usual_step
from diagnosis.grown_values import GrownValues
from sessions.distinct import distinct
from sessions.model import FloatArray, Frame, IntArray, SampleSource, SeriesStats
from sessions.times import TimeRange

_ALL = slice(None)
_REMEMBERED = 4096  # arrays of ids whose rows are known: those of a small session's rules are a thousand
_BUDGET = 24_000_000  # samples kept in memory at once: about 200 MB


class _Rows:
    """The samples of some series of one source, (series, instants); grows with the source's time axis.

    What was read together is one block, of as many rows, and stays where it is when more is read: a table of
    a day that grows by being copied costs more than reading what it grows by.
    """

    def __init__(self) -> None:
        self.places: dict[int, int] = {}
        self._blocks: list[FloatArray] = []
        self._firsts = np.zeros(0, np.int64)
        self._found: dict[int, tuple[IntArray, IntArray]] = {}

    @property
    def held(self) -> int:
        """The number of samples for which there is room."""
        return sum(block.size for block in self._blocks)

    def add(self, frame: Frame, axis: IntArray) -> None:
        """Add the new series of a frame; all that it does not have is absent. Its values are taken over."""
        if np.array_equal(frame.times, axis):
            values = frame.values.T
        else:
            values = np.full((frame.ids.size, axis.size), np.nan)
            values[:, np.searchsorted(axis, frame.times)] = frame.values.T
        first = len(self.places)
        self.places.update((one, first + row) for row, one in enumerate(frame.ids.tolist()))
        self._set([*self._blocks, values])

    def lengthen(self, instants: int) -> None:
        """Make room for more instants, in which all is absent until it is filled in."""
        if all(block.shape[1] >= instants for block in self._blocks):
            return
        grown = np.full((len(self.places), instants + instants // 8), np.nan)
        for block, first in zip(self._blocks, self._firsts.tolist(), strict=True):
            grown[first : first + len(block), : block.shape[1]] = block
        self._set([grown])

    def fill(self, frame: Frame, axis: IntArray) -> None:
        """Write a frame of series that are here at its instants, for which there is room."""
        rows = np.array([self.places[one] for one in frame.ids.tolist()], dtype=np.int64)
        columns = np.searchsorted(axis, frame.times)
        for block, inside, chosen in self._parts(rows):
            block[inside[:, None], columns] = frame.values.T[chosen]

    def rows_of(self, ids: IntArray) -> IntArray | None:
        """Return the rows of series, which stay what they are; None if not all are here. It is remembered for
        the array of ids, which must not be written to.
        """
        known = self._found.get(id(ids))
        if known is not None and known[0] is ids:
            return known[1]
        rows = [self.places.get(one, -1) for one in ids.tolist()]
        if -1 in rows:
            return None
        if len(self._found) >= _REMEMBERED:
            self._found.clear()
        found = np.array(rows, dtype=np.int64)
        self._found[id(ids)] = ids, found  # who holds an array, holds its id
        return found

    def of(self, rows: IntArray, instants: int, first: int = 0) -> FloatArray:
        """Return the samples of rows, from an instant on."""
        parts = list(self._parts(rows))
        if len(parts) == 1:
            block, inside, _ = parts[0]
            only: FloatArray = block[inside, first:instants]
            return only
        found = np.empty((rows.size, max(0, instants - first)))
        for block, inside, chosen in parts:
            found[chosen] = block[inside, first:instants]
        return found

    def _set(self, blocks: list[FloatArray]) -> None:
        self._blocks = blocks
        self._firsts = np.cumsum([0, *(len(block) for block in blocks[:-1])])

    def _parts(self, rows: IntArray) -> Iterator[tuple[FloatArray, IntArray, IntArray]]:
        """Yield each block that has some of the rows, their places in it, and which of ``rows`` they are."""
        if len(self._blocks) == 1:
            yield self._blocks[0], rows, np.arange(rows.size)
            return
        number = np.searchsorted(self._firsts, rows, side="right") - 1
        if rows.size and number.min() == (one := int(number.max())):  # what was read together, asked together
            yield self._blocks[one], rows - self._firsts[one], np.arange(rows.size)
            return
        for one in distinct(number).tolist():
            chosen = np.flatnonzero(number == one)
            yield self._blocks[one], rows[chosen] - self._firsts[one], chosen


class SampleTable:
    """Reads series as float64 rows, NaN where absent; samples of another source are taken from the
    nearest instant.

    ``owner`` gives the source of each series. ``extend`` goes on with a session that has grown.
    """

    def __init__(self, source: SampleSource, window: TimeRange, owner: Mapping[int, int]) -> None:
        self._source = source
        self.window = window
        self._axes: dict[int, IntArray] = {}
        self._nearest: dict[tuple[int, int], tuple[IntArray, BoolArray]] = {}
        self._nearest_before: dict[tuple[int, int], tuple[IntArray, BoolArray]] = {}
        self._same: dict[tuple[int, int], int] = {}
        self._offsets = {one.id: one.spec.clock_offset_ms for one in source.sources()}
        self._owner = owner
        self._rows: dict[int, _Rows] = {}
        self.rewritten = 0
        """How often samples of a source were read anew, as earlier ones may differ."""
        self.grown: GrownValues | None = None
        """What was computed of the samples, once the session has grown."""

    def extend(self, window: TimeRange, rewritten: Collection[int]) -> None:
        """Go on with a longer window; samples of the ``rewritten`` sources are read anew."""
        self.window = window
        self._offsets = {one.id: one.spec.clock_offset_ms for one in self._source.sources()}
        self._nearest_before, self._nearest = self._nearest, {}
        self._same.clear()
        self.rewritten += bool(rewritten)
        if rewritten or self.grown is None:
            self.grown = GrownValues()
        for source in rewritten:
            self._axes.pop(source, None)
            self._rows.pop(source, None)
        for source, old in list(self._axes.items()):
            axis = self._axes[source] = self._source.times(source, window)
            kept = self._rows.get(source)
            if axis.size == old.size or kept is None:
                continue
            kept.lengthen(axis.size)
            tail = TimeRange(int(axis[old.size]), window.end)
            for frame in self._source.read(np.array(sorted(kept.places), dtype=np.int64), tail):
                kept.fill(frame, axis)

    def axis(self, source: int) -> IntArray:
        """Return the sampling instants of the source in the window; shape (n,), int64, ms."""
        if source not in self._axes:
            self._axes[source] = self._source.times(source, self.window)
        return self._axes[source]

    def owners(self, ids: IntArray) -> IntArray:
        """Return the source of each series."""
        return np.array([self._owner[one] for one in ids.tolist()], dtype=np.int64)

    def reference_end(self, source: int) -> int:
        """Return the source's last sampling instant on the reference clock, in ms; it has samples."""
        return int(self.axis(source)[-1]) - self._offsets[source]

    def is_known_beyond(self, source: int, at: int) -> bool:
        """Return True if all sources that have samples have one after an instant (ms) of one of them: then no
        later sample is nearer to it, or to one before.
        """
        own = at - self._offsets[source]
        return all(self.reference_end(one) > own for one in self._offsets if self.axis(one).size)

    def footing(self) -> tuple[object, ...]:
        """Return what the values at earlier instants rest on: the same while earlier samples are what they
        were, stand for as long, and are as near to those of other sources.
        """
        axes = ((self.axis(one), offset) for one, offset in self._offsets.items())
        return self.rewritten, *((axis.size > 0, usual_step(axis), offset) for axis, offset in axes)

    def longest_step(self) -> float:
        """Return the usual interval of the slowest source, in ms."""
        return max((usual_step(self.axis(one)) for one in self._offsets), default=0.0)

    def last_in(self, ids: IntArray, window: TimeRange) -> IntArray:
        """Return the time of each series' last sample in a range of the window, in ms; 0 for none."""
        last = np.zeros(ids.size, np.int64)
        counts = self._source.stats(ids, window).count
        place = {one: position for position, one in enumerate(ids.tolist())}
        some = ids[counts > 0]
        if window.start == window.end:
            last[counts > 0] = window.end
            return last
        for frame in self._source.read(some, window) if some.size else ():
            known = ~np.isnan(frame.values)
            final = frame.times.size - 1 - np.argmax(known[::-1], axis=0)
            for column, one in enumerate(frame.ids.tolist()):
                if known[:, column].any():
                    last[place[one]] = frame.times[final[column]]
        return last

    def statistics(self, ids: IntArray) -> SeriesStats:
        """Return statistics of each series over the window."""
        return self._source.stats(ids, self.window)

    def holds_at_end(self, source: int, ids: Iterable[int], instants: int) -> bool:
        """Return True if a sample of one of the series, at one of the source's last instants, is in memory;
        what is not there is not read.
        """
        rows, axis = self._rows.get(source), self.axis(source)
        places = [rows.places[one] for one in ids if one in rows.places] if rows else []
        if rows is None or not places:
            return False
        values = rows.of(np.array(places, dtype=np.int64), axis.size, max(0, axis.size - instants))
        return not np.isnan(values).all()

    def counts_in(self, ids: IntArray, window: TimeRange) -> IntArray:
        """Return how many samples each series has in a part of the window."""
        return self._source.stats(ids, window).count

    def rows(self, source: int, ids: IntArray, first: int = 0, end: int | None = None) -> FloatArray:
        """Return the samples (len(ids), len(axis)) on the source's axis; the id −1 gives a row of NaN.

        ``first``, ``end``: only those from this instant of the axis on, and before that one.
        """
        axis, own = self.axis(source), self._rows.get(source)
        rows = None if own is None else own.rows_of(ids)
        if own is not None and rows is not None:
            return own.of(rows, axis.size if end is None else end, first)
        return self._collected(source, ids, slice(first, axis.size if end is None else end))

    def _collected(self, source: int, ids: IntArray, part: slice) -> FloatArray:
        """The samples of series that are not read yet, of other sources, or absent; in a part of the time."""
        numbers = ids.tolist()
        self._load(ids)
        result = np.full((ids.size, part.stop - part.start), np.nan)
        places: dict[int, list[int]] = {}
        for position, series in enumerate(numbers):
            if series >= 0:
                places.setdefault(self._owner[series], []).append(position)
        for owner, mine in places.items():
            rows = self._rows[owner]
            own = np.array([rows.places[one] for one in ids[mine].tolist()], dtype=np.int64)
            if owner == source:
                result[mine] = rows.of(own, part.stop, part.start)
            else:
                has_any = self.axis(owner).size > 0
                theirs = _span_of(self._nearest_to(owner, source)[0][part]) if has_any else slice(0, 0)
                values = rows.of(own, theirs.stop, theirs.start)
                result[mine] = self._aligned(values, owner, source, part, theirs.start)
        return result

    def read_ahead(self, ids: IntArray) -> None:
        """Read series together that will be asked for soon, as far as half of the memory holds them."""
        wanted = distinct(ids[ids >= 0])
        if not _not_held(self._rows, wanted, self._owner).size:
            return
        samples = np.cumsum([self.axis(owner).size for owner in self.owners(wanted).tolist()])
        self._load(wanted[: int(np.searchsorted(samples, _BUDGET // 2, side="right"))])

    def _load(self, ids: IntArray) -> None:
        wanted = distinct(ids[ids >= 0])
        missing = _not_held(self._rows, wanted, self._owner)
        if not missing.size:
            return
        if sum(rows.held for rows in self._rows.values()) > _BUDGET:
            self._rows.clear()
            missing = wanted
        for frame in self._source.read(missing, self.window):
            self._rows.setdefault(frame.source, _Rows()).add(frame, self.axis(frame.source))

    def covers(self, owner: int, source: int) -> BoolArray:
        """Return at which instants of ``source`` there are samples of ``owner``, of any of its series."""
        instants = np.zeros((1, self.axis(owner).size))
        seen = instants if owner == source else self._aligned(instants, owner, source)
        covered: BoolArray = ~np.isnan(seen[0])
        return covered

    def same_instants(self, owner: int, source: int) -> int:
        """Return how many instants of a source, from its first one on, have the samples of another one that
        they had at the look before.
        """
        key = owner, source
        if key not in self._same:
            before, now = self._nearest_before.get(key), None
            if before is not None and self.axis(owner).size:
                now = _same_so_far(before, self._nearest_to(owner, source))
            self._same[key] = now or 0
        return self._same[key]

    def _aligned(
        self, values: FloatArray, owner: int, source: int, part: slice = _ALL, first: int = 0
    ) -> FloatArray:
        """Another source's samples at the nearest of this one's instants, both on the reference clock; in a
        part of the time. ``values`` are those from its instant ``first`` on.
        """
        if not self.axis(owner).size:
            return np.full((values.shape[0], self.axis(source)[part].size), np.nan)
        nearest, is_near = self._nearest_to(owner, source)
        return np.where(is_near[part], values[:, nearest[part] - first], np.nan)

    def _nearest_to(self, owner: int, source: int) -> tuple[IntArray, BoolArray]:
        if (owner, source) not in self._nearest:
            theirs, ours = (self.axis(one) - self._offsets[one] for one in (owner, source))
            self._nearest[owner, source] = _nearest(theirs, ours)
        return self._nearest[owner, source]


def _nearest(theirs: IntArray, ours: IntArray) -> tuple[IntArray, BoolArray]:
    """For each of our instants the place of their nearest one, and whether that is near; they have some."""
    right = np.clip(np.searchsorted(theirs, ours), 0, theirs.size - 1)
    left = np.maximum(right - 1, 0)
    nearest = np.where(np.abs(theirs[left] - ours) <= np.abs(theirs[right] - ours), left, right)
    usual = max(usual_step(theirs), usual_step(ours))
    return nearest, np.abs(theirs[nearest] - ours) <= usual


def _not_held(rows: Mapping[int, _Rows], ids: IntArray, owner: Mapping[int, int]) -> IntArray:
    """Those of the series that are in none of the sources' rows."""
    held = {source: one.places for source, one in rows.items()}
    return np.array([one for one in ids.tolist() if one not in held.get(owner[one], ())], dtype=np.int64)


def _span_of(nearest: IntArray) -> slice:
    """From the first to the last of another source's instants that are nearest in a part of the time."""
    return slice(int(nearest[0]), int(nearest[-1]) + 1) if nearest.size else slice(0, 0)


def _same_so_far(before: tuple[IntArray, BoolArray], now: tuple[IntArray, BoolArray]) -> int:
    """How many of the nearest instants, from the first one on, are the same at both looks."""
    number = min(before[0].size, now[0].size)
    (was_nearest, was_near), (nearest, is_near) = (
        (one[:number], near[:number]) for one, near in (before, now)
    )
    differs = (is_near != was_near) | (is_near & (nearest != was_nearest))
    return int(np.argmax(differs)) if differs.any() else number
