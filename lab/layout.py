"""The instances of each host in each object class, and the order of its columns, as in a real capture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from lab.esxtop_tables import (
    INTERRUPT_PER_CPU,
    P_STATE_TABLE,
    PATHS_OF_ADAPTER,
    CaptureColumn,
    EsxtopTables,
    Table,
    table,
)
from lab.fields import OVERCOMMIT, P_STATES, FieldSet
from lab.inventory import CDROM_LUN, LOCAL_LUN, NFS_LUN, SHARED_LUNS, UPLINKS, Cluster
from lab.worlds import NO_OWNER, Group, build_groups
from sessions.model import IntArray

ADAPTERS = ("vmhba0", "vmhba1", "vmhba2")
VECTORS = ("0x0", "0x9", "0x21", "0x22", "0x31", "0x32", "0xef", "0xfb")
LOCAL_PARTITIONS = (1, 5, 6, 7, 8)
_ONLY_VMS = "% VmWait"
"""Printed for the groups of VMs only, which is how to tell them."""
_TINY_WORLDS = 2


@dataclass(frozen=True, slots=True)
class DiskPath:
    """A storage path of a host: adapter number, position of the LUN, name."""

    adapter: int
    lun: int
    name: str


@dataclass(frozen=True, slots=True)
class WorldOnDevice:
    """The owner of I/O on a device: a VM, or NO_OWNER for a world of the host itself."""

    lun: int
    vm: int
    world: int


@dataclass(frozen=True, slots=True)
class Port:
    """A port of a virtual switch: at most one of ``uplink``, ``vmk`` and ``vm`` is not NO_OWNER."""

    name: str
    uplink: int = NO_OWNER
    vmk: int = NO_OWNER
    vm: int = NO_OWNER


@dataclass(frozen=True, slots=True)
class HostLayout:
    """All instances of one host, in esxtop's order."""

    groups: tuple[Group, ...]
    devices: tuple[int, ...]
    paths: tuple[DiskPath, ...]
    users: tuple[WorldOnDevice, ...]
    partitions: tuple[tuple[int, int], ...]
    disks: tuple[tuple[int, int], ...]
    ports: tuple[Port, ...]

    @property
    def memory_groups(self) -> tuple[Group, ...]:
        """The groups in the class ``Group Memory``: all but the VMkernel's own."""
        return tuple(group for group in self.groups if not group.kernel)


def build_layouts_of(cluster: Cluster) -> tuple[HostLayout, ...]:
    """Return the layout of each host of a cluster."""
    return tuple(_host_layout(cluster, host, groups) for host, groups in enumerate(build_groups(cluster)))


def _host_layout(cluster: Cluster, host: int, groups: tuple[Group, ...]) -> HostLayout:
    devices = sorted((*range(SHARED_LUNS), LOCAL_LUN, CDROM_LUN), key=lambda lun: cluster.luns[lun].name)
    mine = [number for number, vm in enumerate(cluster.vms) if vm.host == host]
    users = [user for lun in devices for user in _users(cluster, lun, mine)]
    return HostLayout(
        groups=groups,
        devices=tuple(devices),
        paths=tuple(path for lun in devices for path in _paths(lun)),
        users=tuple(users),
        partitions=tuple((lun, part) for lun in devices for part in _partitions(lun)),
        disks=tuple((vm, disk) for vm in mine for disk in range(-1, len(cluster.vms[vm].disks))),
        ports=tuple(_ports(cluster, mine)),
    )


def _paths(lun: int) -> Iterator[DiskPath]:
    if lun < SHARED_LUNS:
        for adapter in (1, 2):
            yield DiskPath(adapter, lun, f"vmhba{adapter}:C0:T0:L{lun}")
    else:
        target = 0 if lun == LOCAL_LUN else 5
        yield DiskPath(0, lun, f"vmhba0:C0:T{target}:L0")


def _partitions(lun: int) -> tuple[int, ...]:
    if lun < SHARED_LUNS:
        return (1,)
    return LOCAL_PARTITIONS if lun == LOCAL_LUN else ()


def _users(cluster: Cluster, lun: int, mine: list[int]) -> Iterator[WorldOnDevice]:
    """Host worlds on the local disk, the VMX that has the CD-ROM, the cartels of VMs with disks there."""
    if lun == LOCAL_LUN:
        yield from (WorldOnDevice(lun, NO_OWNER, 2_098_010 + number) for number in range(_TINY_WORLDS))
    elif lun == CDROM_LUN:
        yield WorldOnDevice(lun, NO_OWNER, cluster.vms[mine[0]].cartel - 1)
    for number in mine:
        vm = cluster.vms[number]
        if any(disk.lun == lun for disk in vm.disks):
            yield WorldOnDevice(lun, number, vm.cartel)


def _ports(cluster: Cluster, mine: list[int]) -> Iterator[Port]:
    number = 33_554_433
    yield Port(f"vSwitch0:{number}:Management")
    for uplink in (0, 1):
        number += 1
        yield Port(f"vSwitch0:{number}:vmnic{uplink}", uplink=uplink)
        number += 1
        yield Port(f"vSwitch0:{number}:Shadow of vmnic{uplink}")
    for vmk in (0, 1):
        number += 1
        yield Port(f"vSwitch0:{number}:vmk{vmk}", vmk=vmk)
    number = 50_331_649
    yield Port(f"vSwitch1:{number}:Management")
    for uplink in range(2, UPLINKS):
        number += 1
        yield Port(f"vSwitch1:{number}:vmnic{uplink}", uplink=uplink)
        number += 1
        yield Port(f"vSwitch1:{number}:Shadow of vmnic{uplink}")
    for vm in mine:
        number += 1
        yield Port(f"vSwitch1:{number}:{cluster.vms[vm].cartel}:{cluster.vms[vm].name}", vm=vm)


def build_tables(cluster: Cluster, layouts: tuple[HostLayout, ...], fields: FieldSet) -> EsxtopTables:
    """Return empty tables for all object classes; with the field set ``diagnosis`` only its
    counters get values.
    """
    hosts, luns = cluster.hosts, cluster.luns
    alone = [[""]] * len(hosts)
    tables: list[Table] = [
        *(table(cls, alone) for cls in ("Memory", "Physical Cpu Load", "Power", "VSAN")),
        table("Physical Cpu", [[*map(str, range(host.pcpus)), "_Total"] for host in hosts]),
        table(P_STATE_TABLE, [[*map(str, range(P_STATES))]] * len(hosts)),
        table("Group Cpu", [[group.instance for group in one.groups] for one in layouts]),
        table("Vcpu", [[_world_name(group, n) for group in one.groups for n in range(len(group.worlds))]
                       for one in layouts]),
        table("Group Memory", [[group.instance for group in one.memory_groups] for one in layouts]),
        *(table(cls, [list(ADAPTERS)] * len(hosts)) for cls in ("Physical Disk", "Physical Disk Adapter")),
        table(PATHS_OF_ADAPTER, [[f"{ADAPTERS[path.adapter]}:{path.name}" for path in one.paths]
                                 for one in layouts]),
        table("Physical Disk Path", [[path.name for path in one.paths] for one in layouts]),
        table("Physical Disk SCSI Device", [[luns[lun].name for lun in one.devices] for one in layouts]),
        table("Physical Disk Per-Device-Per-World",
              [[f"{luns[user.lun].name}-{user.world}" for user in one.users] for one in layouts]),
        table("Physical Disk Partition",
              [[f"{luns[lun].name}-{part}" for lun, part in one.partitions] for one in layouts]),
        table("Physical Disk NFS Volume", [[luns[NFS_LUN].name]] * len(hosts)),
        table("Virtual Disk", [[_disk_name(cluster, vm, disk) for vm, disk in one.disks] for one in layouts]),
        table("Network Port", [[port.name for port in one.ports] for one in layouts]),
        table("Interrupt Cookie", [list(VECTORS)] * len(hosts)),
        table(INTERRUPT_PER_CPU, [[f"{vector}:CPU{pcpu}" for vector in VECTORS for pcpu in range(host.pcpus)]
                                  for host in hosts]),
        table("PCPU Power State", [[f"PCPU {pcpu}" for pcpu in range(host.pcpus)] for host in hosts]),
    ]  # fmt: skip
    found = EsxtopTables(tables, fields)
    found.hosts = tuple(host.name for host in hosts)
    return found


def _world_name(group: Group, number: int) -> str:
    world = group.worlds[number]
    return f"{group.instance}:{world.id}:{world.name}"


def _disk_name(cluster: Cluster, vm: int, disk: int) -> str:
    name = cluster.vms[vm].name
    return name if disk < 0 else f"{name}:{cluster.vms[vm].disks[disk].slot}"


def host_columns(
    tables: EsxtopTables, layout: HostLayout, host: int, fields: FieldSet
) -> list[CaptureColumn]:
    """Return one host's columns in esxtop's order: not class by class, but one entity after the other."""
    return _Walk(tables, layout, host, fields).columns()


def column_owners(columns: Sequence[CaptureColumn], layout: HostLayout) -> IntArray:
    """Return the VM that each column of a host is about, NO_OWNER for those of the host itself."""
    groups = {group.instance: group.vm for group in layout.groups}
    worlds = {_world_name(group, n): group.vm for group in layout.groups for n in range(len(group.worlds))}
    cartels = {str(user.world): user.vm for user in layout.users}
    ports = {port.name: port.vm for port in layout.ports}
    names = {group.name: group.vm for group in layout.groups if group.vm != NO_OWNER}

    def owner(column: CaptureColumn) -> int:
        cls, instance = column.path.cls, column.path.instance
        if cls in ("Group Cpu", "Group Memory"):
            return groups[instance]
        if cls == "Vcpu":
            return worlds[instance]
        if cls == "Physical Disk Per-Device-Per-World":
            return cartels[instance.rpartition("-")[2]]
        if cls == "Network Port":
            return ports[instance]
        if cls == "Virtual Disk":
            return names.get(instance, names.get(instance.rpartition(":scsi")[0], NO_OWNER))
        return NO_OWNER

    return np.array([owner(column) for column in columns], dtype=np.int64)


class _Walk:
    """Walks one host in esxtop's order."""

    def __init__(self, tables: EsxtopTables, layout: HostLayout, host: int, fields: FieldSet) -> None:
        self._tables = tables
        self._layout = layout
        self._host = host
        self._fields: FieldSet = fields

    def columns(self) -> list[CaptureColumn]:
        memory = list(self._instances("Memory"))
        first = {field.name for field in OVERCOMMIT}
        return [
            *(column for column in memory if column.path.counter in first),
            *self._instances("Physical Cpu Load"),
            *self._tables.counter_columns("Physical Cpu", self._host, self._fields),
            *(column for column in memory if column.path.counter not in first),
            *self._instances("Power"),
            *self._instances(P_STATE_TABLE),
            *self._instances("VSAN"),
            *self._groups(),
            *self._memory_groups(),
            *self._adapters(),
            *self._devices(),
            *self._instances("Physical Disk NFS Volume"),
            *self._instances("Virtual Disk"),
            *self._instances("Network Port"),
            *self._interrupts(),
            *self._instances("PCPU Power State"),
        ]

    def _one(self, cls: str, position: int) -> Iterator[CaptureColumn]:
        name = self._tables[cls].names[self._host][position]
        return self._tables.instance_columns(cls, self._host, name, position, self._fields)

    def _instances(self, cls: str) -> Iterator[CaptureColumn]:
        count = len(self._tables[cls].names[self._host])
        return chain.from_iterable(self._one(cls, position) for position in range(count))

    def _groups(self) -> Iterator[CaptureColumn]:
        world = 0
        for number, group in enumerate(self._layout.groups):
            if self._fields != "diagnosis" or group.vm != NO_OWNER or group.kernel:
                for column in self._one("Group Cpu", number):
                    if group.vm != NO_OWNER or column.path.counter != _ONLY_VMS:
                        yield column
            for member in group.worlds:
                if self._fields != "diagnosis" or member.vcpu != NO_OWNER:
                    yield from self._one("Vcpu", world)
                world += 1

    def _memory_groups(self) -> Iterator[CaptureColumn]:
        for number, group in enumerate(self._layout.memory_groups):
            if self._fields != "diagnosis" or group.vm != NO_OWNER:
                yield from self._one("Group Memory", number)

    def _adapters(self) -> Iterator[CaptureColumn]:
        for adapter in range(len(ADAPTERS)):
            yield from self._one("Physical Disk", adapter)
            yield from self._one("Physical Disk Adapter", adapter)
            for position, path in enumerate(self._layout.paths):
                if path.adapter == adapter:
                    yield from self._one(PATHS_OF_ADAPTER, position)

    def _devices(self) -> Iterator[CaptureColumn]:
        layout = self._layout
        for position, lun in enumerate(layout.devices):
            yield from self._one("Physical Disk SCSI Device", position)
            for number, path in enumerate(layout.paths):
                if path.lun == lun:
                    yield from self._one("Physical Disk Path", number)
            for number, user in enumerate(layout.users):
                if user.lun == lun:
                    yield from self._one("Physical Disk Per-Device-Per-World", number)
            for number, (on, _) in enumerate(layout.partitions):
                if on == lun:
                    yield from self._one("Physical Disk Partition", number)

    def _interrupts(self) -> Iterator[CaptureColumn]:
        pcpus = len(self._tables[INTERRUPT_PER_CPU].names[self._host]) // len(VECTORS)
        for vector in range(len(VECTORS)):
            yield from self._one("Interrupt Cookie", vector)
            for pcpu in range(pcpus):
                yield from self._one(INTERRUPT_PER_CPU, vector * pcpus + pcpu)
