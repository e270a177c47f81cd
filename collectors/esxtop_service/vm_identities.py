"""Which VM of the inventory each scheduler group of a reply is: by the ids of its worlds, or else by a guess.

A reply knows a VM by a group, worlds and a name; none of these lasts. The host's kernel tells which BIOS has
the worlds, by its UUID, and the inventory which VM that is. Where the kernel can't be asked, a name that only
one VM of the host has is taken, and said to be a guess; VMs that share a name are never told apart by it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from collectors.esxtop_names import HostColumns
from collectors.esxtop_names.instances import vm_of_client
from collectors.esxtop_service.objects import mounted_name
from collectors.esxtop_service.reply import Reply
from collectors.lasting_vms import BY_NAME, BY_WORLD, Renaming, lasting_part
from connections.vsphere.host_vms import HostVm, VmProcess, nic_key
from sessions.model import Entity, EntityRef


@dataclass(frozen=True, slots=True)
class GroupOfVm:
    """A VM's scheduler group in a reply, with the ids of all of its worlds."""

    id: int
    name: str
    worlds: frozenset[int]


@dataclass(frozen=True, slots=True)
class Recognised:
    """Which VM a group is, and how that is known."""

    vm: HostVm
    how: str


def mounted_volumes(reply: Reply) -> frozenset[str]:
    """Return what the volumes that a host mounts over NFS are called, as their entities are."""
    if "NfsClient" not in reply:
        return frozenset()
    return frozenset(mounted_name(name) for name in reply["NfsClient"].words("MountName"))


def groups_of_vms(reply: Reply) -> list[GroupOfVm]:
    """Return the scheduler groups that are VMs."""
    groups = reply["SchedGroup"]
    ids, names, leaders, flags = (
        groups.counts("GroupID").tolist(), groups.words("VMName"), groups.counts("GroupLeaderID").tolist(),
        groups.counts("IsVM").tolist(),
    )  # fmt: skip
    worlds: dict[int, set[int]] = {}
    for group, number in _worlds(reply):
        worlds.setdefault(group, set()).add(number)
    return [
        GroupOfVm(ids[row], names[row], frozenset({leaders[row], *worlds.get(row, ())} - {0}))
        for row, is_vm in enumerate(flags)
        if is_vm
    ]


def _worlds(reply: Reply) -> Iterable[tuple[int, int]]:
    """The row of each world's group, and the world's id; hidden worlds are in their group itself."""
    if "VCPU" in reply and "CPUClient" in reply:
        client_group = reply["CPUClient"].parent.tolist()
        both = zip(reply["VCPU"].parent.tolist(), reply["VCPU"].counts("VCPUID").tolist(), strict=True)
        for client, number in both:
            if client >= 0:
                yield client_group[client], number
    if "HiddenWorld" in reply:
        hidden = reply["HiddenWorld"]
        yield from zip(hidden.parent.tolist(), hidden.counts("HiddenWorldID").tolist(), strict=True)


def recognise(
    groups: Sequence[GroupOfVm], vms: Sequence[HostVm], processes: Sequence[VmProcess]
) -> dict[int, Recognised]:
    """Return which VM each group is, by the group's id; a group that nobody can tell is not in it."""
    found = {
        group.id: Recognised(vm, BY_WORLD)
        for group in groups
        if (vm := _by_worlds(group, vms, processes)) is not None
    }
    known = {one.vm.moid for one in found.values()}
    of_groups = Counter(group.name for group in groups)
    of_vms = Counter(vm.name for vm in vms)
    by_name = {vm.name: vm for vm in vms if of_vms[vm.name] == 1 and vm.moid not in known}
    for group in groups:
        if group.id not in found and of_groups[group.name] == 1 and group.name in by_name:
            found[group.id] = Recognised(by_name[group.name], BY_NAME)
    return {group: one for group, one in found.items() if one.vm.instance_uuid}


def _by_worlds(group: GroupOfVm, vms: Sequence[HostVm], processes: Sequence[VmProcess]) -> HostVm | None:
    running = [one for one in processes if {one.world_id, one.cartel_id} & group.worlds]
    if len(running) != 1 or not running[0].uuid:
        return None
    same = [vm for vm in vms if vm.uuid == running[0].uuid]
    if len(same) > 1:  # copies that kept the UUID of their BIOS
        same = [vm for vm in same if vm.name == running[0].name]
    return same[0] if len(same) == 1 else None


def renaming(columns: HostColumns, known: Mapping[int, Recognised], reply: Reply, host: str) -> Renaming:
    """Return the lasting entities of the VMs of a host's columns, and of their vCPUs, disks and ports.

    They are those of a recording of the vCenter: the instance UUID, with a number behind it.
    """
    made = Renaming()
    for number, one in known.items():
        ref = EntityRef("vm", one.vm.instance_uuid)
        made.refs[EntityRef("vm", f"{host}/vm/{number}")] = ref
        made.names[ref] = one.vm.name
        made.how[ref] = one.how
    ports = _ports(reply, host, {one.vm.name: one.vm for one in known.values()})
    lasting = {part.ref: _part(part, made.refs, ports) for part in columns.entities}
    counted = Counter(ref for ref in lasting.values() if ref is not None)
    made.refs |= {old: new for old, new in lasting.items() if new is not None and counted[new] == 1}
    return made


def _part(
    part: Entity, refs: Mapping[EntityRef, EntityRef], ports: Mapping[str, tuple[str, int]]
) -> EntityRef | None:
    """What a part of a VM is called by what lasts; None for anything else."""
    vm = refs.get(part.parent) if part.parent is not None else None
    if vm is None or part.parent is None:
        return None
    if part.ref.kind == "port" and part.ref.key in ports:
        owner, key = ports[part.ref.key]
        return EntityRef("port", f"{vm.key}/nic/{key}") if owner == vm.key else None
    return lasting_part(part, refs)


def _ports(reply: Reply, host: str, vms: Mapping[str, HostVm]) -> dict[str, tuple[str, int]]:
    """The ports whose client names an adapter (``hermes.eth1``) that the VM has: its UUID and device key."""
    if "NetPort" not in reply:
        return {}
    ports = reply["NetPort"]
    found = {}
    for number, client in zip(ports.counts("PortID").tolist(), ports.words("ClientName"), strict=True):
        name = vm_of_client(client)
        text = client[len(name) :].removeprefix(".eth")
        vm = vms.get(name)
        if vm is not None and text.isascii() and text.isdigit() and nic_key(int(text)) in vm.nics:
            found[f"{host}/port/{number}"] = (vm.instance_uuid, nic_key(int(text)))
    return found
