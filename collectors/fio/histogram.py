"""Latency histograms as fio keeps them, so that percentiles of many workers come from their merged I/Os.

fio counts each I/O in one of 1,856 buckets: 64 for each power of two, so that a bucket's middle is within
1/128 of any latency in it. Latencies from 2^34 ns (17 s) on share the last bucket. A percentile of several
workers is that of their merged buckets, never a mean of their percentiles.

Source: fio's stat.c (plat_val_to_idx, plat_idx_to_val, calc_clat_percentiles), version 3.42.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from sessions.model import IntArray

_BITS = 6
_PER_POWER = 1 << _BITS
BUCKETS = 29 * _PER_POWER
"""The number of buckets of a fio histogram."""


@dataclass(frozen=True, slots=True)
class Histogram:
    """How many I/Os took how long: ``counts[i]`` I/Os in the bucket whose middle is ``values[i]`` ns.

    Both are int64 of the same length; ``values`` increase strictly, ``counts`` are positive.
    """

    values: IntArray
    counts: IntArray

    @classmethod
    def of_bins(cls, bins: Mapping[int, int]) -> Histogram:
        """Return the histogram of fio's ``bins``: I/Os by the middle of their bucket in ns.

        Raises ValueError for a negative latency or count.
        """
        values = np.fromiter(bins.keys(), np.int64, len(bins))
        counts = np.fromiter(bins.values(), np.int64, len(bins))
        if (values < 0).any() or (counts < 0).any():
            raise ValueError("a histogram with a negative latency or count")
        order = np.argsort(values, kind="stable")
        kept = order[counts[order] > 0]
        return cls(values[kept], counts[kept])

    @classmethod
    def of_latencies(cls, latencies: IntArray) -> Histogram:
        """Return the histogram of single I/Os' latencies in ns, in fio's buckets."""
        counts = np.bincount(bucket_of(latencies), minlength=1)
        used = np.flatnonzero(counts)
        return cls(middle_of(used), counts[used].astype(np.int64))

    @property
    def total(self) -> int:
        """The number of I/Os."""
        return int(self.counts.sum())

    def percentile(self, percent: float) -> float:
        """Return the latency in ns that ``percent`` (0 to 100) of the I/Os did not exceed; NaN without I/Os.

        As fio computes it: the middle of the first bucket up to which that share of I/Os was counted.
        """
        if not self.counts.size:
            return float("nan")
        upto = np.cumsum(self.counts)
        index = int(np.searchsorted(upto, percent / 100.0 * self.total, "left"))
        return float(self.values[min(index, self.values.size - 1)])

    def since(self, earlier: Histogram) -> Histogram:
        """Return the I/Os counted after ``earlier``, a histogram of the same worker some time before.

        Raises ValueError if ``earlier`` counts I/Os that this one lacks: it is of another run.
        """
        before = dict(zip(earlier.values.tolist(), earlier.counts.tolist(), strict=True))
        counts = self.counts - np.array([before.pop(value, 0) for value in self.values.tolist()], np.int64)
        if before or (counts < 0).any():
            raise ValueError("a histogram that lost I/Os")
        return Histogram(self.values[counts > 0], counts[counts > 0])


def merged(histograms: Iterable[Histogram]) -> Histogram:
    """Return the histogram of the I/Os of all ``histograms`` together."""
    parts = list(histograms)
    if not parts:
        return Histogram(np.zeros(0, np.int64), np.zeros(0, np.int64))
    values, inverse = np.unique(np.concatenate([one.values for one in parts]), return_inverse=True)
    counts = np.zeros(values.size, np.int64)
    np.add.at(counts, inverse, np.concatenate([one.counts for one in parts]))
    return Histogram(values, counts)


def bucket_of(latencies: IntArray) -> IntArray:
    """Return the number of fio's bucket (0 to BUCKETS − 1) of each latency in ns."""
    values = np.maximum(np.asarray(latencies, np.int64), 0)
    _, exponents = np.frexp(values.astype(np.float64))
    # A float rounds 2^n − 1 up from 2^53 on only: such latencies are in the last bucket anyway.
    shift = np.maximum(exponents.astype(np.int64) - 1 - _BITS, 0)
    buckets = np.where(
        values < 2 * _PER_POWER, values, ((shift + 1) << _BITS) + ((values >> shift) & (_PER_POWER - 1))
    )
    return np.minimum(buckets, BUCKETS - 1)


def middle_of(buckets: IntArray) -> IntArray:
    """Return the middle in ns of each of fio's buckets; the first 128 hold one latency each."""
    numbers = np.asarray(buckets, np.int64)
    shift = np.maximum((numbers >> _BITS) - 1, 0)
    start = (np.int64(1) << (shift + _BITS)) + ((numbers & (_PER_POWER - 1)) << shift)
    return np.where(numbers < 2 * _PER_POWER, numbers, start + ((np.int64(1) << shift) >> 1))
