"""The overview page: the state of the session within the scope's window at a glance."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

from app.gui.chart_range import ChartRange
from app.gui.desk import Desk
from app.gui.jobs import Job
from app.gui.scope_model import Jump
from sessions.scope import Scope
from sessions.store import SessionReader
from viewmodels.chart_spec import ChartSpec
from viewmodels.overview import OverviewContent, latest_changes, overview_content
from viewmodels.snapshot import Change
from viewmodels.time_labels import Clock
from widgets.overview import OverviewView

_TO_CHARTS = Jump("overview", "charts")
_WAIT_MS = 150
_LIVE_MS = 2_000


class OverviewPanel(QObject):
    """Reads everything on the page in one query, if the page is visible."""

    def __init__(self, desk: Desk) -> None:
        self.view = OverviewView(desk.theme, desk.times.clock)
        super().__init__(self.view)
        self._desk = desk
        self._is_stale = False
        self._content = OverviewContent()
        self._looked_at: Scope | None = None
        self._wait = QTimer(self, singleShot=True, interval=_WAIT_MS)
        self._wait.timeout.connect(self._read_again)
        self._being_read: Scope | None = None
        view, scope, self._range = self.view, desk.scope, ChartRange(desk, self.view)
        view.appeared.connect(self._appeared)
        view.wanted.connect(desk.show_finding)
        view.more = desk.recording.watch
        view.chosen.connect(lambda ref: scope.set(scope.scope.on([ref])))
        view.opened.connect(self._chart)
        view.copied.connect(lambda text: desk.notify(text, "ok"))
        view.saved.connect(desk.save_file)
        desk.session.opened.connect(lambda _snapshot: self._opened())
        desk.session.changed.connect(self._grown)
        scope.changed.connect(lambda _scope: self._scoped())
        desk.findings.verdict_changed.connect(self._show_findings)
        desk.times.changed.connect(self._take_clock)
        desk.thresholds.changed.connect(lambda: self._wait.start(_WAIT_MS))

    def _appeared(self) -> None:
        self._range.show()
        if self._is_stale:
            self._looked_at = None  # nobody did
            self._read()

    def _opened(self) -> None:
        self.view.clear()  # what stood here is of another session
        self._looked_at = None
        self._read()

    def _chart(self, spec: ChartSpec) -> None:
        self._desk.scope.leave(_TO_CHARTS)
        self._desk.charts.choose([spec])

    def _grown(self, change: Change) -> None:
        self._range.show()
        if change and not self._wait.isActive():
            self._wait.start(_LIVE_MS)

    def _scoped(self) -> None:
        self._range.show()
        self._show_findings()
        self._wait.start(_WAIT_MS)

    def _show_findings(self) -> None:
        inside = self._desk.findings_in_scope().inside
        self.view.show_findings(inside, self._desk.verdict_words())

    def _read_again(self) -> None:
        """Read what has come; not before what is read now is shown, or a slow machine would show nothing."""
        if self._desk.jobs.busy("overview") and self._being_read == self._desk.scope.scope:
            self._wait.start(_LIVE_MS)
        else:
            self._read()

    def _read(self) -> None:
        desk, snapshot = self._desk, self._desk.session.snapshot
        self._is_stale = not self.view.isVisible()
        if self._is_stale:
            return
        self._wait.stop()  # what it waits for is read now
        self._show_findings()
        window = self._range.show()
        filtered = desk.scope_filter()
        if snapshot is None or window is None or filtered is None:
            return

        self._being_read, limits = desk.scope.scope, desk.entity_limits
        before = self._content if self._looked_at == desk.scope.scope else OverviewContent()

        def work(reader: SessionReader, job: Job) -> OverviewContent:
            return overview_content(
                reader, desk.overview, snapshot, filtered, window, desk.catalogue, limits, job, before
            )

        def done(content: OverviewContent) -> None:
            self._content, self._looked_at = content, desk.scope.scope
            self.view.show_charts(content.charts, self._range.show() or window)
            self.view.show_lists(content.lists)
            self.view.show_changes(latest_changes(filtered, window, desk.times.clock), window)

        desk.session.query("overview", work, done)

    def _take_clock(self, clock: Clock) -> None:
        self.view.set_clock(clock)
        self._wait.start()


def make(desk: Desk) -> QWidget:
    """Return the view of the overview panel; the view owns the panel."""
    return OverviewPanel(desk).view
