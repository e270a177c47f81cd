"""Which entity belongs to which in a window of a session: parents, children, and the hosts of VMs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import msgspec
import numpy as np

from diagnosis.disk_places import DiskPlaces
from diagnosis.fact_lookup import FactLookup
from diagnosis.facts import FactTable
from diagnosis.placement import Periods, Placement, Stay, joined_periods
from diagnosis.resource_pools import ResourcePools
from diagnosis.seen_twice import known_to_vcenter, with_clusters
from diagnosis.series_index import SeriesIndex
from diagnosis.storage_table import StorageTable
from resources.system_vms import NO_SYSTEM_VMS, SystemVms
from resources.threshold_sets import NO_LIMITS, StorageLimits
from sessions.current_records import names_over_time, with_current_names
from sessions.guest_vms import guests_by_vm
from sessions.model import Entity, EntityRef, IntArray, SampleSource, Series
from sessions.times import TimeRange

SHARED_BY_HOSTS = ("device", "datastore")
"""Kinds of entities that several hosts may see, each with numbers of its own."""
_MEMORY_TIER = "memory_tier"
"""What a device is called that its host uses as memory: no rule about storage devices is about it."""
_SEEN_BY = "\n"  # between the key of what is shared and the host that sees it; no key has it
_MOMENT = ".latest"  # the ending of a vCenter counter that tells one moment of its interval
_DEEPEST = 8  # parents of parents; a session is untrusted and may hold a cycle


class Placed(msgspec.Struct, frozen=True):
    """An entity below another one, with the times when it was there; None for always."""

    ref: EntityRef
    periods: Periods | None = None


class Topology:
    """The relations between the entities of a session in a window; ``series`` is the index of their series,
    ``storage`` the classes of its devices and what these are judged by.

    ``window`` may become longer as long as no fact begins or ends in its new part.

    A device or datastore that several hosts share has one series for each host in a vCenter's source, with
    the host as instance. Each host's view of it is an entity of its own here (``base`` gives the shared
    one), so that a rule judges it for each host, as with one source a host. Likewise a VM of a capture is a
    view of the VM that a vCenter knows on that host.
    """

    def __init__(
        self,
        source: SampleSource,
        counters: Collection[str],
        window: TimeRange,
        agents: SystemVms = NO_SYSTEM_VMS,
        limits: StorageLimits = NO_LIMITS,
    ) -> None:
        facts = source.facts()
        entities = source.entities()
        self._facts = FactTable(facts, window, entities)
        named = with_current_names(entities, facts)
        self._entities = dict(with_clusters(named, self._facts.named("host")))
        self._placement = Placement(self._facts.named("host"), window)
        self._has_moves = self._placement.has_moves
        self.window = window
        self.pools = ResourcePools(self._facts, self._entities)
        self._agents = agents
        self._bases = known_to_vcenter(
            self._entities, self._facts.named("host"), names_over_time(entities, facts)
        )
        self.seen_twice = frozenset((*self._bases, *self._bases.values()))
        """VMs that several sources have, as each of them knows them."""
        self.guests = guests_by_vm(self._entities, facts)
        """The guests that are known to run in each VM, not by name alone."""
        self._views: dict[tuple[EntityRef, str], EntityRef] = {}
        self._seen_from: dict[EntityRef, list[tuple[int, EntityRef]]] = {}
        self._ancestors: dict[EntityRef, dict[str, EntityRef]] = {}
        self._groups: dict[int, dict[tuple[EntityRef | None, str], list[Placed]]] = {}
        self._rows: dict[tuple[int, str], list[EntityRef]] = {}
        self._stays: dict[tuple[int, EntityRef], tuple[Stay, ...]] = {}
        self.disks = DiskPlaces(self._facts)
        self.storage = StorageTable(limits, self.base, self.entity, self._facts)
        self.series = SeriesIndex()
        self.sources = [one.id for one in source.sources()]
        self.vcenters = {one.id for one in source.sources() if one.spec.kind == "vcenter"}
        self.captures = {one.id for one in source.sources() if one.spec.kind in ("esxtop", "lab")}
        for series in source.series(counters):
            self._add(series)
        self._in_source = self.series.entities_by_source()
        self.seen_twice |= _vms_in_several(self._in_source.values())
        self.facts = FactLookup(self._facts, self.base, are_told_twice=bool(self.seen_twice))
        self._shown: dict[EntityRef, str] = {}
        for number, found in self._in_source.items():
            self._shown.update(_told_apart(found, self._entities))
            found.update([above for ref in list(found) for above in self.ancestors(ref).values()])
            found.update([pool for ref in list(found) for pool in self.pools.above(ref)])
            for ref in sorted(found):
                self._seen_from.setdefault(self.base(ref), []).append((number, ref))

    def _add(self, series: Series) -> None:
        ref, instance = series.spec.entity, series.spec.instance
        if instance and ref.kind in SHARED_BY_HOSTS:
            ref, instance = self._view(ref, instance)
        is_moment = _MOMENT in series.spec.label
        self.series.add(series.id, series.source, series.counter, ref, instance, is_moment=is_moment)

    def _view(self, ref: EntityRef, instance: str) -> tuple[EntityRef, str]:
        """A host's view of what hosts share, where the instance is a host's key."""
        host = EntityRef("host", instance)
        if host not in self._entities:
            return ref, instance
        if (ref, instance) not in self._views:
            view = EntityRef(ref.kind, f"{ref.key}{_SEEN_BY}{instance}")
            self._views[ref, instance] = view
            self._bases[view] = ref
            self._entities[view] = Entity(view, self.entity(ref).name, host)
        return self._views[ref, instance], ""

    def base(self, ref: EntityRef) -> EntityRef:
        """Return the session's entity for a host's view of a shared device, or for a capture's of a VM that
        a vCenter knows; any other entity unchanged.
        """
        return self._bases.get(ref, ref)

    def entity(self, ref: EntityRef) -> Entity:
        """Return the entity; one that the session does not describe gets its key as name."""
        return self._entities.get(ref) or Entity(ref, ref.key)

    def shown_name(self, ref: EntityRef) -> str:
        """Return the entity's name; of several VMs of that name the one that is meant is told, too."""
        return self._shown.get(ref) or self.entity(ref).name

    def rows(self, source: int, kind: str) -> Sequence[EntityRef]:
        """Return the entities of this kind that have a series in the source, or whose descendants
        have one, in order. Devices that a host uses as memory are of the kind ``memory_tier``.
        """
        key = source, kind
        if key not in self._rows:
            self._rows[key] = [placed.ref for placed in self._group(source).get((None, kind), ())]
        return self._rows[key]

    def below(self, source: int, above: EntityRef, kind: str) -> Sequence[Placed]:
        """Return the entities of this kind below ``above``, or on that host, in the window."""
        return self._group(source).get((above, kind), ())

    def add_below(self, source: int, above: EntityRef, refs: Iterable[EntityRef]) -> None:
        """Note that these entities are below ``above`` in the source, which the session does not say."""
        self._group(source)
        for ref in refs:
            self._groups[source].setdefault((above, ref.kind), []).append(Placed(ref))

    def ancestors(self, ref: EntityRef) -> dict[str, EntityRef]:
        """Return the nearest ancestor of each kind, the entity itself included."""
        if ref not in self._ancestors:
            above: dict[str, EntityRef] = {}
            current: EntityRef | None = ref
            for _ in range(_DEEPEST):
                if current is None:
                    break
                above.setdefault(current.kind, current)
                known = self._entities.get(current)
                current = known.parent if known else None
            self._ancestors[ref] = above
        return self._ancestors[ref]

    def stays(self, source: int, ref: EntityRef) -> tuple[Stay, ...]:
        """Return the hosts that the entity was on in the window, by its own placement or that of an ancestor.

        An entity without a placement was always on its parent host, or on the source's only host.
        """
        if (source, ref) not in self._stays:
            above = self.ancestors(ref)
            stays = self._placement.stays(above.values())
            if not stays:
                hosts = [above["host"]] if "host" in above else self.rows(source, "host")
                always = [Stay(host, self.window.start, self.window.end + 1) for host in hosts]
                stays = tuple(always) if len(always) == 1 else ()
            self._stays[source, ref] = stays
        return self._stays[source, ref]

    def moved(self, source: int, refs: Sequence[EntityRef]) -> Mapping[int, IntArray]:
        """Return for each row of ``refs`` whose VM moved when its stays on the later hosts began (ms)."""
        if not self._has_moves:
            return {}
        begun = {row: [one.start for one in self.stays(source, ref)[1:]] for row, ref in enumerate(refs)}
        return {row: np.array(starts, dtype=np.int64) for row, starts in begun.items() if starts}

    def hosts(self, source: int, ref: EntityRef) -> list[Placed]:
        """Return the hosts of ``stays``, each host once, with the times if there are several hosts."""
        stays = self.stays(source, ref)
        if len(stays) == 1:
            return [Placed(stays[0].host)]
        found: dict[EntityRef, Periods | None] = {}
        for stay in stays:
            found[stay.host] = joined_periods(found.get(stay.host, ()), ((stay.start, stay.end),))
        return [Placed(host, periods) for host, periods in found.items()]

    def host(self, source: int, ref: EntityRef, windows: Collection[TimeRange] = ()) -> EntityRef | None:
        """Return the host that the entity runs on or belongs to.

        For one that moved: the host where it was for most of the time of ``windows`` (default: of the whole
        window).
        """
        stays = self.stays(source, ref)
        chosen = windows or (self.window,)
        return max(stays, key=lambda stay: stay.overlap_ms(chosen)).host if stays else None

    def _group(self, source: int) -> Mapping[tuple[EntityRef | None, str], Sequence[Placed]]:
        """Entities of a source by what is above them: (None, kind) is all of the kind."""
        if source in self._groups:
            return self._groups[source]
        groups: dict[tuple[EntityRef | None, str], list[Placed]] = {}
        self._groups[source] = groups
        makers = self._facts.latest("managed_by")

        def is_agent(ref: EntityRef) -> bool:
            is_vm = ref.kind == "vm"
            return is_vm and self._agents.include(self.entity(ref).name, str(makers.get(ref, "")))

        tiers = {ref for ref, is_tier in self._facts.latest("device.memory_tier").items() if is_tier is True}

        def kind(ref: EntityRef) -> str:
            return _MEMORY_TIER if tiers and self.base(ref) in tiers else ref.kind

        found = sorted(ref for ref in self._in_source.get(source, ()) if not is_agent(ref))
        for ref in found:
            groups.setdefault((None, kind(ref)), []).append(Placed(ref))
        for ref in found:
            for one in self._above(source, ref):
                groups.setdefault((one.ref, kind(ref)), []).append(Placed(ref, one.periods))
        return groups

    def _above(self, source: int, ref: EntityRef) -> list[Placed]:
        """What the entity is below: its ancestors, the pools that it is in, and the hosts that it was on."""
        hosts = self.hosts(source, ref) if ref.kind != "host" else []
        above = [one for one in self.ancestors(ref).values() if one != ref]
        pools = [Placed(pool, periods) for pool, periods in self.pools.stays(ref)]
        return [*(Placed(one) for one in above if one.kind != "host" or not hosts), *pools, *hosts]

    def texts(self, name: str) -> Mapping[EntityRef, str | float | bool]:
        """Return a fact's value at the end of the window for every entity that has it."""
        return self._facts.latest(name)

    def stored_on(self, ref: EntityRef) -> Sequence[EntityRef]:
        """Return the VMs that are known to have disks on a device or datastore, by key."""
        base = self.base(ref)
        if base.kind not in SHARED_BY_HOSTS:
            return ()
        stores = {base.key} if base.kind == "datastore" else {str(self.texts("device.datastore").get(base))}
        users = self.series.users(self.entity(base).name)
        return sorted(users.union(*(self.disks.vms_on(store) for store in stores)))

    def entities_in(self, source: int) -> Collection[EntityRef]:
        """Return the entities that have a series in the source, and all their ancestors."""
        return self._in_source.get(source, ())

    def views(self, ref: EntityRef) -> Sequence[tuple[int, EntityRef]]:
        """Return all (source, entity) pairs under which the same entity has series.

        In a vCenter's source the entity may be a host's view of a shared device.
        """
        return self._seen_from.get(self.base(ref), ())


def store_names(topology: Topology, ref: EntityRef) -> Sequence[str]:
    """Return the names by which events call what lies there: of the device, and of its datastore."""
    base = topology.base(ref)
    store = topology.texts("device.datastore").get(base) if base.kind == "device" else None
    of_store = [] if store is None else [topology.entity(EntityRef("datastore", str(store))).name]
    return tuple(dict.fromkeys([topology.entity(base).name, *of_store]))


def vsan_stores_of(topology: Topology, ref: EntityRef) -> Sequence[EntityRef]:
    """Return the vSAN datastores of which a host or one of its disks is a part."""
    told = topology.texts("datastore")
    parts = [one for one in told if one.kind == "vsan" and ref in topology.ancestors(one).values()]
    return list(dict.fromkeys(EntityRef("datastore", str(told[one])) for one in parts))


def vsan_cluster_of(topology: Topology, store: EntityRef) -> EntityRef | None:
    """Return the one cluster whose hosts a vSAN datastore is made of; None where that is not known."""
    told, key = topology.texts("datastore"), topology.base(store).key
    parts = [one for one, at in told.items() if one.kind == "vsan" and at == key]
    found = {topology.ancestors(one).get("cluster") for one in parts} - {None}
    return found.pop() if len(found) == 1 else None


def host_told_of(topology: Topology, source: int) -> EntityRef | None:
    """Return the host that all counters of a source are about; None for a source of several hosts."""
    hosts = topology.rows(source, "host")
    return hosts[0] if len(hosts) == 1 and source not in topology.vcenters else None


def _vms_in_several(sources: Iterable[Collection[EntityRef]]) -> frozenset[EntityRef]:
    seen = Counter(ref for found in sources for ref in found if ref.kind == "vm")
    return frozenset(ref for ref, count in seen.items() if count > 1)


_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_UUID_BEGIN = 8
"""As many characters of a UUID tell VMs apart, unless they are the same in two."""


def _told_apart(
    refs: Iterable[EntityRef], entities: Mapping[EntityRef, Entity]
) -> Iterator[tuple[EntityRef, str]]:
    """VMs of one source that have the same name, each with the number by which its source knows it."""
    by_name: dict[str, list[EntityRef]] = {}
    for ref in refs:
        if ref.kind == "vm" and ref in entities:
            by_name.setdefault(entities[ref].name, []).append(ref)
    for name, same in by_name.items():
        numbers = {ref: ref.key.rpartition("/")[2] for ref in same}
        short = {ref: number[:_UUID_BEGIN] for ref, number in numbers.items() if _UUID.fullmatch(number)}
        if len({*short.values()}) == len(same):
            numbers = short
        for ref, number in numbers.items() if len(same) > 1 else ():
            yield ref, f"{name} (one of several)" if number == name else f"{name} ({number})"


def told_as(topology: Topology, kind: str, name: str, like: str) -> list[EntityRef]:
    """Return the entities of a kind whose fact is known and matches the pattern as a whole, whether
    or not they have a series.
    """
    pattern = re.compile(like)
    told = topology.texts(name).items()
    return [ref for ref, text in told if ref.kind == kind and pattern.fullmatch(str(text))]
