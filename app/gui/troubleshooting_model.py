"""The guided troubleshooting of the window: the symptom, what the checks found, and did the fix work."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, QTimer, Signal

from app.gui.fix_model import FixModel
from app.gui.jobs import Job, JobRunner
from app.gui.lab_model import LabModel
from app.gui.run_notes import RunNotes
from app.gui.session_model import SessionModel
from app.gui.troubleshooting_keeping import RunKeeping
from resources.failures import HyperscopeError
from resources.problem_cards import Problems, load_problems
from sessions.findings import Finding
from sessions.model import EntityRef
from sessions.store import SessionReader
from sessions.troubleshooting import Note, Symptom, TroubleshootingRun, Verification
from viewmodels.snapshot import Change

if TYPE_CHECKING:
    from app.gui.looking_into import Asked, Charts

State = Literal["nothing", "checking", "ready", "failed"]
_SLOT = "troubleshoot.look"
_AGAIN_MS = 5_000
"""How long after a look a growing session is looked into again."""


class TroubleshootingModel(QObject):
    """Signals: ``changed`` when there is another state; ``asked`` when the page is to come to the front.

    ``findings`` returns those of the session, ``cards`` the cards with the limits that judge. ``fix`` tells
    whether the fix worked, ``keeping`` keeps the run in the session, ``notes`` are those of the run, ``lab``
    is the lab in which the fix can be made.
    """

    changed = Signal()
    asked = Signal()

    def __init__(self, session: SessionModel, jobs: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._jobs = session, jobs
        self.findings: Callable[[], Sequence[Finding]] = tuple
        self.cards: Callable[[], Problems] = load_problems
        self.keeping = RunKeeping(session, jobs, self)
        self.fix = FixModel(session, jobs, self)
        self.notes = RunNotes(lambda: self.run, self.set_notes, self)
        self.fix.run = lambda: self.run
        self.lab = LabModel(self)
        self.state: State = "nothing"
        self.error: HyperscopeError | None = None
        self.question: Asked | None = None
        self.run: TroubleshootingRun | None = None
        self.charts: Charts = {}
        self._is_chosen = False
        self._is_watched = False
        self._verifies_next = False
        self._soon = QTimer(self, singleShot=True, interval=_AGAIN_MS)
        self._soon.timeout.connect(self._follow)
        self.keeping.changed.connect(self._take_number)
        self.fix.changed.connect(self.changed)
        self.fix.verified.connect(self._take_verification)
        session.opened.connect(lambda _snapshot: self._clear())
        session.closed.connect(self._clear)
        session.changed.connect(self._note_growth)

    def offers(self, findings: Sequence[Finding] | None = None) -> Sequence[Symptom]:
        """Return the symptoms of the worst findings (None: of all of the session), at most five."""
        from wizards.flows.troubleshooting.offers import worst_symptoms  # noqa: PLC0415 - not at the start

        whole = self._session.whole
        return worst_symptoms(whole, self.findings() if findings is None else findings) if whole else ()

    def begin_first(self) -> None:
        """Look into the worst finding, unless something was chosen already."""
        offered = self.offers() if self.question is None else ()
        if offered:
            self._start(_asked(offered[0]))

    def ask(self, question: Asked, *, front: bool = True) -> None:
        """Look into a symptom that somebody chose; ``front`` brings the page to the front."""
        self._is_chosen = True
        if front:
            self.asked.emit()
        self._start(question)

    def ask_entity(self, ref: EntityRef, *, front: bool = True) -> None:
        """Look into an entity: since its worst problem began, if it has one, else in the whole session."""
        from app.gui.looking_into import Asked  # noqa: PLC0415 - not at the start

        found = [*self.offers(), *self.offers([one for one in self.findings() if one.entity == ref])]
        own = next((one for one in found if one.entity == ref), None)
        self.ask(_asked(own) if own is not None else Asked(ref), front=front)

    def ask_finding(self, finding: Finding, *, and_verify: bool = False) -> bool:
        """Look into what a finding shows; ``and_verify`` then asks whether its fix worked.

        Return False if no symptom can be of what it is about.
        """
        found = next(iter(self.offers([finding])), None)
        if found is None:
            return False
        question = _asked(found)
        if and_verify and finding.windows:
            question = replace(question, until=max(one.end for one in finding.windows))
        self.ask(question)
        self._verifies_next = and_verify
        return True

    def again(self) -> None:
        """Look into the same symptom once more, up to now."""
        if self.question is not None:
            self.ask(self.question, front=False)

    def recall(self, run: TroubleshootingRun) -> None:
        """Show an earlier run with its notes and its last verification; its verdicts stay as they were."""
        from app.gui.looking_into import Asked, charts_again  # noqa: PLC0415 - not at the start

        whole, symptom, cards = self._session.whole, run.symptom, self.cards()
        if whole is None:
            return
        self._reset()
        self._is_chosen = True
        self.keeping.adopt(run)
        again = run.verifications[-1] if run.verifications else None
        self.fix.begin(again)
        window = symptom.window
        self.question = Asked(symptom.entity, symptom.noticed, window.start, window.end, symptom.normal)
        self.run, self.state = run, "ready"
        self.changed.emit()

        def work(reader: SessionReader, _job: Job) -> Charts:
            return charts_again(reader, whole, run, again, cards)

        def done(charts: Charts) -> None:
            self.charts = charts
            self.changed.emit()

        self._session.query(_SLOT, work, done, failed=lambda _error: None, title="Troubleshooting")

    def watch(self, *, on: bool) -> None:
        """Follow a session that grows while the page is seen."""
        self._is_watched = on
        if on:
            self._note_growth(Change(samples=True))

    def set_notes(self, notes: tuple[Note, ...]) -> None:
        """Keep the run with these notes."""
        if self.run is not None:
            self.run = replace(self.run, notes=notes)
            self._is_chosen = True
            self.keeping.keep(self.run)
            self.changed.emit()

    def _start(self, question: Asked) -> None:
        if question != self.question:
            self._reset()
        self.question, self._verifies_next = question, False
        self.state, self.error = "checking", None
        self.fix.begin()
        self._look()
        self.changed.emit()

    def _look(self) -> None:
        question, whole, cards = self.question, self._session.whole, self.cards()
        if question is None or whole is None:
            return

        def work(reader: SessionReader, job: Job) -> tuple[TroubleshootingRun, Charts]:
            from app.gui.looking_into import looked_into  # noqa: PLC0415 - in a worker, not at the start

            return looked_into(reader, whole, question, cards, job)

        self._session.query(_SLOT, work, self._take, failed=self._fail, title="Troubleshooting")

    def _take(self, found: tuple[TroubleshootingRun, Charts]) -> None:
        old, (run, charts) = self.run, found
        if old is not None:
            run = replace(run, number=old.number, notes=old.notes, verifications=old.verifications)
        is_first, self.run, self.charts = self.state == "checking", run, charts
        self.state = "ready"
        if is_first and self._is_chosen:
            self.keeping.keep(run)
        self.changed.emit()
        if self._verifies_next:
            self._verifies_next = False
            self.fix.verify()

    def _fail(self, error: HyperscopeError) -> None:
        self.state, self.error = "failed", error
        self.changed.emit()

    def _take_verification(self, found: Verification, charts: Charts) -> None:
        from wizards.flows.troubleshooting.keeping import verified  # noqa: PLC0415 - not at the start

        self.charts = charts or self.charts
        if self.run is not None and found.state == "done":
            self.run = verified(self.run, found)
            self._is_chosen = True
            self.keeping.keep(self.run)

    def _note_growth(self, change: Change) -> None:
        is_followed = self._is_watched or self.fix.waits
        if change.samples and is_followed and self.state == "ready" and not self._soon.isActive():
            self._soon.start()
        self.keeping.retry()

    def _follow(self) -> None:
        """Look again into what has grown, or verify what waits for more samples."""
        whole = self._session.whole
        if self.state != "ready" or whole is None or whole.span is None:
            return
        if not self._is_watched and not self.fix.is_due(whole.span.end):
            return  # nobody looks: no more is done than what ends the waiting
        if self._jobs.busy(_SLOT) or self.fix.is_busy:
            self._soon.start()
        elif self.fix.waits:
            self.fix.verify()
        elif (
            self.fix.found is None
            and not self.fix.is_made
            and _goes_on(self.question, self.run, whole.span.end)
        ):
            self._look()

    def _take_number(self) -> None:
        if self.run is not None and self.keeping.number:
            self.run = replace(self.run, number=self.keeping.number)
        self.changed.emit()

    def _reset(self) -> None:
        self._jobs.cancel(_SLOT)
        self.keeping.begin()
        self.fix.begin()
        self.run, self.charts, self.error = None, {}, None

    def _clear(self) -> None:
        self._soon.stop()
        self._reset()
        self.question, self._is_chosen, self.state = None, False, "nothing"
        self.changed.emit()


def _goes_on(question: Asked | None, run: TroubleshootingRun | None, end: int) -> bool:
    """Return True if a symptom that goes on until now was not looked into up to ``end`` (ms): not once the
    change was seen that a step is about. What comes then is for verifying.
    """
    if question is None or question.until is not None:
        return False
    if run is None:
        return True
    seen = any(step.seen for one in run.checks if one.is_found for step in one.steps)
    return not seen and run.symptom.window.end < end


def _asked(symptom: Symptom) -> Asked:
    from app.gui.looking_into import Asked  # noqa: PLC0415 - not at the start

    return Asked(symptom.entity, symptom.noticed, symptom.window.start)
