"""Moves the columns of the esxtop table, by dragging a heading or by steps."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from viewmodels.esxtop_layout import moved
from widgets.esxtop.header import EsxtopHeader
from widgets.esxtop.model import EsxtopModel


class ColumnOrder(QObject):
    """Tells into which order the user brings the columns: ``changed`` carries their counters."""

    changed = Signal(object)

    def __init__(self, header: EsxtopHeader, model: EsxtopModel) -> None:
        super().__init__(header)
        self._model = model
        header.setSectionsMovable(True)
        header.setFirstSectionMovable(False)
        header.moved.connect(self._dragged)

    def move(self, column: int, steps: int) -> None:
        """Move a counter's column by some places, to the left if ``steps`` is negative."""
        spec = self._model.column_at(column)
        if spec is not None:
            self.changed.emit(moved(self._counters(), spec.counter, steps))

    def _counters(self) -> list[str]:
        """Return the counters of the columns in their order, each once."""
        columns = map(self._model.column_at, range(EsxtopModel.FIXED, self._model.columnCount()))
        return list(dict.fromkeys(column.counter for column in columns if column is not None))

    def _dragged(self, column: int, to: int) -> None:
        """Move a column to the place of the one on which the mouse let it go."""
        spec, target = self._model.column_at(column), self._model.column_at(to)
        if spec is not None and target is not None:
            counters = self._counters()
            self.move(column, counters.index(target.counter) - counters.index(spec.counter))
