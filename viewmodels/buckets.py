"""A window of time cut into buckets of equal length, and what samples come to in each: the one bucketing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sessions.model import FloatArray, IntArray, Overview
from sessions.times import TimeRange

_USUAL_DISTANCE = 90
"""Percentile of the distances between filled buckets that is their usual one; longer ones are gaps."""


@dataclass(frozen=True, slots=True)
class Buckets:
    """``count`` buckets over ``window``; the window's last instant belongs to the last bucket.

    All functions take ``times`` (n,) in ms, increasing, and ``values`` (n, series), NaN where absent, as a
    Frame has them, and return (series, count), NaN for buckets without a sample.
    """

    window: TimeRange
    count: int

    @property
    def edges(self) -> FloatArray:
        """Where buckets begin and the last one ends, in ms; shape (count + 1,)."""
        return np.linspace(self.window.start, self.window.end, self.count + 1)

    @property
    def middles(self) -> FloatArray:
        """The instant in the middle of each bucket, in ms; shape (count,)."""
        edges = self.edges
        middles: FloatArray = (edges[:-1] + edges[1:]) / 2
        return middles

    def bucket_of(self, times: IntArray) -> IntArray:
        """The number of the bucket of each instant; those before and after the window are in its ends."""
        length = max(self.window.end - self.window.start, 1)
        found: IntArray = np.clip((times - self.window.start) * self.count // length, 0, self.count - 1)
        return found

    def highest(self, times: IntArray, values: FloatArray) -> FloatArray:
        """The highest value of each series in each bucket."""
        return self._reduced(times, values, _highest)

    def mean(self, times: IntArray, values: FloatArray) -> FloatArray:
        """The mean of each series in each bucket."""
        return self._reduced(times, values, _mean)

    def share_over(self, times: IntArray, values: FloatArray, limit: float) -> FloatArray:
        """How many of a bucket's samples are over ``limit``, in per cent."""
        over = np.where(np.isfinite(values), (values > limit) * 100.0, np.nan)
        return self._reduced(times, over, _mean)

    def held(self, times: IntArray, bucketed: FloatArray) -> FloatArray:
        """``bucketed`` (series, count) with each sample held until the next one.

        Where buckets are shorter than the interval of ``times``, most of them are empty without a gap. A gap
        stays empty: nothing is held for longer than the usual distance between two filled buckets, and an
        absent sample is held as absent.
        """
        filled = np.unique(self.bucket_of(times))
        if filled.size < 2:
            return bucketed
        usual = int(np.percentile(np.diff(filled), _USUAL_DISTANCE, method="higher"))
        if usual == 1:
            return bucketed
        numbers = np.arange(self.count)
        before = np.searchsorted(filled, numbers, "right") - 1
        source = filled[np.maximum(before, 0)]
        within = (before >= 0) & (numbers - source < usual)
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
    """Sum and number of the samples in each bucket, added up series by series: the mean of many series."""

    def __init__(self, buckets: Buckets) -> None:
        self._buckets = buckets
        self._sum = np.zeros(buckets.count)
        self._samples = np.zeros(buckets.count)

    def add(self, times: IntArray, values: FloatArray) -> None:
        """Add the samples of some series: ``times`` (n,) in ms, ``values`` (n, series)."""
        there = np.isfinite(values)
        self._put(times, np.where(there, values, 0.0).sum(axis=1), there.sum(axis=1))

    def add_overview(self, found: Overview) -> None:
        """Add a series that was read at the width of these buckets."""
        there = np.isfinite(found.mean)
        self._put(found.start[there], found.mean[there] * found.count[there], found.count[there])

    def mean(self) -> FloatArray:
        """The mean of all samples in each bucket, NaN where there is none; shape (count,)."""
        empty = np.full(self._sum.size, np.nan)
        mean: FloatArray = np.divide(self._sum, self._samples, out=empty, where=self._samples > 0)
        return mean

    def _put(self, times: IntArray, sums: FloatArray, samples: IntArray) -> None:
        number = self._buckets.bucket_of(times)
        np.add.at(self._sum, number, sums)
        np.add.at(self._samples, number, samples)


def line_through(middles: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Points of a line through bucketed values: times and values, with one NaN for each gap.

    Buckets that are empty only because samples come less often than buckets are left out, so that the line
    goes on over them.
    """
    filled = np.flatnonzero(np.isfinite(values))
    if filled.size < 2:
        return middles, values
    apart = np.diff(filled)
    kept = np.isfinite(values)
    kept[filled[:-1][apart > 2 * max(int(np.median(apart)), 1)] + 1] = True
    return middles[kept], values[kept]


def _highest(values: FloatArray, first: IntArray) -> FloatArray:
    highest = np.maximum.reduceat(np.where(np.isfinite(values), values, -np.inf), first, axis=0)
    found: FloatArray = np.where(np.isfinite(highest), highest, np.nan)
    return found


def _mean(values: FloatArray, first: IntArray) -> FloatArray:
    there = np.isfinite(values)
    total = np.add.reduceat(np.where(there, values, 0.0), first, axis=0)
    count = np.add.reduceat(there.astype(np.float64), first, axis=0)
    mean: FloatArray = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    return mean
