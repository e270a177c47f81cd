"""The findings of the open session, as its views show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QObject, Signal

from app.gui.judging import Judging
from app.gui.session_model import SessionModel
from diagnosis import Diagnosis
from sessions.findings import Finding, Severity
from sessions.model import EntityRef

_RANK: dict[Severity, int] = {"info": 1, "warning": 2, "critical": 3}


class FindingsModel(QObject):
    """Holds the findings of the newest diagnosis; emits ``changed`` when findings or their note differ."""

    changed = Signal()
    busy_changed = Signal(bool)

    def __init__(self, session: SessionModel, judging: Judging, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.judging = judging
        self._shown: tuple[object, ...] = ()
        judging.changed.connect(self._judged)
        judging.busy_changed.connect(self.busy_changed)
        judging.failed.connect(session.failed)

    @property
    def diagnosis(self) -> Diagnosis | None:
        """The newest diagnosis; None until the first one is done."""
        return self.judging.diagnosis

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
        if self.judging.trouble is not None:
            return f"Problems could not be looked for. {self.judging.trouble}"
        if not snapshot.samples:
            recording = "The first samples are on their way."
            return recording if snapshot.recording else "This session has no samples to find problems in."
        if self.diagnosis is None:
            return "Looking for problems…"
        return "No problem found. What was checked: every known problem whose counters are here."

    def evaluate(self) -> None:
        """Judge the session now."""
        self.judging.evaluate()

    def _judged(self) -> None:
        shown = (self.diagnosis is None, self.findings, self.judging.trouble, self.judging.verdict.state)
        if shown != self._shown or self.diagnosis is None:
            self._shown = shown
            self.changed.emit()
