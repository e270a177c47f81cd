"""The jobs pane: what the job runner and child processes do that takes a while."""

from __future__ import annotations

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from app.gui.desk import Desk
from app.gui.jobs import Job
from widgets.jobs import JobRow, JobsView


class JobsPanel(JobsView):
    """Follows the runner while it can be seen."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk.theme)
        self._jobs = desk.jobs
        desk.jobs.changed.connect(self._renew)
        self.cancelled.connect(self._cancel)
        self.cleared.connect(desk.jobs.clear_ended)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """What happened while nobody looked."""
        super().showEvent(event)
        self._renew()

    def _renew(self) -> None:
        if self.isVisible():
            self.show_jobs([_row(job) for job in self._jobs.visible_jobs()])

    def _cancel(self, number: int) -> None:
        for job in self._jobs.visible_jobs():
            if job.number == number:
                job.cancel()


def _row(job: Job) -> JobRow:
    words = job.text
    if job.state == "failed" and job.error is not None:
        words = str(job.error)
    return JobRow(job.number, job.title, job.state, job.part, words)


def make(desk: Desk) -> QWidget:
    """The panel of the table."""
    return JobsPanel(desk)
