"""Counters that vCenter lacks but that follow from others that it has, so that one card fits every source."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from diagnosis.derivation import ABSENT, DerivationRules, DerivedSeries
from diagnosis.derived_facts import derived_facts
from diagnosis.evaluate import Bounds, Operands, bound, evaluate
from diagnosis.facts import FirstTold, Held, facts_until, fill, held
from diagnosis.reduction import reduce_members
from resources.derived_counters import DerivedFile
from sessions.model import (
    Entity,
    EntityRef,
    Fact,
    FloatArray,
    Frame,
    IntArray,
    SampleSource,
    Series,
    SeriesStats,
)
from sessions.passing_on import PassingOn
from sessions.times import TimeRange

FIRST_DERIVED = 1 << 40
"""The first id of what is derived; a store counts from 1."""


def with_derived(
    source: SampleSource, rules: DerivedFile, counters: Collection[str], window: TimeRange
) -> SampleSource:
    """Return the session with those of ``counters`` that can be derived; the session itself if none can be.

    Raises KnowledgeError where a rule's expression is wrong.
    """
    fitting = {one.id for one in source.sources() if one.spec.kind in rules.kinds}
    return DerivedSource(source, rules, counters, window, fitting) if fitting else source


class DerivedSource(PassingOn):
    """A SampleSource that adds derived series and facts to those of a session."""

    def __init__(
        self,
        source: SampleSource,
        rules: DerivedFile,
        counters: Collection[str],
        window: TimeRange,
        fitting: set[int],
    ) -> None:
        super().__init__(source)
        self._entities = source.entities()
        every = source.facts()
        self._told = FirstTold(every, self._entities)
        facts = facts_until(every, window.end, self._told)
        derived = derived_facts(rules.facts, facts, self._entities, self._told, window.end)
        self._facts = sorted([*facts, *derived], key=lambda fact: fact.start)
        self._by_fact: dict[str, dict[EntityRef, list[Fact]]] = {}
        for fact in self._facts:
            self._by_fact.setdefault(fact.name, {}).setdefault(fact.entity, []).append(fact)
        wanted = [rule for rule in rules.counters if rule.counter in counters]
        needed = {key for rule in wanted for key in rule.counters.values()}
        self._real_counters = {*counters, *needed}
        self._real = list(source.series(self._real_counters))
        self._made: list[DerivedSeries] = []
        rule_book = DerivationRules(
            self._real, self._entities, self._facts, self._by_fact, self._told, window.start
        )
        first = FIRST_DERIVED
        for one in sorted(fitting):
            found = rule_book.derive(one, wanted, first)
            self._made += found
            first += sum(len(made.series) for made in found)

    def entities(self) -> dict[EntityRef, Entity]:
        """Return all entities by reference."""
        return self._entities

    def facts(self) -> Sequence[Fact]:
        """Return all facts, derived ones included, ordered by start."""
        return self._facts

    def series(self, counters: Collection[str] | None = None) -> Sequence[Series]:
        """Return the session's own series, followed by the derived ones."""
        made = [series for one in self._made for series in one.series]
        if counters is None:
            return [*self._source.series(), *made]
        known = self._real_counters.issuperset(counters)
        own = self._real if known else self._source.series(counters)
        return [one for some in (own, made) for one in some if one.counter in counters]

    def stats(self, ids: IntArray, window: TimeRange | None = None) -> SeriesStats:
        """Return statistics of each series; for a derived series only bounds, which may be too
        wide, and no mean.
        """
        ids = np.asarray(ids, np.int64)
        own = ids < FIRST_DERIVED
        found = self._source.stats(ids[own], window)
        count = np.zeros(ids.size, np.int64)
        low, high, mean = (np.full(ids.size, np.nan) for _ in range(3))
        count[own], low[own], high[own], mean[own] = found.count, found.minimum, found.maximum, found.mean
        for made, where, rows in self._chosen(ids):
            bounds, counts = self._bounds(made, rows, window)
            count[where], low[where], high[where] = counts, bounds.low, bounds.high
        return SeriesStats(count, low, high, mean)

    def read(self, ids: IntArray, window: TimeRange | None = None) -> list[Frame]:
        """Return the samples: the session's own frames, and one frame for each rule and source
        of derived series.
        """
        ids = np.asarray(ids, np.int64)
        frames = self._source.read(ids[ids < FIRST_DERIVED], window) if (ids < FIRST_DERIVED).any() else []
        for made, where, rows in self._chosen(ids):
            axis = self._source.times(made.source, window)
            frames.append(Frame(made.source, ids[where], axis, self._values(made, rows, axis, window).T))
        return frames

    def _chosen(self, ids: IntArray) -> Iterable[tuple[DerivedSeries, IntArray, IntArray]]:
        """Rules that make any of the series: where in ``ids``, and which of the rule's."""
        if not (ids >= FIRST_DERIVED).any():
            return
        for made in self._made:
            where = np.flatnonzero((ids >= made.first) & (ids < made.first + len(made.series)))
            if where.size:
                yield made, where, ids[where] - made.first

    def _values(
        self, made: DerivedSeries, rows: IntArray, axis: IntArray, window: TimeRange | None
    ) -> FloatArray:
        """Samples (rows, times)."""
        members, row = made.members(rows)
        names: dict[str, FloatArray | float] = {}
        for name in made.rule.counters:
            names[name] = self._rows(np.array(made.ids[name])[members], axis, window)
        for name, fact in made.rule.facts.items():
            owners = [made.owners[one] for one in members.tolist()]
            names[name] = _fact_rows(self._by_fact.get(fact, {}), owners, axis, self._told)
        shape = (members.size, axis.size)
        values = np.broadcast_to(evaluate(made.node, Operands(names, axis, shape)), shape)
        if made.elsewhere:
            values = _without(values, [made.elsewhere.get(one, ()) for one in members.tolist()], axis)
        return reduce_members(values, row, rows.size, "sum")

    def _rows(self, ids: IntArray, axis: IntArray, window: TimeRange | None) -> FloatArray:
        """Samples of series of one source on its axis."""
        result = np.full((ids.size, axis.size), np.nan)
        places: dict[int, list[int]] = {}
        for position, one in enumerate(ids.tolist()):
            if one != ABSENT:
                places.setdefault(one, []).append(position)
        for frame in self.read(np.array(sorted(places), dtype=np.int64), window) if places else ():
            columns = np.searchsorted(axis, frame.times)
            for column, one in enumerate(frame.ids.tolist()):
                for position in places[one]:
                    result[position, columns] = frame.values[:, column]
        return result

    def _bounds(
        self, made: DerivedSeries, rows: IntArray, window: TimeRange | None
    ) -> tuple[Bounds, IntArray]:
        members, row = made.members(rows)
        names: dict[str, Bounds] = {}
        axis = self._source.times(made.source, window)
        counts = np.full(members.size, axis.size, np.int64)
        for name in made.rule.counters:
            ids = np.array(made.ids[name])[members]
            found = self.stats(np.maximum(ids, 1), window)
            absent = ids == ABSENT
            names[name] = Bounds(
                np.where(absent, np.nan, found.minimum), np.where(absent, np.nan, found.maximum)
            )
            if name not in made.rule.optional:
                counts = np.minimum(counts, found.count)
        for name, fact in made.rule.facts.items():
            owners = [made.owners[one] for one in members.tolist()]
            known = _fact_rows(self._by_fact.get(fact, {}), owners, axis, self._told)
            names[name] = Bounds(
                np.fmin.reduce(known, axis=1, initial=np.nan), np.fmax.reduce(known, axis=1, initial=np.nan)
            )
        found_bounds = bound(made.node, names)
        low, high = (
            np.broadcast_to(side, (members.size,))[:, None] for side in (found_bounds.low, found_bounds.high)
        )
        least = reduce_members(np.minimum(low, 0.0) if made.rule.each else low, row, rows.size, "sum")
        most = np.zeros(rows.size, np.int64)
        np.maximum.at(most, row, counts)
        return Bounds(least[:, 0], reduce_members(high, row, rows.size, "sum")[:, 0]), most


def _without(values: FloatArray, elsewhere: Sequence[Sequence[Held]], axis: IntArray) -> FloatArray:
    """The members' samples with 0 where they count elsewhere; what is unknown stays it."""
    result = np.array(values)
    for row, periods in enumerate(elsewhere):
        for one in periods:
            there = (axis >= one.start) & (axis < one.end)
            result[row, there] *= 0.0
    return result


def _fact_rows(
    facts: Mapping[EntityRef, Sequence[Fact]], refs: Sequence[EntityRef], axis: IntArray, told: FirstTold
) -> FloatArray:
    """A fact over time; (entities, times)."""
    result = np.full((len(refs), axis.size), np.nan)
    for row, ref in enumerate(refs):
        fill(result[row], held(facts.get(ref, ()), told), axis)
    return result
