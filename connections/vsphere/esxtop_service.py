"""The service ``Esxtop`` of hosts, which a vCenter or an ESXi host serves in the vSphere API's session."""

from __future__ import annotations

from dataclasses import dataclass
from xml.sax.saxutils import escape

from lxml import etree
from pyVmomi import vim, vmodl

from connections.vsphere.faults import BadReplyError, SoapFault, translated
from connections.vsphere.logged_in import Connection
from connections.vsphere.session import VSphere
from connections.vsphere.soap import call, without_illegal_characters
from resources.failures import NoCountersError

PRIVILEGE = "Global.ServiceManagers"
"""What both calls need."""
_NAME = "Esxtop"
_LOCATION = "vmware.host."
_COMMAND = "ExecuteSimpleCommand"
_UNKNOWN_METHOD = "MethodNotFound"
_RETURNED = "{urn:vim25}returnval"


@dataclass(frozen=True, slots=True)
class EsxtopService:
    """A host's service: the id of its SimpleCommand."""

    moid: str


@dataclass(frozen=True, slots=True)
class HostName:
    """A host of the inventory: its id, its name there, and the UUID of its hardware, empty if unknown."""

    moid: str
    name: str
    uuid: str
    is_connected: bool


def hosts_of(vsphere: VSphere) -> list[HostName]:
    """Return the hosts that the account sees. Raises SourceError."""
    return vsphere.ask("its hosts", _hosts)


def find_service(vsphere: VSphere, host: str) -> EsxtopService | None:
    """Return the service of the host with this name, None where it has none.

    Raises SourceError, PrivilegeError for an account that lacks ``PRIVILEGE``, NoCountersError for a server
    that knows no services.
    """

    def question(connection: Connection) -> str | None:
        manager = connection.content.serviceManager
        if manager is None:
            raise NoCountersError(
                f"{vsphere.address.place} has no service manager, and so no esxtop service.",
            )
        found = manager.QueryServiceList(serviceName=_NAME, location=[_LOCATION + host]) or []
        return next((str(one.service._moId) for one in found if one.serviceName == _NAME), None)

    try:
        moid = vsphere.ask("its esxtop service", question)
    except SoapFault as fault:
        if fault.type_name != _UNKNOWN_METHOD:
            raise
        moid = None
    return EsxtopService(moid) if moid is not None else None


def run_command(vsphere: VSphere, service: EsxtopService, command: str, *, once: bool = False) -> bytes:
    """Run a command of the service (CounterInfo, FetchStats, FreeStats) and return its answer, UTF-8.

    It is asked without pyVmomi, whose one connection would let one host wait for another. ``once``: not again
    over another connection. Raises SourceError, SoapFault.
    """
    what = f"{command} of the esxtop service"
    request = call(_COMMAND, ("SimpleCommand", service.moid), f"<arguments>{escape(command)}</arguments>")
    with translated(what, vsphere.address):
        return _returned(vsphere.post(request, what=what, once=once))


def _returned(reply: bytes) -> bytes:
    """The text in a reply, whose names may hold characters that XML forbids."""
    try:
        return _text(reply)
    except etree.XMLSyntaxError:
        cleaned = without_illegal_characters(reply)
    try:
        return _text(cleaned)
    except etree.XMLSyntaxError as error:
        raise BadReplyError(f"no XML: {error}") from error


def _text(reply: bytes) -> bytes:
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True, remove_comments=True
    )
    root = etree.fromstring(reply, parser)
    if root.getroottree().docinfo.internalDTD is not None:
        raise BadReplyError("it declares a document type, which SOAP forbids")
    found = next(root.iter(_RETURNED), None)
    if found is None:
        raise BadReplyError("an answer without a value")
    return (found.text or "").encode("utf-8", "replace")


def _hosts(connection: Connection) -> list[HostName]:
    content = connection.content
    view = content.viewManager.CreateContainerView(content.rootFolder, [vim.HostSystem], True)
    paths = vmodl.query.PropertyCollector
    walk = paths.TraversalSpec(name="view", path="view", skip=False, type=vim.view.ContainerView)
    wanted = ["name", "hardware.systemInfo.uuid", "runtime.connectionState"]
    spec = paths.FilterSpec(
        objectSet=[paths.ObjectSpec(obj=view, skip=True, selectSet=[walk])],
        propSet=[paths.PropertySpec(type=vim.HostSystem, pathSet=wanted)],
    )
    try:
        found = content.propertyCollector.RetrieveContents([spec])
    finally:
        view.DestroyView()
    hosts = []
    for one in found:
        told = {prop.name: prop.val for prop in one.propSet or ()}
        state = str(told.get("runtime.connectionState", "connected"))
        uuid = str(told.get("hardware.systemInfo.uuid", "") or "")
        hosts.append(HostName(str(one.obj._moId), str(told.get("name", "")), uuid, state == "connected"))
    return sorted((host for host in hosts if host.name), key=lambda host: host.name)
