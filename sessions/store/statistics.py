"""Statistics of thousands of series, from the stored statistics of blocks where these suffice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from sessions.distinct import distinct
from sessions.model import FloatArray, IntArray, SeriesStats
from sessions.store.block_figures import Sums
from sessions.store.samples import Samples
from sessions.store.segments import Places, Segment
from sessions.times import TimeRange

_SLAB_CELLS = 1 << 22


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
        for rows, sums in block_sums(self.samples, segments, self.ids[index]):
            self._add(index[rows], sums)

    def add_still(self, blocks: Sequence[Segment], index: IntArray, window: TimeRange | None) -> IntArray:
        """Add the series at ``index`` that stand still in all of some blocks that the window cuts, by their
        levels; return the others. Most series of a host are still for minutes: none of them is decoded.
        """
        found = [still_parts(self.samples, segment, self.ids[index]) for segment in blocks]
        is_still = np.ones(index.size, np.bool_)
        for rows, still, _ in found:
            is_still[rows] &= still
        for segment, (rows, _, levels) in zip(blocks, found, strict=True):
            chosen = is_still[rows] & ~np.isnan(levels)
            level, ticks = levels[chosen], self.samples.ticks_in(segment, window)
            if ticks:
                self._add(index[rows[chosen]], Sums(np.full(level.size, ticks), level, level, level * ticks))
        return index[~is_still]

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


def stats(samples: Samples, ids: IntArray, window: TimeRange | None) -> SeriesStats:
    """Return statistics of each series over the window, in canonical units.

    For blocks within the window the stored statistics are used; samples are decoded only where the window
    cuts a block in which a series varies, where segments overlap, and for ticks that await compaction.
    """
    tally = _Tally(samples, ids)
    for source, index in _by_source(samples, ids):
        whole, cut = _sorted_out(samples, source, window)
        tally.add_whole(whole, index)
        left = tally.add_still(cut, index, window) if _are_apart(samples, source, cut) else index
        tally.add_decoded(cut, left, window)
    return tally.stats()


def _are_apart(samples: Samples, source: int, segments: Sequence[Segment]) -> bool:
    """True for blocks of a source of which none overlaps with anything."""
    overlapping = samples.overlapping(source)
    return all(segment.is_block and segment.id not in overlapping for segment in segments)


def block_means(samples: Samples, ids: IntArray, window: TimeRange | None, most: int) -> FloatArray:
    """Return the means of each series over the blocks that lie in the window, from their stored statistics.

    Shape (len(ids), k), k at most ``most``, in order of time, NaN behind a series' last; neighbouring blocks
    are joined where there are more. What a window cuts of a block, and what awaits compaction, is left out.
    """
    found = []
    for source, index in _by_source(samples, ids):
        whole, _ = _sorted_out(samples, source, window)
        found.append((index, _joined_means(samples, sorted(whole, key=_start), ids[index], most)))
    means = np.full((ids.size, max((part.shape[1] for _, part in found), default=0)), np.nan)
    for index, part in found:
        means[index, : part.shape[1]] = part
    return means


def _joined_means(samples: Samples, blocks: Sequence[Segment], ids: IntArray, most: int) -> FloatArray:
    bins = min(most, len(blocks))
    count, total = np.zeros((bins, ids.size)), np.zeros((bins, ids.size))
    for number, (rows, sums) in enumerate(block_sums(samples, blocks, ids)):
        place = number * bins // len(blocks)
        count[place, rows] += sums.count
        total[place, rows] += sums.total
    means: FloatArray = total.T / np.where(count.T > 0, count.T, np.nan)
    if np.isnan(means).any():  # a series need not be in all layouts
        means = np.take_along_axis(means, np.argsort(np.isnan(means), axis=1, kind="stable"), axis=1)
    return means


def _start(segment: Segment) -> int:
    return segment.start


def _by_source(samples: Samples, ids: IntArray) -> Iterator[tuple[int, IntArray]]:
    sources = samples.sources_of(ids)
    for source in distinct(sources).tolist():
        yield source, np.flatnonzero(sources == source)


def _sorted_out(
    samples: Samples, source: int, window: TimeRange | None
) -> tuple[list[Segment], list[Segment]]:
    """A source's segments in the window: blocks that lie in it, and what must be decoded."""
    overlapping = samples.overlapping(source)
    whole: list[Segment] = []
    cut: list[Segment] = []
    for segment in samples.of_source(source):
        if segment.touches(window):
            answers = segment.is_block and segment.id not in overlapping and segment.within(window)
            (whole if answers else cut).append(segment)
    return whole, cut


def block_sums(
    samples: Samples, segments: Sequence[Segment], ids: IntArray
) -> Iterator[tuple[IntArray, Sums]]:
    """Yield for each block which of the series it has, and their statistics in canonical units."""
    places = Places(ids)
    for segment in segments:
        rows, positions = places.of(segment.layout)
        sums = samples.contents.sums(segment, positions)
        scale = samples.inventory.scale[ids[rows]]
        yield rows, Sums(sums.count, sums.minimum * scale, sums.maximum * scale, sums.total * scale)


def still_parts(
    samples: Samples, segment: Segment, ids: IntArray
) -> tuple[IntArray, NDArray[np.bool_], FloatArray]:
    """Return which of the series a block has, which of these stand still there, and their levels in canonical
    units: NaN where a series has no sample, or moves.
    """
    rows, positions = Places(ids).of(segment.layout)
    still, levels = samples.contents.still(segment, positions)
    return rows, still, levels * samples.inventory.scale[ids[rows]]
