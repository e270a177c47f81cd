"""Means of blocks of samples: what is left of many autocorrelated samples that counts as independent."""

from __future__ import annotations

import numpy as np

from diagnosis.statistics.student import two_sided
from sessions.model import FloatArray

_MIN_BLOCKS = 4


def block_means(values: FloatArray, per_block: int) -> FloatArray:
    """Return the means of blocks of ``per_block`` samples; NaN for a block without any.

    What is left over at the beginning is dropped, since the newest samples count most.
    """
    blocks = values.size // per_block
    kept = values[values.size - blocks * per_block :].reshape(blocks, per_block)
    known = ~np.isnan(kept)
    count = known.sum(axis=1)
    sums = np.where(known, kept, 0.0).sum(axis=1)
    means: FloatArray = sums / np.where(count == 0, np.nan, count)
    return means


def lag_correlation(values: FloatArray) -> float:
    """Return the correlation of neighbours, corrected for the bias of short series; 0 to 0.99.

    The estimate of n values is too low by (1 + 3 r) / n on average (Kendall 1954).
    """
    known = values[~np.isnan(values)]
    centred = known - known.mean() if known.size else known
    spread = float(centred @ centred)
    if known.size < _MIN_BLOCKS or spread <= 0.0:
        return 0.0
    raw = float(centred[1:] @ centred[:-1]) / spread
    return float(np.clip(raw + (1 + 3 * max(raw, 0.0)) / known.size, 0.0, 0.99))


def mean_interval(values: FloatArray, confidence: float) -> tuple[float, float, float]:
    """Return the mean of autocorrelated samples of one round with its interval: mean, low, high.

    Blocks double until neighbours are hardly correlated or fewer than eight would be left; what correlation
    remains widens the interval. Low and high are NaN if fewer than four blocks are known.
    """
    means = values[~np.isnan(values)]
    if not means.size:
        return float("nan"), float("nan"), float("nan")
    centre = float(means.mean())
    while means.size >= 16 and lag_correlation(means) > 0.1:
        means = block_means(means, 2)
    if means.size < _MIN_BLOCKS:
        return centre, float("nan"), float("nan")
    correlation = lag_correlation(means)
    error = float(means.std(ddof=1)) / np.sqrt(means.size) * np.sqrt((1 + correlation) / (1 - correlation))
    reach = two_sided(confidence, means.size - 1) * float(error)
    return centre, centre - reach, centre + reach
