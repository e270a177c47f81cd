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

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from sessions.findings import Finding
from sessions.model import EntityRef, Event, Series
from sessions.scope import Scope
from sessions.times import TimeRange
from viewmodels.carriers import EVER, carriers_of, is_below, same_storage, vm_of
from viewmodels.shared_devices import is_shared, seen_by, source_names
from viewmodels.snapshot import Snapshot

_Belongs = Callable[[EntityRef], bool]


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
            self._known[ref] = is_below(ref, self.chosen, self.snapshot, self.window)
        return self._known[ref]

    @cached_property
    def _known(self) -> dict[EntityRef, bool]:
        """Answers of ``covers`` that were worked out before: a session has many series of each entity."""
        return {}

    def depends_on(self, ref: EntityRef, times: Iterable[TimeRange] = ()) -> bool:
        """True if a covered entity depended on this one in the window, and at one of ``times`` if given."""
        wanted = tuple(times) or (EVER,)
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
        host = self.snapshot.entity_index.hosts_by_name.get(host_name)
        return host is not None and (self.covers(host) or (self.depends_on(host) and self.depends_on(ref)))

    def events(self, events: Iterable[Event]) -> list[Event]:
        """Return the events of entities that this scope concerns, and those of no entity, at any time."""
        if not self.chosen:
            return list(events)
        found = ((one, TimeRange(one.at, max(one.at, one.until))) for one in events)
        return [one for one, when in found if one.entity is None or self.concerns(one.entity, (when,))]

    def concerns_finding(self, finding: Finding) -> bool:
        """True if the finding is about this scope's entities, at whatever time."""
        if self.concerns(finding.entity, self._touched(finding.windows)) or self.has_part_of(finding.entity):
            return True  # what a VM suffers, its vCPUs and disks suffer
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
        stored = {needed for ref in chosen for needed, _ in same_storage(ref, self.snapshot)} | chosen
        vms = [ref for ref in self.snapshot.entities if ref.kind == "vm"]
        return [
            vm for vm in vms if any(one in stored for one, _ in carriers_of(vm, self.snapshot, self.window))
        ]

    @cached_property
    def _vms_of_parts(self) -> Collection[EntityRef]:
        return {vm for ref in self.chosen if (vm := vm_of(ref, self.snapshot)) is not None}

    def _touched(self, times: Sequence[TimeRange]) -> Sequence[TimeRange]:
        """Return the parts of ``times`` in the window; all of ``times`` if none is."""
        inside = [part for one in times if (part := self._in_window(one)) is not None]
        return inside or times

    def _seen_by(self, series: Series, names: Mapping[int, str], belongs: _Belongs) -> bool:
        """True if a device that hosts share was measured by a host that ``belongs``."""
        if not is_shared(series.entity, self.snapshot):
            return False
        host = self.snapshot.entity_index.hosts_by_name.get(seen_by(series, names))
        return host is not None and belongs(host)

    def _in_window(self, when: TimeRange) -> TimeRange | None:
        return when if self.window is None else self.window.intersect(when)

    @cached_property
    def _needed(self) -> Mapping[EntityRef, Sequence[TimeRange]]:
        """What covered entities depend on, with the times when they did."""
        found: dict[EntityRef, list[TimeRange]] = {}
        for ref in self.chosen:
            for needed, when in carriers_of(ref, self.snapshot, self.window):
                found.setdefault(needed, []).append(when)
        return found


def scope_filter(scope: Scope, snapshot: Snapshot) -> ScopeFilter:
    """Return the filter of a scope in a session, over the window that the scope shows."""
    return ScopeFilter(frozenset(scope.entities), scope.window_in(snapshot.span) or scope.window, snapshot)
