"""The findings of the open session, diagnosed again while it grows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

from app.gui.jobs import Job
from app.gui.session_model import SessionModel
from diagnosis import Diagnosis, diagnose_session
from resources.catalogue import Catalogue
from resources.failures import HyperscopeError
from resources.problem_cards import Problems
from sessions.findings import Finding, Severity
from sessions.model import EntityRef
from sessions.store import SessionReader
from viewmodels.snapshot import Change

_EVERY_MS = 5_000
_SHARE = 8  # a diagnosis that takes long is repeated more rarely: at most every eighth moment is spent on it
_FIRST_MS = 400  # the first chart comes first: both would share the interpreter
_RANK: dict[Severity, int] = {"info": 1, "warning": 2, "critical": 3}


class FindingsModel(QObject):
    """Holds the latest diagnosis of the whole session; emits ``changed`` when its findings differ."""

    changed = Signal()
    busy_changed = Signal(bool)

    def __init__(
        self,
        session: SessionModel,
        problems: Problems,
        catalogue: Catalogue,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._problems = problems
        self._catalogue = catalogue
        self._stale = False
        self._since = QElapsedTimer()
        self._took_ms = 0
        self.diagnosis: Diagnosis | None = None
        self._trouble: HyperscopeError | None = None
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.evaluate)
        session.opened.connect(self._opened)
        session.changed.connect(self._grown)
        session.closed.connect(self._closed)

    @property
    def findings(self) -> Sequence[Finding]:
        """The findings, worst first; empty until the first diagnosis is done."""
        return self.diagnosis.findings if self.diagnosis else ()

    @property
    def worst(self) -> Mapping[EntityRef, Severity]:
        """The worst severity of each entity that has a finding."""
        found: dict[EntityRef, Severity] = {}
        for finding in self.findings:
            if _RANK[finding.severity] > _RANK.get(found.get(finding.entity, "info"), 0):
                found[finding.entity] = finding.severity
        return found

    @property
    def note(self) -> str:
        """Why there are no findings, in one sentence; empty if there are some."""
        snapshot = self._session.snapshot
        if snapshot is None or self.findings:
            return ""
        if self._trouble is not None:
            return f"Problems could not be looked for. {self._trouble}"
        if not snapshot.samples:
            recording = "The first samples are on their way."
            return recording if snapshot.recording else "This session has no samples to find problems in."
        if self.diagnosis is None:
            return "Looking for problems…"
        return "No problem found. What was checked: every known problem whose counters are here."

    def evaluate(self) -> None:
        """Start a diagnosis in a worker thread."""
        self._timer.stop()
        self._since.restart()
        self._stale = False

        def work(reader: SessionReader, job: Job) -> Diagnosis:
            return diagnose_session(
                reader,
                self._problems,
                self._catalogue,
                progress=job.progress,
                cancel=job,
            )

        self.busy_changed.emit(True)
        self._session.query("findings", work, self._take, failed=self._fail, title="Looking for problems")

    def _opened(self) -> None:
        self.diagnosis = self._trouble = None
        self.changed.emit()
        self._timer.start(_FIRST_MS)

    def _grown(self, change: Change) -> None:
        if not change or self._timer.isActive():
            return
        every = max(_EVERY_MS, _SHARE * self._took_ms)
        waited = self._since.elapsed() if self._since.isValid() else every
        self._timer.start(max(0, every - waited))

    def _closed(self) -> None:
        self._timer.stop()
        self.diagnosis = self._trouble = None
        self.changed.emit()

    def _fail(self, error: HyperscopeError) -> None:
        self._trouble = error
        self.busy_changed.emit(False)
        self.changed.emit()
        self._session.failed.emit(error)

    def _take(self, diagnosis: Diagnosis) -> None:
        self._took_ms = self._since.elapsed()
        self._trouble = None
        same = self.diagnosis is not None and diagnosis.findings == self.diagnosis.findings
        self.diagnosis = diagnosis
        self.busy_changed.emit(False)
        if not same:
            self.changed.emit()
