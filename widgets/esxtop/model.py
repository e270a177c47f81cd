"""The Qt model of the esxtop table: rows are entities, columns are counters, numbers one array."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from resources.foreign_text import shown, tooltip_text
from resources.units import format_value
from resources.views import CounterLimits
from sessions.model import EntityRef, FloatArray, IntArray
from viewmodels.entity_limits import limit_text
from viewmodels.entity_words import KINDS
from viewmodels.esxtop_cells import Cells, order_of
from viewmodels.esxtop_layout import HOST, NAME
from viewmodels.esxtop_table import Row, RowLimits, TableColumn
from viewmodels.host_domains import shared_domain, without

STATE = Qt.ItemDataRole.UserRole

Index = QModelIndex | QPersistentModelIndex
_NOT_CURRENT = "– no sample at this moment: off, moved away, or its source was silent"
_WORDS = ("", "warning", "critical")


class EsxtopModel(QAbstractTableModel):
    """The table model; columns 0 and 1 are name and host, the others counters.

    Rows of expanded entities stay below their entity's row when the table is sorted. ``host_names`` are the
    names in the host column, each once.
    """

    FIXED = 2

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: Sequence[Row] = ()
        self._columns: Sequence[TableColumn] = ()
        self._cells = Cells()
        self._order: IntArray = np.zeros(0, np.int64)
        self._place: IntArray = np.zeros(0, np.int64)
        self._sort: tuple[int, Qt.SortOrder] = (0, Qt.SortOrder.AscendingOrder)
        self._sparks: dict[tuple[int, int], FloatArray] = {}
        self._hosts: dict[str, str] = {}
        self._counted: NDArray[np.bool_] | None = None
        self._limits: Mapping[int, RowLimits] = {}
        self.host_names: Sequence[str] = ()

    # -- contents

    def set_table(
        self,
        rows: Sequence[Row],
        columns: Sequence[TableColumn],
        numbers: FloatArray | None = None,
        counted: NDArray[np.bool_] | None = None,
        loads: Mapping[str, FloatArray] = MappingProxyType({}),
        limits: Mapping[int, RowLimits] = MappingProxyType({}),
    ) -> None:
        """Show these rows and columns; if both are unchanged, only the numbers are repainted.

        ``numbers`` has shape (rows, columns), NaN where absent; None if they are not read yet. ``counted``
        is True where any source counts the cell's counter for its row (by default everywhere), ``loads`` are
        the loads of the rows that decide whether limits apply, ``limits`` those of rows by column where they
        differ. The table stays sorted by the same column,
        wherever that stands now; by name if it has gone.
        """
        self._counted, self._limits = counted, limits
        if list(rows) == list(self._rows) and list(columns) == list(self._columns):
            self._cells = Cells.of(self._rows, self._columns, numbers, loads, limits)
            self._resort()
            return
        self.beginResetModel()
        sorted_by = self.id_at(self._sort[0])
        self._rows, self._columns = list(rows), list(columns)
        self._hosts = _short_names(self._rows)
        self.host_names = list(self._hosts.values())
        self._sparks.clear()
        self._cells = Cells.of(self._rows, self._columns, numbers, loads, limits)
        column = self.column_of(sorted_by)
        self._sort = (column, self._sort[1]) if column >= 0 else (0, Qt.SortOrder.AscendingOrder)
        self._order = _ordered(self._rows, self._cells, self._sort)
        self._place = np.argsort(self._order)
        self.endResetModel()

    def set_sparks(self, column: int, sparks: dict[int, FloatArray]) -> None:
        """Show sparklines in counter column ``column``, by row number as given to ``set_table``."""
        self._sparks = {(row, column): values for row, values in sparks.items()}
        if self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, self.columnCount() - 1))

    def row_at(self, row: int) -> tuple[int, Row]:
        """Return the row shown at position ``row``, and its number as given to ``set_table``."""
        number = int(self._order[row])
        return number, self._rows[number]

    def column_at(self, column: int) -> TableColumn | None:
        """Return the counter column at ``column``, None for name and host."""
        inside = self.FIXED <= column < self.columnCount()
        return self._columns[column - self.FIXED] if inside else None

    def id_at(self, column: int) -> str:
        """Return the id of a column: ``name``, ``host``, ``cpu.ready``."""
        found = self.column_at(column)
        return found.id if found is not None else (NAME, HOST)[min(max(column, 0), 1)]

    def column_of(self, counter: str) -> int:
        """Return the position of the column with this id, or of a counter's first one; −1 if it is not
        shown.
        """
        if counter in {NAME, HOST}:
            return int(counter == HOST)
        for number, column in enumerate(self._columns):
            if counter in {column.counter, column.id}:
                return number + self.FIXED
        return -1

    def place_of(self, ref: EntityRef) -> int:
        """Return the position of an entity's row, −1 if it is not shown."""
        for number, row in enumerate(self._rows):
            if row.ref == ref:
                return int(self._place[number])
        return -1

    def text_at(self, row: int, column: int) -> str:
        """Return the text of a cell."""
        number, one = self.row_at(row)
        if column == 1:
            return self._hosts[one.host]
        if column == 0:
            return shown(f"{one.name} {one.instance}".strip()) or "(without a name)"
        return self._cells.text(number, column - self.FIXED)

    def number_at(self, row: int, column: int) -> float:
        """Return the number of a counter's cell, NaN if it is absent."""
        return float(self._cells.numbers[self._order[row], column - self.FIXED])

    def state_at(self, row: int, column: int) -> int:
        """Return the state of a cell: 0 within its limits, 1 above the warning, 2 above the critical
        limit.
        """
        return int(self._cells.states[self._order[row], column - self.FIXED]) if column >= self.FIXED else 0

    def widest(self, column: int) -> str:
        """Return the longest text of a counter's column."""
        return self._cells.widest(column - self.FIXED)

    def spark_at(self, row: int, column: int) -> FloatArray | None:
        """Return the sparkline of a cell, None if it has none."""
        return self._sparks.get((int(self._order[row]), column - self.FIXED)) if self._sparks else None

    # -- what Qt asks

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """Return the number of columns, name and host included."""
        return 0 if parent.isValid() else self.FIXED + len(self._columns)

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return esxtop's name of a column, or its meaning as the tooltip."""
        if orientation == Qt.Orientation.Vertical:
            return None
        column = self.column_at(section) if section < self.columnCount() else None
        if role == Qt.ItemDataRole.DisplayRole:
            return column.title if column else ("NAME", "HOST")[min(section, 1)]
        if role == Qt.ItemDataRole.ToolTipRole and column:
            return tooltip_text(column.tooltip)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return text, state, sparkline or tooltip of a cell."""
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
        if role == Qt.ItemDataRole.ToolTipRole:
            number, row = self.row_at(index.row())
            column, at = self.column_at(index.column()), index.column() - self.FIXED
            value = self._cells.numbers[number, at] if column else np.nan
            counted = column is None or self._counted is None or bool(self._counted[number, at])
            own = self._limits[at].of(number) if at in self._limits else None
            return _tooltip(row, column, float(value), own, counted=counted)
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; absent numbers come last."""
        self._sort = (column, order)
        self._resort()

    @property
    def sorting(self) -> tuple[int, Qt.SortOrder]:
        """The column by which the table is sorted, and the order."""
        return self._sort

    # -- order

    def _resort(self) -> None:
        order = _ordered(self._rows, self._cells, self._sort)
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


def _tooltip(
    row: Row, column: TableColumn | None, value: float, limits: CounterLimits | None, *, counted: bool
) -> str:
    """Return entity, counter, ``value`` with its unit (or why there is none), its limit, and meaning."""
    if column is None:
        return tooltip_text(f"{row.name} {row.instance} on {row.host}")
    if np.isfinite(value):
        text = f"{format_value(value, column.unit)} {column.per}".rstrip()
    else:
        text = _NOT_CURRENT if counted else f"– no source counts this for a {KINDS[row.ref.kind][0]}"
    limit = f", {limit_text(limits, column.unit)}" if limits is not None and limits.because else ""
    return tooltip_text(f"{shown(row.name)}  {column.title} {text}{limit}\n{column.tooltip}")


def _ordered(rows: Sequence[Row], cells: Cells, sort: tuple[int, Qt.SortOrder]) -> IntArray:
    """Return row numbers in the order in which rows are shown."""
    column, direction = sort
    descending = direction == Qt.SortOrder.DescendingOrder
    return order_of(rows, cells, column - EsxtopModel.FIXED, descending=descending)


def _short_names(rows: Sequence[Row]) -> dict[str, str]:
    """Return the hosts' names as they are shown, by name: without the DNS domain that all share."""
    hosts = list(dict.fromkeys(row.host for row in rows))
    domain = shared_domain(hosts)
    return {host: shown(without(domain, host)) for host in hosts}
