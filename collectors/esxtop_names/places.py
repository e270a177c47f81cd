"""Where a column's series belongs: the entity and the instance, by object class."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from collectors.esxtop_names.instances import (
    adapter_of_path,
    is_uplink,
    read_group,
    read_numbered,
    read_port,
    read_virtual_disk,
    read_world,
)
from collectors.esxtop_names.roster import Roster
from sessions.identity import is_shared_device
from sessions.model import EntityRef


@dataclass(frozen=True, slots=True)
class Place:
    """The entity that a column speaks of, and the instance of the counter on that entity."""

    entity: EntityRef
    instance: str = ""


def place_of(roster: Roster, cls: str, instance: str) -> Place:
    """The place of a class's instance; of an unknown class or grammar: the host, instance as written."""
    placer = _PLACERS.get(cls)
    place = placer(roster, instance) if placer else None
    return place or Place(roster.host, instance)


def _host(roster: Roster, instance: str) -> Place:
    return Place(roster.host, instance)


def _physical_cpu(roster: Roster, instance: str) -> Place:
    return Place(roster.host, "" if instance == "_Total" else instance)


def _group(roster: Roster, instance: str) -> Place | None:
    group = read_group(instance)
    return Place(roster.groups[group.id]) if group else None


def _world(roster: Roster, instance: str) -> Place | None:
    world = read_world(instance, roster.group_names)
    ref = roster.worlds.get(world.id) if world else None
    return Place(ref) if ref else None


def _adapter(roster: Roster, instance: str) -> Place:
    return Place(roster.local("adapter", instance))


def _path(roster: Roster, instance: str) -> Place | None:
    adapter = adapter_of_path(instance)
    if adapter is None:
        return None
    return Place(roster.local("path", instance, roster.local("adapter", adapter)))


def _adapter_or_path(roster: Roster, instance: str) -> Place:
    """``vmhba0``, or ``vmhba0:vmhba0:C0:T2:L0``: the same path that ``Physical Disk Path`` has per device."""
    by_device = _path(roster, instance.partition(":")[2]) or _path(roster, instance)
    return Place(by_device.entity, "by adapter") if by_device else _adapter(roster, instance)


def _device_ref(roster: Roster, device: str) -> EntityRef:
    if is_shared_device(device):
        return roster.add("device", device, device, None)
    return roster.add("device", f"{roster.name}/{device}", device, roster.host)


def _device(roster: Roster, instance: str) -> Place:
    return Place(_device_ref(roster, instance))


def _partition(roster: Roster, instance: str) -> Place | None:
    numbered = read_numbered(instance)
    if numbered is None:
        return None
    device, number = numbered
    return Place(_device_ref(roster, device), f"partition {number}")


def _device_of_world(roster: Roster, instance: str) -> Place | None:
    """A VM's I/O runs under its cartel, which is no listed world; a listed world keeps its own I/O."""
    numbered = read_numbered(instance)
    if numbered is None:
        return None
    device, world = numbered
    _device_ref(roster, device)
    owner = roster.worlds.get(world) or roster.cartels.get(world)
    if owner is None:
        owner = roster.add("world", f"{roster.name}/world/{world}", f"world {world}", roster.host)
    return Place(owner, device)


def _datastore(roster: Roster, instance: str) -> Place:
    return Place(roster.add("datastore", instance, instance, None))


def _virtual_disk(roster: Roster, instance: str) -> Place:
    name, disk = read_virtual_disk(instance, roster.named)
    vm = roster.vm_named(name)
    return Place(roster.add("vdisk", f"{vm.key}/{disk}", disk, vm)) if disk else Place(vm)


def _port(roster: Roster, instance: str) -> Place | None:
    port = read_port(instance)
    if port is None:
        return None
    key = f"{roster.name}/port/{port.id}"
    if port.world:
        vm = roster.cartels.get(port.world) or roster.vm_named(port.client)
        return Place(roster.add("port", key, f"{port.portset}:{port.id}", vm))
    if is_uplink(port.client):
        nic = roster.local("nic", port.client)
        roster.switches.setdefault(nic, port.portset)
        return Place(nic)
    return Place(roster.add("port", key, f"{roster.name}/{port.client}", roster.host))


def _rdma(roster: Roster, instance: str) -> Place:
    """``vmrdma0:bnxtroce:Active``: the device's name; driver and state stay in the instance."""
    name, _, rest = instance.partition(":")
    return Place(roster.local("nic", name), rest)


_PLACERS: Mapping[str, Callable[[Roster, str], Place | None]] = {
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

ESXTOP_CLASSES = frozenset(_PLACERS)
"""The object classes of esxtop. A PDH file that has none of them is Windows', not a host's."""
