"""One piece of a capture from bytes to blocks: what a worker process does, with nothing but numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import BinaryIO

import numpy as np

from collectors.esxtop.fast_rows import RowParser
from collectors.esxtop.host_work import HostWork
from collectors.esxtop.plan import BoolArray, Piece, PieceResult, SectionPlan
from collectors.esxtop.report import DamagedRow, Losses
from collectors.esxtop.rows import CellTrouble, RowError
from sessions.model import FloatArray

_TOGETHER = 1 << 16


class PieceWorker:
    """Turns the pieces of one section into blocks."""

    def __init__(self, plan: SectionPlan) -> None:
        self._plan = plan
        # Fresh memory is slow: pieces use it one after another.
        self._buffers = [np.empty((plan.rows_at_once, len(host.columns))) for host in plan.hosts]
        self._parser = RowParser(plan.shape)

    def work(self, piece: Piece, pulse: Callable[[], None] | None = None) -> PieceResult:
        """Parse, repair and encode; ``pulse`` is called now and then, and may raise to stop."""
        losses = Losses()
        sound = np.ones(len(piece.times), dtype=np.bool_)
        hosts = self._hosts(piece)
        with piece.path.open("rb") as file:
            for begin, lines in _groups(piece, file):
                rows = self._rows(lines, piece, begin, sound, losses)
                for host in hosts:
                    host.add(rows, sound[begin : begin + len(lines)])
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
            HostWork(host, piece, index, buffer, self._plan.most_bytes * len(host.columns) // width)
            for index, (host, buffer) in enumerate(zip(self._plan.hosts, self._buffers, strict=True))
        ]

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
