"""Derives the entities, facts and instance names of an object from the values of its properties."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from collectors.vsphere.inventory.facts import Pair
from collectors.vsphere.inventory.lookup import ObjectIndex, ObjectProperties, volume
from collectors.vsphere.inventory.objects import CLUSTER, DATASTORE, HOST, POOL, VM, Managed
from collectors.vsphere.inventory.parts import Part
from collectors.vsphere.inventory.paths import ROWS
from collectors.vsphere.inventory.values import Devices
from sessions.model import Entity, EntityRef

VCENTER = "vcenter"


@dataclass(frozen=True, slots=True)
class Described:
    """Entities (parents first) and facts (names ascending) of an object and its parts."""

    managed: Managed
    entities: tuple[Entity, ...]
    facts: tuple[tuple[EntityRef, tuple[Pair, ...]], ...]


def describe(seen: ObjectProperties, others: ObjectIndex, vcenter: EntityRef | None) -> Described | None:
    """Return the entities and facts of an object; None where it has no entity (a template, a root pool).

    Clusters become children of ``vcenter``.
    """
    ref = others.ref(seen.moid)
    if ref is None or seen.is_template():
        return None
    name = seen.text("name")
    parts = list(_parts(seen, ref, others))
    pairs: dict[EntityRef, dict[str, Pair]] = {ref: {pair[0]: pair for pair in _pairs(seen, others)}}
    pairs[ref].update((pair[0], pair) for pair in others.identities(seen.moid))
    if others.is_renamed(seen.moid):
        pairs[ref]["name"] = ("name", name)
    entities = {part.ref: part.entity for part in parts if part.entity}
    for part in parts:
        if part.pairs and part.ref in entities:
            pairs.setdefault(part.ref, {}).update((pair[0], pair) for pair in part.pairs)
    own = Entity(ref, name, _parent(seen, others, vcenter))
    return Described(
        _managed(seen, ref, name, others, parts),
        (own, *entities.values()),
        tuple((of, tuple(sorted(found.values()))) for of, found in pairs.items()),
    )


def _pairs(seen: ObjectProperties, others: ObjectIndex) -> Iterator[Pair]:
    for row, value in zip(ROWS[seen.type], seen.values, strict=True):
        if value is None:
            if row.unset:
                yield from row.unset(others)
        elif row.facts:
            yield from row.facts(value, others)
    if seen.type == DATASTORE and (uuid := volume(seen.text("summary.url"))):
        yield "uuid", uuid


def _parts(seen: ObjectProperties, ref: EntityRef, others: ObjectIndex) -> Iterator[Part]:
    for row, value in zip(ROWS[seen.type], seen.values, strict=True):
        if row.parts and value is not None:
            yield from row.parts(value, ref, others)


def _parent(seen: ObjectProperties, others: ObjectIndex, vcenter: EntityRef | None) -> EntityRef | None:
    if seen.type == VM:
        host = seen.moid_at("runtime.host")
        return others.ref(others.cluster_of(host)) or others.ref(host)
    if seen.type == HOST:
        return others.ref(others.cluster_of(seen.moid))
    if seen.type == CLUSTER:
        return vcenter
    return _above(seen, others) if seen.type == POOL else None


def _above(pool: ObjectProperties, others: ObjectIndex) -> EntityRef | None:
    """A pool's parent; below the root pool that is the cluster, or the host that stands alone."""
    parent = pool.moid_at("parent")
    if found := others.ref(parent):
        return found
    owner = pool.moid_at("owner")
    if found := others.ref(owner):
        return found
    hosts = (one for one in others.objects.values() if one.type == HOST and one.moid_at("parent") == owner)
    return next((others.ref(one.moid) for one in hosts), None)


def _managed(
    seen: ObjectProperties, ref: EntityRef, name: str, others: ObjectIndex, parts: list[Part]
) -> Managed:
    host = seen.moid_at("runtime.host") if seen.type == VM else ""
    cluster = others.cluster_of(host or seen.moid)
    if seen.type == POOL:
        cluster = seen.moid_at("owner") if others.ref(seen.moid_at("owner")) else ""
    vcpus = seen.get("config.hardware.numCPU") if seen.type == VM else None
    return Managed(
        moid=seen.moid,
        type=seen.type,
        ref=ref,
        name=name,
        host=host or None,
        vcpus=int(vcpus) if isinstance(vcpus, float) else 0,
        powered_on=_powered_on(seen),
        connected=_connected(seen),
        cluster=cluster or None,
        instances=MappingProxyType({one: part.ref for part in parts for one in part.names}),
        disk_keys=_disk_keys(seen),
    )


def _disk_keys(seen: ObjectProperties) -> Mapping[str, str]:
    devices = seen.get("config.hardware.device") if seen.type == VM else None
    disks = devices.disks if isinstance(devices, Devices) else ()
    return MappingProxyType({disk.slot: disk.key for disk in disks})


def _powered_on(seen: ObjectProperties) -> bool:
    state = seen.text("runtime.powerState") if seen.type in (VM, HOST) else ""
    if seen.type == HOST:
        return state not in ("poweredOff", "standBy")  # "unknown" is said of one that does not respond
    return state in ("poweredOn", "")


def _connected(seen: ObjectProperties) -> bool:
    if seen.type in (VM, HOST):  # not to be read where the account may not: no counters either
        return seen.text("runtime.connectionState") == "connected"
    return seen.type != DATASTORE or seen.get("summary.accessible") is not False
