"""What the menus of the esxtop page do: chart, look at an entity, copy, save, explain and hide a column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QModelIndex, QObject

from app.gui.desk import Desk
from app.gui.panels.esxtop_options import EsxtopOptions
from viewmodels.esxtop_columns import meaning_of
from viewmodels.esxtop_layout import without
from widgets.esxtop import EsxtopModel, EsxtopView
from widgets.esxtop.meaning import Meaning

_MAX_CURVES = 50
"""Of all rows, those on top: more curves cannot be told apart in one chart."""


class EsxtopActions(QObject):
    """Joins the menus of the table to the desk. ``series_of`` returns the series of cells."""

    def __init__(
        self,
        desk: Desk,
        view: EsxtopView,
        model: EsxtopModel,
        options: EsxtopOptions,
        series_of: Callable[[Sequence[QModelIndex]], list[int]],
    ) -> None:
        super().__init__(view)
        self._desk, self._view, self._model = desk, view, model
        self._options, self._series_of = options, series_of
        menu = view.menu
        menu.more = desk.recording.watch
        menu.charted.connect(self.chart)
        menu.scoped.connect(self.look_at)
        menu.moved_wanted.connect(self._ask_moved)
        menu.hidden.connect(self._hide)
        menu.explained.connect(self._explain)
        menu.reset.connect(options.reset)
        menu.copied.connect(lambda text: desk.notify(text, "ok"))
        menu.saved.connect(desk.save_file)

    def chart(self, rows: Sequence[int], column: int) -> None:
        """Chart a counter of some rows in one chart; of very many rows, of those on top."""
        measured = [row for row in rows if self._series_of([self._model.index(row, column)])]
        drawn = [self._model.index(row, column) for row in measured[:_MAX_CURVES]]
        if not self.chart_cells(drawn):
            self._desk.notify("These rows have no samples of this counter.", "info")
        elif len(measured) > _MAX_CURVES:
            self._desk.notify(f"The chart shows the first {_MAX_CURVES} of {len(measured):,} rows.", "info")

    def chart_cells(self, cells: Sequence[QModelIndex]) -> bool:
        """Chart the series of some cells; False if they have none."""
        snapshot = self._desk.session.snapshot
        ids = self._series_of(cells)
        series = [snapshot.by_id[one] for one in ids if one in snapshot.by_id] if snapshot else []
        if series:
            self._desk.charts.add(series)
        return bool(series)

    def _ask_moved(self, row: int, column: int) -> None:
        """Ask what moved with the counter of a row."""
        ids = self._series_of([self._model.index(row, column)])
        if ids:
            self._desk.moved.ask_series(ids[0])
        else:
            self._desk.notify("This row has no samples of this counter.", "info")

    def look_at(self, row: int) -> None:
        """Set the scope to the entity of a row."""
        if row >= 0:
            self._desk.scope.set(self._desk.scope.scope.on([self._model.row_at(row)[1].ref]))

    def _hide(self, column: int) -> None:
        found = self._model.column_at(column)
        if found is not None:
            self._options.set_columns(without(self._options.columns, {found.counter}))

    def _explain(self, column: int) -> None:
        found = self._model.column_at(column)
        if found is not None:
            text = meaning_of(found, self._desk.catalogue, self._desk.problems.sources)
            table = self._view.table
            below = table.horizontalHeader().geometry().bottomLeft()
            below.setX(max(table.columnViewportPosition(column), 0))
            meaning = Meaning(*text, self._view)
            meaning.more_wanted.connect(partial(self._desk.topics.counter, found.counter))
            meaning.show_at(table.mapToGlobal(below))
