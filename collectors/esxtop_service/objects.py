"""The objects that a reply speaks of, as instances of esxtop's classes, and which records make up each.

Instances are spelled as batch mode spells them, so that both give the same entities.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from collectors.esxtop_names.instances import is_uplink, vcpu_number
from collectors.esxtop_service.reply import Records, Reply
from resources.esxtop_columns import ColumnTable
from sessions.model import IntArray

_BLOCK = 512.0
_MODE_OF_A_WORLD = "vm."


@dataclass(frozen=True, slots=True)
class Instances:
    """The instances of one table: record ``rows[i]`` (or all of them together) is of instance ``owner[i]``.

    ``names`` are all different, but where ``states`` has the number of the state that each is about.
    """

    names: tuple[str, ...]
    rows: IntArray
    owner: IntArray
    states: tuple[str, ...] = ()


def read_instances(reply: Reply, table: ColumnTable) -> Instances | None:
    """Return a table's instances in a reply; None if the reply lacks its records, or what names them."""
    if table.record not in reply or not len(reply[table.record]):
        return None
    try:
        return _READERS[table.instances](reply, reply[table.record])
    except KeyError:  # a field that names them is missing on this host
        return None


def block_sizes(reply: Reply, record: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return the bytes of a block for each record of a type: those of its device, else 512."""
    records = reply[record]
    sizes = np.full(len(records), _BLOCK)
    if "SCSIDevice" not in reply or "BlockSizeInBytes" not in reply["SCSIDevice"]:
        return sizes
    devices = reply["SCSIDevice"]
    of_device = devices.numbers("BlockSizeInBytes")
    of_device = np.where(of_device > 0, of_device, _BLOCK)
    if record == "SCSIDevice":
        return of_device
    if record in ("WorldPerDev", "Partition"):
        mine = records.parent >= 0
        sizes[mine] = of_device[records.parent[mine]]
    elif record == "Path":
        by_name = dict(zip(devices.words("DeviceName"), of_device.tolist(), strict=True))
        sizes = np.array([by_name.get(name, _BLOCK) for name in records.words("DeviceName")])
    return sizes


def group_name(groups: Records, row: int) -> str:
    """Return what batch mode calls a group: a VM's name, or the group's own."""
    return groups.words("VMName" if groups.counts("IsVM")[row] else "GroupName")[row]


def _each(names: Sequence[str], rows: Iterable[int] | None = None) -> Instances:
    """An instance for each record; a name that comes twice is told apart by a number."""
    chosen = np.arange(len(names)) if rows is None else np.array(list(rows), dtype=np.int64)
    return Instances(_distinct(names), chosen, np.arange(len(names)))


def _distinct(names: Sequence[str]) -> tuple[str, ...]:
    if len(set(names)) == len(names):
        return tuple(names)
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return tuple(found)


def _together(rows: IntArray, keys: Sequence[str]) -> Instances:
    """An instance for each key, of all records that have it."""
    numbers: dict[str, int] = {}
    owner = [numbers.setdefault(key, len(numbers)) for key in keys]
    return Instances(tuple(numbers), rows, np.array(owner, dtype=np.int64))


def _ids(records: Records, name: str) -> list[int]:
    numbers: list[int] = records.counts(name).tolist()
    return numbers


def _host(_reply: Reply, records: Records) -> Instances:
    return _each([""] * min(1, len(records)), [0])


def _processors(_reply: Reply, records: Records) -> Instances:
    return _each([str(one) for one in _ids(records, "LCPUID")])


def _group_of_worlds(reply: Reply) -> IntArray:
    """The group of each world, by way of its CPU client."""
    worlds, clients = reply["VCPU"], reply["CPUClient"]
    return np.where(worlds.parent >= 0, clients.parent[np.maximum(worlds.parent, 0)], -1)


def _named_groups(reply: Reply) -> list[str]:
    groups = reply["SchedGroup"]
    is_vm = groups.counts("IsVM").tolist()
    names = zip(
        _ids(groups, "GroupID"), is_vm, groups.words("VMName"), groups.words("GroupName"), strict=True
    )
    return [f"{number}:{vm if flag else group}" for number, flag, vm, group in names]


def _groups_of_worlds(reply: Reply, _records: Records) -> Instances:
    names, of_world = _named_groups(reply), _group_of_worlds(reply)
    rows = np.flatnonzero(of_world >= 0)
    return _together(rows, [names[group] for group in of_world[rows].tolist()])


def _vms_of_vcpus(reply: Reply, records: Records) -> Instances:
    """A VM's waiting is that of its vCPUs; its helpers wait all the time."""
    names, of_world = _named_groups(reply), _group_of_worlds(reply)
    is_vm = reply["SchedGroup"].counts("IsVM").tolist()
    words = records.words("WorldName")
    groups = of_world.tolist()
    rows = [
        row
        for row, group in enumerate(groups)
        if group >= 0 and is_vm[group] and vcpu_number(words[row]) is not None
    ]
    return _together(np.array(rows, dtype=np.int64), [names[groups[row]] for row in rows])


def _with_worlds(reply: Reply) -> list[int]:
    """The groups that have worlds: the others are the kernel's books of memory."""
    of_world = _group_of_worlds(reply)
    there = np.bincount(of_world[of_world >= 0], minlength=len(reply["SchedGroup"]))
    found: list[int] = np.flatnonzero(there).tolist()
    return found


def _groups(reply: Reply, _records: Records) -> Instances:
    names, rows = _named_groups(reply), _with_worlds(reply)
    return _each([names[row] for row in rows], rows)


def _with_memory(reply: Reply) -> dict[int, int]:
    """Group → its own memory client, of groups with worlds."""
    memory = reply["VMem"]
    first: dict[int, int] = {}
    for row, group in enumerate(memory.parent.tolist()):
        first.setdefault(group, row)
    return {group: first[group] for group in _with_worlds(reply) if group in first}


def _groups_with_memory(reply: Reply, _records: Records) -> Instances:
    names, groups = _named_groups(reply), _with_memory(reply)
    return _each([names[group] for group in groups], groups)


def _memory_of_groups(reply: Reply, _records: Records) -> Instances:
    names, groups = _named_groups(reply), _with_memory(reply)
    return _each([names[group] for group in groups], groups.values())


def _worlds_of_groups_with_memory(reply: Reply, _records: Records) -> Instances:
    names, of_world, groups = _named_groups(reply), _group_of_worlds(reply), _with_memory(reply)
    rows = [row for row, group in enumerate(of_world.tolist()) if group in groups]
    return _together(np.array(rows, dtype=np.int64), [names[group] for group in of_world[rows].tolist()])


def _worlds(reply: Reply, records: Records) -> Instances:
    names, of_world = _named_groups(reply), _group_of_worlds(reply).tolist()
    both = zip(of_world, _ids(records, "VCPUID"), records.words("WorldName"), strict=True)
    found = [
        (row, f"{names[group]}:{number}:{name}")
        for row, (group, number, name) in enumerate(both)
        if group >= 0
    ]
    return _each([name for _, name in found], [row for row, _ in found])


def _named(field: str) -> Callable[[Reply, Records], Instances]:
    return lambda _reply, records: _each(records.words(field))


def _adapters_of_paths(_reply: Reply, records: Records) -> Instances:
    """An adapter's I/O is that of its paths, whose names begin with its own."""
    names = [name.partition(":")[0] for name in records.words("PathName")]
    return _together(np.arange(len(names)), names)


def _on_devices(field: str) -> Callable[[Reply, Records], Instances]:
    """``<device>-<number>``: a world's or a partition's part of the device before it."""

    def read(reply: Reply, records: Records) -> Instances:
        devices = reply["SCSIDevice"].words("DeviceName")
        both = zip(records.parent.tolist(), _ids(records, field), strict=True)
        found = [
            (row, f"{devices[device]}-{number}") for row, (device, number) in enumerate(both) if device >= 0
        ]
        return _each([name for _, name in found], [row for row, _ in found])

    return read


def mounted_name(path: str) -> str:
    """Return what a datastore is called that is mounted at a path: its last part."""
    return path.rstrip("/").rpartition("/")[2] or path


def _volumes(_reply: Reply, records: Records) -> Instances:
    return _each([mounted_name(path) for path in records.words("MountName")])


def _vm_of_disks(reply: Reply, records: Records) -> list[str]:
    """The name of the VM that each virtual disk belongs to, empty for none: by its scheduler group."""
    groups = reply["SchedGroup"]
    rows = {number: row for row, number in enumerate(_ids(groups, "GroupID"))}
    owners = _ids(reply["VscsiGroup"], "GroupId")
    names = [group_name(groups, rows[owner]) if owner in rows else "" for owner in owners]
    return [names[parent] if parent >= 0 else "" for parent in records.parent.tolist()]


def _disks(reply: Reply, records: Records) -> Instances:
    both = zip(_vm_of_disks(reply, records), records.words("Name"), strict=True)
    found = [(row, f"{vm}:{name}") for row, (vm, name) in enumerate(both) if vm]
    return _each([name for _, name in found], [row for row, _ in found])


def _vms_of_disks(reply: Reply, records: Records) -> Instances:
    names = _vm_of_disks(reply, records)
    rows = [row for row, name in enumerate(names) if name]
    return _together(np.array(rows, dtype=np.int64), [names[row] for row in rows])


def _named_ports(reply: Reply) -> list[str]:
    """``vSwitch0:33554449:444768:styx.eth0``: the world is there for VMs only."""
    ports, sets = reply["NetPort"], reply["NetPortset"].words("PortsetName")
    worlds = _ids(ports, "WorldLeader") if "WorldLeader" in ports else [0] * len(ports)
    rows = zip(ports.parent.tolist(), _ids(ports, "PortID"), worlds, ports.words("ClientName"), strict=True)
    return [
        ":".join([sets[parent], str(number), *([str(world)] if world else []), client])
        for parent, number, world, client in rows
    ]


def _ports(reply: Reply, _records: Records) -> Instances:
    return _each(_named_ports(reply))


def _ports_of_uplinks(reply: Reply, records: Records) -> Instances:
    """What a physical NIC says of its link belongs to the port that it is plugged into."""
    names = dict(zip(_ids(reply["NetPort"], "PortID"), _named_ports(reply), strict=True))
    both = enumerate(_ids(records, "UplinkPort"))
    found = [
        (row, names[port])
        for row, port in both
        if port in names and is_uplink(names[port].rpartition(":")[2])
    ]
    return _each([name for _, name in found], [row for row, _ in found])


def _vector_names(reply: Reply) -> list[str]:
    return [f"0x{number:x}" for number in _ids(reply["InterruptVector"], "VectorID")]


def _vectors(reply: Reply, records: Records) -> Instances:
    names = _vector_names(reply)
    return _together(np.arange(len(records)), [names[parent] for parent in records.parent.tolist()])


def _vectors_of_processors(reply: Reply, records: Records) -> Instances:
    names = _vector_names(reply)
    both = zip(records.parent.tolist(), _ids(records, "CPUID"), strict=True)
    return _each([f"{names[parent]}:CPU{number}" for parent, number in both])


def _power(_reply: Reply, records: Records) -> Instances:
    return _each([f"PCPU {number}" for number in _ids(records, "LCPUID")])


def _states(reply: Reply, records: Records) -> Instances:
    """An instance for each processor and state, all of one processor under its name."""
    processors = _ids(reply["LCPUPower"], "LCPUID")
    names = tuple(f"PCPU {processors[parent]}" for parent in records.parent.tolist())
    states = tuple(str(number) for number in _ids(records, "StateID"))
    return Instances(names, np.arange(len(names)), np.arange(len(names)), states)


_READERS: Mapping[str, Callable[[Reply, Records], Instances]] = {
    "host": _host,
    "processors": _processors,
    "groups": _groups,
    "groups of worlds": _groups_of_worlds,
    "vms of vcpus": _vms_of_vcpus,
    "worlds": _worlds,
    "groups with memory": _groups_with_memory,
    "groups with memory, of worlds": _worlds_of_groups_with_memory,
    "memory of groups": _memory_of_groups,
    "adapters": _named("AdapterName"),
    "adapters of paths": _adapters_of_paths,
    "paths": _named("PathName"),
    "devices": _named("DeviceName"),
    "worlds on devices": _on_devices("WorldID"),
    "partitions": _on_devices("PartitionID"),
    "volumes": _volumes,
    "disks": _disks,
    "vms of disks": _vms_of_disks,
    "ports": _ports,
    "ports of uplinks": _ports_of_uplinks,
    "vectors": _vectors,
    "vectors of processors": _vectors_of_processors,
    "power of processors": _power,
    "states of processors": _states,
}

INSTANCES = frozenset(_READERS)
"""The names of all readers of instances, by which tables choose one."""
