"""The question what moved with a series, a finding or in a window, and its answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, Signal

from app.gui.jobs import Job, JobRunner
from app.gui.session_model import SessionModel
from resources.failures import HyperscopeError
from sessions.findings import Finding
from sessions.model import Series
from sessions.store import SessionReader
from sessions.times import TimeRange

if TYPE_CHECKING:
    from diagnosis.correlation import Correlation

State = Literal["nothing", "searching", "ready", "failed", "cancelled"]
JOB = "moved"


@dataclass(frozen=True, slots=True)
class _Question:
    """A series and a window, None of either as in ``diagnosis.correlation.Question``; or a finding."""

    series: Series | None = None
    window: TimeRange | None = None
    finding: Finding | None = None


class MovedModel(QObject):
    """Signals: ``asked`` when the answer's pane is to be shown; ``changed`` when there is another state.

    ``window`` returns the time that is shown, None if it is the whole session: then the time is found in
    which the series was most unusual.
    """

    asked = Signal()
    changed = Signal()

    def __init__(self, session: SessionModel, jobs: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._jobs = session, jobs
        self.window: Callable[[], TimeRange | None] = lambda: None
        self.state: State = "nothing"
        self.found: Correlation | None = None
        self.error: HyperscopeError | None = None
        self._question: _Question | None = None
        session.opened.connect(lambda _snapshot: self._clear())
        session.closed.connect(self._clear)

    def ask_series(self, series: int) -> None:
        """Ask what moved with a series, by its id, in the time that is shown."""
        snapshot = self._session.whole
        found = snapshot.by_id.get(series) if snapshot is not None else None
        if found is not None:
            self.ask(found, self.window())

    def ask(self, series: Series | None, window: TimeRange | None) -> None:
        """Ask what moved with a series in a window; None of either as in ``Question``."""
        self._start(_Question(series, window))

    def ask_finding(self, finding: Finding) -> None:
        """Ask what moved with a finding: its first measured evidence in its longest window."""
        self._start(_Question(finding=finding))

    def again(self) -> None:
        """Ask the same once more, of the session as it is now."""
        if self._question is not None:
            self._start(self._question)

    def cancel(self) -> None:
        """Stop the search."""
        self._jobs.cancel(JOB)
        if self.state == "searching":
            self._show("cancelled")

    @property
    def part(self) -> float:
        """How far the search is, 0 to 1."""
        job = next((one for one in reversed(self._jobs.visible_jobs()) if one.slot == JOB), None)
        return job.part or 0.0 if job is not None and job.state == "running" else 0.0

    def _start(self, question: _Question) -> None:
        self._question, self.found, self.error = question, None, None

        def work(reader: SessionReader, job: Job) -> Correlation:
            from app.gui.moving import moved_with  # noqa: PLC0415 - in a worker, not at the start

            return moved_with(reader, question.series, question.window, question.finding, job)

        self._session.query(JOB, work, self._take, failed=self._fail, title="Looking for what moved")
        self._show("searching")
        self.asked.emit()

    def _take(self, found: Correlation) -> None:
        self.found = found
        self._show("ready")

    def _fail(self, error: HyperscopeError) -> None:
        self.error = error
        self._show("failed")

    def _clear(self) -> None:
        self._jobs.cancel(JOB)
        self.found, self.error, self._question = None, None, None
        self._show("nothing")

    def _show(self, state: State) -> None:
        self.state = state
        self.changed.emit()
