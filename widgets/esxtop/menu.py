"""The context menus of the esxtop table: of a cell, and of a column's heading."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QModelIndex, QObject, QPoint, Qt, Signal
from PySide6.QtWidgets import QHeaderView, QTableView

from resources.foreign_text import shown
from viewmodels.file_offer import table_file
from viewmodels.text_table import TextTable, rows_label
from widgets.context_menu import COPY, NO_MORE, SAVE, ContextMenu, Entries, MenuEntry
from widgets.copying import copy_table, copy_text
from widgets.esxtop.keys import COPY_ROWS, LEFT, RIGHT
from widgets.esxtop.model import EsxtopModel
from widgets.esxtop.selection import chosen_columns, chosen_rows
from widgets.esxtop.table import EsxtopTable

_LONGEST_NAME = 28


class TableMenu(QObject):
    """Opens the menus of the table and its headings, and does what their entries' keys say.

    Signals: ``charted(rows, column)``: chart a counter of these rows; ``scoped(row)``: look at the row's
    entity only; ``hidden(column)``; ``explained(column)``: say what a column means; ``expanded``: expand or
    fold the selected rows; ``fields``, ``reset``: choose the columns, or have the standard ones again;
    ``copied`` with a message; ``saved`` with what can be saved as a file. ``as_text(rows, columns)`` is a
    part of the table to be copied; ``more`` are further entries about the entity of a row.
    """

    charted = Signal(object, int)
    moved_wanted = Signal(int, int)
    scoped = Signal(int)
    hidden = Signal(int)
    explained = Signal(int)
    expanded = Signal()
    fields = Signal()
    reset = Signal()
    copied = Signal(str)
    saved = Signal(object)

    def __init__(
        self,
        table: EsxtopTable,
        model: EsxtopModel,
        as_text: Callable[[Sequence[int], Sequence[int]], TextTable],
    ) -> None:
        super().__init__(table)
        self._table, self._model, self._as_text = table, model, as_text
        self.more = NO_MORE
        self._keyboard = ContextMenu(table, lambda point: self._of_cell(table, point))
        ContextMenu(table.names, lambda point: self._of_cell(table.names, point))
        for view in (table, table.names):
            ContextMenu(view.horizontalHeader(), partial(self._of_heading_at, view.horizontalHeader()))

    def explain(self) -> None:
        """Say what the current column means."""
        self.explained.emit(self.counter_column())

    def press(self, key: str) -> None:
        """Do what the entry with this key does for the current cell."""
        self._keyboard.press(key)

    def open(self) -> None:
        """Open the menu of the current cell."""
        self._keyboard.open_at_current()

    def chart_text(self) -> str:
        """Return what charting the selection would do: ``Chart %RDY of these 2``; empty for one row."""
        rows = chosen_rows(self._table)
        return f"Chart {self._title(self.counter_column())} of these {len(rows)}" if len(rows) > 1 else ""

    def chart_selection(self) -> None:
        """Chart the current column of the selected rows."""
        self.charted.emit(chosen_rows(self._table), self.counter_column())

    def counter_column(self, column: int | None = None) -> int:
        """Return the column (by default the current one); in the names, the one that is sorted by."""
        at = self._table.currentIndex().column() if column is None else column
        for one in (at, self._model.sorting[0]):
            if one >= EsxtopModel.FIXED:
                return one
        return EsxtopModel.FIXED

    def _of_cell(self, view: QTableView, point: QPoint | None) -> Entries:
        index = self._current() if point is None else view.indexAt(point)
        if not index.isValid():
            return []
        row, column = index.row(), self.counter_column(index.column())
        whole = point is None and not self._table.currentIndex().isValid()
        rows = chosen_rows(self._table) or (list(range(self._model.rowCount())) if whole else [row])
        title = self._title(column)
        name = self._name(row)
        entries = self._copies(row, index.column(), rows)
        entries += [None, MenuEntry(f"Chart {title} of {name}", lambda: self.charted.emit([row], column))]
        if len(rows) > 1:
            entries.append(MenuEntry(self.chart_text(), self.chart_selection, "Return"))
        count = self._model.rowCount()
        everything = list(range(count))
        entries.append(MenuEntry(f"Chart {title} of all rows", lambda: self.charted.emit(everything, column)))
        asked = MenuEntry(f"What moved with {title} of {name}", lambda: self.moved_wanted.emit(row, column))
        entries += [asked, None, MenuEntry(f"Look at {name} only", lambda: self.scoped.emit(row))]
        if self._model.row_at(row)[1].expandable:
            entries.append(MenuEntry(f"Expand or fold {name}", self.expanded.emit, "E"))
        entries += self.more([self._model.row_at(row)[1].ref])
        return [*entries, None, *self._of_heading(column)]

    def _current(self) -> QModelIndex:
        """Return the current cell; the first one if all was selected before a cell was ever chosen."""
        index = self._table.currentIndex()
        return index if index.isValid() else self._model.index(0, 0)

    def _copies(self, row: int, column: int, rows: Sequence[int]) -> list[MenuEntry | None]:
        every_column = range(self._model.columnCount())
        columns = chosen_columns(self._table) or (list(every_column) if len(rows) > 1 else [column])
        if len(rows) * len(columns) > 1:
            what = (
                f"{len(rows)} × {len(columns)} cells" if len(columns) > 1 else rows_label(len(rows), "cell")
            )
            first = MenuEntry(f"Copy {what} with headings", lambda: self._copy(rows, columns), COPY)
        else:
            text = self._model.text_at(row, column).lstrip("◆▲ ")
            first = MenuEntry(
                f"Copy “{_short(text)}”", lambda: self.copied.emit(copy_text(text, _short(text))), COPY
            )
        copied = rows_label(len(rows))
        return [
            first,
            MenuEntry(f"Copy {copied} with headings", lambda: self._copy(rows, every_column), COPY_ROWS),
            *self._of_all_rows(),
        ]

    def _of_all_rows(self) -> list[MenuEntry | None]:
        rows, columns = range(self._model.rowCount()), range(self._model.columnCount())
        return [
            MenuEntry("Copy the whole table", lambda: self._copy(rows, columns)),
            MenuEntry(
                "Save the table as CSV…",
                lambda: self.saved.emit(table_file(self._as_text(rows, columns))),
                SAVE,
            ),
        ]

    def of_table(self) -> list[MenuEntry | None]:
        """Return the entries that concern the table as a whole."""
        return [*self._of_all_rows(), None, *self._of_all_columns()]

    def _of_heading_at(self, header: QHeaderView, point: QPoint | None) -> Entries:
        return self._of_heading(-1 if point is None else header.logicalIndexAt(point))

    def _of_heading(self, column: int) -> Entries:
        if column < 0:  # beside the last column, or by the keyboard: headings have no focus
            return []
        table, down, up = self._table, Qt.SortOrder.DescendingOrder, Qt.SortOrder.AscendingOrder
        title, counts = self._title(column), column >= EsxtopModel.FIXED
        order = down if counts else up
        found: list[MenuEntry | None] = [MenuEntry(f"Sort by {title}", lambda: table.sort_by(column, order))]
        if counts:
            found += [
                MenuEntry(f"What does {title} mean?", lambda: self.explained.emit(column)),
                MenuEntry(f"Hide {title}", lambda: self.hidden.emit(column)),
                MenuEntry("Move to the left", lambda: table.order.move(column, -1), LEFT),
                MenuEntry("Move to the right", lambda: table.order.move(column, 1), RIGHT),
                MenuEntry(f"Fit {title}", lambda: table.widths.fit(column)),
            ]
        else:
            found.append(MenuEntry("Fit the names", lambda: table.widths.fit(column)))
        return [*found, *self._of_all_columns()]

    def _of_all_columns(self) -> list[MenuEntry | None]:
        return [
            MenuEntry("Fit all columns", self._table.widths.fit_all),
            MenuEntry("Choose columns…", self.fields.emit, "F"),
            MenuEntry("Standard columns, widths and sorting", self.reset.emit),
        ]

    def _copy(self, rows: Sequence[int], columns: Sequence[int]) -> None:
        self.copied.emit(copy_table(self._as_text(rows, columns)))

    def _title(self, column: int) -> str:
        spec = self._model.column_at(column)
        return shown(spec.title) if spec is not None else ("names", "hosts")[min(column, 1)]

    def _name(self, row: int) -> str:
        return _short(self._model.text_at(row, 0))


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_NAME else f"{text[: _LONGEST_NAME - 1]}…"
