"""Cutting the rows under one header into pieces of a size that suits the workers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

import numpy as np

from collectors.esxtop.header import Header
from collectors.esxtop.lines import Lines
from collectors.esxtop.opening import Capture
from collectors.esxtop.plan import Piece
from sessions.model import IntArray

_FIRST_ROWS = 8
"""The first piece is small: its rows can be looked at while the rest is still being read."""
_MAX_BYTES = 256 << 20


class Section(Protocol):
    """What a Cutter needs to know of the section (the rows under one header) that it cuts."""

    @property
    def number(self) -> int:
        """The section's number, by which pieces and results name it."""

    def rows_per_piece(self, rows_left: float) -> int:
        """Return how many rows the next piece should have if ``rows_left`` rows follow."""

    def next_piece(self) -> int:
        """Return the number of a new piece, unique within the import."""

    def begin(self, line: bytes) -> None:
        """Take note of the section's first row: text columns are read from it."""


@dataclass(frozen=True, slots=True)
class _Rows:
    starts: IntArray
    ends: IntArray
    times: IntArray
    lines: IntArray

    def __len__(self) -> int:
        return len(self.times)

    def part(self, begin: int, end: int | None = None) -> _Rows:
        return _Rows(
            self.starts[begin:end], self.ends[begin:end], self.times[begin:end], self.lines[begin:end]
        )

    def then(self, more: _Rows) -> _Rows:
        if not len(self):
            return more
        return _Rows(
            np.concatenate((self.starts, more.starts)),
            np.concatenate((self.ends, more.ends)),
            np.concatenate((self.times, more.times)),
            np.concatenate((self.lines, more.lines)),
        )


_NO_ROWS = _Rows(*(np.empty(0, dtype=np.int64) for _ in range(4)))


class Cutter:
    """Collects rows until they make a piece.

    With ``spool`` the rows are copied to files of their own in that directory, one a piece, because the
    capture's bytes are not its text (compressed, another encoding).
    """

    def __init__(self, section: Section, header: Header, capture: Capture, spool: Path | None) -> None:
        self._section = section
        self._header = header
        self._path = capture.path
        self._size = float(capture.size) if capture.direct else math.inf
        self._spool = spool
        self._limit = _FIRST_ROWS
        self._file: BinaryIO | None = None
        self._carried = b""
        self._rows = _NO_ROWS
        self._number = 0
        self._context = 0
        self._first = True
        self._base = 0
        self._begun = False

    @property
    def width(self) -> int:
        """The number of values in a row."""
        return self._header.shape.width

    @property
    def zone(self) -> str:
        """The zone of its rows' clock; empty if the header names none."""
        return self._header.zone

    def restart(self) -> None:
        """Begin a new capture: the next row has no row before it, so that no rate is computed across."""
        self._first = True
        self._context = 0
        self._rows = _NO_ROWS
        self._carried = b""
        self.close()

    def is_cut(self, line: bytes) -> bool:
        """Return True if the file's last line has fewer fields than the header, or ends within a field."""
        delimiter = self._header.shape.delimiter
        line = line.rstrip(b" \r")
        fields = line.count(delimiter) - (self._header.shape.trailing and line.endswith(delimiter))
        if fields < len(self._header.shape.kinds):
            return True
        return self._header.quoted and not line.removesuffix(delimiter).endswith(b'"')

    def add(self, lines: Lines, indices: IntArray, times: IntArray) -> Iterator[Piece]:
        """Add rows of known time (the file's clock); yields each piece that became full."""
        if not len(indices):
            return
        if not self._begun:
            self._section.begin(lines.line(int(indices[0])))
            self._begun = True
        times = times + self._header.bias_minutes * 60_000
        rows = _Rows(lines.starts[indices], lines.ends[indices], times, lines.numbers[indices])
        while len(rows):
            room = max(1, self._limit - (len(self._rows) - self._context))
            taken = self._fitting(rows.part(0, room))
            self._append(lines, rows.part(0, taken))
            rows = rows.part(taken)
            if len(self._rows) - self._context >= self._limit or self._bytes >= _MAX_BYTES:
                yield self._cut()

    def flush(self) -> Iterator[Piece]:
        """Yield the remaining rows as a last piece."""
        if len(self._rows) > self._context:
            yield self._cut()

    def close(self) -> None:
        """Close the spool file that is being written."""
        if self._file is not None:
            self._file.close()
            self._file = None

    @property
    def _bytes(self) -> int:
        return int(self._rows.ends[-1] - self._rows.starts[0]) if len(self._rows) else 0

    def _fitting(self, rows: _Rows) -> int:
        """How many of the rows to take at once so that a piece's bytes stay modest."""
        allowed = int(rows.starts[0]) + max(1, _MAX_BYTES - self._bytes)
        return max(1, int(np.searchsorted(rows.ends, allowed, side="right")))

    def _append(self, lines: Lines, rows: _Rows) -> None:
        if self._spool is not None:
            rows = self._spool_rows(lines, rows, self._spool)
        else:
            rows = _Rows(rows.starts + lines.offset, rows.ends + lines.offset, rows.times, rows.lines)
        self._rows = self._rows.then(rows)

    def _spool_rows(self, lines: Lines, rows: _Rows, spool: Path) -> _Rows:
        if self._file is None:
            self._number = self._section.next_piece()
            self._file = (spool / f"{self._number}.rows").open("wb")
            self._file.write(self._carried)
        origin = self._file.tell() - int(rows.starts[0])
        self._file.write(memoryview(lines.data)[int(rows.starts[0]) : int(rows.ends[-1])])
        return _Rows(rows.starts + origin, rows.ends + origin, rows.times, rows.lines)

    def _cut(self) -> Piece:
        number = self._section.next_piece() if self._spool is None else self._number
        path = self._path if self._spool is None else self._spool / f"{number}.rows"
        rows = self._rows
        piece = Piece(
            number=number,
            section=self._section.number,
            path=path,
            spooled=self._spool is not None,
            starts=rows.starts,
            ends=rows.ends,
            times=rows.times,
            lines=rows.lines,
            base=self._base,
            context=bool(self._context),
            first=0 if self._first else None,
        )
        self._base += piece.rows
        row_bytes = self._bytes / len(rows) + 1
        self._limit = self._section.rows_per_piece((self._size - float(rows.ends[-1])) / row_bytes)
        self._carry(path)
        return piece

    def _carry(self, path: Path) -> None:
        """Keep the last row as the context of the next piece."""
        last = self._rows.part(-1)
        self._first = self._first and len(self._rows) == 1
        self._context = 1
        self._rows = last
        if self._spool is None:
            return
        self.close()
        with path.open("rb") as file:
            file.seek(int(last.starts[0]))
            self._carried = file.read(int(last.ends[0] - last.starts[0]))
        self._rows = _Rows(last.starts * 0, last.ends - last.starts, last.times, last.lines)
