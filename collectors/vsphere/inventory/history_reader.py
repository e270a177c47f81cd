"""Reads a time range from a server's history collectors: all of it, or the newest part if
there is too much.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Generic, TypeVar

from collectors.vsphere.inventory import requests
from collectors.vsphere.inventory.replies import reference_of, returned
from connections.vsphere.faults import SoapFault, translated
from connections.vsphere.session import VSphere
from connections.vsphere.soap import call
from resources.failures import SourceError
from resources.vcenter_events import Reading

T = TypeVar("T")
Row = TypeVar("Row")

_UNKNOWN = ("NotImplemented", "NotSupported")
_MIN_MS = 2000
"""A piece of time that is not halved any more."""


@dataclass(slots=True)
class HistoryReader(Generic[Row]):
    """Reads one kind of history (events, tasks).

    ``make`` returns the request that creates a collector from begin to end.

    A collector is created for each reading and destroyed after it: the server allows 32 of them, and those of
    an ended session are gone. ``cut`` is the time (ms) since which everything was read, if there was more
    than ``reading.max_count``; None otherwise.
    """

    vsphere: VSphere
    what: str
    reading: Reading
    kind: str
    method: str
    make: Callable[[datetime | None, datetime | None], bytes]
    rows: Callable[[bytes], list[Row]]
    cut: int | None = field(default=None, init=False)

    def between(self, begin: int, now: int) -> list[Row]:
        """Return the rows from ``begin`` (ms) to ``now``; only the newest if there are too many.

        Raises SourceError.
        """
        found: list[Row] = []
        for start, end in pieces(begin, now, round(self.reading.window_s * 1000)):
            left = self.reading.max_count - len(found)
            if left <= 0:
                self.cut = now if end is None else end
                break
            found += self._piece(start, end, now, left)
        return found

    def all(self) -> list[Row]:
        """Return all rows without regard to time, up to the limit. Raises SourceError."""
        return self._read(None, None, self.reading.max_count)[0]

    def _piece(self, begin: int, end: int | None, now: int, most: int) -> list[Row]:
        """Collectors give the oldest first: what is too much is halved, and the later half read first."""
        found, is_whole = self._read(_time(begin), None if end is None else _time(end), most)
        last = max(begin, now if end is None else end)
        if is_whole:
            return found
        if last - begin <= _MIN_MS:
            self.cut = last
            return found
        middle = (begin + last) // 2
        later = self._piece(middle, end, now, most)
        if len(later) >= most:
            self.cut = max(self.cut or 0, middle)
            return later
        return later + self._piece(begin, middle, now, most - len(later))

    def _read(self, begin: datetime | None, end: datetime | None, most: int) -> tuple[list[Row], bool]:
        made = self._post(self.make(begin, end), reference_of)
        this = (self.kind, made.moid)
        found: list[Row] = []
        page = self.reading.page
        body = requests.tag("maxCount", page)
        try:
            while rows := self._post(call(self.method, this, body), self.rows, once=True):
                found += rows
                if len(found) > most:
                    return found[:most], False
            return found, True
        finally:
            with contextlib.suppress(SourceError):
                self._post(call("DestroyCollector", this), returned)

    def _post(self, request: bytes, read: Callable[[bytes], T], *, once: bool = False) -> T:
        with translated(self.what, self.vsphere.address):
            return read(self.vsphere.post(request, what=self.what, once=once))


def pieces(begin: int, now: int, length: int) -> Iterator[tuple[int, int | None]]:
    """Divide ``begin`` to ``now`` (ms) into pieces (start, end) of at most ``length``, newest first.

    The newest piece has the end None: it is open.
    """
    start = max(begin, now - length)
    yield start, None
    while start > begin:
        end, start = start, max(begin, start - length)
        yield start, end


def has_no_history(error: SourceError) -> bool:
    """Return True if the server does not have this kind of history at all (an ESXi host alone)."""
    return isinstance(error, SoapFault) and error.type_name in _UNKNOWN


def _time(at: int) -> datetime:
    return datetime.fromtimestamp(at / 1000, UTC)
