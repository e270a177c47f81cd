"""Which rows an admin wants to see first: limits crossed, counters that matter, sizes in units of their own
noise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from diagnosis.comparison.values import Judged, Pair, Verdict
from diagnosis.comparison.verdicts import SAME, UNDECIDED, Differences
from diagnosis.statistics.means import Means
from resources.catalogue import Catalogue
from resources.comparison_rules import ComparisonRules
from resources.views import CounterLimits, Headline, LimitsByCounter
from sessions.model import EntityRef, FloatArray, IntArray, Series

_STATES = {"": 0, "warning": 1, "critical": 2}


@dataclass(frozen=True)
class Importance:
    """What is known of counters: headline counters, limits of problem cards, good directions."""

    catalogue: Catalogue
    rules: ComparisonRules
    limits: LimitsByCounter
    headlines: Mapping[str, Headline]

    def of(self, series: Series) -> float:
        """Return how much a counter of an entity matters."""
        weights, kind, counter = self.rules.ranking, series.entity.kind, series.counter
        headline, known = self.headlines.get(kind), self.catalogue.get(counter)
        weight = weights.plain
        if series.spec.unit in {"state", "text"}:
            return weights.state
        if headline is not None and counter in headline.counters:
            weight = weights.headline
        elif self.limits.of(counter, kind) is not None:
            weight = weights.limited
        elif known is not None and known.better:
            weight = weights.judged
        is_part = kind not in weights.kinds or (series.spec.instance and kind not in {"device", "datastore"})
        return weight * (weights.part if is_part else 1.0)

    def judged(self, counter: str, verdict: Verdict) -> Judged:
        """Return whether a change is for the better; a load is neither better nor worse."""
        if verdict not in {"higher", "lower"}:
            return ""
        known = self.catalogue.get(counter)
        if known is None or not known.better or counter in self.rules.load_counters:
            return "to know"
        return "better" if (verdict == "higher") == (known.better == "high") else "worse"


def order(pairs: Sequence[Pair], means: tuple[Means, Means], of: Differences, known: Importance) -> IntArray:
    """Return the places of the pairs in the order of what matters: what got better or worse, other changes,
    undecided ones, then the same. Where a load has grown, what it did to others is read before it.
    """
    a, b = means
    noise = np.sqrt((np.nan_to_num(a.spread) ** 2 + np.nan_to_num(b.spread) ** 2) / 2)
    size = np.abs(np.nan_to_num(of.difference))
    level = np.maximum(np.abs(np.nan_to_num(a.mean)), np.abs(np.nan_to_num(b.mean)))
    with np.errstate(divide="ignore", invalid="ignore"):
        in_noise = np.where(noise > 0, size / (size + noise), (size > 0).astype(np.float64))
        relative = np.where(level > 0, size / level, 0.0)
    crossed = _limits_crossed(pairs, a.mean, b.mean, known.limits)
    weights: dict[tuple[str, str, bool], float] = {}
    weight = np.array([_weight(pair.a, weights, known) for pair in pairs], np.float64)
    score = weight * (1 + known.rules.ranking.severity * crossed) * in_noise * np.sqrt(relative)
    felt = np.array([bool(known.judged(pair.a.counter, "higher") != "to know") for pair in pairs], bool)
    group = np.where(of.verdict == SAME, 3, np.where(of.verdict == UNDECIDED, 2, np.where(felt, 0, 1)))
    return np.lexsort((-score, group))


def _weight(series: Series, known: dict[tuple[str, str, bool], float], importance: Importance) -> float:
    key = (series.entity.kind, series.counter, bool(series.spec.instance))
    if key not in known:
        known[key] = importance.of(series)
    return known[key]


def _limits_crossed(
    pairs: Sequence[Pair], mean_a: FloatArray, mean_b: FloatArray, limits: LimitsByCounter
) -> FloatArray:
    """How many limits lie between both means; a latency counts only where its entity has a load."""
    found = np.zeros(len(pairs))
    judged = [
        (at, one) for at, pair in enumerate(pairs) if (one := limits.of(pair.a.counter, pair.a.entity.kind))
    ]
    loads = _loads(pairs, mean_a, mean_b, {one.load for _, one in judged if one.load})
    for at, one in judged:
        states = [
            _state(one, float(means[at]), loads[side].get((pairs[at].a.entity, one.load)))
            for side, means in enumerate((mean_a, mean_b))
        ]
        found[at] = abs(states[0] - states[1])
    return found


def _state(limits: CounterLimits, value: float, load: float | None) -> int:
    if limits.least is not None and (load is None or load < limits.least.value):
        return 0
    return _STATES[limits.state(value)]


def _loads(
    pairs: Sequence[Pair], mean_a: FloatArray, mean_b: FloatArray, counters: set[str]
) -> tuple[dict[tuple[EntityRef, str], float], dict[tuple[EntityRef, str], float]]:
    found: tuple[dict[tuple[EntityRef, str], float], dict[tuple[EntityRef, str], float]] = ({}, {})
    for at, pair in enumerate(pairs):
        if pair.a.counter in counters:
            for side, means in zip(found, (mean_a, mean_b), strict=True):
                key = (pair.a.entity, pair.a.counter)
                side[key] = max(side.get(key, 0.0), float(means[at]))
    return found
