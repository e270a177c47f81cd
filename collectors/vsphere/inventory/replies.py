"""Parses replies of the PropertyCollector and of history collectors: from raw SOAP to updates
with plain values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from collectors.vsphere.inventory.elements import NS, Element, child, reference, text_at
from collectors.vsphere.inventory.paths import PLACES, ROWS, kind_of
from collectors.vsphere.inventory.values import Ref, Value
from connections.vsphere.faults import BadReplyError
from connections.vsphere.soap import parse_xml, without_illegal_characters
from resources.failures import DisconnectedError


@dataclass(frozen=True, slots=True)
class Update:
    """The change of one object.

    ``kind`` is enter, modify or leave; ``values`` are (index of the row in ``paths``, value).

    ``refused`` are paths that could not be read, with the fault type. ``stale``: a change that is only
    visible when the object is read again.
    """

    kind: str
    type: str
    moid: str
    values: tuple[tuple[int, Value], ...] = ()
    refused: tuple[tuple[str, str], ...] = ()
    stale: bool = False


@dataclass(frozen=True, slots=True)
class UpdateSet:
    """One reply of WaitForUpdatesEx; ``version`` is None when nothing changed in the waiting time."""

    version: str | None
    truncated: bool = False
    updates: tuple[Update, ...] = ()


def root_of(data: bytes) -> Element:
    """Parse the reply's XML, without the characters that XML forbids.

    Raises BadReplyError (a reply cut off, garbage).
    """
    try:
        return parse_xml(data)
    except BadReplyError:
        if (cleaned := without_illegal_characters(data)) == data:
            raise
        return parse_xml(cleaned)


def returned(data: bytes) -> list[Element]:
    """Return the ``returnval`` elements of a reply. Raises BadReplyError, DisconnectedError."""
    root = root_of(data)
    body = next((one for one in root if etree.QName(one).localname == "Body"), None)
    answer = body[0] if body is not None and len(body) else None
    if answer is None or not etree.QName(answer).localname.endswith("Response"):
        raise DisconnectedError("The server's answer has no response in it.")
    return answer.findall(NS + "returnval")


def reference_of(data: bytes) -> Ref:
    """Return the object that a reply refers to: a new view, filter or collector."""
    found = returned(data)
    if not found or not found[0].text:
        raise DisconnectedError("The server created an object and did not name it.")
    return reference(found[0])


def update_set(data: bytes) -> UpdateSet:
    """Parse the reply to WaitForUpdatesEx. Raises BadReplyError, DisconnectedError."""
    found = returned(data)
    if not found:
        return UpdateSet(None)
    reply = found[0]
    return UpdateSet(
        text_at(reply, "version"), text_at(reply, "truncated") in ("true", "1"), tuple(_updates(reply))
    )


def _updates(reply: Element) -> Iterator[Update]:
    for filtered in reply.findall(NS + "filterSet"):
        for one in filtered.findall(NS + "objectSet"):
            update = _update(one, text_at(one, "kind"), "changeSet")
            if update is not None:
                yield update


def view_of(data: bytes) -> frozenset[str]:
    """Parse a reply with the property ``view``: the moids of the view's objects. Raises as ``returned``."""
    found = (one for reply in returned(data) for one in reply.iter(NS + "ManagedObjectReference"))
    refs = (reference(one) for one in found)
    return frozenset(ref.moid for ref in refs if kind_of(ref.type) in ROWS)


def contents(data: bytes) -> list[Update]:
    """Parse the reply to RetrievePropertiesEx into one "enter" update for each object."""
    return [
        update
        for reply in returned(data)
        for one in reply.findall(NS + "objects")
        if (update := _update(one, "enter", "propSet")) is not None
    ]


def _update(one: Element, kind: str, tag: str) -> Update | None:
    of = child(one, "obj")
    if of is None or not of.text:
        return None
    ref = reference(of)
    own = kind_of(ref.type)
    if own not in ROWS:
        return None
    places, rows = PLACES[own], ROWS[own]
    values: list[tuple[int, Value]] = []
    stale = False
    for change in one.findall(NS + tag):
        at = places.get(text_at(change, "name"))
        if at is None:
            stale = True
            continue
        written = change.find(NS + "val")
        values.append((at, None if written is None else rows[at].read(written)))
    refused = tuple((text_at(gap, "path"), _fault(gap)) for gap in one.findall(NS + "missingSet"))
    return Update(kind, own, ref.moid, tuple(values), refused, stale and kind != "leave")


def _fault(gap: Element) -> str:
    fault = child(gap, "fault", "fault")
    return "" if fault is None else _type(fault)


def _type(element: Element) -> str:
    name = str(element.get("{http://www.w3.org/2001/XMLSchema-instance}type") or "")
    return name.rpartition(":")[2]
