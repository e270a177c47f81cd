"""Names that distinguish entities: a vCPU, disk, world or port with its VM, an uplink with its host."""

from __future__ import annotations

from dataclasses import dataclass

from sessions.model import EntityRef
from viewmodels.host_domains import without
from viewmodels.snapshot import Snapshot

NAMELESS = "(without a name)"
_OWNERS = frozenset({"vm", "world"})
_MAX_DEPTH = 8  # a session is untrusted: its parents may form a circle


@dataclass(frozen=True, slots=True)
class EntityName:
    """The parts of an entity's name: its own; the VM (or group of worlds) that it belongs to; the host.

    ``host`` is empty where the other parts say enough: of a host itself, of a VM whose name no other VM has,
    and of what several hosts share.
    """

    own: str
    owner: str = ""
    host: str = ""

    @property
    def text(self) -> str:
        """The whole name: ``db-prod › vCPU 2``, ``vmnic0 · esx03``."""
        place = f"{self.owner} › {self.own}" if self.owner else self.own
        return f"{place} · {self.host}" if self.host else place


def full_name(ref: EntityRef, snapshot: Snapshot) -> str:
    """Return a name that no other entity of the session should have: ``db-prod › vCPU 2``,
    ``vmnic0 · esx03``, ``web (two VMs are called so) · esx01``; a host's name is whole, with its domain.
    """
    return snapshot.name(ref).strip() or NAMELESS if ref.kind == "host" else entity_name(ref, snapshot).text


def entity_name(ref: EntityRef, snapshot: Snapshot) -> EntityName:
    """Return the parts of an entity's name; hosts without the domain that all hosts of the session share."""
    if ref.kind == "host":
        return EntityName(short_host(_name(ref, snapshot), snapshot))
    if ref.kind == "vm":
        return EntityName(_name(ref, snapshot), host=_host_of_namesake(ref, snapshot))
    above = _above(ref, snapshot)
    owner = next((one for one in above if one.kind in _OWNERS), None)
    if owner is not None and owner.kind == "vm":
        return EntityName(_name(ref, snapshot), _name(owner, snapshot), _host_of_namesake(owner, snapshot))
    host = next((one for one in above if one.kind == "host"), None)
    if host is None:
        return EntityName(_name(ref, snapshot))
    name, whole = _name(ref, snapshot), _name(host, snapshot)
    own = name.removeprefix(f"{whole}/").removeprefix(f"{host.key}/") or name
    return EntityName(own, "" if owner is None else _name(owner, snapshot), short_host(whole, snapshot))


def short_host(name: str, snapshot: Snapshot) -> str:
    """Return a host's name without the domain that all hosts of the session share."""
    return without(snapshot.entity_index.host_domain, name)


def _name(ref: EntityRef, snapshot: Snapshot) -> str:
    return snapshot.name(ref).strip() or NAMELESS


def _host_of_namesake(vm: EntityRef, snapshot: Snapshot) -> str:
    """Return the host that a VM was last on, if other VMs have its name; else an empty text."""
    if snapshot.name(vm) not in snapshot.entity_index.repeated_vm_names:
        return ""
    host = snapshot.host_of(vm) or next((one for one in _above(vm, snapshot) if one.kind == "host"), None)
    return short_host(_name(host, snapshot), snapshot) if host is not None else ""


def _above(ref: EntityRef, snapshot: Snapshot) -> list[EntityRef]:
    """Return the parents of an entity, the nearest first."""
    found: list[EntityRef] = []
    entity = snapshot.entities.get(ref)
    while entity is not None and entity.parent is not None and len(found) < _MAX_DEPTH:
        found.append(entity.parent)
        entity = snapshot.entities.get(entity.parent)
    return found
