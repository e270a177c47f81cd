"""What vSAN's API tells of a cluster: its architecture, its service, its hosts and disks by UUID."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from collectors.vsphere.inventory.objects import CLUSTER, HOST, Inventory, Managed
from connections.vsphere.faults import SoapFault
from connections.vsphere.soap import text_of
from connections.vsphere.vsan import Element, VsanApi, VsanMethod
from resources.failures import PrivilegeError
from resources.vsan_service import Architecture
from sessions.model import EntityRef

_CONFIG = VsanMethod("VsanClusterGetConfig", "VsanVcClusterConfigSystem", "vsan-cluster-config-system")
_NODES = VsanMethod("VsanPerfQueryNodeInformation", "VsanPerformanceManager", "vsan-performance-manager")
_HEALTH = VsanMethod(
    "VsanQueryVcClusterHealthSummary", "VsanVcClusterHealthSystem", "vsan-cluster-health-system"
)
_DISKS = "<fields>physicalDisksHealth</fields>"
_VOLUME = "vsan:"
"""How the instance name of a vSAN datastore begins; the UUID of its cluster follows."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Disk:
    """A disk that vSAN uses.

    ``group`` is the UUID of its disk group, empty with the express architecture. ``flash`` is None where the
    server does not tell.
    """

    name: str
    host: EntityRef | None
    group: str
    flash: bool | None


@dataclass(frozen=True, slots=True)
class VsanCluster:
    """A cluster with vSAN. ``service`` says whether its performance service is on; ``store`` is its
    datastore.

    ``nodes`` are its hosts by the UUID that vSAN has for them, ``disks`` its disks by UUID.
    """

    moid: str
    ref: EntityRef
    name: str
    uuid: str
    architecture: Architecture
    service: bool
    store: EntityRef | None
    nodes: Mapping[str, EntityRef]
    disks: Mapping[str, Disk]

    @property
    def is_hybrid(self) -> bool:
        """True if it is known that disks other than flash hold the data."""
        return any(disk.flash is False for disk in self.disks.values())

    def ids(self, kind: str) -> list[str]:
        """Return the ids of a type's entities, as far as they are known without the service."""
        if kind.startswith("cluster-"):
            return [self.uuid] if self.uuid else []
        if kind == "disk-group":
            return sorted({disk.group for disk in self.disks.values() if disk.group})
        if kind == "vsan-pnic-net":
            return []  # which uplinks carry vSAN only the service knows
        return sorted(self.disks) if "disk" in kind else sorted(self.nodes)

    def host_of(self, uuid: str) -> EntityRef | None:
        """Return the host of a node, disk or disk group; None for the cluster and for what is not known."""
        if uuid in self.nodes:
            return self.nodes[uuid]
        if uuid in self.disks:
            return self.disks[uuid].host
        return next((disk.host for disk in self.disks.values() if disk.group == uuid), None)


def candidates(inventory: Inventory) -> list[Managed]:
    """Return the clusters whose hosts have a vSAN datastore: only these are asked, by name."""
    with_vsan = {host.cluster for host in inventory.of(HOST) if any(_volumes(host))}
    return sorted((one for one in inventory.of(CLUSTER) if one.moid in with_vsan), key=lambda one: one.name)


def read_cluster(api: VsanApi, cluster: Managed, inventory: Inventory) -> VsanCluster | None:
    """Ask for a cluster's vSAN; None if it has none of its own. Raises SourceError.

    Hosts and disks that the server does not tell are missing: their entities then belong to the cluster.
    """
    config = next(iter(api.ask(_CONFIG, cluster.moid)), None)
    if config is None or text_of(config, "enabled") != "true":
        return None
    uuid = text_of(config, "defaultConfig", "uuid")
    hosts = [host for host in inventory.of(HOST) if host.cluster == cluster.moid]
    by_name = {name: host.ref for host in hosts for name in (host.name.partition(".")[0].lower(), host.name)}
    return VsanCluster(
        cluster.moid,
        cluster.ref,
        cluster.name,
        uuid,
        "ESA" if text_of(config, "vsanEsaEnabled") == "true" else "OSA",
        text_of(config, "perfsvcConfig", "enabled") != "false",
        _store(hosts, uuid),
        dict(_nodes(api, cluster.moid, by_name)),
        dict(_disks(api, cluster.moid, by_name)),
    )


def _nodes(api: VsanApi, moid: str, by_name: Mapping[str, EntityRef]) -> Iterator[tuple[str, EntityRef]]:
    for one in _told(api, _NODES, moid):
        host = _host(text_of(one, "hostname"), by_name)
        if host is not None and (uuid := text_of(one, "vsanNodeUuid")):
            yield uuid, host


def _disks(api: VsanApi, moid: str, by_name: Mapping[str, EntityRef]) -> Iterator[tuple[str, Disk]]:
    for whole in _told(api, _HEALTH, moid, _DISKS):
        for summary in whole.findall("{*}physicalDisksHealth"):
            host = _host(text_of(summary, "hostname"), by_name)
            for one in summary.findall("{*}disks"):
                flash = {"1": True, "0": False}.get(text_of(one, "isAllFlash"))
                group = text_of(one, "vsanDiskGroupUuid")
                yield text_of(one, "uuid"), Disk(text_of(one, "name"), host, group, flash)


def _told(api: VsanApi, method: VsanMethod, moid: str, body: str = "") -> list[Element]:
    """What names and joins entities: without it they are recorded under their UUIDs."""
    try:
        return api.ask(method, moid, body)
    except (SoapFault, PrivilegeError) as error:
        _log.info("vSAN does not name its parts: %s", error.happened)
        return []


def _host(name: str, by_name: Mapping[str, EntityRef]) -> EntityRef | None:
    return by_name.get(name) or by_name.get(name.partition(".")[0].lower())


def _volumes(host: Managed) -> Iterator[tuple[str, EntityRef]]:
    return (
        (name, ref)
        for name, ref in host.instances.items()
        if ref.kind == "datastore" and name.lower().startswith(_VOLUME)
    )


def _store(hosts: list[Managed], uuid: str) -> EntityRef | None:
    """The datastore that has the cluster's UUID; the only one, where none has."""
    found = {ref: _bare(name) for host in hosts for name, ref in _volumes(host)}
    own = next((ref for ref, name in found.items() if name == _bare(uuid)), None)
    return own or (next(iter(found)) if len(found) == 1 else None)


def _bare(uuid: str) -> str:
    return uuid.lower().removeprefix(_VOLUME).replace("-", "")
