"""Reads how far a task is, without pyVmomi, which can't read a fault whose type it does not know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lxml import etree

from collectors.vsphere.inventory import requests
from collectors.vsphere.inventory.elements import child, text_at, type_of
from connections.vsphere.faults import SoapFault, translated
from connections.vsphere.session import VSphere
from resources.failures import NotFoundError
from workloads.vsphere.inventory.reading import Seen, read_objects

_PATHS = ("info.state", "info.progress", "info.error")
_WHAT = "its task"


@dataclass(frozen=True, slots=True)
class TaskState:
    """A task: ``state`` is queued, running, success or error; ``percent`` is None if it does not say.

    ``fault`` is the type of the fault that ended it, ``text`` the server's message, ``detail`` the fault's
    properties that are plain text.
    """

    state: str
    percent: float | None = None
    fault: str = ""
    text: str = ""
    detail: Mapping[str, str] = field(default_factory=dict)


def task_state(vsphere: VSphere, moid: str) -> TaskState:
    """Return how far a task (moid) is. Raises NotFoundError if the server has forgotten it, SourceError."""
    collector = vsphere.ask(_WHAT, lambda connection: str(connection.content.propertyCollector._moId))
    request = requests.retrieve(collector, [("Task", moid)], {"Task": _PATHS})
    try:
        with translated(_WHAT, vsphere.address):
            found = read_objects(vsphere.post(request, what=_WHAT))
    except SoapFault as fault:
        if fault.type_name == "ManagedObjectNotFound":
            raise _forgotten() from fault
        raise
    if not found:
        raise _forgotten()
    return _state(found[0])


def _state(task: Seen) -> TaskState:
    error = task.element("info.error")
    fault = child(error, "fault")
    if error is None or fault is None:
        return TaskState(task.text("info.state"), task.number("info.progress"))
    plain = {etree.QName(one).localname: one.text or "" for one in fault if isinstance(one.tag, str)}
    text = text_at(error, "localizedMessage")
    return TaskState(task.text("info.state"), None, type_of(fault) or "RuntimeFault", text, plain)


def _forgotten() -> NotFoundError:
    return NotFoundError("The server no longer knows the task.")
