"""The findings pane: what diagnosis says of the session, renewed while it grows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtWidgets import QWidget

from app.gui.actions import ActionSpec
from app.gui.desk import Desk
from sessions.findings import Evidence, Finding
from viewmodels.chart_sets import evidence_series
from widgets.findings import EvidenceLookup, FindingsView

KEYS: tuple[ActionSpec, ...] = (
    ActionSpec("findings.move", "Go from finding to finding", keys=("Up", "Down"), context="findings"),
    ActionSpec("findings.open", "Unfold or fold the finding", keys=("Return", "Space"), context="findings"),
    ActionSpec(
        "findings.follow", "Show or hide what follows from it", keys=("Right", "Left"), context="findings"
    ),
    ActionSpec("findings.show", "Show its evidence in the charts", keys=("Ctrl+Return",), context="findings"),
)


class FindingsPanel(FindingsView):
    """Shows the last diagnosis; "Show me" moves scope and charts."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(EvidenceLookup(partial(_label, desk), partial(_series, desk)), desk.theme)
        self._desk = desk
        self.wanted.connect(desk.show_finding)
        desk.findings.changed.connect(self._renew)
        desk.findings.busy_changed.connect(lambda _busy: self._say())
        desk.session.opened.connect(lambda _snapshot: self._begin())
        desk.session.closed.connect(self._renew)

    def _begin(self) -> None:
        self.forget()
        self._say()

    def _renew(self) -> None:
        self.show_findings(self._desk.findings.findings)
        self._say()

    def _say(self) -> None:
        closed = self._desk.session.snapshot is None
        self.say("Open a session: what is wrong in it is shown here." if closed else self._desk.findings.note)


def _label(desk: Desk, key: str) -> str:
    known = desk.catalogue.get(key)
    return known.label if known else key


def _series(desk: Desk, finding: Finding, item: Evidence) -> Sequence[int]:
    snapshot = desk.session.snapshot
    if snapshot is None:
        return ()
    return [one.id for one in evidence_series(item, finding.entity, snapshot)]


def make(desk: Desk) -> QWidget:
    """The panel of the table."""
    return FindingsPanel(desk)
