"""Whether two settings are the same within a margin, by two one-sided tests (TOST, Schuirmann 1987).

That no difference was seen is no proof that there is none: rounds may be too few. Two settings are the same
only if a ratio outside of the margin is excluded on both sides, each with ``1 − level``; this is so exactly
if the ratio's interval of confidence ``1 − 2 · level`` lies within the margin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Literal

from diagnosis.statistics.ratio import LEAST_FOR_INTERVAL
from diagnosis.statistics.student import standard_error, t_probability, t_quantile

Sameness = Literal["same", "different", "undecided"]


@dataclass(frozen=True, slots=True)
class Equivalence:
    """The ratio of B to A, the interval that must lie within 1/``margin`` to ``margin``, and what follows.

    ``verdict`` is ``different`` if the whole interval lies outside of the margin, and ``undecided`` if part
    of it does or there are fewer than two pairs. ``chance`` is the larger probability of the two tests: that
    of such rounds if the settings differed by just the margin. ``each`` has the ratio of every pair.
    """

    value: float
    low: float
    high: float
    margin: float
    chance: float
    verdict: Sameness
    each: tuple[float, ...]

    @property
    def interval(self) -> tuple[float, float] | None:
        """The interval as it is told to a person; None if there are too few pairs for one."""
        return (self.low, self.high) if len(self.each) >= LEAST_FOR_INTERVAL else None


def equivalence(a: Sequence[float], b: Sequence[float], margin_percent: float, level: float) -> Equivalence:
    """Return whether B is the same as A within ``margin_percent``, from pairs of rounds in succession.

    Raises ValueError for unequally many rounds, none, or a mean that is not positive.
    """
    logs = tuple(log(after / before) for before, after in zip(a, b, strict=True))
    if not logs:
        raise ValueError("no rounds to compare")
    margin = 1.0 + margin_percent / 100.0
    centre, each, unknown = sum(logs) / len(logs), tuple(map(exp, logs)), float("nan")
    if len(logs) < 2:
        return Equivalence(exp(centre), unknown, unknown, margin, unknown, "undecided", each)
    error, freedom = standard_error(logs), len(logs) - 1
    reach = t_quantile(1.0 - level, freedom) * error
    limit = log(margin)
    if centre + reach <= limit and centre - reach >= -limit:
        verdict: Sameness = "same"
    else:
        verdict = "different" if centre - reach > limit or centre + reach < -limit else "undecided"
    nearest = limit - abs(centre)
    certain = 0.0 if nearest > 0 else 1.0
    chance = t_probability(-nearest / error, freedom) if error else certain
    return Equivalence(exp(centre), exp(centre - reach), exp(centre + reach), margin, chance, verdict, each)
