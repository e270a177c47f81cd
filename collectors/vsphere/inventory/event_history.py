"""Reads the server's events and tasks together, and makes one session event of what both report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from collectors.vsphere.inventory.event_reader import EventReader
from collectors.vsphere.inventory.events import ReportedEvent, reported_event
from collectors.vsphere.inventory.task_reader import TaskReader
from collectors.vsphere.inventory.tasks import RawTask, TaskBook
from connections.vsphere.session import VSphere
from resources.vcenter_events import EventKnowledge
from sessions.model import EntityRef, Event

RefOf = Callable[[str], EntityRef | None]
"""The entity of a managed object (moid), None for one that the session does not have."""


@dataclass(frozen=True, slots=True)
class NewEvents:
    """The new events of one reading. ``reported``: which changes of the inventory they explain."""

    events: tuple[Event, ...]
    reported: tuple[ReportedEvent, ...]


class EventHistory:
    """The server's events and tasks from ``begin`` (ms, server's clock) on. Not thread-safe."""

    def __init__(self, vsphere: VSphere, known: EventKnowledge, begin: int) -> None:
        self._known = known
        self._events = EventReader(vsphere, known, begin)
        self._site = vsphere.about.instance_uuid or vsphere.address.host
        self._tasks = TaskReader(vsphere, known, begin)
        self._book = TaskBook(known, self._tasks.label, begin)
        self._fresh: list[RawTask] = []

    @property
    def gives_no_events(self) -> bool:
        """True if the server gives no events."""
        return bool(self._events.refused)

    @property
    def notes(self) -> Iterator[tuple[str, str]]:
        """Yield source attributes (name, sentence) that say which events are not read, and why."""
        notes = (
            ("events", self._events.refused),
            ("tasks", self._tasks.refused),
            ("events.history", self._events.cut),
            ("tasks.history", self._tasks.cut),
        )
        return ((name, text) for name, text in notes if text)

    def read(self, now: int, ref_of: RefOf, reported_ref_of: RefOf, *, running: bool = False) -> NewEvents:
        """Return the events since the last call, as of ``now`` (ms, server's clock). Raises SourceError.

        ``ref_of`` gives the entity of a moid; ``reported_ref_of`` only if that entity was already added to
        the session. With ``running`` the tasks in progress are read, too, even if that is not yet due.
        """
        self._fresh += self._tasks.read(now, running=running)
        self._events.with_tasks = bool(self._tasks.refused)  # they begin with events that all may read
        reported = [
            (raw, one)
            for raw in self._events.read(now)
            if (one := reported_event(raw, self._known, ref_of)) is not None
        ]
        self._book.take_events(reported)
        tasks, self._fresh = self._fresh, []  # kept until their events have come, too
        of_tasks = self._book.take(tasks, now, reported_ref_of)
        events = self._of_this_server((*(one.event for _, one in reported), *of_tasks.events))
        return NewEvents(tuple(events), (*(one for _, one in reported), *of_tasks.reported))

    def due(self, now: int, reported_ref_of: RefOf, *, at_once: bool = False) -> list[Event]:
        """Return ended tasks as events, once their own events had time to arrive (at once if ``at_once``)."""
        return self._of_this_server(self._book.due(now, reported_ref_of, at_once=at_once))

    def _of_this_server(self, events: Iterable[Event]) -> list[Event]:
        """A session may hold several servers; each counts its events and tasks from 1."""
        return [replace(event, id=f"{self._site}/{event.id}") if event.id else event for event in events]
