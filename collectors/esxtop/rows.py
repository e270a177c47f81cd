"""What a row of a capture means: fields between delimiters, each read as a decimal number.

Blanks and quotation marks around a field say nothing. This is the definition, field by field; ``fast_rows``
reads sound rows many times faster and must give the same values.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from sessions.model import FloatArray

FieldKind = Literal["number", "glued", "text"]
_BLANK = frozenset({b"", b"-", b"n/a"})
_WORDS = {b"y": 1.0, b"n": 0.0, b"yes": 1.0, b"no": 0.0, b"true": 1.0, b"false": 0.0}
_THOUSANDS = re.compile(rb"[+-]?\d{1,3}(,\d{3})+(\.\d*)?")
_STRAY = 64
_TRIM = b' "\t\r'


@dataclass(frozen=True)
class RowShape:
    """How a row is written: its delimiter and what each field after the time holds.

    A ``glued`` field holds two values, ``73.1"8.93``; a ``text`` field gives NaN. ``trailing`` says that the
    header ends with a delimiter, so that a row which does may not lack a field.
    """

    delimiter: bytes
    kinds: tuple[FieldKind, ...]
    trailing: bool = False

    @cached_property
    def numeric(self) -> int:
        """The number of numeric fields between the time and the first text field."""
        return next((at for at, kind in enumerate(self.kinds) if kind == "text"), len(self.kinds))

    @cached_property
    def glued(self) -> tuple[int, ...]:
        """Which of the numeric fields hold two values."""
        return tuple(at for at in range(self.numeric) if self.kinds[at] == "glued")

    @cached_property
    def fields_of_values(self) -> tuple[int, ...]:
        """For each value of a row, the index of the field (after the time) that holds it."""
        fields: list[int] = []
        for at, kind in enumerate(self.kinds):
            fields += [at, at] if kind == "glued" else [at]
        return tuple(fields)

    @property
    def width(self) -> int:
        """The number of values in a row; a glued field has two."""
        return len(self.fields_of_values)


class RowError(Exception):
    """A row whose number of fields is not the header's, so that nobody can tell which value is whose."""

    def __init__(self, found: int, expected: int) -> None:
        super().__init__(f"{found} fields where the header has {expected}")


@dataclass(slots=True)
class CellTrouble:
    """Cells of one row that hold neither a number nor nothing: their fields, and the first one's text."""

    fields: list[int] = field(default_factory=list)
    first: str = ""


class ExactRows:
    """Reads rows of one shape field by field."""

    def __init__(self, shape: RowShape) -> None:
        self._shape = shape
        self._decimal_comma = shape.delimiter != b","

    def read(self, line: bytes) -> tuple[FloatArray, CellTrouble | None]:
        """Return the values of one row, shape (width,), and its unreadable cells, whose values are NaN.

        Raises RowError when the number of fields is not the header's.
        """
        values, trouble = self.values(self._cells(line)[1:], 0)
        return np.array(values, dtype=np.float64), trouble

    def values(self, cells: Sequence[bytes], first: int) -> tuple[list[float], CellTrouble | None]:
        """Return the values of the fields from index ``first`` (after the time) on."""
        values: list[float] = []
        trouble = CellTrouble()
        for at, cell in enumerate(cells, start=first):
            kind = self._shape.kinds[at]
            if kind == "text":
                values.append(math.nan)
                continue
            for part in _unglued(cell) if kind == "glued" else (cell,):
                value = read_cell(part, decimal_comma=self._decimal_comma)
                if value is None:
                    trouble.fields.append(at)
                    trouble.first = trouble.first or part[:40].decode("utf-8", "replace")
                values.append(math.nan if value is None else value)
        return values, trouble if trouble.fields else None

    def text(self, line: bytes, at: int) -> str:
        """Return the text of a field (counted after the time); empty if the row lacks fields."""
        try:
            return self._cells(line)[at + 1].strip(_TRIM).decode("utf-8", "replace")
        except RowError:
            return ""

    def _cells(self, line: bytes) -> list[bytes]:
        expected = len(self._shape.kinds) + 1
        count = line.count(self._shape.delimiter) + 1
        if count > 2 * expected + _STRAY:
            raise RowError(count, expected)
        cells = line.split(self._shape.delimiter)
        if len(cells) == expected + 1 and not cells[-1].strip(_TRIM):
            return cells[:-1]
        if len(cells) == expected and not (self._shape.trailing and not cells[-1]):
            return cells
        quoted = _quoted_cells(line, self._shape.delimiter, expected) if len(cells) > expected else None
        if quoted is None:
            raise RowError(len(cells) - (not cells[-1]), expected)
        return quoted


def read_cell(cell: bytes, *, decimal_comma: bool = False) -> float | None:
    """The number in a cell, NaN for an empty one, None for what is neither.

    ``Y`` and ``N`` are 1 and 0. With ``decimal_comma`` a comma is the decimal point. Without, a comma stood
    between quotation marks: it parts thousands if three digits follow each, else it is the decimal point.
    """
    text = cell.strip(_TRIM)
    if b"," in text:
        text = _with_point(text, decimal_comma=decimal_comma)
    try:
        value = float(text)
    except ValueError:
        word = text.lower()
        return math.nan if word in _BLANK else _WORDS.get(word)
    if math.isinf(value) or b"_" in text:
        return None
    return value


def _with_point(text: bytes, *, decimal_comma: bool) -> bytes:
    """A number without the marks between its thousands, and with a point for its decimals."""
    if not decimal_comma and _THOUSANDS.fullmatch(text):
        return text.replace(b",", b"")
    return text.replace(b".", b"").replace(b",", b".") if text.count(b",") == 1 else text


def _unglued(cell: bytes) -> tuple[bytes, bytes]:
    """``    73.1"8.93"`` is %A/MPERF of the PCPU before, and this column's own value."""
    before, quote, after = cell.strip(b" \t\r").replace(b'""', b'"').lstrip(b'"').partition(b'"')
    return (before, after) if quote and after else (b"", before)


def _quoted_cells(line: bytes, delimiter: bytes, expected: int) -> list[bytes] | None:
    """The cells when some hold the delimiter between quotation marks; None when the count is still wrong."""
    text = line.decode("utf-8", "surrogateescape")
    try:
        cells = next(csv.reader([text], delimiter=delimiter.decode()), [])
    except csv.Error:
        return None
    if len(cells) == expected + 1 and not cells[-1]:
        cells.pop()
    if len(cells) != expected:
        return None
    return [cell.encode("utf-8", "surrogateescape") for cell in cells]
