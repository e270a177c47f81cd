"""Which rows and columns a screen of the esxtop view has in a session. Knows no Qt."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.gui.snapshot import Snapshot, is_own
from resources.catalogue import Catalogue
from resources.units import format_value
from resources.views import Limits, Screen
from sessions.model import Entity, EntityRef, IntArray, Series
from widgets.esxtop import Column, Row


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
    counters = [column.counter for column in columns]
    rows: list[Row] = []
    ids: list[list[int]] = []
    for row, cells in _rows(screen, snapshot, frozenset(counters), wishes):
        rows.append(row)
        ids.append([cells.get(counter, 0) for counter in counters])
    table = np.array(ids, np.int64).reshape(len(rows), len(counters))
    return Grid(tuple(rows), tuple(columns), table)


def columns_of(counters: Sequence[str], kind: str, catalogue: Catalogue, limits: Limits) -> list[Column]:
    """The columns of these counters, with the limits that they have on entities of a kind."""
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
        found.append(
            Column(
                key,
                known.short or known.label,
                known.unit,
                "\n".join(tip),
                bounds.warning.value if bounds else np.nan,
                bounds.critical.value if bounds and bounds.critical else np.nan,
                frozenset(of for (counter, of), same in limits.items() if counter == key and same == bounds),
            )
        )
    return found


def _rows(
    screen: Screen, snapshot: Snapshot, counters: Collection[str], wishes: Wishes
) -> Iterator[tuple[Row, Mapping[str, int]]]:
    words = wishes.words.casefold().split()
    hosts = _hosts(snapshot)
    only_vms = wishes.only_vms and "vm" in screen.kinds
    for entity in snapshot.entities.values():
        if entity.ref.kind not in screen.kinds or (only_vms and entity.ref.kind != "vm"):
            continue
        if entity.ref.kind == "world" and entity.parent is not None and entity.parent.kind != "host":
            continue
        if not all(word in entity.name.casefold() for word in words):
            continue
        family = _family(screen, snapshot, entity, counters, hosts, expanded=entity.ref in wishes.expanded)
        for row, cells in family:
            if not wishes.hosts or row.host in wishes.hosts:
                yield row, cells


def _family(
    screen: Screen,
    snapshot: Snapshot,
    entity: Entity,
    counters: Collection[str],
    hosts: Mapping[EntityRef, str],
    *,
    expanded: bool,
) -> Iterator[tuple[Row, Mapping[str, int]]]:
    host = hosts.get(entity.ref, "")
    if screen.each:
        for instance, cells in _by_instance(snapshot.series_of.get(entity.ref, ()), counters).items():
            yield Row(entity.ref, instance or "all", host), cells
        return
    below = [one for one in snapshot.children.get(entity.ref, ()) if one.ref.kind in screen.below]
    for source_host, cells in _by_source(snapshot, entity.ref, counters).items():
        yield Row(entity.ref, entity.name, host or source_host, expandable=bool(below)), cells
    if expanded:
        for child in below:
            for cells in _by_source(snapshot, child.ref, counters).values():
                yield Row(child.ref, child.name, host, depth=1), cells


def _by_source(
    snapshot: Snapshot, ref: EntityRef, counters: Collection[str]
) -> Mapping[str, Mapping[str, int]]:
    """An entity's plain series by the host that saw them: a shared device has a row for each."""
    names = {source.id: source.spec.name for source in snapshot.sources}
    found: dict[str, dict[str, int]] = {}
    for series in snapshot.series_of.get(ref, ()):
        if series.counter in counters and is_own(series):
            seen_by = series.spec.instance or names.get(series.source, "")
            found.setdefault(seen_by, {}).setdefault(series.counter, series.id)
    return found


def _by_instance(series: Sequence[Series], counters: Collection[str]) -> Mapping[str, Mapping[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for one in series:
        if one.counter in counters and one.spec.instance:
            found.setdefault(one.spec.instance, {}).setdefault(one.counter, one.id)
    return found


def _hosts(snapshot: Snapshot) -> dict[EntityRef, str]:
    """The host on which each entity is, by facts and parents; empty for what several hosts share."""
    placed = {fact.entity: str(fact.value) for fact in snapshot.facts if fact.name == "host"}
    names: dict[EntityRef, str] = {}
    for ref, entity in snapshot.entities.items():
        if ref.kind == "host":
            names[ref] = entity.name
        elif ref in placed:
            names[ref] = placed[ref]
        elif entity.parent is not None and entity.parent in names:
            names[ref] = names[entity.parent]
    return names
