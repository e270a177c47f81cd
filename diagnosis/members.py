"""The series behind a signal: which entities count for each entity that is judged, and during which times."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from diagnosis.compiled import OF_HOST, OF_USER
from diagnosis.placement import Periods, joined_periods, shared_periods, within_periods
from diagnosis.topology import Placed, Topology, host_told_of
from resources.problem_cards import Signal
from sessions.model import EntityRef, FloatArray, IntArray

_ABSENT = -1
_STORAGE = ("datastore", "device")
_KERNEL = re.compile(r"\bvmk\d+\b")
_FIRST = re.compile(r"\bvmk0\b")
_Tables = list[tuple[str, Mapping[EntityRef, Mapping[str, int]]]]


@dataclass(frozen=True, eq=False)
class Members:
    """The series behind a signal.

    Member m belongs to unit ``row[m]`` (ascending) and reads the series ``ids[name][m]``, −1 for none.

    A unit is a set of rows with the same members: ``unit[r]`` is the unit of row r, ``units`` their number.
    Rows that were on one host all the time share the members of that host; every other row is a unit of its
    own. ``periods`` holds the times of members that count only at times, because they or the row moved.
    """

    row: IntArray
    unit: IntArray
    units: int
    ids: dict[str, IntArray]
    refs: list[EntityRef]
    instances: list[str]
    sources: list[int]
    periods: Mapping[int, Periods]

    @cached_property
    def distinct(self) -> tuple[IntArray, IntArray]:
        """Which members differ in their series, and for every member which of those it is."""
        everyone = np.arange(self.row.size)
        if not self.ids or self.row.size < 2:
            return everyone, everyone
        series = np.stack(list(self.ids.values()), axis=1)
        _, first, place = np.unique(series, axis=0, return_index=True, return_inverse=True)
        if first.size == self.row.size:
            return everyone, everyone
        return first, place.reshape(-1)

    def on_host_values(self, values: FloatArray, times: IntArray) -> FloatArray:
        """Return the members' values (members, times) with NaN at the times at which a
        member does not count.
        """
        if not self.periods:
            return values
        result = np.array(values)
        for member, periods in self.periods.items():
            result[member, ~within_periods(times, periods)] = np.nan
        return result


@dataclass(slots=True)
class _Found:
    row: list[int] = field(default_factory=list)
    ids: dict[str, list[int]] = field(default_factory=dict)
    refs: list[EntityRef] = field(default_factory=list)
    instances: list[str] = field(default_factory=list)
    sources: list[int] = field(default_factory=list)
    periods: list[Periods | None] = field(default_factory=list)

    def append(self, row: int, placed: Placed, instance: str, source: int, ids: Mapping[str, int]) -> None:
        self.row.append(row)
        self.refs.append(placed.ref)
        self.instances.append(instance)
        self.sources.append(source)
        self.periods.append(placed.periods)
        for name, held in self.ids.items():
            held.append(ids.get(name, _ABSENT))

    def freeze(self, unit: Sequence[int]) -> Members:
        """The members in the order of their units; ``unit`` says which unit each row of the scene has."""
        order = sorted(range(len(self.row)), key=self.row.__getitem__)
        return Members(
            row=np.array([self.row[one] for one in order], dtype=np.int64),
            unit=np.array(unit, dtype=np.int64),
            units=max(unit, default=-1) + 1,
            ids={
                name: np.array([ids[one] for one in order], dtype=np.int64) for name, ids in self.ids.items()
            },
            refs=[self.refs[one] for one in order],
            instances=[self.instances[one] for one in order],
            sources=[self.sources[one] for one in order],
            periods={
                place: periods
                for place, one in enumerate(order)
                if (periods := self.periods[one]) is not None
            },
        )


def members_of(
    topology: Topology, signal: Signal, counters: Mapping[str, str], source: int, rows: Sequence[EntityRef]
) -> Members:
    """Return the series that a signal is made of, for each of the rows; a row may have none.

    ``counters``: local name → counter key.
    """
    return _Gathering(topology, signal, counters, source).members(rows)


class _Gathering:
    def __init__(self, topology: Topology, signal: Signal, counters: Mapping[str, str], source: int) -> None:
        self._topology, self._signal, self._counters, self._source = topology, signal, counters, source
        self._scope = signal.of or "self"
        self._found = _Found(ids={name: [] for name in counters})

    def members(self, rows: Sequence[EntityRef]) -> Members:
        if self._scope == "elsewhere":
            self._collect_of([self._elsewhere(ref) for ref in rows])
        elif self._scope == "guest":
            self._collect_of([self._guests(ref) for ref in rows])
        elif self._scope == "users":
            met: set[tuple[int, EntityRef, EntityRef | None]] = set()
            sources: Sequence[int] = self._topology.sources
            if self._topology.seen_twice:
                sources = sorted(sources, key=lambda one: one != self._source)
            for other in sources:
                self._collect_users(other, rows, met)
        elif self._scope.partition(".")[0] != "host" or self._signal.depends_on_self:
            self._collect(self._source, [self._in_scope(ref) for ref in rows])
        else:
            return self._by_host(rows)
        return self._found.freeze(range(len(rows)))

    def _by_host(self, rows: Sequence[EntityRef]) -> Members:
        """What is the host's is gathered once for all rows with the same stays."""
        stays = [self._topology.stays(self._source, ref) for ref in rows]
        keys = [known[0].host if len(known) == 1 else known for known in stays]
        first: dict[object, int] = {}
        for row, key in enumerate(keys):
            first.setdefault(key, row)
        self._collect(self._source, [self._in_scope(rows[row]) for row in first.values()])
        units = {key: number for number, key in enumerate(first)}
        return self._found.freeze([units[key] for key in keys])

    def _in_scope(self, ref: EntityRef) -> Sequence[Placed]:
        if self._scope == "self":
            return self._chosen(ref, [Placed(ref)])
        if self._scope == "hosts":
            return self._chosen(ref, self._topology.below(self._source, ref, "host"))
        if self._scope == "vsan":
            return self._chosen(ref, self._vsan_parts(ref))
        host, _, kind = self._scope.rpartition(".")
        if self._scope == "host":
            return self._topology.hosts(self._source, ref)
        bases = self._topology.hosts(self._source, ref) if host else [Placed(ref)]
        if len(bases) == 1:
            return self._chosen(ref, self._topology.below(self._source, bases[0].ref, kind))
        found: dict[EntityRef, Periods | None] = {}
        for base in bases:
            for one in self._topology.below(self._source, base.ref, kind):
                periods = shared_periods(base.periods, one.periods)
                found[one.ref] = joined_periods(found.get(one.ref, ()), periods)
        return self._chosen(ref, [Placed(one, periods) for one, periods in found.items() if periods != ()])

    def _vsan_parts(self, ref: EntityRef) -> Sequence[Placed]:
        """What the vSAN performance service tells of the parts of a vSAN datastore, of a host, or of the host
        of such a part.
        """
        if ref.kind == "datastore":
            return self._parts_of_stores({self._topology.base(ref).key})
        host = self._topology.host(self._source, ref)
        own = self._topology.below(self._source, host, "vsan") if host else ()
        if ref.kind != "host" or not self._signal.others:
            return own
        store, mine = self._topology.texts("datastore"), {one.ref for one in own}
        stores = {str(store[one]) for one in mine if one in store}
        return [one for one in self._parts_of_stores(stores) if one.ref not in mine]

    def _parts_of_stores(self, keys: Collection[str]) -> list[Placed]:
        store = self._topology.texts("datastore")
        return [Placed(one) for one in self._topology.rows(self._source, "vsan") if store.get(one) in keys]

    def _chosen(self, ref: EntityRef, found: Sequence[Placed]) -> Sequence[Placed]:
        """Those that the signal asks for by name, fact, or as others than the entity itself."""
        signal = self._signal
        if signal.others:
            own = {ref, *(one.ref for one in self._parts_of_vm(ref))}
            found = [one for one in found if one.ref not in own]
        if signal.where_name:
            wanted = re.compile(signal.where_name)
            found = [one for one in found if wanted.fullmatch(self._topology.entity(one.ref).name)]
        if signal.same_prefix:
            prefix = self._topology.entity(ref).name[: signal.same_prefix]
            found = [one for one in found if self._topology.entity(one.ref).name.startswith(prefix)]
        if signal.same_fact:
            known = self._topology.texts(signal.same_fact)
            found = [one for one in found if known.get(one.ref) == known.get(ref)]
        if signal.other_fact:
            known = self._topology.texts(signal.other_fact)
            found = [one for one in found if known.get(one.ref) != known.get(ref)]
        return self._on_its_switches(ref, found) if signal.same_switch else found

    def _parts_of_vm(self, ref: EntityRef) -> Sequence[Placed]:
        """What a VM has of the kind that the signal asks for on its host: disks, ports."""
        kind = self._scope.rpartition(".")[2]
        return self._topology.below(self._source, ref, kind) if ref.kind == "vm" else ()

    def _on_its_switches(self, ref: EntityRef, found: Sequence[Placed]) -> Sequence[Placed]:
        """The uplinks that serve the entity's own ports, none where nothing says which these are; of an
        uplink the ports of its own switch, and those of which nothing says where they are.
        """
        of_uplink, of_port = (self._topology.texts(fact) for fact in ("nic.switch", "port.switch"))
        if ref.kind == "nic":
            own = of_uplink.get(ref)
            return [port for port in found if own is None or of_port.get(port.ref, own) == own]
        ports = self._kernel_ports(ref) if ref.kind in _STORAGE else self._own_ports(ref)
        switches = {of_port.get(port.ref) for port in ports} - {None}
        every = {of_uplink.get(uplink.ref) for uplink in found}
        if not switches and (len(every) == 1 or ref.kind in _STORAGE):
            return found
        return [uplink for uplink in found if of_uplink.get(uplink.ref) in switches]

    def _own_ports(self, ref: EntityRef) -> Sequence[Placed]:
        return self._topology.below(self._source, ref, "port")

    def _kernel_ports(self, ref: EntityRef) -> Sequence[Placed]:
        """The ports over which the entity's host reaches storage: its VMkernel's, but for the first one where
        there are others, which is the management's.
        """
        host = self._topology.host(self._source, ref)
        ports = self._topology.below(self._source, host, "port") if host else ()
        kernel = [one for one in ports if _KERNEL.search(self._topology.entity(one.ref).name)]
        return [one for one in kernel if not _FIRST.search(self._topology.entity(one.ref).name)] or kernel

    def _collect(self, source: int, scoped: Sequence[Iterable[Placed]]) -> None:
        own, of_host = self._tables(source)
        each = self._signal.each_instance or bool(self._signal.where_instance)
        wanted = re.compile(self._signal.where_instance or ".*", re.DOTALL)
        for row, some in enumerate(scoped):
            for placed in some:
                present = [(name, table[placed.ref]) for name, table in own if placed.ref in table]
                if not present:
                    continue
                if each:
                    every = {one for _, held in present for one in held if one}
                    instances = sorted(one for one in every if wanted.fullmatch(one))
                else:
                    instances = [""] if any("" in held for _, held in present) else []
                above = self._of_host(source, placed.ref, of_host) if of_host else {}
                for instance in instances:
                    ids = {name: held[instance] for name, held in present if instance in held}
                    self._found.append(row, placed, instance, source, {**above, **ids})

    def _of_host(self, source: int, ref: EntityRef, tables: _Tables) -> Mapping[str, int]:
        """The series of the host that a member is on, the longest time of the window."""
        host = self._topology.host(source, ref)
        held = [(name, table.get(host, {})) for name, table in tables] if host else []
        return {name: series[""] for name, series in held if "" in series}

    def _tables(self, source: int) -> tuple[_Tables, _Tables]:
        """The series of the members' own counters, and of those of their hosts, by local name."""
        own: _Tables = []
        of_host: _Tables = []
        for name, key in self._counters.items():
            bare = key.removeprefix(OF_HOST)
            (own if bare == key else of_host).append((name, self._topology.series.of_counter(source, bare)))
        return own, of_host

    def _collect_of(self, views: Sequence[Sequence[tuple[int, EntityRef]]]) -> None:
        """Collect what other sources have; (source, entity) for each row."""
        for other in sorted({number for seen in views for number, _ in seen}):
            self._collect(other, [[Placed(ref) for number, ref in seen if number == other] for seen in views])

    def _guests(self, ref: EntityRef) -> list[tuple[int, EntityRef]]:
        """The guest of a VM, or of each VM of a host; (source, entity)."""
        vms = (
            [ref] if ref.kind == "vm" else [one.ref for one in self._topology.below(self._source, ref, "vm")]
        )
        known = [self._topology.guests.get(one, ()) for vm in vms for one in (vm, self._topology.base(vm))]
        guests = dict.fromkeys(guest for some in known for guest in some)
        return [pair for guest in guests for pair in self._topology.views(guest)]

    def _elsewhere(self, ref: EntityRef) -> list[tuple[int, EntityRef]]:
        """The same entity as other hosts see it, each host's view once; (source, entity)."""
        met = {self._topology.host(self._source, ref)}
        found = []
        for number, view in sorted(self._topology.views(ref), key=lambda one: one[0] != self._source):
            host = self._topology.host(number, view)
            if (number, view) != (self._source, ref) and (host is None or host not in met):
                met.add(host)
                found.append((number, view))
        return found

    def _collect_users(
        self, other: int, rows: Sequence[EntityRef], met: set[tuple[int, EntityRef, EntityRef | None]]
    ) -> None:
        """Collect the VMs of one source that use the rows' devices; those in ``met`` (row, VM, host or None
        for all hosts), which a source before it has, count once.
        """
        topology = self._topology
        tables = [(name, topology.series.of_users(other, key)) for name, key in self._counters.items()]
        whole = [
            (name, topology.series.of_counter(other, key.removeprefix(OF_USER)))
            for name, key in self._counters.items()
            if key.startswith(OF_USER)
        ]
        for row, ref in enumerate(rows):
            shared = self._topology.entity(self._topology.base(ref)).parent is None
            if not shared and other != self._source:  # another host's device of the same name
                continue
            instance = self._topology.entity(ref).name
            users = [(name, dict(table.get(instance, ()))) for name, table in tables]
            for user in sorted({one for _, held in users for one in held}):
                if user in topology.seen_twice:
                    base, own = topology.base(user), host_told_of(topology, other)
                    host = own or topology.host(other, user)
                    if (row, base, host) in met or (row, base, None) in met:
                        continue
                    met.update({(row, base, host), (row, base, own)})
                placed = Placed(user) if shared else self._user_on(other, user, ref)
                if placed:
                    ids = {name: held[user] for name, held in users if user in held}
                    ids.update((name, held[user][""]) for name, held in whole if "" in held.get(user, {}))
                    self._found.append(row, placed, instance, other, ids)

    def _user_on(self, source: int, user: EntityRef, device: EntityRef) -> Placed | None:
        """The user while it was on the device's host; None where it never was."""
        host = self._topology.host(self._source, device)
        hosts = self._topology.hosts(source, user)
        if host is None and not hosts:
            return Placed(user)
        return next((Placed(user, one.periods) for one in hosts if one.ref == host), None)
