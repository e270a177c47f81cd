"""Reads the numbers of the esxtop page in workers."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, QTimer

from app.gui.desk import Desk
from app.gui.jobs import Job
from app.gui.panels.esxtop_sparks import EsxtopSparks
from app.gui.panels.esxtop_time import EsxtopTime
from sessions.store import SessionReader
from viewmodels.esxtop_moment import Knowledge, Moment, moment_of, numbers_of
from viewmodels.esxtop_rows import NO_ROWS, Grid
from widgets.esxtop import MIN_INTERVAL_S, EsxtopModel, EsxtopView, interval_dialog

_SLIDE_MS = 60


class EsxtopNumbers(QObject):
    """Fills the shown grid with the numbers of a moment, every few seconds at the live end.

    ``time`` decides which moment it is. ``is_stale``: that changed, or new samples came, while the page was
    hidden.
    """

    def __init__(self, desk: Desk, view: EsxtopView, model: EsxtopModel) -> None:
        super().__init__(view)
        self._desk, self._view, self._model = desk, view, model
        self._grid = NO_ROWS
        self.time = EsxtopTime(desk, view)
        self.time.changed.connect(self._renew)
        self.is_stale = False
        self._seek_selection = False
        self._last: Mapping[int, float] = {}
        self._every = QTimer(self, interval=MIN_INTERVAL_S * 1000)
        self._every.timeout.connect(self._tick)
        self._slide = QTimer(self, singleShot=True, interval=_SLIDE_MS)
        self._slide.timeout.connect(self._read)
        desk.times.changed.connect(lambda _clock: self._read())
        view.interval.connect(self._ask_interval)
        self._sparks = EsxtopSparks(desk, view, model)

    def _ask_interval(self) -> None:
        dialog = interval_dialog(self._every.interval() // 1000, self._view)
        dialog.intValueSelected.connect(lambda seconds: self._every.setInterval(seconds * 1000))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def follow(self) -> None:
        """Start reading regularly, as long as the session is recorded."""
        if not self._every.isActive() and self._view.isVisible():
            self._every.start()

    def show_grid(self, grid: Grid) -> None:
        """Read the numbers for these rows and columns."""
        self._grid, self.is_stale = grid, False
        self._slide.stop()
        self._read()

    def show_known(self) -> None:
        """Show the rows and columns with the numbers that were read before."""
        grid, last = self._grid, self._last
        loads = {counter: numbers_of(ids, last) for counter, ids in grid.loads.items()}
        self._model.set_table(
            grid.rows, grid.columns, numbers_of(grid.ids, last), grid.ids > 0, loads, grid.limits
        )
        self._sparks.set_grid(grid)

    def _renew(self) -> None:
        """Read the numbers after a short delay: another moment is to be shown."""
        if self._view.isVisible():
            self._slide.start()
        else:
            self.is_stale = True

    def seek_selection(self) -> None:
        """Scroll to the selected row when the next numbers have been sorted."""
        self._seek_selection = True

    def forget(self) -> None:
        """Show no moment; the next session starts at its end."""
        self._every.stop()
        self._grid, self._last = NO_ROWS, {}
        self._sparks.set_grid(NO_ROWS)
        self.time.forget()
        self._view.head.show_totals((), "")
        self._view.show_moment("", 1.0)

    def _tick(self) -> None:
        snapshot = self._desk.session.snapshot
        if snapshot is None or not snapshot.recording or not self._view.isVisible():
            self._every.stop()
            self.is_stale = not self._view.isVisible()
        if snapshot is not None and self.time.is_at_end and self._view.isVisible():
            self._read()

    def _read(self) -> None:
        snapshot, grid = self._desk.session.snapshot, self._grid
        at = self.time.at
        if snapshot is None or at is None:
            return
        knowledge = Knowledge(self._view.chosen_screen, self._desk.catalogue, self._desk.limits)
        hosts = {row.host for row in grid.rows} if self._desk.scope.scope.entities else set()

        def work(reader: SessionReader, job: Job) -> Moment:
            return moment_of(reader, grid, knowledge, snapshot, at, job, hosts=hosts)

        def done(moment: Moment) -> None:
            if grid is self._grid:
                self._show(moment)

        self._desk.session.query("esxtop", work, done)

    def _show(self, moment: Moment) -> None:
        self._last = moment.last
        self.show_known()
        if self._seek_selection:  # the numbers have just put the selected row elsewhere
            self._seek_selection = False
            self._view.table.scrollTo(self._view.table.currentIndex())
        self._view.head.show_totals(moment.totals, moment.details)
        self._view.show_moment(
            f"as of {self._desk.times.clock.moment(moment.at)}", self.time.part_of(moment.at)
        )
        self._sparks.show_until(moment.at)
