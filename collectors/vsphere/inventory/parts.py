"""From one property's plain value to the entities below its object, and the instance names
of their counters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from collectors.vsphere.inventory.facts import OtherObjects, Pair, number_pairs, text_pairs
from collectors.vsphere.inventory.values import (
    Adapter,
    Devices,
    Lun,
    Path,
    PhysicalNic,
    Ref,
    Switch,
)
from sessions.model import Entity, EntityRef
from sessions.shared_devices import device_ref


@dataclass(frozen=True, slots=True)
class Part:
    """A part of an object: its entity reference, the entity to add (None if another object adds it), the
    instance names that counters use for it, and facts of it.
    """

    ref: EntityRef
    entity: Entity | None
    names: tuple[str, ...]
    pairs: tuple[Pair, ...] = ()


def vcpus(value: float, owner: EntityRef, _others: OtherObjects) -> Iterator[Part]:
    """Yield one entity for each vCPU; counters number them from 0."""
    for number in range(int(value)):
        yield _part(EntityRef("vcpu", f"{owner.key}/vcpu/{number}"), f"vCPU {number}", owner, str(number))


def hardware(value: Devices, owner: EntityRef, _others: OtherObjects) -> Iterator[Part]:
    """Yield the virtual disks and the ports of a VM."""
    for disk in value.disks:
        yield _part(EntityRef("vdisk", f"{owner.key}/{disk.slot}"), disk.slot, owner, disk.slot)
    for nic in value.nics:
        yield _part(EntityRef("port", f"{owner.key}/nic/{nic.key}"), nic.label, owner, nic.key)


def datastores(value: tuple[Ref, ...], _owner: EntityRef, others: OtherObjects) -> Iterator[Part]:
    """Yield the datastores that a VM or host uses: no new entities, only their instance names."""
    for one in value:
        if found := others.datastore(one.moid):
            yield Part(found[0], None, found[1])


def mounts(value: tuple[Ref, ...], owner: EntityRef, others: OtherObjects) -> Iterator[Part]:
    """Yield a host's datastores, and which datastore lies on each of its devices."""
    yield from datastores(value, owner, others)
    for one in value:
        found = others.datastore(one.moid)
        if found is None:
            continue
        for extent in found[2]:
            yield _device(owner, extent, (("device.datastore", found[0].key),))


def luns(value: tuple[Lun, ...], owner: EntityRef, _others: OtherObjects) -> Iterator[Part]:
    """Yield the SCSI devices of a host; a device that several hosts can share is one entity
    for all of them.
    """
    for lun in value:
        pairs = [
            *number_pairs(("device.queue_depth", lun.queue_depth)),
            *text_pairs(
                ("device.vendor", lun.vendor),
                ("device.model", lun.model),
                ("device.protocol", lun.protocol),
            ),
        ]
        flags = (("device.local", lun.local), ("device.ssd", lun.ssd))
        pairs.extend((fact, flag) for fact, flag in flags if flag is not None)
        if lun.is_memory_tier:
            pairs.append(("device.memory_tier", True))
        yield _device(owner, lun.name, tuple(pairs))


def adapters(value: tuple[Adapter, ...], owner: EntityRef, _others: OtherObjects) -> Iterator[Part]:
    """Yield the host bus adapters."""
    for one in value:
        pairs = tuple(text_pairs(("adapter.driver", one.driver), ("adapter.model", one.model)))
        yield _host_part(_adapter(owner, one.name), owner, one.name, pairs=pairs)


def paths(value: tuple[Path, ...], owner: EntityRef, others: OtherObjects) -> Iterator[Part]:
    """Yield the storage paths, named as in esxtop, which is also an instance name of counters, and how the
    host chooses among those of a device.
    """
    for one in value if others.lists_paths else ():
        adapter, colon, _ = one.runtime.partition(":")
        above = _adapter(owner, adapter) if colon and adapter.startswith("vmhba") else owner
        ref = EntityRef("path", f"{owner.key}/{one.runtime}")
        pairs = tuple(text_pairs(("path.state", one.state), ("path.device", one.device)))
        yield _host_part(ref, above, one.runtime, one.name, pairs=pairs)
    for device, policy in {one.device: one.policy for one in value if one.device and one.policy}.items():
        yield Part(device_ref(owner.key, device), None, (), (("device.path_policy", policy),))


def nics(value: tuple[PhysicalNic, ...], owner: EntityRef, _others: OtherObjects) -> Iterator[Part]:
    """Yield the physical NICs (uplinks)."""
    for one in value:
        pairs = [
            *number_pairs(("nic.speed_mbps", one.speed_mbps), ("nic.max_speed_mbps", one.max_speed_mbps)),
            *text_pairs(("nic.driver", one.driver), ("nic.dpu", one.dpu)),
        ]
        if one.is_full_duplex is not None:
            pairs.append(("nic.full_duplex", one.is_full_duplex))
        yield _host_part(_nic(owner, one.name), owner, one.name, pairs=tuple(pairs))


def switches(value: tuple[Switch, ...], owner: EntityRef, _others: OtherObjects) -> Iterator[Part]:
    """Yield the uplinks with the fact which virtual switch each serves."""
    for one in value:
        for nic in one.nics:
            role = ("standby" if nic in one.standby else "active") if one.teaming else ""
            pairs = (
                *text_pairs(("nic.switch", one.name), ("nic.teaming", one.teaming), ("nic.team_role", role)),
                *number_pairs(("nic.mtu", one.mtu)),
            )
            yield _host_part(_nic(owner, nic), owner, nic, pairs=pairs)


def _device(owner: EntityRef, name: str, pairs: tuple[Pair, ...]) -> Part:
    ref = device_ref(owner.key, name)
    return Part(ref, Entity(ref, name, None if ref.key == name else owner), (name,), pairs)


def _adapter(owner: EntityRef, name: str) -> EntityRef:
    return EntityRef("adapter", f"{owner.key}/{name}")


def _nic(owner: EntityRef, name: str) -> EntityRef:
    return EntityRef("nic", f"{owner.key}/{name}")


def _host_part(ref: EntityRef, parent: EntityRef, *names: str, pairs: tuple[Pair, ...] = ()) -> Part:
    """Something that every host has one of by that name: its key, ``esx01/vmnic0``, is its name too."""
    return _part(ref, ref.key, parent, *names, pairs=pairs)


def _part(ref: EntityRef, name: str, parent: EntityRef, *names: str, pairs: tuple[Pair, ...] = ()) -> Part:
    return Part(ref, Entity(ref, name, parent), tuple(dict.fromkeys(names)), pairs)
