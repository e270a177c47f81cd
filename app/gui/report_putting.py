"""Put into the report: what is shown in front, and what the tabs of the pages say of it."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.gui.desk import Desk
from app.gui.report_material import put_charts, put_comparison, put_finding, put_run, put_test
from app.gui.window import Window
from sessions.troubleshooting import TroubleshootingRun, ranked
from viewmodels.health import Health
from widgets.findings import FindingsView
from widgets.messages import MessageAction


class ReportPutting(QObject):
    """Puts what is in front into the report, says so, and keeps the badges of the tabs."""

    def __init__(self, desk: Desk, window: Window, parent: QObject) -> None:
        super().__init__(parent)
        self._desk, self._window = desk, window
        self._told = ""
        desk.report.put.connect(self._tell)
        desk.report.changed.connect(self._show_count)
        desk.troubleshooting.changed.connect(self._show_outcome)
        window.pages.currentChanged.connect(lambda _page: self._dismiss_what_is_seen())

    def put_shown(self) -> None:
        """Put in what is shown: the finding with the keys, else what the page in front shows."""
        desk, focus = self._desk, self._window.focusWidget()
        findings = self._window.findChild(FindingsView)
        if findings is not None and focus is not None and findings.isAncestorOf(focus):
            finding = findings.menu.finding
            if finding is not None:
                put_finding(desk, finding)
                return
        put = {
            "panel-charts": put_charts,
            "panel-troubleshoot": put_run,
            "panel-compare": put_comparison,
            "panel-tests": put_test,
        }.get(self._window.pages.currentWidget().objectName())
        if put is not None:
            put(desk)
            return
        desk.notify(
            "Charts, a finding, a guided run, a test and a comparison can be put into the report: show one.",
            "info",
        )

    def _tell(self, text: str) -> None:
        """Say what was put in last: the way to the report is needed once."""
        self._window.messages.dismiss(self._told)
        self._told = text
        self._desk.notify(text, "ok", action=MessageAction("Show the report", self._desk.report.asked.emit))

    def _dismiss_what_is_seen(self) -> None:
        if self._window.pages.currentWidget().objectName() == "panel-report":
            self._window.messages.dismiss(self._told)

    def _show_count(self) -> None:
        count = self._desk.report.put_in.count
        self._window.pages.show_badge("Report", str(count) if count else "", "part", f"{count} put in")

    def _show_outcome(self) -> None:
        text, state, spoken = badge_of(self._desk.troubleshooting.run)
        self._window.pages.show_badge("Troubleshoot", text, state, spoken)


def badge_of(run: TroubleshootingRun | None) -> tuple[str, Health, str]:
    """Return what the tab of the guided run says: what became of the fix, else how much was found; with what
    a screen reader says.
    """
    if run is None:
        return "", "none", ""
    done = [one for one in run.verifications if one.state == "done" and one.outcome is not None]
    if done and done[-1].outcome is not None:
        outcome = done[-1].outcome
        states: dict[str, Health] = {"fixed": "ok", "better": "warning", "can't tell": "part"}
        return outcome, states.get(outcome, "critical"), outcome
    found = ranked(run.checks)
    if not found:
        return "", "none", ""
    state: Health = "critical" if found[0].verdict == "problem" else "warning"
    rows = len({one.row for one in found})  # as the page counts them
    return str(rows), state, f"{rows} found"
