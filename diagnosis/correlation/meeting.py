"""Where entities meet: the LUN, datastore, uplinks, host or pool that two of them share."""

from __future__ import annotations

from dataclasses import dataclass

from diagnosis.topology import Topology
from resources.correlation_roles import Resource
from sessions.model import EntityRef, Kind, SampleSource, Series
from sessions.shared_devices import is_shared_device
from sessions.times import TimeRange

_STORES = ("device", "datastore")
_WITH_DEVICES = ("disk.commands", "disk.reads", "disk.writes", "disk.read_mb", "disk.write_mb")
_WORDS = {
    "device": "LUN", "datastore": "datastore", "nic": "uplinks", "host": "host", "pool": "resource pool",
    "adapter": "adapter", "path": "path", "cluster": "cluster",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Shared:
    """What two entities have in common: ``place`` None for nothing. ``is_exact``: the very part that is
    loaded or waited for; otherwise only the host around it, and ``is_unknown`` if nobody tells which part one
    of them uses there, or where it is at all. ``words`` as in "same LUN".
    """

    place: EntityRef | None = None
    words: str = ""
    is_exact: bool = False
    is_unknown: bool = False


NOTHING = Shared()
NOT_TOLD = Shared(words="where it runs is not told", is_unknown=True)
"""Of a table of numbers without hosts and datastores nobody can say that two VMs share nothing."""


class Meeting:
    """The places of a session's entities in a window, by resource."""

    def __init__(self, session: SampleSource, window: TimeRange) -> None:
        self._topology = Topology(session, _WITH_DEVICES, window)
        self._named: dict[str, list[EntityRef]] = {}
        self._stores: dict[EntityRef, set[EntityRef]] = {}
        self._switches: dict[EntityRef, set[EntityRef]] = {}
        self._places: dict[tuple[EntityRef, str, str], frozenset[EntityRef]] = {}
        self._sources = [one.id for one in session.sources()]
        self._only_host = self._find_only_host(session)
        for ref in session.entities():
            self._note(ref)

    def _find_only_host(self, session: SampleSource) -> dict[int, EntityRef]:
        hosts = {ref.key: ref for ref in session.entities() if ref.kind == "host"}
        return {one.id: hosts[one.spec.name] for one in session.sources() if one.spec.name in hosts}

    def _note(self, ref: EntityRef) -> None:
        if ref.kind in _STORES:
            name = self._topology.entity(ref).name
            for text in dict.fromkeys((name, ref.key)):
                self._named.setdefault(text, []).append(ref)
            for user in self._topology.stored_on(ref):
                self._stores.setdefault(self.owner(user), set()).add(ref)
        if ref.kind == "port":
            switch = self._switch(ref)
            if switch is not None:
                self._switches.setdefault(self.owner(ref), set()).add(switch)

    def owner(self, ref: EntityRef) -> EntityRef:
        """Return the VM that an entity is a part of; for anything else the entity itself."""
        return self._topology.ancestors(ref).get("vm", self._topology.base(ref))

    def name(self, ref: EntityRef) -> str:
        """Return the display name of an entity."""
        return self._topology.entity(ref).name

    def name_of(self, kind: Kind, key: str) -> str:
        """Return the display name of an entity by its key; the key where the session has none."""
        return self._topology.entity(EntityRef(kind, key)).name

    def host(self, series: Series) -> EntityRef | None:
        """Return the host that the entity of a series is on or belongs to."""
        ref = series.entity
        return self._topology.host(series.source, ref) or self._only_host.get(series.source)

    def runs_on(self, ref: EntityRef) -> EntityRef | None:
        """Return the host that an entity is on for most of the window; None if no source tells."""
        hosts = (self._topology.host(source, ref) for source in self._sources)
        return next((host for host in hosts if host is not None), None)

    def places(self, series: Series, resource: Resource) -> frozenset[EntityRef]:
        """Return where the entity of a series meets others for a resource."""
        instance = series.spec.instance if resource == "storage" else ""
        key = (series.entity, instance, resource)
        if key not in self._places:
            self._places[key] = frozenset(self._find(series, resource, instance))
        return self._places[key]

    def _find(self, series: Series, resource: Resource, instance: str) -> set[EntityRef]:
        ref, owner = series.entity, self.owner(series.entity)
        if resource == "storage":
            store = self._store(series, instance) if instance else None
            if store is not None:
                return self._with_datastore(store)
            if ref.kind in (*_STORES, "adapter", "path"):
                return self._with_datastore(self._topology.base(ref))
            return {place for store in self._stores.get(owner, ()) for place in self._with_datastore(store)}
        if resource == "network":
            switch = self._switch(ref)
            return {switch} if switch is not None else set(self._switches.get(owner, ()))
        host = self.host(series)
        return {*([host] if host else []), *self._topology.pools.above(owner)}

    def _store(self, series: Series, instance: str) -> EntityRef | None:
        """The device or datastore that an instance names; of several local ones, that of the series' host.

        A name that is unique in the world stands for a device that the session does not list.
        """
        found = self._named.get(instance, ())
        host = self.host(series) if len(found) > 1 else None
        for ref in found:
            if host is None or self._topology.ancestors(ref).get("host") in (None, host):
                return ref
        is_device = series.counter.startswith("disk.") and is_shared_device(instance)
        return EntityRef("device", instance) if is_device else None

    def _with_datastore(self, ref: EntityRef) -> set[EntityRef]:
        store = self._topology.texts("device.datastore").get(ref)
        return {ref} if store is None else {ref, EntityRef("datastore", str(store))}

    def _switch(self, ref: EntityRef) -> EntityRef | None:
        """The virtual switch of a port or uplink, as an entity that stands for its uplinks."""
        host = self._topology.ancestors(ref).get("host")
        if host is None:
            owner = self.owner(ref)
            host = next((one.host for one in self._topology.stays(0, owner)), None)
        if host is None:
            return None
        name = ""
        if ref.kind == "nic":
            name = str(self._topology.texts("nic.switch").get(ref, ""))
        elif ref.kind == "port":
            before, colon, _ = self.name(ref).rpartition("/")[2].partition(":")
            name = before if colon else ""
        return EntityRef("nic", f"{host.key}/{name}") if name else None

    def shared(self, one: Series, other: Series, resource: Resource) -> Shared:
        """Return what the entities of two series share for a resource; at least the host, if they do."""
        mine, theirs = self.places(one, resource), self.places(other, resource)
        common = mine & theirs
        if common:
            place = min(common, key=lambda ref: (_ORDER.get(ref.kind, 9), ref))
            return Shared(place, f"same {_WORDS.get(place.kind, place.kind)}", is_exact=True)
        host = self.host(one)
        if host is not None and host == self.host(other):
            return Shared(host, "same host", is_unknown=not mine or not theirs)
        is_told = all(places or self._is_placed(of) for places, of in ((mine, one), (theirs, other)))
        return NOTHING if is_told else NOT_TOLD

    def _is_placed(self, one: Series) -> bool:
        """True unless it is of a VM of which no host is known."""
        return self.owner(one.entity).kind != "vm" or self.host(one) is not None


_ORDER = {"pool": 0, "device": 1, "datastore": 2, "nic": 3, "adapter": 4, "path": 5, "host": 6}
