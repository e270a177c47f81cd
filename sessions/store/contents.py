"""Decodes the contents of blocks and strips on demand: times, outlines, statistics and columns of values.

Everything here is in stored units and by position in the layout; ``samples`` converts it to series.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sessions.model import FloatArray, IntArray
from sessions.store.block_figures import BlockFigures, Sums
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
_FEW = 32
"""Columns of a block that are looked up by their ids, those of many blocks in one query."""
_CELLS_AT_ONCE = 1 << 18
"""Values of blocks that are decoded together: 2 MB, in which a query and a call are lost."""


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
        if constant.any():
            values[constant] = self.constants.take(self.index[positions[constant]] - self.varying)
        return values


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the columns of a block stand in a slab, and which of them have no chunk."""

    rows: slice
    missing: list[int]


class _Slab:
    """Chunks of some blocks of one length that are decoded together."""

    def __init__(self) -> None:
        self._height = 0
        self._rows: list[int] = []
        self._chunks: list[bytes] = []

    def add(self, segment: Segment, positions: IntArray, chunks: Mapping[int, bytes]) -> _Place:
        """Add the chunks of some series of a block, from ``chunks`` by id."""
        first = self._height
        self._height += positions.size
        place = slice(first, self._height)
        found = list(map(chunks.get, (positions | segment.id << CHUNK_BITS).tolist()))
        there = [chunk for chunk in found if chunk is not None]
        self._chunks += there
        if len(there) == len(found):
            self._rows += range(first, self._height)
            return _Place(place, [])
        self._rows += [first + row for row, chunk in enumerate(found) if chunk is not None]
        return _Place(place, [row for row, chunk in enumerate(found) if chunk is None])

    def decoded(self, ticks: int) -> FloatArray:
        """Decode all chunks; the rows without one are left undefined."""
        values = np.empty((self._height, ticks))
        decode_rows(self._chunks, self._rows, values)
        return values


class Decoded:
    """Decoded arrays of one session that are cheap to keep; readers in several threads may share them."""

    def __init__(self) -> None:
        self.times: Cache[IntArray] = Cache(16 << 20, lambda times: times.nbytes)
        self.rows: Cache[FloatArray] = Cache(64 << 20, lambda rows: rows.nbytes)
        self.outlines: Cache[Outline] = Cache(
            32 << 20, lambda one: 5 * one.shape.nbytes + one.constants.planes.nbytes
        )
        self.sums: Cache[BlockFigures] = Cache(64 << 20, lambda one: one.nbytes)
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
        (values,) = self.columns_of([(segment, positions)])
        return values

    def columns_of(self, parts: Iterable[tuple[Segment, IntArray]]) -> Iterator[FloatArray]:
        """Yield the ``columns`` of each part. Several blocks are read and decoded at a time: of few series a
        query and a decoding call for each block would take longer than the decoding.
        """
        together: list[tuple[Segment, IntArray]] = []
        cells = 0
        for segment, positions in parts:
            wanted = segment.ticks * positions.size
            if together and cells + wanted > _CELLS_AT_ONCE:
                yield from self._columns_together(together)
                together, cells = [], 0
            together.append((segment, positions))
            cells += wanted
        yield from self._columns_together(together)

    def _columns_together(self, parts: Sequence[tuple[Segment, IntArray]]) -> Iterator[FloatArray]:
        if self._kept is None:
            blocks = self._decoded_columns([part for part in parts if part[0].is_block])
        else:
            blocks = self._kept.get([part for part in parts if part[0].is_block], self._decoded_columns)
        of_blocks = iter(blocks)
        for segment, positions in parts:
            yield next(of_blocks) if segment.is_block else self._rows(segment)[positions]

    def _rows(self, segment: Segment) -> FloatArray:
        return self._decoded.rows.get(segment.id, lambda: self._read_strip(segment))

    def _decoded_columns(self, parts: Sequence[tuple[Segment, IntArray]]) -> list[FloatArray]:
        """The columns of some blocks, those of blocks of one length as parts of one array."""
        chunks = self._chunks(parts)
        slabs: dict[int, _Slab] = {}
        places = [slabs.setdefault(segment.ticks, _Slab()).add(segment, positions, chunks)
                  for segment, positions in parts]  # fmt: skip
        decoded = {ticks: slab.decoded(ticks) for ticks, slab in slabs.items()}
        found = [
            decoded[segment.ticks][place.rows] for (segment, _), place in zip(parts, places, strict=True)
        ]
        for (segment, positions), place, values in zip(parts, places, found, strict=True):
            if place.missing:
                values[place.missing] = self._outline(segment).levels(positions[place.missing])[:, np.newaxis]
        return found

    def sums(self, segment: Segment, positions: IntArray) -> Sums:
        """Return statistics over the whole block of the series at these positions, without
        decoding samples.
        """
        return self.figures(segment).take(self._outline(segment).index[positions])

    def still(self, segment: Segment, positions: IntArray) -> tuple[NDArray[np.bool_], FloatArray]:
        """Return which of the series at these positions of a block don't vary in it, and the levels of these;
        NaN where a series has no samples, or varies.
        """
        outline = self._outline(segment)
        still = outline.shape[positions] != VARYING
        levels = np.full(positions.size, np.nan)
        levels[still] = outline.levels(positions[still])
        return still, levels

    def figures(self, segment: Segment) -> BlockFigures:
        """Return the statistics of all series of a block, as they are kept."""
        return self._decoded.sums.get(segment.id, lambda: self._read_figures(segment))

    def knows_sums(self, segment: Segment) -> bool:
        """Return True if ``sums`` has what it needs in memory."""
        return segment.id in self._decoded.sums and segment.id in self._decoded.outlines

    def _chunks(self, parts: Sequence[tuple[Segment, IntArray]]) -> dict[int, bytes]:
        """The chunks of these series of some blocks, by id: those of neighbours by their range."""
        found: dict[int, bytes] = {}
        single: list[IntArray] = []
        for segment, positions in parts:
            base = segment.id << CHUNK_BITS
            low, high = int(positions.min(initial=1 << CHUNK_BITS)), int(positions.max(initial=0))
            if positions.size > _FEW and positions.size * _DENSE >= high - low:
                found.update(self._database.ordered(_CHUNK_RANGE, (int, bytes), (base | low, base | high)))
            else:
                single.append(positions | base)
        ids = [number for some in single for number in some.tolist()]
        if len(ids) == 1:
            found.update(self._database.ordered(_ONE_CHUNK, (int, bytes), ids))
        elif ids:
            found.update(self._database.ordered(_SOME_CHUNKS, (int, bytes), (json.dumps(ids),)))
        return found

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

    def _read_figures(self, segment: Segment) -> BlockFigures:
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
        levels = outline.constants.take(slice(None))
        if np.isnan(levels).any():
            raise BlobError("a constant that is absent")
        return BlockFigures.of(segment.ticks, varying, levels)

    def _row(self, segment: Segment, sql: str, columns: int) -> tuple[Any, ...]:
        row = next(self._database.rows(sql, (bytes,) * columns, (segment.id,)), None)
        if row is None:
            raise BlobError("a block or strip that has gone")
        return row
