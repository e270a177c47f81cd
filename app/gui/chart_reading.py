"""Reads the samples of the charts in a worker: those near the window that is shown, and then what is new."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from app.gui.desk import Desk
from app.gui.jobs import Job
from sessions.store import SessionReader
from sessions.times import TimeRange
from viewmodels.chart_samples import ChartSamples, read_samples
from viewmodels.chart_windows import NEAR_MARGIN, READ_MARGIN, cells_of, window_to_read

_SLOT = "charts"


class ChartReading(QObject):
    """Holds the ``samples`` of the charts of the board over the scope's window; ``ready`` when they changed.

    One read at a time: what is asked for while one is under way is read after it, so that a session that
    grows, or a window that is dragged, never keeps charts from being drawn.
    """

    ready = Signal()

    def __init__(self, desk: Desk, parent: QObject) -> None:
        super().__init__(parent)
        self._desk = desk
        self.samples = ChartSamples()
        self._ids_read: frozenset[int] = frozenset()
        self._is_asked_again = False
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._read)

    def ask(self) -> None:
        """Read what is missing soon: scope, findings and board often ask for it in one breath."""
        self._soon.start()

    def ask_near_the_edge(self) -> None:
        """Read on if the window has come near the end of what was read."""
        window = self._window(NEAR_MARGIN)
        if window is not None and not self.samples.cover(self._ids(), window):
            self.ask()

    def forget(self) -> None:
        """Let go of all samples: another session comes."""
        self._desk.jobs.cancel(_SLOT)
        self._soon.stop()
        self._is_asked_again = False
        self.samples = ChartSamples()

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

        def work(reader: SessionReader, job: Job) -> ChartSamples:
            return read_samples(reader, ids, window, before, job.check)

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
