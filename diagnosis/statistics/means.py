"""Means of many series with their errors, from samples that resemble their neighbours.

Samples of a counter are no independent draws: 360 of them may tell as much as 20. The mean's error is that of
an effective number of samples, what the correlation of neighbours leaves of n. Noise on top of a slow load
hides that samples resemble each other, but not from blocks: so the same is estimated from means of blocks,
which double until neighbours hardly resemble each other, and counts where it contradicts the first.

``benchmarks/comparing.py`` measures it beside a block bootstrap, which raises up to four times as many false
alarms where samples are correlated.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from sessions.model import FloatArray, IntArray

MIN_BLOCKS = 8
_MAX_CORRELATION, _MAX_OF_BLOCKS = 0.99, 0.4
"""How much neighbours can resemble each other; the few blocks that are left at last seem by chance to do so
more than they do. Measured: without a limit every fourth 10 % change in noise of AR(1) 0.9 is lost.
"""
_HARDLY = 0.1
"""A correlation of neighbours up to which blocks are taken for independent, but for what it leaves."""
_CONTRADICTS = 2.0
"""So many times larger is the squared error by blocks if correlation lasts longer than neighbours show; where
they show all, it scatters by less. Measured: taking the larger one always finds fewer changes in such noise.
"""
_LEAST_FREEDOM = 2.0
"""One degree of freedom makes intervals of any length; measured: with two, false alarms stay the same but for
samples that hardly change within the window.
"""
_Present = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Means:
    """Means of series, arrays of one shape: ``count`` samples, ``effective`` of them independent, their
    ``spread`` (standard deviation), and the mean's standard ``error`` with its degrees of ``freedom``.

    NaN where there are too few: ``mean`` without samples, the others with fewer than two.
    """

    count: FloatArray
    mean: FloatArray
    spread: FloatArray
    error: FloatArray
    freedom: FloatArray
    effective: FloatArray

    def take(self, index: IntArray) -> Means:
        """Return the means at ``index``."""
        return Means(*(getattr(self, field.name)[index] for field in fields(self)))


@np.errstate(over="ignore", invalid="ignore")
def means_of(values: FloatArray) -> Means:
    """Return the mean of each row; shape (series, samples) in order of time, NaN where a sample is absent.

    Of numbers whose squares are none, as only a forged session has them, errors are infinite or NaN.
    """
    present = ~np.isnan(values)
    count = present.sum(axis=1).astype(np.float64)
    some = np.where(count > 0, count, np.nan)
    mean = _where(present, values).sum(axis=1) / some
    centred = _where(present, values - mean[:, None])
    squares = np.einsum("ij,ij->i", centred, centred)
    still = squares <= (1e-12 * np.abs(mean)) ** 2 * count  # rounding of the mean, no scatter
    squares = np.where(still, 0.0, squares)
    variance = squares / np.where(count > 1, count - 1, np.nan)
    correlation = _neighbours(centred, present, squares, count)
    effective = np.maximum(count * (1 - correlation) / (1 + correlation), np.minimum(count, 1.0))
    error = variance / np.where(effective > 0, effective, np.nan)
    freedom = np.maximum(effective - 1.0, _LEAST_FREEDOM)
    told = effective.copy()
    rows = np.flatnonzero((correlation > _HARDLY) & (count >= 2 * MIN_BLOCKS))
    of_blocks = _by_blocks(centred[rows], present[rows])
    larger = of_blocks.error > _CONTRADICTS * error[rows]
    rows = rows[larger]
    error[rows], freedom[rows] = of_blocks.error[larger], of_blocks.freedom[larger]
    told[rows] = np.maximum(variance[rows] / error[rows], 1.0)
    return Means(count, mean, np.sqrt(variance), np.sqrt(error), freedom, told)


def _where(present: _Present, values: FloatArray) -> FloatArray:
    """The values that are there, and 0 for the others."""
    return values if present.all() else np.where(present, values, 0.0)


def _neighbours(centred: FloatArray, present: _Present, squares: FloatArray, count: FloatArray) -> FloatArray:
    """The correlation of neighbours, 0 to 0.99.

    The estimate of n values is too low by (1 + 3 r) / n on average (Kendall 1954).
    """
    pairs = (present[:, 1:] & present[:, :-1]).sum(axis=1)
    products = np.einsum("ij,ij->i", centred[:, 1:], centred[:, :-1])
    scale = np.where(pairs > 0, np.maximum(count - 1, 1) / np.maximum(pairs, 1), 1.0)
    raw = products * scale / np.where(squares > 0, squares, 1.0)
    bias = (1 + 3 * np.maximum(raw, 0.0)) / np.maximum(count, 1)
    return np.where(squares > 0, np.clip(raw + bias, 0.0, _MAX_CORRELATION), 0.0)


@dataclass(frozen=True, slots=True)
class _BlockErrors:
    """Squared errors of means with their degrees of freedom, by the scatter of blocks."""

    error: FloatArray
    freedom: FloatArray


def _by_blocks(centred: FloatArray, present: _Present) -> _BlockErrors:
    """Double the blocks until neighbours hardly resemble each other, or fewer than eight would be left."""
    found = _BlockErrors(np.zeros(len(centred)), np.full(len(centred), _LEAST_FREEDOM))
    left = np.arange(len(centred))
    is_whole = bool(present.all())  # then one row tells how many samples each block of all rows has
    sums, known = centred, (present[:1] if is_whole else present).astype(np.float64)
    while left.size and sums.shape[1] >= 2 * MIN_BLOCKS:
        sums, known = _halved(sums), _halved(known)
        there = known > 0
        count = np.broadcast_to(there.sum(axis=1).astype(np.float64), left.shape)
        means = sums / np.maximum(known, 1.0)  # 0 where no sample is
        middle = means.sum(axis=1) / np.maximum(count, 1.0)
        around = _where(there, means - middle[:, None])
        squares = np.einsum("ij,ij->i", around, around)
        correlation = np.minimum(_neighbours(around, there, squares, count), _MAX_OF_BLOCKS)
        effective = count * (1 - correlation) / (1 + correlation)
        error = squares / np.maximum(count - 1, 1.0) / np.maximum(effective, 1.0)
        found.error[left] = np.where(count >= MIN_BLOCKS, error, found.error[left])
        found.freedom[left] = np.maximum(effective - 1.0, _LEAST_FREEDOM)
        goes_on = correlation > _HARDLY
        left, sums = left[goes_on], sums[goes_on]
        known = known if is_whole else known[goes_on]
    return found


def _halved(values: FloatArray) -> FloatArray:
    """Sums of pairs of neighbours; where one is over, the first is dropped: the newest samples count most."""
    even = values[:, values.shape[1] % 2 :]
    return even[:, ::2] + even[:, 1::2]
