"""Which rows and columns a screen of the esxtop view has in a session. Knows no Qt."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from resources.catalogue import Catalogue
from resources.units import format_value
from resources.views import Limits, Screen
from sessions.model import Entity, EntityRef, IntArray, Series
from viewmodels.esxtop_table import Column, Row
from viewmodels.snapshot import Snapshot, is_own

Key = tuple[str, str]
"""A column: its counter, and its tail where the counter has several."""
Cells = Mapping[Key, int]
"""The series of a row by column."""


@dataclass(frozen=True)
class Grid:
    """A screen's rows and columns, and which series each cell shows: ``ids`` (rows, columns), 0 for none."""

    rows: tuple[Row, ...]
    columns: tuple[Column, ...]
    ids: IntArray


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the user asked of a screen: VMs only, a filter, expanded rows, other columns."""

    only_vms: bool = False
    words: str = ""
    expanded: frozenset[EntityRef] = frozenset()
    fields: tuple[str, ...] = ()
    hosts: frozenset[str] = frozenset()


def grid_of(screen: Screen, snapshot: Snapshot, columns: Sequence[Column], wishes: Wishes) -> Grid:
    """Rows of all entities of the screen's kinds that have a number for any of its columns."""
    keys = [column.key for column in columns]
    rows: list[Row] = []
    ids: list[list[int]] = []
    for row, cells in _rows(screen, snapshot, frozenset(keys), wishes):
        rows.append(row)
        ids.append([cells.get(key, 0) for key in keys])
    table = np.array(ids, np.int64).reshape(len(rows), len(keys))
    return Grid(tuple(rows), tuple(columns), table)


def why_no_rows(screen: Screen, sources: Collection[str], catalogue: Catalogue) -> str:
    """Why a session of these kinds of sources has nothing for a screen, and what would have."""
    if not set(sources) <= {"vcenter", "esxi"}:
        return f"This session has no counters for the {screen.title} screen: esxtop writes all with -a."
    if any(known.vcenter for key in screen.columns if (known := catalogue.get(key))):
        return (
            f"This recording did not ask for the counters of the {screen.title} screen.\n\n"
            "Connect again and choose more counters."
        )
    return (
        f"vCenter does not count what the {screen.title} screen shows; esxtop does.\n\n"
        "On the host: esxtop -b -a -d 5 -n 720 > capture.csv; then drop the file here."
    )


def tails_of(screen: Screen, snapshot: Snapshot, catalogue: Catalogue) -> Mapping[str, Sequence[str]]:
    """The columns that a counter of numbered states has in this session: C0, C1 … of ``power.cstate``."""
    if not screen.each:
        return {}
    numbered = {key for key in screen.columns if _is_numbered(catalogue, key)}
    found: dict[str, set[str]] = {}
    for ref in snapshot.entities:
        if ref.kind in screen.kinds:
            for one in snapshot.series_of.get(ref, ()):
                if one.counter in numbered:
                    found.setdefault(one.counter, set()).add(_split(one.spec.instance)[1])
    return {key: sorted(tails, key=lambda tail: (len(tail), tail)) for key, tails in found.items()}


def columns_of(
    counters: Sequence[str],
    kind: str,
    catalogue: Catalogue,
    limits: Limits,
    tails: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> list[Column]:
    """The columns of these counters, with the limits that they have on entities of a kind.

    A counter with ``tails`` has a column for each of them.
    """
    found: list[Column] = []
    for key in counters:
        known = catalogue.get(key)
        if known is None:
            continue
        bounds = limits.of(key, kind)
        tip = [f"{known.label}, in {known.unit}", known.meaning]
        if bounds is not None:
            tip.append(f"Limit {format_value(bounds.warning.value, known.unit)} ({bounds.warning.source})")
        if bounds is not None and bounds.critical is not None:
            value = format_value(bounds.critical.value, known.unit)
            tip.append(f"Critical above {value} ({bounds.critical.source})")
        found += [
            Column(
                key,
                f"{known.unit}{tail}" if tail else known.short or known.label,
                known.unit,
                "\n".join(tip),
                bounds.warning.value if bounds else np.nan,
                bounds.critical.value if bounds and bounds.critical else np.nan,
                frozenset(of for (counter, of), same in limits.items() if counter == key and same == bounds),
                tail,
            )
            for tail in tails.get(key, ("",))
        ]
    return found


def _is_numbered(catalogue: Catalogue, key: str) -> bool:
    known = catalogue.get(key)
    return known is not None and any(spelling.tail for spelling in known.esxtop)


def _split(instance: str) -> tuple[str, str]:
    """``PCPU 3`` and ``C0`` of ``PCPU 3 C0``."""
    name, _, tail = instance.rpartition(" ")
    return name, tail


def _rows(
    screen: Screen, snapshot: Snapshot, keys: Collection[Key], wishes: Wishes
) -> Iterator[tuple[Row, Cells]]:
    words = wishes.words.casefold().split()
    hosts = _hosts(snapshot)
    only_vms = wishes.only_vms and "vm" in screen.kinds
    for entity in snapshot.entities.values():
        if entity.ref.kind not in screen.kinds or (only_vms and entity.ref.kind != "vm"):
            continue
        if entity.ref.kind == "world" and entity.parent is not None and entity.parent.kind != "host":
            continue
        if not all(word in _name(entity, snapshot).casefold() for word in words):
            continue
        family = _family(screen, snapshot, entity, keys, hosts, expanded=entity.ref in wishes.expanded)
        for row, cells in family:
            if not wishes.hosts or row.host in wishes.hosts:
                yield row, cells


def _family(
    screen: Screen,
    snapshot: Snapshot,
    entity: Entity,
    keys: Collection[Key],
    hosts: Mapping[EntityRef, str],
    *,
    expanded: bool,
) -> Iterator[tuple[Row, Cells]]:
    host = hosts.get(entity.ref, "")
    if screen.each:
        for name, cells in _by_instance(screen, snapshot.series_of.get(entity.ref, ()), keys).items():
            yield Row(entity.ref, name, host), cells
        return
    below = [one for one in snapshot.children.get(entity.ref, ()) if one.ref.kind in screen.below]
    name = _name(entity, snapshot).removeprefix(f"{host}/")  # the host has a column of its own
    for source_host, cells in _by_source(snapshot, entity.ref, keys).items():
        yield Row(entity.ref, name, host or source_host, expandable=bool(below)), cells
    if expanded:
        for child in below:
            for cells in _by_source(snapshot, child.ref, keys).values():
                yield Row(child.ref, child.name, host, depth=1), cells


def _name(entity: Entity, snapshot: Snapshot) -> str:
    """Its name; before that of a VM's port the VM, esxtop's USED-BY."""
    owner = entity.parent
    if owner is None or owner.kind != "vm":
        return entity.name
    return f"{snapshot.name(owner)}  {entity.name}"


def _by_source(snapshot: Snapshot, ref: EntityRef, keys: Collection[Key]) -> Mapping[str, Cells]:
    """An entity's plain series by the host that saw them: a shared device has a row for each."""
    names = {source.id: source.spec.name for source in snapshot.sources}
    found: dict[str, dict[Key, int]] = {}
    for series in snapshot.series_of.get(ref, ()):
        key = (series.counter, "")
        if key in keys and is_own(series):
            seen_by = series.spec.instance or names.get(series.source, "")
            found.setdefault(seen_by, {}).setdefault(key, series.id)
    return found


def _by_instance(screen: Screen, series: Sequence[Series], keys: Collection[Key]) -> Mapping[str, Cells]:
    """A row for each instance, by its name; ``PCPU 3 C0`` is the column C0 of the row of ``3``."""
    found: dict[str, dict[Key, int]] = {}
    for one in series:
        name, tail = _split(one.spec.instance)
        if (one.counter, tail) not in keys:
            name, tail = one.spec.instance, ""
        if name and (one.counter, tail) in keys:
            number = name.removeprefix(screen.instance).lstrip()
            row = f"{screen.instance} {number}".lstrip()
            found.setdefault(row, {}).setdefault((one.counter, tail), one.id)
    return found


def _hosts(snapshot: Snapshot) -> dict[EntityRef, str]:
    """The host on which each entity is, by facts and parents; empty for what several hosts share."""
    names: dict[EntityRef, str] = {}
    for ref, entity in snapshot.entities.items():
        if ref.kind == "host":
            names[ref] = entity.name
        elif (host := snapshot.host_of(ref)) is not None:
            names[ref] = host.key
        elif entity.parent is not None and entity.parent in names:
            names[ref] = names[entity.parent]
    return names
