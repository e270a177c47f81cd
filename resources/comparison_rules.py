"""How two windows are compared (resources/comparison): margins by counter, what the load is, which rows
matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

import msgspec

from resources.catalogue import Catalogue
from resources.counter_schema import EntityKind
from resources.study_numbers import Number
from resources.toml_files import RESOURCES, checked, knowledge_error, read_toml
from resources.units import UNITS

__all__ = ["ComparisonRules", "LoadMeasure", "LoadWay", "Margin", "load_comparison_rules"]

FILE = RESOURCES / "comparison" / "rules.toml"


class JudgingLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When a difference is told: confidence of intervals, rate of false discoveries, samples at least."""

    confidence: Number
    discovery_rate: Number
    independent_few: Number
    samples_least: Number


class ConfidenceLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Up to which corrected chance a difference is told with high or medium confidence, and how many
    independent samples each side needs for more than an indication.
    """

    high: Number
    medium: Number
    independent_least: Number


class Margin(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How far two means may lie apart and still be the same: ``percent`` of A's mean, or ``least`` in the
    counter's unit, whichever is more. ``counters`` are globs; without counters and units it fits all.
    """

    percent: float
    least: float
    source: str
    counters: tuple[str, ...] = ()
    units: tuple[str, ...] = ()

    def fits(self, counter: str, unit: str) -> bool:
        """Return True if this margin is meant for a counter of that unit."""
        if self.counters and not any(fnmatchcase(counter, glob) for glob in self.counters):
            return False
        return not self.units or unit in self.units


class LoadWay(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One way of measuring a load: the sum of these counters of all entities of a kind."""

    kind: EntityKind
    counters: tuple[str, ...]


class LoadMeasure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of the load, and the ways of measuring it, the best one first.

    ``mean``: the mean of all entities instead of their sum. Below ``least`` a difference does not matter.
    """

    title: str
    least: float
    ways: tuple[LoadWay, ...]
    source: str
    mean: bool = False


class LoadRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the load is, and by how much it may differ."""

    percent: Number
    share_least: Number
    passing_share: Number
    once_share: Number
    measure: tuple[LoadMeasure, ...]


class RankingWeights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How much rows matter to an admin; ``kinds`` are those of whole entities."""

    headline: float
    limited: float
    judged: float
    plain: float
    part: float
    state: float
    severity: float
    kinds: tuple[EntityKind, ...]


class ComparisonRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All rules of comparing."""

    judging: JudgingLimits
    confidence: ConfidenceLimits
    margin: tuple[Margin, ...]
    load: LoadRules
    ranking: RankingWeights

    def margin_of(self, counter: str, unit: str) -> Margin:
        """Return the first margin that fits a counter."""
        return next(one for one in self.margin if one.fits(counter, unit))

    @property
    def load_counters(self) -> frozenset[str]:
        """The keys of all counters that measure a load: more or less of them is neither better nor worse."""
        return frozenset(key for one in self.load.measure for way in one.ways for key in way.counters)


def load_comparison_rules(catalogue: Catalogue) -> ComparisonRules:
    """Load the rules. Raises KnowledgeError for an unknown counter or unit, and where a counter has no
    margin.
    """
    rules = checked(read_toml(FILE), ComparisonRules, FILE)
    for measure in rules.load.measure:
        for key in (key for way in measure.ways for key in way.counters):
            if key not in catalogue:
                raise knowledge_error(FILE, measure.title, f"no counter is called {key}")
    for number, margin in enumerate(rules.margin, start=1):
        _check(margin, number)
    if not rules.margin or rules.margin[-1].counters or rules.margin[-1].units:
        raise knowledge_error(FILE, "margin", "the last one must fit all counters")
    return rules


def _check(margin: Margin, number: int) -> None:
    where = f"margin {number}"
    unknown: Sequence[str] = [unit for unit in margin.units if unit not in UNITS]
    if unknown:
        raise knowledge_error(FILE, where, f"no unit is called {unknown[0]}")
    if margin.percent < 0 or margin.least < 0 or not margin.source:
        raise knowledge_error(FILE, where, "it needs a source, and numbers from 0 on")
