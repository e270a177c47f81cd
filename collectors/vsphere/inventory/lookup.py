"""All objects of the server with their properties, and which entity each of them is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from collectors.vsphere.inventory.objects import CLUSTER, DATASTORE, HOST, NETWORK, POOL, VM
from collectors.vsphere.inventory.paths import PLACES, ROWS
from collectors.vsphere.inventory.replies import Update
from collectors.vsphere.inventory.values import DatastoreInfo, Devices, Ref, Value
from sessions.identities import MOID, UUID
from sessions.model import EntityRef, Kind
from sessions.shared_devices import datastore_key

Identify = Callable[[Kind, Sequence[str], str], EntityRef]
"""``Feed.identify``: the entity of an object by its kind, its lasting identities and its name."""

_DEEPEST = 64  # of nested pools; a server that sends a cycle is none of ours to trust


@dataclass(slots=True)
class ObjectProperties:
    """An object with the values of its properties, in the order of its type's rows in ``paths``."""

    moid: str
    type: str
    values: list[Value]

    def get(self, path: str) -> Value:
        """Return a property's value; None if unset."""
        return self.values[PLACES[self.type][path]]

    def text(self, path: str) -> str:
        """Return a property that is text; empty if unset."""
        value = self.get(path)
        return value if isinstance(value, str) else ""

    def is_template(self) -> bool:
        """True for a VM template, which can't be powered on."""
        return self.type == VM and self.get("config.template") is True

    def moid_at(self, path: str) -> str:
        """Return the moid that a property refers to; empty if unset."""
        value = self.get(path)
        return value.moid if isinstance(value, Ref) else ""


@dataclass(slots=True)
class ObjectIndex:
    """The objects by moid, and their entities.

    ``site`` is the prefix of keys that are unique only within this server. An object keeps the entity that it
    had first; an object that was removed and added again gets another moid and is the same entity. ``left``
    holds the moids of objects that are about to be removed.
    """

    site: str
    identify: Identify
    device_names: Mapping[str, str]
    is_vcenter: bool = True
    remembered: int = 10_000
    lists_paths: bool = True
    left: set[str] = field(default_factory=set)
    objects: dict[str, ObjectProperties] = field(default_factory=dict)
    _refs: dict[str, EntityRef] = field(default_factory=dict)
    _owner: dict[EntityRef, str] = field(default_factory=dict)
    _gone: dict[str, EntityRef] = field(default_factory=dict)
    _first_name: dict[str, str] = field(default_factory=dict)
    _renamed: set[str] = field(default_factory=set)
    _uuids: dict[str, str] = field(default_factory=dict)
    _copies: set[str] = field(default_factory=set)

    def apply(self, update: Update) -> ObjectProperties:
        """Apply an update to its object and return the object; one that enters has only the
        update's values.
        """
        seen = self.objects.get(update.moid)
        if seen is None or update.kind == "enter":
            seen = ObjectProperties(update.moid, update.type, [None] * len(ROWS[update.type]))
            self.objects[update.moid] = seen
        for at, value in update.values:
            seen.values[at] = value
        return seen

    def remove(self, moid: str) -> ObjectProperties | None:
        """Remove an object and return it.

        Its entity is remembered for a while, in case the object comes back or an event names it.
        """
        if ref := self._refs.pop(moid, None):
            self._gone[moid] = ref
            if len(self._gone) > self.remembered:
                oldest = next(iter(self._gone))
                forgotten = self._gone.pop(oldest)
                if self._owner.get(forgotten) == oldest:
                    del self._owner[forgotten]
                self._first_name.pop(oldest, None)
                self._renamed.discard(oldest)
                self._copies.discard(oldest)
        return self.objects.pop(moid, None)

    def ref(self, moid: str) -> EntityRef | None:
        """Return the object's entity; None if it has none (root pools, networks, unknown objects)."""
        if found := self._refs.get(moid):
            return found
        seen = self.objects.get(moid)
        ref = self._identify(seen) if seen else None
        if ref is None:
            return None
        ref = self._gone.pop(moid, ref)
        if self._is_taken(ref, moid):  # copied disks bring a VM's identity along
            ref = EntityRef(ref.kind, f"{self.site}/{moid}")
        self._refs[moid], self._owner[ref] = ref, moid
        self._first_name.setdefault(moid, self.name(moid))
        return ref

    def identities(self, moid: str) -> Iterator[tuple[str, str]]:
        """Yield the facts by which a host is recognised, the surest first: its id in a vCenter, its
        hardware's UUID.

        Every ESXi host calls itself ``ha-host`` when it is asked directly: that id is used only if there is
        nothing else.
        """
        seen = self.objects.get(moid)
        if seen is None or seen.type != HOST:
            return
        uuid = "" if moid in self._copies else hardware_uuid(seen)
        if self.is_vcenter or not uuid:
            yield MOID, f"{self.site}/{moid}"
        if uuid:
            yield UUID, uuid

    def _note_copy(self, host: ObjectProperties) -> None:
        """A host whose UUID another host that is there has, too, is known by its id alone."""
        uuid = hardware_uuid(host)
        first = self._uuids.get(uuid, host.moid)
        if uuid and first != host.moid and first in self.objects and first not in self.left:
            self._copies.add(host.moid)
        else:
            self._uuids[uuid] = host.moid

    def _is_taken(self, ref: EntityRef, moid: str) -> bool:
        """Whether another object that is there is this entity."""
        owner = self._owner.get(ref, moid)
        return owner != moid and owner in self.objects and owner not in self.left

    def ref_even_if_gone(self, moid: str) -> EntityRef | None:
        """Return the entity of an object that may be gone: events name such objects."""
        return self.ref(moid) or self._gone.get(moid)

    def ref_gone(self, moid: str) -> EntityRef | None:
        """Return the entity of an object that is gone; None if it is not remembered."""
        return self._gone.get(moid)

    def is_renamed(self, moid: str) -> bool:
        """Return True if the object once had another name than now."""
        if self.name(moid) != self._first_name.get(moid, ""):
            self._renamed.add(moid)
        return moid in self._renamed

    def _identify(self, seen: ObjectProperties) -> EntityRef | None:
        own = f"{self.site}/{seen.moid}"
        name = seen.text("name")
        if not name or seen.type == NETWORK or seen.is_template():
            return None
        if seen.type == VM:
            return self._vm(seen, own)
        if seen.type == POOL:
            return None if self.is_root(seen) else EntityRef("pool", own)
        if seen.type == DATASTORE:
            return EntityRef("datastore", datastore_key(seen.text("summary.url")) or own)
        if seen.type == HOST:
            self._note_copy(seen)
            return self.identify("host", [identity for _, identity in self.identities(seen.moid)], name)
        return EntityRef("cluster", own)

    def _vm(self, seen: ObjectProperties, own: str) -> EntityRef | None:
        if uuid := seen.text("config.instanceUuid"):
            return EntityRef("vm", uuid)
        # One that is just being made has no configuration yet; its identity comes with it.
        return EntityRef("vm", own) if seen.text("runtime.connectionState") == "connected" else None

    @staticmethod
    def is_root(pool: ObjectProperties) -> bool:
        """Return True for the root resource pool of a cluster or host."""
        parent = pool.get("parent")
        return not (isinstance(parent, Ref) and parent.type in ("ResourcePool", "VirtualApp"))

    def name(self, moid: str) -> str:
        """Return the object's name; empty if it is not known."""
        seen = self.objects.get(moid)
        return seen.text("name") if seen else ""

    def datastore(self, moid: str) -> tuple[EntityRef, tuple[str, ...], tuple[str, ...]] | None:
        """Return a datastore's entity, its spellings as an instance, and its devices' canonical names."""
        seen, ref = self.objects.get(moid), self.ref(moid)
        if seen is None or ref is None or seen.type != DATASTORE:
            return None
        info = seen.get("info")
        names, extents = (info.names, info.extents) if isinstance(info, DatastoreInfo) else ((), ())
        # An ESXi host's own id of a datastore is its volume; govmomi's simulator uses the id everywhere.
        spellings = (volume(seen.text("summary.url")), *names, seen.text("name"), moid)
        return ref, tuple(one for one in dict.fromkeys(spellings) if one), extents

    def cluster_of(self, host: str) -> str:
        """Return the moid of a host's cluster; empty for a host without a cluster."""
        seen = self.objects.get(host)
        parent = seen.get("parent") if seen and seen.type == HOST else None
        return parent.moid if isinstance(parent, Ref) and parent.type == CLUSTER else ""

    def depth(self, moid: str) -> int:
        """Return how many resource pools contain a pool; 0 for all other objects."""
        found = 0
        while (seen := self.objects.get(moid)) and seen.type == POOL and found < _DEEPEST:
            found, moid = found + 1, seen.moid_at("parent")
        return found

    def dependents(self, moids: frozenset[str]) -> Iterator[str]:
        """Yield the moids of objects whose description refers to one of ``moids``."""
        for seen in self.objects.values():
            if not moids.isdisjoint(_mentions(seen)):
                yield seen.moid


def hardware_uuid(host: ObjectProperties) -> str:
    """Return a host's hardware UUID in the form that all servers share; empty if its firmware has none."""
    uuid = host.text("hardware.systemInfo.uuid").strip().lower()
    return uuid if uuid.strip("0-f") else ""


def volume(url: str) -> str:
    """Return the name that counters use for a datastore: the last part of its URL, for VMFS the UUID."""
    return url.rstrip("/").rpartition("/")[2]


def _mentions(seen: ObjectProperties) -> Iterator[str]:
    if seen.type in (DATASTORE, NETWORK, CLUSTER):
        return
    for value in seen.values:
        if isinstance(value, Ref):
            yield value.moid
        elif isinstance(value, Devices):
            yield from (disk.datastore for disk in value.disks if disk.datastore)
            yield from (nic.portgroup for nic in value.nics if nic.portgroup)
        elif isinstance(value, tuple) and value and isinstance(value[0], Ref):
            yield from (one.moid for one in value if isinstance(one, Ref))
