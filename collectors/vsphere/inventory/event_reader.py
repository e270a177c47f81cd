"""Reads the server's events since the last ones, again and again, each once."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeVar

from collectors.vsphere.faults import SoapFault, translated
from collectors.vsphere.inventory import requests
from collectors.vsphere.inventory.happenings import RawEvent, read_events
from collectors.vsphere.inventory.replies import reference_of, returned
from collectors.vsphere.session import VSphere
from resources.failures import PrivilegeError, SourceError
from resources.vcenter_events import EventKnowledge

T = TypeVar("T")

_WHAT = "its events"
_COLLECTOR = "EventHistoryCollector"


class EventReader:
    """Events of the kinds that we know, from ``begin`` (ms, server's clock) on. Not thread-safe.

    A collector is made for each reading and destroyed after it: the server allows 32 a session, and those
    of an ended session are gone. ``refused`` is why the server gives no events, if so.
    """

    def __init__(self, vsphere: VSphere, known: EventKnowledge, begin: int) -> None:
        self._vsphere = vsphere
        self._known = known
        self._types = [*known.events, "TaskEvent"]
        self._from = begin
        self._look_back = round(known.reading.look_back_s * 1000)
        self._read: dict[tuple[str, int], None] = {}
        self.refused = ""

    def read(self, now: int) -> list[RawEvent]:
        """What happened since the last call, in the server's order; ``now`` is the server's time (ms).

        A clock that was set back makes us read from there. Raises SourceError.
        """
        if self.refused:
            return []
        if now < self._from:
            self._from = now - self._look_back
        try:
            return self._new(self._all())
        except (PrivilegeError, SoapFault) as error:
            if isinstance(error, SoapFault) and error.type_name not in ("NotImplemented", "NotSupported"):
                raise
            self.refused = error.happened
            return []

    def _all(self) -> list[RawEvent]:
        manager = self._vsphere.ask(_WHAT, lambda connection: str(connection.content.eventManager._moId))
        begin = datetime.fromtimestamp(self._from / 1000, UTC)
        made = self._post(requests.create_event_collector(manager, begin, self._types), reference_of)
        this = (_COLLECTOR, made.moid)
        try:
            return self._pages(this)
        finally:
            with contextlib.suppress(SourceError):
                self._post(requests.call("DestroyCollector", this), returned)

    def _pages(self, this: tuple[str, str]) -> list[RawEvent]:
        body = requests.tag("maxCount", self._known.reading.page)
        found: list[RawEvent] = []
        while page := self._post(requests.call("ReadNextEvents", this, body), read_events):
            found += page
        return found

    def _new(self, events: list[RawEvent]) -> list[RawEvent]:
        new = [
            event for event in events if (event.key, event.at) not in self._read and event.at >= self._from
        ]
        newest = max((event.at for event in new), default=self._from)
        self._from = max(self._from, newest - self._look_back)
        self._read.update(dict.fromkeys((event.key, event.at) for event in new))
        self._read = {one: None for one in self._read if one[1] >= self._from}
        return new

    def _post(self, request: bytes, read: Callable[[bytes], T]) -> T:
        with translated(_WHAT, self._vsphere.address):
            return read(self._vsphere.post(request, what=_WHAT))
