"""What the window does with sessions: open, import, record, mark; and the start page that offers it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from app.gui.desk import Desk
from app.gui.findings_model import FindingsModel
from app.gui.jobs import JobRunner
from app.gui.panels.chart_sets import charts_of_finding, window_around
from app.gui.recent import RecentSessions
from app.gui.scope_model import ScopeModel
from app.gui.session_model import SessionModel
from app.gui.settings import Settings
from app.gui.window import Window
from sessions.findings import Finding
from widgets.theme import Theme


class Workbench(QObject):
    """Opens what the user points at. ``join`` gives it the window once that exists."""

    def __init__(
        self,
        session: SessionModel,
        scope: ScopeModel,
        findings: FindingsModel,
        jobs: JobRunner,
        settings: Settings,
        theme: Theme,
        recent: RecentSessions,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session, self._scope, self._findings = session, scope, findings
        self._jobs, self._settings, self._theme, self._recent = jobs, settings, theme, recent
        self.start_page = QWidget()
        self._window: Window | None = None
        session.opened.connect(lambda _snapshot: scope.reset())

    def join(self, desk: Desk, window: Window) -> None:
        """Take the window and the desk."""
        self._desk, self._window = desk, window
        window.dropped.connect(self.open_paths)

    def handlers(self) -> dict[str, Callable[[], None]]:
        """What the actions of files and recordings do."""
        nothing: Callable[[], None] = lambda: None  # noqa: E731
        return {
            "file.connect": nothing,
            "file.open": self._ask_open,
            "file.import": nothing,
            "file.lab": nothing,
            "record.mark": lambda: self.drop_mark(None),
            "record.pause": nothing,
            "record.stop": nothing,
            "record.resume": nothing,
            "record.detach": nothing,
        }

    def open_paths(self, paths: Sequence[Path]) -> None:
        """Open a session, or import what is no session."""
        self._session.open(paths[0])

    def show_finding(self, finding: Finding) -> None:
        """Look at a finding's entity over its windows, with its evidence in the charts."""
        desk, snapshot = self._desk, self._session.snapshot
        if snapshot is None:
            return
        window = window_around(finding, snapshot.span)
        self._scope.set(self._scope.scope.on([finding.entity]).during(window))
        charts = charts_of_finding(finding, snapshot, desk.catalogue, desk.chart_templates, desk.limits)
        desk.charts.choose(charts)

    def drop_mark(self, at: int | None) -> None:
        """Store a mark."""

    def shutdown(self) -> None:
        """End what the window must not leave behind."""

    def _ask_open(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self._window, "Open a session", "", "Sessions (*.hscope)")
        if name:
            self._session.open(Path(name))
