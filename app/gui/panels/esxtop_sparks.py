"""Reads the sparklines of the esxtop page: the last samples of the column that it is sorted by."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject

from app.gui.desk import Desk
from app.gui.jobs import Job
from sessions.model import FloatArray
from sessions.store import SessionReader
from viewmodels.esxtop_moment import sparks_of
from viewmodels.esxtop_rows import NO_ROWS, Grid
from widgets.esxtop import EsxtopModel, EsxtopView

_ROWS = 300


class EsxtopSparks(QObject):
    """Shows small curves in the sorted column, if the user wants them."""

    def __init__(self, desk: Desk, view: EsxtopView, model: EsxtopModel) -> None:
        super().__init__(view)
        self._desk, self._view, self._model = desk, view, model
        self._grid, self._at = NO_ROWS, 0
        view.sparks_toggled.connect(lambda _on: self._read())
        view.table.sorted.connect(self._read)

    def set_grid(self, grid: Grid) -> None:
        """Take over the rows and columns that the table shows from now on; their curves are read later."""
        self._grid = grid

    def show_until(self, at: int) -> None:
        """Show the curves up to the time ``at`` (ms)."""
        self._at = at
        self._read()

    def _read(self) -> None:
        column = self._model.sorting[0] - EsxtopModel.FIXED
        snapshot, grid, at = self._desk.session.snapshot, self._grid, self._at
        if not self._view.sparks.isChecked() or column < 0 or snapshot is None or not grid.rows:
            self._model.set_sparks(max(column, 0), {})
            self._view.table.widths.make_room_for_curves(-1)
            return
        rows = [self._model.row_at(row)[0] for row in range(min(self._model.rowCount(), _ROWS))]
        ids = grid.ids[rows, column]

        def work(reader: SessionReader, job: Job) -> Mapping[int, FloatArray]:
            return sparks_of(reader, ids, snapshot, at, job)

        def done(found: Mapping[int, FloatArray]) -> None:
            if grid is self._grid:
                numbers = zip(rows, ids.tolist(), strict=True)
                self._model.set_sparks(column, {row: found[one] for row, one in numbers if one in found})
                self._view.table.widths.make_room_for_curves(column + EsxtopModel.FIXED)

        self._desk.session.query("esxtop.sparks", work, done)
