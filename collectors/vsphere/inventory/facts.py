"""From one property's plain value to the facts of its object: pure functions, one a property."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Protocol, TypeAlias

from collectors.vsphere.inventory.values import (
    Allocation,
    ClusterConfig,
    Devices,
    Ref,
    Snapshots,
)
from sessions.model import EntityRef

FactValue: TypeAlias = str | float | bool
Pair: TypeAlias = tuple[str, FactValue]

_MB = 1024.0 * 1024.0
_HZ = 1_000_000.0


class Look(Protocol):
    """What is known of other objects, by moid."""

    @property
    def words(self) -> Mapping[str, str]:
        """API type of a virtual device → the word that admins use."""

    @property
    def lists_paths(self) -> bool:
        """Whether paths become entities: not where there are too many of them."""

    def ref(self, moid: str) -> EntityRef | None:
        """The entity of an object, None when it has none (the root pool) or is not known."""

    def name(self, moid: str) -> str:
        """The object's name, empty when it is not known."""

    def datastore(self, moid: str) -> tuple[EntityRef, tuple[str, ...], tuple[str, ...]] | None:
        """A datastore: entity, its spellings as an instance, the devices that it lies on."""


def plain(fact: str) -> Callable[[FactValue, Look], Iterator[Pair]]:
    """The value itself is the fact; an empty text is none."""

    def facts(value: FactValue, _look: Look) -> Iterator[Pair]:
        if value != "":
            yield fact, value

    return facts


def scaled(fact: str, unit: float) -> Callable[[float, Look], Iterator[Pair]]:
    """The value divided by ``unit``."""

    def facts(value: float, _look: Look) -> Iterator[Pair]:
        yield fact, value / unit

    return facts


bytes_as_mb = _MB
hz_as_mhz = _HZ


def key_of(fact: str) -> Callable[[Ref, Look], Iterator[Pair]]:
    """The key of the entity that is referred to."""

    def facts(value: Ref, look: Look) -> Iterator[Pair]:
        if ref := look.ref(value.moid):
            yield fact, ref.key

    return facts


def allocated(area: str, unit: str) -> Callable[[Allocation, Look], Iterator[Pair]]:
    """``cpu.limit_mhz``, ``cpu.reservation_mhz``, ``cpu.shares``; memory likewise."""

    def facts(value: Allocation, _look: Look) -> Iterator[Pair]:
        yield from numbers(
            (f"{area}.limit_{unit}", value.limit),
            (f"{area}.reservation_{unit}", value.reservation),
            (f"{area}.shares", value.shares),
        )

    return facts


def affinity(value: tuple[str, ...], _look: Look) -> Iterator[Pair]:
    """``cpu.affinity``: PCPUs in the order of the server, with commas."""
    if value:
        yield "cpu.affinity", ",".join(value)


def snapshots(value: Snapshots, _look: Look) -> Iterator[Pair]:
    """How many, and since when the oldest exists."""
    yield "snapshots", float(value.number)
    if value.oldest:
        yield "snapshot.oldest", value.oldest


def no_snapshots(_look: Look) -> Iterator[Pair]:
    """An unset ``snapshot`` property means none."""
    yield "snapshots", 0.0


def devices(value: Devices, look: Look) -> Iterator[Pair]:
    """``vdisk.scsi0:0.controller`` and the like, ``nic.4000.type`` and ``.network``."""
    for disk in value.disks:
        front = f"vdisk.{disk.slot}"
        yield from words(
            (f"{front}.controller", look.words.get(disk.controller, disk.controller)),
            (f"{front}.datastore", _key(look, disk.datastore)),
            (f"{front}.mode", disk.mode),
        )
        yield from numbers((f"{front}.shares", disk.shares), (f"{front}.limit_iops", disk.limit_iops))
    for nic in value.nics:
        yield from words(
            (f"nic.{nic.key}.type", look.words.get(nic.type, nic.type)),
            (f"nic.{nic.key}.network", nic.network or look.name(nic.portgroup) or nic.portgroup),
        )


def _key(look: Look, moid: str) -> str:
    found = look.ref(moid)
    return found.key if found else ""


def cluster(value: ClusterConfig, _look: Look) -> Iterator[Pair]:
    """DRS and HA."""
    if value.drs is not None:
        yield "drs.enabled", value.drs
    yield from words(("drs.behavior", value.behavior))
    yield from numbers(("drs.rate", value.rate))
    if value.ha is not None:
        yield "ha.enabled", value.ha


def words(*pairs: tuple[str, str]) -> Iterable[Pair]:
    """Those that say something."""
    return (pair for pair in pairs if pair[1])


def numbers(*pairs: tuple[str, float | None]) -> Iterator[Pair]:
    """Those that are known."""
    return ((fact, value) for fact, value in pairs if value is not None)
