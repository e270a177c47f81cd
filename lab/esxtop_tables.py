"""All counters of the cluster as one flat array: a table per object class, and the way to columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from collectors.esxtop_names import ColumnPath
from lab.fields import CLASSES, Field, FieldSet, selected
from sessions.model import FloatArray, IntArray


class Table:
    """One object class: ``data[i, j]`` is counter i of instance j; ``row[name]`` is a counter's row of it.

    ``names`` are instances by host; ``start[h]`` is where those of host h begin. ``wanted`` are the counters
    that somebody reads; the others may stay 0.
    """

    def __init__(self, cls: str, fields: Sequence[Field], names: Sequence[Sequence[str]]) -> None:
        self.cls = cls
        self.fields = tuple(fields)
        self.names = [list(one) for one in names]
        self.start = np.cumsum([0, *(len(one) for one in names)])
        self.size = int(self.start[-1])
        self.offset = 0
        self.data: FloatArray = np.zeros((len(self.fields), self.size))
        self.row: dict[str, FloatArray] = {}
        self.wanted = frozenset(field.name for field in fields)

    def attach(self, flat: FloatArray, offset: int) -> None:
        """Make the table a view into the tables's flat array."""
        self.offset = offset
        self.data = flat[offset : offset + self.data.size].reshape(self.data.shape)
        self.row = {field.name: self.data[position] for position, field in enumerate(self.fields)}

    def set(self, values: Mapping[str, FloatArray | float]) -> None:
        """Write whole counters."""
        for name, value in values.items():
            self.row[name][...] = value


@dataclass(frozen=True, slots=True)
class CaptureColumn:
    """One column to be printed: its path, where its value is, its decimals."""

    path: ColumnPath
    cell: int
    decimals: int


class EsxtopTables:
    """The tables by name, laid out in one array so that a host's row is a single gather."""

    def __init__(self, tables: Iterable[Table], fields: FieldSet = "all") -> None:
        self.tables = {table.cls: table for table in tables}
        if fields == "diagnosis":
            for table in self.tables.values():
                table.wanted = frozenset(
                    field.name for field in table.fields if selected(table.cls, field, fields)
                )
        self.flat: FloatArray = np.zeros(sum(table.data.size for table in self.tables.values()))
        self._selected: dict[tuple[str, FieldSet], tuple[int, ...]] = {}
        offset = 0
        for table in self.tables.values():
            table.attach(self.flat, offset)
            offset += table.data.size

    def __getitem__(self, cls: str) -> Table:
        return self.tables[cls]

    def instance_columns(
        self, cls: str, host: int, name: str, position: int, fields: FieldSet
    ) -> Iterator[CaptureColumn]:
        """The columns of one instance of a class, in the order of its counters."""
        table = self.tables[cls]
        for number in self._chosen(cls, fields):
            yield self._column(table, number, host, name, position)

    def counter_columns(self, cls: str, host: int, fields: FieldSet) -> Iterator[CaptureColumn]:
        """The columns of all instances of a class, one counter after the other."""
        table = self.tables[cls]
        for number in self._chosen(cls, fields):
            for position, name in enumerate(table.names[host]):
                yield self._column(table, number, host, name, position)

    def _chosen(self, cls: str, fields: FieldSet) -> tuple[int, ...]:
        """Which counters of a class belong to a field set."""
        key = (cls, fields)
        if key not in self._selected:
            chosen = (n for n, field in enumerate(self.tables[cls].fields) if selected(cls, field, fields))
            self._selected[key] = tuple(chosen)
        return self._selected[key]

    def _column(self, table: Table, counter: int, host: int, name: str, position: int) -> CaptureColumn:
        field = table.fields[counter]
        cell = table.offset + counter * table.size + int(table.start[host]) + position
        printed = PRINTED_CLASS.get(table.cls, table.cls)
        return CaptureColumn(ColumnPath(self.hosts[host], printed, name, field.name), cell, field.decimals)

    hosts: tuple[str, ...] = ()


PATHS_OF_ADAPTER = "Physical Disk Path of Adapter"
P_STATE_TABLE = "Power P-State"
INTERRUPT_PER_CPU = "Interrupt Cookie CPU"
PRINTED_CLASS = {
    PATHS_OF_ADAPTER: "Physical Disk",
    P_STATE_TABLE: "Power",
    INTERRUPT_PER_CPU: "Interrupt Cookie",
}
"""Tables that esxtop prints under another class's name."""


def table(cls: str, names: Sequence[Sequence[str]]) -> Table:
    """An empty table of a class with the counters that esxtop prints for it."""
    return Table(cls, CLASSES[cls], names)


def gather(columns: Sequence[CaptureColumn]) -> tuple[IntArray, FloatArray]:
    """Cells of columns, and the power of ten that each is rounded to."""
    cells = np.array([column.cell for column in columns], dtype=np.int64)
    powers = 10.0 ** np.array([column.decimals for column in columns])
    return cells, powers


def rounded(values: FloatArray, powers: FloatArray) -> FloatArray:
    """Values as they would be read back from esxtop's print: a multiple of 10^-decimals, never −0."""
    result: FloatArray = np.rint(values * powers) / powers + 0.0
    return result
