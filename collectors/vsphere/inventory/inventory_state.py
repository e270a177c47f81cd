"""The state of the inventory: applies updates, and derives what the session must be given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from collectors.vsphere.inventory.describe import describe
from collectors.vsphere.inventory.events import ReportedEvent
from collectors.vsphere.inventory.lookup import Identify, ObjectIndex, ObjectProperties
from collectors.vsphere.inventory.noticed_events import NoticedEvents
from collectors.vsphere.inventory.objects import HOST, VM, Managed
from collectors.vsphere.inventory.paths import ORDER, PLACES
from collectors.vsphere.inventory.refused_properties import RefusedProperties
from collectors.vsphere.inventory.replies import Update
from collectors.vsphere.inventory.reported_facts import FactChanges, ReportedFacts
from resources.vcenter_events import EventKnowledge
from resources.vcenter_inventory import InventoryKnowledge
from sessions.model import Entity, EntityRef, Event

_RANK = {kind: at for at, kind in enumerate(ORDER)}
_PATHS = PLACES[HOST]["config.storageDevice.multipathInfo"]


@dataclass(frozen=True, slots=True)
class ObjectChanges:
    """The changes of one object.

    ``noticed``: events with the fact that changed, to pair with the server's events.
    """

    changes: FactChanges
    noticed: tuple[tuple[str, Event], ...] = ()


@dataclass(slots=True)
class InventoryState:
    """All objects, the facts that the session has, and the changes since.

    ``site`` is the prefix of keys that are unique only within this server; ``identify`` gives the entities of
    hosts.
    """

    site: str
    identify: Identify
    vcenter: Entity | None
    known: InventoryKnowledge
    events: EventKnowledge
    objects: dict[str, Managed] = field(default_factory=dict)
    _index: ObjectIndex = field(init=False)
    _reported: ReportedFacts = field(init=False)
    _touched: set[str] = field(default_factory=set)
    _left: set[str] = field(default_factory=set)
    _unseen: set[str] | None = None
    _to_reread: set[str] = field(default_factory=set)
    _news_of: set[str] = field(default_factory=set)
    _noticed: NoticedEvents = field(init=False)
    _refused: RefusedProperties = field(default_factory=RefusedProperties)
    _times: dict[tuple[EntityRef, str], int] = field(default_factory=dict)
    _paths: int = 0
    _loaded: bool = False

    def __post_init__(self) -> None:
        self._index = ObjectIndex(
            self.site,
            self.identify,
            self.known.device_names,
            is_vcenter=self.vcenter is not None,
            remembered=self.known.reading.max_gone_objects,
            left=self._left,
        )
        self._reported = ReportedFacts(self.known.tolerance)
        self._noticed = NoticedEvents(self.events, self._index.name)

    def ref_even_if_gone(self, moid: str) -> EntityRef | None:
        """Return the entity of an object, also of one that is gone; None if there is none."""
        return self._index.ref_even_if_gone(moid)

    def ref_reported(self, moid: str) -> EntityRef | None:
        """Return the entity of an object if it was added to the session, also of one that is gone."""
        known = self.objects.get(moid)
        return known.ref if known else self._index.ref_gone(moid)

    def begin(self) -> None:
        """Begin a complete reading: objects that have not come by its end are gone."""
        self._unseen = set(self._index.objects)
        self._paths = 0
        self._refused.clear()
        self._to_reread.clear()

    def take(self, updates: Iterable[Update]) -> None:
        """Apply updates; ``derive_changes`` then derives the changes."""
        for update in updates:
            if update.kind == "leave":
                self._left.add(update.moid)
                self._touched.discard(update.moid)
                continue
            known = self._index.objects.get(update.moid)
            if update.kind == "modify" and (known is None or update.moid in self._left):
                continue  # it left meanwhile
            self._remember(update, known)
            self._index.apply(self._counted(update))
            self._touched.add(update.moid)
            self._left.discard(update.moid)
            if self._unseen is not None:
                self._unseen.discard(update.moid)
            if update.stale:
                self._to_reread.add(update.moid)
            self._refused.note(update)

    def _remember(self, update: Update, known: ObjectProperties | None) -> None:
        if known is None or self._renames(update):
            self._news_of.add(update.moid)
        if known is not None:
            self._noticed.remember(known)

    @staticmethod
    def _renames(update: Update) -> bool:
        """Whether others may have to be described anew: names and URLs stand first in the rows."""
        return update.kind == "modify" and any(at < 2 for at, _ in update.values)

    def take_doubtful(self) -> list[tuple[str, str]]:
        """Return the objects (type, moid) that must be read again; each is returned once."""
        objects = self._index.objects
        found = sorted((objects[moid].type, moid) for moid in self._to_reread - self._left if moid in objects)
        self._to_reread.clear()
        return found

    def take_events(self, reported: Iterable[ReportedEvent]) -> None:
        """Use the server's events to date changes, and to find objects whose change the
        server did not report.
        """
        for one in reported:
            if one.changed_fact and one.event.entity is not None:
                self._times[one.event.entity, one.changed_fact] = one.event.at
            if one.changed_fact and one.about not in self._touched:
                self._to_reread.add(one.about)

    def derive_changes(
        self, at: int, *, complete: bool = False, listed: frozenset[str] = frozenset()
    ) -> Iterator[ObjectChanges]:
        """Yield the changes that the updates mean, object by object, parents before children.

        ``at`` (ms) is the time of changes that no event dates. With ``complete`` every object has come since
        ``begin``: all others are gone, except those that the server ``listed``.
        """
        if complete:
            self._left |= (self._unseen or set()) - listed
            self._unseen = None
            self._index.lists_paths = self._paths <= self.known.reading.max_paths
        if self.vcenter and not self._loaded:
            yield ObjectChanges(FactChanges((self.vcenter,)))
        for moid in sorted(self._left):
            yield from self._remove(moid, at)
        self._left.clear()
        self._touch_dependents()
        self._touch_heirs()
        while self._touched:
            for moid in self._in_order():
                yield from self._renew(moid, at)
            self._touched.clear()
            self._touch_heirs()
        self._noticed.forget()
        self._loaded = self._loaded or complete
        oldest = at - round(self.events.pairing.within_s * 1000)
        self._times = {key: time for key, time in self._times.items() if time >= oldest}

    def _counted(self, update: Update) -> Update:
        """The update, without its paths when there are too many already: they would fill the memory."""
        if update.type != HOST or self._unseen is None:
            return update
        listed = next((value for at, value in update.values if at == _PATHS), None)
        self._paths += len(listed) if isinstance(listed, tuple) else 0
        if self._paths <= self.known.reading.max_paths:
            return update
        return replace(update, values=tuple(one for one in update.values if one[0] != _PATHS))

    def _touch_dependents(self) -> None:
        if self._loaded and self._news_of:
            moved = frozenset(moid for moid in self._news_of if self._is_mentioned(moid))
            if moved:
                self._touched.update(self._index.dependents(moved))
        self._news_of.clear()

    def _touch_heirs(self) -> None:
        """Hosts that may speak for a shared device whose host no longer does."""
        released = {ref for ref in self._reported.released if ref.kind == "device"}
        self._reported.released.clear()
        if released:
            self._touched.update(
                one.moid
                for one in self.objects.values()
                if one.type == HOST and not released.isdisjoint(one.instances.values())
            )

    def _in_order(self) -> list[str]:
        objects, depth = self._index.objects, self._index.depth
        present = self._touched & objects.keys()
        return sorted(present, key=lambda moid: (_RANK[objects[moid].type], depth(moid), moid))

    def _is_mentioned(self, moid: str) -> bool:
        seen = self._index.objects.get(moid)
        return seen is not None and seen.type != VM

    def _remove(self, moid: str, at: int) -> Iterator[ObjectChanges]:
        ref = self._index.ref(moid)
        managed = self.objects.pop(moid, None)
        self._refused.forget(moid)
        self._index.remove(moid)
        self._noticed.forget(moid)
        if ref is None or not self._reported.has_facts(moid):
            return
        events = self._noticed.gone(ref, managed.name if managed else ref.key, at)
        yield ObjectChanges(self._reported.end_facts(moid, at), events)
        if managed and managed.type == VM:
            self._reported.forget_entities((ref, *managed.instances.values()))

    def _renew(self, moid: str, at: int) -> Iterator[ObjectChanges]:
        seen = self._index.objects[moid]
        described = describe(seen, self._index, self.vcenter.ref if self.vcenter else None)
        if described is None:
            if moid in self.objects:  # a VM that became a template
                gone = self.objects.pop(moid)
                events = self._noticed.gone(gone.ref, gone.name, at)
                yield ObjectChanges(self._reported.end_facts(moid, at), events)
            return
        is_new = not self._reported.has_facts(moid)
        ref = described.managed.ref
        times = {fact: time for (of, fact), time in self._times.items() if of == ref} if self._times else {}
        changes = self._reported.compare(moid, described, at, times)
        for change in changes.changes:
            self._times.pop((change.entity, change.fact), None)
        if self.objects.get(moid) != described.managed:
            self.objects[moid] = described.managed
        found = self._noticed.of(seen, described, changes, at, is_new=is_new) if self._loaded else ()
        yield ObjectChanges(changes, tuple(found))

    @property
    def notes(self) -> list[tuple[str, str]]:
        """Attributes of the source (name, sentence) on what could not be read or was left out."""
        found: list[tuple[str, str]] = []
        if not self._index.lists_paths:
            found.append(("inventory.paths", f"{self._paths} storage paths are too many to be listed."))
        if refused := self._refused.text(self._index.objects):
            found.append(("inventory.refused", refused))
        return found
