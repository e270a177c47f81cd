"""The series behind a signal: which entities count for each entity that is judged, and during which times."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np

from diagnosis.compiled import OF_HOST, OF_USER
from diagnosis.placement import Periods, within_periods
from diagnosis.reduction import Groups
from diagnosis.signal_scope import Scope, only_others
from diagnosis.topology import Placed, Topology, host_told_of
from resources.problem_cards import Signal
from sessions.model import EntityRef, FloatArray, IntArray

_ABSENT = -1
_FEW = 4096
_MOST_KEPT = 4096
"""Signals whose members are kept: those of a small session's rules are a thousand."""
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
    def groups(self) -> Groups:
        """Which members are of which unit."""
        return Groups(self.row, self.units)

    @cached_property
    def distinct(self) -> tuple[IntArray, IntArray]:
        """Which members differ in their series, and for every member which of those it is."""
        everyone = np.arange(self.row.size)
        if not self.ids or self._are_all_distinct:
            return everyone, everyone
        series = np.zeros(self.row.size, np.int64)
        for ids in self.ids.values():  # one number for what the columns so far have, in their order
            _, series = np.unique(series * (ids.max() + 2) + ids + 1, return_inverse=True)
        _, first, place = np.unique(series, return_index=True, return_inverse=True)
        if first.size == self.row.size:
            return everyone, everyone
        return first, place.reshape(-1)

    @property
    def _are_all_distinct(self) -> bool:
        """True if no member counts for two units; where one does, the first members mostly show it."""
        whose = zip(self.refs, self.instances, self.sources, strict=True)
        some = [*islice(whose, _FEW)]
        return len({*some}) == len(some) and len({*some, *whose}) == self.row.size

    @cached_property
    def once(self) -> tuple[Mapping[str, IntArray], Sequence[EntityRef]]:
        """The series and the entities of those members that differ, each once."""
        first, place = self.distinct
        if first is place:
            return self.ids, self.refs
        return {name: ids[first] for name, ids in self.ids.items()}, [
            self.refs[one] for one in first.tolist()
        ]

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


class _Found:
    """Members as they are found, column by column; ``names`` are the local names of their counters."""

    def __init__(self, names: Iterable[str]) -> None:
        self.row: list[int] = []
        self.ids: dict[str, list[int]] = {name: [] for name in names}
        self.refs: list[EntityRef] = []
        self.instances: list[str] = []
        self.sources: list[int] = []
        self.periods: list[Periods | None] = []

    def append(self, row: int, placed: Placed, instance: str, source: int, ids: Mapping[str, int]) -> None:
        """Add one member."""
        self.row.append(row)
        self.refs.append(placed.ref)
        self.instances.append(instance)
        self.sources.append(source)
        self.periods.append(placed.periods)
        for name, held in self.ids.items():
            held.append(ids.get(name, _ABSENT))

    def extend(
        self, row: Sequence[int], placed: Sequence[Placed], source: int, ids: Mapping[str, Sequence[int]]
    ) -> None:
        """Add members without instances; ``ids`` has a column for each name."""
        self.row += row
        self.refs += [one.ref for one in placed]
        self.instances += [""] * len(placed)
        self.sources += [source] * len(placed)
        self.periods += [one.periods for one in placed]
        for name, held in self.ids.items():
            held.extend(ids[name])

    def extend_but(self, row: int, others: _Found, left_out: Sequence[int]) -> None:
        """Add all members of ``others`` to a row, but for those at the places ``left_out``, ascending."""
        start = 0
        for end in (*left_out, len(others.row)):
            part = slice(start, end)
            self.row += [row] * (end - start)
            self.refs += others.refs[part]
            self.instances += others.instances[part]
            self.sources += others.sources[part]
            self.periods += others.periods[part]
            for name, held in self.ids.items():
                held.extend(others.ids[name][part])
            start = end + 1

    def freeze(self, unit: Sequence[int]) -> Members:
        """The members in the order of their units; ``unit`` says which unit each row of the scene has."""
        row = np.array(self.row, dtype=np.int64)
        if not (row[1:] >= row[:-1]).all():
            order = np.argsort(row, kind="stable").tolist()
            row = row[order]
            self.ids = {name: [ids[one] for one in order] for name, ids in self.ids.items()}
            self.refs = [self.refs[one] for one in order]
            self.instances = [self.instances[one] for one in order]
            self.sources = [self.sources[one] for one in order]
            self.periods = [self.periods[one] for one in order]
        return Members(
            row=row,
            unit=np.array(unit, dtype=np.int64),
            units=max(unit, default=-1) + 1,
            ids={name: np.array(ids, dtype=np.int64) for name, ids in self.ids.items()},
            refs=self.refs,
            instances=self.instances,
            sources=self.sources,
            periods={place: one for place, one in enumerate(self.periods) if one is not None},
        )


_Filters = tuple[str | int, ...]


def _filters(signal: Signal) -> _Filters:
    """All by which a signal says whose counters it reads."""
    return (
        signal.of, signal.others, signal.each_instance, signal.where_instance, signal.where_name,
        signal.same_prefix, signal.same_fact, signal.other_fact, signal.same_switch,
    )  # fmt: skip


class MemberBook:
    """Looks up the members of signals in one session, each once: signals of many rules have the same."""

    def __init__(self, topology: Topology) -> None:
        self._topology = topology
        self._placed: dict[tuple[_Filters, int], dict[EntityRef, Sequence[Placed]]] = {}
        self._members: dict[tuple[object, ...], Members] = {}

    def of(
        self, signal: Signal, counters: Mapping[str, str], source: int, rows: Sequence[EntityRef]
    ) -> Members:
        """Return the series that a signal is made of, for each of the rows; a row may have none.

        ``counters``: local name → counter key.
        """
        filters = _filters(signal)
        key = filters, tuple(counters.items()), source, tuple(rows)
        found = self._members.get(key)
        if found is None:
            if len(self._members) >= _MOST_KEPT:
                self._members.clear()
            placed = self._placed.setdefault((filters, source), {})
            found = _Gathering(self._topology, signal, counters, source, placed).members(rows)
            self._members[key] = found
        return found


class _Gathering:
    """``placed`` has what is in the scope of single rows, as far as it was looked up before."""

    def __init__(
        self,
        topology: Topology,
        signal: Signal,
        counters: Mapping[str, str],
        source: int,
        placed: dict[EntityRef, Sequence[Placed]],
    ) -> None:
        self._topology, self._signal, self._counters, self._source = topology, signal, counters, source
        self._scope = signal.of or "self"
        self._around = Scope(topology, signal, source)
        self._found = _Found(counters)
        self._placed = placed

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
        elif only_others(self._signal):
            self._others_by_host(rows)
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

    def _others_by_host(self, rows: Sequence[EntityRef]) -> None:
        """What is on a host is looked up once: each row that never moved has all of it but its own."""
        hosts = [self._topology.hosts(self._source, ref) for ref in rows]
        placed = zip(rows, hosts, strict=True)
        self._collect(self._source, [() if len(some) == 1 else self._in_scope(ref) for ref, some in placed])
        known: dict[EntityRef, tuple[_Found, dict[EntityRef, list[int]]]] = {}
        for row, some in enumerate(hosts):
            if len(some) != 1:
                continue
            host = some[0].ref
            if host not in known:
                known[host] = self._all_on(host)
            everyone, places = known[host]
            own = sorted(at for one in self._around.own(rows[row]) for at in places.get(one, ()))
            self._found.extend_but(row, everyone, own)

    def _all_on(self, host: EntityRef) -> tuple[_Found, dict[EntityRef, list[int]]]:
        """All members on a host, and at which places each entity is."""
        gathering = _Gathering(self._topology, self._signal, self._counters, self._source, {})
        gathering._collect(self._source, [self._around.on_host(host)])
        places: dict[EntityRef, list[int]] = {}
        for place, ref in enumerate(gathering._found.refs):
            places.setdefault(ref, []).append(place)
        return gathering._found, places

    def _in_scope(self, ref: EntityRef) -> Sequence[Placed]:
        found = self._placed.get(ref)
        if found is None:
            found = self._placed[ref] = self._around.of(ref)
        return found

    def _collect(self, source: int, scoped: Sequence[Sequence[Placed]]) -> None:
        if self._signal.each_instance or self._signal.where_instance:
            self._collect_instances(source, scoped)
            return
        own: dict[str, list[int]] = {}
        of_host: _Tables = []
        rows = [row for row, some in enumerate(scoped) for _ in some]
        placed = [one for some in scoped for one in some]
        for name, key in self._counters.items():
            bare = key.removeprefix(OF_HOST)
            if bare == key:
                held = self._topology.series.alone(source, key)
                own[name] = [held.get(one.ref, _ABSENT) for one in placed]
            else:
                of_host.append((name, self._topology.series.of_counter(source, bare)))
        there = [place for place, ids in enumerate(zip(*own.values(), strict=True)) if max(ids) != _ABSENT]
        if len(there) < len(placed):
            rows, placed = [rows[one] for one in there], [placed[one] for one in there]
            own = {name: [ids[one] for one in there] for name, ids in own.items()}
        if of_host:
            above = [self._of_host(source, one.ref, of_host) for one in placed]
            own |= {name: [held.get(name, _ABSENT) for held in above] for name, _ in of_host}
        self._found.extend(rows, placed, source, own)

    def _collect_instances(self, source: int, scoped: Sequence[Iterable[Placed]]) -> None:
        """Collect every instance of the counters that the signal asks for as a member of its own."""
        own, of_host = self._tables(source)
        wanted = re.compile(self._signal.where_instance or ".*", re.DOTALL)
        for row, some in enumerate(scoped):
            for placed in some:
                present = [(name, table[placed.ref]) for name, table in own if placed.ref in table]
                if not present:
                    continue
                every = {one for _, held in present for one in held if one}
                above = self._of_host(source, placed.ref, of_host) if of_host else {}
                for instance in sorted(one for one in every if wanted.fullmatch(one)):
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
