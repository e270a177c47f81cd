"""Decodes the contents of blocks and strips on demand: times, outlines, statistics and columns of values.

Everything here is in stored units and by position in the layout; ``samples`` converts it to series.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sessions.model import FloatArray, IntArray
from sessions.store.blocks import ABSENT, CONSTANT, VARYING
from sessions.store.cache import Cache
from sessions.store.chunks import decode_rows
from sessions.store.codec import BlobError, PackedFloats, unpack_bytes, unpack_floats, unpack_ints
from sessions.store.database import Database
from sessions.store.kept_columns import KeptColumns
from sessions.store.schema import CHUNK_BITS
from sessions.store.segments import Segment, read_times

_ONE_CHUNK = "SELECT id, data FROM chunk WHERE id = ?"
_CHUNK_RANGE = "SELECT id, data FROM chunk WHERE id BETWEEN ? AND ? ORDER BY id"
_SOME_CHUNKS = "SELECT id, data FROM chunk WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id"
_STRIP_ROWS = "SELECT rows FROM strip WHERE id = ?"
_BLOCK_OUTLINE = "SELECT shape, constants FROM block WHERE id = ?"
_BLOCK_FIGURES = "SELECT counts, minima, maxima, totals FROM block WHERE id = ?"

_DENSE = 2


@dataclass(frozen=True)
class Outline:
    """The kind of each series of a block (``shape``: VARYING, CONSTANT or ABSENT) and the CONSTANT values."""

    shape: NDArray[np.uint8]
    constants: PackedFloats

    @cached_property
    def varying(self) -> int:
        """The number of varying series."""
        return int(np.count_nonzero(self.shape == VARYING))

    @cached_property
    def index(self) -> NDArray[np.int32]:
        """For each series, the position of its statistics: those of varying series, then constants,
        then one for absent.
        """
        constant = self.shape == CONSTANT
        absent = self.varying + int(np.count_nonzero(constant))
        index = np.full(self.shape.size, absent, np.int32)
        index[self.shape == VARYING] = np.arange(self.varying)
        index[constant] = np.arange(self.varying, absent)
        return index

    def levels(self, positions: IntArray) -> FloatArray:
        """Return the constant values of the series at these positions; NaN for absent ones."""
        shape = self.shape[positions]
        if (shape == VARYING).any():
            raise BlobError("a chunk that should be there is missing")
        constant = shape == CONSTANT
        values = np.full(positions.size, np.nan)
        values[constant] = self.constants.take(self._ranks(positions[constant]))
        return values

    def _ranks(self, positions: IntArray) -> IntArray:
        """Which of the constants these are."""
        return np.searchsorted(np.flatnonzero(self.shape == CONSTANT), positions)


@dataclass(frozen=True, slots=True)
class Sums:
    """Statistics of some series over some samples: count, minimum, maximum, total; 0, inf, −inf, 0
    without samples.
    """

    count: IntArray
    minimum: FloatArray
    maximum: FloatArray
    total: FloatArray

    def take(self, index: NDArray[np.int32]) -> Sums:
        """Return the statistics at ``index``."""
        return Sums(self.count[index], self.minimum[index], self.maximum[index], self.total[index])


class Decoded:
    """Decoded arrays of one session that are cheap to keep; readers in several threads may share them."""

    def __init__(self) -> None:
        self.times: Cache[IntArray] = Cache(16 << 20, lambda times: times.nbytes)
        self.rows: Cache[FloatArray] = Cache(64 << 20, lambda rows: rows.nbytes)
        self.outlines: Cache[Outline] = Cache(
            32 << 20, lambda one: 5 * one.shape.nbytes + one.constants.planes.nbytes
        )
        self.sums: Cache[Sums] = Cache(64 << 20, lambda one: 4 * one.count.nbytes)
        self.created: object = None
        """When the session was made, as it says: nothing here is of another one."""


class Contents:
    """Decodes segments of one database; caches in ``decoded``."""

    def __init__(self, database: Database, decoded: Decoded) -> None:
        self._database = database
        self._decoded = decoded
        self._kept: KeptColumns | None = None

    @contextmanager
    def keeping(self) -> Iterator[None]:
        """Keep columns that are decoded within the block, for whoever reads them there again."""
        before = self._kept
        self._kept = before or KeptColumns()
        try:
            yield
        finally:
            self._kept = before

    def times(self, segment: Segment) -> IntArray:
        """Return the segment's sampling instants; shape (ticks,), int64, ms."""
        return self._decoded.times.get(segment.id, lambda: read_times(self._database, segment))

    def columns(self, segment: Segment, positions: IntArray) -> FloatArray:
        """Return the values (len(positions), ticks) of the series at these positions of the layout,
        NaN where absent.
        """
        if not segment.is_block:
            return self._decoded.rows.get(segment.id, lambda: self._read_strip(segment))[positions]
        if self._kept is None:
            return self._decoded_columns(segment, positions)
        shape = (segment.layout.ids.size, segment.ticks)
        return self._kept.get(segment.id, shape, positions, lambda new: self._decoded_columns(segment, new))

    def _decoded_columns(self, segment: Segment, positions: IntArray) -> FloatArray:
        values = np.empty((positions.size, segment.ticks))
        chunks = self._chunks(segment, positions)
        rows, missing = list[int](), list[int]()
        for row, position in enumerate(positions.tolist()):
            (rows if position in chunks else missing).append(row)
        decode_rows([chunks[position] for position in positions[rows].tolist()], rows, values)
        if missing:
            values[missing] = self._outline(segment).levels(positions[missing])[:, np.newaxis]
        return values

    def sums(self, segment: Segment, positions: IntArray) -> Sums:
        """Return statistics over the whole block of the series at these positions, without
        decoding samples.
        """
        of_block = self._decoded.sums.get(segment.id, lambda: self._read_sums(segment))
        return of_block.take(self._outline(segment).index[positions])

    def knows_sums(self, segment: Segment) -> bool:
        """Return True if ``sums`` has what it needs in memory."""
        return segment.id in self._decoded.sums and segment.id in self._decoded.outlines

    def _chunks(self, segment: Segment, positions: IntArray) -> dict[int, bytes]:
        base = segment.id << CHUNK_BITS
        low, high = int(positions.min(initial=1 << CHUNK_BITS)), int(positions.max(initial=0))
        values: tuple[object, ...]
        if positions.size == 1:
            sql, values = _ONE_CHUNK, (base | low,)
        elif positions.size * _DENSE >= high - low:
            sql, values = _CHUNK_RANGE, (base | low, base | high)
        else:
            sql, values = _SOME_CHUNKS, (json.dumps((positions | base).tolist()),)
        return {number - base: data for number, data in self._database.ordered(sql, (int, bytes), values)}

    def _outline(self, segment: Segment) -> Outline:
        return self._decoded.outlines.get(segment.id, lambda: self._read_outline(segment))

    def _read_strip(self, segment: Segment) -> FloatArray:
        (rows,) = self._row(segment, _STRIP_ROWS, 1)
        series = segment.layout.ids.size
        return np.ascontiguousarray(
            unpack_floats(rows, segment.ticks * series).reshape(segment.ticks, series).T
        )

    def _read_outline(self, segment: Segment) -> Outline:
        packed_shape, packed_constants = self._row(segment, _BLOCK_OUTLINE, 2)
        shape = unpack_bytes(packed_shape, segment.layout.ids.size)
        if (shape > ABSENT).any():
            raise BlobError("a block's outline does not fit")
        constants = PackedFloats.of(packed_constants, int(np.count_nonzero(shape == CONSTANT)))
        return Outline(shape, constants)

    def _read_sums(self, segment: Segment) -> Sums:
        """Of each varying series, each constant one, and of one that is absent: see ``Outline.index``."""
        count, minimum, maximum, total = self._row(segment, _BLOCK_FIGURES, 4)
        outline = self._outline(segment)
        varying = Sums(
            unpack_ints(count, outline.varying),
            unpack_floats(minimum, outline.varying),
            unpack_floats(maximum, outline.varying),
            unpack_floats(total, outline.varying),
        )
        fits = (varying.count > 0) & (varying.count <= segment.ticks) & (varying.minimum <= varying.maximum)
        if not (fits & ~np.isnan(varying.total)).all():
            raise BlobError("a block's statistics do not fit")
        level = outline.constants.take(slice(None))
        if np.isnan(level).any():
            raise BlobError("a constant that is absent")
        return Sums(
            np.concatenate([varying.count, np.full(level.size, segment.ticks), [0]]),
            np.concatenate([varying.minimum, level, [np.inf]]),
            np.concatenate([varying.maximum, level, [-np.inf]]),
            np.concatenate([varying.total, level * segment.ticks, [0.0]]),
        )

    def _row(self, segment: Segment, sql: str, columns: int) -> tuple[Any, ...]:
        row = next(self._database.rows(sql, (bytes,) * columns, (segment.id,)), None)
        if row is None:
            raise BlobError("a block or strip that has gone")
        return row
