"""Which entities and series a writer has stored, so that adding them again has no effect."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sessions.model import Entity, EntityRef, FloatArray, IntArray, SeriesSpec
from sessions.store.inventory import BATCH, MAX_ENTITIES, MAX_SCALE, MAX_SERIES, Inventory


@dataclass(frozen=True, slots=True)
class EntityBatch:
    """Entities to be written, numbered from ``first`` on, with the number of each one's parent (−1: none)."""

    first: int
    entities: Sequence[Entity]
    parents: Sequence[int]


@dataclass(frozen=True, slots=True)
class SpecBatch:
    """Series to be written, with ids from ``first`` on, and the number of each one's entity."""

    first: int
    specs: Sequence[SeriesSpec]
    entities: Sequence[int]


class Registry:
    """The numbers of all entities, and the ids of all series by source, entity, counter and instance."""

    def __init__(self, inventory: Inventory) -> None:
        self._entities = {ref: number for number, ref in enumerate(inventory.refs)}
        self._series: dict[tuple[int, int, str, str], int] = {}
        for batch in inventory.batches:
            keys = zip(batch.entity.tolist(), batch.counter, batch.instance, strict=True)
            for i, key in enumerate(keys):
                self._series[batch.source, *key] = batch.first + i
        self._sources = inventory.source.tolist()
        self._scales = array("d", inventory.scale)

    @property
    def series_count(self) -> int:
        """The number of series."""
        return len(self._sources) - 1

    def sources_of(self, ids: IntArray) -> set[int]:
        """Return the sources of the series; raises ValueError for an unknown id."""
        if ids.size and not 0 < ids.min() <= ids.max() <= self.series_count:
            raise ValueError("series that do not exist")
        return {self._sources[series] for series in ids.tolist()}

    def scales_of(self, ids: IntArray) -> FloatArray:
        """Return the scales of existing series."""
        scales: FloatArray = np.frombuffer(self._scales)[ids]
        return scales

    def admit_entities(self, entities: Iterable[Entity]) -> Iterator[EntityBatch]:
        """Yield batches of the new entities, parents first; raises ValueError for unknown
        parents or a cycle.
        """
        pending: dict[EntityRef, Entity] = {}
        for entity in entities:
            if entity.ref not in self._entities:
                pending.setdefault(entity.ref, entity)
        new = [pending[ref] for ref in _parents_first(pending, self._entities)]
        if len(self._entities) + len(new) > MAX_ENTITIES:
            raise ValueError(f"more than {MAX_ENTITIES} entities")
        for begin in range(0, len(new), BATCH):
            batch, first = new[begin : begin + BATCH], len(self._entities)
            for entity in batch:
                self._entities[entity.ref] = len(self._entities)
            yield EntityBatch(first, batch, [self._entities[e.parent] if e.parent else -1 for e in batch])

    def admit_series(self, source: int, specs: Sequence[SeriesSpec]) -> tuple[IntArray, list[SpecBatch]]:
        """Return the id of each spec, and batches of the new ones; raises ValueError for one that
        can't be stored.
        """
        keys = [self._key(source, spec) for spec in specs]
        first = len(self._sources)
        fresh: dict[tuple[int, int, str, str], SeriesSpec] = {}
        for key, spec in zip(keys, specs, strict=True):
            if key not in self._series:
                fresh.setdefault(key, spec)
        if first + len(fresh) > MAX_SERIES + 1:
            raise ValueError(f"more than {MAX_SERIES} series")
        self._sources += [source] * len(fresh)
        self._scales = self._scales + array("d", [spec.scale for spec in fresh.values()])
        self._series.update({key: first + i for i, key in enumerate(fresh)})
        new_specs, entities = list(fresh.values()), [key[1] for key in fresh]
        batches = [
            SpecBatch(first + at, new_specs[at : at + BATCH], entities[at : at + BATCH])
            for at in range(0, len(fresh), BATCH)
        ]
        return np.array([self._series[key] for key in keys], np.int64), batches

    def _key(self, source: int, spec: SeriesSpec) -> tuple[int, int, str, str]:
        if spec.entity not in self._entities:
            raise ValueError(f"a series of an entity that was not added: {spec.entity}")
        if not 0 < spec.scale <= MAX_SCALE:
            raise ValueError(f"a series with the scale {spec.scale}")
        return source, self._entities[spec.entity], spec.counter, spec.instance


def _parents_first(pending: dict[EntityRef, Entity], known: dict[EntityRef, int]) -> list[EntityRef]:
    placed: dict[EntityRef, None] = {}
    for start in pending:
        chain: dict[EntityRef, None] = {}
        ref: EntityRef | None = start
        while ref is not None and ref not in placed and ref not in known:
            if ref in chain:
                raise ValueError(f"an entity that is its own ancestor: {ref}")
            if ref not in pending:
                raise ValueError(f"an entity whose parent was not added: {ref}")
            chain[ref] = None
            ref = pending[ref].parent
        placed.update(dict.fromkeys(reversed(chain)))
    return list(placed)
