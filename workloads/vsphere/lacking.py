"""Which privileges the account lacks on which objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from connections.vsphere.faults import SoapFault
from connections.vsphere.logged_in import Connection
from connections.vsphere.properties import managed
from connections.vsphere.session import VSphere, session_key
from sessions.journal import ChangedObject

Needed = Mapping[str, Sequence[ChangedObject]]
"""Privilege → the objects on which it is needed."""


def lacking_privileges(vsphere: VSphere, needed: Needed) -> dict[str, tuple[ChangedObject, ...]]:
    """Return the objects on which each needed privilege is lacking; empty where nothing lacks.

    Raises SourceError. An object that the account does not even see lacks all of them.
    """
    objects = {one.id: one for of in needed.values() for one in of}
    if not objects:
        return {}
    what = "its privileges"
    try:
        granted = vsphere.ask(what, lambda connection: _granted(connection, objects, needed))
    except SoapFault as fault:
        if fault.type_name != "ManagedObjectNotFound" or len(objects) == 1:
            raise
        granted = {}
        for moid, one in objects.items():  # one of them is gone: ask for each alone
            granted |= _of_one(vsphere, moid, one, needed)
    return {
        privilege: lacking
        for privilege, of in needed.items()
        if (lacking := tuple(one for one in of if privilege not in granted.get(one.id, frozenset())))
    }


def _of_one(vsphere: VSphere, moid: str, one: ChangedObject, needed: Needed) -> dict[str, frozenset[str]]:
    try:
        return vsphere.ask("its privileges", lambda connection: _granted(connection, {moid: one}, needed))
    except SoapFault:
        return {}


def _granted(
    connection: Connection, objects: Mapping[str, ChangedObject], needed: Needed
) -> dict[str, frozenset[str]]:
    """Object → the privileges that are granted on it."""
    manager = connection.content.authorizationManager
    entities = {moid: _entity(connection, one) for moid, one in objects.items()}
    own_session = session_key(connection) or ""
    answers = manager.HasPrivilegeOnEntities(list(entities.values()), own_session, list(needed))
    found: dict[str, set[str]] = {}
    for answer in answers or ():
        own = {item.privId for item in answer.privAvailability or () if item.isGranted}
        found.setdefault(str(answer.entity._moId), set()).update(own)
    return {moid: frozenset(found.get(str(entity._moId), ())) for moid, entity in entities.items()}


def _entity(connection: Connection, one: ChangedObject) -> Any:
    """The object, or the root of the inventory for the vCenter itself."""
    if one.kind == "ServiceInstance":
        return connection.content.rootFolder
    return managed(connection, one.kind, one.id)
