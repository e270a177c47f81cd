"""Applies the rules for derived counters to a session's own series, facts and virtual disks."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from diagnosis.derived_facts import latest
from diagnosis.facts import FirstTold, Held, held
from diagnosis.language import ExpressionError, Node, Shape, parse
from resources.derived_counters import DerivedCounter
from resources.failures import KnowledgeError
from sessions.model import Entity, EntityRef, Fact, IntArray, Series, SeriesSpec

ABSENT = -1

FactsByName = Mapping[str, Mapping[EntityRef, Sequence[Fact]]]
"""The facts of each name and entity, ordered by start."""


@dataclass(slots=True)
class DerivedSeries:
    """All series that one rule derives in one source: member m is part of series ``first + row[m]``.

    ``ids[name][m]`` is the series that member m uses for the operand ``name``, or ABSENT; ``owners`` are the
    entities of the derived series. ``elsewhere[m]`` is when member m counts for another series, and is
    0 here.
    """

    rule: DerivedCounter
    node: Node
    source: int
    first: int
    series: list[Series] = field(default_factory=list)
    row: list[int] = field(default_factory=list)
    ids: dict[str, list[int]] = field(default_factory=dict)
    owners: list[EntityRef] = field(default_factory=list)
    elsewhere: dict[int, Sequence[Held]] = field(default_factory=dict)

    def add(
        self,
        ref: EntityRef,
        instance: str,
        members: Sequence[Mapping[str, int]],
        elsewhere: Sequence[Sequence[Held]] = (),
    ) -> None:
        """Add a derived series that is the sum of its members."""
        spec = SeriesSpec(ref, self.rule.counter, "", instance, label=f"derived: {self.rule.source}")
        for number, member in enumerate(members):
            if elsewhere and elsewhere[number]:
                self.elsewhere[len(self.row)] = elsewhere[number]
            self.row.append(len(self.series))
            self.owners.append(ref)
            for name in self.rule.counters:
                self.ids.setdefault(name, []).append(member.get(name, ABSENT))
        self.series.append(Series(self.first + len(self.series), self.source, spec))

    def members(self, rows: IntArray) -> tuple[IntArray, IntArray]:
        """Return the positions of the members of the chosen series, and for each member its
        position in ``rows``.
        """
        owner = np.array(self.row, dtype=np.int64)
        place = np.full(len(self.series), -1, np.int64)
        place[rows] = np.arange(rows.size)
        mine = np.flatnonzero(place[owner] >= 0)
        order = np.argsort(place[owner[mine]], kind="stable")
        return mine[order], place[owner[mine[order]]]


class DerivationRules:
    """Applies rules to the series of one source at a time.

    ``series`` are the series of all sources that rules may use; ``facts`` are ordered by start, and ``told``
    says which held before them. What ended before ``since`` (ms) is none of the session's window.
    """

    def __init__(
        self,
        series: Sequence[Series],
        entities: Mapping[EntityRef, Entity],
        facts: Sequence[Fact],
        facts_by_name: FactsByName,
        told: FirstTold,
        since: int,
    ) -> None:
        self._series, self._entities = series, entities
        self._facts, self._by_fact = facts, facts_by_name
        self._told, self._since = told, since

    def derive(self, source: int, rules: Iterable[DerivedCounter], first: int) -> list[DerivedSeries]:
        """Return the series that each rule derives in ``source``; they get ids from ``first`` on."""
        result: list[DerivedSeries] = []
        by: dict[str, dict[EntityRef, dict[str, int]]] = {}
        for series in self._series:
            if series.source == source:
                held = by.setdefault(series.counter, {}).setdefault(series.entity, {})
                held[series.spec.instance] = series.id
        sampled = {ref for held in by.values() for ref in held}
        for rule in rules:
            made = DerivedSeries(rule, _parsed(rule), source, first + sum(len(one.series) for one in result))
            if rule.each:
                self._over_disks(made, by)
            elif rule.counters:
                self._over_counters(made, by)
            else:
                self._over_facts(made, by.get(rule.counter, {}), sampled)
            result.append(made)
            sampled.update(made.owners)
            for series in made.series:
                held = by.setdefault(rule.counter, {}).setdefault(series.entity, {})
                held[series.spec.instance] = series.id
        return result

    def _over_counters(
        self, made: DerivedSeries, by: Mapping[str, Mapping[EntityRef, Mapping[str, int]]]
    ) -> None:
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

    def _over_facts(
        self, made: DerivedSeries, there: Collection[EntityRef], sampled: Collection[EntityRef]
    ) -> None:
        for ref in sorted(self._by_fact.get(made.rule.known, {})):
            lacks = ref.kind in made.rule.entities and ref in sampled and ref not in there
            if lacks and self._fits(made.rule, ref):
                made.add(ref, "", [{}])

    def _over_disks(
        self, made: DerivedSeries, by: Mapping[str, Mapping[EntityRef, Mapping[str, int]]]
    ) -> None:
        """Sums over VMs' virtual disks; those of one device get the device's name as instance, and count
        for it while they lay there.
        """
        rule = made.rule
        there = by.get(rule.counter, {})
        tables = {name: by.get(key, {}) for name, key in rule.counters.items()}
        found: dict[tuple[EntityRef, str], list[dict[str, int]]] = {}
        elsewhere: dict[tuple[EntityRef, str], list[Sequence[Held]]] = {}
        stores = self._devices_of_stores() if rule.each == "device" else {}
        for ref in sorted(next(iter(tables.values()))):
            entity = self._entities.get(ref)
            if ref.kind != "vdisk" or entity is None or entity.parent is None or entity.parent in there:
                continue
            ids = {name: table[ref][""] for name, table in tables.items() if "" in table.get(ref, ())}
            if len(ids) != len(tables):
                continue
            lay = self._lay_on(entity) if rule.each == "device" else []
            on = {one: stores.get(str(one.value), []) for one in lay}
            places = [device for devices in on.values() for device in devices]
            for place in dict.fromkeys(places if rule.each == "device" else [""]):
                found.setdefault((entity.parent, place), []).append(ids)
                away = [one for one, devices in on.items() if place not in devices]
                elsewhere.setdefault((entity.parent, place), []).append(away)
        for (owner, instance), members in sorted(found.items()):
            made.add(owner, instance, members, elsewhere[owner, instance])

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

    def _lay_on(self, disk: Entity) -> Sequence[Held]:
        """Where the virtual disk lay when, as the inventory says of its VM."""
        assert disk.parent
        facts = self._by_fact.get(f"vdisk.{disk.name}.datastore", {}).get(disk.parent, ())
        return [one for one in held(facts, self._told) if one.end > self._since]

    def _fits(self, rule: DerivedCounter, ref: EntityRef) -> bool:
        """True if the facts that the rule asks of the entity are known, with values that it accepts."""
        if rule.known and ref not in self._by_fact.get(rule.known, {}):
            return False
        for name, pattern in rule.where.items():
            facts = self._by_fact.get(name, {}).get(ref)
            if not facts or not re.fullmatch(pattern, str(facts[-1].value)):
                return False
        return True


def _parsed(rule: DerivedCounter) -> Node:
    names = dict.fromkeys((*rule.counters, *rule.facts), Shape.SERIES)
    try:
        return parse(rule.expr, names)
    except ExpressionError as error:
        raise KnowledgeError(f"problems/_derived.toml: {rule.counter}: {error}.") from error
