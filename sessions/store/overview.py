"""A series reduced to the width of a chart: one bucket for each pixel column, exact, decoding as
little as possible.

For a block within one pixel column its statistics are used if they are already decoded (as after an inventory
or ranking): 5 µs. A block's statistics are packed for all of its series together, and unpacking them for one
series takes 200 to 350 µs, decoding its chunk 30 µs; so a block whose statistics are not decoded is decoded,
and so is a block that a pixel's edge cuts. A series without a chunk (constant in the block) is not decoded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sessions.model import FloatArray, IntArray, Overview
from sessions.store.samples import Samples
from sessions.store.segments import Segment
from sessions.store.statistics import block_sums
from sessions.times import TimeRange


@dataclass(frozen=True, slots=True)
class _Pixels:
    """Columns of equal length over a window."""

    window: TimeRange
    width: int

    @classmethod
    def of_width(cls, window: TimeRange, width: int) -> _Pixels:
        """Raises ValueError for a width below 1."""
        if width < 1:
            raise ValueError(f"an overview {width} wide")
        return cls(window, width)

    def of(self, times: IntArray) -> IntArray:
        """The column of each instant."""
        length = (self.window.end - self.window.start + 1) / self.width
        return ((times - self.window.start) / length).astype(np.int64)


def overview(times: IntArray, values: FloatArray, window: TimeRange, width: int) -> Overview:
    """Divide the window into at most ``width`` buckets of equal length; empty buckets are left out.

    ``times`` strictly increasing and within the window; ``values`` NaN where absent. Raises ValueError for a
    width below 1.
    """
    pixels = _Pixels.of_width(window, width)
    return _joined([_of_samples(times, values, pixels)], pixels)


def read_overview(samples: Samples, source: int, series: int, window: TimeRange, width: int) -> Overview:
    """Return the ``overview`` of a series, from blocks' statistics where they are decoded."""
    pixels, ids = _Pixels.of_width(window, width), np.array([series])
    whole, others = _sorted_out(samples, source, pixels)
    parts = [_of_block(segment, samples, ids) for segment in whole]
    times, values = samples.collect(others, ids, window)
    parts.append(_of_samples(times, values[0], pixels))
    return _joined(parts, pixels)


def _sorted_out(samples: Samples, source: int, pixels: _Pixels) -> tuple[list[Segment], list[Segment]]:
    """Blocks that lie within a pixel and whose statistics are known, and what must be decoded."""
    touched = [segment for segment in samples.of_source(source) if segment.touches(pixels.window)]
    known = [
        segment
        for segment in touched
        if segment.is_block and segment.within(pixels.window) and samples.contents.knows_sums(segment)
    ]
    if not known:
        return [], touched
    first = pixels.of(np.array([segment.start for segment in known]))
    last = pixels.of(np.array([segment.end for segment in known]))
    overlapping = samples.overlapping(source)
    whole = {
        segment.id: segment
        for segment, fits in zip(known, (first == last).tolist(), strict=True)
        if fits and segment.id not in overlapping
    }
    return list(whole.values()), [segment for segment in touched if segment.id not in whole]


def _of_block(segment: Segment, samples: Samples, ids: IntArray) -> Overview:
    """One bucket of a whole block, or of the samples of a series that misses some: who knows which."""
    ((_, sums),) = block_sums(samples, [segment], ids)
    if not sums.count.size or not sums.count[0]:
        return _NOTHING
    if sums.count[0] < segment.ticks:
        times, values = samples.collect([segment], ids, None)
        present = ~np.isnan(values[0])
        return _bucketed(times[present], values[0, present], np.zeros(1, np.int64))
    ends = np.array([segment.start]), np.array([segment.end])
    return Overview(*ends, sums.count, sums.minimum, sums.maximum, sums.total / sums.count)


def _of_samples(times: IntArray, values: FloatArray, pixels: _Pixels) -> Overview:
    present = ~np.isnan(values)
    times, values = times[present], values[present]
    return _bucketed(times, values, np.flatnonzero(np.diff(pixels.of(times), prepend=-1)))


def _bucketed(times: IntArray, values: FloatArray, first: IntArray) -> Overview:
    """Buckets that begin at the samples ``first``."""
    if not times.size:
        return _NOTHING
    last = np.append(first[1:], times.size) - 1
    count = last - first + 1
    low, high = np.minimum.reduceat(values, first), np.maximum.reduceat(values, first)
    return Overview(times[first], times[last], count, low, high, np.add.reduceat(values, first) / count)


def _joined(parts: Sequence[Overview], pixels: _Pixels) -> Overview:
    """Buckets of all parts in order, those of one pixel as one."""
    start = np.concatenate([part.start for part in parts])
    if not start.size:
        return _NOTHING
    order = np.argsort(start, kind="stable")
    start = start[order]
    end, count, low, high, mean = (
        np.concatenate([getattr(part, name) for part in parts])[order]
        for name in ("end", "count", "minimum", "maximum", "mean")
    )
    first = np.flatnonzero(np.diff(pixels.of(start), prepend=-1))
    counts = np.add.reduceat(count, first)
    lowest, highest = np.minimum.reduceat(low, first), np.maximum.reduceat(high, first)
    means = np.clip(np.add.reduceat(mean * count, first) / counts, lowest, highest)
    return Overview(start[first], np.maximum.reduceat(end, first), counts, lowest, highest, means)


_NONE = np.zeros(0, np.int64)
_NOTHING = Overview(_NONE, _NONE, _NONE, np.zeros(0), np.zeros(0), np.zeros(0))
