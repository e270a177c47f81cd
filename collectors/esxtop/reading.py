"""Divides a capture into pieces: finds its rows, their times, and headers within the file."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from collectors.esxtop.backward_steps import BackwardSteps
from collectors.esxtop.clock import clock_for
from collectors.esxtop.cutting import Cutter, Section
from collectors.esxtop.header import Header, looks_like_header, read_header
from collectors.esxtop.lines import Lines, lines_of
from collectors.esxtop.opening import text_of
from collectors.esxtop.peek import Peek, header_index, lines_before_header
from collectors.esxtop.plan import Piece
from collectors.esxtop.report import DamagedRow, Losses
from collectors.esxtop.summer_time import SummerTime
from collectors.esxtop.timestamps import NO_TIME
from collectors.esxtop_names import Counters
from resources.units import format_count
from sessions.model import IntArray

_MAX_HEADERS = 500
_NOTHING = b' ,;\t"\r'


@dataclass(slots=True)
class Tally:
    """What was read of a file: bytes on disk, rows with a time, and what was lost before a worker saw it."""

    position: int = 0
    rows: int = 0
    losses: Losses = field(default_factory=Losses)
    notes: list[str] = field(default_factory=list)


class CaptureReader:
    """Cuts one file into pieces. ``open_section`` is called for each header that the file has."""

    def __init__(
        self, found: Peek, catalogue: Counters, open_section: Callable[[Header], Section], spool: Path | None
    ) -> None:
        self._found = found
        self._capture = found.capture
        self._catalogue = catalogue
        self._open_section = open_section
        self._spool = None if found.capture.direct else spool
        self._cutters: dict[bytes, Cutter] = {}
        self._backward_steps = BackwardSteps()
        self._summer_time = SummerTime()
        self.tally = Tally()

    def pieces(self) -> Generator[Piece | None]:
        """Yield all pieces in the order of the file, and None now and then so that progress can be reported.

        Close the generator when it is not run to its end.
        """
        try:
            yield from self._pieces()
        finally:
            for cutter in self._cutters.values():
                cutter.close()

    def _pieces(self) -> Iterator[Piece | None]:
        clock = clock_for(self._capture, self._found.header, self._found.beginning)
        self.tally.notes += clock.notes
        cutter: Cutter | None = None
        with text_of(self._capture) as stream:
            for lines in lines_of(stream, self._capture.skip):
                self.tally.position = stream.position
                times = clock.times(lines)
                if lines.overlong:
                    self._lose(lines.overlong, 0, "the line does not end")
                if cutter is None and (said := lines_before_header(lines)):
                    self.tally.notes.append(f"{format_count(said)} lines before the header were left out.")
                begin = 0
                for at in _headers(lines, first=cutter is None):
                    if cutter is not None:
                        yield from self._rows(cutter, lines, times, begin, at)
                        yield from cutter.flush()
                    begin = at + 1
                    cutter = self._cutter(lines, at) or cutter
                if cutter is not None:
                    yield from self._rows(cutter, lines, times, begin, len(lines.starts))
                yield None
            if cutter is not None:
                yield from cutter.flush()
            self.tally.notes += filter(None, (self._summer_time.note(), self._backward_steps.note()))
            if stream.broken:
                self.tally.notes.append(
                    f"It can't be unpacked to its end ({stream.broken}): the rows before that were read."
                )

    def _cutter(self, lines: Lines, at: int) -> Cutter | None:
        """The cutter of the header at that line, ready for a capture's first row."""
        line = lines.line(at)
        cutter = self._cutters.get(line)
        if cutter is None:
            header = self._header(line)
            if header is None or not header.has_time or not any(header.paths):
                self._lose(int(lines.numbers[at]), 0, "a header in the middle that can't be read")
                return None
            cutter = Cutter(self._open_section(header), header, self._capture, self._spool)
            self._cutters[line] = cutter
        cutter.restart()
        self._backward_steps.restart()
        self._summer_time.restart(cutter.zone)
        return cutter

    def _header(self, line: bytes) -> Header | None:
        if line == self._found.line:
            return self._found.header
        return read_header(line, self._catalogue) if len(self._cutters) < _MAX_HEADERS else None

    def _rows(self, cutter: Cutter, lines: Lines, times: IntArray, begin: int, end: int) -> Iterator[Piece]:
        if lines.unterminated and begin < end == len(lines.starts) and cutter.is_cut(lines.line(end - 1)):
            end -= 1
            self.tally.notes.append(
                f"The last row (line {lines.numbers[end]}) is cut short and was left out."
            )
        rows = np.arange(begin, end)
        for at in rows[times[begin:end] == NO_TIME].tolist():
            line = lines.line(at)
            if line.strip(_NOTHING):
                start = line[:40].decode("utf-8", "replace")
                self._lose(int(lines.numbers[at]), cutter.width, f"no time can be read in {start!r}")
        rows = rows[times[begin:end] != NO_TIME]
        self.tally.rows += len(rows)
        right = self._summer_time.corrected(times[rows], lines.numbers[rows])
        self._backward_steps.follow(right, lines.numbers[rows])
        yield from cutter.add(lines, rows, right)

    def _lose(self, line: int, cells: int, why: str) -> None:
        self.tally.losses.add(DamagedRow(self._capture.path.name, line, cells, whole=True, why=why))


def _headers(lines: Lines, *, first: bool) -> list[int]:
    """Indices of the lines that are headers; a file's first line is taken for one."""
    view = np.frombuffer(lines.data, dtype=np.uint8)
    begins = lines.starts
    after = view[np.minimum(begins + 1, len(view) - 1)]
    maybe = (view[begins] == ord("(")) | ((view[begins] == ord('"')) & (after == ord("(")))
    found = [at for at in np.flatnonzero(maybe).tolist() if looks_like_header(lines.line(at))]
    start = header_index(lines) if first else None
    return found if start is None or start in found else [start, *found]
