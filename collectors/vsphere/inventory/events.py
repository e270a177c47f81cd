"""Events: from the server's own events to those of a session, and events for changes that only we noticed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime

from collectors.vsphere.inventory.elements import Element, child, text_at, tidy, type_of
from collectors.vsphere.inventory.replies import returned
from resources.vcenter_events import EventKnowledge, Meaning
from sessions.model import EntityRef, Event

_ARGUMENTS = (("vm", "vm"), ("host", "host"), ("computeResource", "computeResource"), ("ds", "datastore"))


@dataclass(frozen=True, slots=True)
class RawEvent:
    """An event as the server reports it; times in ms.

    ``type`` is its class, or the eventTypeId of an EventEx. ``moids`` are the objects concerned, the nearest
    first. ``task`` is the method that a TaskEvent reports; ``chain`` is the chain id that all events of one
    task share.
    """

    key: str
    at: int
    type: str
    user: str
    text: str
    moids: tuple[str, ...]
    task: str = ""
    chain: str = ""


@dataclass(frozen=True, slots=True)
class ReportedEvent:
    """An event for the session, and which change of the inventory it explains.

    ``changed_fact`` is the fact of the entities ``refs`` whose change it reports: ``*`` for any fact, empty
    for none. ``about`` is the moid of the nearest object, or empty.
    """

    event: Event
    changed_fact: str
    refs: frozenset[EntityRef]
    about: str = ""


def read_events(data: bytes) -> list[RawEvent]:
    """Parse the reply to ReadNextEvents; events without a time are left out."""
    return [event for one in returned(data) if (event := _raw(one)) is not None]


def instant(written: str) -> int | None:
    """Parse an xsd:dateTime to ms since 1970; None for other text. Without a time zone it is UTC."""
    try:
        time = datetime.fromisoformat(written.strip())
    except ValueError:
        return None
    from_zone = time if time.tzinfo else datetime.fromisoformat(written.strip() + "+00:00")
    return round(from_zone.timestamp() * 1000)


def _raw(one: Element) -> RawEvent | None:
    at = instant(text_at(one, "createdTime"))
    if at is None:
        return None
    moids = [text_at(one, *argument) for argument in _ARGUMENTS]
    moids.append(text_at(one, "objectId"))
    return RawEvent(
        key=text_at(one, "key"),
        at=at,
        type=text_at(one, "eventTypeId") or type_of(one),
        user=text_at(one, "userName"),
        text=text_at(one, "fullFormattedMessage") or text_at(one, "message"),
        moids=tuple(dict.fromkeys(moid for moid in moids if moid)),
        task=text_at(child(one, "info"), "descriptionId"),
        chain=chain_id(text_at(one, "chainId")),
    )


def chain_id(written: str) -> str:
    """Return the chain id that the events of one task share; empty for none ("0" in vSphere)."""
    return "" if written.strip() == "0" else written.strip()


def reported_event(
    raw: RawEvent, known: EventKnowledge, ref_of: Callable[[str], EntityRef | None]
) -> ReportedEvent | None:
    """Return the session's event for a server's event; None for types that a session does not record."""
    meaning = known.tasks.get(raw.task) if raw.task else known.events.get(raw.type)
    if meaning is None:
        return None
    refs = [ref for moid in raw.moids if (ref := ref_of(moid)) is not None]
    kind = _kind(meaning, raw, known)
    text = tidy(raw.text, known.text.clip) or raw.type
    limit = known.text.clip
    name = tidy(f"event/{raw.key}/{raw.at}", limit) if raw.key else ""
    return ReportedEvent(
        Event(raw.at, kind, text, refs[0] if refs else None, None, name, tidy(raw.user, limit)),
        meaning.changed_fact,
        frozenset(refs),
        next(iter(raw.moids), ""),
    )


def _kind(meaning: Meaning, raw: RawEvent, known: EventKnowledge) -> str:
    if meaning.kind == "snapshot" and known.is_backup(user=raw.user):
        return "backup"
    return meaning.kind


def noticed_event(
    change: str, at: int, ref: EntityRef, known: EventKnowledge, *, kind: str = "", **names: object
) -> Event | None:
    """Return the event for a change that the inventory noticed; None for a change that is no event.

    ``kind`` replaces the kind of the table's row; ``names`` fill its text.
    """
    row = known.noticed.get(change)
    if row is None:
        return None
    text = row.text.format(**{name: _word(value) for name, value in names.items()})
    return Event(at, kind or row.kind, tidy(text, known.text.clip), ref)


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)


@dataclass(slots=True)
class Pairing:
    """Makes one event of a server's event and a noticed change that mean the same; the server's text is used.

    A noticed change waits for its event, and becomes an event of its own if none came in time.
    """

    known: EventKnowledge
    _reported: list[tuple[int, str, frozenset[EntityRef]]] = field(default_factory=list)
    _waiting: list[tuple[int, str, Event]] = field(default_factory=list)

    def take_events(self, reported: Iterable[ReportedEvent]) -> None:
        """Take over server events; noticed changes that they report need no event of their own."""
        new = [(one.event.at, one.changed_fact, one.refs) for one in reported if one.changed_fact]
        self._reported += new
        self._waiting = [
            one for one in self._waiting if not any(self._same(one[1], one[2], *other) for other in new)
        ]

    def notice(self, changed_fact: str, event: Event, now: int) -> None:
        """Let a change of ``changed_fact`` wait for its server event; ``now`` (ms) is
        when it was noticed.
        """
        if not any(self._same(changed_fact, event, *other) for other in self._reported):
            self._waiting.append((now, changed_fact, event))

    def due(self, now: int, *, at_once: bool = False) -> list[Event]:
        """Return the events of noticed changes that waited long enough (of all if ``at_once``)."""
        wait, within = self.known.pairing.wait_s * 1000, self.known.pairing.within_s * 1000
        self._reported = [one for one in self._reported if one[0] > now - 2 * within]
        found = [event for since, _, event in self._waiting if at_once or now - since >= wait]
        self._waiting = [one for one in self._waiting if not at_once and now - one[0] < wait]
        return found

    def _same(
        self, changed_fact: str, event: Event, at: int, reported_fact: str, refs: frozenset[EntityRef]
    ) -> bool:
        near = abs(event.at - at) <= self.known.pairing.within_s * 1000
        return near and changed_fact == reported_fact and event.entity in refs
