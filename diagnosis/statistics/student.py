"""Student's t distribution, as exact as a float allows, for intervals from few rounds.

The distribution function is the regularised incomplete beta function, computed by its continued fraction
with Lentz's method (Press et al., Numerical Recipes, 3rd edition, 6.4).
"""

from __future__ import annotations

from functools import lru_cache
from math import exp, inf, isinf, lgamma, log, sqrt
from statistics import NormalDist

_ITERATIONS = 300
_TINY = 1e-300
_PRECISION = 1e-15
_NORMAL = NormalDist()
_LIKE_NORMAL = 1e7
"""From so many degrees of freedom on, t and the normal distribution agree to seven digits."""


def t_probability(t: float, freedom: float) -> float:
    """Return the probability that a t variable of ``freedom`` degrees of freedom is at most ``t``."""
    if isinf(t):
        return 1.0 if t > 0 else 0.0
    if freedom >= _LIKE_NORMAL:
        return _NORMAL.cdf(t)
    tail = 0.5 * _incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5)
    return 1.0 - tail if t > 0 else tail


@lru_cache(maxsize=4096)
def t_quantile(probability: float, freedom: float) -> float:
    """Return the t that a variable of ``freedom`` degrees of freedom stays below with this probability.

    ``freedom`` 0 gives infinity: one value says nothing about its spread. Raises ValueError for a
    probability that is not between 0 and 1.
    """
    if not 0.0 < probability < 1.0:
        raise ValueError(f"a quantile of probability {probability}")
    if probability < 0.5:
        return -t_quantile(1.0 - probability, freedom)
    if freedom <= 0:
        return inf
    low, high = 0.0, 1.0
    while t_probability(high, freedom) < probability:
        low, high = high, high * 2
    while high - low > 1e-12 * max(1.0, high):
        middle = (low + high) / 2
        if t_probability(middle, freedom) < probability:
            low = middle
        else:
            high = middle
        if middle in (low, high) and high - low < 1e-12 * high:
            break
    return (low + high) / 2


def two_sided(confidence: float, freedom: float) -> float:
    """Return how many standard errors an interval of this confidence reaches to each side."""
    return t_quantile(0.5 + confidence / 2, freedom)


def normal_probability(z: float) -> float:
    """Return the probability that a standard normal variable is at most ``z``."""
    return _NORMAL.cdf(z)


def chi_density(s: float, freedom: float) -> float:
    """Return the density at ``s`` of the estimate of a standard deviation that is 1, from ``freedom``."""
    if s <= 0:
        return 0.0
    half = freedom / 2
    return exp(log(2) + half * log(half) - lgamma(half) + (freedom - 1) * log(s) - half * s * s)


def standard_error(values: tuple[float, ...]) -> float:
    """Return the standard error of the mean of independent values; NaN for fewer than two."""
    n = len(values)
    if n < 2:
        return float("nan")
    mean = sum(values) / n
    return sqrt(sum((one - mean) ** 2 for one in values) / (n - 1) / n)


def _incomplete_beta(x: float, a: float, b: float) -> float:
    if x <= 0.0:
        return 0.0
    if x >= 1.0:
        return 1.0
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1.0 - x))
    if x < (a + 1) / (a + b + 2):
        return front * _continued_fraction(x, a, b) / a
    return 1.0 - front * _continued_fraction(1.0 - x, b, a) / b


def _continued_fraction(x: float, a: float, b: float) -> float:
    c, d = 1.0, 1.0 / _not_zero(1.0 - (a + b) * x / (a + 1))
    result = d
    for m in range(1, _ITERATIONS):
        for factor in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1.0 / _not_zero(1.0 + factor * d)
            c = _not_zero(1.0 + factor / c)
            result *= c * d
        if abs(c * d - 1.0) < _PRECISION:
            break
    return result


def _not_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
