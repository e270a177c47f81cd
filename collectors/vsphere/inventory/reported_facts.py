"""Which facts the session already has, and the difference to the present ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from collectors.vsphere.inventory.describe import Described
from collectors.vsphere.inventory.facts import FactValue, Pair
from sessions.model import Entity, EntityRef, Fact

ANY = "*"
"""Stands for all facts of an entity."""


_KEPT = 50_000


class Change(NamedTuple):
    """A fact that has changed; ``before`` is None for a new fact, ``after`` is None for one that ended."""

    entity: EntityRef
    fact: str
    before: FactValue | None
    after: FactValue | None


@dataclass(frozen=True, slots=True)
class EntityFacts:
    """The facts of one entity. Each has held since ``start`` (ms), or since its time in ``later``."""

    pairs: tuple[Pair, ...]
    start: int
    later: Mapping[str, int] | None = None

    def since(self, fact: str) -> int:
        """Return the time (ms) since when a fact has held."""
        return self.later.get(fact, self.start) if self.later else self.start


@dataclass(frozen=True, slots=True)
class FactChanges:
    """New entities, new or ended facts, and changes of one object, to be added to the session."""

    entities: tuple[Entity, ...] = ()
    facts: tuple[Fact, ...] = ()
    changes: tuple[Change, ...] = ()


@dataclass(slots=True)
class ReportedFacts:
    """The facts that the session has, by the object that reported them.

    ``tolerance``: by which fraction of its value a fact may change before the change is reported. The facts
    of an entity that several objects report (a shared device) are taken from the first of them.
    """

    tolerance: Mapping[str, float] = field(default_factory=dict)
    released: set[EntityRef] = field(default_factory=set)
    """Entities that nobody speaks for any more; another object may."""
    _facts: dict[str, dict[EntityRef, EntityFacts]] = field(default_factory=dict)
    _reporter_of: dict[EntityRef, str] = field(default_factory=dict)
    _entities: set[EntityRef] = field(default_factory=set)
    _shared_pairs: dict[Pair, Pair] = field(default_factory=dict)

    def has_facts(self, moid: str) -> bool:
        """Return True if the session has facts of the object that still hold."""
        return moid in self._facts

    def compare(
        self, moid: str, described: Described, at: int, times: Mapping[str, int] | None = None
    ) -> FactChanges:
        """Compare an object with what the session has; return the difference and remember it as reported.

        ``at`` (ms, server's clock) is the time of the changes; ``times`` gives better ones for some facts
        (from events).
        """
        before = self._facts.get(moid, {})
        after: dict[EntityRef, EntityFacts] = {}
        facts: list[Fact] = []
        changes: list[Change] = []
        for ref, pairs in described.facts:
            if self._reporter_of.setdefault(ref, moid) != moid:
                continue
            once = tuple(self._shared(pair) for pair in pairs)
            after[ref] = self._compare(ref, before.get(ref), once, at, times or {}, facts, changes)
        for ref, ended in before.items():
            if ref not in after:
                self._end(ref, ended, at, facts, changes)
        self._facts[moid] = after
        new = tuple(one for one in described.entities if one.ref not in self._entities)
        self._entities.update(one.ref for one in new)
        return FactChanges(new, tuple(facts), tuple(changes))

    def end_facts(self, moid: str, at: int) -> FactChanges:
        """End all facts of an object that is gone at ``at`` (ms); return the ended facts."""
        facts: list[Fact] = []
        changes: list[Change] = []
        for ref, ended in self._facts.pop(moid, {}).items():
            self._end(ref, ended, at, facts, changes)
        return FactChanges((), tuple(facts), tuple(changes))

    def forget_entities(self, refs: Iterable[EntityRef]) -> None:
        """Forget that these entities were added, so that they are added again if they come back."""
        self._entities.difference_update(refs)

    def _end(
        self, ref: EntityRef, ended: EntityFacts, at: int, facts: list[Fact], changes: list[Change]
    ) -> None:
        self._reporter_of.pop(ref, None)
        self.released.add(ref)
        for name, value in ended.pairs:
            facts.append(Fact(ref, name, value, ended.since(name), max(at, ended.since(name))))
            changes.append(Change(ref, name, value, None))

    def _compare(
        self,
        ref: EntityRef,
        before: EntityFacts | None,
        pairs: tuple[Pair, ...],
        at: int,
        times: Mapping[str, int],
        facts: list[Fact],
        changes: list[Change],
    ) -> EntityFacts:
        if before is None:
            facts.extend(Fact(ref, name, value, at) for name, value in pairs)
            return EntityFacts(pairs, at)
        if before.pairs == pairs:
            return before
        old = dict(before.pairs)
        pairs = tuple(
            (name, old[name]) if name in old and self._drifts(name, old[name], value) else (name, value)
            for name, value in pairs
        )
        new = dict(pairs)
        later = dict(before.later or {})
        for name in sorted(old.keys() | new.keys()):
            if old.get(name) == new.get(name):
                continue
            since = before.since(name)
            start = max(times.get(name, times.get(ANY, at)), since + 1)
            if name in new:
                facts.append(Fact(ref, name, new[name], start))
                later[name] = start
            else:
                facts.append(Fact(ref, name, old[name], since, start))
                later.pop(name, None)
            changes.append(Change(ref, name, old.get(name), new.get(name)))
        return EntityFacts(pairs, before.start, later or None)

    def _shared(self, pair: Pair) -> Pair:
        """Thousands of VMs share most of what is reported of them: keep one of each."""
        return (
            self._shared_pairs.setdefault(pair, pair)
            if len(self._shared_pairs) < _KEPT
            else self._shared_pairs.get(pair, pair)
        )

    def _drifts(self, name: str, old: FactValue, new: FactValue) -> bool:
        allowed = self.tolerance.get(name)
        if allowed is None or isinstance(old, str) or isinstance(new, str):
            return False
        return abs(new - old) <= allowed * abs(old)
