"""What esxtop writes, line by line as it arrives: headers, rows, and lines that are neither."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from collectors.esxtop.clock import EsxtopClock
from collectors.esxtop.fast_rows import RowParser
from collectors.esxtop.header import Header, is_esxtop, looks_like_header, read_header
from collectors.esxtop.lines import LONGEST_LINE, Lines
from collectors.esxtop.rows import CellTrouble, ExactRows, RowError
from collectors.esxtop.timestamps import NO_TIME
from collectors.esxtop_names import Counters
from resources.failures import DisconnectedError
from resources.foreign_text import shown
from resources.units import format_count
from sessions.model import FloatArray

_OVERFLOWED = 2.0**63
_MOST_SAID = 200
_MAX_ROW = 1 << 12
"""Bytes of a line that is looked at when it is no row."""


@dataclass(frozen=True, slots=True)
class HeaderLine:
    """A header: rows with these columns follow. ``is_new``: its columns are not those of the one before."""

    header: Header
    is_new: bool


@dataclass(frozen=True, slots=True)
class Row:
    """A row: ``t_ms`` in UTC by the header's bias, ``values`` (width,) as printed, NaN where there is none.

    ``line`` are its bytes. ``trouble``: cells that hold no number.
    """

    t_ms: int
    values: FloatArray
    line: bytes
    trouble: CellTrouble | None = None


@dataclass(frozen=True, slots=True)
class LostRow:
    """A row that can't be read: when it was taken, and why its values are nobody's."""

    t_ms: int
    why: str


@dataclass(frozen=True, slots=True)
class OtherLine:
    """A line that is no row and no header: what somebody else wrote, as text that is safe to show."""

    text: str


Written = HeaderLine | Row | LostRow | OtherLine


class LineCutter:
    """Cuts what arrives into lines; bytes of a line that has no end yet wait for the rest."""

    def __init__(self, longest: int = LONGEST_LINE) -> None:
        self._longest = longest
        self._parts: list[bytes] = []
        self._held = 0

    def cut(self, chunk: bytes) -> Iterator[bytes]:
        """Yield each line that ends in ``chunk``, without its end; blank ones are left out.

        Raises DisconnectedError for a line that is longer than any of esxtop's.
        """
        first, *more = chunk.split(b"\n")
        self._parts.append(first)
        self._held += len(first)
        for beginning in more:
            line = b"".join(self._parts).rstrip(b"\r")
            self._parts, self._held = [beginning], len(beginning)
            if line:
                yield line
        if self._held > self._longest:
            raise DisconnectedError(
                f"esxtop's output has a line of more than {format_count(self._longest)} bytes.",
                meaning="No capture has such a line: something else writes there.",
            )


class EsxtopOutput:
    """Reads the output of one ``esxtop -b``; what precedes the first header is no part of it."""

    def __init__(self, catalogue: Counters, greeting_bytes: int, most_headers: int) -> None:
        self._catalogue, self._greeting, self._most_headers = catalogue, greeting_bytes, most_headers
        self._cutter, self._clock = LineCutter(), EsxtopClock()
        self._header: Header | None = None
        self._header_line = b""
        self._headers = 0
        self._parser: RowParser | None = None

    @property
    def header(self) -> Header | None:
        """The header whose rows come now; None before the first."""
        return self._header

    def read(self, chunk: bytes) -> Iterator[Written]:
        """Yield what the next bytes complete. Raises DisconnectedError for what is no output of esxtop."""
        for line in self._cutter.cut(chunk):
            if looks_like_header(line):
                yield self._new_header(line)
            elif self._header is None or self._parser is None:
                yield self._greeted(line)
            else:
                yield self._row(line, self._header, self._parser)

    def _new_header(self, line: bytes) -> HeaderLine:
        self._clock = EsxtopClock()
        if self._header is not None and line == self._header_line:
            return HeaderLine(self._header, is_new=False)
        self._headers += 1
        header = read_header(line, self._catalogue) if self._headers <= self._most_headers else None
        if header is None or not header.has_time or not is_esxtop(header.paths, self._catalogue):
            raise DisconnectedError(
                "What esxtop wrote as a header is none.",
                meaning=f"It begins with {shown(_text(line[:_MAX_ROW]), _MOST_SAID)!r}."
                if self._headers <= self._most_headers
                else "Its columns change all the time.",
            )
        self._header, self._header_line, self._parser = header, line, RowParser(header.shape)
        return HeaderLine(header, is_new=True)

    def _greeted(self, line: bytes) -> OtherLine:
        self._greeting -= len(line)
        if self._greeting < 0:
            raise DisconnectedError(
                "What the host writes instead of esxtop's output has no end.",
                meaning=f"It goes on with {shown(_text(line[:_MAX_ROW]), _MOST_SAID)!r}.",
            )
        return OtherLine(shown(_text(line[:_MAX_ROW]), _MOST_SAID))

    def _row(self, line: bytes, header: Header, parser: RowParser) -> Written:
        ends = np.array([len(line)], np.int64)
        single = Lines(line, 0, np.zeros(1, np.int64), ends, np.ones(1, np.int64))
        t_ms = int(self._clock.times(single)[0])
        if t_ms == NO_TIME:
            return OtherLine(shown(_text(line[:_MAX_ROW]), _MOST_SAID))
        t_ms += header.bias_minutes * 60_000
        together = parser.several([line])
        if together is not None:
            return Row(t_ms, _without_overflows(together[0]), line)
        try:
            values, trouble = parser.one(line)
        except RowError as error:
            return LostRow(t_ms, str(error))
        return Row(t_ms, _without_overflows(values), line, trouble)


def texts_of(row: Row, header: Header, columns: list[int]) -> list[str]:
    """Return what text columns of a row say; ``columns`` are indices of values."""
    exact, fields = ExactRows(header.shape), header.shape.fields_of_values
    return [exact.text(row.line, fields[column]) for column in columns]


def _without_overflows(values: FloatArray) -> FloatArray:
    """The values but for those that no 64-bit counter holds: they are differences that wrapped around."""
    wild = np.abs(values) >= _OVERFLOWED
    return np.where(wild, np.nan, values) if wild.any() else values


def _text(line: bytes) -> str:
    return line.decode("utf-8", "replace").strip()
