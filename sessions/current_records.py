"""Which facts, events and gaps hold now: a live source corrects itself, and records are only ever appended.

A later record may replace an earlier one, complete it, end it or take it back; readers get the result.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sessions.model import EntityRef, Event, Fact, Gap


def current_facts(written: Iterable[Fact]) -> list[Fact]:
    """Facts as they hold, ordered by start, from all that were written, in the order of writing.

    Of the same entity, name and start the last one written counts; an open fact ends where the next one of
    its entity and name starts.
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


def current_events(written: Iterable[Event]) -> list[Event]:
    """Events as they are, ordered by time, from all that were written, in the order of writing.

    Of the same id the last one written counts, but what it lacks (end, entity, who asked) stays as it was.
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
    """Gaps as they are, ordered by start, from all that were written, in the order of writing.

    Of the same source, entity and start the last one written counts; one of no ticks takes it back.
    """
    last_written = {(gap.source, gap.entity, gap.start): gap for gap in written}
    return sorted((gap for gap in last_written.values() if gap.ticks != 0), key=lambda gap: gap.start)
