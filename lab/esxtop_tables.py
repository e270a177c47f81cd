"""All esxtop counters of the cluster in one flat array: a table for each object class, and their columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from collectors.esxtop_names import ColumnPath
from lab.fields import CLASSES, Field, FieldSet, selected
from sessions.model import FloatArray, IntArray


class Table:
    """One object class: ``data[t, i, j]`` is counter i of instance j in tick t of those that are held.

    ``ticks[name]`` are the values of a counter (ticks, instances), ``row[name]`` those of the last tick.
    ``names`` are the instances, host by host; ``start[h]`` is the position of the first instance of host h.
    ``wanted`` are the counters that are read; the others may stay 0.
    """

    def __init__(self, cls: str, fields: Sequence[Field], names: Sequence[Sequence[str]]) -> None:
        self.cls = cls
        self.fields = tuple(fields)
        self.names = [list(one) for one in names]
        self.start = np.cumsum([0, *(len(one) for one in names)])
        self.size = int(self.start[-1])
        self.offset = 0
        self.cells = len(self.fields) * self.size
        self.data: FloatArray = np.zeros((1, len(self.fields), self.size))
        self.ticks: dict[str, FloatArray] = {}
        self.row: dict[str, FloatArray] = {}
        self.wanted = frozenset(field.name for field in fields)

    def attach(self, held: FloatArray, offset: int) -> None:
        """Make ``data`` a view into the array of all tables (ticks, cells), at ``offset``."""
        self.offset = offset
        shape = (len(held), len(self.fields), self.size)
        self.data = held[:, offset : offset + self.cells].reshape(shape)
        names = [field.name for field in self.fields]
        self.ticks = {name: self.data[:, position] for position, name in enumerate(names)}
        self.row = {name: self.data[-1, position] for position, name in enumerate(names)}

    def set(self, values: Mapping[str, FloatArray | float]) -> None:
        """Write the values of whole counters, for all instances, in all ticks or (ticks, instances)."""
        for name, value in values.items():
            self.ticks[name][...] = value


class CaptureColumn(NamedTuple):
    """One column of a capture: its path, the position of its value, its printed decimals."""

    path: ColumnPath
    cell: int
    decimals: int


class EsxtopTables:
    """The tables by name, in one array, so that a host's row is a single gather.

    ``held`` are the values, shape (ticks, cells): of one tick, or of several that are shown together.
    """

    def __init__(self, tables: Iterable[Table], fields: FieldSet = "all") -> None:
        self.tables = {table.cls: table for table in tables}
        if fields in ("diagnosis", "plain-diagnosis"):
            for table in self.tables.values():
                table.wanted = frozenset(
                    field.name for field in table.fields if selected(table.cls, field, fields)
                )
        self.held: FloatArray = np.zeros((1, sum(table.cells for table in self.tables.values())))
        self._selected: dict[tuple[str, FieldSet], tuple[tuple[str, int, int], ...]] = {}
        self._attach()

    def _attach(self) -> None:
        offset = 0
        for table in self.tables.values():
            table.attach(self.held, offset)
            offset += table.cells

    @property
    def flat(self) -> FloatArray:
        """The values of the last tick."""
        last: FloatArray = self.held[-1]
        return last

    def hold(self, ticks: int) -> None:
        """Make room for so many ticks; what no tick changes is the same in all of them."""
        if ticks != len(self.held):
            self.held = np.repeat(self.held[-1:], ticks, axis=0)
            self._attach()

    def __getitem__(self, cls: str) -> Table:
        return self.tables[cls]

    def instance_columns(
        self, cls: str, host: int, name: str, position: int, fields: FieldSet
    ) -> Iterator[CaptureColumn]:
        """Yield the columns of one instance of a class, in the order of its counters."""
        first, of, printed = int(self.tables[cls].start[host]) + position, self.hosts[host], _printed(cls)
        for counter, cell, decimals in self._chosen(cls, fields):
            yield CaptureColumn(ColumnPath(of, printed, name, counter), cell + first, decimals)

    def counter_columns(self, cls: str, host: int, fields: FieldSet) -> Iterator[CaptureColumn]:
        """Yield the columns of all instances of a class, one counter after the other."""
        table, of, printed = self.tables[cls], self.hosts[host], _printed(cls)
        for counter, cell, decimals in self._chosen(cls, fields):
            for position, name in enumerate(table.names[host], start=cell + int(table.start[host])):
                yield CaptureColumn(ColumnPath(of, printed, name, counter), position, decimals)

    def _chosen(self, cls: str, fields: FieldSet) -> tuple[tuple[str, int, int], ...]:
        """The counters of a class that belong to a field set: name, cell of the first instance, decimals."""
        key = (cls, fields)
        if key not in self._selected:
            table = self.tables[cls]
            self._selected[key] = tuple(
                (field.name, table.offset + number * table.size, field.decimals)
                for number, field in enumerate(table.fields)
                if selected(cls, field, fields)
            )
        return self._selected[key]

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


def _printed(cls: str) -> str:
    return PRINTED_CLASS.get(cls, cls)


def table(cls: str, names: Sequence[Sequence[str]]) -> Table:
    """Return an empty table of a class, with the counters that esxtop prints for the class."""
    return Table(cls, CLASSES[cls], names)


def gather(columns: Sequence[CaptureColumn]) -> tuple[IntArray, FloatArray]:
    """Return the positions of the columns' values, and the power of ten that each is rounded to."""
    cells = np.array([column.cell for column in columns], dtype=np.int64)
    powers = 10.0 ** np.array([column.decimals for column in columns])
    return cells, powers


def rounded(values: FloatArray, powers: FloatArray) -> FloatArray:
    """Round values as esxtop prints them: to multiples of 10^-decimals, never −0."""
    result: FloatArray = np.rint(values * powers) / powers + 0.0
    return result
