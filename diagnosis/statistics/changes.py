"""The change of many series in a window against their own baseline, with errors that know autocorrelation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from diagnosis.statistics.student import t_probability
from sessions.model import FloatArray

_TINY = 1e-12
_MOST_ERRORS = 100.0


@dataclass(frozen=True, slots=True)
class Changes:
    """Per series, shape (n,): means of window and baseline, the baseline's standard deviation, the change in
    standard errors, and the number of independent samples that the baseline is worth.
    """

    window: FloatArray
    baseline: FloatArray
    deviation: FloatArray
    errors: FloatArray
    effective: FloatArray

    def chance(self, row: int) -> float:
        """Return the probability that a series that did not change shows a change as large as this one."""
        freedom = max(1.0, float(self.effective[row]) - 1.0)
        return 2.0 * (1.0 - t_probability(abs(float(self.errors[row])), freedom))


def changes(window: FloatArray, baseline: FloatArray) -> Changes:
    """Compare samples (n, times) of the window with those of the baseline; NaN is absent.

    The correlation of neighbours, taken from the baseline, says how many independent samples there are:
    n (1 − r) / (1 + r), as for a process in which each sample depends on the one before.
    """
    count_w, mean_w, _ = _moments(window)
    count_b, mean_b, deviation = _moments(baseline)
    r = _neighbours(baseline, mean_b, deviation)
    factor = (1.0 - r) / (1.0 + r)
    effective = np.maximum(count_b * factor, 1.0)
    error = deviation * np.sqrt(1.0 / effective + 1.0 / np.maximum(count_w * factor, 1.0))
    difference = mean_w - mean_b
    moved = np.abs(difference) > 1e-9 * (np.abs(mean_b) + np.abs(mean_w))
    errors = difference / np.maximum(error, _TINY)
    errors = np.where(moved, np.clip(errors, -_MOST_ERRORS, _MOST_ERRORS), 0.0)
    return Changes(mean_w, mean_b, deviation, np.nan_to_num(errors), effective)


def _moments(values: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Count, mean and standard deviation of each row; NaN for a row without samples."""
    known = ~np.isnan(values)
    if known.all():
        count = np.full(values.shape[0], float(values.shape[1]))
        filled = values
    else:
        count = known.sum(axis=1).astype(np.float64)
        filled = np.where(known, values, 0.0)
    some = np.where(count > 0, count, np.nan)
    mean = filled.sum(axis=1) / some
    off = np.where(known, filled - np.nan_to_num(mean)[:, None], 0.0)
    return count, mean, np.sqrt(np.einsum("ij,ij->i", off, off) / np.maximum(some - 1.0, 1.0))


def _neighbours(values: FloatArray, mean: FloatArray, deviation: FloatArray) -> FloatArray:
    """The correlation of neighbours of each row, corrected for the bias of short series; 0 to 0.99."""
    off = np.nan_to_num(values - np.nan_to_num(mean)[:, None])
    count = np.maximum((~np.isnan(values)).sum(axis=1), 2)
    square = np.maximum(deviation**2 * (count - 1), _TINY)
    raw = np.einsum("ij,ij->i", off[:, 1:], off[:, :-1]) / square
    clipped: FloatArray = np.clip(np.nan_to_num(raw + (1.0 + 3.0 * np.maximum(raw, 0.0)) / count), 0.0, 0.99)
    return clipped
