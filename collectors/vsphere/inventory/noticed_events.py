"""Makes events of changes of the inventory, for the case that the server reports no event for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from collectors.vsphere.inventory.describe import Described
from collectors.vsphere.inventory.events import noticed_event
from collectors.vsphere.inventory.lookup import ObjectProperties
from collectors.vsphere.inventory.objects import HOST, VM, Managed
from collectors.vsphere.inventory.reported_facts import Change, FactChanges
from collectors.vsphere.inventory.values import Ref, Snapshots, Value
from resources.vcenter_events import EventKnowledge
from sessions.model import EntityRef, Event

_WATCHED = {VM: "snapshot", HOST: "datastore"}
"""Properties whose former value says more than the facts that they become."""


@dataclass(slots=True)
class NoticedEvents:
    """Makes events of changes. ``name_of`` returns the name of an object by its moid."""

    knowledge: EventKnowledge
    name_of: Callable[[str], str]
    _former: dict[str, Value] = field(default_factory=dict)

    def remember(self, before: ObjectProperties) -> None:
        """Remember an object's properties as they were before the first change of a round."""
        if before.type in _WATCHED:
            self._former.setdefault(before.moid, before.get(_WATCHED[before.type]))

    def forget(self, moid: str | None = None) -> None:
        """Forget the remembered properties of one object, or of every object (None)."""
        if moid is None:
            self._former.clear()
        else:
            self._former.pop(moid, None)

    def gone(self, ref: EntityRef, name: str, at: int) -> tuple[tuple[str, Event], ...]:
        """Return the event of an object that is gone, paired with the fact "entity"."""
        event = noticed_event("gone", at, ref, self.knowledge, name=name)
        return (("entity", event),) if event else ()

    def of(
        self, seen: ObjectProperties, described: Described, changes: FactChanges, at: int, *, is_new: bool
    ) -> Iterator[tuple[str, Event]]:
        """Yield the events of one object's changes, each with the fact that changed.

        With ``is_new`` the object has just appeared, which is one event.
        """
        managed = described.managed
        if is_new:
            if event := noticed_event("appeared", at, managed.ref, self.knowledge, name=managed.name):
                yield "entity", event
            return
        for change in changes.changes:
            if change.entity == managed.ref and change.before is not None and change.after is not None:
                yield from self._of_fact(change, managed, seen, changes, at)
        if seen.type == HOST:
            yield from self._mounts(seen, managed, at)

    def _of_fact(
        self, change: Change, managed: Managed, seen: ObjectProperties, changes: FactChanges, at: int
    ) -> Iterator[tuple[str, Event]]:
        start = next(
            (one.start for one in changes.facts if one.name == change.fact and one.entity == change.entity),
            at,
        )
        kind = "backup" if change.fact == "snapshots" and self._is_backup(seen) else ""
        event = noticed_event(
            change.fact, start, managed.ref, self.knowledge,
            kind=kind, name=managed.name, before=change.before, after=change.after,
        )  # fmt: skip
        if event:
            yield change.fact, event

    def _is_backup(self, seen: ObjectProperties) -> bool:
        """Whether the snapshots that came or went are a backup's by their names."""
        now, before = seen.get("snapshot"), self._former.get(seen.moid)
        names = set(now.names if isinstance(now, Snapshots) else ())
        names ^= set(before.names if isinstance(before, Snapshots) else ())
        return any(self.knowledge.is_backup(snapshot=name) for name in names)

    def _mounts(self, seen: ObjectProperties, managed: Managed, at: int) -> Iterator[tuple[str, Event]]:
        before = self._former.get(seen.moid)
        now = seen.get("datastore")
        if not isinstance(before, tuple) or not isinstance(now, tuple):
            return
        for change, refs in (("mounted", set(now) - set(before)), ("unmounted", set(before) - set(now))):
            for ref in sorted(one for one in refs if isinstance(one, Ref)):
                name = self.name_of(ref.moid) or ref.moid
                event = noticed_event(
                    change, at, managed.ref, self.knowledge, name=managed.name, before=name, after=name
                )
                if event:
                    yield "datastore", event
