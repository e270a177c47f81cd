"""Which rows an admin wants to see first: limits crossed, counters that matter, sizes in units of their own
noise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

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
        if known is None or not known.better or counter in self._load_counters:
            return "to know"
        return "better" if (verdict == "higher") == (known.better == "high") else "worse"

    @cached_property
    def _load_counters(self) -> frozenset[str]:
        return self.rules.load_counters


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
    alike = _alike(pairs)
    kinds, number = alike
    weight = np.array([known.of(one) for one in kinds], np.float64)[number]
    felt = np.array([known.judged(one.counter, "higher") != "to know" for one in kinds], np.bool_)[number]
    crossed = _limits_crossed(pairs, alike, (a.mean, b.mean), known.limits)
    score = weight * (1 + known.rules.ranking.severity * crossed) * in_noise * np.sqrt(relative)
    group = np.where(of.verdict == SAME, 3, np.where(of.verdict == UNDECIDED, 2, np.where(felt, 0, 1)))
    return np.lexsort((-score, group))


_Alike = tuple[Sequence[Series], IntArray]
"""One series of each kind of entity and counter, and for each pair the place of the one that it is like."""


def _alike(pairs: Sequence[Pair]) -> _Alike:
    """What matters of a counter is asked a few hundred times, not for each of tens of thousands of pairs."""
    places: dict[tuple[str, str, bool], int] = {}
    some: list[Series] = []
    number = []
    for pair in pairs:
        spec = pair.a.spec
        place = places.setdefault((spec.entity.kind, spec.counter, bool(spec.instance)), len(some))
        if place == len(some):
            some.append(pair.a)
        number.append(place)
    return some, np.array(number, np.int64)


def _limits_crossed(
    pairs: Sequence[Pair], alike: _Alike, means: tuple[FloatArray, FloatArray], limits: LimitsByCounter
) -> FloatArray:
    """How many limits lie between both means; a latency counts only where its entity has a load."""
    found = np.zeros(len(pairs))
    of_kinds = [limits.of(one.counter, one.entity.kind) for one in alike[0]]
    loads = _loads(pairs, alike, means, {one.load for one in of_kinds if one is not None and one.load})
    for place, one in enumerate(of_kinds):
        if one is None:
            continue
        for at in np.flatnonzero(alike[1] == place).tolist():
            states = [
                _state(one, float(mean[at]), loads[side].get((pairs[at].a.entity, one.load)))
                for side, mean in enumerate(means)
            ]
            found[at] = abs(states[0] - states[1])
    return found


def _state(limits: CounterLimits, value: float, load: float | None) -> int:
    if limits.least is not None and (load is None or load < limits.least.value):
        return 0
    return _STATES[limits.state(value)]


def _loads(
    pairs: Sequence[Pair], alike: _Alike, means: tuple[FloatArray, FloatArray], counters: set[str]
) -> tuple[dict[tuple[EntityRef, str], float], dict[tuple[EntityRef, str], float]]:
    found: tuple[dict[tuple[EntityRef, str], float], dict[tuple[EntityRef, str], float]] = ({}, {})
    meant = [place for place, one in enumerate(alike[0]) if one.counter in counters]
    for at in np.flatnonzero(np.isin(alike[1], meant)).tolist():
        key = (pairs[at].a.entity, pairs[at].a.counter)
        for side, mean in zip(found, means, strict=True):
            side[key] = max(side.get(key, 0.0), float(mean[at]))
    return found
