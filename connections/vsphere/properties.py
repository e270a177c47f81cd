"""Reads properties of managed objects by exact paths; what is not set, or may not be read, is None."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from pyVmomi import VmomiSupport, vim, vmodl

from connections.failures import ClosedError
from connections.vsphere.faults import SoapFault
from connections.vsphere.logged_in import Connection
from connections.vsphere.session import VSphere
from resources.failures import DisconnectedError, NotFoundError
from sessions.journal import ChangedObject

T = TypeVar("T")

_PAGE = 500
_PAUSES_S = (0.2, 1.0)
_ON_VCENTER = (
    "VirtualMachine",
    "HostSystem",
    "Datastore",
    "ClusterComputeResource",
    "Task",
    "ComputeResource",
)
GONE = "ManagedObjectNotFound"
"""What a server says of an object that was deleted."""
_Collector = vmodl.query.PropertyCollector

Properties = Mapping[str, Any]
"""Property path → value (pyVmomi's), None where it is unset."""


def managed(connection: Connection, kind: str, moid: str) -> Any:
    """Return pyVmomi's reference to an object. Raises NotFoundError for a kind that no test acts on."""
    if kind not in _ON_VCENTER:
        raise NotFoundError(f"A vCenter has no object of the kind {kind} whose settings a test changes.")
    return getattr(vim, kind)(moid, connection.stub)


def read_one(vsphere: VSphere, what: str, of: ChangedObject, paths: Sequence[str]) -> Properties:
    """Return the properties of one object; a broken connection is tried again for a moment.

    Raises NotFoundError if the object is gone, SourceError.
    """

    def question(connection: Connection) -> list[tuple[str, Properties]]:
        return list(retrieve(connection, [managed(connection, of.kind, of.id)], of.kind, paths))

    try:
        found = _asked_again(vsphere, what, question)
    except SoapFault as fault:
        if fault.type_name == GONE:
            raise gone(of) from fault
        raise
    if not found:
        raise gone(of)
    return found[0][1]


def _asked_again(vsphere: VSphere, what: str, question: Callable[[Connection], T]) -> T:
    """Ask a question that changes nothing, and again after a connection that broke."""
    for pause in _PAUSES_S:
        try:
            return vsphere.ask(what, question)
        except ClosedError:
            raise
        except DisconnectedError:
            time.sleep(pause)
    return vsphere.ask(what, question)


def retrieve(
    connection: Connection, objects: Sequence[Any], kind: str, paths: Sequence[str]
) -> Iterator[tuple[str, Properties]]:
    """Yield (moid, properties) of each of these objects of one type. Raises what pyVmomi raises."""
    type_ = VmomiSupport.GetWsdlType("urn:vim25", kind)
    spec = _Collector.FilterSpec(
        objectSet=[_Collector.ObjectSpec(obj=one) for one in objects],
        propSet=[_Collector.PropertySpec(type=type_, pathSet=list(paths))],
    )
    collector = connection.content.propertyCollector
    reply = collector.RetrievePropertiesEx([spec], _Collector.RetrieveOptions(maxObjects=_PAGE))
    while reply is not None:
        for one in reply.objects or ():
            values = dict.fromkeys(paths)
            values.update((prop.name, prop.val) for prop in one.propSet or ())
            yield str(one.obj._moId), values
        reply = collector.ContinueRetrievePropertiesEx(reply.token) if reply.token else None


def gone(of: ChangedObject) -> NotFoundError:
    """Return the error for an object that its server no longer has."""
    return NotFoundError(
        f"{of.name or of.id} is no longer there.",
        meaning="It was removed from the inventory, or registered anew under another id.",
        advice="Read the inventory again and choose it anew.",
    )
