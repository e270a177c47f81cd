"""What blocks and strips hold, decoded on demand: times, outlines, statistics and columns of values.

Everything here is in stored units and by position in the layout; ``samples`` turns it into series.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sessions.model import FloatArray, IntArray
from sessions.store.blocks import ABSENT, CONSTANT, VARYING
from sessions.store.cache import Cache
from sessions.store.chunks import decode_chunk
from sessions.store.codec import BlobError, unpack_floats, unpack_ints
from sessions.store.database import Database
from sessions.store.schema import CHUNK_BITS
from sessions.store.segments import Segment, read_times

_ONE_CHUNK = "SELECT id, data FROM chunk WHERE id = ?"
_CHUNK_RANGE = "SELECT id, data FROM chunk WHERE id BETWEEN ? AND ?"
_SOME_CHUNKS = "SELECT id, data FROM chunk WHERE id IN (SELECT value FROM json_each(?))"
_STRIP_ROWS = "SELECT rows FROM strip WHERE id = ?"
_BLOCK_OUTLINE = "SELECT shape, constants FROM block WHERE id = ?"
_BLOCK_FIGURES = "SELECT counts, minima, maxima, totals FROM block WHERE id = ?"

_DENSE = 6  # scan a range of chunks when at least one in so many is wanted


@dataclass(frozen=True, slots=True)
class Outline:
    """What each series of a block is: ``shape`` VARYING, CONSTANT or ABSENT; ``rank`` among its like."""

    shape: NDArray[np.uint8]
    rank: IntArray
    constants: FloatArray


@dataclass(frozen=True, slots=True)
class Figures:
    """Statistics of the VARYING series of a block, by rank."""

    count: IntArray
    minimum: FloatArray
    maximum: FloatArray
    total: FloatArray


@dataclass(frozen=True, slots=True)
class Sums:
    """Statistics of some series over some samples: 0, inf, −inf and 0 where there is none."""

    count: IntArray
    minimum: FloatArray
    maximum: FloatArray
    total: FloatArray


class Contents:
    """Decodes segments of one database and remembers what is cheap to keep."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._times: Cache[IntArray] = Cache(16 << 20, lambda times: (times,))
        self._rows: Cache[FloatArray] = Cache(64 << 20, lambda rows: (rows,))
        self._outlines: Cache[Outline] = Cache(32 << 20, lambda one: (one.shape, one.rank, one.constants))
        self._figures: Cache[Figures] = Cache(
            48 << 20, lambda one: (one.count, one.minimum, one.maximum, one.total)
        )

    def times(self, segment: Segment) -> IntArray:
        """The segment's sampling instants."""
        return self._times.get(segment.id, lambda: read_times(self._database, segment))

    def columns(self, segment: Segment, positions: IntArray) -> FloatArray:
        """Values (len(positions), ticks) of the series at these positions of the layout, NaN where absent."""
        if not segment.is_block:
            return self._rows.get(segment.id, lambda: self._read_strip(segment))[positions]
        values = np.empty((positions.size, segment.ticks))
        chunks = self._chunks(segment, positions)
        missing = []
        for row, position in enumerate(positions.tolist()):
            if position in chunks:
                values[row] = decode_chunk(chunks[position], segment.ticks)
            else:
                missing.append(row)
        if missing:
            values[missing] = self._level(segment, positions[missing])[:, None]
        return values

    def sums(self, segment: Segment, positions: IntArray) -> Sums:
        """Statistics over the whole block of the series at these positions; decodes no samples."""
        outline, figures = self._outline(segment), self._figures_of(segment)
        shape, rank = outline.shape[positions], outline.rank[positions]
        constant, varying = shape == CONSTANT, shape == VARYING
        count = np.where(constant, segment.ticks, 0)
        low = np.full(positions.size, np.inf)
        low[constant] = outline.constants[rank[constant]]
        high = np.where(constant, low, -np.inf)
        total = np.where(constant, low, 0.0) * count
        for target, source in zip((count, low, high, total), _arrays(figures), strict=True):
            target[varying] = source[rank[varying]]
        return Sums(count, low, high, total)

    def _level(self, segment: Segment, positions: IntArray) -> FloatArray:
        """The one value that series without a chunk have; NaN for the absent."""
        outline = self._outline(segment)
        shape = outline.shape[positions]
        if (shape == VARYING).any():
            raise BlobError("a chunk that should be there is missing")
        level = np.full(positions.size, np.nan)
        constant = shape == CONSTANT
        level[constant] = outline.constants[outline.rank[positions[constant]]]
        return level

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
        return {number - base: data for number, data in self._database.rows(sql, (int, bytes), values)}

    def _outline(self, segment: Segment) -> Outline:
        return self._outlines.get(segment.id, lambda: self._read_outline(segment))

    def _figures_of(self, segment: Segment) -> Figures:
        return self._figures.get(segment.id, lambda: self._read_figures(segment))

    def _read_strip(self, segment: Segment) -> FloatArray:
        (rows,) = self._row(segment, _STRIP_ROWS, 1)
        series = segment.layout.ids.size
        return np.ascontiguousarray(
            unpack_floats(rows, segment.ticks * series).reshape(segment.ticks, series).T
        )

    def _read_outline(self, segment: Segment) -> Outline:
        packed_shape, packed_constants = self._row(segment, _BLOCK_OUTLINE, 2)
        shape = unpack_ints(packed_shape, segment.layout.ids.size)
        if shape.size and not 0 <= shape.min() <= shape.max() <= ABSENT:
            raise BlobError("a block's outline does not fit")
        rank = np.zeros(shape.size, np.int64)
        for kind in (VARYING, CONSTANT):
            alike = shape == kind
            rank[alike] = np.arange(np.count_nonzero(alike))
        constants = unpack_floats(packed_constants, int(np.count_nonzero(shape == CONSTANT)))
        if np.isnan(constants).any():
            raise BlobError("a constant that is absent")
        return Outline(shape.astype(np.uint8), rank, constants)

    def _read_figures(self, segment: Segment) -> Figures:
        count, minimum, maximum, total = self._row(segment, _BLOCK_FIGURES, 4)
        varying = int(np.count_nonzero(self._outline(segment).shape == VARYING))
        figures = Figures(
            unpack_ints(count, varying),
            unpack_floats(minimum, varying),
            unpack_floats(maximum, varying),
            unpack_floats(total, varying),
        )
        fits = (figures.count > 0) & (figures.count <= segment.ticks) & (figures.minimum <= figures.maximum)
        if not (fits & ~np.isnan(figures.total)).all():
            raise BlobError("a block's statistics do not fit")
        return figures

    def _row(self, segment: Segment, sql: str, columns: int) -> tuple[Any, ...]:
        row = next(self._database.rows(sql, (bytes,) * columns, (segment.id,)), None)
        if row is None:
            raise BlobError("a block or strip that has gone")
        return row


def _arrays(figures: Figures) -> tuple[NDArray[Any], ...]:
    return figures.count, figures.minimum, figures.maximum, figures.total
