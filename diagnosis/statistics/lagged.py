"""Correlation of many series with one at several lags, and how far chance alone takes it when both are
autocorrelated.

Two series that change slowly correlate by chance far more than their number of samples says. What remains of
them is told by surrogates: the one series shifted in a circle against the other keeps the autocorrelation of
both and destroys their relation. The mean square of the correlation over *all* shifts needs no shifting: it
is the product of both power spectra (Parseval).
"""

from __future__ import annotations

from math import atanh, sqrt
from statistics import NormalDist

import numpy as np

from sessions.model import FloatArray, IntArray

_TINY = 1e-12
_NORMAL = NormalDist()


def centred(rows: FloatArray) -> FloatArray:
    """Return rows (n, times) minus their means and divided by their norms; 0 where a sample is absent."""
    known = ~np.isnan(rows)
    if known.all():
        result = rows - rows.mean(axis=1, keepdims=True)
    else:
        count = np.maximum(known.sum(axis=1, keepdims=True), 1)
        filled = np.where(known, rows, 0.0)
        result = np.where(known, filled - filled.sum(axis=1, keepdims=True) / count, 0.0)
    norms = np.sqrt(np.einsum("ij,ij->i", result, result))
    result /= np.where(norms < _TINY, 1.0, norms)[:, None]
    scaled: FloatArray = result
    return scaled


def lagged_correlations(rows: FloatArray, reference: FloatArray, lags: IntArray) -> FloatArray:
    """Return the correlation of each row with the reference at each lag; shape (n, lags).

    Both come from ``centred``. At lag k > 0 the row comes k samples after the reference. Only samples that
    both have count.
    """
    shifted = np.stack([_shifted(reference, lag) for lag in lags.tolist()], axis=1)
    products = rows @ shifted
    present = rows != 0.0
    mine = rows**2 @ (shifted != 0.0).astype(np.float64)
    theirs = present.astype(np.float64) @ shifted**2
    correlations: FloatArray = np.clip(products / np.sqrt(np.maximum(mine * theirs, _TINY)), -1.0, 1.0)
    return correlations


def _shifted(values: FloatArray, lag: int) -> FloatArray:
    result = np.zeros(values.size)
    if lag >= 0:
        result[lag:] = values[: values.size - lag]
    else:
        result[:lag] = values[-lag:]
    return result


def surrogate_spread(rows: FloatArray, reference: FloatArray) -> FloatArray:
    """Return for each row the root mean square of its correlation with the reference over all circular
    shifts: how far chance takes it. Both come from ``centred``.
    """
    size = rows.shape[1]
    power = np.abs(np.fft.rfft(reference)) ** 2
    power[1:] *= 2.0
    if size % 2 == 0:
        power[-1] /= 2.0
    spectra = np.fft.rfft(rows, axis=1)
    shared = (spectra.real**2 + spectra.imag**2) @ power
    spread: FloatArray = np.sqrt(shared) / size
    return spread


def chance_of(correlation: float, spread: float, lags: int, samples: int) -> float:
    """Return the probability that chance shows such a correlation at the best of ``lags`` lags.

    ``spread`` (``surrogate_spread``) gives the effective number of ``samples``, 1 / spread²; lags that are
    closer than the correlation time count as one.
    """
    effective = 1.0 / max(spread * spread, _TINY)
    if effective <= 4.0:
        return 1.0
    z = atanh(min(abs(correlation), 1.0 - 1e-9)) * sqrt(effective - 3.0)
    alone = 2.0 * _NORMAL.cdf(-z)
    independent = max(1.0, lags / max(1.0, spread * spread * samples))
    return float(min(1.0, alone * independent))
