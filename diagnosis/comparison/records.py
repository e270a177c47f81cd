"""What a session says of its entities at a time: names, placements, settings."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from diagnosis.facts import FirstTold
from resources.fact_forms import Value
from sessions.identities import MOID, UUID
from sessions.model import Entity, EntityRef, Fact, Kind, SampleSource
from sessions.times import TimeRange

NAME, HOST = "name", "host"


class Records:
    """Entities and facts of a session, looked up by entity."""

    def __init__(self, session: SampleSource) -> None:
        self.entities: Mapping[EntityRef, Entity] = session.entities()
        self._facts: dict[EntityRef, dict[str, list[Fact]]] = {}
        facts = session.facts()
        self._told = FirstTold(facts)
        for fact in facts:
            self._facts.setdefault(fact.entity, {}).setdefault(fact.name, []).append(fact)
        self.vcenters = frozenset(
            one.spec.name for one in session.sources() if one.spec.kind in {"vcenter", "esxi"}
        )

    def name(self, ref: EntityRef, at: int) -> str:
        """Return what an entity was called at a time: a name that it got later does not count."""
        named = self.fact(ref, NAME, at)
        if named is not None:
            return str(named)
        entity = self.entities.get(ref)
        return entity.name if entity else ref.key

    def name_of(self, kind: Kind, key: str) -> str:
        """Return what an entity was called last, by its key."""
        entity = self.entities.get(EntityRef(kind, key))
        return entity.name if entity else key

    def fact(self, ref: EntityRef, name: str, at: int) -> str | float | bool | None:
        """Return what held of an entity at a time; None if nothing did."""
        held = None
        for fact in self._facts.get(ref, {}).get(name, ()):
            if fact.start <= at and (fact.end is None or fact.end > at):
                held = fact.value
        return held

    def known_since(self, ref: EntityRef) -> int | None:
        """Return when the inventory first told of an entity: what it had set before that is not known.

        Of what no inventory tells it is when anything was told.
        """
        return self._told.of(ref)

    def steps(
        self, fact: Fact, times: TimeRange, read_within_ms: int = 0
    ) -> Iterator[tuple[int, Value, Value]]:
        """Yield when in that time a fact took the place of another value or of none, and when it ended
        without a successor; each with both values.

        What an inventory tells first is no change, nor what it first tells within ``read_within_ms`` of that:
        it may be read in parts.
        """
        ref, name, since = fact.entity, fact.name, self.known_since(fact.entity)
        if since is not None and fact.start > since and times.contains(fact.start):
            old = self.fact(ref, name, fact.start - 1)
            if old != fact.value and (old is not None or fact.start > since + read_within_ms):
                yield fact.start, old, fact.value
        if fact.end is not None and times.contains(fact.end) and self.fact(ref, name, fact.end) is None:
            yield fact.end, fact.value, None

    def fact_names(self, ref: EntityRef) -> Iterable[str]:
        """Return the names of all facts that an entity ever had."""
        return self._facts.get(ref, {}).keys()

    def identities(self, ref: EntityRef) -> Mapping[str, str]:
        """Return the lasting identities of an entity: ``uuid`` and ``moid``, where its source gives them."""
        facts = self._facts.get(ref, {})
        return {name: str(facts[name][-1].value) for name in (UUID, MOID) if name in facts}

    def host(self, ref: EntityRef, at: int) -> EntityRef | None:
        """Return the host that an entity was on at a time; None if nobody says so."""
        placed = self.fact(ref, HOST, at)
        if placed is not None:
            return EntityRef("host", str(placed))
        for above in self.ancestors(ref):
            if above.kind == "host":
                return above
        return None

    def ancestors(self, ref: EntityRef) -> Sequence[EntityRef]:
        """Return what an entity is part of, the nearest first; a session is untrusted and may hold
        a cycle.
        """
        found: list[EntityRef] = []
        entity = self.entities.get(ref)
        while entity is not None and entity.parent is not None and entity.parent not in found:
            found.append(entity.parent)
            entity = self.entities.get(entity.parent)
        return found

    def parts_of(self, refs: Collection[EntityRef]) -> set[EntityRef]:
        """Return all entities that are part of one of these."""
        wanted = set(refs)
        return {ref for ref in self.entities if not wanted.isdisjoint(self.ancestors(ref))}

    @cached_property
    def depth(self) -> Mapping[EntityRef, int]:
        """How many entities are above each one."""
        return {ref: len(self.ancestors(ref)) for ref in self.entities}
