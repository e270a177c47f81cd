"""How many rounds it takes to tell a difference, by the very rule that will judge it.

The rule of ``ratio``: the interval of the pairs' logarithms excludes 0, and the change exceeds the noise
floor. The chance is exact for normal logarithms and independent rounds whose scatter is known beforehand: an
integral over what the scatter of the pairs may turn out as.
"""

from __future__ import annotations

from math import inf, isfinite, isnan, log, sqrt

import numpy as np

from diagnosis.statistics.ratio import RatioLimits
from diagnosis.statistics.student import chi_density, normal_probability, two_sided

_STEPS = 400
_FLOOR_FREEDOM = 1e9
"""The floor of a plan takes the scatter as known."""


def power_of(rounds: int, scatter: float, difference_percent: float, limits: RatioLimits) -> float:
    """Return the chance (0 to 1) that ``rounds`` rounds of each setting show a difference of that size.

    ``scatter`` is the standard deviation of the logarithms of rounds of one setting.
    """
    if rounds < 2 or isnan(scatter):
        return 0.0
    change = abs(log(1.0 + difference_percent / 100.0))
    error = scatter * sqrt(2.0 / rounds)
    if error <= 0.0:
        return 1.0 if change > 0 else 0.0
    freedom = rounds - 1
    reach = two_sided(limits.confidence, freedom)
    floor = two_sided(limits.floor_confidence, _FLOOR_FREEDOM)
    spreads = np.linspace(0.0, 1.0 + 6.0 / sqrt(freedom), _STEPS + 1)
    needed = [max(floor, reach * float(one)) for one in spreads]
    shift = change / error
    chances = [normal_probability(shift - one) + normal_probability(-shift - one) for one in needed]
    density = np.array([chi_density(float(one), freedom) for one in spreads])
    if freedom == 1:
        density[0] = sqrt(2.0 / np.pi)  # the only density that does not vanish at 0
    return float(np.clip(np.trapezoid(np.array(chances) * density, spreads), 0.0, 1.0))


def rounds_to_tell(
    difference_percent: float, scatter: float, power: float, limits: RatioLimits, at_most: int
) -> int | None:
    """Return how many rounds of each setting show such a difference with this chance (``power``, 0 to 1).

    At least three, below which a verdict is indicative; None if ``at_most`` do not suffice.
    """
    for rounds in range(3, at_most + 1):
        if power_of(rounds, scatter, difference_percent, limits) >= power:
            return rounds
    return None


def smallest_difference(rounds: int, scatter: float, power: float, limits: RatioLimits) -> float:
    """Return the difference in percent that ``rounds`` rounds show with this chance; infinity for one
    round.
    """
    if rounds < 2 or isnan(scatter):
        return inf
    low, high = 0.0, 1.0
    while power_of(rounds, scatter, high, limits) < power:
        low, high = high, high * 2
        if not isfinite(high) or high > 1e6:
            return inf
    while high - low > 1e-3 * high:
        middle = (low + high) / 2
        if power_of(rounds, scatter, middle, limits) < power:
            low = middle
        else:
            high = middle
    return high
