"""Opens the jobs pane for work that takes long, and closes it when that has ended."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QDockWidget

from app.gui.jobs import JobRunner
from app.gui.session_model import SessionModel

LONG_MS, AFTER_MS = 3_000, 3_000
_ROOM = 700
"""Pixels of height below which the pane stays closed: the status bar shows the work, too."""


class JobsPane(QObject):
    """Shows the dock while listed jobs run longer than three seconds beside an open session.

    It goes three seconds after the last one, unless one has failed: that stays until the list is cleared or
    the pane is closed. A pane that the user opened stays, and one that the user closed is left closed until
    all jobs have ended.
    """

    def __init__(self, jobs: JobRunner, session: SessionModel, dock: QDockWidget, parent: QObject) -> None:
        super().__init__(parent)
        self._jobs, self._session, self._dock = jobs, session, dock
        self._is_ours = self._is_declined = False
        self._long = QTimer(self, singleShot=True, interval=LONG_MS)
        self._long.timeout.connect(self._open)
        self._after = QTimer(self, singleShot=True, interval=AFTER_MS)
        self._after.timeout.connect(self._leave)
        for timer in (self._long, self._after):
            dock.destroyed.connect(timer.stop)  # the window may close before they fire
        dock.toggleViewAction().triggered.connect(self._take_wish)
        jobs.changed.connect(self._look)

    def show(self) -> None:
        """Show the pane until the jobs have ended, as the user asked in the status bar."""
        self._is_ours = self._is_ours or self._dock.isHidden()
        self._dock.show()
        self._dock.raise_()

    def _look(self) -> None:
        if any(job.state == "running" for job in self._jobs.visible_jobs()):
            self._after.stop()
            if self._dock.isHidden() and not self._is_declined and not self._long.isActive():
                self._long.start()
        else:
            self._long.stop()
            self._is_declined = False
            if self._is_ours and not self._after.isActive():
                self._after.start()

    def _open(self) -> None:
        if self._session.snapshot is not None and self._dock.window().height() >= _ROOM:
            self.show()

    def _leave(self) -> None:
        if self._is_ours and not any(job.state == "failed" for job in self._jobs.visible_jobs()):
            self._is_ours = False
            self._dock.hide()

    def _take_wish(self, opened: bool) -> None:
        self._is_ours, self._is_declined = False, not opened
        self._long.stop()
