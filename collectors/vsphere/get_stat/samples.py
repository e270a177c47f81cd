"""Reads a table of samples into arrays: for each row the number of its series, its stamp and its value."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from collectors.powercli_tables import REQUIRED, Table, opened_table
from collectors.unpacking import BROKEN
from collectors.vsphere.get_stat.stamps import Stamp, parse_stamp
from resources.failures import BadInputError
from resources.foreign_text import shown, storable
from resources.get_stat_forms import GetStatForms
from sessions.model import FloatArray, IntArray

_ROWS_AT_ONCE = 16_384
_MOST_SERIES = 1 << 20
_MOST_STAMPS = 1 << 22
_LONGEST_NAME = 1024
_T = TypeVar("_T")
Tell = Callable[[int], None]
"""Gets the position in the file; raises CancelledError to stop."""


class SeriesKey(NamedTuple):
    """What the cells of a row say about its series; a cell of a column that the file lacks is empty."""

    metric: str = ""
    entity: str = ""
    entity_id: str = ""
    instance: str = ""
    interval: str = ""
    host: str = ""
    vcpus: str = ""
    server: str = ""

    @property
    def interval_ms(self) -> float:
        """How long a sample is, as the row tells; 0 if it doesn't."""
        digits = self.interval[:9]
        return int(digits) * 1000.0 if digits.isascii() and digits.isdigit() else 0.0


_NOTHING = SeriesKey()


@dataclass(frozen=True, slots=True)
class About:
    """What is the same for every sample of a counter: its unit as the file writes it, and its text."""

    unit: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class StatFile:
    """The samples of one file, in the order of its rows.

    ``series``, ``stamp`` (n,) are positions in ``keys`` and ``stamps``; a stamp that is no time is None.
    ``values`` float64, NaN where a cell is empty or no number. ``about`` is what is told of each key's
    counter. ``unreadable`` counts rows that could not be read, ``no_time`` those whose stamp is no time.
    """

    path: Path
    table: Table
    keys: Sequence[SeriesKey]
    about: Sequence[About]
    stamps: Sequence[Stamp | None]
    texts: Sequence[str]
    series: IntArray
    stamp: IntArray
    values: FloatArray
    unreadable: int
    no_time: int
    not_numbers: int
    broken: str

    @property
    def has_open_dates(self) -> bool:
        """True if the form of its dates alone does not tell their order."""
        return any(one is not None and len(one.orders) > 1 for one in self.stamps)


def read_samples(path: Path, forms: GetStatForms, tell: Tell) -> StatFile:
    """Read all samples of a file. Raises NotFoundError, AccessDeniedError, BadInputError, and what ``tell``
    raises.
    """
    with opened_table(path) as (table, rows, raw):
        lacking = [name for name in REQUIRED if name not in table.columns]
        if lacking:
            raise BadInputError(
                f"{shown(path.name)} lacks the column {_written(lacking[0])}.",
                advice="Export again: Select-Object must keep MetricId, Timestamp and Value.",
            )
        reader = _Reader(table, forms)
        for some in _batches(rows, reader):
            reader.take(some)
            tell(raw.tell())
        if not reader.count:
            raise BadInputError(f"{shown(path.name)} has no sample below its header.")
        return reader.finish(path)


def _written(name: str) -> str:
    return {"metricid": "MetricId", "timestamp": "Timestamp", "value": "Value"}[name]


def _batches(rows: Iterator[list[str]], reader: _Reader) -> Iterator[list[list[str]]]:
    """The rows in pieces; one that can't be read is counted, a file that breaks off ends there."""
    while True:
        some: list[list[str]] = []
        try:
            some.extend(islice(rows, _ROWS_AT_ONCE))
        except csv.Error:
            reader.unreadable += 1
        except BROKEN as error:
            reader.broken = str(error) or type(error).__name__
            if some:
                yield some
            return
        else:
            if not some:
                return
        if some:
            yield some


class _Numbered(dict[_T, int]):
    """Numbers what is looked up, in the order of the first time."""

    def __missing__(self, key: _T) -> int:
        number = self[key] = len(self)
        return number


@dataclass(slots=True)
class _Columns:
    """Where a table has what (−1: nowhere), and where each of ``names``, what its keys consist of."""

    time: int
    value: int
    unit: int
    description: int
    names: tuple[str, ...]
    key: tuple[int, ...]


def _columns(table: Table, forms: GetStatForms) -> _Columns:
    at: dict[str, int] = {}
    ranks: dict[str, int] = {}
    names = list(forms.columns)
    for place, name in enumerate(table.columns):
        what = forms.columns.get(name)
        if what is not None and names.index(name) < ranks.get(what, len(names)):
            at[what], ranks[what] = place, names.index(name)
    there = tuple(what for what in SeriesKey._fields if what in at)
    key = tuple(at[what] for what in there)
    return _Columns(at["time"], at["value"], at.get("unit", -1), at.get("description", -1), there, key)


class _Reader:
    """Collects the rows of one file."""

    def __init__(self, table: Table, forms: GetStatForms) -> None:
        self._table, self._forms = table, forms
        self._columns = _columns(table, forms)
        self._width = len(table.columns)
        self._header = table.header[self._columns.key[0]]
        self._keys: _Numbered[tuple[str, ...]] = _Numbered()
        self._stamps: _Numbered[str] = _Numbered()
        self._about: list[About] = []
        self._series: list[NDArray[np.int32]] = []
        self._stamp: list[NDArray[np.int32]] = []
        self._values: list[FloatArray] = []
        self._has_point = self._has_comma = False
        self.count = 0
        self.unreadable = 0
        self.not_numbers = 0
        self.broken = ""

    def take(self, rows: list[list[str]]) -> None:
        """Take in rows; those of another width are counted, a header that is repeated is left out."""
        if set(map(len, rows)) != {self._width}:
            fitting = [row for row in rows if len(row) == self._width]
            other = [row for row in rows if len(row) != self._width]
            self.unreadable += sum(bool(row) and row[0][:6] != "#TYPE " for row in other)
            rows = fitting
        if not rows:
            return
        cells = list(zip(*rows, strict=True))
        metric = self._columns.key[0]
        if self._header in cells[metric]:
            self.take([row for row in rows if row[metric] != self._header])
            return
        keys = zip(*(cells[at] for at in self._columns.key), strict=True)
        known = len(self._keys)
        series = np.fromiter(map(self._keys.__getitem__, keys), np.int32, len(rows))
        if len(self._keys) > known:
            self._describe(cells, series, known)
        stamps = np.fromiter(map(self._stamps.__getitem__, cells[self._columns.time]), np.int32, len(rows))
        if len(self._keys) > _MOST_SERIES or len(self._stamps) > _MOST_STAMPS:
            raise BadInputError("This file has more series or times than a vCenter has.")
        self._series.append(series)
        self._stamp.append(stamps)
        self._values.append(self._numbers(cells[self._columns.value]))
        self.count += len(rows)

    def _describe(self, cells: Sequence[Sequence[str]], series: NDArray[np.int32], known: int) -> None:
        """Keep unit and text of each series that is new, from its first row."""
        numbers, first = np.unique(series, return_index=True)
        unit, text = self._columns.unit, self._columns.description
        for row in first[numbers >= known].tolist():
            self._about.append(
                About(cells[unit][row].strip() if unit >= 0 else "", cells[text][row] if text >= 0 else "")
            )

    def _numbers(self, texts: Sequence[str]) -> FloatArray:
        """The numbers in these cells, with a decimal point or a decimal comma."""
        joined = "".join(texts)
        self._has_point = self._has_point or "." in joined
        self._has_comma = self._has_comma or "," in joined
        if self._has_point and self._has_comma:
            raise BadInputError(
                "Values with a decimal point and values with a comma stand in one file.",
                meaning="Nobody can tell whether 1,234 is more than a thousand or about one.",
                advice="Export it again, or import the parts by themselves.",
            )
        try:
            numbers = np.fromiter(map(float, texts), np.float64, len(texts))
        except ValueError:
            numbers = np.array([self._number(text) for text in texts], np.float64)
        numbers[~np.isfinite(numbers)] = np.nan
        return numbers

    def _number(self, text: str) -> float:
        text = text.strip()
        if not text:
            return math.nan
        try:
            return float(text.replace(",", "."))
        except ValueError:
            self.not_numbers += 1
            return math.nan

    def finish(self, path: Path) -> StatFile:
        """Return all that was taken."""
        stamps = [parse_stamp(text, self._forms) for text in self._stamps]
        stamp = np.concatenate(self._stamp).astype(np.int64)
        is_time = np.array([one is not None for one in stamps])
        return StatFile(
            path,
            self._table,
            [
                _NOTHING._replace(**dict(zip(self._columns.names, map(_text, key), strict=True)))
                for key in self._keys
            ],
            self._about,
            stamps,
            list(self._stamps),
            np.concatenate(self._series).astype(np.int64),
            stamp,
            np.concatenate(self._values),
            self.unreadable,
            int(np.count_nonzero(~is_time[stamp])),
            self.not_numbers,
            self.broken,
        )


def _text(cell: str) -> str:
    """A cell's text: what is not UTF-8 was written in Windows' own encoding (``-Encoding Default``)."""
    cell = cell[:_LONGEST_NAME].strip()
    if cell.isascii():
        return cell
    try:
        return storable(cell.encode("utf-8", "surrogateescape").decode("utf-8"))
    except UnicodeError:
        return storable(cell.encode("utf-8", "surrogateescape").decode("cp1252", "replace"))
