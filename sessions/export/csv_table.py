"""Writes CSV files that are safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import chain, repeat
from pathlib import Path
from typing import Any, Self, TextIO

import numpy as np
from numpy.typing import NDArray

from resources.spreadsheet_text import safe_cell
from sessions.clock import UTC_CLOCK, Clock
from sessions.export.columns import Cell, ExportColumn, RepeatedTexts, row_count

SLAB_ROWS = 1 << 16
_QUOTED = "\r\n\u2028\u2029"
"""Cells with what some reader takes for the end of a line are quoted. ``csv`` quotes what stands in its
``lineterminator``: before Python 3.13 no carriage return else, and Unicode's line and paragraph separators
never."""
_LINE_BREAK = re.compile("[\r\u2028\u2029]")


class CsvRows:
    """Writes rows to an open text file (RFC 4180, lines ended by LF).

    Texts that a spreadsheet would run as formulas are made harmless, see ``safe_cell``.
    """

    def __init__(self, file: TextIO, columns: Sequence[str], clock: Clock = UTC_CLOCK) -> None:
        self._clock = clock
        self._fast = csv.writer(file, lineterminator="\n")
        self._careful = csv.writer(_LinesEndedByLf(file), lineterminator=_QUOTED)
        self._fast.writerow(columns)

    def write(self, columns: Sequence[ExportColumn]) -> None:
        """Append rows, given as columns of equal length."""
        cells = zip(*(_cells(column, self._clock) for column in columns), strict=True)
        needs_care = any(map(_LINE_BREAK.search, chain.from_iterable(map(_texts, columns))))
        out = self._careful if needs_care else self._fast
        out.writerows(cells)


class _LinesEndedByLf:
    """Takes lines that end in all of ``_QUOTED``."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, line: str) -> int:
        return self._file.write(line.removesuffix(_QUOTED) + "\n")


class CsvTable:
    """A CSV file in UTF-8, written by ``CsvRows``."""

    def __init__(self, path: Path, columns: Sequence[str], clock: Clock = UTC_CLOCK) -> None:
        self.rows = 0
        self._stack = ExitStack()
        file = self._stack.enter_context(path.open("w", encoding="utf-8", newline=""))
        self._out = CsvRows(file, columns, clock)

    def write(self, columns: Sequence[ExportColumn]) -> None:
        """Append rows, given as columns of equal length."""
        self._out.write(columns)
        self.rows += row_count(columns)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()


def _cells(column: ExportColumn, clock: Clock) -> Iterable[object]:
    """A column as csv writes it: times in ISO 8601, numbers to their last digit, texts defused."""
    if isinstance(column, RepeatedTexts):
        texts = map(safe_cell, column.texts)
        return chain.from_iterable(map(repeat, texts, column.counts.tolist()))
    if isinstance(column, np.ndarray):
        return chain.from_iterable(_slabs(column, clock))
    return map(_cell, column)


def _texts(column: ExportColumn) -> Iterable[str]:
    if isinstance(column, RepeatedTexts):
        return column.texts
    return () if isinstance(column, np.ndarray) else (cell for cell in column if isinstance(cell, str))


def _slabs(column: NDArray[Any], clock: Clock) -> Iterator[list[object]]:
    """Python objects of some rows at a time: they take ten times the room of the array."""
    for begin in range(0, len(column), SLAB_ROWS):
        rows = column[begin : begin + SLAB_ROWS]
        if rows.dtype.kind == "M":
            rows = _iso_texts(rows.astype("datetime64[ms]"), clock)
        yield rows.tolist()


def _iso_texts(times: NDArray[np.datetime64], clock: Clock) -> NDArray[np.str_]:
    """Return times as ISO 8601 with milliseconds and their distance from UTC, ``Z`` for UTC itself."""
    if clock == UTC_CLOCK or not times.size:
        return np.datetime_as_string(times, timezone="UTC")
    instants = times.astype(np.int64)
    first, last = int(instants.min()), int(instants.max())
    borders = [first, *clock.changes(first, last)]
    stretch = np.searchsorted(borders, instants, side="right") - 1
    ahead = np.array([clock.offset_ms(border) for border in borders])[stretch]
    zones = np.array([f"{clock(border):%z}" for border in borders])
    zones = np.array([f"{zone[:3]}:{zone[3:]}" for zone in zones.tolist()])[stretch]
    texts: NDArray[np.str_] = np.char.add(
        np.datetime_as_string((instants + ahead).astype("datetime64[ms]")), zones
    )
    return texts


def _cell(cell: Cell) -> Cell:
    return safe_cell(cell) if isinstance(cell, str) else cell
