"""The inventory for other modules: managed objects as frozen values, and a snapshot of all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from sessions.model import EntityRef

VM = "VirtualMachine"
HOST = "HostSystem"
CLUSTER = "ClusterComputeResource"
DATASTORE = "Datastore"
POOL = "ResourcePool"
NETWORK = "Network"


@dataclass(frozen=True, slots=True)
class Managed:
    """An object of the server that has counters.

    ``type`` is VirtualMachine, HostSystem, ClusterComputeResource, Datastore or ResourcePool. ``host`` and
    ``cluster`` are moids, None where there is none. ``vcpus`` is 0 for all but VMs. ``connected`` means that
    the server can reach it; ``powered_on`` is False for a host in standby, too. ``instances`` maps the
    instance names of counters to entities: canonical device names, ``vmnic0``, ``vmhba0``, paths, datastore
    UUIDs, ``scsi0:0``, NIC keys, vCPU numbers. ``disk_keys`` are the device keys of a VM's virtual disks
    (``2000``), by instance name.
    """

    moid: str
    type: str
    ref: EntityRef
    name: str
    host: str | None
    vcpus: int
    powered_on: bool
    connected: bool
    cluster: str | None
    instances: Mapping[str, EntityRef]
    disk_keys: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Inventory:
    """All managed objects by moid, at one moment. ``serial`` increases with each change."""

    objects: Mapping[str, Managed] = field(default_factory=lambda: MappingProxyType({}))
    serial: int = 0

    def of(self, kind: str) -> Iterator[Managed]:
        """Yield the objects of one API type."""
        return (one for one in self.objects.values() if one.type == kind)
