"""Loads the inventory, follows its changes, and adds entities, facts and events to the session."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from types import MappingProxyType

from collectors.feed import Controls, Feed
from collectors.vsphere.inventory.complete_reading import CompleteReading
from collectors.vsphere.inventory.event_history import EventHistory
from collectors.vsphere.inventory.events import Pairing
from collectors.vsphere.inventory.following import Follower, LostTrackError
from collectors.vsphere.inventory.inventory_state import InventoryState, ObjectChanges
from collectors.vsphere.inventory.objects import Inventory
from connections.failures import ClosedError
from connections.vsphere.retry import is_transient, reconnecting
from connections.vsphere.session import VSphere
from resources.failures import SourceError
from resources.vcenter_events import EventKnowledge, load_events
from resources.vcenter_inventory import InventoryKnowledge, load_inventory_knowledge
from sessions.model import Entity, EntityRef, Fact

_PAUSED_S = 1.0
_DAY_S = 86_400

_log = logging.getLogger(__name__)


def vcenter_of(vsphere: VSphere) -> Entity | None:
    """Return the entity of the vCenter that a connection leads to; None for an ESXi host."""
    about = vsphere.about
    if about.api_type != "VirtualCenter":
        return None
    key = about.instance_uuid or vsphere.address.host
    return Entity(EntityRef("vcenter", key), vsphere.address.place)


class InventoryWatcher:
    """The inventory of one connection. Call ``load`` once, then ``run`` in a thread of its own.

    ``feed`` receives entities, facts and events of the source ``source``. ``noted`` is called when ``notes``
    changes. ``past_s``: also record the events and tasks of so many seconds before ``load``.
    """

    def __init__(
        self,
        vsphere: VSphere,
        feed: Feed,
        source: int,
        *,
        past_s: float = 0.0,
        noted: Callable[[], None] = lambda: None,
        known: InventoryKnowledge | None = None,
        events: EventKnowledge | None = None,
    ) -> None:
        self._vsphere = vsphere
        self._feed = feed
        self._source = source
        self._known = known or load_inventory_knowledge()
        self._event_knowledge = events or load_events()
        self._follower = Follower(vsphere, self._known.reading)
        self._state = InventoryState(
            vsphere.about.instance_uuid or vsphere.address.host,
            feed.identify,
            vcenter_of(vsphere),
            self._known,
            self._event_knowledge,
        )
        self._reading = CompleteReading(self._follower, self._state, self._known.reading)
        self._pairing = Pairing(self._event_knowledge)
        self._past_ms = round(1000 * min(past_s, self._event_knowledge.reading.days * _DAY_S))
        self._event_history: EventHistory | None = None
        self._loaded_at = 0
        self._is_new = True
        self._noted = noted
        self._last_notes: tuple[tuple[str, str], ...] = ()
        self._next_events = 0.0
        self._next_clock = 0.0
        self._inventory = Inventory()
        self._lock = threading.Lock()

    def snapshot(self) -> Inventory:
        """Return the latest state of the inventory; safe from any thread."""
        with self._lock:
            return self._inventory

    @property
    def notes(self) -> tuple[tuple[str, str], ...]:
        """Source attributes (name, sentence) on what could not be read; safe from any thread."""
        with self._lock:
            return self._notes()

    def _notes(self) -> tuple[tuple[str, str], ...]:
        found = list(self._state.notes)
        if self._follower.unknown:
            found.append(
                ("inventory.unknown", "This server does not have " + ", ".join(self._follower.unknown))
            )
        if self._reading.missing:
            text = f"{self._reading.missing} objects that the server lists could not be read."
            found.append(("inventory.incomplete", text))
        if self._event_history:
            found += self._event_history.notes
        return tuple(found)

    def load(self, progress: Callable[[int], None] = lambda _objects: None) -> Inventory:
        """Read the whole inventory and add its entities and facts to the session. Raises SourceError.

        ``progress`` is called after each page with the number of objects so far; an exception from it ends
        the reading.
        """
        self._measure_clock()
        if self._event_history is None:
            self._loaded_at = self._now()
            begin = self._loaded_at - self._past_ms
            self._event_history = EventHistory(self._vsphere, self._event_knowledge, begin)
        self._read_all(progress)
        self._last_notes = self.notes
        return self.snapshot()

    def _read_all(self, progress: Callable[[int], None] = lambda _objects: None) -> None:
        listed = self._reading.read(progress)
        self._report_changes(self._state.derive_changes(self._now(), complete=True, listed=listed))
        self._reading.end()

    def run(self, controls: Controls) -> None:
        """Follow the inventory until asked to stop; recover from lost connections and sessions without help.

        Raises HyperscopeError for failures that are not transient.
        """
        try:
            while not controls.is_set():
                if controls.paused:
                    controls.wait(_PAUSED_S)
                    continue
                self._guarded(controls)
            self._read_events(running=True)
            self._follower.stop()
        except ClosedError:
            if not controls.is_set():
                raise
        except SourceError:
            if not controls.is_set():
                raise
            _log.info("The server was not told that we no longer follow its inventory.")
        finally:
            self._report_due(at_once=True)

    def _guarded(self, controls: Controls) -> None:
        try:
            self.follow(self._known.reading.wait_s)
        except SourceError as error:
            if not is_transient(error):
                raise
            _log.info("The inventory waits: %s", error.happened)
            reconnecting(self._vsphere, controls.wait)

    def follow(self, wait_s: int) -> None:
        """Do one round: wait at most ``wait_s`` seconds for changes, read events, hand both over.

        Raises SourceError.
        """
        if self._is_new:  # what explains the hour that is back-filled
            self._read_events()
            self._is_new = False
        try:
            if self._reading.is_due(in_doubt=self._follower.in_doubt):
                raise LostTrackError("A reply was lost.")
            came = self._take_changes(wait_s)
        except LostTrackError:
            self._read_events()
            self._read_all()
            self._report_due()
            return
        if came or time.monotonic() >= self._next_events:
            self._read_events()
        if doubtful := self._state.take_doubtful():
            self._state.take(self._follower.read_anew(doubtful))
        self._report_changes(self._state.derive_changes(self._now()))
        self._report_due()
        self._report_notes()

    def _report_notes(self) -> None:
        notes = self.notes
        if notes != self._last_notes:
            self._last_notes = notes
            self._noted()

    def _take_changes(self, wait_s: int) -> bool:
        """Whether anything changed."""
        found = self._follower.next(wait_s)
        came = bool(found.updates)
        self._state.take(found.updates)
        while found.truncated:
            found = self._follower.next(0)
            self._state.take(found.updates)
        return came

    def cancel(self) -> None:
        """Make a ``run`` that waits for the server check its controls now. Raises SourceError."""
        self._follower.cancel()

    def _read_events(self, *, running: bool = False) -> None:
        event_history = self._event_history
        if event_history is None:
            return
        self._next_events = time.monotonic() + self._event_knowledge.reading.poll_s
        self._measure_clock()
        state = self._state
        new = event_history.read(self._now(), state.ref_even_if_gone, state.ref_reported, running=running)
        self._pairing.take_events(new.reported)
        self._state.take_events([one for one in new.reported if one.event.at >= self._loaded_at])
        if new.events:
            self._feed.add_events(new.events)

    def _measure_clock(self) -> None:
        if time.monotonic() >= self._next_clock:
            self._vsphere.server_time()
            self._next_clock = time.monotonic() + self._known.reading.clock_s

    def _report_changes(self, changes: Iterator[ObjectChanges]) -> None:
        entities: list[Entity] = []
        facts: list[Fact] = []
        now = self._now()
        for one in changes:
            entities += one.changes.entities
            facts += one.changes.facts
            for changed_fact, event in one.noticed:
                self._pairing.notice(changed_fact, event, now)
            if len(entities) + len(facts) >= self._known.reading.facts:
                self._hand_over(entities, facts)
        self._hand_over(entities, facts)
        self._publish()

    def _hand_over(self, entities: list[Entity], facts: list[Fact]) -> None:
        if entities:
            self._feed.add_entities(tuple(entities))
            entities.clear()
        if facts:
            self._feed.add_facts(tuple(facts))
            facts.clear()

    def _publish(self) -> None:
        objects = self._state.objects
        with self._lock:
            if objects != self._inventory.objects:
                self._inventory = Inventory(MappingProxyType(dict(objects)), self._inventory.serial + 1)

    def _report_due(self, *, at_once: bool = False) -> None:
        now, event_history = self._now(), self._event_history
        gives_no_events = event_history is not None and event_history.gives_no_events
        due = self._pairing.due(now, at_once=at_once or gives_no_events)
        if event_history is not None:
            due += event_history.due(now, self._state.ref_reported, at_once=at_once)
        if due:
            self._feed.add_events(due)

    def _now(self) -> int:
        return round(time.time() * 1000) + self._vsphere.clock_offset_ms
