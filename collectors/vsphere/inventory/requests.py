"""SOAP envelopes for the PropertyCollector, views and history collectors; pure functions without I/O."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from xml.sax.saxutils import escape, quoteattr

from connections.vsphere.soap import call


def tag(name: str, text: object) -> str:
    """Return an XML element with escaped text."""
    return f"<{name}>{escape(str(text))}</{name}>"


def reference(name: str, type_: str, moid: str) -> str:
    """Return an XML element that refers to a managed object."""
    return f"<{name} type={quoteattr(type_)}>{escape(moid)}</{name}>"


def create_view(manager: str, root: tuple[str, str], types: Sequence[str]) -> bytes:
    """Return the CreateContainerView request for all objects of these types below ``root`` (type, moid)."""
    body = reference("container", *root) + "".join(tag("type", one) for one in types)
    return call("CreateContainerView", ("ViewManager", manager), body + tag("recursive", "true"))


def create_filter(collector: str, view: str, paths: Mapping[str, Iterable[str]]) -> bytes:
    """Return the CreateFilter request for the objects of a view; ``paths``: type → property paths.

    Changes are reported as whole properties.
    """
    select = (
        '<selectSet xsi:type="TraversalSpec"><name>view</name><type>ContainerView</type>'
        "<path>view</path><skip>false</skip></selectSet>"
    )
    objects = f"<objectSet>{reference('obj', 'ContainerView', view)}<skip>true</skip>{select}</objectSet>"
    spec = f"<spec>{_properties(paths)}{objects}</spec>"
    return call("CreateFilter", ("PropertyCollector", collector), spec + tag("partialUpdates", "false"))


def retrieve(collector: str, objects: Iterable[tuple[str, str]], paths: Mapping[str, Iterable[str]]) -> bytes:
    """Return the RetrievePropertiesEx request for these objects (type, moid); ``paths``: type
    → property paths.
    """
    object_sets = "".join(f"<objectSet>{reference('obj', *one)}</objectSet>" for one in objects)
    spec = f"<specSet>{_properties(paths)}{object_sets}</specSet><options/>"
    return call("RetrievePropertiesEx", ("PropertyCollector", collector), spec)


def retrieve_view(
    collector: str, view: tuple[str, str], to: str, paths: Mapping[str, Iterable[str]], most: int
) -> bytes:
    """Return the RetrievePropertiesEx request for the objects in the property ``to`` of ``view`` (type,
    moid), at most ``most`` in a reply.
    """
    select = (
        f'<selectSet xsi:type="TraversalSpec"><name>to</name>{tag("type", view[0])}'
        f"{tag('path', to)}<skip>false</skip></selectSet>"
    )
    objects = f"<objectSet>{reference('obj', *view)}<skip>true</skip>{select}</objectSet>"
    spec = f"<specSet>{_properties(paths)}{objects}</specSet><options>{tag('maxObjects', most)}</options>"
    return call("RetrievePropertiesEx", ("PropertyCollector", collector), spec)


def retrieve_more(collector: str, token: str) -> bytes:
    """Return the ContinueRetrievePropertiesEx request for the next page."""
    return call("ContinueRetrievePropertiesEx", ("PropertyCollector", collector), tag("token", token))


def _properties(paths: Mapping[str, Iterable[str]]) -> str:
    return "".join(
        f"<propSet>{tag('type', kind)}<all>false</all>"
        + "".join(tag("pathSet", path) for path in names)
        + "</propSet>"
        for kind, names in paths.items()
    )


def wait(collector: str, version: str, seconds: int, most: int) -> bytes:
    """Return the WaitForUpdatesEx request: wait at most ``seconds``, at most ``most`` objects in a reply."""
    options = f"<options>{tag('maxWaitSeconds', seconds)}{tag('maxObjectUpdates', most)}</options>"
    return call("WaitForUpdatesEx", ("PropertyCollector", collector), tag("version", version) + options)


def create_event_collector(
    manager: str, types: Iterable[str], begin: datetime, end: datetime | None = None
) -> bytes:
    """Return the CreateCollectorForEvents request for events of these types from ``begin``
    (UTC) to ``end``.
    """
    ids = "".join(tag("eventTypeId", one) for one in types)
    time = f"<time>{_between(begin, end)}</time>"
    body = f"<filter>{time}{tag('disableFullMessage', 'false')}{ids}</filter>"
    return call("CreateCollectorForEvents", ("EventManager", manager), body)


def create_task_collector(
    manager: str, states: Iterable[str], begin: datetime | None = None, end: datetime | None = None
) -> bytes:
    """Return the CreateCollectorForTasks request for tasks in these states, completed from ``begin``
    to ``end`` (UTC).
    """
    time = f"<time>{tag('timeType', 'completedTime')}{_between(begin, end)}</time>" if begin else ""
    body = f"<filter>{time}{''.join(tag('state', one) for one in states)}</filter>"
    return call("CreateCollectorForTasks", ("TaskManager", manager), body)


def _between(begin: datetime, end: datetime | None) -> str:
    return tag("beginTime", _stamp(begin)) + (tag("endTime", _stamp(end)) if end else "")


def _stamp(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
