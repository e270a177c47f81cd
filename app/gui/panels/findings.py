"""The findings pane: shows the latest diagnosis of the session."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.gui.actions import view_actions
from app.gui.desk import Desk
from app.gui.findings_leaving import FindingsLeaving
from app.gui.navigation import pin_worst_moment
from app.gui.report_material import put_finding
from sessions.findings import Evidence, Finding
from sessions.scope import Scope
from viewmodels.chart_sets import evidence_series
from viewmodels.finding_labels import lookup_in
from viewmodels.finding_order import identity
from widgets import findings
from widgets.findings import FindingsView
from wizards.flows.about import About

KEYS = view_actions("findings", findings.KEYS)


class FindingsPanel(QObject):
    """Shows the latest diagnosis; the button "Show me" moves scope and charts to a finding."""

    def __init__(self, desk: Desk) -> None:
        self.view = FindingsView(lookup_in(desk.catalogue, self._series), desk.theme)
        super().__init__(self.view)
        self._desk = desk
        self._is_showing = False
        self._list_scope: Scope | None = None
        self.view.wanted.connect(self._show)
        self.view.opened.connect(lambda finding: pin_worst_moment(desk, finding))
        self._leaving = FindingsLeaving(desk, self)
        self.view.menu.text_wanted.connect(self._leaving.copy_text)
        self.view.menu.json_wanted.connect(self._leaving.copy_json)
        self.view.menu.explain_wanted.connect(desk.topics.problem)
        self.view.head.explain_wanted.connect(desk.topics.problem)
        self.view.menu.tests, self.view.menu.more = desk.tests.offered_for, desk.recording.watch
        self.view.menu.test_wanted.connect(self._test)
        self.view.menu.all_wanted.connect(self._leaving.save_all)
        self.view.menu.moved_wanted.connect(desk.moved.ask_finding)
        self.view.menu.troubleshoot_wanted.connect(self._troubleshoot)
        self.view.menu.verify_wanted.connect(lambda finding: self._troubleshoot(finding, and_verify=True))
        self.view.menu.before_wanted.connect(self._compare)
        self.view.menu.report_wanted.connect(lambda finding: put_finding(desk, finding))
        desk.findings.changed.connect(self._renew)
        desk.findings.verdict_changed.connect(self._show_verdict)
        desk.times.changed.connect(lambda _clock: self._show_verdict())
        desk.session.opened.connect(lambda _snapshot: self._begin())
        desk.session.closed.connect(self._renew)
        desk.scope.changed.connect(lambda _scope: self._follow_scope())
        self.view.outside.widened.connect(desk.widen_scope)
        self.view.outside.narrowed.connect(self._follow_scope)
        self._show_verdict()

    def _begin(self) -> None:
        self._list_scope = None
        self.view.forget()
        self._renew()

    def _test(self, test: str, finding: Finding) -> None:
        """Set a test up about what the finding names."""
        whole = self._desk.session.whole
        entity = whole.entities.get(finding.entity) if whole is not None else None
        name = entity.name if entity is not None else finding.entity_name
        self._desk.tests.set_up(test, About(finding.entity.kind, name))

    def _troubleshoot(self, finding: Finding, *, and_verify: bool = False) -> None:
        """Look into what a finding is of; ``and_verify`` then asks whether its fix worked."""
        if not self._desk.troubleshooting.ask_finding(finding, and_verify=and_verify):
            self._desk.notify(
                "A symptom can be of a VM, a host, a datastore or a device: this is none.", "info"
            )

    def _compare(self, finding: Finding) -> None:
        """Compare the longest time of a finding with what was before it."""
        self._desk.comparison.with_before(max(finding.windows, key=lambda one: one.seconds))

    def _show(self, finding: Finding) -> None:
        """Show a finding's evidence; the list stays as it is, so that the next one can be shown from it."""
        scope = self._list_scope or self._desk.scope.scope
        self._is_showing = True
        self._desk.show_finding(finding)
        self._is_showing = False
        self._list_scope = scope
        self._renew(hold=False)

    def _follow_scope(self) -> None:
        if not self._is_showing:
            self._list_scope = None
            self._renew(hold=False)

    def _renew(self, *, hold: bool = True) -> None:
        divided = self._desk.findings_in_scope(self._list_scope)
        self.view.show_findings(divided.inside, hold=hold)
        if self._list_scope is None:
            self.view.outside.show_outside(divided.label, divided.explanation, divided.worst_outside)
        else:
            shown = {identity(one) for one in divided.inside}
            now = self._desk.findings_in_scope()
            self.view.outside.show_list_is_wider(now.outside_of(shown))
        self._show_verdict()

    def _show_verdict(self) -> None:
        """Say what was judged, above the cards; without a session what the pane is for."""
        words = self._desk.verdict_words(self._list_scope)
        self.view.show_verdict(words)
        self.view.show_note("Open a session: what is wrong in it is shown here." if words is None else "")

    def _series(self, finding: Finding, item: Evidence) -> Sequence[int]:
        snapshot = self._desk.session.snapshot
        if snapshot is None:
            return ()
        return [one.id for one in evidence_series(item, finding.entity, snapshot)]


def make(desk: Desk) -> QWidget:
    """Return the view of the findings panel; the view owns the panel."""
    return FindingsPanel(desk).view
