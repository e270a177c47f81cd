"""SOAP envelopes of the PropertyCollector, views and event collectors; pure, so that tests can read them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from xml.sax.saxutils import escape, quoteattr

from connections.vsphere.soap import call


def tag(name: str, text: object) -> str:
    """An element with text."""
    return f"<{name}>{escape(str(text))}</{name}>"


def reference(name: str, type_: str, moid: str) -> str:
    """An element that refers to a managed object."""
    return f"<{name} type={quoteattr(type_)}>{escape(moid)}</{name}>"


def create_view(manager: str, root: tuple[str, str], types: Sequence[str]) -> bytes:
    """CreateContainerView of everything of these types below ``root``."""
    body = reference("container", *root) + "".join(tag("type", one) for one in types)
    return call("CreateContainerView", ("ViewManager", manager), body + tag("recursive", "true"))


def create_filter(collector: str, view: str, paths: Mapping[str, Iterable[str]]) -> bytes:
    """CreateFilter for the objects of a view: type → paths. Changes come as whole properties."""
    select = (
        '<selectSet xsi:type="TraversalSpec"><name>view</name><type>ContainerView</type>'
        "<path>view</path><skip>false</skip></selectSet>"
    )
    objects = f"<objectSet>{reference('obj', 'ContainerView', view)}<skip>true</skip>{select}</objectSet>"
    spec = f"<spec>{_properties(paths)}{objects}</spec>"
    return call("CreateFilter", ("PropertyCollector", collector), spec + tag("partialUpdates", "false"))


def retrieve(collector: str, objects: Iterable[tuple[str, str]], paths: Mapping[str, Iterable[str]]) -> bytes:
    """RetrievePropertiesEx of these objects (type, moid)."""
    asked = "".join(f"<objectSet>{reference('obj', *one)}</objectSet>" for one in objects)
    spec = f"<specSet>{_properties(paths)}{asked}</specSet><options/>"
    return call("RetrievePropertiesEx", ("PropertyCollector", collector), spec)


def _properties(paths: Mapping[str, Iterable[str]]) -> str:
    return "".join(
        f"<propSet>{tag('type', kind)}<all>false</all>"
        + "".join(tag("pathSet", path) for path in asked)
        + "</propSet>"
        for kind, asked in paths.items()
    )


def wait(collector: str, version: str, seconds: int, most: int) -> bytes:
    """WaitForUpdatesEx: at most so many seconds, at most so many objects in one reply."""
    options = f"<options>{tag('maxWaitSeconds', seconds)}{tag('maxObjectUpdates', most)}</options>"
    return call("WaitForUpdatesEx", ("PropertyCollector", collector), tag("version", version) + options)


def create_event_collector(
    manager: str, types: Iterable[str], begin: datetime, end: datetime | None = None
) -> bytes:
    """CreateCollectorForEvents: events of these types from ``begin`` (UTC) to ``end``, with messages."""
    ids = "".join(tag("eventTypeId", one) for one in types)
    time = f"<time>{_between(begin, end)}</time>"
    body = f"<filter>{time}{tag('disableFullMessage', 'false')}{ids}</filter>"
    return call("CreateCollectorForEvents", ("EventManager", manager), body)


def create_task_collector(
    manager: str, states: Iterable[str], begin: datetime | None = None, end: datetime | None = None
) -> bytes:
    """CreateCollectorForTasks: tasks in these states, completed from ``begin`` (UTC) to ``end`` if given."""
    time = f"<time>{tag('timeType', 'completedTime')}{_between(begin, end)}</time>" if begin else ""
    body = f"<filter>{time}{''.join(tag('state', one) for one in states)}</filter>"
    return call("CreateCollectorForTasks", ("TaskManager", manager), body)


def _between(begin: datetime, end: datetime | None) -> str:
    return tag("beginTime", _stamp(begin)) + (tag("endTime", _stamp(end)) if end else "")


def _stamp(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
