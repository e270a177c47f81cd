r"""Reads what Windows' typeperf prints: CSV with a column for each instance of each counter, a line a sample.

Made from Microsoft's description of typeperf and of PDH's CSV files, not from a Windows guest: the first line
names the columns (``"(PDH-CSV 4.0)","\\APP01\Processor(_Total)\% Processor Time"``), each other one begins
with the guest's local time, in all languages as ``11/23/2026 13:45:01.123``. Numbers may have a decimal
comma, as the guest's region writes them; a blank is no number.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from datetime import UTC, datetime

from collectors.guest.rates import Sample
from resources.failures import SourceError
from resources.foreign_text import shown
from resources.guest_counters import WindowsCounter, WindowsCounters

_HEADER = re.compile(r'"\(PDH-CSV \d\.\d\)')
_PATH = re.compile(r"\\\\(?P<host>[^\\]+)\\(?P<object>[^\\(]+)(\((?P<instance>.*)\))?\\(?P<counter>[^\\]+)")
_TIME = "%m/%d/%Y %H:%M:%S.%f"
_NUMBER = re.compile(r"[0-9]{1,20}([.,][0-9]{1,20})?(e[+-]?[0-9]{1,3})?")
_QUARTER_MS = 15 * 60 * 1000
_DIGITS = 3


@dataclass(frozen=True, slots=True)
class Row:
    """A sample, and the guest's time of it in ms since 1970."""

    t_ms: int
    sample: Sample


@dataclass(frozen=True, slots=True)
class _Column:
    at: int
    counter: WindowsCounter
    instance: str


class TypeperfReader:
    """Takes bytes as they come, and gives samples; ``host`` is what the guest calls itself."""

    def __init__(self, counters: WindowsCounters, interval_s: float) -> None:
        self._counters, self._interval_s = counters, interval_s
        self._by_name = {_name_of(one.path): one for one in counters.counter}
        self._columns: list[_Column] | None = None
        self._rest = b""
        self.host = ""

    @property
    def has_header(self) -> bool:
        """True once the columns are known."""
        return self._columns is not None

    def feed(self, chunk: bytes, arrived_ms: float) -> list[Row]:
        """Return the samples that are whole with this chunk. Raises SourceError for a line without end."""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        if len(self._rest) > self._counters.limits.line_bytes:
            raise SourceError("typeperf's line is longer than any guest's.")
        rows = [self._read(line.decode("utf-8", "replace").strip(), arrived_ms) for line in lines]
        return [row for row in rows if row is not None]

    def _read(self, line: str, arrived_ms: float) -> Row | None:
        if _HEADER.match(line):
            self._columns = list(self._named(_cells(line)))
            return None
        if self._columns is None or not line.startswith('"'):
            return None
        cells = _cells(line)
        local_ms = _local_ms(cells[0])
        if local_ms is None:
            return None
        return Row(_utc_ms(local_ms, arrived_ms), Sample(self._interval_s, self._values(cells)))

    def _named(self, cells: list[str]) -> list[_Column]:
        """The columns that are counters of ours."""
        found = []
        for at, cell in enumerate(cells[1:], 1):
            match = _PATH.fullmatch(cell)
            if match is None:
                continue
            self.host = self.host or shown(match["host"], 64)
            counter = self._by_name.get((match["object"].lower(), match["counter"].lower()))
            instance = shown(match["instance"] or "", 64)
            if counter is not None and (not counter.leave or instance != counter.leave):
                is_whole = not instance or instance == counter.whole
                found.append(_Column(at, counter, "" if is_whole else f"{counter.prefix}{instance}"))
        return found

    def _values(self, cells: list[str]) -> dict[tuple[str, str], float]:
        found: dict[tuple[str, str], float] = {}
        for column in self._columns or ():
            text = cells[column.at].strip() if column.at < len(cells) else ""
            if _NUMBER.fullmatch(text.lower()):
                value = float(text.replace(",", "."))
                found[column.counter.key, column.instance] = round(value * column.counter.factor, _DIGITS)
        idle = [
            (column.counter.key, column.instance)
            for column in self._columns or ()
            if column.counter.per and not found.get((column.counter.per, column.instance))
        ]
        return {key: value for key, value in found.items() if key not in idle}


def _name_of(path: str) -> tuple[str, str]:
    _, of, counter = path.split("\\")
    return of.partition("(")[0].lower(), counter.lower()


def _cells(line: str) -> list[str]:
    """The cells of a line; where the region's list separator is a semicolon it may be that."""
    delimiter = ";" if '";"' in line else ","
    return next(csv.reader([line], delimiter=delimiter), [""])


def _local_ms(text: str) -> int | None:
    try:
        return round(datetime.strptime(text, _TIME).replace(tzinfo=UTC).timestamp() * 1000)
    except ValueError:
        return None


def _utc_ms(local_ms: int, arrived_ms: float) -> int:
    """UTC of a local time that has just arrived: zones are whole quarters of an hour ahead or behind.

    A guest whose clock is wrong by more than 7 minutes seems to be in another zone.
    """
    return local_ms - round((local_ms - arrived_ms) / _QUARTER_MS) * _QUARTER_MS
