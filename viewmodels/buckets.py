"""Cuts a window of time into buckets of equal length and reduces samples to one value for each bucket."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sessions.model import FloatArray, IntArray, Overview
from sessions.times import TimeRange

_USUAL_DISTANCE = 90
"""Percentile: this one of all distances between samples is the usual distance; gaps are twice as long."""


@dataclass(frozen=True, slots=True)
class Buckets:
    """A window of time cut into ``count`` buckets of equal length; the last bucket includes the window's end.

    All methods take ``times`` (n,) in ms, increasing, and ``values`` (n, series), NaN where absent, as a
    Frame has them, and return an array (series, count) with NaN for buckets without a sample.
    """

    window: TimeRange
    count: int

    @property
    def edges(self) -> FloatArray:
        """The start of each bucket in ms, and the end of the last one; shape (count + 1,)."""
        return np.linspace(self.window.start, self.window.end, self.count + 1)

    @property
    def middles(self) -> FloatArray:
        """The middle of each bucket in ms; shape (count,)."""
        edges = self.edges
        middles: FloatArray = (edges[:-1] + edges[1:]) / 2
        return middles

    def bucket_of(self, times: IntArray) -> IntArray:
        """Return the bucket number of each time; times outside the window get the first or last bucket."""
        length = max(self.window.end - self.window.start, 1)
        found: IntArray = np.clip((times - self.window.start) * self.count // length, 0, self.count - 1)
        return found

    def highest(self, times: IntArray, values: FloatArray) -> FloatArray:
        """Return the highest value of each series in each bucket; shape (series, count)."""
        return self._reduced(times, values, _highest)

    def mean(self, times: IntArray, values: FloatArray) -> FloatArray:
        """Return the mean of each series in each bucket; shape (series, count)."""
        return self._reduced(times, values, _mean)

    def share_over(self, times: IntArray, values: FloatArray, limit: FloatArray | float) -> FloatArray:
        """Return how many of a bucket's samples are above ``limit`` (one for all, or (series,)), in percent;
        shape (series, count).
        """
        over = np.where(np.isfinite(values), (values > limit) * 100.0, np.nan)
        return self._reduced(times, over, _mean)

    def hold_last(self, times: IntArray, bucketed: FloatArray) -> FloatArray:
        """Fill empty buckets with the value of the last filled bucket before them.

        Where buckets are shorter than the sampling interval of ``times``, most buckets are empty although
        there is no gap. Real gaps stay empty: two samples that are less than two usual distances apart have
        no gap between them, and before a gap a value is repeated for one usual distance. An absent sample
        (NaN) is repeated as absent. ``bucketed`` has shape (series, count).
        """
        if times.size < 2:
            return bucketed
        number = self.bucket_of(times)
        filled, first = np.unique(number, return_index=True)
        last_in = times[np.append(first[1:], times.size) - 1]
        next_after = np.append(times[first[1:]], np.iinfo(np.int64).max)
        usual = int(np.percentile(np.diff(times), _USUAL_DISTANCE, method="higher"))
        held_until = np.where(next_after - last_in < 2 * usual, next_after, last_in + usual)
        before = np.searchsorted(filled, np.arange(self.count), "right") - 1
        source = filled[np.maximum(before, 0)]
        within = (before >= 0) & (self.edges[:-1] < held_until[np.maximum(before, 0)])
        within[filled] = True
        held: FloatArray = np.where(within, bucketed[:, source], np.nan)
        return held

    def _reduced(
        self, times: IntArray, values: FloatArray, reduce: Callable[[FloatArray, IntArray], FloatArray]
    ) -> FloatArray:
        found = np.full((values.shape[1], self.count), np.nan)
        if times.size:
            number = self.bucket_of(times)
            first = np.flatnonzero(np.diff(number, prepend=-1))
            found[:, number[first]] = reduce(values, first).T
        return found


class BucketTotals:
    """Adds up many series for each bucket, to get one mean over all of them.

    Each series counts once in a bucket, however often its source was sampled: a host with a sample every
    5 s weighs no more than one with a sample every 300 s, whose value is held until its next one.
    """

    def __init__(self, buckets: Buckets) -> None:
        self._buckets = buckets
        self._sum = np.zeros(buckets.count)
        self._series = np.zeros(buckets.count)

    def add_overview(self, found: Overview) -> None:
        """Add one series that was read with ``SessionReader.overview`` at the width of these buckets."""
        present = np.isfinite(found.mean)
        times, samples = found.start[present], found.count[present]
        number, count = self._buckets.bucket_of(times), self._buckets.count
        total = np.bincount(number, found.mean[present] * samples, count)
        weight = np.bincount(number, samples, count)
        means = np.divide(total, weight, out=np.full(count, np.nan), where=weight > 0)
        is_sparse = samples.size > 0 and np.median(samples) <= 1
        self._put(self._buckets.hold_last(times, means[np.newaxis, :])[0] if is_sparse else means)

    def mean(self) -> FloatArray:
        """Return the mean of all series in each bucket, NaN for empty buckets; shape (count,)."""
        empty = np.full(self._sum.size, np.nan)
        mean: FloatArray = np.divide(self._sum, self._series, out=empty, where=self._series > 0)
        return mean

    def _put(self, means: FloatArray) -> None:
        present = np.isfinite(means)
        self._sum[present] += means[present]
        self._series += present


def line_points(middles: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the times (ms) and values of a line through bucketed values, with one NaN for each gap.

    A bucket that is empty only because buckets are shorter than the sampling interval is left out, so that
    the line is not broken there. Of a run of equal values the ends remain: a line of many short pieces is
    painted as dots.
    """
    filled = np.flatnonzero(np.isfinite(values))
    if filled.size < 2:
        return middles, values
    apart = np.diff(filled)
    kept = np.isfinite(values)
    kept[filled[:-1][apart > 2 * max(int(np.median(apart)), 1)] + 1] = True
    middles, values = middles[kept], values[kept]
    ends = np.ones(values.size, np.bool_)
    ends[1:-1] = (values[1:-1] != values[:-2]) | (values[1:-1] != values[2:])
    return middles[ends], values[ends]


def _highest(values: FloatArray, first: IntArray) -> FloatArray:
    highest = np.maximum.reduceat(np.where(np.isfinite(values), values, -np.inf), first, axis=0)
    found: FloatArray = np.where(np.isfinite(highest), highest, np.nan)
    return found


def _mean(values: FloatArray, first: IntArray) -> FloatArray:
    present = np.isfinite(values)
    total = np.add.reduceat(np.where(present, values, 0.0), first, axis=0)
    count = np.add.reduceat(present.astype(np.float64), first, axis=0)
    mean: FloatArray = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    return mean
