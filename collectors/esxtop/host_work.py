"""One host's part of a piece: rows are collected, repaired, and gathered for their blocks."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from collectors.esxtop.plan import BoolArray, HostPlan, HostResult, Piece
from collectors.esxtop.repairs import CountsToRates, drop_first_io, fill_runs, take_out_zero_fills
from sessions.model import FloatArray, IntArray
from sessions.store import EncodedBlock, Gathering


class HostWork:
    """Takes the piece's rows in order.

    They are settled as often as ``buffer`` (rows, series) is full, and make blocks as soon as they take
    ``most_bytes``.
    """

    def __init__(self, plan: HostPlan, piece: Piece, index: int, buffer: FloatArray, most_bytes: int) -> None:
        self.no_io = False
        self._plan = plan
        self._piece = piece
        self._known = piece.known[index] if piece.known else ()
        self._buffer = buffer
        self._take = _as_slice(plan.columns)
        self._most_bytes = most_bytes
        self._gathered = Gathering()
        self._blocks: list[tuple[EncodedBlock, ...]] = []
        self._rates = CountsToRates(plan)
        self._sound: list[BoolArray] = []
        self._filled: list[BoolArray] = []
        self._begin = 0
        self._count = 0
        self._lowest = np.full(len(plan.facts), np.inf)
        self._highest = np.full(len(plan.facts), -np.inf)

    def add(self, rows: FloatArray, sound: BoolArray) -> None:
        """Take rows of all hosts, and which of them are whole."""
        done = 0
        while done < len(rows):
            if self._count == len(self._buffer):
                self._gathered.add(*self._settle())
                if self._gathered.nbytes >= self._most_bytes:
                    self._make_blocks()
            some = min(len(rows) - done, len(self._buffer) - self._count)
            self._buffer[self._count : self._count + some] = rows[done : done + some, self._take]
            self._sound.append(sound[done : done + some].copy())
            self._count += some
            done += some

    def finish(self) -> HostResult:
        """The blocks, and what the rows said beside them."""
        self._gathered.add(*self._settle())
        self._make_blocks()
        context = int(self._piece.context)
        filled = np.concatenate(self._filled)[context:] if self._filled else np.zeros((0, 0), dtype=np.bool_)
        runs = tuple(fill_runs(filled, self._plan, self._piece.times[context:], self._piece.base))
        return HostResult(tuple(self._blocks), runs, self._lowest, self._highest)

    def _make_blocks(self) -> None:
        """A block for each layout of what was gathered."""
        blocks = (self._gathered.block(begin, end) for begin, end in pairwise(self._plan.cuts))
        made = tuple(block for block in blocks if block is not None)
        if made:
            self._blocks.append(made)
        self._gathered.clear()

    def _settle(self) -> tuple[IntArray, FloatArray]:
        """Repair what is in the buffer; returns times and values of the rows that are to be kept."""
        begin, end = self._begin, self._begin + self._count
        values, times = self._buffer[: self._count], self._piece.times[begin:end]
        first = self._piece.first
        if first is not None and begin <= first < end:
            self.no_io |= drop_first_io(values, self._plan, first - begin)
        self._filled.append(take_out_zero_fills(values, self._plan))
        self._rates.turn(values, times)
        keep = np.concatenate(self._sound) if self._sound else np.zeros(0, dtype=np.bool_)
        context = max(0, int(self._piece.context) - begin)
        keep[:context] = False
        self._note_facts(values[context:])
        for known in self._known:
            self._leave_out(values, keep, known.rows, known.positions)
        self._begin, self._count, self._sound = end, 0, []
        return _kept(times, values, keep)

    def _leave_out(
        self, values: FloatArray, keep: BoolArray, rows: BoolArray, positions: IntArray | None
    ) -> None:
        """Rows, or some series of them, that the session has already; ``rows`` counts from the context on."""
        first = self._begin - int(self._piece.context)
        here = np.zeros(len(keep), dtype=np.bool_)
        skipped = max(0, -first)
        here[skipped:] = rows[first + skipped : first + len(keep)]
        if positions is None:
            keep &= ~here
        else:
            values[np.ix_(np.flatnonzero(here), positions)] = np.nan

    def _note_facts(self, values: FloatArray) -> None:
        facts = values[:, self._plan.facts]
        absent = np.isnan(facts)
        lowest = np.where(absent, np.inf, facts).min(axis=0, initial=np.inf)
        highest = np.where(absent, -np.inf, facts).max(axis=0, initial=-np.inf)
        self._lowest = np.minimum(self._lowest, lowest)
        self._highest = np.maximum(self._highest, highest)


def _kept(times: IntArray, values: FloatArray, keep: BoolArray) -> tuple[IntArray, FloatArray]:
    """The rows to keep, without a copy where only the first ones go."""
    first = int(np.argmax(keep)) if keep.any() else len(keep)
    times, values, keep = times[first:], values[first:], keep[first:]
    return (times, values) if keep.all() else (times[keep], values[keep])


def _as_slice(columns: IntArray) -> slice | IntArray:
    """The columns as a slice where they lie together, which spares a copy."""
    if len(columns) and columns[-1] - columns[0] == len(columns) - 1:
        return slice(int(columns[0]), int(columns[-1]) + 1)
    return columns
