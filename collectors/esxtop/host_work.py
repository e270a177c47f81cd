"""One host's columns of a piece: values are repaired, gathered and compressed into blocks."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import cast

import numpy as np

from collectors.esxtop.plan import BoolArray, HostPlan, HostResult, Piece, RepeatedRows
from collectors.esxtop_names import EsxtopRepairs, ZeroFillRuns
from sessions.model import FloatArray, IntArray
from sessions.store import NOTHING, EncodedBlock, Gathering, Int32Array, numbers_of


class RowBuffer:
    """Reusable arrays for a batch of a host's rows: one for numbers, one for hundredths."""

    def __init__(self, rows: int, series: int) -> None:
        self._shape = (rows, series)
        self._hundredths: Int32Array | None = None
        self._numbers: FloatArray | None = None

    def like(self, rows: FloatArray | Int32Array) -> FloatArray | Int32Array:
        """Return the array whose type is that of ``rows``."""
        # Fresh memory is slow, and a capture rarely has rows of both types.
        if rows.dtype.kind == "f":
            if self._numbers is None:
                self._numbers = np.empty(self._shape)
            return self._numbers
        if self._hundredths is None:
            self._hundredths = np.empty(self._shape, np.int32)
        return self._hundredths


class HostWork:
    """Turns one host's values of a piece into blocks; rows are added in order.

    They are repaired and gathered as often as ``buffer`` is full, and make blocks that take at most
    ``max_gathered_bytes`` before they are compressed.
    """

    def __init__(
        self, plan: HostPlan, piece: Piece, index: int, buffer: RowBuffer, max_gathered_bytes: int
    ) -> None:
        self.no_io = False
        self._plan = plan
        self._piece = piece
        self._known = piece.known[index] if piece.known else ()
        self._buffers = buffer
        self._buffer: FloatArray | Int32Array = np.empty((0, len(plan.columns)))
        self._take = _as_slice(plan.columns)
        self._max_gathered_bytes = max_gathered_bytes
        self._gathered = Gathering()
        self._blocks: list[tuple[EncodedBlock, ...]] = []
        self._repairs = EsxtopRepairs(plan.repairs)
        self._runs = ZeroFillRuns(plan.repairs, piece.base)
        self._sound: list[BoolArray] = []
        self._begin = 0
        self._made = 0
        self._count = 0
        self._lowest = np.full(len(plan.facts), np.inf)
        self._highest = np.full(len(plan.facts), -np.inf)

    def add(self, rows: FloatArray | Int32Array, sound: BoolArray) -> None:
        """Add rows of all hosts' columns, as numbers or hundredths; ``sound`` marks the readable rows."""
        if self._buffer.dtype != rows.dtype or not len(self._buffer):
            self._repair_and_gather()
            self._buffer = self._buffers.like(rows)
        done = 0
        while done < len(rows):
            if self._count == len(self._buffer):
                self._repair_and_gather()
                if self._must_make_block():
                    self._make_blocks()
            some = min(len(rows) - done, len(self._buffer) - self._count)
            self._buffer[self._count : self._count + some] = rows[done : done + some, self._take]
            self._sound.append(sound[done : done + some].copy())
            self._count += some
            done += some

    def finish(self) -> HostResult:
        """Compress the remaining rows; return all blocks, zero-fill runs, and the range of fact columns."""
        self._repair_and_gather()
        self._make_blocks()
        return HostResult(tuple(self._blocks), tuple(self._runs.runs()), self._lowest, self._highest)

    def _must_make_block(self) -> bool:
        """Whether to make blocks now: as few of the piece as memory allows, of about the same size."""
        size = self._gathered.nbytes
        rows, all_rows = self._begin - self._made, len(self._piece.times) - self._made
        if not size or size * all_rows <= self._max_gathered_bytes * rows:
            return False
        blocks = math.ceil(size * all_rows / (self._max_gathered_bytes * rows))
        return size >= self._max_gathered_bytes or rows * blocks >= all_rows

    def _make_blocks(self) -> None:
        """A block for each layout of what was gathered."""
        blocks = (self._gathered.block(begin, end) for begin, end in pairwise(self._plan.cuts))
        made = tuple(block for block in blocks if block is not None)
        if made:
            self._blocks.append(made)
        self._gathered.clear()
        self._made = self._begin

    def _repair_and_gather(self) -> None:
        """Repair what is in the buffer, and gather the rows that are to be kept."""
        if not self._count:
            return
        begin, end = self._begin, self._begin + self._count
        values, times = self._buffer[: self._count], self._piece.times[begin:end]
        first = self._piece.first
        repaired = self._repairs.repair(
            times, values, first=first - begin if first is not None and begin <= first < end else None
        )
        self.no_io |= repaired.without_io
        context = max(0, int(self._piece.context) - begin)
        self._runs.add(times[context:], repaired.filled[context:])
        keep = np.concatenate(self._sound)
        keep[:context] = False
        self._note_facts(values[context:])
        for known in self._known:
            self._leave_out(values, repaired.rates, keep, known)
        self._begin, self._count, self._sound = end, 0, []
        self._gather(times, values, repaired.rates, _kept(keep))

    def _gather(
        self,
        times: IntArray,
        values: FloatArray | Int32Array,
        rates: FloatArray,
        kept: slice | BoolArray,
    ) -> None:
        if values.dtype == np.int32:
            cumulative = self._plan.repairs.cumulative
            hundredths = cast("Int32Array", values[kept])
            self._gathered.add_hundredths(times[kept], hundredths, cumulative, rates[kept])
        else:
            self._gathered.add(times[kept], cast("FloatArray", values[kept]))

    def _leave_out(
        self, values: FloatArray | Int32Array, rates: FloatArray, keep: BoolArray, known: RepeatedRows
    ) -> None:
        """Rows, or some series of them, that the session has already; these count from the context on."""
        first = self._begin - int(self._piece.context)
        here = np.zeros(len(keep), dtype=np.bool_)
        skipped = max(0, -first)
        here[skipped:] = known.rows[first + skipped : first + len(keep)]
        if known.positions is None:
            keep &= ~here
        else:
            absent = np.nan if values.dtype.kind == "f" else NOTHING
            rows = np.flatnonzero(here)
            values[np.ix_(rows, known.positions)] = absent
            rates[np.ix_(rows, np.isin(self._plan.repairs.cumulative, known.positions))] = np.nan

    def _note_facts(self, values: FloatArray | Int32Array) -> None:
        facts = numbers_of(values[:, self._plan.facts])
        absent = np.isnan(facts)
        lowest = np.where(absent, np.inf, facts).min(axis=0, initial=np.inf)
        highest = np.where(absent, -np.inf, facts).max(axis=0, initial=-np.inf)
        self._lowest = np.minimum(self._lowest, lowest)
        self._highest = np.maximum(self._highest, highest)


def _kept(keep: BoolArray) -> slice | BoolArray:
    """Which rows to keep: a slice, which needs no copy, where only the first ones go."""
    first = int(np.argmax(keep)) if keep.any() else len(keep)
    return slice(first, None) if keep[first:].all() else keep


def _as_slice(columns: IntArray) -> slice | IntArray:
    """The columns as a slice where they lie together, which spares a copy."""
    if len(columns) and columns[-1] - columns[0] == len(columns) - 1:
        return slice(int(columns[0]), int(columns[-1]) + 1)
    return columns
