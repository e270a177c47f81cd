"""Counters that vCenter has not but that follow from what it has, so that one card fits every source."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from diagnosis.arrays import sample_seconds
from diagnosis.derived_facts import derived_facts, latest
from diagnosis.evaluate import Bounds, Operands, bound, evaluate
from diagnosis.facts import facts_until
from diagnosis.language import ExpressionError, Node, Shape, parse
from diagnosis.reduction import reduce_members
from resources.derived_counters import DerivedCounter, DerivedFile
from resources.failures import KnowledgeError
from sessions.model import (
    Entity,
    EntityRef,
    Event,
    Fact,
    FloatArray,
    Frame,
    Gap,
    IntArray,
    SampleSource,
    Series,
    SeriesSpec,
    SeriesStats,
    Source,
)
from sessions.times import TimeRange

_FIRST = 1 << 40  # ids of what is derived; a store counts from 1
_ABSENT = -1


def with_derived(
    source: SampleSource, rules: DerivedFile, counters: Collection[str], window: TimeRange
) -> SampleSource:
    """The session with what can be derived of ``counters``; itself where it has no source for that.

    What an inventory says is taken as it was at the end of the window.

    Raises KnowledgeError where a rule's expression is wrong.
    """
    fitting = {one.id for one in source.sources() if one.spec.kind in rules.kinds}
    return DerivedSource(source, rules, counters, window, fitting) if fitting else source


@dataclass(slots=True)
class _Made:
    """All series that one rule makes in one source: member m is part of series ``first + row[m]``."""

    rule: DerivedCounter
    node: Node
    source: int
    first: int
    series: list[Series] = field(default_factory=list)
    row: list[int] = field(default_factory=list)
    ids: dict[str, list[int]] = field(default_factory=dict)
    owners: list[EntityRef] = field(default_factory=list)

    def add(self, ref: EntityRef, instance: str, members: Sequence[Mapping[str, int]]) -> None:
        """Add a series that is the sum of its members."""
        spec = SeriesSpec(ref, self.rule.counter, "", instance, label=f"derived: {self.rule.source}")
        for member in members:
            self.row.append(len(self.series))
            self.owners.append(ref)
            for name in self.rule.counters:
                self.ids.setdefault(name, []).append(member.get(name, _ABSENT))
        self.series.append(Series(self.first + len(self.series), self.source, spec))


class DerivedSource:
    """A SampleSource with derived series and facts beside the session's own."""

    def __init__(
        self,
        source: SampleSource,
        rules: DerivedFile,
        counters: Collection[str],
        window: TimeRange,
        fitting: set[int],
    ) -> None:
        self._source = source
        self._entities = source.entities()
        facts = facts_until(source.facts(), window.end)
        derived = derived_facts(rules.facts, facts, self._entities)
        self._facts = sorted([*facts, *derived], key=lambda fact: fact.start)
        self._by_fact: dict[str, dict[EntityRef, list[Fact]]] = {}
        for fact in self._facts:
            self._by_fact.setdefault(fact.name, {}).setdefault(fact.entity, []).append(fact)
        wanted = [rule for rule in rules.counters if rule.counter in counters]
        needed = {key for rule in wanted for key in rule.counters.values()}
        self._real_counters = {*counters, *needed}
        self._real = list(source.series(self._real_counters))
        self._made: list[_Made] = []
        for one in sorted(fitting):
            self._derive(one, wanted)

    def span(self) -> TimeRange | None:
        """First to last sample of all sources."""
        return self._source.span()

    def sources(self) -> Sequence[Source]:
        """All sources."""
        return self._source.sources()

    def entities(self) -> dict[EntityRef, Entity]:
        """All entities by ref."""
        return self._entities

    def facts(self) -> Sequence[Fact]:
        """All facts and what follows from them, ordered by start."""
        return self._facts

    def events(self) -> Sequence[Event]:
        """All events."""
        return self._source.events()

    def gaps(self) -> Sequence[Gap]:
        """All gaps."""
        return self._source.gaps()

    def times(self, source: int, window: TimeRange | None = None) -> IntArray:
        """Sampling instants of a source."""
        return self._source.times(source, window)

    def series(self, counters: Collection[str] | None = None) -> Sequence[Series]:
        """The session's own series, then derived ones."""
        made = [series for one in self._made for series in one.series]
        if counters is None:
            return [*self._source.series(), *made]
        known = self._real_counters.issuperset(counters)
        own = self._real if known else self._source.series(counters)
        return [one for some in (own, made) for one in some if one.counter in counters]

    def stats(self, ids: IntArray, window: TimeRange | None = None) -> SeriesStats:
        """Statistics of each series; of a derived one only bounds, which may be too wide, and no mean."""
        ids = np.asarray(ids, np.int64)
        own = ids < _FIRST
        found = self._source.stats(ids[own], window)
        count = np.zeros(ids.size, np.int64)
        low, high, mean = (np.full(ids.size, np.nan) for _ in range(3))
        count[own], low[own], high[own], mean[own] = found.count, found.minimum, found.maximum, found.mean
        for made, where, rows in self._chosen(ids):
            bounds, counts = self._bounds(made, rows, window)
            count[where], low[where], high[where] = counts, bounds.low, bounds.high
        return SeriesStats(count, low, high, mean)

    def read(self, ids: IntArray, window: TimeRange | None = None) -> list[Frame]:
        """Samples: the session's own frames, then one for each rule and source of derived series."""
        ids = np.asarray(ids, np.int64)
        frames = self._source.read(ids[ids < _FIRST], window) if (ids < _FIRST).any() else []
        for made, where, rows in self._chosen(ids):
            axis = self._source.times(made.source, window)
            frames.append(Frame(made.source, ids[where], axis, self._values(made, rows, axis, window).T))
        return frames

    def _derive(self, source: int, rules: Iterable[DerivedCounter]) -> None:
        by: dict[str, dict[EntityRef, dict[str, int]]] = {}
        for series in self._real:
            if series.source == source:
                held = by.setdefault(series.counter, {}).setdefault(series.entity, {})
                held[series.spec.instance] = series.id
        sampled = {ref for held in by.values() for ref in held}
        for rule in rules:
            made = _Made(rule, _parsed(rule), source, _FIRST + sum(len(one.series) for one in self._made))
            if rule.each:
                self._over_disks(made, by)
            elif rule.counters:
                self._over_counters(made, by)
            else:
                self._over_facts(made, by.get(rule.counter, {}), sampled)
            self._made.append(made)
            sampled.update(made.owners)
            for series in made.series:
                held = by.setdefault(rule.counter, {}).setdefault(series.entity, {})
                held[series.spec.instance] = series.id

    def _over_counters(self, made: _Made, by: Mapping[str, Mapping[EntityRef, Mapping[str, int]]]) -> None:
        rule = made.rule
        tables = {name: by.get(key, {}) for name, key in rule.counters.items()}
        there = by.get(rule.counter, {})
        needed = [name for name in rule.counters if name not in rule.optional]
        for ref in sorted(tables[needed[0]]):
            if ref.kind not in rule.entities or ref in there or not self._fits(rule, ref):
                continue
            for instance in sorted(tables[needed[0]][ref]):
                ids = {
                    name: table[ref][instance]
                    for name, table in tables.items()
                    if instance in table.get(ref, ())
                }
                if all(name in ids for name in needed):
                    made.add(ref, instance, [ids])

    def _over_facts(self, made: _Made, there: Collection[EntityRef], sampled: Collection[EntityRef]) -> None:
        for ref in sorted(self._by_fact.get(made.rule.known, {})):
            lacks = ref.kind in made.rule.entities and ref in sampled and ref not in there
            if lacks and self._fits(made.rule, ref):
                made.add(ref, "", [{}])

    def _over_disks(self, made: _Made, by: Mapping[str, Mapping[EntityRef, Mapping[str, int]]]) -> None:
        """Sums over VMs' virtual disks; those of one device get the device's name as instance."""
        rule = made.rule
        there = by.get(rule.counter, {})
        tables = {name: by.get(key, {}) for name, key in rule.counters.items()}
        found: dict[tuple[EntityRef, str], list[dict[str, int]]] = {}
        stores = self._devices_of_stores() if rule.each == "device" else {}
        for ref in sorted(next(iter(tables.values()))):
            entity = self._entities.get(ref)
            if ref.kind != "vdisk" or entity is None or entity.parent is None or entity.parent in there:
                continue
            ids = {name: table[ref][""] for name, table in tables.items() if "" in table.get(ref, ())}
            places = stores.get(self._store_of(entity), []) if rule.each == "device" else [""]
            if len(ids) == len(tables):
                for place in places:
                    found.setdefault((entity.parent, place), []).append(ids)
        for (owner, instance), members in sorted(found.items()):
            made.add(owner, instance, members)

    def _devices_of_stores(self) -> dict[str, list[str]]:
        """Names of the devices on which each datastore lies, by the datastore's key and name."""
        found: dict[str, list[str]] = {}
        names = {ref.key: entity.name for ref, entity in self._entities.items() if ref.kind == "datastore"}
        for ref, fact in latest(self._facts, "device.datastore").items():
            store = str(fact.value)
            device = self._entities[ref].name if ref in self._entities else ref.key
            for key in {store, names.get(store, store)}:
                found.setdefault(key, []).append(device)
        return found

    def _store_of(self, disk: Entity) -> str:
        """Where the virtual disk lies, as the inventory says of its VM."""
        assert disk.parent
        said = self._by_fact.get(f"vdisk.{disk.name}.datastore", {}).get(disk.parent)
        return str(said[-1].value) if said else ""

    def _fits(self, rule: DerivedCounter, ref: EntityRef) -> bool:
        """Whether what the rule asks of the entity is known and so."""
        if rule.known and ref not in self._by_fact.get(rule.known, {}):
            return False
        for name, pattern in rule.where.items():
            said = self._by_fact.get(name, {}).get(ref)
            if not said or not re.fullmatch(pattern, str(said[-1].value)):
                return False
        return True

    def _chosen(self, ids: IntArray) -> Iterable[tuple[_Made, IntArray, IntArray]]:
        """Rules that make any of the series: where in ``ids``, and which of the rule's."""
        if not (ids >= _FIRST).any():
            return
        for made in self._made:
            where = np.flatnonzero((ids >= made.first) & (ids < made.first + len(made.series)))
            if where.size:
                yield made, where, ids[where] - made.first

    def _members(self, made: _Made, rows: IntArray) -> tuple[IntArray, IntArray]:
        """Positions of the members of the chosen series, and which of ``rows`` each is part of."""
        owner = np.array(made.row, dtype=np.int64)
        place = np.full(len(made.series), -1, np.int64)
        place[rows] = np.arange(rows.size)
        mine = np.flatnonzero(place[owner] >= 0)
        order = np.argsort(place[owner[mine]], kind="stable")
        return mine[order], place[owner[mine[order]]]

    def _values(self, made: _Made, rows: IntArray, axis: IntArray, window: TimeRange | None) -> FloatArray:
        """Samples (rows, times)."""
        members, row = self._members(made, rows)
        names: dict[str, FloatArray | float] = {}
        for name in made.rule.counters:
            names[name] = self._rows(np.array(made.ids[name])[members], axis, window)
        for name, fact in made.rule.facts.items():
            names[name] = self._fact_rows(fact, [made.owners[one] for one in members.tolist()], axis)
        shape = (members.size, axis.size)
        operands = Operands(names, axis, np.ones(shape, dtype=np.bool_), sample_seconds(axis))
        values = np.broadcast_to(evaluate(made.node, operands), shape)
        return reduce_members(values, row, rows.size, "sum")

    def _rows(self, ids: IntArray, axis: IntArray, window: TimeRange | None) -> FloatArray:
        """Samples of series of one source on its axis."""
        result = np.full((ids.size, axis.size), np.nan)
        places: dict[int, list[int]] = {}
        for position, one in enumerate(ids.tolist()):
            if one != _ABSENT:
                places.setdefault(one, []).append(position)
        for frame in self.read(np.array(sorted(places), dtype=np.int64), window) if places else ():
            columns = np.searchsorted(axis, frame.times)
            for column, one in enumerate(frame.ids.tolist()):
                for position in places[one]:
                    result[position, columns] = frame.values[:, column]
        return result

    def _fact_rows(self, name: str, refs: Sequence[EntityRef], axis: IntArray) -> FloatArray:
        """A fact over time: what was known first is taken to have held before, too."""
        result = np.full((len(refs), axis.size), np.nan)
        known = self._by_fact.get(name, {})
        for row, ref in enumerate(refs):
            for number, fact in enumerate(known.get(ref, ())):
                if not isinstance(fact.value, str):
                    start = 0 if number == 0 else int(np.searchsorted(axis, fact.start))
                    end = axis.size if fact.end is None else int(np.searchsorted(axis, fact.end))
                    result[row, start:end] = float(fact.value)
        return result

    def _bounds(self, made: _Made, rows: IntArray, window: TimeRange | None) -> tuple[Bounds, IntArray]:
        members, row = self._members(made, rows)
        names: dict[str, Bounds] = {}
        axis = self._source.times(made.source, window)
        counts = np.full(members.size, axis.size, np.int64)
        for name in made.rule.counters:
            ids = np.array(made.ids[name])[members]
            found = self.stats(np.maximum(ids, 1), window)
            absent = ids == _ABSENT
            names[name] = Bounds(
                np.where(absent, np.nan, found.minimum), np.where(absent, np.nan, found.maximum)
            )
            if name not in made.rule.optional:
                counts = np.minimum(counts, found.count)
        for name, fact in made.rule.facts.items():
            known = self._fact_rows(fact, [made.owners[one] for one in members.tolist()], axis)
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


def _parsed(rule: DerivedCounter) -> Node:
    names = dict.fromkeys((*rule.counters, *rule.facts), Shape.SERIES)
    try:
        return parse(rule.expr, names)
    except ExpressionError as error:
        raise KnowledgeError(f"problems/_derived.toml: {rule.counter}: {error}.") from error
