"""From one property's plain value to facts of its object: pure functions, one a property."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Protocol, TypeAlias

from collectors.vsphere.inventory.values import (
    Allocation,
    ClusterConfig,
    ClusterSummary,
    Devices,
    MemoryTier,
    Ref,
    Snapshots,
    TierUse,
)
from sessions.model import EntityRef

FactValue: TypeAlias = str | float | bool
Pair: TypeAlias = tuple[str, FactValue]

_MB = 1024.0 * 1024.0
_HZ = 1_000_000.0
_BUCKETS = ("0_20", "21_40", "41_60", "61_80", "81_100")
"""The ranges (percent) of the DRS score that ClusterComputeResourceSummary.numVmsPerDrsScoreBucket counts."""


class OtherObjects(Protocol):
    """An index of all objects by moid, in which the reader of one object's property looks up others."""

    @property
    def device_names(self) -> Mapping[str, str]:
        """The admins' name of each API type of a virtual device (``VirtualVmxnet3`` → ``vmxnet3``)."""

    @property
    def lists_paths(self) -> bool:
        """True if storage paths become entities; False where there are too many of them."""

    def ref(self, moid: str) -> EntityRef | None:
        """Return an object's entity; None if it has none (a root pool) or is not known."""

    def name(self, moid: str) -> str:
        """Return an object's name; empty if it is not known."""

    def datastore(self, moid: str) -> tuple[EntityRef, tuple[str, ...], tuple[str, ...]] | None:
        """Return a datastore's entity, its spellings as an instance, and its devices' canonical names."""


def plain(fact: str) -> Callable[[FactValue, OtherObjects], Iterator[Pair]]:
    """Return a reader that gives the value itself as the fact; empty text gives no fact."""

    def facts(value: FactValue, _others: OtherObjects) -> Iterator[Pair]:
        if value != "":
            yield fact, value

    return facts


def scaled(fact: str, unit: float) -> Callable[[float, OtherObjects], Iterator[Pair]]:
    """Return a reader that gives the value divided by ``unit`` as the fact."""

    def facts(value: float, _others: OtherObjects) -> Iterator[Pair]:
        yield fact, value / unit

    return facts


bytes_as_mb = _MB
hz_as_mhz = _HZ


def key_of(fact: str) -> Callable[[Ref, OtherObjects], Iterator[Pair]]:
    """Return a reader that gives the key of the referenced object's entity as the fact."""

    def facts(value: Ref, others: OtherObjects) -> Iterator[Pair]:
        if ref := others.ref(value.moid):
            yield fact, ref.key

    return facts


def allocated(area: str, unit: str) -> Callable[[Allocation, OtherObjects], Iterator[Pair]]:
    """Return a reader for ``area`` (cpu, mem): the facts ``cpu.limit_mhz``,
    ``cpu.reservation_mhz``, ``cpu.shares``.
    """

    def facts(value: Allocation, _others: OtherObjects) -> Iterator[Pair]:
        yield from number_pairs(
            (f"{area}.limit_{unit}", value.limit),
            (f"{area}.reservation_{unit}", value.reservation),
            (f"{area}.shares", value.shares),
        )

    return facts


def affinity(value: tuple[str, ...], _others: OtherObjects) -> Iterator[Pair]:
    """Yield ``cpu.affinity``: the PCPU numbers in the server's order, separated by commas."""
    if value:
        yield "cpu.affinity", ",".join(value)


def snapshots(value: Snapshots, _others: OtherObjects) -> Iterator[Pair]:
    """Yield the number of snapshots and the time of the oldest."""
    yield "snapshots", float(value.number)
    if value.oldest:
        yield "snapshot.oldest", value.oldest


def no_snapshots(_others: OtherObjects) -> Iterator[Pair]:
    """Yield the facts for an unset ``snapshot`` property: there are no snapshots."""
    yield "snapshots", 0.0


def memory_tiers(value: tuple[MemoryTier, ...], _others: OtherObjects) -> Iterator[Pair]:
    """Yield the size of each kind of memory: ``tier.dram_mb``, ``tier.nvme_mb``; a plain host has none."""
    sizes: dict[str, float] = {}
    for tier in value:
        sizes[tier.type.lower()] = sizes.get(tier.type.lower(), 0.0) + tier.bytes / _MB
    if len(sizes) > 1:
        yield from ((f"tier.{kind}_mb", size) for kind, size in sizes.items())


def tier_use(value: tuple[TierUse, ...], _others: OtherObjects) -> Iterator[Pair]:
    """Yield what a VM reads from each kind of memory: ``tier.nvme.read_mbps``."""
    yield from {f"tier.{one.type.lower()}.read_mbps": one.read_mbps for one in value}.items()


def devices(value: Devices, others: OtherObjects) -> Iterator[Pair]:
    """Yield facts such as ``vdisk.scsi0:0.controller``, ``nic.4000.type`` and ``nic.4000.mac``.

    A guest is joined to its VM by UUIDs and MAC addresses.
    """
    for disk in value.disks:
        front = f"vdisk.{disk.slot}"
        yield from text_pairs(
            (f"{front}.controller", others.device_names.get(disk.controller, disk.controller)),
            (f"{front}.datastore", _key(others, disk.datastore)),
            (f"{front}.mode", disk.mode),
            (f"{front}.uuid", disk.uuid),
        )
        yield from number_pairs(
            (f"{front}.shares", disk.shares),
            (f"{front}.limit_iops", disk.limit_iops),
            (f"{front}.chain", disk.chain if disk.chain > 1 else None),
        )
    for nic in value.nics:
        yield from text_pairs(
            (f"nic.{nic.key}.type", others.device_names.get(nic.type, nic.type)),
            (f"nic.{nic.key}.network", nic.network or others.name(nic.portgroup) or nic.portgroup),
            (f"nic.{nic.key}.mac", nic.mac),
        )


def _key(others: OtherObjects, moid: str) -> str:
    found = others.ref(moid)
    return found.key if found else ""


def cluster(value: ClusterConfig, _others: OtherObjects) -> Iterator[Pair]:
    """Yield the DRS and HA settings."""
    yield "drs.rules", value.rules
    yield "drs.overrides", value.overrides
    if value.drs is not None:
        yield "drs.enabled", value.drs
    yield from text_pairs(("drs.behavior", value.behavior))
    yield from number_pairs(("drs.rate", value.rate))
    if value.ha is not None:
        yield "ha.enabled", value.ha
    if value.admission_control is not None:
        yield "ha.admission_control", value.admission_control


def cluster_summary(value: ClusterSummary, _others: OtherObjects) -> Iterator[Pair]:
    """Yield the DRS score and how many VMs have which, or, before 7.0, the imbalance of the hosts and what
    DRS aims at.
    """
    if len(value.buckets) == len(_BUCKETS):
        yield from ((f"drs.vms_{name}", number) for name, number in zip(_BUCKETS, value.buckets, strict=True))
    yield from number_pairs(
        ("drs.score", value.score), ("drs.balance", value.balance), ("drs.target_balance", value.target)
    )


def text_pairs(*pairs: tuple[str, str]) -> Iterable[Pair]:
    """Return the pairs whose text is not empty."""
    return (pair for pair in pairs if pair[1])


def number_pairs(*pairs: tuple[str, float | None]) -> Iterator[Pair]:
    """Yield the pairs whose number is not None."""
    return ((fact, value) for fact, value in pairs if value is not None)
