"""Parses rows with simdjson where they are valid, and field by field (``rows``) where they are not.

A row without its time is almost a JSON array: quotation marks become blanks, and brackets go around. Whatever
JSON reads differently from the definition (a leading zero, a bare point, ``nan``, a stray quotation mark) it
refuses, and the row is read field by field. Measured on 20,000 columns: 400 MB/s here, 15 MB/s there;
numpy.loadtxt reaches 55 and pandas 70.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from collectors.esxtop.cpp_runtime import load_cpp_runtime
from collectors.esxtop.fixed_point import read_hundredths
from collectors.esxtop.rows import CellTrouble, ExactRows, RowShape
from sessions.model import FloatArray, IntArray
from sessions.store import Int32Array

load_cpp_runtime()
import simdjson  # noqa: E402

_ABSENT = -8.125e307
_ABSENT_TEXT = b"-8.125e307"
_QUOTE = ord('"')
_LONG = 1 << 12
_DRIFT = 1 << 11
"""How far fields may lie from where they lay in the row before."""


_MAX_REFUSALS = 8
"""Groups of rows in a row that ``fixed_point`` refuses before it is asked no more."""


class RowParser:
    """Parses rows of one shape. Not shared between threads: simdjson keeps a buffer."""

    def __init__(self, shape: RowShape) -> None:
        self._shape = shape
        self._delimiter = shape.delimiter
        self._has_text = shape.numeric < len(shape.kinds)
        self._values = shape.numeric + len(shape.glued)
        self._glued = np.array(shape.glued, dtype=np.int64)
        self._exact = ExactRows(shape)
        self._parser = simdjson.Parser()
        self._may_be_fixed = self._delimiter == b"," and not self._has_text and not shape.glued
        self._refusals = 0
        self._windows: tuple[tuple[int, int], ...] = ()

    @property
    def width_of_hundredths(self) -> int | None:
        """The number of values of a row that may be read as hundredths; None when no row may."""
        return self._values if self._may_be_fixed else None

    def hundredths(self, data: bytes, starts: Sequence[int], ends: Sequence[int]) -> Int32Array | None:
        """Hundredths of rows ``data[starts[i]:ends[i]]``, shape (rows, width), as ``fixed_point`` reads them.

        None when they are not written so; then ``several`` may read them.
        """
        if not self._may_be_fixed or self._refusals >= _MAX_REFUSALS:
            return None
        values = read_hundredths(data, starts, ends, self._values)
        self._refusals = self._refusals + 1 if values is None else 0
        return values

    def several(self, lines: Sequence[bytes]) -> FloatArray | None:
        """Return the values of rows, shape (len(lines), width), or None if any must be read by ``one``."""
        if self._has_text:
            return None
        if len(lines) == 1 and not lines[0].endswith(self._delimiter):
            bodies: list[bytes | None] = [*lines]  # how many values there are tells how many fields
        else:
            bodies = [self._body(line) for line in lines]
        values = self._numbers(bodies)
        return None if values is None else values.reshape(len(lines), self._values)

    def one(self, line: bytes) -> tuple[FloatArray, CellTrouble | None]:
        """Return the values of one row, shape (width,), and its unreadable cells (None if there are none).

        Raises RowError when the number of fields is not the header's.
        """
        body = self._body(line)
        values = self._with_text(body) if body and self._has_text else self._fast(body)
        return (values, None) if values is not None else self._exact.read(line)

    def _body(self, line: bytes) -> bytes | None:
        """The row without a delimiter at its end; None when its fields are too few or too many."""
        expected = len(self._shape.kinds)
        count = _count(line, self._delimiter)
        if count == expected + 1 and line.endswith(self._delimiter):
            return line[:-1]
        sound = count == expected and not (self._shape.trailing and line.endswith(self._delimiter))
        return line if sound else None

    def _fast(self, body: bytes | None) -> FloatArray | None:
        values = self._numbers([body])
        return self._with_blanks(body) if values is None and body else values

    def _with_text(self, body: bytes) -> FloatArray | None:
        """Numbers up to the first text field the fast way, the rest by the definition."""
        first, fields = self._shape.numeric, len(self._shape.kinds)
        head, *rest = body.rsplit(self._delimiter, fields - first)
        values = self._fast(head) if first else np.empty(0)
        tail, trouble = self._exact.values(rest, first)
        return None if values is None or trouble else np.concatenate((values, tail))

    def _with_blanks(self, body: bytes) -> FloatArray | None:
        """A row with blank cells: a number that no host prints stands for each."""
        if _ABSENT_TEXT in body:
            return None
        twice, filled = self._delimiter * 2, self._delimiter + _ABSENT_TEXT + self._delimiter
        marked = body.replace(b'""', _ABSENT_TEXT).replace(twice, filled).replace(twice, filled)
        values = self._numbers([marked])
        if values is None:
            return None
        absent = values == _ABSENT
        if np.count_nonzero(absent) != marked.count(_ABSENT_TEXT):
            return None
        return np.where(absent, np.nan, values)

    def _numbers(self, bodies: Sequence[bytes | None]) -> FloatArray | None:
        """All values of the rows' numeric fields; None when any is something else."""
        data = self._json(bodies)
        if data is None:
            return None
        found = None
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
        return values if len(values) == len(bodies) * self._values else None

    def _json(self, bodies: Sequence[bytes | None]) -> bytearray | None:
        """The rows as one JSON array without their times."""
        data = bytearray()
        for body in bodies:
            if not body:
                return None
            begin = len(data)
            data += body
            first = body.find(self._delimiter)
            data[begin : begin + first] = b" " * first
            if len(self._glued) and not self._unglue(data, begin + first):
                return None
        if not data or b"[" in data or b"{" in data:
            return None
        data = self._as_json(data)
        data[bodies[0].find(self._delimiter) if bodies[0] else 0] = ord("[")
        data += b"]"
        return data

    def _as_json(self, data: bytearray) -> bytearray:
        """The same with blanks, commas and points where JSON wants them."""
        if self._delimiter != b",":
            return data.translate(_json_table(self._delimiter))
        # Only quotation marks (34) become blanks (32): four times as fast as a table.
        text = np.frombuffer(data, dtype=np.uint8)
        quotes = (text == _QUOTE).view(np.uint8)
        quotes += quotes
        text -= quotes
        return data

    def _unglue(self, data: bytearray, begin: int) -> bool:
        """Put a delimiter in the place of the quotation mark inside each glued field: ``    73.1"8.93"``.

        False unless there is exactly one in each of them. One elsewhere becomes a blank, which says nothing
        at the edge of a field, and which JSON refuses inside of it.
        """
        fields = np.frombuffer(data, dtype=np.uint8)[begin:]
        return self._unglue_within(fields, self._windows) or self._unglue_within(fields, ((0, len(fields)),))

    def _unglue_within(self, fields: NDArray[np.uint8], windows: Sequence[tuple[int, int]]) -> bool:
        """The same, if all glued fields lie within some windows."""
        delimiter = self._delimiter[0]
        passed, before = -1, 0
        found, owners = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for start, end in windows:
            passed += int(np.count_nonzero(fields[before:start] == delimiter))
            part, before = fields[start:end], end
            inside = (part[1:-1] == _QUOTE) & (part[:-2] != delimiter) & (part[2:] != delimiter)
            places = np.flatnonzero(inside) + 1
            delimiters = np.flatnonzero(part == delimiter)
            owners.append(np.searchsorted(delimiters, places) + passed)
            found.append(places + start)
            passed += len(delimiters)
        if not np.array_equal(np.concatenate(owners), self._glued):
            return False
        places = np.concatenate(found)
        fields[places] = delimiter
        self._windows = _windows(places)
        return True


def _windows(places: IntArray) -> tuple[tuple[int, int], ...]:
    """Where such places are to be looked for in the next row: windows in order, apart from each other."""
    groups = np.split(places, np.flatnonzero(np.diff(places) > 2 * _DRIFT) + 1)
    return tuple((max(0, int(group[0]) - _DRIFT), int(group[-1]) + _DRIFT) for group in groups)


def _count(line: bytes, delimiter: bytes) -> int:
    """``line.count(delimiter)``; numpy counts long lines 20 times as fast."""
    if len(line) < _LONG:
        return line.count(delimiter)
    return int(np.count_nonzero(np.frombuffer(line, dtype=np.uint8) == delimiter[0]))


def _json_table(delimiter: bytes) -> bytes:
    """Quotation marks become blanks, a delimiter that is no comma one, and a comma the decimal point."""
    table = bytearray(range(256))
    table[_QUOTE] = ord(" ")
    table[ord(",")] = ord(".")
    table[ord(delimiter)] = ord(",")
    return bytes(table)
