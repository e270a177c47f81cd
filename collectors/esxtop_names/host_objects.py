"""The groups, worlds and VMs of a host, joined from several object classes that each name a part.

``Group Cpu`` and ``Group Memory`` share a group id; ``Vcpu`` gives the group and each world; ports and
per-world disk columns carry the VM's cartel world id, which only the names of other worlds reveal
(``NetWorld-VM-444916``); ``Virtual Disk`` has nothing but the VM's name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from collectors.esxtop_names.instances import (
    Group,
    Port,
    World,
    cartel_id,
    looks_like_vm,
    read_group,
    read_port,
    read_world,
    vcpu_number,
    vm_of_client,
)
from sessions.model import Entity, EntityRef, Kind

CountersOf = Mapping[str, Mapping[str, set[str]]]
"""Class → instance → the counters that the header has of it."""


@dataclass(slots=True)
class HostObjects:
    """The entities of one host while its columns are read, and the ids by which classes refer to them.

    ``groups`` group id → VM or user world group, ``group_names`` group id → name; ``worlds`` world id → vCPU
    or world; ``cartels`` a VM's own world id → VM; ``vcpus`` VM → number of its vCPU worlds; ``named`` VM
    name → the VMs of that name; ``switches`` uplink → the virtual switch that it belongs to.
    """

    host: EntityRef
    entities: dict[EntityRef, Entity] = field(default_factory=dict)
    groups: dict[str, EntityRef] = field(default_factory=dict)
    group_names: dict[str, str] = field(default_factory=dict)
    worlds: dict[str, EntityRef] = field(default_factory=dict)
    cartels: dict[str, EntityRef] = field(default_factory=dict)
    vcpus: dict[EntityRef, int] = field(default_factory=dict)
    named: dict[str, list[EntityRef]] = field(default_factory=dict)
    switches: dict[EntityRef, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The host's name as the capture writes it."""
        return self.host.key

    def add(self, kind: Kind, key: str, name: str, parent: EntityRef | None) -> EntityRef:
        """Return the entity with that kind and key; add it if it is new."""
        ref = EntityRef(kind, key)
        self.entities.setdefault(ref, Entity(ref, name, parent))
        return ref

    def local(self, kind: Kind, name: str, parent: EntityRef | None = None) -> EntityRef:
        """Add an entity with the key ``<host>/<name>``; its parent is the host unless ``parent`` is given."""
        key = f"{self.name}/{name}"
        return self.add(kind, key, key, parent or self.host)

    def vm_named(self, name: str) -> EntityRef:
        """Return the VM of that name; if there are none or several, an entity keyed by the name alone."""
        known = self.named.get(name, [])
        if len(known) == 1:
            return known[0]
        return self.add("vm", f"{self.name}/vm-name/{name}", name, self.host)

    def vm_of_port(self, port: Port) -> EntityRef:
        """The VM that a port with a world belongs to: its cartel's, its world's, or the one of its name."""
        known = self.cartels.get(port.world)
        if known is None and port.world in self.worlds:
            parent = self.entities[self.worlds[port.world]].parent
            known = parent if parent is not None and parent.kind == "vm" else None
        return known or self.vm_named(port.client if port.client in self.named else vm_of_client(port.client))

    def ambiguous_names(self) -> list[str]:
        """Return the names that several VMs share: their virtual disks can't be told apart."""
        return sorted(name for name, refs in self.named.items() if len(refs) > 1)


def read_host_objects(host: str, counters: CountersOf) -> HostObjects:
    """Read groups, worlds and VMs of ``host`` from the instances of its classes."""
    ref = EntityRef("host", host)
    objects = HostObjects(ref, {ref: Entity(ref, host)})
    groups = _read_groups(counters)
    worlds = _read_worlds(counters, groups)
    for world in worlds:
        groups.setdefault(world.group, Group(world.group, world.group_name))
    virtual = _virtual_groups(groups.values(), worlds, counters)
    for group in groups.values():
        _add_group(objects, group, is_vm=group.id in virtual)
    for world in worlds:
        _add_world(objects, world)
    _learn_cartels_from_ports(objects, counters)
    return objects


def _read_groups(counters: CountersOf) -> dict[str, Group]:
    groups: dict[str, Group] = {}
    for cls in ("Group Cpu", "Group Memory"):
        for instance in counters.get(cls, ()):
            group = read_group(instance)
            if group:
                groups.setdefault(group.id, group)
    return groups


def _read_worlds(counters: CountersOf, groups: dict[str, Group]) -> list[World]:
    names = {group.id: group.name for group in groups.values()}
    read = (read_world(instance, names) for instance in counters.get("Vcpu", ()))
    return [world for world in read if world]


def _virtual_groups(groups: Iterable[Group], worlds: list[World], counters: CountersOf) -> set[str]:
    """Ids of the groups that are VMs.

    Only a VM's group has ``% VmWait``, and only VMs have ``vmx-vcpu`` worlds. A group of which the header
    has no CPU column at all is judged by its name.
    """
    cpu = counters.get("Group Cpu", {})
    virtual = {world.group for world in worlds if vcpu_number(world.name) is not None}
    with_worlds = {world.group for world in worlds}
    for group in groups:
        columns = cpu.get(f"{group.id}:{group.name}", set())
        unseen = not columns and group.id not in with_worlds
        if "% VmWait" in columns or (unseen and looks_like_vm(group.name)):
            virtual.add(group.id)
    return virtual


def _add_group(objects: HostObjects, group: Group, *, is_vm: bool) -> None:
    if is_vm:
        ref = objects.add("vm", f"{objects.name}/vm/{group.id}", group.name, objects.host)
        objects.named.setdefault(group.name, []).append(ref)
    else:
        ref = objects.add("world", f"{objects.name}/group/{group.id}", group.name, objects.host)
    objects.groups[group.id] = ref
    objects.group_names[group.id] = group.name


def _add_world(objects: HostObjects, world: World) -> None:
    group = objects.groups[world.group]
    number = vcpu_number(world.name) if group.kind == "vm" else None
    if number is not None:
        if world.id not in objects.worlds:
            objects.vcpus[group] = objects.vcpus.get(group, 0) + 1
        ref = objects.add("vcpu", f"{objects.name}/world/{world.id}", f"vCPU {number}", group)
    else:
        ref = objects.add("world", f"{objects.name}/world/{world.id}", world.name, group)
    objects.worlds[world.id] = ref
    cartel = cartel_id(world.name) if group.kind == "vm" else None
    if cartel:
        objects.cartels.setdefault(cartel, group)


def _learn_cartels_from_ports(objects: HostObjects, counters: CountersOf) -> None:
    """A port names both the VM and its cartel: enough to join disks when no world name reveals it."""
    for instance in counters.get("Network Port", ()):
        port = read_port(instance)
        if port and port.world and port.world not in objects.cartels and port.world not in objects.worlds:
            objects.cartels[port.world] = objects.vm_of_port(port)
