"""The inventory's memory: takes updates, and says what they mean for the session."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from collectors.vsphere.inventory.describe import Described, describe
from collectors.vsphere.inventory.events import Heard, noticed
from collectors.vsphere.inventory.lookup import Identify, Lookup, Seen
from collectors.vsphere.inventory.objects import HOST, VM, Managed
from collectors.vsphere.inventory.paths import ORDER, PLACES, ROWS
from collectors.vsphere.inventory.replies import Update
from collectors.vsphere.inventory.reported_facts import Change, News, ReportedFacts
from collectors.vsphere.inventory.values import Ref, Snapshots, Value
from resources.vcenter_events import EventKnowledge
from resources.vcenter_inventory import InventoryKnowledge
from sessions.model import Entity, EntityRef, Event

_Refused: TypeAlias = tuple[tuple[str, str], ...]
"""Paths that can't be read, each with the type of the fault."""

_RANK = {kind: at for at, kind in enumerate(ORDER)}
_PATHS = PLACES[HOST]["config.storageDevice.multipathInfo"]
_WATCHED = {VM: "snapshot", HOST: "datastore"}
"""Properties whose former value says more than the facts that they become."""


@dataclass(frozen=True, slots=True)
class ObjectChanges:
    """What one object's changes come to. ``noticed``: events to pair, with the fact that they tell."""

    news: News
    noticed: tuple[tuple[str, Event], ...] = ()


@dataclass(slots=True)
class InventoryState:
    """Objects, what was said of them, and what changed since. ``site`` begins keys of this server's own,
    ``identify`` gives the entities of hosts.
    """

    site: str
    identify: Identify
    vcenter: Entity | None
    known: InventoryKnowledge
    events: EventKnowledge
    objects: dict[str, Managed] = field(default_factory=dict)
    _look: Lookup = field(init=False)
    _reported: ReportedFacts = field(init=False)
    _touched: set[str] = field(default_factory=set)
    _left: set[str] = field(default_factory=set)
    _unseen: set[str] | None = None
    _doubtful: set[str] = field(default_factory=set)
    _news_of: set[str] = field(default_factory=set)
    _former: dict[str, Value] = field(default_factory=dict)
    _refused: dict[str, _Refused] = field(default_factory=dict)
    _same_refused: dict[_Refused, _Refused] = field(default_factory=dict)
    _times: dict[tuple[EntityRef, str], int] = field(default_factory=dict)
    _paths: int = 0
    _loaded: bool = False

    def __post_init__(self) -> None:
        self._look = Lookup(
            self.site,
            self.identify,
            self.known.words,
            is_vcenter=self.vcenter is not None,
            remembered=self.known.reading.remembered,
            left=self._left,
        )
        self._reported = ReportedFacts(self.known.patience)

    def ref_ever(self, moid: str) -> EntityRef | None:
        """The entity of an object, also of one that is gone."""
        return self._look.ref_ever(moid)

    def ref_reported(self, moid: str) -> EntityRef | None:
        """The entity of an object that the session was told of, also of one that is gone."""
        known = self.objects.get(moid)
        return known.ref if known else self._look.ref_gone(moid)

    def begin(self) -> None:
        """A complete reading begins: what does not come by its end is gone."""
        self._unseen = set(self._look.objects)
        self._paths = 0
        self._refused.clear()
        self._same_refused.clear()
        self._doubtful.clear()

    def take(self, updates: Iterable[Update]) -> None:
        """Remember what became of objects."""
        for update in updates:
            if update.kind == "leave":
                self._left.add(update.moid)
                self._touched.discard(update.moid)
                continue
            known = self._look.objects.get(update.moid)
            if update.kind == "modify" and (known is None or update.moid in self._left):
                continue  # it left meanwhile
            self._remember(update, known)
            self._look.apply(self._counted(update))
            self._touched.add(update.moid)
            self._left.discard(update.moid)
            if self._unseen is not None:
                self._unseen.discard(update.moid)
            if update.stale:
                self._doubtful.add(update.moid)
            self._note_refused(update)

    def _note_refused(self, update: Update) -> None:
        """Which of the object's properties can't be read now, and why; many objects share the same ones."""
        before = self._refused.pop(update.moid, ()) if update.kind == "modify" else ()
        if before or update.refused:
            read = {ROWS[update.type][at].path for at, _ in update.values}
            now = tuple(sorted({*(one for one in before if one[0] not in read), *update.refused}))
            self._refused[update.moid] = self._same_refused.setdefault(now, now)
        else:
            self._refused.pop(update.moid, None)

    def _remember(self, update: Update, known: Seen | None) -> None:
        if known is None or self._renames(update):
            self._news_of.add(update.moid)
        if known is not None and update.type in _WATCHED:
            self._former.setdefault(update.moid, known.get(_WATCHED[update.type]))

    @staticmethod
    def _renames(update: Update) -> bool:
        """Whether others may have to be described anew: names and URLs stand first in the rows."""
        return update.kind == "modify" and any(at < 2 for at, _ in update.values)

    def doubtful(self) -> list[tuple[str, str]]:
        """Objects (type, moid) to be read anew; each is told once."""
        objects = self._look.objects
        found = sorted((objects[moid].type, moid) for moid in self._doubtful - self._left if moid in objects)
        self._doubtful.clear()
        return found

    def hear(self, heard: Iterable[Heard]) -> None:
        """Events know when things changed better than we do, and of changes that nobody told us."""
        for one in heard:
            if one.tells and one.event.entity is not None:
                self._times[one.event.entity, one.tells] = one.event.at
            if one.tells and one.about not in self._touched:
                self._doubtful.add(one.about)

    def settle(
        self, at: int, *, complete: bool = False, listed: frozenset[str] = frozenset()
    ) -> Iterator[ObjectChanges]:
        """What the updates mean, object by object, parents before children; ``at`` is the time (ms) of
        what no event dates. ``complete``: all that there is has come since ``begin``; what did not come is
        gone, but for what the server ``listed`` all the same.
        """
        if complete:
            self._left |= (self._unseen or set()) - listed
            self._unseen = None
            self._look.lists_paths = self._paths <= self.known.reading.most_paths
        if self.vcenter and not self._loaded:
            yield ObjectChanges(News((self.vcenter,)))
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
        self._former.clear()
        self._loaded = self._loaded or complete
        oldest = at - round(self.events.pairing.within_s * 1000)
        self._times = {key: time for key, time in self._times.items() if time >= oldest}

    def _counted(self, update: Update) -> Update:
        """The update, without its paths when there are too many already: they would fill the memory."""
        if update.type != HOST or self._unseen is None:
            return update
        listed = next((value for at, value in update.values if at == _PATHS), None)
        self._paths += len(listed) if isinstance(listed, tuple) else 0
        if self._paths <= self.known.reading.most_paths:
            return update
        return replace(update, values=tuple(one for one in update.values if one[0] != _PATHS))

    def _touch_dependents(self) -> None:
        if self._loaded and self._news_of:
            moved = frozenset(moid for moid in self._news_of if self._is_mentioned(moid))
            if moved:
                self._touched.update(self._look.dependents(moved))
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
        objects, depth = self._look.objects, self._look.depth
        present = self._touched & objects.keys()
        return sorted(present, key=lambda moid: (_RANK[objects[moid].type], depth(moid), moid))

    def _is_mentioned(self, moid: str) -> bool:
        seen = self._look.objects.get(moid)
        return seen is not None and seen.type != VM

    def _remove(self, moid: str, at: int) -> Iterator[ObjectChanges]:
        ref = self._look.ref(moid)
        managed = self.objects.pop(moid, None)
        self._refused.pop(moid, None)
        self._look.remove(moid)
        self._former.pop(moid, None)
        if ref is None or not self._reported.knows(moid):
            return
        event = noticed("gone", at, ref, self.events, name=managed.name if managed else ref.key)
        yield ObjectChanges(self._reported.forget(moid, at), (("entity", event),) if event else ())
        if managed and managed.type == VM:
            self._reported.drop((ref, *managed.instances.values()))

    def _renew(self, moid: str, at: int) -> Iterator[ObjectChanges]:
        seen = self._look.objects[moid]
        described = describe(seen, self._look, self.vcenter.ref if self.vcenter else None)
        if described is None:
            if moid in self.objects:  # a VM that became a template
                gone = self.objects.pop(moid)
                event = noticed("gone", at, gone.ref, self.events, name=gone.name)
                yield ObjectChanges(self._reported.forget(moid, at), (("entity", event),) if event else ())
            return
        is_new = not self._reported.knows(moid)
        ref = described.managed.ref
        times = {fact: time for (of, fact), time in self._times.items() if of == ref} if self._times else {}
        news = self._reported.tell(moid, described, at, times)
        for change in news.changes:
            self._times.pop((change.entity, change.fact), None)
        if self.objects.get(moid) != described.managed:
            self.objects[moid] = described.managed
        events = self._noticed(seen, described, news, at, is_new=is_new)
        yield ObjectChanges(news, tuple(events))

    def _noticed(
        self, seen: Seen, described: Described, news: News, at: int, *, is_new: bool
    ) -> Iterator[tuple[str, Event]]:
        if not self._loaded:
            return
        managed = described.managed
        if is_new:
            if event := noticed("appeared", at, managed.ref, self.events, name=managed.name):
                yield "entity", event
            return
        for change in news.changes:
            if change.entity == managed.ref and change.before is not None and change.after is not None:
                yield from self._of(change, managed, seen, news, at)
        if seen.type == HOST:
            yield from self._mounts(seen, managed, at)

    def _of(
        self, change: Change, managed: Managed, seen: Seen, news: News, at: int
    ) -> Iterator[tuple[str, Event]]:
        start = next(
            (one.start for one in news.facts if one.name == change.fact and one.entity == change.entity), at
        )
        kind = "backup" if change.fact == "snapshots" and self._is_backup(seen) else ""
        event = noticed(
            change.fact, start, managed.ref, self.events,
            kind=kind, name=managed.name, before=change.before, after=change.after,
        )  # fmt: skip
        if event:
            yield change.fact, event

    def _is_backup(self, seen: Seen) -> bool:
        """Whether the snapshots that came or went are a backup's by their names."""
        now, before = seen.get("snapshot"), self._former.get(seen.moid)
        names = set(now.names if isinstance(now, Snapshots) else ())
        names ^= set(before.names if isinstance(before, Snapshots) else ())
        return any(self.events.is_backup(snapshot=name) for name in names)

    def _mounts(self, seen: Seen, managed: Managed, at: int) -> Iterator[tuple[str, Event]]:
        before = self._former.get(seen.moid)
        now = seen.get("datastore")
        if not isinstance(before, tuple) or not isinstance(now, tuple):
            return
        for change, refs in (("mounted", set(now) - set(before)), ("unmounted", set(before) - set(now))):
            for ref in sorted(one for one in refs if isinstance(one, Ref)):
                name = self._look.name(ref.moid) or ref.moid
                event = noticed(
                    change, at, managed.ref, self.events, name=managed.name, before=name, after=name
                )
                if event:
                    yield "datastore", event

    @property
    def notes(self) -> list[tuple[str, str]]:
        """What could not be read or was left out, as attributes of the source."""
        found: list[tuple[str, str]] = []
        if not self._look.lists_paths:
            found.append(("inventory.paths", f"{self._paths} storage paths are too many to be listed."))
        if said := self._said_of_refused():
            found.append(("inventory.refused", said))
        return found

    def _said_of_refused(self) -> str:
        alike = Counter(
            (seen.type, refused)
            for moid, refused in self._refused.items()
            if (seen := self._look.objects.get(moid))
        )
        counts = Counter[tuple[str, str, str]]()
        for (kind, refused), number in alike.items():
            counts.update({(kind, path, fault): number for path, fault in refused})
        said = [
            f"{kind}.{path} of {count} object{'' if count == 1 else 's'} ({fault or 'unknown reason'})"
            for (kind, path, fault), count in sorted(counts.items())
        ]
        return "Not readable: " + "; ".join(said) if said else ""
