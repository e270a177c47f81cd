"""Latencies of simulated I/Os, counted in fio's buckets: log-normal around the mean that queueing gives."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from collectors.fio.histogram import BUCKETS, bucket_of, middle_of
from sessions.model import FloatArray, IntArray

_SIGMA = 0.45
"""Spread of the logarithm: the 99th percentile is about 2.6 times the mean, as on a busy LUN."""
_GRID = np.linspace(-4.0, 4.0, 1601)
_BELOW = np.array([NormalDist().cdf(float(x)) for x in _GRID])
_MIDDLES = middle_of(np.arange(BUCKETS))
_EDGES = np.log(np.maximum((_MIDDLES[1:] + _MIDDLES[:-1]) / 2.0, 0.5))
_NS_PER_MS = 1e6


class LatencyCounts:
    """How many I/Os took how long: ``counts`` of fio's buckets."""

    def __init__(self) -> None:
        self.counts: IntArray = np.zeros(BUCKETS, np.int64)
        self.total_ns = 0.0

    def copy(self) -> LatencyCounts:
        """Return the counts as they are now."""
        twin = LatencyCounts()
        twin.counts, twin.total_ns = self.counts.copy(), self.total_ns
        return twin

    def add(self, ios: int, mean_ms: float, rng: np.random.Generator) -> None:
        """Count ``ios`` I/Os whose latencies have this mean."""
        if ios <= 0 or not mean_ms > 0:
            return
        centre = np.log(mean_ms * _NS_PER_MS) - _SIGMA**2 / 2.0
        low = int(bucket_of(np.array([np.exp(centre - 4 * _SIGMA)], np.int64))[0])
        high = int(bucket_of(np.array([np.exp(centre + 4 * _SIGMA)], np.int64))[0])
        drawn = rng.multinomial(ios, _chances(centre, low, high))
        self.counts[low : high + 1] += drawn
        self.total_ns += float((drawn * _MIDDLES[low : high + 1]).sum())


def _chances(centre: float, low: int, high: int) -> FloatArray:
    """The chance of each bucket from ``low`` to ``high``."""
    edges = (_EDGES[low:high] - centre) / _SIGMA
    upto = np.concatenate([[0.0], np.interp(edges, _GRID, _BELOW), [1.0]])
    result: FloatArray = np.diff(upto)
    return result
