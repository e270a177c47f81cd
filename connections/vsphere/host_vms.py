"""Which VMs and datastores a host has: as the inventory knows them, and VMs by the ids of their worlds.

The ids come from ``esxcli vm process list``, which vCenter and ESXi answer in the API's session: a host's
ManagedMethodExecuter runs it. That type is not among those that pyVmomi publishes, so it is asked in plain
SOAP, as govmomi's ``cli/esx`` does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from lxml import etree
from pyVmomi import vim, vmodl

from connections.vsphere.faults import BadReplyError, SoapFault, translated
from connections.vsphere.logged_in import Connection
from connections.vsphere.session import VSphere
from connections.vsphere.soap import call, without_illegal_characters

_VERSION = "urn:vim25/5.0"
_HANDLER, _METHOD = "ha-cli-handler-vm-process", "vim.EsxCLI.vm.process.list"
_NS = "{urn:vim25}"
_FIRST_NIC = 4000
"""The device key of a VM's first network adapter, ``ethernet0``."""


@dataclass(frozen=True, slots=True)
class HostVm:
    """A VM of a host, as the inventory has it; ``uuid`` is the one of its BIOS, which copies may share.

    ``nics`` are the device keys of its network adapters.
    """

    moid: str
    name: str
    instance_uuid: str
    uuid: str
    nics: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class VmProcess:
    """A running VM as its host's kernel knows it: the ids of its worlds, the UUID of its BIOS, its name."""

    world_id: int
    cartel_id: int
    uuid: str
    name: str


@dataclass(frozen=True, slots=True)
class Above:
    """What a host belongs to: the id and the name of its cluster, both empty for a host that stands alone."""

    moid: str = ""
    name: str = ""


def plain_uuid(text: str) -> str:
    """Return a UUID's 32 hexadecimal digits in lower case, however it is written; empty for anything else."""
    digits = "".join(one for one in text.lower() if one not in " -")
    return digits if len(digits) == 32 and not digits.strip("0123456789abcdef") else ""


def nic_key(number: int) -> int:
    """Return the device key of the network adapter ``ethernet<number>``."""
    return _FIRST_NIC + number


def vms_on(vsphere: VSphere, host: str) -> list[HostVm]:
    """Return the VMs that the inventory places on a host (its moid). Raises SourceError."""
    return vsphere.ask("its VMs", lambda connection: list(_vms(connection, host)))


def datastores_on(vsphere: VSphere, host: str) -> dict[str, str]:
    """Return the URLs of the datastores of a host (its moid), by name and by id. Raises SourceError."""
    return vsphere.ask("its datastores", lambda connection: _datastores(connection, host))


def vms_with(vsphere: VSphere, uuid: str) -> list[HostVm]:
    """Return the VMs of the whole inventory whose BIOS has this UUID (32 digits). Raises SourceError."""
    dashed = "-".join((uuid[:8], uuid[8:12], uuid[12:16], uuid[16:20], uuid[20:]))
    return vsphere.ask("a VM by its UUID", lambda connection: list(_vms_with(connection, dashed)))


def cluster_of(vsphere: VSphere, host: str) -> Above:
    """Return the cluster of a host. Raises SourceError."""
    return vsphere.ask("its cluster", lambda connection: _cluster(connection, host))


def processes_on(vsphere: VSphere, host: str) -> list[VmProcess]:
    """Return the VMs that run on a host, as its kernel numbers them.

    Raises SourceError, SoapFault where the account or the host does not let esxcli be asked.
    """
    what = "its running VMs"
    with translated(what, vsphere.address):
        executer = _value(
            vsphere.post(call("RetrieveManagedMethodExecuter", ("HostSystem", host)), what=what)
        )
        body = f"<moid>{_HANDLER}</moid><version>{_VERSION}</version><method>{_METHOD}</method>"
        request = call("ExecuteSoap", ("ManagedMethodExecuter", executer.text or ""), body)
        answer = _value(vsphere.post(request, what=what))
        fault = answer.findtext(f"{_NS}fault/{_NS}faultMsg")
        if fault is not None:
            raise SoapFault(f"{vsphere.address.place} refused {what}: {fault[:500]}")
        return list(_processes(answer.findtext(f"{_NS}response") or ""))


def _value(reply: bytes) -> etree._Element:
    try:
        root = _parsed(reply)
    except etree.XMLSyntaxError:
        root = _parsed(without_illegal_characters(reply))
    found = next(root.iter(f"{_NS}returnval"), None)
    if found is None:
        raise BadReplyError("an answer without a value")
    return found


def _parsed(text: bytes) -> etree._Element:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True)
    root = etree.fromstring(text, parser)
    if root.getroottree().docinfo.internalDTD is not None:
        raise BadReplyError("it declares a document type, which SOAP forbids")
    return root


def _processes(text: str) -> Iterator[VmProcess]:
    """The rows of esxcli's answer, which is XML within the reply; a row without a number is left out."""
    if not text:
        return
    try:
        root = _parsed(without_illegal_characters(text.encode("utf-8", "replace")))
    except etree.XMLSyntaxError as error:
        raise BadReplyError(f"no XML: {error}") from error
    for row in root:
        told = {etree.QName(one).localname: one.text or "" for one in row if isinstance(one.tag, str)}
        world, cartel = told.get("WorldID", ""), told.get("VMXCartelID", "")
        if world.isascii() and world.isdigit() and cartel.isascii() and cartel.isdigit():
            uuid = plain_uuid(told.get("UUID", ""))
            yield VmProcess(int(world), int(cartel), uuid, told.get("DisplayName", ""))


def _vms(connection: Connection, host: str) -> Iterator[HostVm]:
    paths = vmodl.query.PropertyCollector
    at = vim.HostSystem(host, connection.stub)
    walk = paths.TraversalSpec(name="vms", path="vm", skip=False, type=vim.HostSystem)
    yield from _read(connection, [paths.ObjectSpec(obj=at, skip=True, selectSet=[walk])])


def _vms_with(connection: Connection, uuid: str) -> Iterator[HostVm]:
    found = connection.content.searchIndex.FindAllByUuid(uuid=uuid, vmSearch=True) or []
    paths = vmodl.query.PropertyCollector
    objects = [paths.ObjectSpec(obj=one, skip=False) for one in found if isinstance(one, vim.VirtualMachine)]
    if objects:
        yield from _read(connection, objects)


def _read(connection: Connection, objects: Sequence[object]) -> Iterator[HostVm]:
    paths = vmodl.query.PropertyCollector
    wanted = ["name", "config.instanceUuid", "config.uuid", "config.hardware.device"]
    of_vms = paths.PropertySpec(type=vim.VirtualMachine, pathSet=wanted)
    spec = paths.FilterSpec(objectSet=list(objects), propSet=[of_vms])
    for one in connection.content.propertyCollector.RetrieveContents([spec]):
        told = {prop.name: prop.val for prop in one.propSet or ()}
        cards = told.get("config.hardware.device") or ()
        yield HostVm(
            str(one.obj._moId),
            unquote(str(told.get("name", ""))),
            str(told.get("config.instanceUuid", "") or ""),
            plain_uuid(str(told.get("config.uuid", "") or "")),
            frozenset(card.key for card in cards if isinstance(card, vim.vm.device.VirtualEthernetCard)),
        )


def _datastores(connection: Connection, host: str) -> dict[str, str]:
    paths = vmodl.query.PropertyCollector
    at = vim.HostSystem(host, connection.stub)
    walk = paths.TraversalSpec(name="stores", path="datastore", skip=False, type=vim.HostSystem)
    spec = paths.FilterSpec(
        objectSet=[paths.ObjectSpec(obj=at, skip=True, selectSet=[walk])],
        propSet=[paths.PropertySpec(type=vim.Datastore, pathSet=["name", "summary.url"])],
    )
    found: dict[str, str] = {}
    for one in connection.content.propertyCollector.RetrieveContents([spec]):
        told = {prop.name: str(prop.val) for prop in one.propSet or ()}
        if url := told.get("summary.url", ""):
            found[unquote(told.get("name", ""))] = url
            found[url.rstrip("/").rpartition("/")[2]] = url
    found.pop("", None)
    return found


def _cluster(connection: Connection, host: str) -> Above:
    parent = vim.HostSystem(host, connection.stub).parent
    if not isinstance(parent, vim.ClusterComputeResource):
        return Above()
    return Above(str(parent._moId), unquote(str(parent.name)))
