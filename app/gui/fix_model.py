"""Did the fix work? Verifies the run that is open, and again while too little was recorded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.gui.jobs import Job, JobRunner
from app.gui.session_model import SessionModel
from resources.failures import HyperscopeError
from resources.problem_cards import Problems, load_problems
from sessions.store import SessionReader
from sessions.times import TimeRange, now_ms
from sessions.troubleshooting import TroubleshootingRun, Verification

if TYPE_CHECKING:
    from app.gui.looking_into import Charts, LaterTime

_SLOT = "troubleshoot.verify"


class FixModel(QObject):
    """Signals: ``changed`` when there is another state; ``verified`` with a verification and its charts.

    ``is_made``: somebody has just made the change, and we know of it before any source tells.
    ``run`` returns the run that is verified, ``cards`` the cards that judge, ``now`` the time (ms) on the
    clock of what is recorded.
    """

    changed = Signal()
    verified = Signal(object, object)

    def __init__(self, session: SessionModel, jobs: JobRunner, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._jobs = session, jobs
        self.run: Callable[[], TroubleshootingRun | None] = lambda: None
        self.cards: Callable[[], Problems] = load_problems
        self.now: Callable[[], int] = now_ms
        self.found: Verification | None = None
        self.error: HyperscopeError | None = None
        self.is_made = False
        self._later: LaterTime | None = None

    def begin(self, found: Verification | None = None) -> None:
        """Another run is open from now on, with its last verification."""
        self._jobs.cancel(_SLOT)
        self.found, self.error, self._later = found, None, None
        self.is_made = False

    def stop(self) -> None:
        """Wait no longer, as before Done, verify; what was told of a change is kept."""
        if self.waits:
            self._jobs.cancel(_SLOT)
            self.found = self.error = None
            self.changed.emit()

    @property
    def is_busy(self) -> bool:
        """True while the checks run again."""
        return self._jobs.busy(_SLOT)

    @property
    def waits(self) -> bool:
        """True while it waits for the change, or for more samples after it."""
        return self.found is not None and self.found.state != "done"

    def is_due(self, end: int) -> bool:
        """Return True if what it waits for can be there in a recording that goes up to ``end`` (ms)."""
        samples = self.found.samples if self.found is not None else None
        return self.waits and (samples is None or not samples.needs or end >= samples.due)

    @property
    def other(self) -> Path | None:
        """The session whose time is taken as after the change; None: the open one."""
        return self._later.other if self._later is not None else None

    def tell(self, text: str = "") -> None:
        """Take it that the change was made now (of a recording that has ended: after the symptom)."""
        whole = self._session.whole
        self.expect(text, self.now() if whole is not None and whole.recording else None)
        self.verify()

    def expect(self, text: str, at: int | None) -> None:
        """A change was made (ms; None: after the symptom) that no source sees: verifying counts with it."""
        from wizards.flows.troubleshooting.verifying import Told  # noqa: PLC0415 - not at the start

        self._later = replace(self._taken(), told=Told(text, at))

    def judge(self, window: TimeRange | None = None, other: Path | None = None) -> None:
        """Take a window of this session, or the whole of another one, as the time after the change."""
        self._later = replace(self._taken(), window=window, other=other)
        self.verify()

    def verify(self) -> None:
        """Run the checks again, in what was recorded since the change or in the time that was chosen."""
        run, whole, cards = self.run(), self._session.whole, self.cards()
        if run is None or whole is None:
            return
        later = self._later = self._taken()

        def work(reader: SessionReader, job: Job) -> tuple[Verification, Charts]:
            from app.gui.looking_into import verified_fix  # noqa: PLC0415 - in a worker, not at the start

            return verified_fix(reader, whole, run, later, cards, job)

        self.error = None
        self._session.query(_SLOT, work, self._take, failed=self._fail, title="Checking again")
        self.changed.emit()

    def _taken(self) -> LaterTime:
        from app.gui.looking_into import LaterTime  # noqa: PLC0415 - not at the start

        return self._later or LaterTime()

    def _take(self, found: tuple[Verification, Charts]) -> None:
        self.found, charts = found
        self.verified.emit(self.found, charts)
        self.changed.emit()

    def _fail(self, error: HyperscopeError) -> None:
        self.error = error
        self.changed.emit()
