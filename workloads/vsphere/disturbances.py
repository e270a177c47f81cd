"""What happened in a vCenter during a window of time and can spoil a measurement: its events."""

from __future__ import annotations

from datetime import datetime

from collectors.vsphere.inventory import requests
from collectors.vsphere.inventory.elements import Element, child, name, text_at, tidy, type_of
from collectors.vsphere.inventory.events import instant
from collectors.vsphere.inventory.history_reader import HistoryReader, has_no_history
from collectors.vsphere.inventory.replies import returned
from connections.vsphere.faults import SoapFault
from connections.vsphere.session import VSphere
from resources.vcenter_disturbances import DisturbanceKind, Disturbances, load_disturbances
from resources.vcenter_events import EventKnowledge, load_events
from sessions.journal import ChangedObject
from sessions.times import TimeRange
from workloads.environment import Disturbance
from workloads.vsphere.accounts import same_account

_WHAT = "its events"
_TASK = "TaskEvent"
_ABOUT = (
    ("vm", "vm"),
    ("ds", "datastore"),
    ("host", "host"),
    ("computeResource", "computeResource"),
    ("entity", "entity"),
)
"""An event's arguments that name an object, and what their reference is called; the nearest first."""


class DisturbanceReader:
    """Reads disturbances of one vCenter. Not thread-safe."""

    def __init__(self, vsphere: VSphere) -> None:
        self._vsphere = vsphere
        self._known: Disturbances = load_disturbances()
        self._events: EventKnowledge = load_events()
        self._history = HistoryReader(
            vsphere,
            _WHAT,
            self._events.reading,
            "EventHistoryCollector",
            "ReadNextEvents",
            self._collector,
            returned,
        )

    def between(self, window: TimeRange) -> list[Disturbance]:
        """Return what happened from ``window.start`` to ``window.end``, oldest first. Raises SourceError."""
        try:
            found = self._history.between(window.start, window.end)
        except SoapFault as fault:
            if has_no_history(fault):
                return []
            raise
        known = (self._disturbance(one) for one in found)
        inside = {one for one in known if one is not None and window.start <= one.at <= window.end}
        return sorted(inside, key=lambda one: (one.at, one.kind, one.text))

    def _collector(self, begin: datetime | None, end: datetime | None) -> bytes:
        manager = self._vsphere.ask(_WHAT, lambda connection: str(connection.content.eventManager._moId))
        assert begin is not None
        types = [*self._known.events, *([_TASK] if self._known.tasks else [])]
        return requests.create_event_collector(manager, types, begin, end)

    def _disturbance(self, event: Element) -> Disturbance | None:
        at = instant(text_at(event, "createdTime"))
        meaning = self._meaning(event)
        if at is None or meaning is None:
            return None
        by, text = text_at(event, "userName"), text_at(event, "fullFormattedMessage")
        if meaning.by_others and same_account(by, self._vsphere.address.user):
            return None
        if meaning.text is not None and not meaning.text.search(text):
            return None
        is_backup = meaning.kind == "snapshot" and self._events.is_backup(user=by)
        said = tidy(text or text_at(event, "message") or type_of(event), self._events.text.clip)
        return Disturbance(at, "backup" if is_backup else meaning.kind, said, self._object(event))

    def _meaning(self, event: Element) -> DisturbanceKind | None:
        method = text_at(child(event, "info"), "descriptionId")
        if method:
            return self._known.tasks.get(method)
        return self._known.events.get(text_at(event, "eventTypeId") or type_of(event))

    def _object(self, event: Element) -> ChangedObject | None:
        """The nearest object that the event names."""
        for argument, reference in _ABOUT:
            of = child(event, argument)
            ref = child(of, reference)
            if of is not None and ref is not None and ref.text:
                named = child(of, "name")
                shown = ref.text if named is None else name(named)
                kind = str(ref.get("type") or "")
                return ChangedObject(str(self._vsphere.address), kind, ref.text, str(shown))
        return None
