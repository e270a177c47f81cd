"""Follows the inventory with a PropertyCollector of its own: first every object, then changes."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import TypeVar

from collectors.vsphere.inventory import requests
from collectors.vsphere.inventory.paths import ROWS
from collectors.vsphere.inventory.replies import (
    Update,
    UpdateSet,
    contents,
    reference_of,
    returned,
    update_set,
    view_of,
)
from connections.vsphere.faults import SoapFault, translated
from connections.vsphere.logged_in import Connection
from connections.vsphere.session import VSphere
from connections.vsphere.soap import call
from resources.failures import SourceError
from resources.vcenter_inventory import Reading

T = TypeVar("T")

_GONE = frozenset({"ManagedObjectNotFound", "InvalidCollectorVersion", "InvalidState"})
_WHAT = "the inventory"


class LostTrackError(SourceError):
    """The server no longer knows our filter (a new session, a restart): the whole inventory
    must be read again.
    """


class Follower:
    """The property filter of one session; not thread-safe. Call ``start`` again after every LostTrackError.

    Requests that advance the filter on the server are never repeated: after a broken connection nobody knows
    whether the server served the first request, and it reports no change twice.
    """

    def __init__(self, vsphere: VSphere, reading: Reading) -> None:
        self._vsphere = vsphere
        self._reading = reading
        self._paths = {kind: [row.path for row in rows] for kind, rows in ROWS.items()}
        self._shared = ""
        self._view = ""
        self._collector = ""
        self._version = ""
        self._generation = -1
        self._page = reading.page
        self.in_doubt = False
        """Whether a reply was lost: updates may have been in it that the server does not tell again."""
        self.unknown: list[str] = []
        """Properties that this server does not have, as ``type.path``."""

    def start(self) -> None:
        """Create collector, view and filter; the next replies then hold every object. Raises SourceError.

        After a failure ``next`` raises LostTrackError until ``start`` succeeds.
        """
        with contextlib.suppress(SourceError):
            self.stop()
        self._generation = self._vsphere.generation
        root, self._shared, views = self._vsphere.ask(_WHAT, _managers)
        self._view = self._post(requests.create_view(views, root, tuple(self._paths)), reference_of).moid
        own = self._post(call("CreatePropertyCollector", ("PropertyCollector", self._shared)), reference_of)
        self._filter(own.moid, self._view)
        self._collector, self._version, self._page = own.moid, "", self._reading.page
        self.in_doubt = False

    def _filter(self, collector: str, view: str) -> None:
        while True:
            request = requests.create_filter(collector, view, self._paths)
            try:
                self._post(request, reference_of, once=True)
            except SoapFault as fault:
                if fault.type_name != "InvalidProperty" or not self._without(fault.detail.get("name", "")):
                    raise
            else:
                return

    def _without(self, name: str) -> bool:
        """Leave out a property that the server does not know; False when we never asked for it.

        What several types have is left out of all of them, for the fault does not say whose it is.
        """
        requested = [(kind, path) for kind, paths in self._paths.items() for path in paths if path != "name"]
        dropped = [one for one in requested if one[1] == name] or [
            one for one in requested if _is_part(name, one[1])
        ]
        for kind, path in dropped:
            self._paths[kind].remove(path)
            self.unknown.append(f"{kind}.{path}")
        return bool(dropped)

    def next(self, wait_s: int) -> UpdateSet:
        """Return the next page of changes; wait at most ``wait_s`` seconds for one.

        A truncated page is continued by the next.

        Raises LostTrackError when ``start`` is needed, SourceError.
        """
        if not self._collector or self._generation != self._vsphere.generation:
            raise LostTrackError("The server began a new session.")
        request = requests.wait(self._collector, self._version, wait_s, self._page)
        size = 0

        def read(data: bytes) -> UpdateSet:
            nonlocal size
            size = len(data)
            return update_set(data)

        doubted, self.in_doubt = self.in_doubt, True
        found = self._post(request, read, once=True)
        self.in_doubt = doubted
        if found.version:
            self._version = found.version
        if found.updates:
            self._fit(size / len(found.updates))
        return found

    def _fit(self, bytes_each: float) -> None:
        """Page so that replies come to the size aimed at, growing at most fourfold at once."""
        wanted = int(self._reading.page_bytes / max(bytes_each, 1.0))
        self._page = max(1, min(wanted, self._page * 4, self._reading.max_objects))

    def listed(self) -> frozenset[str]:
        """Return the moids of all objects that the server lists in the view now. Raises SourceError."""
        view = [("ContainerView", self._view)]
        return self._post(requests.retrieve(self._shared, view, {"ContainerView": ["view"]}), view_of)

    def read_anew(self, objects: Sequence[tuple[str, str]]) -> list[Update]:
        """Read the ``objects`` (type, moid) again; one that is gone gives a "leave" update.

        Raises SourceError.
        """
        found: list[Update] = []
        for start in range(0, len(objects), self._reading.page):
            batch = objects[start : start + self._reading.page]
            try:
                found += self._retrieve(batch)
            except LostTrackError:
                for one in batch:
                    found += self._retrieve_one(one)
        return found

    def _retrieve_one(self, one: tuple[str, str]) -> list[Update]:
        try:
            return self._retrieve([one])
        except LostTrackError:
            return [Update("leave", *one)]

    def _retrieve(self, objects: Sequence[tuple[str, str]]) -> list[Update]:
        paths = {kind: self._paths[kind] for kind, _ in objects}
        return self._post(requests.retrieve(self._shared, objects, paths), contents)

    def cancel(self) -> None:
        """End a ``next`` that blocks in another thread. Raises SourceError."""
        if self._collector:
            request = call("CancelWaitForUpdates", ("PropertyCollector", self._collector))
            self._post(request, returned)

    def stop(self) -> None:
        """Destroy collector, filter and view, as the end of the session also would. Raises SourceError."""
        own, self._collector = self._collector, ""
        view, self._view = self._view, ""
        if self._generation != self._vsphere.generation:
            return
        if own:
            self._post(call("DestroyPropertyCollector", ("PropertyCollector", own)), returned)
        if view:
            self._post(call("DestroyView", ("ContainerView", view)), returned)

    def _post(self, request: bytes, read: Callable[[bytes], T], *, once: bool = False) -> T:
        with translated(_WHAT, self._vsphere.address):
            try:
                return read(self._vsphere.post(request, what=_WHAT, once=once))
            except SoapFault as fault:
                if fault.type_name in _GONE:
                    raise LostTrackError(
                        f"The server no longer has our filter ({fault.type_name})."
                    ) from fault
                raise


def _is_part(name: str, path: str) -> bool:
    """Whether a path begins or ends so: a server may name only the step that it does not know."""
    return bool(name) and (path.startswith(f"{name}.") or path.endswith(f".{name}"))


def _managers(connection: Connection) -> tuple[tuple[str, str], str, str]:
    content = connection.content
    root = content.rootFolder
    return ("Folder", root._moId), content.propertyCollector._moId, content.viewManager._moId
