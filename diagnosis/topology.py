"""Who belongs to whom in one source: the entities that a rule judges, and the members of a signal's scope."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from resources.problem_cards import Signal
from sessions.model import Entity, EntityRef, Fact, IntArray, SampleSource, Series

_ABSENT = -1
_SHARED = ("device", "datastore")
_SEEN_BY = "\n"  # between the key of what is shared and the host that sees it; no key has it
_DISK_PLACE = re.compile(r"vdisk\..*\.datastore")
_DEEPEST = 8  # parents of parents; a session is untrusted and may hold a cycle


@dataclass(frozen=True, slots=True)
class Members:
    """The series behind a signal: member m is of unit ``row[m]`` (ascending), with ``ids[name][m]`` or −1.

    A unit is what the rows of a scene have in common: ``unit[r]`` is that of row r. Rows of one host share
    what is the host's; else each row is its own unit. ``units`` is how many there are.
    """

    row: IntArray
    unit: IntArray
    units: int
    ids: dict[str, IntArray]
    refs: list[EntityRef]
    instances: list[str]
    sources: list[int]


@dataclass(slots=True)
class _Found:
    row: list[int] = field(default_factory=list)
    ids: dict[str, list[int]] = field(default_factory=dict)
    refs: list[EntityRef] = field(default_factory=list)
    instances: list[str] = field(default_factory=list)
    sources: list[int] = field(default_factory=list)

    def freeze(self, unit: Sequence[int]) -> Members:
        ids = {name: np.array(values, dtype=np.int64) for name, values in self.ids.items()}
        row, units = np.array(self.row, dtype=np.int64), max(unit, default=-1) + 1
        return Members(
            row, np.array(unit, dtype=np.int64), units, ids, self.refs, self.instances, self.sources
        )


class Topology:
    """Entities and series of a session, looked up by what belongs to what.

    A device or datastore that hosts share has one series a host in a vCenter's source, told apart by the
    host as instance. Each host's view of it is an entity of its own here (``base`` gives the shared one),
    so that a rule judges it on each host, as it does with a source for each host.
    """

    def __init__(self, source: SampleSource, counters: Collection[str]) -> None:
        self._entities = dict(source.entities())
        self._facts: dict[str, list[Fact]] = {}
        self._first_said: dict[EntityRef, int] = {}
        for fact in source.facts():  # ordered by start
            self._first_said.setdefault(fact.entity, fact.start)
            self._facts.setdefault(fact.name, []).append(fact)
        self._bases: dict[EntityRef, EntityRef] = {}
        self._views: dict[tuple[EntityRef, str], EntityRef] = {}
        self._seen_from: dict[EntityRef, list[tuple[int, EntityRef]]] = {}
        self._by: dict[tuple[int, str], dict[EntityRef, dict[str, int]]] = {}
        self._users: dict[tuple[int, str], dict[str, list[tuple[EntityRef, int]]]] = {}
        self._own: dict[tuple[int, EntityRef], list[int]] = {}
        self._in_source: dict[int, set[EntityRef]] = {}
        self._ancestors: dict[EntityRef, dict[str, EntityRef]] = {}
        self._groups: dict[int, dict[tuple[EntityRef | None, str], list[EntityRef]]] = {}
        self._facts_said: dict[str, dict[EntityRef, str | float | bool]] = {}
        self._stored: dict[str, set[EntityRef]] | None = None
        self.owner: dict[int, int] = {}
        self.sources = [one.id for one in source.sources()]
        self.placed = _places(self._facts.get("host", ()), source)
        for series in source.series(counters):
            self._add(series)
        for number, found in self._in_source.items():
            found.update([above for ref in list(found) for above in self.ancestors(ref).values()])
            for ref in sorted(found):
                self._seen_from.setdefault(self.base(ref), []).append((number, ref))

    def _add(self, series: Series) -> None:
        ref, instance = series.entity, series.spec.instance
        if instance and ref.kind in _SHARED:
            ref, instance = self._view(ref, instance)
        self.owner[series.id] = series.source
        self._by.setdefault((series.source, series.counter), {}).setdefault(ref, {})[instance] = series.id
        self._in_source.setdefault(series.source, set()).add(ref)
        self._own.setdefault((series.source, ref), []).append(series.id)
        if instance and ref.kind in ("vm", "world"):
            users = self._users.setdefault((series.source, series.counter), {})
            users.setdefault(instance, []).append((ref, series.id))

    def _view(self, ref: EntityRef, instance: str) -> tuple[EntityRef, str]:
        """A host's view of what hosts share, where the instance is a host's key."""
        host = EntityRef("host", instance)
        if host not in self._entities:
            return ref, instance
        if (ref, instance) not in self._views:
            view = EntityRef(ref.kind, f"{ref.key}{_SEEN_BY}{instance}")
            self._views[ref, instance] = view
            self._bases[view] = ref
            self._entities[view] = Entity(view, self.entity(ref).name, host)
        return self._views[ref, instance], ""

    def base(self, ref: EntityRef) -> EntityRef:
        """The entity as the session has it: what is shared, for a host's view of it."""
        return self._bases.get(ref, ref)

    def entity(self, ref: EntityRef) -> Entity:
        """The entity; one that the session does not describe is named by its key."""
        return self._entities.get(ref) or Entity(ref, ref.key)

    def rows(self, source: int, kind: str) -> list[EntityRef]:
        """Entities of the kind that have a series in the source, or something below them has, in order."""
        return self._group(source).get((None, kind), [])

    def ancestors(self, ref: EntityRef) -> dict[str, EntityRef]:
        """The nearest entity of each kind above, the entity itself included."""
        if ref not in self._ancestors:
            above: dict[str, EntityRef] = {}
            current: EntityRef | None = ref
            for _ in range(_DEEPEST):
                if current is None:
                    break
                above.setdefault(current.kind, current)
                known = self._entities.get(current)
                current = known.parent if known else None
            self._ancestors[ref] = above
        return self._ancestors[ref]

    def host(self, source: int, ref: EntityRef) -> EntityRef | None:
        """The host that the entity runs on or hangs off: placement, parent, or the source's only host."""
        above = self.ancestors(ref)
        for one in above.values():
            if key := self.placed.get(one):
                return EntityRef("host", key)
        if "host" in above:
            return above["host"]
        hosts = self.rows(source, "host")
        return hosts[0] if len(hosts) == 1 else None

    def pool(self, ref: EntityRef) -> EntityRef | None:
        """The resource pool that a VM is in, where the session says so."""
        key = self._said("pool").get(ref)
        return EntityRef("pool", str(key)) if key is not None else None

    def _group(self, source: int) -> dict[tuple[EntityRef | None, str], list[EntityRef]]:
        """Entities of a source by what is above them: (None, kind) is all of the kind."""
        if source in self._groups:
            return self._groups[source]
        groups: dict[tuple[EntityRef | None, str], list[EntityRef]] = {}
        self._groups[source] = groups
        found = sorted(self._in_source.get(source, ()))
        for ref in found:
            groups.setdefault((None, ref.kind), []).append(ref)
        for ref in found:
            above = set(self.ancestors(ref).values()) - {ref}
            if host := self.host(source, ref):
                above.add(host)
            for one in above - {ref}:
                groups.setdefault((one, ref.kind), []).append(ref)
        return groups

    def fact(self, name: str, refs: Iterable[EntityRef], at: int) -> list[float]:
        """The fact's value for each entity, latest that had begun by ``at``; NaN where there is none.

        What was said of an entity when it was first seen held before as well, as far as anybody knows: a
        recorder that back-fills an hour comes to know the inventory after the samples.
        """
        known: dict[EntityRef, float] = {}
        for fact in self._facts.get(name, ()):
            begun = fact.start <= max(at, self._first_said[fact.entity])
            if begun and not isinstance(fact.value, str):
                known[fact.entity] = float(fact.value)
        return [known.get(self.base(ref), np.nan) for ref in refs]

    def facts(self, name: str) -> Sequence[Fact]:
        """All facts of the name, ordered by start."""
        return self._facts.get(name, ())

    def stored_on(self, ref: EntityRef) -> Collection[EntityRef]:
        """VMs with disks on a device or datastore, as far as the session says so."""
        base = self.base(ref)
        if base.kind not in _SHARED:
            return ()
        if self._stored is None:
            self._stored = {}
            for name, facts in self._facts.items():
                if _DISK_PLACE.fullmatch(name):
                    for fact in facts:
                        self._stored.setdefault(str(fact.value), set()).add(fact.entity)
        stores = {base.key} if base.kind == "datastore" else {str(self._said("device.datastore").get(base))}
        users = {user for found in self._users.values() for user, _ in found.get(self.entity(base).name, ())}
        return users.union(*(self._stored.get(store, ()) for store in stores))

    def _said(self, name: str) -> dict[EntityRef, str | float | bool]:
        """The latest value of a fact for each entity of which it is known."""
        if name not in self._facts_said:
            self._facts_said[name] = {fact.entity: fact.value for fact in self._facts.get(name, ())}
        return self._facts_said[name]

    def entities_in(self, source: int) -> Collection[EntityRef]:
        """Entities that have a series in the source, and all above them."""
        return self._in_source.get(source, ())

    def series_of(self, source: int, ref: EntityRef) -> list[int]:
        """Ids of the entity's own series in the source."""
        return self._own.get((source, ref), [])

    def has(self, source: int, counter: str) -> bool:
        """Whether the source has the counter for any entity."""
        return (source, counter) in self._by

    def members(
        self, signal: Signal, counters: dict[str, str], source: int, rows: list[EntityRef]
    ) -> Members:
        """The series that the signal is made of, for each of the rows; a row may have none."""
        own = range(len(rows))
        found = _Found(ids={name: [] for name in counters})
        scope = signal.of or "self"
        if scope == "elsewhere":
            views = [self._elsewhere(source, ref) for ref in rows]
            for other in sorted({number for seen in views for number, _ in seen}):
                scoped = [[ref for number, ref in seen if number == other] for seen in views]
                self._collect(found, signal, counters, other, scoped)
            return _sorted(found).freeze(own)
        if scope == "users":
            for other in self.sources:
                self._collect_users(found, counters, source, other, rows)
            return _sorted(found).freeze(own)
        if not scope.startswith("host") or signal.depends_on_self:
            scoped = [self._scope(signal, scope, source, ref) for ref in rows]
            self._collect(found, signal, counters, source, scoped)
            return found.freeze(own)
        hosts = [self.host(source, ref) for ref in rows]
        first: dict[EntityRef | None, int] = {}
        for row, host in enumerate(hosts):
            first.setdefault(host, row)
        scoped = [self._scope(signal, scope, source, rows[row]) for row in first.values()]
        self._collect(found, signal, counters, source, scoped)
        units = {host: number for number, host in enumerate(first)}
        return found.freeze([units[host] for host in hosts])

    def _elsewhere(self, source: int, ref: EntityRef) -> list[tuple[int, EntityRef]]:
        """The same entity as other hosts see it, each host's view once; (source, entity)."""
        met = {self.host(source, ref)}
        found = []
        seen = self._seen_from.get(self.base(ref), [])
        for number, view in sorted(seen, key=lambda one: one[0] != source):
            host = self.host(number, view)
            if (number, view) != (source, ref) and (host is None or host not in met):
                met.add(host)
                found.append((number, view))
        return found

    def _scope(self, signal: Signal, scope: str, source: int, ref: EntityRef) -> list[EntityRef]:
        if scope == "self":
            return [ref]
        host, _, kind = scope.rpartition(".")
        if scope == "host":
            above = self.host(source, ref)
            return [above] if above else []
        base = self.host(source, ref) if host else ref
        found = self._group(source).get((base, kind), []) if base else []
        if signal.others:
            found = [one for one in found if one != ref]
        if signal.where_name:
            wanted = re.compile(signal.where_name)
            found = [one for one in found if wanted.fullmatch(self.entity(one).name)]
        if signal.same_prefix:
            prefix = self.entity(ref).name[: signal.same_prefix]
            found = [one for one in found if self.entity(one).name.startswith(prefix)]
        if signal.same_fact:
            said = self._said(signal.same_fact)
            found = [one for one in found if said.get(one) == said.get(ref)]
        return found

    def _collect(
        self,
        found: _Found,
        signal: Signal,
        counters: dict[str, str],
        source: int,
        scoped: list[list[EntityRef]],
    ) -> None:
        tables = [(name, self._by.get((source, key), {})) for name, key in counters.items()]
        for row, refs in enumerate(scoped):
            for ref in refs:
                present = [(name, table[ref]) for name, table in tables if ref in table]
                instances = {one for _, held in present for one in held if bool(one) == signal.each_instance}
                for instance in sorted(instances):
                    _append(found, row, ref, instance, source)
                    held = {name: ids[instance] for name, ids in present if instance in ids}
                    for name in found.ids:
                        found.ids[name].append(held.get(name, _ABSENT))

    def _collect_users(
        self, found: _Found, counters: dict[str, str], source: int, other: int, rows: Sequence[EntityRef]
    ) -> None:
        tables = [(name, self._users.get((other, key), {})) for name, key in counters.items()]
        for row, ref in enumerate(rows):
            shared = self.entity(self.base(ref)).parent is None
            if not shared and other != source:  # another host's device of the same name
                continue
            instance = self.entity(ref).name
            users = [(name, dict(table.get(instance, ()))) for name, table in tables]
            for user in sorted({one for _, held in users for one in held}):
                if shared or self.host(other, user) == self.host(source, ref):
                    _append(found, row, user, instance, other)
                    for name, held in users:
                        found.ids[name].append(held.get(user, _ABSENT))


def _append(found: _Found, row: int, ref: EntityRef, instance: str, source: int) -> None:
    found.row.append(row)
    found.refs.append(ref)
    found.instances.append(instance)
    found.sources.append(source)


def _sorted(found: _Found) -> _Found:
    order = sorted(range(len(found.row)), key=found.row.__getitem__)
    return _Found(
        [found.row[i] for i in order],
        {name: [ids[i] for i in order] for name, ids in found.ids.items()},
        [found.refs[i] for i in order],
        [found.instances[i] for i in order],
        [found.sources[i] for i in order],
    )


def _places(facts: Sequence[Fact], source: SampleSource) -> dict[EntityRef, str]:
    """The host on which each entity was longest, by its ``host`` facts."""
    span = source.span()
    last = span.end if span else 0
    stays: dict[EntityRef, dict[str, int]] = {}
    for fact in facts:
        end = last if fact.end is None else fact.end
        hosts = stays.setdefault(fact.entity, {})
        hosts[str(fact.value)] = hosts.get(str(fact.value), 0) + max(end - fact.start, 0)
    return {ref: max(hosts, key=hosts.__getitem__) for ref, hosts in stays.items()}
