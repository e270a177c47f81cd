"""Keeps the guided run of the window in its session, and knows the earlier ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from app.gui.jobs import Job, JobRunner
from app.gui.session_model import SessionModel
from resources.failures import BusyError, HyperscopeError
from sessions.store import SessionReader, SessionWriter, has_waiting
from sessions.troubleshooting import TroubleshootingRun
from viewmodels.snapshot import Snapshot

_SLOT, _RUNS, _TAKE_IN = "troubleshoot.keep", "troubleshoot.runs", "troubleshoot.take_in"


class RunKeeping(QObject):
    """Writes one run after the other, also while the session is recorded; what could not be written is tried
    again.

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
        session.opened.connect(self._take_session)
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
        """Write what waits; beside a session that is being recorded, whose recorder takes it in."""
        run, path = self._waiting, self._session.path
        if run is None or path is None or self._jobs.busy(_SLOT):
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

    def _take_session(self, snapshot: Snapshot) -> None:
        path = self._session.path
        self.read_runs()
        if path is None or snapshot.recording:
            return

        def work(_job: Job) -> None:
            if has_waiting(path):  # its writer was killed; readers see them all the same
                with SessionWriter.open(path):
                    pass

        self._jobs.start(
            _TAKE_IN, "Taking in guided runs", work, lambda _none: None, failed=lambda _why: None
        )

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
