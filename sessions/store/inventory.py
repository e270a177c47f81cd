"""The entities and series of a session, stored as columns: small on disk and fast to open.

Both tables only grow, by one row for each batch. Entities are numbered from 0 in the order in which they were
added, a parent always before its children (so that no file can contain a cycle); series from 1.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import repeat
from typing import get_args

import numpy as np

from sessions.model import Entity, EntityRef, FloatArray, IntArray, Kind, Series, SeriesSpec
from sessions.store.codec import (
    BlobError,
    pack_floats,
    pack_ints,
    pack_texts,
    seal,
    texts_size,
    unpack_floats,
    unpack_ints,
    unpack_texts,
    unseal,
)
from sessions.store.database import Database

MAX_ENTITIES = 1 << 21
MAX_SERIES = 1 << 21
MAX_SCALE = 1e12
MAX_NAME_BYTES = 1 << 28
MAX_LABEL_CHARACTERS = 1 << 29
"""Labels are put together from parts that repeat, so that they can be far longer than what is stored."""
BATCH = 1 << 16

_KINDS = frozenset(get_args(Kind))
_LABEL_PARTS = struct.Struct("<II")
_ENTITY_ROWS = "SELECT first, n, kind, key, name, parent FROM entities WHERE first >= ? ORDER BY first"
_SERIES_ROWS = (
    "SELECT first, n, source, entity, counter, unit, instance, scale, label FROM series"
    " WHERE first >= ? ORDER BY first"
)


class TextBudget:
    """Limits the memory for decoded texts: a forged file could claim far more than its size."""

    def __init__(self, most: int, what: str) -> None:
        self._left, self._what = most, what

    def spend(self, size: int) -> None:
        """Add ``size`` bytes to the total; raises BlobError when the total exceeds the limit."""
        self._left -= size
        if self._left < 0:
            raise BlobError(f"more {self._what} than any session has")


@dataclass(frozen=True)
class SeriesBatch:
    """One row of the series table: series ``first`` to ``first + len - 1``, all of one source."""

    first: int
    source: int
    entity: IntArray
    counter: list[str]
    unit: list[str]
    instance: list[str]
    scale: FloatArray
    packed_labels: tuple[bytes, ...]
    label_budget: TextBudget

    def __len__(self) -> int:
        return len(self.counter)

    @cached_property
    def label(self) -> list[str]:
        """The source's own spellings; decoded on first use, because few callers need them."""
        parts = [unpack_texts(part, len(self)) for part in self.packed_labels]
        self.label_budget.spend(sum(sum(map(len, part)) for part in parts))
        return ["".join(cut) for cut in zip(*parts, strict=True)]


@dataclass
class Inventory:
    """The entities and series of a file; ``load`` adds those that were written since the last call."""

    entities: dict[EntityRef, Entity] = field(default_factory=dict)
    refs: list[EntityRef] = field(default_factory=list)
    batches: list[SeriesBatch] = field(default_factory=list)
    source: IntArray = field(default_factory=lambda: np.zeros(1, np.int64))
    scale: FloatArray = field(default_factory=lambda: np.zeros(1))
    _names: TextBudget = field(default_factory=lambda: TextBudget(MAX_NAME_BYTES, "names"))
    _labels: TextBudget = field(default_factory=lambda: TextBudget(MAX_LABEL_CHARACTERS, "labels"))

    @property
    def count(self) -> int:
        """The number of series; their ids are 1 to this. ``source`` and ``scale`` are indexed by id."""
        return self.source.size - 1

    def copy(self) -> Inventory:
        """Return an inventory of the same entities and series, which grows by itself."""
        return replace(
            self,
            entities=dict(self.entities),
            refs=list(self.refs),
            batches=list(self.batches),
            _names=copy(self._names),
            _labels=copy(self._labels),
        )

    def load(self, database: Database) -> None:
        """Read the rows that are new. Raises BlobError for inconsistent ones."""
        self._load_entities(database)
        new = list(self._new_batches(database))
        if new:
            self.batches += new
            sources = [np.full(len(batch), batch.source, np.int64) for batch in new]
            self.source = np.concatenate([self.source, *sources])
            self.scale = np.concatenate([self.scale, *(batch.scale for batch in new)])

    def series(self, counters: Collection[str] | None = None) -> list[Series]:
        """Return all series, or those of the given counter keys, ordered by id."""
        if counters is None:
            return [one for batch in self.batches for one in self._all(batch)]
        wanted = frozenset(counters)
        return [self._at(batch, i) for batch in self.batches for i in _matching(batch, wanted)]

    def _all(self, batch: SeriesBatch) -> Iterator[Series]:
        """The same as ``_at`` for each, in half the time."""
        specs = map(
            SeriesSpec,
            [self.refs[number] for number in batch.entity.tolist()],
            batch.counter,
            batch.unit,
            batch.instance,
            batch.scale.tolist(),
            batch.label,
        )
        return map(Series, range(batch.first, batch.first + len(batch)), repeat(batch.source), specs)

    def _at(self, batch: SeriesBatch, i: int) -> Series:
        spec = SeriesSpec(
            entity=self.refs[batch.entity[i]],
            counter=batch.counter[i],
            unit=batch.unit[i],
            instance=batch.instance[i],
            scale=float(batch.scale[i]),
            label=batch.label[i],
        )
        return Series(batch.first + i, batch.source, spec)

    def _load_entities(self, database: Database) -> None:
        types = (int, int, bytes, bytes, bytes, bytes)
        for first, n, *blobs in database.rows(_ENTITY_ROWS, types, (len(self.refs),)):
            _check_batch(first, n, len(self.refs), MAX_ENTITIES)
            columns = [self._texts(blob, n) for blob in blobs[:3]]
            for entity in _entities(self.refs, columns, unpack_ints(blobs[3], n)):
                if entity.ref in self.entities:
                    raise BlobError("an entity that comes twice")
                self.refs.append(entity.ref)
                self.entities[entity.ref] = entity

    def _new_batches(self, database: Database) -> Iterator[SeriesBatch]:
        types = (int, int, int, bytes, bytes, bytes, bytes, bytes, bytes)
        following = self.count + 1
        for first, n, source, *blobs in database.rows(_SERIES_ROWS, types, (following,)):
            _check_batch(first, n, following, MAX_SERIES)
            entity, counter, unit, instance, scale, label = blobs
            batch = SeriesBatch(
                first=first,
                source=source,
                entity=unpack_ints(entity, n),
                counter=self._texts(counter, n),
                unit=self._texts(unit, n),
                instance=self._texts(instance, n),
                scale=unpack_floats(scale, n),
                packed_labels=_label_parts(label),
                label_budget=self._labels,
            )
            self._names.spend(sum(map(texts_size, batch.packed_labels)))
            if not ((batch.entity >= 0) & (batch.entity < len(self.refs))).all():
                raise BlobError("a series of an entity that is not there")
            if not ((batch.scale > 0) & (batch.scale <= MAX_SCALE)).all():
                raise BlobError("a series with a scale out of range")
            following += n
            yield batch

    def _texts(self, blob: bytes, n: int) -> list[str]:
        self._names.spend(texts_size(blob))
        return unpack_texts(blob, n)


def _check_batch(first: int, n: int, expected: int, most: int) -> None:
    if first != expected or not 0 < n <= BATCH or first + n > most + 1:
        raise BlobError("a batch of entities or series that is not where it should be")


def _matching(batch: SeriesBatch, counters: frozenset[str]) -> Sequence[int]:
    return [i for i, counter in enumerate(batch.counter) if counter in counters]


def pack_entities(entities: Sequence[Entity], parents: Sequence[int]) -> tuple[object, ...]:
    """Return the columns n to parent of a row of the entities table; −1 means no parent."""
    return (
        len(entities),
        pack_texts([entity.ref.kind for entity in entities]),
        pack_texts([entity.ref.key for entity in entities]),
        pack_texts([entity.name for entity in entities]),
        pack_ints(np.array(parents, np.int64)),
    )


def _entities(refs: Sequence[EntityRef], columns: Sequence[list[str]], parents: IntArray) -> Iterator[Entity]:
    """The entities of a row; ``refs`` are those known so far, and grow as the caller takes ours."""
    for kind, key, name, number in zip(*columns, parents.tolist(), strict=True):
        if kind not in _KINDS:
            raise BlobError("an entity of a kind that does not exist")
        if not -1 <= number < len(refs):
            raise BlobError("an entity whose parent does not come before it")
        yield Entity(EntityRef(kind, key), name, refs[number] if number >= 0 else None)


def pack_series(specs: Sequence[SeriesSpec], entities: Sequence[int]) -> tuple[object, ...]:
    """Return the columns entity to label of a row of the series table."""
    return (
        pack_ints(np.array(entities, np.int64)),
        pack_texts([spec.counter for spec in specs]),
        pack_texts([spec.unit for spec in specs]),
        pack_texts([spec.instance for spec in specs]),
        pack_floats(np.array([spec.scale for spec in specs]), level=9),
        _pack_labels([spec.label for spec in specs]),
    )


def _pack_labels(labels: Sequence[str]) -> bytes:
    r"""Labels cut at the first ``(`` and the last ``\``: object class, instance and counter repeat a lot.

    Measured on a real header of 7,631 paths: 7 kB, where compressing the paths as text takes 25 to 33.
    """
    cuts = [_cut(label) for label in labels]
    parts = [pack_texts([cut[i] for cut in cuts]) for i in range(3)]
    return seal(_LABEL_PARTS.pack(len(parts[0]), len(parts[1])) + b"".join(parts))


def _cut(label: str) -> tuple[str, str, str]:
    counter = max(label.rfind("\\"), 0)
    instance = label.find("(", 0, counter)
    instance = counter if instance < 0 else instance
    return label[:instance], label[instance:counter], label[counter:]


def _label_parts(blob: bytes) -> tuple[bytes, ...]:
    payload = unseal(blob)
    if len(payload) < _LABEL_PARTS.size:
        raise BlobError("labels that are too short")
    first, second = _LABEL_PARTS.unpack_from(payload)
    body = payload[_LABEL_PARTS.size :]
    return body[:first], body[first : first + second], body[first + second :]
