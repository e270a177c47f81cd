"""Which series a host's columns are, and in which layouts: objects come and go while a host is recorded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from collectors.esxtop_names import Counters, HostColumns, columns_by_host
from collectors.esxtop_service.facts import device_facts
from collectors.esxtop_service.reply import Reply
from collectors.esxtop_service.sampling import Sample, Shape
from collectors.esxtop_service.vm_identities import JOINED_BY, Renaming
from collectors.feed import Layout, Tick
from sessions.model import Entity, EntityRef, Fact, FloatArray, IntArray, SeriesSpec

_Key = tuple[EntityRef, str, str]
_FORGOTTEN_MS = 3_600_000
"""Series without a value for so long are forgotten: ids of worlds do not come back."""


class SeriesFeed(Protocol):
    """What stores series: the part of ``collectors.feed.Feed`` that samples need."""

    def add_entities(self, entities: Sequence[Entity]) -> None:
        """Add entities, parents in the same call or before."""

    def add_facts(self, facts: Sequence[Fact]) -> None:
        """Add facts; a later start ends the earlier one."""

    def add_layout(self, source: int, specs: Sequence[SeriesSpec]) -> Layout:
        """Add series that arrive together."""

    def add_ticks(self, ticks: Sequence[Tick]) -> None:
        """Store these ticks in one transaction."""


class LastingNames(Protocol):
    """Who the VMs of a host are, whatever numbers it gives them (``vm_book``)."""

    @property
    def above(self) -> Sequence[Entity]:
        """The entities that the host and its VMs belong to."""

    def rename(self, columns: HostColumns, reply: Reply) -> tuple[HostColumns, Renaming]:
        """Return the columns with the lasting entities, and which those are."""


@dataclass(slots=True)
class _Part:
    """Series that came together.

    ``factor`` (n,) makes the stored number of the printed one; ``last_ms`` is when one of them had a value.
    """

    layout: Layout
    factor: FloatArray
    specs: tuple[SeriesSpec, ...]
    last_ms: int = 0


@dataclass(frozen=True, slots=True)
class _Plan:
    """Where the values of a shape go: for each part the columns, and the places of these in the layout.

    ``there`` are the entities as the reply names them, ``names`` the lasting ones of some of them.
    """

    shape: Shape
    columns: HostColumns
    moves: tuple[tuple[_Part, IntArray, IntArray], ...]
    facts: tuple[tuple[int, EntityRef, str], ...]
    names: Renaming
    there: frozenset[EntityRef]


class HostSeries:
    """Stores one host's samples; a series that returns goes on where it was."""

    def __init__(
        self, feed: SeriesFeed, source: int, catalogue: Counters, lasting: LastingNames | None = None
    ) -> None:
        self._feed, self._source, self._catalogue = feed, source, catalogue
        self._lasting = lasting
        self._lasting_refs: set[EntityRef] = set()
        self._parts: dict[int, _Part] = {}
        self._made = 0
        self._places: dict[_Key, tuple[int, int]] = {}
        self._entities: set[EntityRef] = set()
        self._plan: _Plan | None = None
        self._facts: dict[tuple[EntityRef, str], Fact] = {}
        self.last_ms = 0

    @property
    def series(self) -> int:
        """The number of series that the host has now."""
        return 0 if self._plan is None else len(self._plan.columns.specs)

    @property
    def entities(self) -> int:
        """The number of entities that the host has now."""
        return 0 if self._plan is None else len(self._plan.columns.entities)

    def add_host(self, above: Sequence[Entity], host: Entity) -> None:
        """Add the host, and what it belongs to, before its first sample."""
        self._add_entities([*above, host])

    def forget_plan(self) -> None:
        """Work out anew which entities the columns are of, with the next sample."""
        self._plan = None

    def add(self, sample: Sample, reply: Reply) -> int:
        """Store a sample, and what it states; return how many values it has."""
        plan = self._plan
        if plan is None or plan.shape is not sample.shape:  # which VMs there are goes with the shape
            self._forget(sample.t_ms)
            plan = self._plan = self._new_plan(sample.shape, reply)
        values = sample.values[plan.columns.columns]
        self._feed.add_ticks(list(self._ticks(plan, values, sample.t_ms)))
        facts = list(self._changed_facts(plan, values, reply, sample.t_ms))
        if facts:
            self._feed.add_facts(facts)
        return int(np.count_nonzero(~np.isnan(values)))

    def _ticks(self, plan: _Plan, values: FloatArray, t_ms: int) -> Iterator[Tick]:
        for part, columns, places in plan.moves:
            stored = np.full(len(part.specs), np.nan)
            stored[places] = values[columns] * part.factor[places]
            if np.isnan(stored).all():
                continue
            part.last_ms = t_ms
            yield Tick(part.layout.id, t_ms, stored)

    def _new_plan(self, shape: Shape, reply: Reply) -> _Plan:
        columns = columns_by_host(shape.paths, self._catalogue)[0]
        names, there = Renaming(), frozenset(one.ref for one in columns.entities)
        if self._lasting is not None:
            columns, names = self._lasting.rename(columns, reply)
            self._add_entities(self._lasting.above)
            self._lasting_refs.update(names.refs.values())
        self._add_entities(columns.entities)
        keys: list[_Key] = [(spec.entity, spec.counter, spec.instance) for spec in columns.specs]
        unknown = [number for number, key in enumerate(keys) if key not in self._places]
        if unknown:
            self._add_part(
                [columns.specs[number] for number in unknown], [keys[number] for number in unknown]
            )
        by_part: dict[int, list[tuple[int, int]]] = {}
        for column, key in enumerate(keys):
            part, place = self._places[key]
            by_part.setdefault(part, []).append((column, place))
        moves = tuple(
            (self._parts[part], np.array([at for at, _ in both]), np.array([at for _, at in both]))
            for part, both in by_part.items()
        )
        stated = tuple((at, columns.specs[at].entity, name) for at, name in columns.fact_columns)
        return _Plan(shape, columns, moves, stated, names, there)

    def _forget(self, t_ms: int) -> None:
        gone = {n for n, part in self._parts.items() if 0 < part.last_ms < t_ms - _FORGOTTEN_MS}
        if gone:
            self._parts = {n: part for n, part in self._parts.items() if n not in gone}
            self._places = {key: place for key, place in self._places.items() if place[0] not in gone}

    def _add_entities(self, entities: Sequence[Entity]) -> None:
        new = [entity for entity in entities if entity.ref not in self._entities]
        if new:
            self._feed.add_entities(new)
            self._entities.update(entity.ref for entity in new)

    def _add_part(self, specs: Sequence[SeriesSpec], keys: Sequence[_Key]) -> None:
        layout = self._feed.add_layout(self._source, specs)
        wanted = np.array([spec.scale for spec in specs])
        factor = wanted / layout.scale if len(layout.scale) else np.ones(len(specs))
        if len(layout.last):
            self.last_ms = max(self.last_ms, int(layout.last.max()))
        number, self._made = self._made, self._made + 1
        self._parts[number] = _Part(layout, factor, tuple(specs), self.last_ms)
        self._places |= {key: (number, place) for place, key in enumerate(keys)}

    def _changed_facts(self, plan: _Plan, values: FloatArray, reply: Reply, t_ms: int) -> Iterator[Fact]:
        """Facts that the header, a constant column or a record states, where they are new or have changed."""
        now: dict[tuple[EntityRef, str], str | float] = {
            (entity, name): value for entity, name, value in plan.columns.stated
        }
        for at, entity, name in plan.facts:
            if values[at] > 0:
                now[entity, name] = float(values[at])
        now |= {(vm, JOINED_BY): how for vm, how in plan.names.how.items()}
        now |= {
            (plan.names.ref(ref), name): value
            for (ref, name), value in device_facts(reply, plan.shape.host, plan.there).items()
        }
        for key, value in now.items():
            known = self._facts.get(key)
            if known is None or known.value != value:
                self._facts[key] = Fact(*key, value, t_ms)
                yield self._facts[key]
        for key in [key for key in self._facts if key not in now]:
            gone = self._facts.pop(key)
            if key[0] not in self._lasting_refs:  # it may run elsewhere, where somebody else tells of it
                yield replace(gone, end=t_ms)
