"""Who belongs to whom in a window of a session: entities, what is above them, which host they were on."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from diagnosis.facts import FactTable
from diagnosis.placement import Periods, Placement, Stay, joined_periods
from diagnosis.series_index import SeriesIndex
from sessions.model import Entity, EntityRef, SampleSource, Series
from sessions.times import TimeRange

_SHARED = ("device", "datastore")
_SEEN_BY = "\n"  # between the key of what is shared and the host that sees it; no key has it
_DISK_PLACE = re.compile(r"vdisk\..*\.datastore")
_DEEPEST = 8  # parents of parents; a session is untrusted and may hold a cycle


@dataclass(frozen=True, slots=True)
class Placed:
    """An entity below another one, and in which times it was; None for always."""

    ref: EntityRef
    periods: Periods | None = None


class Topology:
    """The entities of a session, looked up by what belongs to what in a window; ``series`` has their series.

    A device or datastore that hosts share has one series a host in a vCenter's source, told apart by the
    host as instance. Each host's view of it is an entity of its own here (``base`` gives the shared one),
    so that a rule judges it on each host, as it does with a source for each host.
    """

    def __init__(self, source: SampleSource, counters: Collection[str], window: TimeRange) -> None:
        self._entities = dict(source.entities())
        self._facts = FactTable(source.facts(), window)
        self._placement = Placement(self._facts.named("host"), window)
        self._window = window
        self._bases: dict[EntityRef, EntityRef] = {}
        self._views: dict[tuple[EntityRef, str], EntityRef] = {}
        self._seen_from: dict[EntityRef, list[tuple[int, EntityRef]]] = {}
        self._in_source: dict[int, set[EntityRef]] = {}
        self._ancestors: dict[EntityRef, dict[str, EntityRef]] = {}
        self._groups: dict[int, dict[tuple[EntityRef | None, str], list[Placed]]] = {}
        self._stays: dict[tuple[int, EntityRef], tuple[Stay, ...]] = {}
        self._stored: dict[str, set[EntityRef]] | None = None
        self.series = SeriesIndex()
        self.sources = [one.id for one in source.sources()]
        for series in source.series(counters):
            self._add(series)
        for number, found in self._in_source.items():
            found.update([above for ref in list(found) for above in self.ancestors(ref).values()])
            for ref in sorted(found):
                self._seen_from.setdefault(self.base(ref), []).append((number, ref))

    def _add(self, series: Series) -> None:
        ref, instance = series.entity, series.spec.instance
        if instance and ref.kind in _SHARED:
            ref, instance = self._view(ref, instance)
        self.series.add(series.id, series.source, series.counter, ref, instance)
        self._in_source.setdefault(series.source, set()).add(ref)

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
        """The entity as the session has it: what is shared, for a host's view of it."""
        return self._bases.get(ref, ref)

    def entity(self, ref: EntityRef) -> Entity:
        """The entity; one that the session does not describe is named by its key."""
        return self._entities.get(ref) or Entity(ref, ref.key)

    def rows(self, source: int, kind: str) -> list[EntityRef]:
        """Entities of the kind that have a series in the source, or something below them has, in order."""
        return [placed.ref for placed in self._group(source).get((None, kind), ())]

    def below(self, source: int, above: EntityRef, kind: str) -> Sequence[Placed]:
        """Entities of the kind that are below another one, or were on that host in the window."""
        return self._group(source).get((above, kind), ())

    def ancestors(self, ref: EntityRef) -> dict[str, EntityRef]:
        """The nearest entity of each kind above, the entity itself included."""
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
        """The hosts that the entity was on in the window, by its placement or that of what it belongs to.

        An entity without a placement was always on the host that it hangs off, or on the source's only one.
        """
        if (source, ref) not in self._stays:
            self._stays[source, ref] = self._placement.stays(self.ancestors(ref).values()) or self._always(
                source, ref
            )
        return self._stays[source, ref]

    def _always(self, source: int, ref: EntityRef) -> tuple[Stay, ...]:
        above = self.ancestors(ref)
        hosts = [above["host"]] if "host" in above else self.rows(source, "host")
        return (Stay(hosts[0], self._window.start, self._window.end + 1),) if len(hosts) == 1 else ()

    def hosts(self, source: int, ref: EntityRef) -> list[Placed]:
        """The same as ``stays``, each host once, with its times where there are several."""
        stays = self.stays(source, ref)
        if len(stays) == 1:
            return [Placed(stays[0].host)]
        found: dict[EntityRef, Periods | None] = {}
        for stay in stays:
            found[stay.host] = joined_periods(found.get(stay.host, ()), ((stay.start, stay.end),))
        return [Placed(host, periods) for host, periods in found.items()]

    def host(self, source: int, ref: EntityRef, windows: Collection[TimeRange] = ()) -> EntityRef | None:
        """The host that the entity runs on or hangs off.

        One that moved: where it was for most of the time of ``windows`` (by default, of the whole window).
        """
        stays = self.stays(source, ref)
        asked = windows or (self._window,)
        return max(stays, key=lambda stay: stay.overlap_ms(asked)).host if stays else None

    def pool(self, ref: EntityRef) -> EntityRef | None:
        """The resource pool that a VM is in, where the session says so."""
        key = self._facts.latest("pool").get(ref)
        return EntityRef("pool", str(key)) if key is not None else None

    def _group(self, source: int) -> Mapping[tuple[EntityRef | None, str], Sequence[Placed]]:
        """Entities of a source by what is above them: (None, kind) is all of the kind."""
        if source in self._groups:
            return self._groups[source]
        groups: dict[tuple[EntityRef | None, str], list[Placed]] = {}
        self._groups[source] = groups
        found = sorted(self._in_source.get(source, ()))
        for ref in found:
            groups.setdefault((None, ref.kind), []).append(Placed(ref))
        for ref in found:
            for one in self._above(source, ref):
                groups.setdefault((one.ref, ref.kind), []).append(Placed(ref, one.periods))
        return groups

    def _above(self, source: int, ref: EntityRef) -> list[Placed]:
        """What the entity is below: its ancestors, and the hosts that it was on."""
        hosts = self.hosts(source, ref) if ref.kind != "host" else []
        above = [one for one in self.ancestors(ref).values() if one != ref]
        return [*(Placed(one) for one in above if one.kind != "host" or not hosts), *hosts]

    def facts(self, name: str, refs: Iterable[EntityRef]) -> list[float]:
        """The fact's value for each entity at the end of the window; NaN where there is none."""
        return self._facts.numbers(name, (self.base(ref) for ref in refs))

    def texts(self, name: str) -> Mapping[EntityRef, str | float | bool]:
        """The fact's value at the end of the window for every entity of which it is known."""
        return self._facts.latest(name)

    def stored_on(self, ref: EntityRef) -> Collection[EntityRef]:
        """VMs with disks on a device or datastore, as far as the session says so."""
        base = self.base(ref)
        if base.kind not in _SHARED:
            return ()
        if self._stored is None:
            self._stored = {}
            for fact in self._facts.holding(_DISK_PLACE):
                self._stored.setdefault(str(fact.value), set()).add(fact.entity)
        stores = {base.key} if base.kind == "datastore" else {str(self.texts("device.datastore").get(base))}
        users = self.series.users(self.entity(base).name)
        return users.union(*(self._stored.get(store, ()) for store in stores))

    def entities_in(self, source: int) -> Collection[EntityRef]:
        """Entities that have a series in the source, and all above them."""
        return self._in_source.get(source, ())

    def views(self, ref: EntityRef) -> Sequence[tuple[int, EntityRef]]:
        """Where the same entity is seen: (source, the entity or a host's view of it)."""
        return self._seen_from.get(self.base(ref), ())
