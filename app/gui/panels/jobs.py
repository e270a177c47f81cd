"""The jobs pane: lists background jobs and child processes."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.gui.desk import Desk
from app.gui.jobs import Job
from widgets.jobs import JobRow, JobsView


class JobsPanel(QObject):
    """Shows the jobs of the job runner while the pane is visible."""

    def __init__(self, desk: Desk) -> None:
        self.view = JobsView(desk.theme)
        super().__init__(self.view)
        self._jobs = desk.jobs
        desk.jobs.changed.connect(self._renew)
        self.view.appeared.connect(self._renew)
        self.view.cancelled.connect(self._cancel)
        self.view.copied.connect(lambda text: desk.notify(text, "ok"))
        self.view.save_wanted.connect(desk.save_file)
        self.view.cleared.connect(desk.jobs.clear_ended)

    def _renew(self) -> None:
        if self.view.isVisible():
            self.view.show_jobs([_row(job) for job in self._jobs.visible_jobs()])

    def _cancel(self, number: int) -> None:
        for job in self._jobs.visible_jobs():
            if job.number == number:
                job.cancel()


def _row(job: Job) -> JobRow:
    text = job.text
    if job.state == "failed" and job.error is not None:
        text = str(job.error)
    return JobRow(job.number, job.title, job.state, job.part, text)


def make(desk: Desk) -> QWidget:
    """Return the view of the jobs panel; the view owns the panel."""
    return JobsPanel(desk).view
