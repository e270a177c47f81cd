"""Reads the server's events since the last reading, each event once."""

from __future__ import annotations

from datetime import datetime

from collectors.vsphere.inventory import requests
from collectors.vsphere.inventory.events import RawEvent, read_events
from collectors.vsphere.inventory.history_reader import HistoryReader, has_no_history
from connections.vsphere.faults import SoapFault
from connections.vsphere.session import VSphere
from resources.failures import PrivilegeError
from resources.vcenter_events import EventKnowledge
from sessions.times import iso

_WHAT = "its events"


class EventReader:
    """Events of the types in our table, from ``begin`` (ms, server's clock) on. Not thread-safe.

    ``refused`` is the reason why the server gives no events, empty otherwise. ``with_tasks``: also read
    TaskEvents, with which tasks begin, for accounts that may not read tasks.
    """

    def __init__(self, vsphere: VSphere, known: EventKnowledge, begin: int) -> None:
        self._vsphere = vsphere
        self._known = known
        self._from = begin
        self._look_back = round(known.reading.look_back_s * 1000)
        self._read: dict[tuple[str, int], None] = {}
        self._past = HistoryReader(
            vsphere, _WHAT, known.reading, "EventHistoryCollector", "ReadNextEvents", self._make, read_events
        )
        self.with_tasks = False
        self.refused = ""

    @property
    def cut(self) -> str:
        """A sentence on older events that were not read because there are too many; empty for none."""
        return truncation_note("events", self._past.cut, self._known.reading.max_count)

    def read(self, now: int) -> list[RawEvent]:
        """Return the events since the last call, oldest first; ``now`` is the server's time (ms).

        When the server's clock was set back, reading restarts from the new time. Raises SourceError.
        """
        if self.refused:
            return []
        if now < self._from:
            self._from = now - self._look_back
        try:
            return self._new(self._past.between(self._from, now), now)
        except (PrivilegeError, SoapFault) as error:
            if isinstance(error, SoapFault) and not has_no_history(error):
                raise
            self.refused = error.happened
            return []

    def _make(self, begin: datetime | None, end: datetime | None) -> bytes:
        manager = self._vsphere.ask(_WHAT, lambda connection: str(connection.content.eventManager._moId))
        types = [*self._known.events, *(("TaskEvent",) if self.with_tasks else ())]
        assert begin is not None
        return requests.create_event_collector(manager, types, begin, end)

    def _new(self, events: list[RawEvent], now: int) -> list[RawEvent]:
        new: dict[tuple[str, int], RawEvent] = {}
        for event in events:
            if (event.key, event.at) not in self._read and event.at >= self._from:
                new[event.key, event.at] = event
        self._from = max(self._from, now - self._look_back)
        self._read.update(dict.fromkeys(new))
        self._read = {one: None for one in self._read if one[1] >= self._from}
        return sorted(new.values(), key=lambda event: event.at)


def truncation_note(what: str, cut: int | None, most: int) -> str:
    """Return the note that more than ``most`` rows of ``what`` exist, so that those before ``cut``
    (ms) are incomplete.

    Empty if ``cut`` is None.
    """
    if cut is None:
        return ""
    return f"Of the {what} before {iso(cut // 1000 * 1000)} not all were read: there are more than {most:,}."
