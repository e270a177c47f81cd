"""The rows of a screen of the esxtop view in a session, and the series that each cell shows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from resources.catalogue import Catalogue
from resources.views import Screen
from sessions.distinct import distinct
from sessions.model import Entity, EntityRef, IntArray, Series
from sessions.times import TimeRange
from viewmodels.entity_limits import EntityLimits
from viewmodels.esxtop_columns import columns_of, split_instance, tails_of, with_class_limits
from viewmodels.esxtop_table import Row, RowLimits, TableColumn
from viewmodels.scope_filter import ScopeFilter
from viewmodels.shared_devices import is_shared, seen_by, source_names
from viewmodels.snapshot import USUAL_INTERVAL_S, Snapshot, is_own

Key = tuple[str, str]
"""Identifies a column: its counter, and its numbered state (``C0``) if the counter has several."""
Cells = Mapping[Key, int]
"""The series id of each cell of a row, by column."""


@dataclass(frozen=True)
class Grid:
    """A screen's rows and columns, and the series id that each cell shows: ``ids`` (rows, columns), 0 for
    none.

    ``loads`` are series ids (rows,) by counter: without that load on the row, limits do not apply. ``limits``
    are those of the rows, by column's place, where rows have limits of their class of storage.
    """

    rows: tuple[Row, ...]
    columns: tuple[TableColumn, ...]
    ids: IntArray
    loads: Mapping[str, IntArray] = field(default_factory=dict)
    limits: Mapping[int, RowLimits] = field(default_factory=dict)

    @property
    def series(self) -> IntArray:
        """The ids of all series that the grid needs, in increasing order."""
        found: IntArray = distinct(np.concatenate([self.ids.ravel(), *self.loads.values()]))
        return found[found > 0]


NO_ROWS = Grid((), (), np.zeros((0, 0), np.int64))


@dataclass(frozen=True, slots=True)
class ScreenOptions:
    """What the user chose for a screen: VMs only, a filter of names, expanded rows, columns, the scope.

    ``counters`` are the columns (empty: the screen's own). Rows are those of the scope: of its entities
    ``chosen`` (empty: all) in its ``window``.
    """

    only_vms: bool = False
    name_filter: str = ""
    expanded: frozenset[EntityRef] = frozenset()
    counters: tuple[str, ...] = ()
    chosen: frozenset[EntityRef] = frozenset()
    window: TimeRange | None = None

    @property
    def is_filter(self) -> bool:
        """True if these options hide rows."""
        return self.only_vms or bool(self.name_filter) or bool(self.chosen)


def grid_of(
    screen: Screen, snapshot: Snapshot, options: ScreenOptions, catalogue: Catalogue, limits: EntityLimits
) -> Grid:
    """Return a screen's grid: entities of its kinds with any number, and columns for which any row has a
    series.
    """
    tails = tails_of(screen, snapshot, catalogue)
    counters = options.counters or screen.standard
    columns = columns_of(counters, screen.kinds[0], catalogue, limits.general, tails, screen.deciding)
    keys = [column.key for column in columns]
    rows: list[Row] = []
    ids: list[list[int]] = []
    loads = list(dict.fromkeys(column.load for column in columns if column.load))
    wanted = [*keys, *((load, "") for load in loads)]
    for row, cells in _rows(screen, snapshot, frozenset(wanted), options):
        rows.append(row)
        ids.append([cells.get(key, 0) for key in wanted])
    table = np.array(ids, np.int64).reshape(len(rows), len(wanted))
    some = np.flatnonzero((table[:, : len(keys)] > 0).any(axis=0))
    kept = [columns[number] for number in some.tolist()]
    of_rows = _row_limits(rows, [column.counter for column in kept], limits)
    for at, own in of_rows.items():
        kept[at] = with_class_limits(kept[at], own)
    by_load = dict(zip(loads, table.T[len(keys) :], strict=True))
    return Grid(tuple(rows), tuple(kept), table[:, some], by_load, of_rows)


def _row_limits(
    rows: Sequence[Row], counters: Sequence[str], limits: EntityLimits
) -> Mapping[int, RowLimits]:
    """Return the limits of rows, by column's place, for the columns where any row has those of a class."""
    places = [at for at, counter in enumerate(counters) if limits.depend_on_class(counter)]
    if not places:
        return {}
    group, first = limits.alike([row.ref for row in rows])
    found: dict[int, RowLimits] = {}
    for at in places:
        own = [limits.of(counters[at], ref) for ref in first]
        known = tuple(dict.fromkeys(one for one in own if one is not None))
        if any(one.because for one in known):
            which = np.array([-1 if one is None else known.index(one) for one in own])[group]
            found[at] = RowLimits(which, known)
    return found


def why_no_rows(screen: Screen, sources: Collection[str], catalogue: Catalogue) -> str:
    """Return a text that says why a session has no rows for a screen, and how to get them.

    ``sources`` are the kinds of the session's sources.
    """
    if not set(sources) <= {"vcenter", "esxi"}:
        return f"This session has no counters for the {screen.title} screen: esxtop writes all with -a."
    if any(known.vcenter for key in screen.standard if (known := catalogue.get(key))):
        return (
            f"This recording did not ask for the counters of the {screen.title} screen.\n\n"
            "Connect again and choose more counters."
        )
    return (
        f"vCenter does not count what the {screen.title} screen shows; esxtop does.\n\n"
        "On the host: esxtop -b -a -d 5 -n 720 > capture.csv; then drop the file here."
    )


def _rows(
    screen: Screen, snapshot: Snapshot, keys: Collection[Key], options: ScreenOptions
) -> Iterator[tuple[Row, Cells]]:
    search_words = options.name_filter.casefold().split()
    hosts = _hosts(snapshot)
    filtered = ScopeFilter(options.chosen, options.window, snapshot)
    only_vms = options.only_vms and "vm" in screen.kinds
    for entity in snapshot.entities.values():
        if entity.ref.kind not in screen.kinds or (only_vms and entity.ref.kind != "vm"):
            continue
        if entity.ref.kind == "world" and entity.parent is not None and entity.parent.kind != "host":
            continue
        if not all(word in _name(entity, snapshot).casefold() for word in search_words):
            continue
        if not (
            filtered.concerns(entity.ref)
            or filtered.has_part_of(entity.ref)
            or is_shared(entity.ref, snapshot)
        ):
            continue
        host = hosts.get(entity.ref)
        family = _family(screen, snapshot, entity, keys, host, expanded=entity.ref in options.expanded)
        for row, cells in family:
            if host is not None or filtered.concerns_view(entity.ref, row.host):
                yield row, cells


def _family(
    screen: Screen,
    snapshot: Snapshot,
    entity: Entity,
    keys: Collection[Key],
    on: EntityRef | None,
    *,
    expanded: bool,
) -> Iterator[tuple[Row, Cells]]:
    """Yield the row of an entity and, if ``expanded``, those of its parts.

    ``on`` is the entity's host; None for what several hosts share: each row then names the host that saw it.
    """
    host = snapshot.name(on) if on is not None else ""
    if screen.each:
        for name, cells in _by_instance(screen, snapshot.series_of.get(entity.ref, ()), keys).items():
            yield Row(entity.ref, name, host), cells
        return
    below = [one for one in snapshot.children.get(entity.ref, ()) if one.ref.kind in screen.below]
    name = _name(entity, snapshot)
    if on is not None:  # the host has a column of its own
        name = name.removeprefix(f"{host}/").removeprefix(f"{on.key}/")
    for source_host, cells in _by_source(snapshot, entity.ref, keys, screen.same, host).items():
        yield Row(entity.ref, name, host or source_host, expandable=bool(below)), cells
    if expanded:
        for child in below:
            for cells in _by_source(snapshot, child.ref, keys, screen.same, host).values():
                yield Row(child.ref, child.name, host, depth=1), cells


def _name(entity: Entity, snapshot: Snapshot) -> str:
    """Return the entity's name; for a VM's port, the VM's name before it (esxtop's USED-BY)."""
    owner = entity.parent
    if owner is None or owner.kind != "vm":
        return entity.name
    return f"{snapshot.name(owner)}  {entity.name}"


def _by_source(
    snapshot: Snapshot, ref: EntityRef, keys: Collection[Key], same: Mapping[str, str], host: str
) -> Mapping[str, Cells]:
    """Return an entity's own series by the host that measured them: a shared device has a row for
    each host. ``same``: a counter that stands in the column of another one.

    What is on a ``host`` has one row: of several sources the one of that host's own, and the finer, counts.
    """
    names = source_names(snapshot)
    found: dict[str, dict[Key, int]] = {}
    for series in _finest_first(snapshot, ref, host, names):
        key = (series.counter, "")
        if key not in keys:
            key = (same.get(series.counter, ""), "")
        if key in keys and is_own(series):
            found.setdefault(host or seen_by(series, names), {}).setdefault(key, series.id)
    return found


def _finest_first(
    snapshot: Snapshot, ref: EntityRef, host: str, names: Mapping[int, str]
) -> Sequence[Series]:
    series = snapshot.series_of.get(ref, ())
    if len({one.source for one in series}) < 2:
        return series
    usual = USUAL_INTERVAL_S
    return sorted(
        series,
        key=lambda one: (names.get(one.source) != host, snapshot.intervals.get(one.source, usual)),
    )


def _by_instance(screen: Screen, series: Sequence[Series], keys: Collection[Key]) -> Mapping[str, Cells]:
    """Return one row for each instance, by its name; ``PCPU 3 C0`` is column C0 of the row ``3``."""
    found: dict[str, dict[Key, int]] = {}
    for one in series:
        name, tail = split_instance(one.spec.instance)
        if (one.counter, tail) not in keys:
            name, tail = one.spec.instance, ""
        if name and (one.counter, tail) in keys:
            number = name.removeprefix(screen.instance).lstrip()
            row = f"{screen.instance} {number}".lstrip()
            found.setdefault(row, {}).setdefault((one.counter, tail), one.id)
    return found


def _hosts(snapshot: Snapshot) -> dict[EntityRef, EntityRef]:
    """Return the host of each entity, from facts and parents; entities that several hosts share are
    left out.
    """
    found: dict[EntityRef, EntityRef] = {}
    for ref, entity in snapshot.entities.items():
        host = ref if ref.kind == "host" else snapshot.host_of(ref)
        if host is None and entity.parent is not None:
            host = found.get(entity.parent)
        if host is not None:
            found[ref] = host
    return found
