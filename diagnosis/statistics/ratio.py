"""The ratio of two settings' means from few rounds, with its interval, and whether it is a difference.

A difference counts only if the interval of the ratio excludes 1 and the change exceeds the noise floor: what
rounds of one and the same setting differ by. Ratios are judged as logarithms, so that A to B and B to A say
the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, isnan, log, nan, sqrt
from typing import Literal

from diagnosis.statistics.student import standard_error, t_probability, two_sided

Difference = Literal["higher", "lower", "none seen", "undecided"]
"""``undecided``: too few rounds for an interval."""

LEAST_FOR_INTERVAL = 3
"""Under so many rounds no interval is told: that of two reaches 12.7 standard errors to each side (Student's
t, one degree of freedom), which may be a hundred million times the value.
"""


@dataclass(frozen=True, slots=True)
class RatioLimits:
    """``confidence`` of a ratio's interval and of the noise floor, each 0 to 1."""

    confidence: float
    floor_confidence: float


@dataclass(frozen=True, slots=True)
class Ratio:
    """The ratio of B's mean to A's from ``pairs`` pairs of rounds: geometric mean, and interval (low, high).

    ``floor`` is the noise floor as a factor above 1 (1.03: rounds of one setting differ by up to 3 %).
    ``scatter`` is the standard deviation of the logarithms of rounds of one setting, NaN if unknown. ``each``
    has the ratio of every pair.
    """

    value: float
    low: float
    high: float
    floor: float
    scatter: float
    each: tuple[float, ...]

    @property
    def pairs(self) -> int:
        """How many pairs of rounds there are."""
        return len(self.each)

    @property
    def interval(self) -> tuple[float, float] | None:
        """The interval as it is told to a person; None if there are too few pairs for one."""
        return (self.low, self.high) if self.pairs >= LEAST_FOR_INTERVAL else None

    @property
    def difference(self) -> Difference:
        """Whether B is higher or lower than A beyond what chance and noise explain."""
        if isnan(self.low) or isnan(self.floor):
            return "undecided"
        if self.low > 1.0 and self.value > self.floor:
            return "higher"
        if self.high < 1.0 and self.value * self.floor < 1.0:
            return "lower"
        return "none seen"

    @property
    def percent(self) -> float:
        """The change from A to B in percent."""
        return (self.value - 1.0) * 100.0


def ratio_of_pairs(
    a: Sequence[float], b: Sequence[float], limits: RatioLimits, floor: float | None = None
) -> Ratio:
    """Return the ratio of ``b`` to ``a``; ``a[i]`` and ``b[i]`` are the means of rounds measured in
    succession.

    With the order A B B A a steady drift of the storage cancels out. ``floor`` is a noise floor (a factor)
    measured elsewhere; without it, it comes from the rounds of each setting. Raises ValueError for unequally
    many, none, or a mean that is not positive.
    """
    if len(a) != len(b) or not a:
        raise ValueError(f"{len(a)} rounds of one setting and {len(b)} of the other")
    logs = tuple(log(after) - log(before) for before, after in zip(a, b, strict=True))
    centre = sum(logs) / len(logs)
    error = standard_error(logs)
    reach = two_sided(limits.confidence, len(logs) - 1) * error if len(logs) > 1 else nan
    scatter = scatter_of((a, b))
    if floor is None:
        floor = noise_floor(scatter, 2 * (len(a) - 1), len(a), limits)
    return Ratio(exp(centre), exp(centre - reach), exp(centre + reach), floor, scatter, tuple(map(exp, logs)))


def scatter_of(groups: Sequence[Sequence[float]]) -> float:
    """Return the pooled standard deviation of the logarithms of rounds; each group is of one setting.

    Rounds of one setting (A-A) scatter by what the environment does by itself. NaN if no group has two.
    """
    squares, freedom = 0.0, 0
    for group in groups:
        logs = [log(one) for one in group]
        mean = sum(logs) / len(logs) if logs else 0.0
        squares += sum((one - mean) ** 2 for one in logs)
        freedom += max(0, len(logs) - 1)
    return sqrt(squares / freedom) if freedom else nan


def noise_floor(scatter: float, freedom: float, rounds: int, limits: RatioLimits) -> float:
    """Return the factor that the means of ``rounds`` rounds of one setting stay within, by scatter alone.

    ``freedom`` are the degrees of freedom of ``scatter``. NaN if the scatter is unknown.
    """
    if isnan(scatter) or freedom <= 0:
        return nan
    return exp(two_sided(limits.floor_confidence, freedom) * scatter * sqrt(2.0 / rounds))


def chance(ratio: Ratio, confidence: float) -> float:
    """Return the probability of such a ratio or a farther one if A and B were the same; NaN if unknown."""
    if isnan(ratio.low) or ratio.pairs < 2:
        return nan
    reach = log(ratio.high) - log(ratio.value)
    if reach <= 0.0:
        return 0.0 if ratio.value != 1.0 else 1.0
    t = abs(log(ratio.value)) / (reach / two_sided(confidence, ratio.pairs - 1))
    return 2.0 * t_probability(-t, ratio.pairs - 1) if t < inf else 0.0


def mean_of_rounds(values: Sequence[float], confidence: float) -> tuple[float, float, float]:
    """Return the geometric mean of rounds with its interval: mean, low, high; NaN where unknown.

    One or two rounds have no interval. Raises ValueError for a value that is not positive, or none.
    """
    logs = tuple(log(one) for one in values)
    if not logs:
        raise ValueError("a mean of no rounds")
    centre = sum(logs) / len(logs)
    reach = nan
    if len(logs) >= LEAST_FOR_INTERVAL:
        reach = two_sided(confidence, len(logs) - 1) * standard_error(logs)
    return exp(centre), exp(centre - reach), exp(centre + reach)
