"""Which entity a column's values belong to, and under which instance, by object class."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from collectors.esxtop_names.host_objects import HostObjects
from collectors.esxtop_names.instances import (
    adapter_of_path,
    is_uplink,
    read_group,
    read_numbered,
    read_port,
    read_virtual_disk,
    read_world,
)
from sessions.model import EntityRef
from sessions.shared_devices import is_shared_device


@dataclass(frozen=True, slots=True)
class Owner:
    """The entity that a column speaks of, and the instance of the counter on that entity."""

    entity: EntityRef
    instance: str = ""


def owner_of(objects: HostObjects, cls: str, instance: str) -> Owner:
    """Return the owner of a column; for an unknown class or instance, the host and the text as written."""
    read = _OWNER_READERS.get(cls)
    owner = read(objects, instance) if read else None
    return owner or Owner(objects.host, instance)


def _host(objects: HostObjects, instance: str) -> Owner:
    return Owner(objects.host, instance)


def _physical_cpu(objects: HostObjects, instance: str) -> Owner:
    return Owner(objects.host, "" if instance == "_Total" else instance)


def _group(objects: HostObjects, instance: str) -> Owner | None:
    group = read_group(instance)
    return Owner(objects.groups[group.id]) if group else None


def _world(objects: HostObjects, instance: str) -> Owner | None:
    world = read_world(instance, objects.group_names)
    ref = objects.worlds.get(world.id) if world else None
    return Owner(ref) if ref else None


def _adapter(objects: HostObjects, instance: str) -> Owner:
    return Owner(objects.local("adapter", instance))


def _path(objects: HostObjects, instance: str) -> Owner | None:
    adapter = adapter_of_path(instance)
    if adapter is None:
        return None
    return Owner(objects.local("path", instance, objects.local("adapter", adapter)))


def _adapter_or_path(objects: HostObjects, instance: str) -> Owner:
    """``vmhba0``, or ``vmhba0:vmhba0:C0:T2:L0``: the same path that ``Physical Disk Path`` has per device."""
    by_device = _path(objects, instance.partition(":")[2]) or _path(objects, instance)
    return Owner(by_device.entity, "by adapter") if by_device else _adapter(objects, instance)


def _device_ref(objects: HostObjects, device: str) -> EntityRef:
    if is_shared_device(device):
        return objects.add("device", device, device, None)
    return objects.add("device", f"{objects.name}/{device}", device, objects.host)


def _device(objects: HostObjects, instance: str) -> Owner:
    return Owner(_device_ref(objects, instance))


def _partition(objects: HostObjects, instance: str) -> Owner | None:
    numbered = read_numbered(instance)
    if numbered is None:
        return None
    device, number = numbered
    return Owner(_device_ref(objects, device), f"partition {number}")


def _device_of_world(objects: HostObjects, instance: str) -> Owner | None:
    """A VM's I/O runs under its cartel, which is no listed world; a listed world keeps its own I/O."""
    numbered = read_numbered(instance)
    if numbered is None:
        return None
    device, world = numbered
    _device_ref(objects, device)
    owner = objects.worlds.get(world) or objects.cartels.get(world)
    if owner is None:
        owner = objects.add("world", f"{objects.name}/world/{world}", f"world {world}", objects.host)
    return Owner(owner, device)


def _datastore(objects: HostObjects, instance: str) -> Owner:
    return Owner(objects.add("datastore", instance, instance, None))


def _virtual_disk(objects: HostObjects, instance: str) -> Owner:
    name, disk = read_virtual_disk(instance, objects.named)
    vm = objects.vm_named(name)
    return Owner(objects.add("vdisk", f"{vm.key}/{disk}", disk, vm)) if disk else Owner(vm)


def _port(objects: HostObjects, instance: str) -> Owner | None:
    port = read_port(instance)
    if port is None:
        return None
    key = f"{objects.name}/port/{port.id}"
    if port.world:
        ref = objects.add("port", key, f"{port.portset}:{port.id}", objects.vm_of_port(port))
        objects.switches.setdefault(ref, port.portset)
        return Owner(ref)
    if is_uplink(port.client):
        nic = objects.local("nic", port.client)
        objects.switches.setdefault(nic, port.portset)
        return Owner(nic)
    ref = objects.add("port", key, f"{objects.name}/{port.client}", objects.host)
    if port.client.startswith("vmk"):
        objects.switches.setdefault(ref, port.portset)
    return Owner(ref)


def _rdma(objects: HostObjects, instance: str) -> Owner:
    """``vmrdma0:bnxtroce:Active``: the device's name; driver and state stay in the instance."""
    name, _, rest = instance.partition(":")
    return Owner(objects.local("nic", name), rest)


_OWNER_READERS: Mapping[str, Callable[[HostObjects, str], Owner | None]] = {
    "Memory": _host,
    "Physical Cpu Load": _host,
    "Physical Cpu": _physical_cpu,
    "Power": _host,
    "VSAN": _host,
    "Group Cpu": _group,
    "Group Memory": _group,
    "Vcpu": _world,
    "Physical Disk": _adapter_or_path,
    "Physical Disk Adapter": _adapter,
    "Physical Disk Path": _path,
    "Physical Disk SCSI Device": _device,
    "Physical Disk Per-Device-Per-World": _device_of_world,
    "Physical Disk Partition": _partition,
    "Physical Disk NFS Volume": _datastore,
    "Virtual Disk": _virtual_disk,
    "Network Port": _port,
    "Interrupt Cookie": _host,
    "PCPU Power State": _host,
    "RDMA Device": _rdma,
}

ESXTOP_CLASSES = frozenset(_OWNER_READERS)
"""The object classes of esxtop. A PDH file that has none of them is Windows', not a host's."""
