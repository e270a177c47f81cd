"""Student's t distribution for thousands of values at once, where ``student`` would take a second."""

from __future__ import annotations

from functools import lru_cache
from math import lgamma

import numpy as np

from diagnosis.statistics.student import two_sided
from sessions.model import FloatArray

_ITERATIONS = 300
_TINY = 1e-300
_PRECISION = 1e-13
_WHOLE, _LARGE = 30, (35, 40, 50, 60, 80, 100, 150, 200, 500, 1000, 100_000_000)
_FARTHEST = 1e150
"""Of what is farther away the square would be no number; its chance is 0 all the same."""
_FREEDOMS = np.array([*range(1, _WHOLE + 1), *_LARGE], np.float64)


def two_sided_chance(t: FloatArray, freedom: FloatArray) -> FloatArray:
    """Return the probability that a t variable is at least as far from 0 as each ``t``; shape of ``t``.

    ``freedom`` are the degrees of freedom, more than 0, one for each; an infinite ``t`` gives 0, NaN gives
    NaN.
    """
    chance = np.where(np.isnan(t), np.nan, 0.0)
    finite = np.isfinite(t)
    of, squared = freedom[finite], np.minimum(np.abs(t[finite]), _FARTHEST) ** 2
    chance[finite] = _incomplete_beta(of / (of + squared), squared / (of + squared), of / 2)
    return chance


def two_sided_reach(confidence: float, freedom: FloatArray) -> FloatArray:
    """Return how many standard errors an interval of this confidence reaches to each side; shape of
    ``freedom``.

    Degrees of freedom (1 or more) are rounded down to one of some forty, which makes an interval of more
    than 30 degrees wider by half a percent at most.
    """
    place = np.searchsorted(_FREEDOMS, freedom, "right") - 1
    reach: FloatArray = _reaches(confidence)[np.clip(place, 0, _FREEDOMS.size - 1)]
    return reach


@lru_cache(maxsize=8)
def _reaches(confidence: float) -> FloatArray:
    """The reach for each of _FREEDOMS; every row of a comparison asks for it."""
    return np.array([two_sided(confidence, one) for one in _FREEDOMS.tolist()])


def _incomplete_beta(x: FloatArray, rest: FloatArray, a: FloatArray) -> FloatArray:
    """The regularised incomplete beta function of a and 1/2; ``rest`` is 1 − x, without its rounding."""
    b = np.full_like(a, 0.5)
    swapped = x >= (a + 1) / (a + 2.5)
    first, second = np.where(swapped, b, a), np.where(swapped, a, b)
    at, other = np.where(swapped, rest, x), np.where(swapped, x, rest)
    front = np.exp(
        _log_beta(a) + first * np.log(np.maximum(at, _TINY)) + second * np.log(np.maximum(other, _TINY))
    )
    part = np.where(at > 0.0, front * _continued_fraction(at, first, second) / first, 0.0)
    return np.where(swapped, 1.0 - part, part)


def _log_beta(a: FloatArray) -> FloatArray:
    """The logarithm of 1 / B(a, 1/2)."""
    logs = [lgamma(one + 0.5) - lgamma(one) for one in a.tolist()]
    found: FloatArray = np.array(logs, np.float64) - lgamma(0.5)
    return found


def _continued_fraction(x: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    c = np.ones_like(x)
    d = 1.0 / _not_zero(1.0 - (a + b) * x / (a + 1))
    result = d.copy()
    for m in range(1, _ITERATIONS):
        for factor in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1.0 / _not_zero(1.0 + factor * d)
            c = _not_zero(1.0 + factor / c)
            result *= c * d
        if (np.abs(c * d - 1.0) < _PRECISION).all():
            break
    return result


def _not_zero(values: FloatArray) -> FloatArray:
    return np.where(np.abs(values) > _TINY, values, _TINY)
