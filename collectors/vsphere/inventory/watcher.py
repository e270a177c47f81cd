"""Loads the inventory, follows what changes, and tells the session of entities, facts and events."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from types import MappingProxyType

from collectors.feed import Controls, Feed
from collectors.vsphere.faults import ClosedError
from collectors.vsphere.inventory.event_reader import EventReader
from collectors.vsphere.inventory.following import Follower, LostTrackError
from collectors.vsphere.inventory.happenings import Pairing, hear
from collectors.vsphere.inventory.keeping import Keeper, Settled
from collectors.vsphere.inventory.objects import Inventory
from collectors.vsphere.retry import passes, reconnecting
from collectors.vsphere.session import VSphere
from resources.failures import SourceError
from resources.vcenter_events import EventKnowledge, load_events
from resources.vcenter_inventory import InventoryKnowledge, load_inventory_knowledge
from sessions.model import Entity, EntityRef, Fact

_PAUSED_S = 1.0

_log = logging.getLogger(__name__)


class InventoryWatcher:
    """The inventory of one connection. ``load`` once, then ``run`` in a thread of its own.

    ``feed`` gets entities, facts and events; ``source`` is the source that they belong to. ``notes`` is for
    the source's attributes: what the server did not let us read.
    """

    def __init__(
        self,
        vsphere: VSphere,
        feed: Feed,
        source: int,
        *,
        known: InventoryKnowledge | None = None,
        events: EventKnowledge | None = None,
    ) -> None:
        self._vsphere = vsphere
        self._feed = feed
        self._source = source
        self._known = known or load_inventory_knowledge()
        self._event_knowledge = events or load_events()
        self._follower = Follower(vsphere, self._known.reading)
        self._keeper = Keeper(
            vsphere.about.instance_uuid or vsphere.address.host,
            self._vcenter(),
            self._known,
            self._event_knowledge,
        )
        self._pairing = Pairing(self._event_knowledge)
        self._reader: EventReader | None = None
        self._next_events = 0.0
        self._next_clock = 0.0
        self._rested = 0.0
        self._inventory = Inventory()
        self._lock = threading.Lock()

    def _vcenter(self) -> Entity | None:
        about = self._vsphere.about
        if about.api_type != "VirtualCenter":
            return None
        key = about.instance_uuid or self._vsphere.address.host
        return Entity(EntityRef("vcenter", key), self._vsphere.address.place)

    def snapshot(self) -> Inventory:
        """The inventory as it was known last; safe from any thread."""
        with self._lock:
            return self._inventory

    @property
    def notes(self) -> tuple[tuple[str, str], ...]:
        """What is missing and why, as attributes of the source; safe from any thread."""
        with self._lock:
            return self._notes()

    def _notes(self) -> tuple[tuple[str, str], ...]:
        found = list(self._keeper.notes)
        if self._follower.unknown:
            found.append(
                ("inventory.unknown", "This server does not have " + ", ".join(self._follower.unknown))
            )
        if self._reader and self._reader.refused:
            found.append(("events", self._reader.refused))
        return tuple(found)

    def load(self) -> Inventory:
        """Read all there is and store its entities and facts. Raises SourceError."""
        self._measure_clock()
        self._reader = self._reader or EventReader(self._vsphere, self._event_knowledge, self._now())
        self._read_all()
        return self.snapshot()

    def _read_all(self) -> None:
        begun = time.monotonic()
        self._keeper.begin()
        self._follower.start()
        while True:
            found = self._follower.next(0)
            self._keeper.take(found.updates)
            if not found.truncated:
                break
        self._tell(self._keeper.settle(self._now(), complete=True))
        ended = time.monotonic()
        self._rested = ended + (ended - begun) * self._known.reading.rest

    def run(self, controls: Controls) -> None:
        """Follow the inventory until told to stop; gets over lost connections and sessions by itself.

        Raises HyperscopeError for what waiting does not mend.
        """
        try:
            while not controls.is_set():
                if controls.paused:
                    controls.wait(_PAUSED_S)
                    continue
                self._guarded(controls)
            self._say_due(at_once=True)
            self._follower.stop()
        except ClosedError:
            if not controls.is_set():
                raise
        except SourceError:
            if not controls.is_set():
                raise
            _log.info("The server was not told that we no longer follow its inventory.")

    def _guarded(self, controls: Controls) -> None:
        try:
            self.follow(self._known.reading.wait_s)
        except SourceError as error:
            if not passes(error):
                raise
            _log.info("The inventory waits: %s", error.happened)
            reconnecting(self._vsphere, controls)

    def follow(self, wait_s: int) -> None:
        """One round: wait so long for changes, read events, tell the session. Raises SourceError."""
        try:
            if self._follower.in_doubt and time.monotonic() >= self._rested:
                raise LostTrackError("A reply was lost.")
            came = self._take_changes(wait_s)
        except LostTrackError:
            self._read_events()
            self._read_all()
            self._say_due()
            return
        if came or time.monotonic() >= self._next_events:
            self._read_events()
        if doubtful := self._keeper.doubtful():
            self._keeper.take(self._follower.read_anew(doubtful))
        self._tell(self._keeper.settle(self._now()))
        self._say_due()

    def _take_changes(self, wait_s: int) -> bool:
        """Whether anything changed."""
        found = self._follower.next(wait_s)
        came = bool(found.updates)
        self._keeper.take(found.updates)
        while found.truncated:
            found = self._follower.next(0)
            self._keeper.take(found.updates)
        return came

    def cancel(self) -> None:
        """Let a ``run`` that waits for the server look at its controls now. Raises SourceError."""
        self._follower.cancel()

    def _read_events(self) -> None:
        reader = self._reader
        if reader is None:
            return
        self._next_events = time.monotonic() + self._event_knowledge.reading.poll_s
        self._measure_clock()
        heard = [
            one
            for raw in reader.read(self._now())
            if (one := hear(raw, self._event_knowledge, self._keeper.ref_ever)) is not None
        ]
        self._pairing.hear(heard)
        self._keeper.hear(heard)
        if heard:
            self._feed.add_events([one.event for one in heard])

    def _measure_clock(self) -> None:
        if time.monotonic() >= self._next_clock:
            self._vsphere.server_time()
            self._next_clock = time.monotonic() + self._known.reading.clock_s

    def _tell(self, settled: Iterator[Settled]) -> None:
        entities: list[Entity] = []
        facts: list[Fact] = []
        now = self._now()
        for one in settled:
            entities += one.news.entities
            facts += one.news.facts
            for tells, event in one.noticed:
                self._pairing.notice(tells, event, now)
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
        objects = self._keeper.objects
        with self._lock:
            if objects != self._inventory.objects:
                self._inventory = Inventory(MappingProxyType(dict(objects)), self._inventory.serial + 1)

    def _say_due(self, *, at_once: bool = False) -> None:
        refused = self._reader is not None and bool(self._reader.refused)
        if due := self._pairing.due(self._now(), at_once=at_once or refused):
            self._feed.add_events(due)

    def _now(self) -> int:
        return round(time.time() * 1000) + self._vsphere.clock_offset_ms
