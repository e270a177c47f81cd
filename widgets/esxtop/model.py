"""The table behind the esxtop view: rows are entities, columns counters, numbers one array."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from resources.foreign_text import shown, tip
from resources.units import format_value
from sessions.model import EntityRef, FloatArray
from viewmodels.esxtop_table import Column, Row
from viewmodels.name_order import natural

STATE = Qt.ItemDataRole.UserRole

Index = QModelIndex | QPersistentModelIndex
_WORDS = ("", "warning", "critical")
_WHOLE = frozenset({"count", "shares", "state", "flag"})
_MARKS = ("", "◆ ", "▲ ")
_BOUNDS = (9_999.5, 999.95)
"""A column has a decimal less from each of these on."""


@dataclass(frozen=True)
class Values:
    """Numbers of a moment: (rows, columns), NaN where absent."""

    numbers: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))


class EsxtopModel(QAbstractTableModel):
    """Columns 0 and 1 are name and host, the rest counters. Expanded rows stay below theirs when sorted."""

    FIXED = 2

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: Sequence[Row] = ()
        self._columns: Sequence[Column] = ()
        self._numbers: FloatArray = np.zeros((0, 0))
        self._decimals: Sequence[int] = ()
        self._states: NDArray[np.int8] = np.zeros((0, 0), np.int8)
        self._judged: NDArray[np.bool_] = np.zeros((0, 0), bool)
        self._order: NDArray[np.int64] = np.zeros(0, np.int64)
        self._place: NDArray[np.int64] = np.zeros(0, np.int64)
        self._sort: tuple[int, Qt.SortOrder] = (0, Qt.SortOrder.AscendingOrder)
        self._sparks: dict[tuple[int, int], FloatArray] = {}

    # -- contents

    def set_table(self, rows: Sequence[Row], columns: Sequence[Column], values: Values) -> None:
        """Show other rows or columns; same ones with other numbers only repaint."""
        if list(rows) == list(self._rows) and list(columns) == list(self._columns):
            self._set_numbers(values)
            self._resort()
            return
        self.beginResetModel()
        self._rows, self._columns = list(rows), list(columns)
        self._sparks.clear()
        self._judged = self._judgeable()
        self._set_numbers(values)
        self._order = self._sorted()
        self._place = np.argsort(self._order)
        self.endResetModel()

    def set_sparks(self, column: int, sparks: dict[int, FloatArray]) -> None:
        """Small curves for a counter column, by the number of the row as given to ``set_table``."""
        self._sparks = {(row, column): values for row, values in sparks.items()}
        if self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, self.columnCount() - 1))

    def row_at(self, row: int) -> tuple[int, Row]:
        """The row shown at a place, and its number as given to ``set_table``."""
        number = int(self._order[row])
        return number, self._rows[number]

    def column_at(self, column: int) -> Column | None:
        """The counter of a column, None for name and host."""
        return self._columns[column - self.FIXED] if column >= self.FIXED else None

    def column_of(self, counter: str) -> int:
        """Which column a counter has, −1 for none."""
        for number, column in enumerate(self._columns):
            if column.counter == counter:
                return number + self.FIXED
        return -1

    def place_of(self, ref: EntityRef) -> int:
        """Where an entity's row is shown, −1 when it is not."""
        for number, row in enumerate(self._rows):
            if row.ref == ref:
                return int(self._place[number])
        return -1

    def text_at(self, row: int, column: int) -> str:
        """What a cell says."""
        number, one = self.row_at(row)
        if column == 1:
            return shown(one.host)
        if column == 0:
            return shown(f"{one.name} {one.instance}".strip()) or "(without a name)"
        at = column - self.FIXED
        words = number_text(float(self._numbers[number, at]), self._decimals[at])
        return _MARKS[self._states[number, at]] + words

    def state_at(self, row: int, column: int) -> int:
        """How a cell is beside its limits: 0 within, 1 over the warning, 2 over the critical one."""
        return int(self._states[self._order[row], column - self.FIXED]) if column >= self.FIXED else 0

    def spark_at(self, row: int, column: int) -> FloatArray | None:
        """The small curve of a cell, if it has one."""
        return self._sparks.get((int(self._order[row]), column - self.FIXED)) if self._sparks else None

    def indent_at(self, row: int) -> int:
        """How deep a row stands below another."""
        return self.row_at(row)[1].depth

    @property
    def several_hosts(self) -> bool:
        """Whether the host column says anything."""
        return len({row.host for row in self._rows}) > 1

    # -- what Qt asks

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """How many rows."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """Name, host and the counters."""
        return 0 if parent.isValid() else self.FIXED + len(self._columns)

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """esxtop's names; the tooltip says what they mean."""
        if orientation == Qt.Orientation.Vertical:
            return None
        column = self.column_at(section) if section < self.columnCount() else None
        if role == Qt.ItemDataRole.DisplayRole:
            return column.title if column else ("NAME", "HOST")[min(section, 1)]
        if role == Qt.ItemDataRole.ToolTipRole and column:
            return tip(column.tooltip)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Texts, states and small curves."""
        if not index.isValid():
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.text_at(index.row(), index.column())
        if role == STATE:
            return _WORDS[self.state_at(index.row(), index.column())]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            counter = index.column() >= self.FIXED
            side = Qt.AlignmentFlag.AlignRight if counter else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return self._tip(index.row(), index.column()) if role == Qt.ItemDataRole.ToolTipRole else None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; absent numbers go last."""
        self._sort = (column, order)
        self._resort()

    @property
    def sorting(self) -> tuple[int, Qt.SortOrder]:
        """The column that it is sorted by, and which way."""
        return self._sort

    def _tip(self, row: int, column: int) -> str:
        number, one = self.row_at(row)
        if column < self.FIXED:
            return tip(f"{one.name} {one.instance} on {one.host}")
        spec = self._columns[column - self.FIXED]
        value = format_value(float(self._numbers[number, column - self.FIXED]), spec.unit)
        return tip(f"{shown(one.name)}  {spec.title} {value}\n{spec.tooltip}")

    # -- numbers and order

    def _set_numbers(self, values: Values) -> None:
        numbers = values.numbers
        if numbers.shape != (len(self._rows), len(self._columns)):
            numbers = np.full((len(self._rows), len(self._columns)), np.nan)
        self._numbers = numbers
        self._decimals = [decimals_of(numbers[:, at], column.unit) for at, column in enumerate(self._columns)]
        warning = np.array([column.warning for column in self._columns])
        critical = np.array([column.critical for column in self._columns])
        with np.errstate(invalid="ignore"):
            self._states = (numbers > warning).astype(np.int8) + (numbers > critical).astype(np.int8)
        self._states[~self._judged] = 0

    def widest(self, column: int) -> str:
        """The longest text of a counter's column: its largest number, or its largest with a symbol."""
        at = column - self.FIXED
        sizes, states = np.nan_to_num(np.abs(self._numbers[:, at])), self._states[:, at]
        texts = (
            mark + number_text(float(sizes[states == state].max(initial=0.0)), self._decimals[at])
            for state, mark in enumerate(_MARKS)
            if state == 0 or (states == state).any()
        )
        return max(texts, key=len)

    def _judgeable(self) -> NDArray[np.bool_]:
        """(rows, columns): whether the limits of the column hold for the kind of the row."""
        kinds = np.array([row.ref.kind for row in self._rows])
        judged = np.ones((len(self._rows), len(self._columns)), bool)
        for number, column in enumerate(self._columns):
            if column.kinds:
                judged[:, number] = np.isin(kinds, list(column.kinds))
        return judged

    def _resort(self) -> None:
        order = self._sorted()
        if np.array_equal(order, self._order):
            if order.size and self._columns:
                self.dataChanged.emit(
                    self.index(0, self.FIXED), self.index(order.size - 1, self.columnCount() - 1)
                )
            return
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        numbers = [int(self._order[index.row()]) for index in before]
        self._order, self._place = order, np.argsort(order)
        after = [
            self.index(int(self._place[number]), index.column())
            for number, index in zip(numbers, before, strict=True)
        ]
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()

    def _sorted(self) -> NDArray[np.int64]:
        """Numbers of rows in the order in which they are shown: families stay together."""
        if not self._rows:
            return np.zeros(0, np.int64)
        head = np.array([row.depth == 0 for row in self._rows])
        family = np.cumsum(head) - 1
        rank = self._ranks()
        heads = np.flatnonzero(head)
        first = np.empty(heads.size, np.int64)
        first[np.argsort(rank[heads], kind="stable")] = np.arange(heads.size)
        order: NDArray[np.int64] = np.lexsort((rank, ~head, first[family]))
        return order

    def _ranks(self) -> NDArray[np.int64]:
        column, direction = self._sort
        down = direction == Qt.SortOrder.DescendingOrder
        count = len(self._rows)
        if self.FIXED <= column < self.columnCount():
            values = self._numbers[:, column - self.FIXED]
            keys = np.where(np.isnan(values), np.inf, -values if down else values)
            by = np.argsort(keys, kind="stable")
        else:
            names = [natural(row.host if column == 1 else row.name) for row in self._rows]
            by = np.array(sorted(range(count), key=names.__getitem__, reverse=down), np.int64)
        rank = np.empty(count, np.int64)
        rank[by] = np.arange(count)
        return rank


def decimals_of(values: FloatArray, unit: str) -> int:
    """How many decimals the numbers of a column have: two as in esxtop, fewer where there are large ones.

    All of a column have the same, so that its longest number is its largest.
    """
    if unit == "%":
        return len(_BOUNDS)  # the system's thousands of percent leave a VM's hundredths alone
    there = values[np.isfinite(values)]
    if unit in _WHOLE and (there == there.astype(np.int64)).all():
        return 0
    largest = float(np.abs(there).max(initial=0.0))
    return sum(largest < bound for bound in _BOUNDS)


def number_text(value: float, decimals: int) -> str:
    """A number of a column whose numbers have so many decimals; absent is a dash."""
    if not np.isfinite(value):
        return "–"
    return f"{value:.{decimals}f}" if decimals else f"{value:,.0f}"
