"""What an entity is in, and what carries it: host, devices and datastores of its disks, uplinks."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from sessions.model import Entity, EntityRef
from sessions.times import TimeRange
from viewmodels.placement import Relations, datastores_during, hosts_during, pools_during, switch_of
from viewmodels.snapshot import Snapshot

EVER = TimeRange(-(1 << 62), 1 << 62)
_DISKS = frozenset({"vm", "vdisk"})
_PORTS = frozenset({"vm", "port"})
_DEEPEST_PART = 4
"""A disk's VM is near; a session is untrusted, and its parents may form a circle."""


def owners_during(ref: EntityRef, snapshot: Snapshot, window: TimeRange | None) -> Iterator[EntityRef]:
    """Yield what an entity is directly below in the window: hosts in order of time, pools, parent."""
    owners = owners_with_times(ref, snapshot.entities, snapshot.records.relations)
    return (above for above, when in owners if _touches(when, window))


def owners_with_times(
    ref: EntityRef, entities: Mapping[EntityRef, Entity], relations: Relations
) -> Iterator[tuple[EntityRef, TimeRange]]:
    """Yield what an entity is directly below at any time, each with the time when it was."""
    entity = entities.get(ref)
    parent = entity.parent if entity is not None else None
    if ref.kind == "vm":
        placed = hosts_during(relations, ref)
        yield from placed
        yield from pools_during(relations, ref)
        if placed and parent is not None and parent.kind == "host":
            return  # the parent is where the session first met the VM
    if parent is not None:
        yield parent, EVER


def is_below(
    ref: EntityRef, chosen: Collection[EntityRef], snapshot: Snapshot, window: TimeRange | None
) -> bool:
    """True if an entity is one of ``chosen``, or is in one of them at any time of the window."""
    passed: set[EntityRef] = set()
    waiting = [ref]
    while waiting:
        one = waiting.pop()
        if one in chosen:
            return True
        if one not in passed:  # a session is untrusted and may hold a cycle
            passed.add(one)
            waiting.extend(owners_during(one, snapshot, window))
    return False


def carriers_of(
    ref: EntityRef, snapshot: Snapshot, window: TimeRange | None
) -> Iterator[tuple[EntityRef, TimeRange]]:
    """Yield what an entity and all below it depend on, each with the time when it did."""
    if ref.kind in {"host", "cluster", "pool", "vcenter"}:
        for below in _vms_below(ref, snapshot, window):
            yield from carriers_of(below, snapshot, window)
        return
    if ref.kind in {"device", "datastore"}:
        yield from same_storage(ref, snapshot)
        return
    vm = vm_of(ref, snapshot)
    if vm is None:
        return
    hosts = hosts_during(snapshot.records.relations, vm) or [
        (above, EVER) for above in owners_during(vm, snapshot, window) if above.kind == "host"
    ]
    yield from hosts
    if ref.kind in _DISKS:
        yield from _storage_of(vm, ref, hosts, snapshot)
    if ref.kind in _PORTS:
        yield from _uplinks_of(ref, hosts, snapshot)


def vm_of(ref: EntityRef, snapshot: Snapshot) -> EntityRef | None:
    """Return the VM that an entity is or is a part of."""
    above: EntityRef | None = ref
    for _ in range(_DEEPEST_PART):
        if above is None or above.kind == "vm":
            return above
        entity = snapshot.entities.get(above)
        above = entity.parent if entity is not None else None
    return None


def _vms_below(ref: EntityRef, snapshot: Snapshot, window: TimeRange | None) -> Iterator[EntityRef]:
    chosen = frozenset((ref,))
    return (one for one in snapshot.entities if one.kind == "vm" and is_below(one, chosen, snapshot, window))


def _storage_of(
    vm: EntityRef, part: EntityRef, hosts: Sequence[tuple[EntityRef, TimeRange]], snapshot: Snapshot
) -> Iterator[tuple[EntityRef, TimeRange]]:
    """Yield the devices and datastores that hold a VM's disks, or the one disk ``part``."""
    entity = snapshot.entities.get(part)
    disk = entity.name if entity is not None and part.kind == "vdisk" else ""
    for store, when in datastores_during(snapshot.records.relations, vm, disk):
        yield store, when
        yield from ((device, when) for device in snapshot.devices_of.get(store, ()))
    owners = {None, *(host for host, _ in hosts)}
    for name in snapshot.series_index.devices_used.get(vm, ()):
        for ref in snapshot.entity_index.storage_named.get(name, ()):
            if snapshot.entities[ref].parent in owners:
                yield ref, EVER
                yield from datastores_during(snapshot.records.relations, ref)


def same_storage(ref: EntityRef, snapshot: Snapshot) -> Iterator[tuple[EntityRef, TimeRange]]:
    """Yield the datastore on a device, or the devices of a datastore."""
    if ref.kind == "device":
        yield from datastores_during(snapshot.records.relations, ref)
    yield from ((device, EVER) for device in snapshot.devices_of.get(ref, ()))


def _uplinks_of(
    part: EntityRef, hosts: Sequence[tuple[EntityRef, TimeRange]], snapshot: Snapshot
) -> Iterator[tuple[EntityRef, TimeRange]]:
    """Yield the uplinks of the virtual switches that a VM's ports (or the one port ``part``) are on.

    esxtop names a port ``vSwitch1:50331654`` after its switch.
    """
    ports = [part] if part.kind == "port" else [one.ref for one in snapshot.children.get(part, ())]
    names = {snapshot.name(one).rpartition(":")[0] for one in ports if one.kind == "port"} - {""}
    for host, when in hosts if names else ():
        for one in snapshot.children.get(host, ()):
            if one.ref.kind == "nic" and switch_of(snapshot.records.relations, one.ref) in names:
                yield one.ref, when


def _touches(when: TimeRange, window: TimeRange | None) -> bool:
    return window is None or window.intersect(when) is not None
