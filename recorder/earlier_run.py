"""What an earlier run of a recording stored, compared with what the continued recording finds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from recorder.earlier_gaps import EarlierGaps
from sessions.identities import Identities
from sessions.model import Entity, EntityRef, Event, Fact
from sessions.store import SessionReader

_NAME = "name"
"""The fact that says what an entity is called now, where that is not what it was called at first."""


class EarlierRun:
    """The facts that held when the earlier run ended, until they are confirmed; its names and events.

    Events are kept as hashes (those with an end: by the hash of their id), because a long recording has very
    many, and the continued one reads those of the last hour again.
    """

    def __init__(
        self,
        held: dict[tuple[EntityRef, str], Fact],
        names: Mapping[EntityRef, str] | None = None,
        events: Iterable[Event] = (),
        identities: Identities | None = None,
        gaps: EarlierGaps | None = None,
    ) -> None:
        self._held = held
        self.identities = identities or Identities()
        self.gaps = gaps or EarlierGaps()
        self._names = {
            **(names or {}),
            **{ref: str(one.value) for (ref, n), one in held.items() if n == _NAME},
        }
        self._first = dict(names or {})
        self._renamed: dict[EntityRef, str] = {}
        known = list(events)
        self._events = {key for event in known for key in _keys(event)}
        self._ends = {hash(event.id): event.end for event in known if event.id}

    @classmethod
    def of(cls, path: Path) -> EarlierRun:
        """Read what the runs before stored in a session."""
        with SessionReader.open(path, check=False) as reader:
            facts = reader.facts()
            held = {(fact.entity, fact.name): fact for fact in facts if fact.end is None}
            names = {ref: entity.name for ref, entity in reader.entities().items()}
            return cls(held, names, reader.events(), Identities(facts), EarlierGaps(reader.gaps()))

    def compare_names(self, entities: Sequence[Entity]) -> None:
        """Compare the entities' names with the stored ones; ``renamings`` then reports the changed ones."""
        for one in entities:
            before = self._names.pop(one.ref, one.name)
            if before != one.name:
                self._renamed[one.ref] = one.name
            elif (held := self._held.get((one.ref, _NAME))) is not None and held.value == one.name:
                del self._held[one.ref, _NAME]  # it still is called so

    def renamings(self, facts: Sequence[Fact]) -> tuple[list[Fact], list[Event]]:
        """Return facts and events for the entities that were renamed since the earlier run,
        dated by ``facts``.
        """
        named: list[Fact] = []
        events: list[Event] = []
        for fact in facts if self._renamed else ():
            name = self._renamed.pop(fact.entity, None)
            if name is not None:
                held = self._held.pop((fact.entity, _NAME), None)
                before = held.value if held else self._first[fact.entity]
                named.append(Fact(fact.entity, _NAME, name, fact.start))
                text = f"{name} was called {before} when the recording was interrupted"
                events.append(Event(fact.start, "inventory", text, fact.entity))
        return named, events

    def new_facts(self, facts: Sequence[Fact]) -> list[Fact]:
        """Return those facts that the session does not have yet; the others count as confirmed."""
        if not self._held:
            return list(facts)
        return [fact for fact in facts if not self._is_confirmed(fact)]

    def new_events(self, events: Sequence[Event]) -> list[Event]:
        """Return those events that the session does not have yet, or has without their end."""
        if not self._events:
            return list(events)
        return [event for event in events if self._is_new(event)]

    def _is_new(self, event: Event) -> bool:
        """True for an event that the session lacks; one whose entity is gone by now comes without that."""
        known = hash(event.id)
        if event.id and known in self._ends:
            return event.end is not None and event.end != self._ends[known]
        return _keys(event)[-1] not in self._events

    def unconfirmed_facts(self, now_ms: int) -> list[Fact]:
        """Return the facts that were not confirmed, ended at ``now_ms``; to be called when the
        inventory has been read.
        """
        held, self._held = self._held, {}
        self._names.clear()
        self._first.clear()
        self._renamed.clear()
        return [replace(fact, end=max(now_ms, fact.start)) for fact in held.values()]

    def _is_confirmed(self, fact: Fact) -> bool:
        held = self._held.get((fact.entity, fact.name))
        if held is None or (fact.end is not None and fact.start != held.start):
            return False  # what was over before does not say that it still is so
        del self._held[fact.entity, fact.name]
        return fact.end is None and held.value == fact.value


def _keys(event: Event) -> tuple[int, int]:
    """What an event is known by: without its entity, for who no longer knows that, and with it."""
    what = (event.at, event.kind, event.text)
    return hash((*what, None)), hash((*what, event.entity))
