"""Rows of a capture into numbers: a fast way for sound rows, an exact one for all others.

The meaning of a row is defined by ``RowParser.exact``: fields between delimiters, blanks and quotation marks
around them ignored, each read as a decimal number. The fast way turns quotation marks into blanks and hands
many rows at once to simdjson as one array; whatever JSON reads differently from the definition (leading
zeros, a bare sign, ``nan``, a stray quotation mark) it refuses, and the row is read exactly.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
import simdjson

from sessions.model import FloatArray

FieldKind = Literal["number", "glued", "text"]
_ABSENT = -8.125e307
_ABSENT_TEXT = b"-8.125e307"
_BLANK = frozenset({b"", b"-", b"n/a"})
_WORDS = {b"y": 1.0, b"n": 0.0, b"yes": 1.0, b"no": 0.0, b"true": 1.0, b"false": 0.0}
_TRIM = b' "\t\r'


@dataclass(frozen=True)
class RowShape:
    """How a row is written: its delimiter and what each field after the time holds.

    A ``glued`` field holds two values, ``73.1"8.93``; a ``text`` field gives NaN.
    """

    delimiter: bytes
    kinds: tuple[FieldKind, ...]

    @cached_property
    def regular(self) -> int:
        """How many fields after the time are plain numbers before the first that is not."""
        return next((at for at, kind in enumerate(self.kinds) if kind != "number"), len(self.kinds))

    @cached_property
    def fields_of_values(self) -> tuple[int, ...]:
        """For each value of a row, the index of the field (after the time) that holds it."""
        fields: list[int] = []
        for at, kind in enumerate(self.kinds):
            fields += [at, at] if kind == "glued" else [at]
        return tuple(fields)

    @property
    def width(self) -> int:
        """How many values a row gives."""
        return len(self.fields_of_values)


class RowError(Exception):
    """A row whose number of fields is not the header's, so that nobody can tell which value is whose."""

    def __init__(self, found: int, expected: int) -> None:
        super().__init__(f"{found} fields where the header has {expected}")


@dataclass(slots=True)
class CellTrouble:
    """Cells of one row that hold neither a number nor nothing."""

    columns: list[int] = field(default_factory=list)
    first: str = ""


class RowParser:
    """Parses rows of one shape. Not shared between threads: simdjson keeps a buffer."""

    def __init__(self, shape: RowShape) -> None:
        self._shape = shape
        self._delimiter = shape.delimiter
        self._parser = simdjson.Parser()
        self._to_json = _json_table(shape.delimiter)

    def several(self, lines: Sequence[bytes]) -> FloatArray | None:
        """Values of sound rows, shape (len(lines), width); None when any of them needs the exact way."""
        shape = self._shape
        if shape.regular < len(shape.kinds):
            return None
        data = self._json(lines, shape.regular)
        values = self._numbers(data, len(lines) * shape.regular) if data else None
        return None if values is None else values.reshape(len(lines), shape.regular)

    def one(self, line: bytes) -> tuple[FloatArray, CellTrouble | None]:
        """Values of one row, shape (width,), and its unreadable cells.

        Raises RowError when the number of fields is not the header's.
        """
        values = self._head_fast(line) if self._shape.regular < len(self._shape.kinds) else self._fast(line)
        return (values, None) if values is not None else self.exact(line)

    def exact(self, line: bytes) -> tuple[FloatArray, CellTrouble | None]:
        """As ``one``, field by field: the definition of what a row means."""
        cells = self._cells(line, len(self._shape.kinds) + 1)
        trouble = CellTrouble()
        values = self._read_cells(cells[1:], self._shape.kinds, 0, trouble)
        return np.array(values, dtype=np.float64), trouble if trouble.columns else None

    def words(self, line: bytes, field_index: int) -> str:
        """The text of a field (counted after the time); empty when the row is not whole."""
        try:
            cells = self._cells(line, len(self._shape.kinds) + 1)
        except RowError:
            return ""
        return cells[field_index + 1].strip(_TRIM).decode("utf-8", "replace")

    def _fast(self, line: bytes) -> FloatArray | None:
        expected = self._shape.regular
        data = self._json([line], expected)
        values = self._numbers(data, expected) if data else None
        return values if values is not None else self._with_blanks(line, expected)

    def _with_blanks(self, line: bytes, expected: int) -> FloatArray | None:
        """Rows with blank cells: a number that no host prints stands for each."""
        if _ABSENT_TEXT in line or b"\x00" in line:
            return None
        delimiter = self._delimiter
        twice, filled = delimiter * 2, delimiter + _ABSENT_TEXT + delimiter
        marked = line.replace(b'""', _ABSENT_TEXT).replace(twice, filled).replace(twice, filled)
        data = self._json([marked], expected)
        values = self._numbers(data, expected) if data else None
        if values is None:
            return None
        absent = values == _ABSENT
        if np.count_nonzero(absent) != marked.count(_ABSENT_TEXT):
            return None
        values[absent] = np.nan
        return values

    def _json(self, lines: Sequence[bytes], expected: int) -> bytearray | None:
        """The rows as one JSON array without their times; None unless each has ``expected`` values."""
        delimiter = self._delimiter
        data = bytearray()
        for line in lines:
            end = len(line)
            fields = line.count(delimiter)
            if fields == expected + 1 and line.endswith(delimiter):
                end -= 1
            elif fields != expected:
                return None
            at = line.find(delimiter)
            data += line[at:end]
        if b"[" in data or b"{" in data:
            return None
        data = data.translate(self._to_json)
        if not data:
            return None
        data[0] = 0x5B
        data += b"]"
        return data

    def _numbers(self, data: bytearray, expected: int) -> FloatArray | None:
        try:
            found = self._parser.parse(data)
            if not isinstance(found, simdjson.Array):
                return None
            buffer = found.as_buffer(of_type="d")
        except (ValueError, RuntimeError, TypeError):
            return None
        finally:
            found = None  # the parser can't be used again while its last result lives
        values = np.frombuffer(buffer, dtype=np.float64)
        return values if len(values) == expected else None

    def _head_fast(self, line: bytes) -> FloatArray | None:
        """Numbers up to the first field that is not one by the fast way, the rest exactly."""
        kinds = self._shape.kinds
        regular = self._shape.regular
        body = line.rstrip(b"\r\n \t").removesuffix(self._delimiter)
        parts = body.rsplit(self._delimiter, len(kinds) - regular)
        if len(parts) != len(kinds) - regular + 1:
            return None
        data = self._json([parts[0]], regular)
        head = self._numbers(data, regular) if data else None
        if head is None:
            return None
        trouble = CellTrouble()
        tail = self._read_cells(parts[1:], kinds[regular:], regular, trouble)
        return None if trouble.columns else np.concatenate((head, tail))

    def _cells(self, line: bytes, expected: int) -> list[bytes]:
        line = line.rstrip(b"\r\n")
        cells = line.split(self._delimiter)
        if len(cells) == expected + 1 and not cells[-1].strip(_TRIM):
            cells.pop()
        if len(cells) == expected:
            return cells
        quoted = _quoted_cells(line, self._delimiter, expected)
        if quoted is None:
            raise RowError(len(cells), expected)
        return quoted

    def _read_cells(
        self, cells: Sequence[bytes], kinds: Sequence[FieldKind], first: int, trouble: CellTrouble
    ) -> list[float]:
        values: list[float] = []
        for at, (cell, kind) in enumerate(zip(cells, kinds, strict=True), start=first):
            if kind == "text":
                values.append(math.nan)
                continue
            for part in _unglued(cell) if kind == "glued" else (cell,):
                value = read_cell(part, decimal_comma=self._delimiter != b",")
                if value is None:
                    trouble.columns.append(at)
                    trouble.first = trouble.first or part[:40].decode("utf-8", "replace")
                values.append(math.nan if value is None else value)
        return values


def read_cell(cell: bytes, *, decimal_comma: bool = False) -> float | None:
    """The number in a cell, NaN for an empty one, None for what is neither.

    ``Y`` and ``N`` are 1 and 0. With ``decimal_comma`` a comma is the decimal point.
    """
    text = cell.strip(_TRIM)
    if decimal_comma and b"," in text:
        text = text.replace(b".", b"").replace(b",", b".") if text.count(b",") == 1 else text
    try:
        value = float(text)
    except ValueError:
        word = text.lower()
        return math.nan if word in _BLANK else _WORDS.get(word)
    if math.isinf(value) or b"_" in text:
        return None
    return value


def _json_table(delimiter: bytes) -> bytes:
    """Quotation marks become blanks, the delimiter a comma, and a comma that is none the decimal point."""
    table = bytearray(range(256))
    table[ord('"')] = ord(" ")
    if delimiter != b",":
        table[ord(",")] = ord(".")
        table[ord(delimiter)] = ord(",")
    return bytes(table)


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
