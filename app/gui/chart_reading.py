"""Reads the samples of the charts in a worker: those near the shown window, later only new ones."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal

from app.gui.desk import Desk
from app.gui.jobs import Job
from sessions.store import SessionReader
from sessions.times import TimeRange
from viewmodels.chart_samples import ChartSamples, read_samples
from viewmodels.chart_windows import NEAR_MARGIN, READ_MARGIN, cells_of, window_to_read
from viewmodels.possible_samples import limits_of

_SLOT = "charts"


class ChartReading(QObject):
    """Holds the ``samples`` of the board's charts over the scope's window; emits ``ready`` when they changed.

    Only one read runs at a time; requests that come meanwhile lead to one more read. So a growing session or
    a window that is being dragged never prevents charts from being drawn.
    """

    ready = Signal()
    _asked = Signal()

    def __init__(self, desk: Desk, parent: QObject) -> None:
        super().__init__(parent)
        self._desk = desk
        self.samples = ChartSamples()
        self._ids_read: frozenset[int] = frozenset()
        self._is_asked_again = False
        self._is_asked = False
        # Queued, not by a timer: a new session's samples are read while its window is laid out and painted.
        self._asked.connect(self._read_if_asked, Qt.ConnectionType.QueuedConnection)

    def ask(self) -> None:
        """Read what is missing in the next turn of the event loop; several requests become one."""
        if not self._is_asked:
            self._is_asked = True
            self._asked.emit()

    def ask_near_the_edge(self) -> None:
        """Read more if the shown window is close to the end of what was read."""
        window = self._window(NEAR_MARGIN)
        if window is not None and not self.samples.cover(self._ids(), window):
            self.ask()

    def forget(self) -> None:
        """Drop all samples: another session is opened."""
        self._desk.jobs.cancel(_SLOT)
        self._is_asked = self._is_asked_again = False
        self.samples = ChartSamples()

    def _read_if_asked(self) -> None:
        if self._is_asked:
            self._is_asked = False
            self._read()

    def _read(self) -> None:
        ids, window = self._ids(), self._window(READ_MARGIN)
        if not ids or window is None:
            self._desk.jobs.cancel(_SLOT)
            self.samples = ChartSamples()
            self.ready.emit()
            return
        if self._desk.jobs.busy(_SLOT) and ids <= self._ids_read:
            self._is_asked_again = True
            return
        before, self._ids_read, self._is_asked_again = self.samples, ids, False
        snapshot = self._desk.session.snapshot
        known = {number: snapshot.by_id[number] for number in ids if snapshot and number in snapshot.by_id}
        limits = {number: limits_of(one.counter, one.spec.unit) for number, one in known.items()}

        def work(reader: SessionReader, job: Job) -> ChartSamples:
            return read_samples(reader, ids, window, before, job.check, limits)

        self._desk.session.query(_SLOT, work, self._take, title="Reading the charts")

    def _take(self, samples: ChartSamples) -> None:
        self.samples = samples
        if self._is_asked_again:
            self.ask()
        self.ready.emit()

    def _ids(self) -> frozenset[int]:
        return frozenset(number for chart in self._desk.charts.charts for number in chart.series)

    def _window(self, margin: float) -> TimeRange | None:
        snapshot = self._desk.session.snapshot
        shown = self._desk.scope.scope.window_in(snapshot.span) if snapshot else None
        if snapshot is None or snapshot.span is None or shown is None:
            return None
        return window_to_read(shown, snapshot.span, cells_of(self._ids(), snapshot), margin)
