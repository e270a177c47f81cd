"""What was judged of the open session, as its views show it: findings, verdict, and how far it reaches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from app.gui.judging import Judging
from app.gui.session_model import SessionModel
from diagnosis import Diagnosis
from sessions.findings import Finding, Severity
from sessions.model import EntityRef
from sessions.times import TimeRange
from sessions.verdict_wording import TimeText
from sessions.verdicts import Verdict
from viewmodels.entity_states import Judged
from viewmodels.timeline_content import unjudged_range
from viewmodels.verdict_words import CLEAR, VerdictWords, verdict_words, words_beside

_RANK: dict[Severity, int] = {"info": 1, "warning": 2, "critical": 3}
_LATE_INTERVALS = 2
"""A verdict that is at most so many sampling intervals behind the newest sample is up to date."""


class FindingsModel(QObject):
    """Holds the findings of the newest diagnosis and its verdict, which all views take from here.

    ``changed`` is emitted when the findings differ, or whether they were judged at all; ``verdict_changed``
    also when only the time differs up to which was judged, or how far that is behind.
    """

    changed = Signal()
    verdict_changed = Signal()
    busy_changed = Signal(bool)

    def __init__(self, session: SessionModel, judging: Judging, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.judging = judging
        self._shown: tuple[object, ...] = ()
        self._over: Mapping[EntityRef, str] = {}
        judging.changed.connect(self._judged)
        judging.busy_changed.connect(self.busy_changed)
        judging.failed.connect(session.failed)
        session.changed.connect(lambda _change: self.verdict_changed.emit())

    @property
    def diagnosis(self) -> Diagnosis | None:
        """The newest diagnosis; None until the first one is done."""
        return self.judging.diagnosis

    @property
    def findings(self) -> Sequence[Finding]:
        """The findings, worst first; empty until the first diagnosis is done."""
        return self.diagnosis.findings if self.diagnosis else ()

    @property
    def verdict(self) -> Verdict:
        """How far the newest diagnosis reaches; as long as nothing was judged, why that is so."""
        verdict, snapshot = self.judging.verdict, self._session.whole
        if verdict.state == "not judged yet" and not verdict.reason and snapshot is not None:
            waits = snapshot.recording and not snapshot.samples
            reason = "the first samples are on their way" if waits else "looking for problems"
            return replace(verdict, reason=reason)
        return verdict

    @property
    def judged(self) -> Judged:
        """Findings, verdict, and what was judged of each entity."""
        return Judged(self.findings, self.verdict, self.diagnosis.reach if self.diagnosis else {})

    @property
    def is_complete(self) -> bool:
        """True if the session has ended and everything up to its last sample was judged."""
        snapshot, to = self._session.whole, self.verdict.judged_to
        if snapshot is None or snapshot.recording or self.judging.trouble is not None:
            return False
        return to is not None and snapshot.span is not None and to >= snapshot.span.end - self._interval_ms

    @property
    def unjudged(self) -> TimeRange | None:
        """The part of the session that was not judged; None if the verdict is up to date."""
        snapshot = self._session.whole
        if snapshot is None:
            return None
        return unjudged_range(self.verdict, snapshot.span, _LATE_INTERVALS * self._interval_ms)

    @property
    def worst(self) -> Mapping[EntityRef, Severity]:
        """The worst severity of each entity that has a finding."""
        found: dict[EntityRef, Severity] = {}
        for finding in self.findings:
            if _RANK[finding.severity] > _RANK.get(found.get(finding.entity, "info"), 0):
                found[finding.entity] = finding.severity
        return found

    def note_over(self, over: Mapping[EntityRef, str]) -> None:
        """Take the entities whose number is over its limit now, each with the sentence that says so."""
        if over != self._over:
            self._over = over
            self.verdict_changed.emit()

    def words(
        self,
        at: TimeText,
        in_scope: Verdict | None = None,
        until: int | None = None,
        covers: Callable[[EntityRef], bool] = lambda _ref: True,
        *,
        is_of_entities: bool = False,
    ) -> VerdictWords | None:
        """Return the verdict as texts, None if no session is open; ``at`` formats a time.

        ``in_scope`` is the verdict on a scope that is looked at ``until`` a time (ms) and ``covers`` some
        entities, only chosen ones whom not every area concerns if ``is_of_entities``; None for that on the
        whole session. There is no all-clear beside a number over its limit.
        """
        snapshot = self._session.whole
        if snapshot is None:
            return None
        newest = snapshot.span.end if snapshot.span else None
        if newest is not None and until is not None:
            newest = min(newest, until)
        verdict = self.verdict if in_scope is None else in_scope
        missing = self._missing_ms(verdict, newest)
        behind_ms = _LATE_INTERVALS * self._interval_ms
        words = verdict_words(
            verdict,
            at,
            newest if newest is None else newest - missing,
            behind_ms=behind_ms,
            is_of_entities=is_of_entities,
        )
        if missing > behind_ms and words.health in CLEAR:
            words = replace(words, health="none")
        if in_scope is not None and verdict.is_clear:
            words = replace(words, title=f"{words.title} in this scope")
        words = words_beside(words, [text for ref, text in self._over.items() if covers(ref)])
        trouble = self.judging.trouble
        if trouble is None or not self.verdict.is_judged:
            return words
        return replace(words, left_out=(f"Judging stopped: {trouble}", *words.left_out))

    def _missing_ms(self, in_scope: Verdict, newest: int | None) -> int:
        """Return for how long (ms) before ``newest`` a scope had no samples any more that could be judged."""
        to, all_to = in_scope.judged_to, self.verdict.judged_to
        if newest is None or to is None or all_to is None:
            return 0
        return max(0, min(newest, all_to) - to)

    def evaluate(self) -> None:
        """Judge the session now."""
        self.judging.evaluate()

    @property
    def _interval_ms(self) -> int:
        snapshot = self._session.whole
        return round(1000 * max(snapshot.intervals.values(), default=0.0)) if snapshot else 0

    def _judged(self) -> None:
        shown = (self.diagnosis is None, self.findings, self.judging.trouble, self.verdict.state)
        if shown != self._shown or self.diagnosis is None:
            self._shown = shown
            self.changed.emit()
        self.verdict_changed.emit()
