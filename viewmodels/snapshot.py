"""A snapshot: everything in a session but samples, read once in a worker and shared by all views."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from sessions.current_records import current_events
from sessions.guest_vms import guests_by_vm
from sessions.model import Entity, EntityRef, Event, Fact, Gap, Mark, Series, Source
from sessions.store import SessionInfo, SessionReader
from sessions.times import TimeRange
from viewmodels.host_domains import shared_domain
from viewmodels.joined_sources import JOINED_BY, is_guess
from viewmodels.placement import Relations, datastores_during, hosts_during, with_relations
from viewmodels.storage_facts import with_storage_facts

USUAL_INTERVAL_S = 20.0
"""The sampling interval of vCenter, assumed for sources with fewer than two samples; seconds."""


@dataclass(frozen=True)
class SeriesIndex:
    """All series, found by entity or by id. The object is kept as long as the session has the same series."""

    series: Sequence[Series]

    def built(self) -> SeriesIndex:
        """Build all lookup tables now, in a worker, so that the GUI thread need not; returns itself."""
        _ = self.series_of, self.by_id, self.count_by_source, self.devices_used
        return self

    @cached_property
    def series_of(self) -> Mapping[EntityRef, Sequence[Series]]:
        """The series of each entity that has any."""
        found: dict[EntityRef, list[Series]] = {}
        for series in self.series:
            found.setdefault(series.entity, []).append(series)
        return found

    @cached_property
    def count_by_source(self) -> Mapping[int, int]:
        """How many series each source has, by source id."""
        return Counter([series.source for series in self.series])

    @cached_property
    def by_id(self) -> Mapping[int, Series]:
        """All series by their id."""
        return {series.id: series for series in self.series}

    @cached_property
    def devices_used(self) -> Mapping[EntityRef, frozenset[str]]:
        """The names by which each VM uses devices and datastores, among the instances of its counters."""
        found: dict[EntityRef, set[str]] = {}
        for series in self.series:
            spec = series.spec
            if spec.instance and spec.entity.kind == "vm":
                found.setdefault(spec.entity, set()).add(spec.instance)
        return {ref: frozenset(names) for ref, names in found.items()}


@dataclass(frozen=True)
class EntityIndex:
    """The session's entities, found by ref or by parent. The object is kept until an entity changes."""

    entities: Mapping[EntityRef, Entity]

    def built(self) -> EntityIndex:
        """Build all lookup tables now, in a worker, so that the GUI thread need not; returns itself."""
        _ = self.children, self.storage_named, self.hosts_by_name, self.host_domain, self.repeated_vm_names
        return self

    @cached_property
    def host_domain(self) -> str:
        """The DNS domain that all hosts share, with its dot; empty if they share none."""
        return shared_domain(one.name for one in self.entities.values() if one.ref.kind == "host")

    @cached_property
    def repeated_vm_names(self) -> frozenset[str]:
        """The names that more than one VM has."""
        count = Counter(one.name for one in self.entities.values() if one.ref.kind == "vm")
        return frozenset(name for name, vms in count.items() if vms > 1)

    @cached_property
    def children(self) -> Mapping[EntityRef | None, Sequence[Entity]]:
        """The entities directly below each entity, in the session's order; those without a parent
        under None.
        """
        found: dict[EntityRef | None, list[Entity]] = {}
        for entity in self.entities.values():
            found.setdefault(entity.parent, []).append(entity)
        return found

    @cached_property
    def hosts_by_name(self) -> Mapping[str, EntityRef]:
        """The hosts by their names and keys."""
        hosts = [one for one in self.entities.values() if one.ref.kind == "host"]
        return {name: one.ref for one in hosts for name in (one.name, one.ref.key)}

    @cached_property
    def storage_named(self) -> Mapping[str, Sequence[EntityRef]]:
        """The devices and datastores by name, and by key where that is another text."""
        found: dict[str, list[EntityRef]] = {}
        for ref, entity in self.entities.items():
            if ref.kind in {"device", "datastore"}:
                for name in dict.fromkeys((entity.name, ref.key)):
                    found.setdefault(name, []).append(ref)
        return found


@dataclass(frozen=True)
class ChangingRecords:
    """Records that a growing session adds to: each entity's latest name and host, how it was recognised
    (``joined``), the facts that name other entities (``relations``) or tell the class of storage
    (``storage``, ordered by start), how many facts are of guests (``of_guests``), and all events.

    A large vCenter has 700,000 facts: when the session grows, only facts written after number ``facts_to``
    and events after ``events_to`` are read.
    """

    names: Mapping[EntityRef, Fact] = field(default_factory=dict)
    hosts: Mapping[EntityRef, Fact] = field(default_factory=dict)
    joined: Mapping[EntityRef, Fact] = field(default_factory=dict)
    relations: Relations = field(default_factory=dict)
    storage: Sequence[Fact] = ()
    of_guests: int = 0
    events: Sequence[Event] = ()
    facts_to: int = 0
    events_to: int = 0

    def with_new(self, reader: SessionReader) -> ChangingRecords:
        """Return these records with those written since they were read; itself if there are none."""
        facts, facts_to = reader.written(Fact, self.facts_to)
        events, events_to = reader.written(Event, self.events_to)
        if (facts_to, events_to) == (self.facts_to, self.events_to):
            return self
        return ChangingRecords(
            _latest(self.names, facts, "name"),
            _latest(self.hosts, facts, "host"),
            _latest(self.joined, facts, JOINED_BY),
            with_relations(self.relations, facts),
            with_storage_facts(self.storage, facts),
            self.of_guests + sum(fact.entity.kind == "guest" for fact in facts),
            current_events([*self.events, *events]) if events else self.events,
            facts_to,
            events_to,
        )

    @cached_property
    def has_moves(self) -> bool:
        """True if any VM was on several hosts."""
        return any(len(hosts_during(self.relations, ref)) > 1 for ref in self.hosts)

    def with_names(self, entities: Mapping[EntityRef, Entity]) -> Mapping[EntityRef, Entity]:
        """Return the entities under their current names: an entity record keeps the first name, later names
        are facts.
        """
        names = {ref: str(fact.value) for ref, fact in self.names.items() if fact.end is None}
        return {
            ref: replace(entity, name=names[ref]) if ref in names else entity
            for ref, entity in entities.items()
        }


def _latest(known: Mapping[EntityRef, Fact], written: Sequence[Fact], name: str) -> Mapping[EntityRef, Fact]:
    """Return each entity's fact ``name`` with the latest start; among equal starts the one written last."""
    new = [fact for fact in written if fact.name == name]
    if not new:
        return known
    latest = dict(known)
    for fact in new:
        before = latest.get(fact.entity)
        if before is None or fact.start >= before.start:
            latest[fact.entity] = fact
    return latest


@dataclass(frozen=True)
class Snapshot:
    """A session without its samples, at one moment. Any change makes a new snapshot."""

    path: Path
    title: str
    span: TimeRange | None
    sources: tuple[Source, ...]
    entity_index: EntityIndex
    series_index: SeriesIndex
    records: ChangingRecords
    marks: Sequence[Mark]
    gaps: Sequence[Gap]
    bytes: int
    intervals: Mapping[int, float]
    """Seconds between two samples of each source, as it says or as it was measured; by source id."""
    guests: Mapping[EntityRef, Sequence[EntityRef]] = field(default_factory=dict)
    """The guests that run in each VM, by what is no guess."""

    @property
    def entities(self) -> Mapping[EntityRef, Entity]:
        """All entities by ref."""
        return self.entity_index.entities

    @property
    def series(self) -> Sequence[Series]:
        """All series, ordered by id."""
        return self.series_index.series

    @property
    def series_of(self) -> Mapping[EntityRef, Sequence[Series]]:
        """The series of each entity that has any."""
        return self.series_index.series_of

    @property
    def by_id(self) -> Mapping[int, Series]:
        """All series by their id."""
        return self.series_index.by_id

    @property
    def children(self) -> Mapping[EntityRef | None, Sequence[Entity]]:
        """The entities directly below each entity, in the session's order; those without a parent
        under None.
        """
        return self.entity_index.children

    @property
    def events(self) -> Sequence[Event]:
        """All events, ordered by time. The object is kept as long as no event is added."""
        return self.records.events

    @cached_property
    def devices_of(self) -> Mapping[EntityRef, Sequence[EntityRef]]:
        """The devices that each datastore is on."""
        found: dict[EntityRef, list[EntityRef]] = {}
        for ref in self.entities:
            for store, _ in datastores_during(self.records.relations, ref) if ref.kind == "device" else ():
                found.setdefault(store, []).append(ref)
        return found

    def host_of(self, ref: EntityRef) -> EntityRef | None:
        """Return the host that an entity was last placed on; None if no fact says so."""
        fact = self.records.hosts.get(ref)
        return EntityRef("host", str(fact.value)) if fact else None

    def is_guessed(self, ref: EntityRef) -> bool:
        """True for a VM, or a part of one, that sources know as the same by its name alone."""
        entity = self.entities.get(ref)
        parent = entity.parent if entity is not None and ref.kind != "vm" else None
        found = (self.records.joined.get(one) for one in (ref, parent) if one is not None)
        return any(fact.end is None and is_guess(str(fact.value)) for fact in found if fact is not None)

    @property
    def samples(self) -> int:
        """How many samples all sources have together."""
        return sum(source.samples for source in self.sources)

    @property
    def recording(self) -> bool:
        """True if any source of the session is in the state ``recording`` or ``importing``."""
        return any(source.state in {"recording", "importing"} for source in self.sources)

    def name(self, ref: EntityRef) -> str:
        """Return the entity's display name; its key if the session has no such entity."""
        entity = self.entities.get(ref)
        return entity.name if entity else ref.key


@dataclass(frozen=True, slots=True)
class Change:
    """What differs between two snapshots. ``sources``: the user chose other sources, so all may differ."""

    samples: bool = False
    inventory: bool = False
    records: bool = False
    sources: bool = False

    def __bool__(self) -> bool:
        return self.samples or self.inventory or self.records


def is_own(series: Series) -> bool:
    """True if a series measures its entity as a whole, False for a part of it (a CPU, a partition).

    For a device or datastore vCenter puts the host that sees it into the instance: that is the whole, too.
    """
    instance = series.spec.instance
    seen_by_host = series.entity.kind in {"device", "datastore"} and not instance.startswith("partition")
    return not instance or seen_by_host


def snapshot_of_sources(whole: Snapshot, sources: Collection[int]) -> Snapshot:
    """Return the part of a session that some sources recorded: their series, gaps and entities.

    Entities above those with series are included. An empty ``sources`` returns the whole snapshot.
    """
    if not sources:
        return whole
    series = [one for one in whole.series if one.source in sources]
    included: set[EntityRef] = set()
    for one in series:
        ref: EntityRef | None = one.entity
        while ref is not None and ref not in included:  # a session is untrusted and may hold a cycle
            included.add(ref)
            entity = whole.entities.get(ref)
            ref = entity.parent if entity is not None else None
    entities = {ref: entity for ref, entity in whole.entities.items() if ref in included}
    return replace(
        whole,
        entity_index=EntityIndex(entities).built(),
        series_index=SeriesIndex(series).built(),
        gaps=[gap for gap in whole.gaps if gap.source in sources],
    )


def renewed_of_sources(whole: Snapshot, old: Snapshot, seen: Snapshot, sources: Collection[int]) -> Snapshot:
    """Return ``snapshot_of_sources(whole, sources)``, reusing indexes of an earlier result.

    ``seen`` is the earlier result, made from the snapshot ``old``; its indexes are reused if entities and
    series are still the same.
    """
    same = whole.entity_index is old.entity_index and whole.series_index is old.series_index
    if not sources or not same:
        return snapshot_of_sources(whole, sources)
    return replace(
        whole,
        entity_index=seen.entity_index,
        series_index=seen.series_index,
        gaps=[gap for gap in whole.gaps if gap.source in sources],
    )


def read_snapshot(reader: SessionReader, path: Path) -> Snapshot:
    """Read the snapshot of a session that was just opened; call this in a worker thread."""
    with reader.one_state():
        info, records = reader.info(), ChangingRecords().with_new(reader)
        return Snapshot(
            path=path,
            title=info.title or path.stem,
            span=info.span,
            sources=tuple(info.sources),
            entity_index=EntityIndex(records.with_names(reader.entities())).built(),
            series_index=SeriesIndex(reader.series()).built(),
            records=records,
            marks=reader.marks(),
            gaps=info.gaps,
            bytes=info.bytes,
            intervals=_intervals(info),
            guests=_guests(reader, records),
        )


def renewed_snapshot(reader: SessionReader, old: Snapshot) -> tuple[Snapshot, Change]:
    """Read what was written since ``old``; returns the new snapshot and what differs.

    Parts that did not change are the same objects as in ``old``.
    """
    with reader.one_state():
        info, records, marks = reader.info(), old.records.with_new(reader), reader.marks()
        entities, series = old.entity_index, old.series_index
        if sum(info.entities.values()) != len(old.entities) or records.names != old.records.names:
            entities = EntityIndex(records.with_names(reader.entities())).built()
        if info.series != len(old.series):
            series = SeriesIndex(reader.series()).built()
        has_new = records.of_guests != old.records.of_guests or entities is not old.entity_index
        guests = _guests(reader, records) if has_new else old.guests
    new = replace(
        old,
        guests=guests,
        span=info.span,
        sources=tuple(info.sources),
        entity_index=entities,
        series_index=series,
        records=records,
        marks=old.marks if marks == old.marks else marks,
        gaps=old.gaps if info.gaps == old.gaps else info.gaps,
        bytes=info.bytes,
        intervals=_intervals(info),
    )
    return new, _change(old, new)


def _guests(reader: SessionReader, records: ChangingRecords) -> Mapping[EntityRef, Sequence[EntityRef]]:
    """The guests of each VM; who has none need not read all facts for it."""
    return guests_by_vm(reader.entities(), reader.facts()) if records.of_guests else {}


def _intervals(info: SessionInfo) -> Mapping[int, float]:
    return {source: interval or USUAL_INTERVAL_S for source, interval in info.intervals.items()}


def _change(old: Snapshot, new: Snapshot) -> Change:
    before, after = ([source.state for source in one.sources] for one in (old, new))
    same_things = new.entity_index is old.entity_index and new.series_index is old.series_index
    same_classes = new.records.hosts == old.records.hosts and new.records.storage is old.records.storage
    same_records = (new.events, new.marks, new.gaps) == (old.events, old.marks, old.gaps)
    return Change(
        samples=new.samples != old.samples or new.span != old.span or before != after,
        inventory=not (same_things and same_classes),
        records=not same_records or len(before) != len(after),
    )
