"""Statistics and rankings of thousands of series, from what blocks say of themselves where that suffices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sessions.model import FloatArray, IntArray, SeriesStats
from sessions.store.contents import Sums
from sessions.store.samples import Samples
from sessions.store.segments import Places, Segment
from sessions.times import TimeRange

Statistic = Literal["max", "mean", "min"]

_SLAB_CELLS = 1 << 22
_SLACK = 1e-9  # bounds and exact values are summed in different orders


class _Tally:
    """Running statistics of some series, in canonical units."""

    def __init__(self, samples: Samples, ids: IntArray) -> None:
        self.samples, self.ids = samples, ids
        self.count = np.zeros(ids.size, np.int64)
        self.minimum = np.full(ids.size, np.inf)
        self.maximum = np.full(ids.size, -np.inf)
        self.total = np.zeros(ids.size)

    def add_whole(self, segments: Sequence[Segment], index: IntArray) -> None:
        """Add blocks that lie in the window, for the series at ``index``, without decoding samples."""
        for rows, sums in _block_sums(self.samples, segments, self.ids[index]):
            self._add(index[rows], sums)

    def add_decoded(self, segments: Sequence[Segment], index: IntArray, window: TimeRange | None) -> None:
        """Add the samples in the window of some segments of one source, for the series at ``index``."""
        ticks = sum(segment.ticks for segment in segments)
        slab = max(1, _SLAB_CELLS // max(ticks, 1))
        for begin in range(0, index.size if segments else 0, slab):
            part = index[begin : begin + slab]
            _, values = self.samples.collect(segments, self.ids[part], window)
            present = ~np.isnan(values)
            low = np.where(present, values, np.inf).min(axis=1, initial=np.inf)
            high = np.where(present, values, -np.inf).max(axis=1, initial=-np.inf)
            self._add(part, Sums(present.sum(axis=1), low, high, np.where(present, values, 0.0).sum(axis=1)))

    def stats(self) -> SeriesStats:
        """The statistics so far; NaN for series without samples."""
        some = self.count > 0
        low = np.where(some, self.minimum, np.nan)
        high = np.where(some, self.maximum, np.nan)
        return SeriesStats(self.count, low, high, np.clip(self.total / np.maximum(self.count, 1), low, high))

    def _add(self, index: IntArray, sums: Sums) -> None:
        self.count[index] += sums.count
        self.minimum[index] = np.minimum(self.minimum[index], sums.minimum)
        self.maximum[index] = np.maximum(self.maximum[index], sums.maximum)
        self.total[index] += sums.total


class _Reach:
    """How far the samples of blocks that the window cuts could move the statistics of a tally."""

    def __init__(self, tally: _Tally) -> None:
        self._tally = tally
        self._count = np.zeros(tally.ids.size, np.int64)
        self._low = np.full(tally.ids.size, np.inf)
        self._high = np.full(tally.ids.size, -np.inf)

    def add(self, segments: Sequence[Segment], index: IntArray) -> None:
        """Take cut blocks into account, for the series at ``index``."""
        for rows, sums in _block_sums(self._tally.samples, segments, self._tally.ids[index]):
            where = index[rows]
            self._count[where] += sums.count
            self._low[where] = np.minimum(self._low[where], sums.minimum)
            self._high[where] = np.maximum(self._high[where], sums.maximum)

    def may_win(self, n: int, statistic: Statistic) -> NDArray[np.bool_]:
        """Which series can be among the ``n`` highest."""
        least, most = {"max": self._of_maximum, "min": self._of_minimum, "mean": self._of_mean}[statistic]()
        if n >= least.size:
            return np.ones(least.size, np.bool_)
        needed = np.partition(least, least.size - n)[least.size - n]
        chosen: NDArray[np.bool_] = most >= needed - abs(needed) * _SLACK
        return chosen

    def _of_maximum(self) -> tuple[FloatArray, FloatArray]:
        return self._tally.maximum, np.maximum(self._tally.maximum, self._high)

    def _of_minimum(self) -> tuple[FloatArray, FloatArray]:
        some = self._tally.count > 0
        least = np.where(some, np.minimum(self._tally.minimum, self._low), -np.inf)
        return least, np.where(some, self._tally.minimum, self._high)

    def _of_mean(self) -> tuple[FloatArray, FloatArray]:
        some = self._tally.count > 0
        mean = self._tally.total / np.maximum(self._tally.count, 1)
        least = np.where(some, np.minimum(mean, self._mean_with(self._low)), -np.inf)
        return least, np.where(some, np.maximum(mean, self._mean_with(self._high)), self._high)

    def _mean_with(self, extreme: FloatArray) -> FloatArray:
        extreme = np.where(self._count > 0, extreme, 0.0)
        total = self._tally.total + self._count * extreme
        mean: FloatArray = total / np.maximum(self._tally.count + self._count, 1)
        return mean


def stats(samples: Samples, ids: IntArray, window: TimeRange | None) -> SeriesStats:
    """Statistics of each series over the window, in canonical units.

    Blocks that lie in the window answer for themselves; samples are decoded only where the window cuts a
    block, where segments overlap, and of ticks that await compaction.
    """
    tally = _Tally(samples, ids)
    for source, index in _by_source(samples, ids):
        whole, cut, other = _sorted_out(samples, source, window)
        tally.add_whole(whole, index)
        tally.add_decoded(cut, index, window)
        tally.add_decoded(other, index, window)
    return tally.stats()


def top(
    samples: Samples, ids: IntArray, window: TimeRange | None, n: int, statistic: Statistic
) -> list[tuple[int, float]]:
    """The ``n`` series with the highest statistic, highest first: (id, value in canonical units), exact.

    Where the window cuts blocks, their statistics bound what a series can reach, and only the series that can
    come among the first ``n`` are decoded there.
    """
    if n <= 0 or not ids.size:
        return []
    tally = _Tally(samples, ids)
    reach = _Reach(tally)
    edges: list[tuple[IntArray, list[Segment]]] = []
    for source, index in _by_source(samples, ids):
        whole, cut, other = _sorted_out(samples, source, window)
        tally.add_whole(whole, index)
        tally.add_decoded(other, index, window)
        reach.add(cut, index)
        edges.append((index, cut))
    candidates = reach.may_win(n, statistic)
    for index, cut in edges:
        tally.add_decoded(cut, index[candidates[index]], window)
    return _ranked(tally, candidates, n, statistic)


def _ranked(
    tally: _Tally, candidates: NDArray[np.bool_], n: int, statistic: Statistic
) -> list[tuple[int, float]]:
    exact = tally.stats()
    values = {"max": exact.maximum, "mean": exact.mean, "min": exact.minimum}[statistic]
    found = np.flatnonzero(candidates & (exact.count > 0))
    best = found[np.argsort(-values[found], kind="stable")[:n]]
    return [(int(tally.ids[i]), float(values[i])) for i in best.tolist()]


def _by_source(samples: Samples, ids: IntArray) -> Iterator[tuple[int, IntArray]]:
    sources = samples.sources_of(ids)
    for source in np.unique(sources).tolist():
        yield source, np.flatnonzero(sources == source)


def _sorted_out(
    samples: Samples, source: int, window: TimeRange | None
) -> tuple[list[Segment], list[Segment], list[Segment]]:
    """A source's segments: blocks within the window, blocks that it cuts, and what must be decoded anyway."""
    contested = samples.contested(source)
    whole: list[Segment] = []
    cut: list[Segment] = []
    other: list[Segment] = []
    for segment in samples.of_source(source):
        if not segment.touches(window):
            continue
        if not segment.is_block or segment.id in contested:
            other.append(segment)
        else:
            (whole if segment.within(window) else cut).append(segment)
    return whole, cut, other


def _block_sums(
    samples: Samples, segments: Sequence[Segment], ids: IntArray
) -> Iterator[tuple[IntArray, Sums]]:
    """Of each block: which of the series it has, and their statistics in canonical units."""
    places = Places(ids)
    for segment in segments:
        rows, positions = places.of(segment.layout)
        sums = samples.contents.sums(segment, positions)
        scale = samples.inventory.scale[ids[rows]]
        yield rows, Sums(sums.count, sums.minimum * scale, sums.maximum * scale, sums.total * scale)
