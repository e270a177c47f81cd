"""What a session holds at a moment, read once in a worker and shared by all views as one frozen value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from sessions.model import Entity, EntityRef, Event, Fact, Gap, Mark, Series, Source
from sessions.store import SessionReader
from sessions.times import TimeRange


@dataclass(frozen=True)
class Index:
    """Entities and series with ways to find them; one object for as long as a session has the same."""

    entities: Mapping[EntityRef, Entity]
    series: Sequence[Series]

    def with_ways(self) -> Index:
        """Itself, its ways made: where a worker made it, the window need not."""
        _ = self.series_of, self.by_id, self.children
        return self

    @cached_property
    def series_of(self) -> Mapping[EntityRef, Sequence[Series]]:
        """The series of each entity that has any."""
        found: dict[EntityRef, list[Series]] = {}
        for series in self.series:
            found.setdefault(series.entity, []).append(series)
        return found

    @cached_property
    def by_id(self) -> Mapping[int, Series]:
        """Series by their id."""
        return {series.id: series for series in self.series}

    @cached_property
    def children(self) -> Mapping[EntityRef | None, Sequence[Entity]]:
        """The entities below each one; those without a parent under None. In the order of the session."""
        found: dict[EntityRef | None, list[Entity]] = {}
        for entity in self.entities.values():
            found.setdefault(entity.parent, []).append(entity)
        return found


@dataclass(frozen=True)
class Snapshot:
    """A session's index, without its samples. A new one means that something changed."""

    path: Path
    title: str
    span: TimeRange | None
    sources: tuple[Source, ...]
    index: Index
    facts: Sequence[Fact]
    events: Sequence[Event]
    marks: Sequence[Mark]
    gaps: Sequence[Gap]
    bytes: int

    @property
    def entities(self) -> Mapping[EntityRef, Entity]:
        """All entities by ref."""
        return self.index.entities

    @property
    def series(self) -> Sequence[Series]:
        """All series, ordered by id."""
        return self.index.series

    @property
    def series_of(self) -> Mapping[EntityRef, Sequence[Series]]:
        """The series of each entity that has any."""
        return self.index.series_of

    @property
    def by_id(self) -> Mapping[int, Series]:
        """Series by their id."""
        return self.index.by_id

    @property
    def children(self) -> Mapping[EntityRef | None, Sequence[Entity]]:
        """The entities below each one; those without a parent under None. In the order of the session."""
        return self.index.children

    @property
    def samples(self) -> int:
        """How many samples all sources have."""
        return sum(source.samples for source in self.sources)

    @property
    def recording(self) -> bool:
        """Whether somebody says that a source is still being recorded or imported."""
        return any(source.state in {"recording", "importing"} for source in self.sources)

    def name(self, ref: EntityRef) -> str:
        """What an admin calls the entity; its key where the session does not know it."""
        entity = self.entities.get(ref)
        return entity.name if entity else ref.key


@dataclass(frozen=True, slots=True)
class Change:
    """What became different from one snapshot to the next."""

    samples: bool = False
    inventory: bool = False
    records: bool = False

    def __bool__(self) -> bool:
        return self.samples or self.inventory or self.records


def is_own(series: Series) -> bool:
    """Whether a series is of its entity as a whole, not of a part of it (a CPU, a partition).

    vCenter names the host that sees a shared device or datastore in the instance: that is the whole, too.
    """
    instance = series.spec.instance
    seen_by_host = series.entity.kind in {"device", "datastore"} and not instance.startswith("partition")
    return not instance or seen_by_host


def take(reader: SessionReader, path: Path) -> Snapshot:
    """Read everything; for a worker thread."""
    info, facts = reader.info(), reader.facts()
    return Snapshot(
        path=path,
        title=info.title or path.stem,
        span=info.span,
        sources=tuple(info.sources),
        index=Index(_as_named_now(reader.entities(), facts), reader.series()).with_ways(),
        facts=facts,
        events=reader.events(),
        marks=reader.marks(),
        gaps=info.gaps,
        bytes=info.bytes,
    )


def _as_named_now(entities: Mapping[EntityRef, Entity], facts: Sequence[Fact]) -> Mapping[EntityRef, Entity]:
    """Entities keep the name under which they were first seen; who was renamed since has a fact ``name``."""
    names = {fact.entity: str(fact.value) for fact in facts if fact.name == "name" and fact.end is None}
    return {
        ref: replace(entity, name=names[ref]) if ref in names else entity for ref, entity in entities.items()
    }


def renew(reader: SessionReader, old: Snapshot, *, records: bool) -> tuple[Snapshot, Change]:
    """The snapshot after what was written since ``old``; series are read again only when there are more.

    ``records``: read facts, events, marks and gaps again as well.
    """
    info = reader.info()
    new = replace(
        old,
        span=info.span,
        sources=tuple(info.sources),
        gaps=info.gaps,
        bytes=info.bytes,
    )
    inventory = info.series != len(old.series) or sum(info.entities.values()) != len(old.entities)
    facts = reader.facts() if inventory or records else old.facts
    if inventory:
        entities = _as_named_now(reader.entities(), facts)
        new = replace(new, index=Index(entities, reader.series()).with_ways())
    noted = len(new.gaps) != len(old.gaps) or len(new.sources) != len(old.sources)
    if records:
        new = replace(new, facts=facts, events=reader.events(), marks=reader.marks())
        lengths = [(len(s.facts), len(s.events), len(s.marks)) for s in (old, new)]
        noted = noted or lengths[0] != lengths[1] or list(new.marks) != list(old.marks)  # a note was changed
    states = [[source.state for source in s.sources] for s in (old, new)]
    grown = new.samples != old.samples or new.span != old.span or states[0] != states[1]
    return new, Change(samples=grown, inventory=inventory, records=noted)
