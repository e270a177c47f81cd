"""Which entity of a session a line is about: devices, paths, uplinks, datastores, VMs by their names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from collectors.logs.folding import Burst
from sessions.model import Entity, EntityRef, Kind
from sessions.shared_devices import is_shared_device, whole_device

_OF_HOST: Mapping[str, Kind] = {"adapter": "adapter", "nic": "nic"}


class Places:
    """Finds the entities of a session by the names that logs use, and makes those that it lacks.

    The keys are those that recordings of a host have, so that what is recorded later is the same entity.
    """

    def __init__(self, entities: Iterable[Entity]) -> None:
        self._known = {entity.ref: entity for entity in entities}
        self.added: dict[EntityRef, Entity] = {}
        self._named: dict[tuple[str, str], list[EntityRef]] = {}
        self._volumes: dict[str, EntityRef] = {}
        for entity in self._known.values():
            self._named.setdefault((entity.ref.kind, entity.name.lower()), []).append(entity.ref)
            if entity.ref.kind == "datastore":
                self._volumes[entity.ref.key.rstrip("/").rpartition("/")[2]] = entity.ref

    @property
    def hosts(self) -> list[Entity]:
        """The hosts that the session has, those that were made here left out."""
        return [one for one in self._known.values() if one.ref.kind == "host" and one.ref not in self.added]

    @property
    def host_count(self) -> int:
        """How many hosts there are, those included that were made here."""
        return sum(ref.kind == "host" for ref in self._known)

    def name_of(self, ref: EntityRef) -> str:
        """Return the name of an entity that is known here."""
        return self._known[ref].name

    def host(self, name: str) -> EntityRef:
        """Return the host of that name, also where only one of both has its domain; else a new one."""
        wanted = name.lower()
        for exact in (True, False):
            found = [one.ref for one in self.hosts if _is_called(one, wanted, exact=exact)]
            if len(found) == 1:
                return found[0]
        return self._entity(EntityRef("host", name), name, None)

    def vm(self, name: str, host: EntityRef | None) -> EntityRef:
        """Return the VM of that name, by preference on that host; else a new one."""
        found = self._named.get(("vm", name.lower()), [])
        here = [ref for ref in found if host is not None and ref.key.startswith(f"{host.key}/")]
        for some in (found, here):
            if len(some) == 1:
                return some[0]
        key = f"{host.key}/vm-name/{name}" if host is not None else f"vm-name/{name}"
        return self._entity(EntityRef("vm", key), name, host)

    def has_vm(self, name: str) -> bool:
        """True if the session has a VM of that name."""
        return bool(self._named.get(("vm", name.lower())))

    def of(self, burst: Burst, host: EntityRef | None, vm: str) -> EntityRef | None:
        """Return the entity that a burst is about; None if neither it nor the log's host and VM say that."""
        group, name = burst.subject
        if group == "vm":
            return self.vm(vm, host) if vm else host
        if group == "device":
            return self._device(name, host)
        if group in ("volume", "datastore"):
            return self._datastore(burst.groups, host)
        if host is None or not group:
            return host
        if group == "path":
            adapter = self._local("adapter", name.partition(":")[0], host)
            return self._local("path", name, host, adapter)
        return self._local(_OF_HOST[group], name, host)

    def _device(self, name: str, host: EntityRef | None) -> EntityRef | None:
        name = whole_device(name)
        if is_shared_device(name):
            return self._entity(EntityRef("device", name), name, None)
        if host is None:
            return None
        return self._entity(EntityRef("device", f"{host.key}/{name}"), name, host)

    def _datastore(self, groups: Mapping[str, str], host: EntityRef | None) -> EntityRef | None:
        volume, name = groups.get("volume", ""), groups.get("datastore", "")
        if volume in self._volumes:
            return self._volumes[volume]
        named = self._named.get(("datastore", name.lower()), [])
        if len(named) == 1:
            return named[0]
        # An identifier alone tells nobody what it is.
        return self._entity(EntityRef("datastore", name), name, None) if name else host

    def _local(self, kind: Kind, name: str, host: EntityRef, parent: EntityRef | None = None) -> EntityRef:
        key = f"{host.key}/{name}"
        return self._entity(EntityRef(kind, key), key, parent or host)

    def _entity(self, ref: EntityRef, name: str, parent: EntityRef | None) -> EntityRef:
        if ref not in self._known:
            self._known[ref] = self.added[ref] = Entity(ref, name, parent)
            self._named.setdefault((ref.kind, name.lower()), []).append(ref)
        return ref


def _is_called(host: Entity, wanted: str, *, exact: bool) -> bool:
    names = {host.name.lower(), host.ref.key.lower()}
    if exact:
        return wanted in names
    return short_name(wanted) in {short_name(name) for name in names}


def short_name(host: str) -> str:
    """Return a host's name without its domain; an address as it is: two of one network are two hosts."""
    first = host.partition(".")[0]
    return host if first.isdigit() else first
