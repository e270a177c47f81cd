"""What a scope covers: which entities, series, events and findings every view shows for it.

An entity is *covered* if it was chosen, or is below something chosen: what is on a host, in a VM, in a
cluster or in a pool. VMs move, so "on a host" means: at any time of the window.

A covered entity *depends on* what carries it: the host on which it runs, the devices and datastores that hold
its disks, the uplinks of its ports' switches. Whoever looks at one database wants to see that its LUN is slow
and that its host has no CPU left, although both are above it. So a finding belongs to the scope if its entity
is covered, or is something that a covered entity depended on while the problem lasted. A consequence belongs
to the scope, too, if what caused it is covered: whoever looks at a LUN sees whom it slows down. In the other
direction nothing follows: the neighbours of a VM on the same host or LUN are outside.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from sessions.findings import Finding
from sessions.model import EntityRef, Event, Series
from sessions.scope import Scope
from sessions.times import TimeRange
from viewmodels.placement import datastores_during, hosts_during, pools_during, switch_of
from viewmodels.shared_devices import is_shared, seen_by, source_names
from viewmodels.snapshot import Snapshot

_Belongs = Callable[[EntityRef], bool]
_DISKS = frozenset({"vm", "vdisk"})
_PORTS = frozenset({"vm", "port"})
_DEEPEST_PART = 4
"""A disk's VM is near; a session is untrusted, and its parents may form a circle."""

_EVER = TimeRange(-(1 << 62), 1 << 62)


@dataclass(frozen=True, eq=False)
class ScopeFilter:
    """A scope applied to a session: it answers what belongs to it.

    ``chosen`` empty: all entities. ``window`` None: at any time.
    """

    chosen: frozenset[EntityRef]
    window: TimeRange | None
    snapshot: Snapshot

    def covers(self, ref: EntityRef) -> bool:
        """True if the entity was chosen, or is below something chosen in the window."""
        if not self.chosen or ref in self.chosen:
            return True
        if ref not in self._known:
            self._known[ref] = self._is_below(ref)
        return self._known[ref]

    @cached_property
    def _known(self) -> dict[EntityRef, bool]:
        """Answers of ``covers`` that were worked out before: a session has many series of each entity."""
        return {}

    def _is_below(self, ref: EntityRef) -> bool:
        passed: set[EntityRef] = set()
        waiting = [ref]
        while waiting:
            one = waiting.pop()
            if one in self.chosen:
                return True
            if one not in passed:  # a session is untrusted and may hold a cycle
                passed.add(one)
                waiting.extend(self.owners(one))
        return False

    def depends_on(self, ref: EntityRef, times: Iterable[TimeRange] = ()) -> bool:
        """True if a covered entity depended on this one in the window, and at one of ``times`` if given."""
        wanted = tuple(times) or (_EVER,)
        return any(
            shared is not None and shared.intersect(time) is not None
            for when in self._needed.get(ref, ())
            for shared in (self._in_window(when),)
            for time in wanted
        )

    def concerns(self, ref: EntityRef, times: Iterable[TimeRange] = ()) -> bool:
        """True if the entity is covered, or a covered one depended on it (at one of ``times`` if given)."""
        return self.covers(ref) or self.depends_on(ref, times)

    def has_part_of(self, ref: EntityRef) -> bool:
        """True if a part of this VM was chosen: a vCPU, a disk, a world."""
        return ref in self._vms_of_parts

    def series(self, series: Iterable[Series]) -> list[Series]:
        """Return the series of covered entities, and covered hosts' own of the devices that hosts share."""
        if not self.chosen:
            return list(series)
        names = source_names(self.snapshot)
        return [one for one in series if self.covers(one.entity) or self._seen_by(one, names, self.covers)]

    def needed_series(self, series: Iterable[Series]) -> list[Series]:
        """Return the series of what covered entities depend on; of shared devices as their hosts see them."""
        names = source_names(self.snapshot)
        found = [one for one in series if self.depends_on(one.entity)]
        return [
            one
            for one in found
            if not is_shared(one.entity, self.snapshot) or self._seen_by(one, names, self.concerns)
        ]

    def concerns_view(self, ref: EntityRef, host_name: str) -> bool:
        """True if this host's view of a device or datastore belongs to the scope.

        It does if the device was chosen, if the host is covered, or if a covered entity on that host depends
        on the device.
        """
        if not self.chosen or self.covers(ref):
            return True
        host = self.snapshot.hosts_by_name.get(host_name)
        return host is not None and (self.covers(host) or (self.depends_on(host) and self.depends_on(ref)))

    def events(self, events: Iterable[Event]) -> list[Event]:
        """Return the events of entities that this scope concerns, and those of no entity, at any time."""
        if not self.chosen:
            return list(events)
        found = ((one, TimeRange(one.at, max(one.at, one.until))) for one in events)
        return [one for one, when in found if one.entity is None or self.concerns(one.entity, (when,))]

    def concerns_finding(self, finding: Finding) -> bool:
        """True if the finding is about this scope's entities, at whatever time."""
        if self.concerns(finding.entity, self._touched(finding.windows)):
            return True
        return finding.consequence_of is not None and self.covers(finding.consequence_of[1])

    def is_in_time(self, times: Collection[TimeRange]) -> bool:
        """True if any of ``times`` touches the window; True if there are none."""
        return not times or any(self._in_window(one) is not None for one in times)

    @cached_property
    def users(self) -> Collection[EntityRef]:
        """The VMs with disks on the devices and datastores that were chosen."""
        chosen = {ref for ref in self.chosen if ref.kind in {"device", "datastore"}}
        if not chosen:
            return ()
        stored = {needed for ref in chosen for needed, _ in self._same_storage(ref)} | chosen
        vms = [ref for ref in self.snapshot.entities if ref.kind == "vm"]
        return [vm for vm in vms if any(one in stored for one, _ in self._needs_of(vm))]

    @cached_property
    def _vms_of_parts(self) -> Collection[EntityRef]:
        return {vm for ref in self.chosen if (vm := self._vm_of(ref)) is not None}

    def _touched(self, times: Sequence[TimeRange]) -> Sequence[TimeRange]:
        """Return the parts of ``times`` in the window; all of ``times`` if none is."""
        inside = [part for one in times if (part := self._in_window(one)) is not None]
        return inside or times

    def owners(self, ref: EntityRef) -> Iterator[EntityRef]:
        """Yield what an entity is directly below in the window: hosts in order of time, pools, parent."""
        entity = self.snapshot.entities.get(ref)
        parent = entity.parent if entity is not None else None
        if ref.kind == "vm":
            relations = self.snapshot.records.relations
            placed = hosts_during(relations, ref)
            stays = [*placed, *pools_during(relations, ref)]
            yield from (above for above, when in stays if self._in_window(when) is not None)
            if placed and parent is not None and parent.kind == "host":
                return  # the parent is where the session first met the VM
        if parent is not None:
            yield parent

    def _seen_by(self, series: Series, names: Mapping[int, str], belongs: _Belongs) -> bool:
        """True if a device that hosts share was measured by a host that ``belongs``."""
        if not is_shared(series.entity, self.snapshot):
            return False
        host = self.snapshot.hosts_by_name.get(seen_by(series, names))
        return host is not None and belongs(host)

    def _in_window(self, when: TimeRange) -> TimeRange | None:
        return when if self.window is None else self.window.intersect(when)

    @cached_property
    def _needed(self) -> Mapping[EntityRef, Sequence[TimeRange]]:
        """What covered entities depend on, with the times when they did."""
        found: dict[EntityRef, list[TimeRange]] = {}
        for ref in self.chosen:
            for needed, when in self._needs_of(ref):
                found.setdefault(needed, []).append(when)
        return found

    def _needs_of(self, ref: EntityRef) -> Iterator[tuple[EntityRef, TimeRange]]:
        if ref.kind in {"host", "cluster", "pool", "vcenter"}:
            for below in self._vms_below(ref):
                yield from self._needs_of(below)
            return
        if ref.kind in {"device", "datastore"}:
            yield from self._same_storage(ref)
            return
        vm = self._vm_of(ref)
        if vm is None:
            return
        hosts = hosts_during(self.snapshot.records.relations, vm) or [
            (above, _EVER) for above in self.owners(vm) if above.kind == "host"
        ]
        yield from hosts
        if ref.kind in _DISKS:
            yield from self._storage_of(vm, ref, hosts)
        if ref.kind in _PORTS:
            yield from self._uplinks_of(ref, hosts)

    def _vm_of(self, ref: EntityRef) -> EntityRef | None:
        """Return the VM that an entity is or is a part of."""
        above: EntityRef | None = ref
        for _ in range(_DEEPEST_PART):
            if above is None or above.kind == "vm":
                return above
            entity = self.snapshot.entities.get(above)
            above = entity.parent if entity is not None else None
        return None

    def _vms_below(self, ref: EntityRef) -> Iterator[EntityRef]:
        below = ScopeFilter(frozenset((ref,)), self.window, self.snapshot)
        return (one for one in self.snapshot.entities if one.kind == "vm" and below.covers(one))

    def _storage_of(
        self, vm: EntityRef, part: EntityRef, hosts: Sequence[tuple[EntityRef, TimeRange]]
    ) -> Iterator[tuple[EntityRef, TimeRange]]:
        """Yield the devices and datastores that hold a VM's disks, or the one disk ``part``."""
        snapshot = self.snapshot
        entity = snapshot.entities.get(part)
        disk = entity.name if entity is not None and part.kind == "vdisk" else ""
        for store, when in datastores_during(snapshot.records.relations, vm, disk):
            yield store, when
            yield from ((device, when) for device in snapshot.devices_of.get(store, ()))
        owners = {None, *(host for host, _ in hosts)}
        for name in snapshot.series_index.devices_used.get(vm, ()):
            for ref in snapshot.entity_index.storage_named.get(name, ()):
                if snapshot.entities[ref].parent in owners:
                    yield ref, _EVER
                    yield from datastores_during(snapshot.records.relations, ref)

    def _same_storage(self, ref: EntityRef) -> Iterator[tuple[EntityRef, TimeRange]]:
        """Yield the datastore on a device, or the devices of a datastore."""
        if ref.kind == "device":
            yield from datastores_during(self.snapshot.records.relations, ref)
        yield from ((device, _EVER) for device in self.snapshot.devices_of.get(ref, ()))

    def _uplinks_of(
        self, part: EntityRef, hosts: Sequence[tuple[EntityRef, TimeRange]]
    ) -> Iterator[tuple[EntityRef, TimeRange]]:
        """Yield the uplinks of the virtual switches that a VM's ports (or the one port ``part``) are on.

        esxtop names a port ``vSwitch1:50331654`` after its switch.
        """
        snapshot = self.snapshot
        ports = [part] if part.kind == "port" else [one.ref for one in snapshot.children.get(part, ())]
        names = {snapshot.name(one).rpartition(":")[0] for one in ports if one.kind == "port"} - {""}
        for host, when in hosts if names else ():
            for one in snapshot.children.get(host, ()):
                if one.ref.kind == "nic" and switch_of(snapshot.records.relations, one.ref) in names:
                    yield one.ref, when


def scope_filter(scope: Scope, snapshot: Snapshot) -> ScopeFilter:
    """Return the filter of a scope in a session, over the window that the scope shows."""
    return ScopeFilter(frozenset(scope.entities), scope.window_in(snapshot.span) or scope.window, snapshot)
