"""Custom attributes of an object; the lock of a test run is one of them.

A definition that is missing is made and stays: others may use it by the time the value is taken away.
"""

from __future__ import annotations

from collectors.vsphere.inventory import requests
from collectors.vsphere.inventory.elements import NS, text_at
from collectors.vsphere.inventory.replies import returned
from connections.failures import ClosedError
from connections.vsphere.faults import SoapFault, translated
from connections.vsphere.logged_in import Connection
from connections.vsphere.properties import managed, read_one
from connections.vsphere.retry import is_transient
from resources.failures import SourceError, UsageError
from sessions.journal import ChangedObject, Setting
from workloads.vsphere.faults import outcome_unknown, refusal
from workloads.vsphere.settings.values import Server, as_text

_FIELDS = {"CustomFieldsManager": ["field"]}

MAX_NAME = 80
"""Characters of an attribute's name (vSphere Web Services API reference, AddCustomFieldDef)."""


def read(server: Server, of: ChangedObject, name: str) -> Setting:
    """Return the attribute's value, None where it has none."""
    values = read_one(server.vsphere, "its custom attributes", of, ["customValue"])["customValue"]
    key = _key(server, of, name)
    return next((str(one.value) for one in values or () if one.key == key and one.value), None)


def write(server: Server, of: ChangedObject, name: str, value: Setting) -> None:
    """Set the attribute; None takes its value away."""
    text = "" if value is None else as_text(f"attribute:{name}", value)
    if (read(server, of, name) or "") == text:
        return
    what = f"setting the custom attribute {name} of {of.name}"
    key = _defined(server, of, name)

    def question(connection: Connection) -> None:
        fields = connection.content.customFieldsManager
        fields.SetField(managed(connection, of.kind, of.id), key, text)

    try:
        server.vsphere.ask(what, question)
    except ClosedError:
        raise
    except SourceError as error:
        if isinstance(error, SoapFault) or not is_transient(error):
            raise refusal(error, what, server.vsphere.address) from error
        if (read(server, of, name) or "") != text:
            raise outcome_unknown(what, server.vsphere.address) from error


def _defined(server: Server, of: ChangedObject, name: str) -> int:
    """The key of the attribute, whose definition is made if it is missing."""
    key = _key(server, of, name)
    if key is not None:
        return key
    what = f"making the custom attribute {name}"
    if not name or len(name) > MAX_NAME:
        raise UsageError(f"A custom attribute's name has 1 to {MAX_NAME} characters.")
    try:
        server.vsphere.ask(
            what, lambda connection: connection.content.customFieldsManager.AddCustomFieldDef(name)
        )
    except ClosedError:
        raise
    except SourceError as error:  # somebody else made it at the same moment, or the reply was lost
        key = _key(server, of, name)
        if key is None:
            raise refusal(error, what, server.vsphere.address) from error
        return key
    key = _key(server, of, name)
    if key is None:
        raise outcome_unknown(what, server.vsphere.address)
    return key


def _key(server: Server, of: ChangedObject, name: str) -> int | None:
    """The key of the definition of that name which this kind of object can have.

    Read without pyVmomi, which refuses a definition whose type it does not know.
    """
    what = "its custom attributes"
    manager, collector = server.vsphere.ask(what, _managers)
    request = requests.retrieve(collector, [("CustomFieldsManager", manager)], _FIELDS)
    with translated(what, server.vsphere.address):
        found = returned(server.vsphere.post(request, what=what))
    for one in (definition for reply in found for definition in reply.iter(NS + "CustomFieldDef")):
        kind = text_at(one, "managedObjectType")
        if text_at(one, "name") == name and kind in ("", of.kind, "ManagedEntity"):
            return int(text_at(one, "key"))
    return None


def _managers(connection: Connection) -> tuple[str, str]:
    fields = connection.content.customFieldsManager
    if fields is None:
        raise UsageError("An ESXi host has no custom attributes.", advice="Connect to its vCenter.")
    return str(fields._moId), str(connection.content.propertyCollector._moId)
