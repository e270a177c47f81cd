"""What a worker process does: parses the rows of a piece and compresses their values into blocks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from collectors.esxtop.fast_rows import RowParser
from collectors.esxtop.host_work import HostWork, RowBuffer
from collectors.esxtop.plan import BoolArray, Piece, PieceResult, SectionPlan
from collectors.esxtop.read_ahead import RowsAhead
from collectors.esxtop.report import DamagedRow, Losses
from collectors.esxtop.rows import CellTrouble, ExactRows, RowError
from sessions.model import FloatArray, IntArray
from sessions.store import Int32Array

_TOGETHER = 3 << 17
"""Bytes of rows that are read at once: few enough for a processor's cache, many enough for numpy."""
_OVERFLOWED = 2.0**63
_LONGEST_CELL = 40


class PieceWorker:
    """Turns the pieces of one section into blocks; rows that are ``ahead`` are parsed already."""

    def __init__(self, plan: SectionPlan, ahead: RowsAhead | None = None) -> None:
        self._plan = plan
        self._ahead = ahead
        self._buffers = [RowBuffer(plan.rows_at_once, len(host.columns)) for host in plan.hosts]
        self._parser = RowParser(plan.shape)

    def work(self, piece: Piece, pulse: Callable[[], None] | None = None) -> PieceResult:
        """Parse, repair and compress a piece; ``pulse`` is called between batches and may raise to stop."""
        losses = Losses()
        sound = np.ones(len(piece.times), dtype=np.bool_)
        hosts = self._hosts(piece)
        with piece.path.open("rb") as file:
            begin = 0
            while begin < len(piece.starts):
                rows: FloatArray | Int32Array | None = self._rows_ahead(piece, begin)
                if rows is None:
                    rows = self._read(_group_at(begin, piece, file), piece, sound, losses)
                for host in hosts:
                    host.add(rows, sound[begin : begin + len(rows)])
                begin += len(rows)
                if pulse is not None:
                    pulse()
        results = tuple(host.finish() for host in hosts)
        times, sound = piece.times[piece.context :], sound[piece.context :]
        return PieceResult(
            number=piece.number,
            section=piece.section,
            hosts=results,
            times=times[sound],
            lost=times[~sound],
            losses=losses,
            no_io=any(host.no_io for host in hosts),
        )

    def _hosts(self, piece: Piece) -> list[HostWork]:
        width = max(1, sum(len(host.columns) for host in self._plan.hosts))
        return [
            HostWork(host, piece, index, buffer, self._plan.max_gathered_bytes * len(host.columns) // width)
            for index, (host, buffer) in enumerate(zip(self._plan.hosts, self._buffers, strict=True))
        ]

    def _rows_ahead(self, piece: Piece, begin: int) -> Int32Array | None:
        width = self._parser.width_of_hundredths
        return self._ahead.take(piece, begin, width) if self._ahead is not None and width else None

    def _read(self, group: _Group, piece: Piece, sound: BoolArray, losses: Losses) -> FloatArray | Int32Array:
        hundredths = self._parser.hundredths(group.data, group.starts, group.ends)
        return hundredths if hundredths is not None else self._rows(group, piece, sound, losses)

    def _rows(self, group: _Group, piece: Piece, sound: BoolArray, losses: Losses) -> FloatArray:
        lines, begin = group.lines(), group.begin
        together = self._parser.several(lines)
        rows = self._one_by_one(group, lines, piece, sound, losses) if together is None else together
        return self._without_overflows(rows, lines, piece, begin, losses)

    def _one_by_one(
        self, group: _Group, lines: list[bytes], piece: Piece, sound: BoolArray, losses: Losses
    ) -> FloatArray:
        begin = group.begin
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

    def _without_overflows(
        self, rows: FloatArray, lines: list[bytes], piece: Piece, begin: int, losses: Losses
    ) -> FloatArray:
        """The values but for those that no 64-bit counter holds: they are differences that wrapped around."""
        wild = np.abs(rows) >= _OVERFLOWED
        if not wild.any():
            return rows
        for row in np.flatnonzero(wild.any(axis=1)).tolist():
            values = np.flatnonzero(wild[row])
            if begin + row >= piece.context:
                losses.add(self._overflowed(piece, begin + row, lines[row], values))
        return np.where(wild, np.nan, rows)

    def _overflowed(self, piece: Piece, index: int, line: bytes, values: IntArray) -> DamagedRow:
        at = self._plan.shape.fields_of_values[int(values[0])]
        text = ExactRows(self._plan.shape).text(line, at)[:_LONGEST_CELL]
        why = f"{text!r} in column {at + 2} is a counter that overflowed"
        return DamagedRow(self._plan.file, int(piece.lines[index]), len(values), whole=False, why=why)

    def _whole_row(self, piece: Piece, index: int, why: str) -> DamagedRow:
        width = self._plan.shape.width
        return DamagedRow(self._plan.file, int(piece.lines[index]), width, whole=True, why=why)

    def _some_cells(self, piece: Piece, index: int, trouble: CellTrouble) -> DamagedRow:
        why = f"{trouble.first!r} in column {trouble.fields[0] + 2} is not a number"
        line = int(piece.lines[index])
        return DamagedRow(self._plan.file, line, len(trouble.fields), whole=False, why=why)


@dataclass(frozen=True, slots=True)
class _Group:
    """Consecutive rows of a piece, the first of which is row ``begin``: row i is data[starts[i]:ends[i]]."""

    begin: int
    data: bytes
    starts: list[int]
    ends: list[int]

    def lines(self) -> list[bytes]:
        """The rows one by one."""
        return [self.data[start:end] for start, end in zip(self.starts, self.ends, strict=True)]


def _group_at(begin: int, piece: Piece, file: BinaryIO) -> _Group:
    """Rows of the piece from ``begin`` on, as many as fit a modest buffer."""
    limit = piece.starts[begin] + _TOGETHER
    end = max(begin + 1, int(np.searchsorted(piece.ends, limit, side="right")))
    origin = int(piece.starts[begin])
    file.seek(origin)
    data = file.read(int(piece.ends[end - 1]) - origin)
    starts, ends = piece.starts[begin:end] - origin, piece.ends[begin:end] - origin
    return _Group(begin, data, starts.tolist(), ends.tolist())
