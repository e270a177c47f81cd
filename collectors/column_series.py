"""Which series a host's columns are, and in which layouts: objects come and go while a host is recorded.

For every live source that has esxtop's columns, whatever brings them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from collectors.esxtop_names import HostColumns
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
    """Where the values of a host's columns go: for each part the columns, and the places of these in the
    layout. ``facts`` are the columns that state one.
    """

    columns: HostColumns
    moves: tuple[tuple[_Part, IntArray, IntArray], ...]
    facts: tuple[tuple[int, EntityRef, str], ...]


Stated = Mapping[tuple[EntityRef, str], str | float]
"""What is said of an entity: its value by entity and name."""


class ColumnSeries:
    """Stores one host's samples; a series that returns goes on where it was.

    ``follow`` tells the columns, now and whenever they have changed; ``add`` stores a sample of them.
    """

    def __init__(self, feed: SeriesFeed, source: int) -> None:
        self._feed, self._source = feed, source
        self._parts: dict[int, _Part] = {}
        self._made = 0
        self._places: dict[_Key, tuple[int, int]] = {}
        self._entities: set[EntityRef] = set()
        self._lasting: set[EntityRef] = set()
        self._plan: _Plan | None = None
        self._facts: dict[tuple[EntityRef, str], Fact] = {}
        self.last_ms = 0

    @property
    def series(self) -> int:
        """The number of series that the host has now."""
        return 0 if self._plan is None else len(self._plan.columns.specs)

    @property
    def entities(self) -> Sequence[Entity]:
        """The entities that the host has now."""
        return () if self._plan is None else self._plan.columns.entities

    def add_entities(self, entities: Sequence[Entity]) -> None:
        """Add those of the entities that are new."""
        new = [entity for entity in entities if entity.ref not in self._entities]
        if new:
            self._feed.add_entities(new)
            self._entities.update(entity.ref for entity in new)

    def follow(self, columns: HostColumns, t_ms: int, lasting: Iterable[EntityRef] = ()) -> None:
        """Samples have these columns from the instant ``t_ms`` on.

        The facts of ``lasting`` entities do not end when they are not told any more: a VM may run on another
        host then, where somebody else tells of it.
        """
        self._forget(t_ms)
        self._lasting.update(lasting)
        self.add_entities(columns.entities)
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
        facts = tuple((at, columns.specs[at].entity, name) for at, name in columns.fact_columns)
        self._plan = _Plan(columns, moves, facts)

    def add(self, t_ms: int, values: FloatArray, stated: Stated) -> int:
        """Store a sample and what is stated beside it; return how many values it has.

        ``values`` (n,) are those of the columns' specs, NaN where absent.
        """
        plan = self._plan
        assert plan is not None, "follow comes first"
        self._feed.add_ticks(list(self._ticks(plan, values, t_ms)))
        facts = list(self._changed_facts(plan, values, stated, t_ms))
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

    def _forget(self, t_ms: int) -> None:
        gone = {n for n, part in self._parts.items() if 0 < part.last_ms < t_ms - _FORGOTTEN_MS}
        if gone:
            self._parts = {n: part for n, part in self._parts.items() if n not in gone}
            self._places = {key: place for key, place in self._places.items() if place[0] not in gone}

    def _add_part(self, specs: Sequence[SeriesSpec], keys: Sequence[_Key]) -> None:
        layout = self._feed.add_layout(self._source, specs)
        wanted = np.array([spec.scale for spec in specs])
        factor = wanted / layout.scale if len(layout.scale) else np.ones(len(specs))
        if len(layout.last):
            self.last_ms = max(self.last_ms, int(layout.last.max()))
        number, self._made = self._made, self._made + 1
        self._parts[number] = _Part(layout, factor, tuple(specs), self.last_ms)
        self._places |= {key: (number, place) for place, key in enumerate(keys)}

    def _changed_facts(self, plan: _Plan, values: FloatArray, stated: Stated, t_ms: int) -> Iterator[Fact]:
        """Facts that the header, a constant column or the sample states, where they are new or have changed.

        A column without a value says nothing: what it stated before still holds.
        """
        now: dict[tuple[EntityRef, str], str | float] = {
            (entity, name): value for entity, name, value in plan.columns.stated
        }
        for at, entity, name in plan.facts:
            value = float(values[at])
            if value > 0:
                now[entity, name] = value
            elif np.isnan(value) and (known := self._facts.get((entity, name))) is not None:
                now[entity, name] = known.value
        now |= stated
        for key, said in now.items():
            known = self._facts.get(key)
            if known is None or known.value != said:
                self._facts[key] = Fact(*key, said, t_ms)
                yield self._facts[key]
        for key in [key for key in self._facts if key not in now]:
            gone = self._facts.pop(key)
            if key[0] not in self._lasting:
                yield replace(gone, end=t_ms)
