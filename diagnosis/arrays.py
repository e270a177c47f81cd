"""Three-valued logic and arithmetic on float arrays, where NaN is "not known": what expressions are made of.

Truth is 1.0, falsehood 0.0, and NaN neither: false and unknown is false, true and unknown is unknown.
Arrays are (entities, times) or (entities, 1); entities first, so that one entity's samples lie side by side.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sessions.model import FloatArray, IntArray

BoolArray = NDArray[np.bool_]


def all_of(left: FloatArray, right: FloatArray) -> FloatArray:
    """Both are true."""
    return np.where((left == 0) | (right == 0), 0.0, left * right)


def any_of(left: FloatArray, right: FloatArray) -> FloatArray:
    """1 where either side is true (1), 0 where both are false (0), NaN where that is not known."""
    return np.where((left == 1) | (right == 1), 1.0, left + right)


def comparison(compare: Callable[..., BoolArray]) -> Callable[[FloatArray, FloatArray], FloatArray]:
    """A numpy comparison that answers NaN where a side is NaN."""

    def apply(left: FloatArray, right: FloatArray) -> FloatArray:
        unknown = np.isnan(left) | np.isnan(right)
        return np.where(unknown, np.nan, compare(left, right))

    return apply


def divide(left: FloatArray, right: FloatArray) -> FloatArray:
    """left / right, and not known where right is zero."""
    right = np.asarray(right, dtype=np.float64)
    return np.divide(left, np.where(right == 0, np.nan, right))


def where(test: FloatArray, yes: FloatArray, no: FloatArray) -> FloatArray:
    """Yes where the test is true, no where false, not known where the test is not."""
    return np.where(np.isnan(test), np.nan, np.where(test == 1, yes, no))


def coalesce(*values: FloatArray) -> FloatArray:
    """The first value that is known, sample by sample."""
    result = values[0]
    for value in values[1:]:
        result = np.where(np.isnan(result), value, result)
    return result


def missing(value: FloatArray) -> FloatArray:
    """1 where not known, else 0."""
    return np.isnan(value).astype(np.float64)


def smoothed(values: FloatArray, times: IntArray, before_s: float, after_s: float) -> FloatArray:
    """Mean of the known samples from ``before_s`` before to ``after_s`` after each; by cumulative sums.

    ``values`` (entities, times), ``times`` int64 ms increasing. Not known where the sample itself is not.
    """
    known = ~np.isnan(values)
    first = np.searchsorted(times, times - np.int64(before_s * 1000), side="right" if not after_s else "left")
    end = np.searchsorted(times, times + np.int64(after_s * 1000), side="right")
    total = _sums(np.where(known, values, 0.0))
    count = _sums(known.astype(np.float64))
    mean = (total[:, end] - total[:, first]) / np.maximum(count[:, end] - count[:, first], 1.0)
    return np.where(known, mean, np.nan)


def _sums(values: FloatArray) -> FloatArray:
    sums = np.zeros((values.shape[0], values.shape[1] + 1))
    np.cumsum(values, axis=1, out=sums[:, 1:])
    return sums


def window_sums(values: FloatArray, first: IntArray) -> FloatArray:
    """Sum of values[:, first[i]..i] for each i, by cumulative sums."""
    sums = _sums(values)
    return sums[:, 1:] - sums[:, first]


def sample_seconds(times: IntArray) -> FloatArray:
    """How long each sample stands for: the time since the one before, but no more than 1.5 usual intervals.

    A sample after a gap says nothing of the gap. Empty and single-sample axes give one second a sample.
    """
    if times.size < 2:
        return np.ones(times.size)
    steps = np.diff(times) / 1000.0
    usual = float(np.median(steps))
    return np.minimum(np.concatenate(([usual], steps)), 1.5 * usual)
