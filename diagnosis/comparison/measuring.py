"""Means of both sides with their errors: from raw samples where these are few, else from means of blocks.

The means themselves, and the numbers of samples, are exact either way; percentiles are always those of raw
samples.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Protocol, runtime_checkable

import numpy as np

from diagnosis.comparison.pairing import Present
from diagnosis.comparison.values import Side
from diagnosis.statistics.means import MIN_BLOCKS, Means, means_of
from sessions.frames import MAX_FRAME_VALUES
from sessions.model import FloatArray, IntArray
from sessions.times import TimeRange

MAX_RAW_VALUES = 1 << 23
"""Samples of one side that are read one by one: half a second's work."""
MIN_STRETCHES = 2 * MIN_BLOCKS
"""Means of blocks, at least, that tell how sure a mean is."""
MAX_STRETCHES = 128


@runtime_checkable
class HasBlockMeans(Protocol):
    """A session that knows means over stretches of time without reading samples."""

    def block_means(self, ids: IntArray, window: TimeRange | None, most: int) -> FloatArray:
        """Return means of each series in order of time, shape (len(ids), k), NaN behind a series' last."""


def measured(side: Side, found: Present, step: Callable[[], None]) -> Means:
    """Return the means of a side's series; shape (len(found.series),). ``step`` may raise to stop."""
    ids = found.ids
    result = Means(*(np.full(ids.size, np.nan) for _ in fields(Means)))
    still = found.low == found.high
    _put(result, np.flatnonzero(still), _of_still(found.take(np.flatnonzero(still))))
    left = np.flatnonzero(~still)
    if int(found.count[left].sum()) > MAX_RAW_VALUES and isinstance(side.session, HasBlockMeans):
        step()
        left = _measured_by_blocks(side, side.session, found, left, result)
    sources = np.array([one.source for one in found.series], np.int64)[left]
    for source in dict.fromkeys(sources.tolist()):
        _measure_by_samples(side, source, ids, left[sources == source], result, step)
    return replace(result, count=found.count.astype(np.float64), mean=found.mean)


def samples_of(side: Side, ids: IntArray) -> tuple[IntArray, FloatArray]:
    """Return times (ms) and raw samples of series of one source; shapes (ticks,) and (len(ids), ticks), NaN
    where a sample is absent.
    """
    frames = [frame for piece in side.pieces for frame in side.session.read(ids, piece)]
    if not frames:
        return np.zeros(0, np.int64), np.zeros((ids.size, 0))
    times = np.concatenate([frame.times for frame in frames])
    return times, np.concatenate([frame.values.T for frame in frames], axis=1)


def _put(result: Means, index: IntArray, part: Means) -> None:
    for field in fields(Means):
        getattr(result, field.name)[index] = getattr(part, field.name)


def _of_still(found: Present) -> Means:
    """Means of series whose samples are all equal: there is no doubt about them."""
    count = found.count.astype(np.float64)
    doubtful = np.where(count > 1, 0.0, np.nan)
    return Means(count, found.mean, doubtful, doubtful, np.where(count > 1, count - 1, np.nan), count)


def _measured_by_blocks(
    side: Side, session: HasBlockMeans, found: Present, index: IntArray, result: Means
) -> IntArray:
    """Fill in what the means of blocks tell of the series at ``index``; return those that have too few
    blocks.
    """
    ids = found.ids[index]
    values = np.concatenate([session.block_means(ids, piece, MAX_STRETCHES) for piece in side.pieces], axis=1)
    if len(side.pieces) > 1:
        values = np.take_along_axis(values, np.argsort(np.isnan(values), axis=1, kind="stable"), axis=1)
    means = means_of(values)
    enough = means.count >= MIN_STRETCHES
    _put(result, index[enough], means.take(np.flatnonzero(enough)))
    return index[~enough]


def _measure_by_samples(
    side: Side, source: int, ids: IntArray, index: IntArray, result: Means, step: Callable[[], None]
) -> None:
    slab = max(1, MAX_FRAME_VALUES // max(side.ticks(source), 1))
    for first in range(0, index.size, slab):
        step()
        some = index[first : first + slab]
        _put(result, some, means_of(samples_of(side, ids[some])[1]))
