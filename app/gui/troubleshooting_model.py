"""The guided troubleshooting of the window: the symptom, what the checks found, and did the fix work."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QObject, QTimer, Signal

from app.gui.jobs import Job, JobRunner
from app.gui.session_model import SessionModel
from app.gui.troubleshooting_keeping import RunKeeping
from diagnosis.compiled import compile_problems
from resources.failures import HyperscopeError
from resources.problem_cards import Problems, load_problems
from sessions.findings import Finding
from sessions.model import EntityRef
from sessions.store import SessionReader
from sessions.times import TimeRange, now_ms
from sessions.troubleshooting import Note, Symptom, TroubleshootingRun, Verification
from viewmodels.snapshot import Change, Snapshot, read_snapshot
from wizards.flows.troubleshooting.check_charts import CheckChart, charts_of
from wizards.flows.troubleshooting.judging import knowledge_of, look_into, symptom_of
from wizards.flows.troubleshooting.keeping import noted, verified
from wizards.flows.troubleshooting.offers import symptom_of_finding, worst_symptoms
from wizards.flows.troubleshooting.verifying import Session, Told, verify

State = Literal["nothing", "checking", "ready", "failed"]
LOOK, VERIFY = "troubleshoot.look", "troubleshoot.verify"
_AGAIN_MS = 5_000
"""How long after a look a growing session is looked into again."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is looked into: of which entity, what was noticed, from when to when (ms).

    None for ``since``: from when its worst problem began, or the whole session; for ``until``: until now;
    for ``normal``: the time before it.
    """

    entity: EntityRef
    noticed: str = "slow"
    since: int | None = None
    until: int | None = None
    normal: TimeRange | None = None


@dataclass(frozen=True, slots=True)
class _Looked:
    run: TroubleshootingRun
    charts: Mapping[str, CheckChart]


class TroubleshootingModel(QObject):
    """Signals: ``changed`` when there is another state; ``asked`` when the page is to come to the front.

    ``findings`` returns those of the session, ``cards`` the cards with the limits that judge.
    """

    changed = Signal()
    asked = Signal()

    def __init__(self, session: SessionModel, jobs: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._jobs = session, jobs
        self.findings: Callable[[], Sequence[Finding]] = tuple
        self.cards: Callable[[], Problems] = load_problems
        self.keeping = RunKeeping(session, jobs, self)
        self.keeping.changed.connect(self._take_number)
        self.state: State = "nothing"
        self.error: HyperscopeError | None = None
        self.question: Asked | None = None
        self.run: TroubleshootingRun | None = None
        self.charts: Mapping[str, CheckChart] = {}
        self.verification: Verification | None = None
        self.verify_error: HyperscopeError | None = None
        self.is_verifying = False
        self._told: Told | None = None
        self._after: TimeRange | None = None
        self._other: Path | None = None
        self._is_chosen = False
        self._is_watched = False
        self._verifies_next = False
        self._compiled: Problems | None = None
        self._soon = QTimer(self, singleShot=True, interval=_AGAIN_MS)
        self._soon.timeout.connect(self._follow)
        session.opened.connect(lambda _snapshot: self._clear())
        session.closed.connect(self._clear)
        session.changed.connect(self._note_growth)

    # --- what is looked into

    def get_ready(self) -> None:
        """Compile the rules once, in a worker: a session that was judged is likely to be looked into."""
        cards = self.cards()
        if cards is not self._compiled and self._session.whole is not None:
            self._compiled = cards
            self._jobs.start(
                "troubleshoot.rules", "Reading the rules", lambda _job: compile_problems(cards), _nothing
            )

    def begin_first(self) -> None:
        """Look into the worst finding, unless something was chosen already."""
        if self.question is None and self._session.whole is not None:
            offered = self.offers()
            if offered:
                self._start(_asked(offered[0]))

    def offers(self) -> Sequence[Symptom]:
        """Return the symptoms of the worst findings, at most five."""
        whole = self._session.whole
        return worst_symptoms(whole, self.findings()) if whole is not None else ()

    def ask(self, question: Asked, *, front: bool = True) -> None:
        """Look into a symptom that somebody chose; ``front`` brings the page to the front."""
        self._is_chosen = True
        if front:
            self.asked.emit()
        self._start(question)

    def ask_entity(self, ref: EntityRef, *, front: bool = True) -> None:
        """Look into an entity: since its worst problem began, if it has one."""
        found = next((one for one in self.offers() if one.entity == ref), None)
        if found is None and self._session.whole is not None:
            own = [one for one in self.findings() if one.entity == ref]
            found = next(iter(worst_symptoms(self._session.whole, own)), None)
        self.ask(_asked(found) if found is not None else Asked(ref), front=front)

    def ask_finding(self, finding: Finding, *, and_verify: bool = False) -> bool:
        """Look into what a finding shows; ``and_verify`` then asks whether its fix worked.

        Return False if no symptom can be of what it is about.
        """
        whole = self._session.whole
        found = symptom_of_finding(whole, finding) if whole is not None else None
        if found is None:
            return False
        question = _asked(found)
        if and_verify and finding.windows:
            question = replace(question, until=max(one.end for one in finding.windows))
        self._is_chosen = True
        self.asked.emit()
        self._start(question, and_verify=and_verify)
        return True

    def again(self) -> None:
        """Look into the same symptom once more, up to now."""
        if self.question is not None:
            self._is_chosen = True
            self._start(self.question)

    def recall(self, run: TroubleshootingRun) -> None:
        """Show an earlier run with its notes and its last verification."""
        symptom = run.symptom
        self._reset()
        self._is_chosen = True
        self.keeping.adopt(run)
        end = symptom.window.end
        self.question = Asked(symptom.entity, symptom.noticed, symptom.window.start, end, symptom.normal)
        self.run, self.state = run, "ready"
        self.verification = run.verifications[-1] if run.verifications else None
        self.changed.emit()
        self._read_charts()

    def watch(self, *, on: bool) -> None:
        """Follow a session that grows while the page is seen."""
        self._is_watched = on
        if on:
            self._note_growth(Change(samples=True))

    # --- notes, and did the fix work

    def note(self, text: str, by: str = "") -> None:
        """Add a note to the run."""
        if self.run is not None and text.strip():
            self.run = noted(self.run, Note(now_ms(), text.strip(), by))
            self._is_chosen = True
            self.changed.emit()
            self._keep()

    def done(self) -> None:
        """Ask whether the fix worked: what was recorded since the change, as soon as there is enough."""
        self._is_chosen = True
        self._verify()

    def told(self, text: str = "") -> None:
        """Take it that the change was made now (of a recording that has ended: after the symptom)."""
        whole = self._session.whole
        at = None if whole is None or not whole.recording else now_ms()
        self._told = Told(text, at)
        self._verify()

    def verify_in(self, after: TimeRange | None = None, other: Path | None = None) -> None:
        """Judge a window of this session, or the whole of another one, as the time after the change."""
        self._after, self._other = after, other
        self._verify()

    def _verify(self) -> None:
        run, whole, path = self.run, self._session.whole, self._session.path
        if run is None or whole is None or path is None:
            return
        known, told, after, other = self.cards(), self._told, self._after, self._other

        def work(reader: SessionReader, job: Job) -> tuple[Verification, Mapping[str, CheckChart]]:
            knowledge = knowledge_of(known)
            here = Session(reader, whole, path.name)
            if other is not None:
                with SessionReader.open(other) as second:
                    there = Session(second, read_snapshot(second, other), other.name)
                    found = verify(here, run, after, other=there, told=told, knowledge=knowledge, cancel=job)
            else:
                found = verify(here, run, after, told=told, knowledge=knowledge, cancel=job)
            if found.state != "done" or found.after is None or other is not None:
                return found, {}
            begin = min(run.symptom.window.start, found.after.start)
            whole_time = replace(run.symptom, window=TimeRange(begin, found.after.end))
            return found, charts_of(look_into(reader, whole, whole_time, knowledge, job), run, found)

        self.is_verifying, self.verify_error = True, None
        self._session.query(
            VERIFY, work, self._take_verification, failed=self._fail_verification, title="Checking again"
        )
        self.changed.emit()

    def _take_verification(self, found: tuple[Verification, Mapping[str, CheckChart]]) -> None:
        self.is_verifying = False
        self.verification, charts = found
        if charts:
            self.charts = charts
        if self.run is not None:
            self.run = verified(self.run, self.verification)
        self.changed.emit()
        if self.verification.state == "done":
            self._keep()

    def _fail_verification(self, error: HyperscopeError) -> None:
        self.is_verifying, self.verify_error = False, error
        self.changed.emit()

    @property
    def other(self) -> Path | None:
        """The session whose time is taken as after the change; None: the open one."""
        return self._other

    # --- looking

    def _start(self, question: Asked, *, and_verify: bool = False) -> None:
        is_same = question == self.question
        if not is_same:
            self._reset()
        self.question, self._verifies_next = question, and_verify
        self._look(is_quiet=False)

    def _look(self, *, is_quiet: bool) -> None:
        question, whole = self.question, self._session.whole
        if question is None or whole is None:
            return
        known = self.cards()

        def work(reader: SessionReader, job: Job) -> _Looked:
            symptom = _symptom(whole, question)
            look = look_into(reader, whole, symptom, knowledge_of(known), job)
            return _Looked(look.run, charts_of(look, look.run))

        if not is_quiet:
            self.state, self.error = "checking", None
            self.verification = self.verify_error = None
        self._session.query(LOOK, work, self._take, failed=self._fail, title="Troubleshooting")
        if not is_quiet:
            self.changed.emit()

    def _take(self, found: _Looked) -> None:
        old = self.run
        run = found.run
        if old is not None:
            run = replace(run, number=old.number, notes=old.notes, verifications=old.verifications)
        self.run, self.charts, self.state = run, found.charts, "ready"
        self.changed.emit()
        if self._is_chosen and not (old is not None and self._is_live):
            self._keep()
        if self._verifies_next:
            self._verifies_next = False
            self.done()

    def _fail(self, error: HyperscopeError) -> None:
        self.state, self.error = "failed", error
        self.changed.emit()

    def _read_charts(self) -> None:
        """Read the charts of an earlier run, whose verdicts stay as they were."""
        run, whole, known = self.run, self._session.whole, self.cards()
        if run is None or whole is None:
            return
        again = self.verification

        def work(reader: SessionReader, job: Job) -> Mapping[str, CheckChart]:
            symptom = run.symptom
            if again is not None and again.after is not None and not again.session:
                begin = min(symptom.window.start, again.after.start)
                symptom = replace(symptom, window=TimeRange(begin, again.after.end))
            return charts_of(look_into(reader, whole, symptom, knowledge_of(known), job), run, again)

        def done(charts: Mapping[str, CheckChart]) -> None:
            self.charts = charts
            self.changed.emit()

        self._session.query(LOOK, work, done, failed=lambda _error: None, title="Troubleshooting")

    # --- a session that grows

    @property
    def _is_live(self) -> bool:
        whole = self._session.whole
        return whole is not None and whole.recording

    @property
    def waits(self) -> bool:
        """True while a verification waits for the change, or for more samples after it."""
        return self.verification is not None and self.verification.state != "done"

    def _note_growth(self, change: Change) -> None:
        if change.samples and self._is_watched and self.state == "ready" and not self._soon.isActive():
            self._soon.start()
        if not self._is_live:
            self.keeping.retry()

    def _follow(self) -> None:
        if self.state != "ready" or not self._is_watched or self._session.whole is None:
            return
        if self._jobs.busy(LOOK) or self._jobs.busy(VERIFY):
            self._soon.start()
        elif self.waits:
            self._verify()
        elif self.verification is None and self.question is not None and self.question.until is None:
            span = self._session.whole.span
            judged = self.run.symptom.window.end if self.run is not None else 0
            if span is not None and span.end > judged:
                self._look(is_quiet=True)

    def _keep(self) -> None:
        if self.run is not None:
            self.keeping.keep(self.run)

    def _take_number(self) -> None:
        if self.run is not None and self.keeping.number:
            self.run = replace(self.run, number=self.keeping.number)
        self.changed.emit()

    def _reset(self) -> None:
        for slot in (LOOK, VERIFY):
            self._jobs.cancel(slot)
        self.keeping.begin()
        self.run, self.charts, self.error = None, {}, None
        self.verification = self.verify_error = None
        self.is_verifying = False
        self._told = self._after = self._other = None

    def _clear(self) -> None:
        self._soon.stop()
        self._reset()
        self.question, self._is_chosen, self.state = None, False, "nothing"
        self.changed.emit()


def _nothing(_result: object) -> None:
    """Nobody waits for it."""


def _asked(symptom: Symptom) -> Asked:
    return Asked(symptom.entity, symptom.noticed, symptom.window.start)


def _symptom(snapshot: Snapshot, question: Asked) -> Symptom:
    return symptom_of(
        snapshot,
        question.entity,
        since=question.since,
        until=question.until,
        noticed=question.noticed,
        normal=question.normal,
    )
