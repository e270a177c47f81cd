"""Two steps of a test compared: the ratio of their rounds, the confidence in it, and what it takes to be
surer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite, isnan, nan

from diagnosis.statistics.blocks import mean_interval
from diagnosis.statistics.power import rounds_to_tell, smallest_difference
from diagnosis.statistics.ratio import Ratio, RatioLimits, ratio_of_pairs
from resources.study_numbers import Judging
from resources.units import format_duration, format_value
from wizards.flows.measured import Measured, Round
from wizards.flows.verdict import Condition, Confidence
from wizards.flows.verdicts.phrases import counted
from wizards.flows.verdicts.validity import samples_of

_TOLD_APART = (1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0)
"""Differences in percent that an admin thinks in."""


@dataclass(frozen=True, slots=True)
class Comparer:
    """Compares steps by their rounds of the same number, which were measured in succession."""

    measured: Measured
    judging: Judging

    @property
    def limits(self) -> RatioLimits:
        """The confidences of intervals and of the noise floor."""
        return RatioLimits(self.judging.confidence.value, self.judging.floor_confidence.value)

    def pairs(self, a: str, b: str) -> list[tuple[Round, Round]]:
        """Return the rounds of step A and B with the same number; the last one, if one was repeated."""
        of_a = {one.number: one for one in self.measured.of_step(a)}
        of_b = {one.number: one for one in self.measured.of_step(b)}
        return [(of_a[number], one) for number, one in of_b.items() if number in of_a]

    def ratio(self, a: str, b: str, value: Callable[[Round], float]) -> Ratio | None:
        """Return the ratio of B's value to A's; None if no pair has both as positive numbers."""
        values = [(value(before), value(after)) for before, after in self.pairs(a, b)]
        known = [(x, y) for x, y in values if isfinite(x) and isfinite(y) and x > 0 and y > 0]
        if not known:
            return None
        return ratio_of_pairs([x for x, _ in known], [y for _, y in known], self.limits)

    def confidence(
        self, ratios: Sequence[Ratio | None], conditions: Sequence[Condition], rounds: int
    ) -> Confidence:
        """Return the confidence of a verdict that rests on these ratios and conditions."""
        if any(one.forbids_a_verdict for one in conditions):
            return "none"
        if rounds < self.judging.rounds_for_verdict.value:
            return "indicative"
        doubtful = any(one.holds is False for one in conditions)
        clear = all(one is not None and is_clear(one) for one in ratios)
        return "high" if clear and not doubtful else "medium"

    def needs(self, ratio: Ratio | None, a: str, b: str) -> str:
        """Return what it takes to tell such a difference: ``4 rounds, 1 h 52 min, to tell 3 % apart``."""
        scatter = ratio.scatter if ratio is not None and not isnan(ratio.scatter) else self._scatter(a, b)
        if ratio is None or isnan(scatter):
            least = int(self.judging.rounds_for_verdict.value)
            return f"{counted(least, 'round')}, {self._duration(least)}, for a verdict that counts"
        power, most = self.judging.power.value, int(self.judging.rounds_at_most.value)
        seen = abs(ratio.percent)
        wanted = max((one for one in _TOLD_APART if one <= seen), default=_TOLD_APART[0])
        for difference in (one for one in _TOLD_APART if one >= wanted):
            rounds = rounds_to_tell(difference, scatter, power, self.limits, most)
            if rounds is not None:
                told = format_value(difference, "%")
                return f"{counted(rounds, 'round')}, {self._duration(rounds)}, to tell {told} apart"
        told = format_value(smallest_difference(most, scatter, power, self.limits), "%")
        return f"even {counted(most, 'round')} tell only {told} apart"

    def _scatter(self, a: str, b: str) -> float:
        """The scatter of a single round, as its own block means give it: the least that it can be."""
        found = [self._error_within(one) for pair in self.pairs(a, b) for one in pair]
        known = [one for one in found if isfinite(one)]
        return max(known, default=nan)

    def _error_within(self, one: Round) -> float:
        centre, low, high = mean_interval(samples_of(one.workers), self.judging.confidence.value)
        return (high - low) / 4 / centre if centre > 0 else nan

    def _duration(self, rounds: int) -> str:
        """How long so many rounds take, at the pace of those that were measured."""
        done = {one.number for one in self.measured.rounds}
        if not done:
            return "≈ –"
        first = min(one.window.start for one in self.measured.rounds)
        last = max(one.window.end for one in self.measured.rounds)
        return f"≈ {format_duration((last - first) / 1000 / len(done) * rounds)}"


def is_clear(ratio: Ratio) -> bool:
    """Return True if the ratio's interval lies outside of the noise floor, or all of it inside."""
    if isnan(ratio.low) or isnan(ratio.floor):
        return False
    inside = ratio.low * ratio.floor >= 1.0 and ratio.high <= ratio.floor
    return ratio.low > ratio.floor or ratio.high * ratio.floor < 1.0 or inside
