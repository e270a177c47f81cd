"""What follows from two means: higher, lower, the same, or undecided; and why, in a sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from diagnosis.comparison.values import VERDICTS, Pair, Sample, Verdict
from diagnosis.statistics.false_discovery import corrected
from diagnosis.statistics.means import Means
from diagnosis.statistics.student_arrays import two_sided_chance, two_sided_reach
from resources.comparison_rules import ComparisonRules
from resources.units import format_change, format_count
from sessions.model import FloatArray

HIGHER, LOWER, SAME, UNDECIDED = range(4)


@dataclass(frozen=True, slots=True)
class Differences:
    """B against A, arrays of one item for each pair; ``low`` to ``high`` is the difference's interval.

    ``chance`` is the probability of such a difference or a larger one if nothing had changed, ``corrected``
    the same after the correction; ``margin`` is how large a difference may be to be none; ``verdict`` is a
    place in VERDICTS. NaN where there are too few samples.
    """

    difference: FloatArray
    low: FloatArray
    high: FloatArray
    chance: FloatArray
    corrected: FloatArray
    margin: FloatArray
    verdict: NDArray[np.int8]

    def verdict_of(self, row: int) -> Verdict:
        """Return the verdict on a pair."""
        return VERDICTS[int(self.verdict[row])]


def margins(pairs: Sequence[Pair], mean_a: FloatArray, rules: ComparisonRules) -> FloatArray:
    """Return how large a difference of each pair may be to be none, in the counter's unit."""
    known = {key: rules.margin_of(*key) for key in {(pair.a.counter, pair.a.spec.unit) for pair in pairs}}
    found = [known[pair.a.counter, pair.a.spec.unit] for pair in pairs]
    percent = np.array([one.percent for one in found], np.float64)
    least = np.array([one.least for one in found], np.float64)
    return np.maximum(np.abs(mean_a) * percent / 100.0, least)


def differences(a: Means, b: Means, margin: FloatArray, rules: ComparisonRules) -> Differences:
    """Judge B against A (Welch's t with the effective samples of each), corrected for all comparisons."""
    limits = rules.judging
    difference = b.mean - a.mean
    error, freedom = _joint_error(a, b)
    freedom = np.where(np.isnan(freedom), 1.0, freedom)
    enough = np.minimum(a.count, b.count) >= limits.samples_least.value
    reach = two_sided_reach(limits.confidence.value, freedom) * error
    reach = np.where(enough, reach, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(error > 0, difference / error, np.where(difference == 0, 0.0, np.inf))
    chance = np.where(enough & ~np.isnan(error), two_sided_chance(np.abs(t), freedom), np.nan)
    after = corrected(chance)
    low, high = difference - reach, difference + reach
    with np.errstate(invalid="ignore"):
        is_same = (low >= -margin) & (high <= margin)
        is_other = (after <= limits.discovery_rate.value) & (np.abs(difference) > margin)
    verdict = np.full(difference.size, UNDECIDED, np.int8)
    verdict[is_other & (difference > 0)] = HIGHER
    verdict[is_other & (difference < 0)] = LOWER
    verdict[is_same] = SAME
    return Differences(difference, low, high, chance, after, margin, verdict)


def _joint_error(a: Means, b: Means) -> tuple[FloatArray, FloatArray]:
    """The standard error of the difference, and its degrees of freedom (Welch, Satterthwaite).

    Squared are parts of the larger error's power of two: of a forged 1e150 a square is still a number.
    """
    size = _power_of_two(np.fmax(a.error, b.error))
    of_a, of_b = (a.error / size) ** 2, (b.error / size) ** 2
    both = of_a + of_b
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = both**2 / (of_a**2 / a.freedom + of_b**2 / b.freedom)
    freedom = np.where(both > 0, freedom, np.fmin(a.freedom, b.freedom))
    return np.sqrt(both) * size, freedom


def _power_of_two(numbers: FloatArray) -> FloatArray:
    """Return about the numbers: dividing by it rounds nothing. 1 for 0 and for what is no number."""
    usable = np.isfinite(numbers) & (numbers > 0)
    return np.where(usable, np.exp2(np.floor(np.log2(np.where(usable, numbers, 1.0)))), 1.0)


def ratio_interval(
    a: tuple[float, float], b: tuple[float, float], reach: float
) -> tuple[float, float] | None:
    """Return the interval of B / A from mean and error of each, ``reach`` errors to each side (Fieller 1954).

    None where A may be 0, so that the ratio may be anything.
    """
    (mean_a, error_a), (mean_b, error_b) = a, b
    if mean_a == 0 or reach * error_a >= abs(mean_a):
        return None
    g = (reach * error_a / mean_a) ** 2
    centre = mean_b / mean_a
    half = reach * math.hypot(error_b / mean_a * math.sqrt(max(1 - g, 0.0)), centre * (error_a / mean_a))
    return (centre - half) / (1 - g), (centre + half) / (1 - g)


def why(of: Differences, row: int, samples: Sequence[Sample], unit: str, rules: ComparisonRules) -> str:
    """Return a sentence on the verdict of a pair, whose samples are those of A and of B."""
    least = int(rules.judging.samples_least.value)
    counts = [one.n for one in samples]
    if min(counts) < least:
        side = "A" if counts[0] <= counts[1] else "B"
        n = format_count(min(counts))
        return (
            f"Undecided: {n} sample{'' if min(counts) == 1 else 's'} in {side}, at least {least} are needed."
        )
    margin = format_change(float(of.margin[row]), unit).removeprefix("+")
    low, high = (format_change(float(end[row]), unit) for end in (of.low, of.high))
    match of.verdict_of(row):
        case "same":
            return f"The same: the difference is between {low} and {high}, within ±{margin}."
        case "undecided":
            return f"{_why_undecided(of, row, (low, high), margin, rules)}{_slowly(samples, rules)}"
        case verdict:
            return f"{verdict.capitalize()}: the difference is between {low} and {high}, more than {margin}."


def _why_undecided(
    of: Differences, row: int, interval: tuple[str, str], margin: str, rules: ComparisonRules
) -> str:
    low, high = interval
    if not np.isfinite(of.low[row]):
        return "Undecided: too few independent samples to know how sure the means are."
    if of.low[row] * of.high[row] > 0 and abs(of.difference[row]) <= of.margin[row]:
        return f"Undecided: it changed, perhaps by less than {margin} (between {low} and {high})."
    if of.chance[row] <= rules.judging.discovery_rate.value < of.corrected[row]:
        return "Undecided: among so many comparisons a difference like this comes by chance."
    return f"Undecided: the difference may be anything between {low} and {high}."


def _slowly(samples: Sequence[Sample], rules: ComparisonRules) -> str:
    """What to do about a series that goes one way all the time, or swings a few times only."""
    fewest = min(samples, key=lambda one: one.effective)
    if not 0 < fewest.effective < min(rules.judging.independent_few.value, fewest.n / 2):
        return ""
    as_many = max(1, round(fewest.effective))
    return (
        f" It moves so slowly that {format_count(fewest.n)} samples tell as much as {format_count(as_many)} "
        f"independent one{'' if as_many == 1 else 's'}: compare longer windows."
    )
