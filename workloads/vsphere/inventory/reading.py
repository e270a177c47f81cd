"""Reads all objects of a vCenter with exact property paths, in a few raw requests."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from collectors.vsphere.inventory import requests
from collectors.vsphere.inventory.elements import NS, Element, child, text_at
from collectors.vsphere.inventory.elements import reference as read_reference
from collectors.vsphere.inventory.replies import reference_of, returned
from collectors.vsphere.inventory.values import Ref
from connections.vsphere.faults import SoapFault, translated
from connections.vsphere.logged_in import Connection
from connections.vsphere.session import VSphere
from connections.vsphere.soap import call
from resources.failures import SourceError

_WHAT = "the inventory"

Paths = Mapping[str, Sequence[str]]
"""Type → its property paths."""


@dataclass(frozen=True, slots=True)
class Seen:
    """An object and its properties as XML; a property that is not set, or may not be read, is missing."""

    ref: Ref
    values: Mapping[str, Element] = field(default_factory=dict)

    def element(self, path: str) -> Element | None:
        """Return a property's value, None if it is not set."""
        return self.values.get(path)

    def text(self, path: str) -> str:
        """Return a property that is text or a number as text; empty if it is not set."""
        found = self.values.get(path)
        return "" if found is None else (found.text or "").strip()

    def number(self, path: str) -> float | None:
        """Return a property that is a number; None if it is not set or no number."""
        return as_number(self.text(path))

    def flag(self, path: str) -> bool | None:
        """Return a property that is true or false; None if it is not set."""
        return as_flag(self.text(path))


@dataclass(frozen=True, slots=True)
class _Managers:
    root: tuple[str, str]
    collector: str
    views: str
    tasks: str


class InventoryReader:
    """Reads the objects of one vCenter."""

    def __init__(self, vsphere: VSphere, page: int) -> None:
        self._vsphere = vsphere
        self._page = page

    def all(self, paths: Paths) -> list[Seen]:
        """Return all objects of these types. Raises SourceError.

        A property that this version of the server does not know is left out.
        """
        managers = self._vsphere.ask(_WHAT, _managers)
        view = self._post(requests.create_view(managers.views, managers.root, tuple(paths)))
        made = ("ContainerView", reference_of(view).moid)
        try:
            return self._known(managers.collector, made, "view", paths)
        finally:
            with contextlib.suppress(SourceError):
                self._post(call("DestroyView", made))

    def some(self, objects: Sequence[Ref], paths: Paths) -> list[Seen]:
        """Return these objects; one that is gone makes all of them be read one by one. Raises SourceError."""
        managers = self._vsphere.ask(_WHAT, _managers)
        found: list[Seen] = []
        for start in range(0, len(objects), self._page):
            batch = objects[start : start + self._page]
            try:
                found += read_objects(self._post(requests.retrieve(managers.collector, batch, paths)))
            except SoapFault as fault:
                if fault.type_name != "ManagedObjectNotFound" or len(batch) == 1:
                    raise
                for one in batch:
                    with contextlib.suppress(SoapFault):
                        found += read_objects(self._post(requests.retrieve(managers.collector, [one], paths)))
        return found

    def tasks(self) -> list[Seen]:
        """Return state and object of the tasks that run, wait, or ended a moment ago. Raises SourceError."""
        managers = self._vsphere.ask("its tasks", _managers)
        paths = {"Task": ("info.state", "info.entity")}
        return self._known(managers.collector, ("TaskManager", managers.tasks), "recentTask", paths)

    def _known(self, collector: str, view: tuple[str, str], to: str, paths: Paths) -> list[Seen]:
        left = {kind: list(names) for kind, names in paths.items()}
        while True:
            try:
                return list(self._pages(collector, view, to, left))
            except SoapFault as fault:
                name = fault.detail.get("name", "")
                if fault.type_name != "InvalidProperty" or not _without(left, name):
                    raise

    def _pages(self, collector: str, view: tuple[str, str], to: str, paths: Paths) -> Iterator[Seen]:
        reply = self._post(requests.retrieve_view(collector, view, to, paths, self._page))
        while True:
            yield from read_objects(reply)
            with translated(_WHAT, self._vsphere.address):
                token = next((text_at(one, "token") for one in returned(reply)), "")
            if not token:
                return
            reply = self._post(requests.retrieve_more(collector, token), once=True)

    def _post(self, request: bytes, *, once: bool = False) -> bytes:
        with translated(_WHAT, self._vsphere.address):
            return self._vsphere.post(request, what=_WHAT, once=once)


def read_objects(reply: bytes) -> list[Seen]:
    """Return the objects in a reply of the PropertyCollector. Raises BadReplyError, DisconnectedError."""
    return [_seen(one) for found in returned(reply) for one in found.findall(NS + "objects")]


def _seen(one: Element) -> Seen:
    obj = child(one, "obj")
    values: dict[str, Element] = {}
    for prop in one.findall(NS + "propSet"):
        value = child(prop, "val")
        if value is not None:
            values[text_at(prop, "name")] = value
    return Seen(Ref("", "") if obj is None else read_reference(obj), values)


def _without(paths: dict[str, list[str]], name: str) -> bool:
    """Leave out the paths that a server does not know; False if we never asked for that one."""
    dropped = False
    for names in paths.values():
        for path in [one for one in names if name and (one == name or one.endswith(f".{name}"))]:
            names.remove(path)
            dropped = True
    return dropped


def _managers(connection: Connection) -> _Managers:
    content = connection.content
    return _Managers(
        ("Folder", str(content.rootFolder._moId)),
        str(content.propertyCollector._moId),
        str(content.viewManager._moId),
        str(content.taskManager._moId),
    )


def as_number(text: str) -> float | None:
    """Return a number that the server wrote; None for what is none."""
    try:
        return float(text)
    except ValueError:
        return None


def as_flag(text: str) -> bool | None:
    """Return true or false as the server wrote it; None for what is neither."""
    return {"true": True, "1": True, "false": False, "0": False}.get(text.strip())
