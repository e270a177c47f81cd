"""The names of a session's entities, and who is below whom, looked up once for a text that grows by keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from resources.foreign_text import shown
from sessions.model import Entity, EntityRef
from sessions.times import TimeRange
from viewmodels.carriers import owners_with_times
from viewmodels.entity_names import NAMELESS
from viewmodels.entity_words import kind_order
from viewmodels.host_domains import without
from viewmodels.name_order import natural
from viewmodels.placement import Relations
from viewmodels.snapshot import EntityIndex, Snapshot


@dataclass(frozen=True, slots=True)
class NamedEntity:
    """An entity with the names by which it is found; ``folded`` are these without capitals, ``text`` all of
    them with line ends between.
    """

    ref: EntityRef
    spellings: tuple[str, ...]
    folded: tuple[str, ...]
    text: str

    def contains(self, words: Sequence[str]) -> bool:
        """True if one of its names contains all ``words``, which have no capitals."""
        return any(all(word in name for word in words) for name in self.folded)

    def begins_with(self, word: str) -> bool:
        """True if one of its names begins with ``word``, which has no capitals."""
        return self.text.startswith(word) or any(name.startswith(word) for name in self.folded[1:])


@dataclass(frozen=True, eq=False)
class NameIndex:
    """The entities of a session by name and by owner; good for all snapshots with the same entities and
    placements.
    """

    entity_index: EntityIndex
    relations: Relations

    @staticmethod
    def of(snapshot: Snapshot) -> NameIndex:
        """Return the index of a snapshot; its tables are built when they are first needed."""
        return NameIndex(snapshot.entity_index, snapshot.records.relations)

    def fits(self, snapshot: Snapshot) -> bool:
        """True if the snapshot still has these entities and placements."""
        return self.entity_index is snapshot.entity_index and self.relations is snapshot.records.relations

    def built(self) -> NameIndex:
        """Build all tables now, in a worker: half a second for 35,000 VMs; returns itself."""
        _ = self.ordered, self.by_ref, self.spelled, self._below
        return self

    @cached_property
    def ordered(self) -> Sequence[NamedEntity]:
        """All entities: VMs first, then hosts, then their parts, each kind in the natural order of names."""
        named = [self._named(entity) for entity in self.entity_index.entities.values()]
        named.sort(key=lambda one: (kind_order(one.ref.kind), natural(one.spellings[0]), one.ref.key))
        return named

    @cached_property
    def by_ref(self) -> Mapping[EntityRef, NamedEntity]:
        """All entities with their names, by ref, in the order of ``ordered``."""
        return {one.ref: one for one in self.ordered}

    @cached_property
    def spelled(self) -> Mapping[str, Sequence[EntityRef]]:
        """The entities that are called so, by name without capitals; in the order of ``ordered``."""
        found: dict[str, list[EntityRef]] = {}
        for one in self.ordered:
            for name in dict.fromkeys(one.folded):
                found.setdefault(name, []).append(one.ref)
        return found

    def below(
        self, refs: Iterable[EntityRef], owners: Iterable[EntityRef], window: TimeRange | None
    ) -> list[EntityRef]:
        """Return those of ``refs`` that are below any of ``owners`` at any time of the window."""
        numbers = self._numbers  # to hash a ref takes longer than all else here
        first = {numbers[ref] for ref in owners if ref in numbers}
        found, waiting = set(first), list(first)
        while waiting:
            for number, when in self._below.get(waiting.pop(), ()):
                if number not in found and (window is None or window.intersect(when) is not None):
                    found.add(number)
                    waiting.append(number)
        found -= first
        return [ref for ref in refs if numbers[ref] in found]

    @cached_property
    def _numbers(self) -> Mapping[EntityRef, int]:
        return {one.ref: number for number, one in enumerate(self.ordered)}

    @cached_property
    def _below(self) -> Mapping[int, Sequence[tuple[int, TimeRange]]]:
        """The numbers of what is directly below each entity, by its number, with the time when it was."""
        found: dict[int, list[tuple[int, TimeRange]]] = {}
        numbers, entities = self._numbers, self.entity_index.entities
        for number, one in enumerate(self.ordered):
            for owner, when in owners_with_times(one.ref, entities, self.relations):
                if owner in numbers:
                    found.setdefault(numbers[owner], []).append((number, when))
        return found

    def _named(self, entity: Entity) -> NamedEntity:
        spellings = self._spellings(entity)
        folded = tuple(name.casefold() for name in spellings)
        return NamedEntity(entity.ref, spellings, folded, "\n".join(folded))

    def _spellings(self, entity: Entity) -> tuple[str, ...]:
        name = shown(entity.name) or NAMELESS
        if entity.ref.kind == "host":
            return tuple(dict.fromkeys((name, without(self.entity_index.host_domain, name))))
        parent = self.entity_index.entities.get(entity.parent) if entity.parent is not None else None
        own = name.removeprefix(f"{shown(parent.name)}/") if parent is not None else name
        return (name,) if own == name else (name, own)
