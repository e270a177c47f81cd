"""The widths of the esxtop table's columns: as numbers and names need, or as the user dragged them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QTableView

from viewmodels.esxtop_layout import NAME
from widgets.esxtop.header import SIDE, EsxtopHeader
from widgets.esxtop.model import EsxtopModel

_MIN_NAME, _MAX_NAME, _WHOLE_NAME = 112, 214, 480
_MIN_HOST, _MAX_HOST = 48, 128
_MEASURED_NAMES = 500
_WHOLE_NAMES_SHARE = 0.9  # the longest tenth may be elided
_AROUND_NAME = 24
_SPARK = 168
_USUAL, _USUAL_MARKED = "100.00", "◆ 100.00"


class ColumnWidths(QObject):
    """Keeps the columns of a table as wide as needed.

    Columns become wider with their numbers, but never narrower by themselves: nothing jumps under the eye.
    ``changed`` carries the widths that the user chose, by column id.
    """

    changed = Signal(object)

    def __init__(self, table: QTableView, header: EsxtopHeader, model: EsxtopModel) -> None:
        super().__init__(table)
        self._table, self._header, self._model = table, header, model
        self._chosen: dict[str, int] = {}
        self._dragged: dict[str, int] = {}
        self._fitting = False
        self._spark = -1
        header.sectionResized.connect(self._note)
        header.released.connect(self.keep)
        header.sectionHandleDoubleClicked.connect(self.fit)

    def use(self, chosen: Mapping[str, int]) -> None:
        """Use the widths that the user chose earlier, by column id, and fit the other columns."""
        self._chosen = dict(chosen)
        self.refit()

    def fit_all(self) -> None:
        """Make each column as wide as its contents, forgetting what the user chose."""
        self._chosen.clear()
        self.refit()
        self.changed.emit({})

    def fit(self, column: int) -> None:
        """Make one column as wide as its contents; the names' column shows all of them."""
        self._dragged.clear()
        self._chosen.pop(self._model.id_at(column), None)
        if column == 0:
            self._chosen[NAME] = self._names_width(_WHOLE_NAME, 1.0)
        self._set(column, self._chosen.get(self._model.id_at(column)) or self._needed(column))
        self.changed.emit(dict(self._chosen))

    def refit(self) -> None:
        """Give all columns the width that they need, or that the user chose."""
        self._spark = -1
        for column in range(1, self._model.columnCount()):
            self._set(column, self._chosen.get(self._model.id_at(column)) or self._needed(column))
        self._table.setColumnHidden(1, len(self._model.host_names) < 2)
        self.fit_names()

    def widen(self) -> None:
        """Widen columns to their longest number."""
        for column in range(EsxtopModel.FIXED, self._model.columnCount()):
            needed = self._number_width(column)
            if self._model.id_at(column) not in self._chosen and needed > self._table.columnWidth(column):
                self._set(column, needed)

    def fit_names(self) -> None:
        """Give the names what the deciding columns leave over, if the user did not choose their width."""
        self._set(0, self._chosen.get(NAME) or self._needed(0))

    def toggle_names(self) -> None:
        """Show the names whole, or as wide as the other columns leave."""
        if self._chosen.pop(NAME, None) is None:
            self._chosen[NAME] = self._names_width(_WHOLE_NAME, 1.0)
        self.fit_names()
        self.changed.emit(dict(self._chosen))

    def make_room_for_curves(self, column: int) -> None:
        """Widen the column that shows sparklines beside its numbers; the one that did shrinks again."""
        if column == self._spark:
            return
        if EsxtopModel.FIXED <= self._spark < self._model.columnCount():
            before, self._spark = self._spark, -1
            self._set(before, self._chosen.get(self._model.id_at(before)) or self._needed(before))
        if column >= EsxtopModel.FIXED:
            self._spark = column
            self._set(column, max(_SPARK, self._table.columnWidth(column)))

    def _needed(self, column: int) -> int:
        if column == 0:
            return self._names_width(self._room_for_names(), _WHOLE_NAMES_SHARE)
        if column == 1:
            longest = max(self._model.host_names, key=len, default="")
            advance = self._table.fontMetrics().horizontalAdvance(longest)
            return min(max(advance + 3 * SIDE, _MIN_HOST), _MAX_HOST)
        return max(self._header.width_of(column), self._number_width(column))

    def _number_width(self, column: int) -> int:
        spec, metrics = self._model.column_at(column), self._table.fontMetrics()
        usual = _USUAL_MARKED if spec is not None and np.isfinite(spec.warning) else _USUAL
        texts = (usual, self._model.widest(column))
        return max(metrics.horizontalAdvance(text) for text in texts) + 2 * SIDE

    def _room_for_names(self) -> int:
        """Return the widest that the names may be, so that the deciding columns are in sight."""
        count = self._model.columnCount()
        deciding = (
            self._table.columnWidth(column)
            for column in range(EsxtopModel.FIXED, count)
            if (spec := self._model.column_at(column)) is not None and spec.deciding
        )
        host = 0 if self._table.isColumnHidden(1) else self._table.columnWidth(1)
        left = self._table.viewport().width() - host - sum(deciding)
        return min(max(left, _MIN_NAME), _MAX_NAME)

    def _names_width(self, most: int, share: float) -> int:
        """Return the width that this share of the first names needs, within limits."""
        model = self._model
        rows = range(min(model.rowCount(), _MEASURED_NAMES))
        lengths = sorted(len(model.text_at(row, 0)) for row in rows)
        length = lengths[int((len(lengths) - 1) * share)] if lengths else 0
        wanted = round(length * self._table.fontMetrics().averageCharWidth()) + _AROUND_NAME
        return min(max(wanted, _MIN_NAME), most)

    def _set(self, column: int, width: int) -> None:
        self._fitting = True
        self._table.setColumnWidth(column, width)
        self._fitting = False

    def _note(self, column: int, _before: int, width: int) -> None:
        if not self._fitting and width > 0:
            self._dragged[self._model.id_at(column)] = width

    def keep(self) -> None:
        """Keep what the mouse dragged, now that it let go."""
        if self._dragged:
            self._chosen |= self._dragged
            self._dragged.clear()
            self.changed.emit(dict(self._chosen))
