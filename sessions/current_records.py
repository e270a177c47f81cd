"""Which facts, events and gaps hold now, computed from all records that were ever appended.

A live source corrects itself by appending: a later record may replace, complete, end or remove an earlier
one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from sessions.model import Entity, EntityRef, Event, Fact, Gap


def current_facts(written: Iterable[Fact]) -> list[Fact]:
    """Return the facts that hold, ordered by start, from all written ones in the order of writing.

    Of facts with the same entity, name and start the last written counts; an open fact ends where the next
    one with the same entity and name starts.
    """
    last_written = {(fact.entity, fact.name, fact.start): fact for fact in written}
    facts = sorted(last_written.values(), key=lambda fact: fact.start)
    latest: dict[tuple[EntityRef, str], int] = {}
    for at, fact in enumerate(facts):
        before = latest.get((fact.entity, fact.name))
        if before is not None and facts[before].end is None:
            facts[before] = replace(facts[before], end=fact.start)
        latest[fact.entity, fact.name] = at
    return facts


def with_current_names(
    entities: Mapping[EntityRef, Entity], facts: Iterable[Fact]
) -> dict[EntityRef, Entity]:
    """Return the entities under the names that they have now; one without a name, or of blanks, is called by
    its key.

    An entity keeps the name that it had when the session met it; a later name is a fact ``name``. ``facts``
    are those that hold, ordered by start, as ``current_facts`` returns them.
    """
    names = {fact.entity: str(fact.value) for fact in facts if fact.name == "name" and fact.end is None}
    found = {}
    for ref, entity in entities.items():
        told = (names.get(ref, entity.name), entity.name, ref.key)
        name = next((one for one in told if one.strip()), ref.key)
        found[ref] = entity if name == entity.name else replace(entity, name=name)
    return found


def names_over_time(
    entities: Mapping[EntityRef, Entity], facts: Iterable[Fact]
) -> dict[EntityRef, frozenset[str]]:
    """Return all names that each entity has had that was renamed; ``entities`` are as the session stores
    them, under their first names.
    """
    found: dict[EntityRef, set[str]] = {}
    for fact in facts:
        if fact.name == "name" and fact.entity in entities:
            found.setdefault(fact.entity, {entities[fact.entity].name}).add(str(fact.value))
    return {ref: frozenset(names) for ref, names in found.items()}


def current_events(written: Iterable[Event]) -> list[Event]:
    """Return the present events, ordered by time, from all written ones in the order of writing.

    Of events with the same id the last written counts, completed with the end, entity and user of earlier
    ones.
    """
    events: list[Event] = []
    places: dict[str, int] = {}
    for event in written:
        place = places.setdefault(event.id, len(events)) if event.id else len(events)
        if place == len(events):
            events.append(event)
        else:
            events[place] = _completed(events[place], event)
    return sorted(events, key=lambda event: event.at)


def _completed(before: Event, after: Event) -> Event:
    if after.end is None and before.end is not None:
        return before
    return replace(after, entity=after.entity or before.entity, by=after.by or before.by)


def current_gaps(written: Iterable[Gap]) -> list[Gap]:
    """Return the present gaps, ordered by start, from all written ones in the order of writing.

    Of gaps with the same source, entity and start the last written counts; ``ticks=0`` removes the gap, and
    one that ends before it starts is none: a file may say anything.
    """
    last_written = {(gap.source, gap.entity, gap.start): gap for gap in written}
    present = (gap for gap in last_written.values() if gap.ticks != 0 and gap.start <= gap.end)
    return sorted(present, key=lambda gap: gap.start)
