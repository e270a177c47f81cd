"""Statistics of many entities' samples at once, over each entity's own windows; absent samples are ignored.

All functions take values (entities, times) and a mask of that shape, and return (entities, 1), NaN without
known samples. What is added up is that from an entity's first marked sample to its last: how long the
recording went on afterwards does not change how a sum is rounded.
"""

from __future__ import annotations

import numpy as np

from diagnosis.arrays import BoolArray
from sessions.model import FloatArray, IntArray

_MIN_PAIRS = 8  # DESIGN: of fewer points, a correlation of 0.7 is chance more often than once in twenty times


def mean(values: FloatArray, mask: BoolArray) -> FloatArray:
    """Return the mean of the known samples."""
    known = mask & ~np.isnan(values)
    count = known.sum(axis=1, keepdims=True).astype(np.float64)
    result: FloatArray = _sums(np.where(known, values, 0.0), mask) / np.where(count == 0, np.nan, count)
    return result


def total(values: FloatArray, mask: BoolArray) -> FloatArray:
    """Return the sum of the known samples."""
    known = mask & ~np.isnan(values)
    sums = _sums(np.where(known, values, 0.0), mask)
    return np.where(known.any(axis=1, keepdims=True), sums, np.nan)


def maximum(values: FloatArray, mask: BoolArray) -> FloatArray:
    """Return the largest known sample."""
    return _finite(
        np.where(mask & ~np.isnan(values), values, -np.inf).max(axis=1, keepdims=True, initial=-np.inf)
    )


def minimum(values: FloatArray, mask: BoolArray) -> FloatArray:
    """Return the smallest known sample."""
    return _finite(
        np.where(mask & ~np.isnan(values), values, np.inf).min(axis=1, keepdims=True, initial=np.inf)
    )


def percentile(values: FloatArray, mask: BoolArray, part: float) -> FloatArray:
    """Return the ``part`` quantile (0 to 1) of the known samples, without interpolation: a sample
    that was measured.
    """
    if not values.shape[1]:
        return np.full((values.shape[0], 1), np.nan)
    known = mask & ~np.isnan(values)
    count = known.sum(axis=1, keepdims=True)
    ordered = np.sort(np.where(known, values, np.inf), axis=1)
    rank = np.clip(np.ceil(part * count).astype(np.int64) - 1, 0, None)
    return np.where(count > 0, np.take_along_axis(ordered, rank, axis=1), np.nan)


def last(values: FloatArray, mask: BoolArray) -> FloatArray:
    """Return the latest known sample."""
    known = mask & ~np.isnan(values)
    if not values.shape[1]:
        return np.full((values.shape[0], 1), np.nan)
    position = values.shape[1] - 1 - np.argmax(known[:, ::-1], axis=1)
    picked = np.take_along_axis(values, position[:, None], axis=1)
    return np.where(known.any(axis=1, keepdims=True), picked, np.nan)


def seconds(test: FloatArray, mask: BoolArray, weights: FloatArray) -> FloatArray:
    """Return for how many seconds the test is true; ``weights`` are the seconds that each
    sample represents.
    """
    known = mask & ~np.isnan(test)
    time = _sums(np.where(known, test, 0.0) * weights, mask)
    return np.where(known.any(axis=1, keepdims=True), time, np.nan)


def slope(values: FloatArray, mask: BoolArray, times: IntArray) -> FloatArray:
    """Return the least-squares slope, as change per hour."""
    known = mask & ~np.isnan(values)
    hours = np.broadcast_to((times - (times[0] if times.size else 0)) / 3.6e6, values.shape)
    dx, dy = _centred(hours, known), _centred(values, known)
    spread = (dx * dx).sum(axis=1, keepdims=True)
    result: FloatArray = (dx * dy).sum(axis=1, keepdims=True) / np.where(spread == 0, np.nan, spread)
    return result


def correlation(left: FloatArray, right: FloatArray, mask: BoolArray) -> FloatArray:
    """Return Pearson's r; NaN for fewer than eight pairs, or where a side is constant."""
    known = mask & ~np.isnan(left) & ~np.isnan(right)
    dx, dy = _centred(left, known), _centred(right, known)
    spread = np.sqrt((dx * dx).sum(axis=1, keepdims=True) * (dy * dy).sum(axis=1, keepdims=True))
    enough = (known.sum(axis=1, keepdims=True) >= _MIN_PAIRS) & (spread > 0)
    result: FloatArray = (dx * dy).sum(axis=1, keepdims=True) / np.where(enough, spread, np.nan)
    return result


def _sums(values: FloatArray, mask: BoolArray) -> FloatArray:
    """The sums of each row's values from its first marked one to its last."""
    instants = mask.shape[1]
    if not instants:
        return np.zeros((values.shape[0], 1))
    firsts, ends = mask.argmax(axis=1), instants - mask[:, ::-1].argmax(axis=1)
    if not firsts.any() and (ends == instants).all():
        whole: FloatArray = values.sum(axis=1, keepdims=True)
        return whole
    parts = zip(values, firsts.tolist(), ends.tolist(), strict=True)
    return np.array([own[first:end].sum() for own, first, end in parts])[:, None]


def _centred(values: FloatArray, known: BoolArray) -> FloatArray:
    return np.where(known, values - mean(values, known), 0.0)


def _finite(values: FloatArray) -> FloatArray:
    return np.where(np.isinf(values), np.nan, values)
