"""Judges the open session, again and again while it grows; says how far each verdict reaches."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

from app.gui.jobs import Job
from app.gui.session_model import SessionModel
from diagnosis import Diagnosis, diagnose_session
from resources.catalogue import Catalogue
from resources.failures import HyperscopeError
from resources.problem_cards import Problems
from sessions.store import SessionReader
from sessions.verdicts import NOT_JUDGED, Verdict
from viewmodels.snapshot import Change

_EVERY_MS = 5_000
_SHARE = 8  # a diagnosis that takes long is repeated more rarely: at most every eighth moment is spent on it
_FIRST_MS = 400  # the first chart comes first: both would share the interpreter


class Judging(QObject):
    """Holds the newest diagnosis of the whole open session, and the verdict that says how far it reaches.

    ``changed`` is emitted for every new verdict, also if the findings are the same and only the time up to
    which was judged differs; and when the session is opened, closed, or can't be judged. ``busy_changed``
    says whether a diagnosis is under way.
    """

    changed = Signal()
    busy_changed = Signal(bool)
    failed = Signal(object)

    def __init__(
        self,
        session: SessionModel,
        problems: Problems,
        catalogue: Catalogue,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session, self._problems, self._catalogue = session, problems, catalogue
        self._since = QElapsedTimer()
        self._took_ms = 0
        self._trouble: HyperscopeError | None = None
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.evaluate)
        self.diagnosis: Diagnosis | None = None
        """The newest diagnosis; None until the first one of the open session is done."""
        session.opened.connect(self._opened)
        session.changed.connect(self._grown)
        session.closed.connect(self._closed)

    @property
    def trouble(self) -> HyperscopeError | None:
        """Why the session can't be judged any further; None while it can."""
        return self._trouble

    @property
    def verdict(self) -> Verdict:
        """How far the newest diagnosis reaches; what was judged before a trouble stays judged."""
        if self.diagnosis is not None:
            return self.diagnosis.verdict
        if self._trouble is not None:
            return Verdict("could not be judged", reason=str(self._trouble).rstrip("."))
        return NOT_JUDGED

    def evaluate(self) -> None:
        """Judge the session now."""
        self._timer.stop()
        self._since.restart()

        def work(reader: SessionReader, job: Job) -> Diagnosis:
            return diagnose_session(
                reader, self._problems, self._catalogue, progress=job.progress, cancel=job
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
        self.failed.emit(error)

    def _take(self, diagnosis: Diagnosis) -> None:
        self._took_ms = self._since.elapsed()
        self._trouble = None
        self.diagnosis = diagnosis
        self.busy_changed.emit(False)
        self.changed.emit()
