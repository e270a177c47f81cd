"""How a vCenter series is named in the session: its entity, counter, unit, instance and scale."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from collectors.vsphere.counters.metrics import Meaning
from sessions.model import Entity, EntityRef, Kind, SeriesSpec
from sessions.shared_devices import is_shared_device


class Subject(Protocol):
    """A managed object that has counters, as the inventory knows it now."""

    @property
    def moid(self) -> str:
        """The object's id in the vCenter, such as ``vm-42``."""

    @property
    def type(self) -> str:
        """The API type: ``VirtualMachine``, ``HostSystem`` …"""

    @property
    def ref(self) -> EntityRef:
        """The object's entity."""

    @property
    def name(self) -> str:
        """The display name."""

    @property
    def host(self) -> str | None:
        """The moid of the host that a VM runs on; None for other objects."""

    @property
    def cluster(self) -> str | None:
        """The moid of the object's cluster; None without a cluster."""

    @property
    def vcpus(self) -> int:
        """The number of vCPUs of a VM."""

    @property
    def powered_on(self) -> bool:
        """True if the VM is powered on; for a host, False if it was shut down or is in standby."""

    @property
    def connected(self) -> bool:
        """True if the host is connected to the vCenter."""

    @property
    def instances(self) -> Mapping[str, EntityRef]:
        """The entities of the object's parts, by the instance names that counters use."""


def series_of(
    subject: Subject, meaning: Meaning, instance: str, interval_s: float
) -> tuple[SeriesSpec, Entity | None]:
    """Return the series for one series of a reply, and its entity where the inventory does not
    have that entity.
    """
    ref, entity = _entity(subject, meaning.place, instance)
    spec = SeriesSpec(
        ref,
        meaning.key,
        meaning.unit,
        _instance(subject, ref, instance),
        meaning.scale(interval_s, subject.vcpus),
        f"{meaning.name}[{instance}]" if instance else meaning.name,
    )
    return spec, entity


def _entity(subject: Subject, place: str, instance: str) -> tuple[EntityRef, Entity | None]:
    kind = _KINDS[subject.ref.kind].get(place)
    if kind is None:
        return subject.ref, None
    known = subject.instances.get(instance)
    if known is not None and known.kind == kind:
        return known, None
    ref = EntityRef(kind, _key(subject, kind, instance))
    parent = None if ref.key == instance else subject.ref
    name = f"vCPU {instance}" if kind == "vcpu" else instance
    return ref, Entity(ref, ref.key if kind in {"adapter", "nic", "path"} else name, parent)


def _key(subject: Subject, kind: Kind, instance: str) -> str:
    if kind == "datastore" or (kind == "device" and is_shared_device(instance)):
        return instance
    within = {"vcpu": "vcpu/", "port": "nic/"}.get(kind, "")
    return f"{subject.ref.key}/{within}{instance}"


def _instance(subject: Subject, ref: EntityRef, instance: str) -> str:
    if ref == subject.ref:
        return instance
    shared = ref.kind == "datastore" or (ref.kind == "device" and is_shared_device(ref.key))
    return subject.ref.key if shared else ""


_KINDS: Mapping[str, Mapping[str, Kind]] = {
    "vm": {"vcpu": "vcpu", "vdisk": "vdisk", "nic": "port"},
    "host": {
        "device": "device",
        "adapter": "adapter",
        "path": "path",
        "nic": "nic",
        "datastore": "datastore",
    },
    "cluster": {},
    "datastore": {},
}
"""Which instances of which kind of entity are entities of their own."""
