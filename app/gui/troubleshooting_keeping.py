"""Keeps the guided run of the window in its session, and knows the earlier ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from app.gui.jobs import Job, JobRunner
from app.gui.session_model import SessionModel
from resources.failures import BusyError, HyperscopeError
from sessions.store import SessionReader
from sessions.troubleshooting import TroubleshootingRun

_SLOT, _RUNS = "troubleshoot.keep", "troubleshoot.runs"


class RunKeeping(QObject):
    """Writes one run after the other; a run that could not be written waits until the session can be.

    Signals: ``changed`` when a run was kept, or could not be; ``listed`` when the earlier runs were read.
    ``number`` is that of the run that is shown, 0 until it was kept. ``why_not`` says why it is not kept.
    """

    changed = Signal()
    listed = Signal()

    def __init__(self, session: SessionModel, jobs: JobRunner, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._jobs = session, jobs
        self.number = 0
        self.why_not = ""
        self.runs: Sequence[TroubleshootingRun] = ()
        self._waiting: TroubleshootingRun | None = None
        self._turn = 0
        session.opened.connect(lambda _snapshot: self.read_runs())
        session.closed.connect(self._clear)

    def begin(self) -> None:
        """Another run is shown from now on; what waits of the earlier one is written if it can be."""
        self.number, self.why_not, self._waiting = 0, "", None
        self._turn += 1

    def adopt(self, run: TroubleshootingRun) -> None:
        """An earlier run is shown from now on."""
        self.begin()
        self.number = run.number

    def keep(self, run: TroubleshootingRun) -> None:
        """Write the run; one that was written before replaces itself."""
        self._waiting = run
        self.retry()

    def retry(self) -> None:
        """Write what waits, if the session is not being recorded."""
        run, path, whole = self._waiting, self._session.path, self._session.whole
        if run is None or path is None or whole is None or self._jobs.busy(_SLOT):
            return
        if whole.recording:
            self._say("Kept when the recording ends: its recorder writes the session now.")
            return
        self._waiting, number, turn = None, self.number, self._turn

        def work(_job: Job) -> TroubleshootingRun:
            from wizards.flows.troubleshooting.keeping import keep, keep_again  # noqa: PLC0415 - not at the start

            if not number:
                return keep(path, run)
            kept = replace(run, number=number)
            keep_again(path, kept)
            return kept

        def done(kept: TroubleshootingRun) -> None:
            if self._turn == turn:
                self.number, self.why_not = kept.number, ""
                self.changed.emit()
            self._session.check_now()
            self.read_runs()
            self.retry()

        def failed(error: HyperscopeError) -> None:
            if self._turn != turn:
                return
            if isinstance(error, BusyError):
                self._waiting = self._waiting or run
            self._say(f"Not kept in the session: {error.happened}")

        self._jobs.start(_SLOT, "Keeping the guided run", work, done, failed=failed)

    def read_runs(self) -> None:
        """Read which runs the session holds."""

        def work(reader: SessionReader, _job: Job) -> Sequence[TroubleshootingRun]:
            return reader.troubleshooting()

        self._session.query(_RUNS, work, self._take_runs)

    def _take_runs(self, runs: Sequence[TroubleshootingRun]) -> None:
        self.runs = runs
        self.listed.emit()

    def _say(self, text: str) -> None:
        if text != self.why_not:
            self.why_not = text
            self.changed.emit()

    def _clear(self) -> None:
        self.begin()
        self.runs = ()
        self.listed.emit()
