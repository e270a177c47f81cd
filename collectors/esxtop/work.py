"""One piece of a capture from bytes to blocks: what a worker process does, with nothing but numbers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import BinaryIO

import numpy as np

from collectors.esxtop.fast_rows import RowParser
from collectors.esxtop.plan import (
    BoolArray,
    HostPlan,
    HostResult,
    Piece,
    PieceResult,
    SectionPlan,
)
from collectors.esxtop.repairs import counts_to_rates, drop_first_io, fill_runs, take_out_zero_fills
from collectors.esxtop.report import DamagedRow, Losses
from collectors.esxtop.rows import CellTrouble, RowError
from sessions.model import FloatArray, IntArray
from sessions.store import encode_block

_TOGETHER = 1 << 16


class PieceWorker:
    """Turns the pieces of one section into blocks."""

    def __init__(self, plan: SectionPlan) -> None:
        self._plan = plan
        self._parser = RowParser(plan.shape)
        self._takes = [_as_slice(host.columns) for host in plan.hosts]
        self._buffers = [np.empty((0, len(host.columns))) for host in plan.hosts]

    def work(self, piece: Piece) -> PieceResult:
        """Parse, repair and encode."""
        losses = Losses()
        with piece.path.open("rb") as file:
            parts, sound = self._parse(piece, file, losses)
        results, no_io = [], False
        for index, host in enumerate(self._plan.hosts):
            values = parts[index]
            if piece.first is not None:
                no_io |= drop_first_io(values, host, piece.first)
            results.append(_encode(values, sound, host, piece, index))
        times, sound = piece.times[piece.context :], sound[piece.context :]
        return PieceResult(
            number=piece.number,
            section=piece.section,
            hosts=tuple(results),
            times=times[sound],
            lost=times[~sound],
            losses=losses,
            no_io=no_io,
        )

    def _parse(self, piece: Piece, file: BinaryIO, losses: Losses) -> tuple[list[FloatArray], BoolArray]:
        """Each host's values (rows, series), and which rows are whole."""
        sound = np.ones(len(piece.times), dtype=np.bool_)
        parts = self._room(len(piece.times))
        for begin, lines in _groups(piece, file):
            rows = self._rows(lines, piece, begin, sound, losses)
            for part, take in zip(parts, self._takes, strict=True):
                part[begin : begin + len(lines)] = rows[:, take]
        return parts, sound

    def _room(self, rows: int) -> list[FloatArray]:
        """Arrays for so many rows of each host, used again for the next piece: fresh memory is slow."""
        if self._buffers and len(self._buffers[0]) < rows:
            self._buffers = [np.empty((rows, len(host.columns))) for host in self._plan.hosts]
        return [buffer[:rows] for buffer in self._buffers]

    def _rows(
        self, lines: list[bytes], piece: Piece, begin: int, sound: BoolArray, losses: Losses
    ) -> FloatArray:
        together = self._parser.several(lines)
        if together is not None:
            return together
        rows = np.full((len(lines), self._plan.shape.width), np.nan)
        for index, line in enumerate(lines, start=begin):
            reported = index >= piece.context
            try:
                rows[index - begin], trouble = self._parser.one(line)
            except RowError as error:
                sound[index] = False
                if reported:
                    losses.add(self._whole_row(piece, index, str(error)))
                continue
            if trouble and reported:
                losses.add(self._some_cells(piece, index, trouble))
        return rows

    def _whole_row(self, piece: Piece, index: int, why: str) -> DamagedRow:
        width = self._plan.shape.width
        return DamagedRow(self._plan.file, int(piece.lines[index]), width, whole=True, why=why)

    def _some_cells(self, piece: Piece, index: int, trouble: CellTrouble) -> DamagedRow:
        why = f"{trouble.first!r} in column {trouble.fields[0] + 2} is not a number"
        line = int(piece.lines[index])
        return DamagedRow(self._plan.file, line, len(trouble.fields), whole=False, why=why)


def _groups(piece: Piece, file: BinaryIO) -> Iterator[tuple[int, list[bytes]]]:
    """Index of the first row and the rows, as many at a time as fit a modest buffer."""
    begin, rows = 0, len(piece.starts)
    while begin < rows:
        limit = piece.starts[begin] + _TOGETHER
        end = max(begin + 1, int(np.searchsorted(piece.ends, limit, side="right")))
        origin = int(piece.starts[begin])
        file.seek(origin)
        data = file.read(int(piece.ends[end - 1]) - origin)
        starts = (piece.starts[begin:end] - origin).tolist()
        ends = (piece.ends[begin:end] - origin).tolist()
        yield begin, [data[start:stop] for start, stop in zip(starts, ends, strict=True)]
        begin = end


def _encode(values: FloatArray, sound: BoolArray, plan: HostPlan, piece: Piece, index: int) -> HostResult:
    filled = take_out_zero_fills(values, plan)
    context = int(piece.context)
    runs = tuple(fill_runs(filled[context:], plan, piece.times[context:], piece.base))
    counts_to_rates(values, plan, piece.times)
    facts = values[context:, plan.facts]
    keep = sound.copy()
    keep[:context] = False
    for known in piece.known[index] if piece.known else ():
        if known.positions is None:
            keep[context:] &= ~known.rows
        else:
            values[np.ix_(np.flatnonzero(known.rows) + context, known.positions)] = np.nan
    times = piece.times
    if not keep.all():
        first = int(np.argmax(keep)) if keep.any() else len(keep)
        values, times, keep = values[first:], times[first:], keep[first:]
        if not keep.all():
            values, times = values[keep], times[keep]
    blocks = (
        tuple(encode_block(times, values[:, begin:end]) for begin, end in pairwise(plan.cuts))
        if len(times)
        else ()
    )
    return HostResult(blocks, runs, _lowest(facts), -_lowest(-facts))


def _lowest(facts: FloatArray) -> FloatArray:
    """Of each column; infinity for a column without a value."""
    lowest: FloatArray = np.where(np.isnan(facts), np.inf, facts).min(axis=0, initial=np.inf)
    return lowest


def _as_slice(columns: IntArray) -> slice | IntArray:
    """The columns as a slice where they lie together, which spares a copy."""
    if len(columns) and columns[-1] - columns[0] == len(columns) - 1:
        return slice(int(columns[0]), int(columns[-1]) + 1)
    return columns
