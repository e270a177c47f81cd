"""The heat map page: one counter of all entities of a kind over the scope's window, worst first."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

from app.gui.actions import view_actions
from app.gui.desk import Desk
from app.gui.jobs import Job
from app.gui.navigation import keep_in_sight, pin_in_sight
from app.gui.scope_model import Jump
from sessions.scope import Scope
from sessions.store import SessionReader
from viewmodels.chart_sets import lines_of
from viewmodels.chart_spec import ChartSpec
from viewmodels.heat_map import MEASURES, Heat, HeatChoice, HeatRow, Measure, heat_choices, heat_map, in_place
from viewmodels.snapshot import Change
from widgets import heatmap
from widgets.heatmap import HeatmapView

KEYS = view_actions("heatmap", heatmap.KEYS)

_TO_CHARTS = Jump("heatmap", "charts")
_WAIT_MS = 150
_LIVE_MS = 3_000


class HeatmapPanel(QObject):
    """Reads the heat map in a worker when session, scope or choice change, if the page is visible."""

    def __init__(self, desk: Desk) -> None:
        self.view = HeatmapView(desk.theme, desk.times.clock)
        super().__init__(self.view)
        self._desk = desk
        self._choices: Sequence[HeatChoice] = ()
        self._is_stale = self._is_offered = False
        self._shown: tuple[HeatChoice, Measure, Scope] | None = None
        self._wait = QTimer(self, singleShot=True, interval=_WAIT_MS)
        self._wait.timeout.connect(self._read)
        self.view.appeared.connect(self._appeared)
        self.view.counter_chosen.connect(lambda _number: self._read())
        self.view.measure_chosen.connect(lambda _number: self._read())
        self.view.chosen.connect(self._chosen)
        self.view.sorting_wanted.connect(self._sort)
        self.view.map.menu.copied.connect(lambda text: desk.notify(text, "ok"))
        self.view.map.menu.save_wanted.connect(desk.save_file)
        heat = self.view.map
        heat.menu.more = desk.recording.watch
        heat.pinned.connect(lambda at: pin_in_sight(desk, at))
        heat.stepped.connect(lambda count: desk.moment.step(count, then=lambda: keep_in_sight(desk)))
        desk.moment.changed.connect(heat.show_moment)
        desk.findings.changed.connect(lambda: heat.show_findings(desk.findings.findings))
        desk.session.opened.connect(self._opened)
        desk.session.changed.connect(self._grown)
        desk.session.closed.connect(self._closed)
        desk.scope.changed.connect(lambda _scope: self._wait.start(_WAIT_MS))
        desk.times.changed.connect(self.view.map.set_clock)
        desk.thresholds.changed.connect(lambda: self._wait.start(_WAIT_MS))

    def _appeared(self) -> None:
        if self._is_stale:
            self._sort()

    def _opened(self) -> None:
        self._is_offered = False
        self._shown = None
        self._read()

    def _grown(self, change: Change) -> None:
        if change.inventory:
            self._is_offered = False
        if (change.samples or change.inventory) and not self._wait.isActive():
            self._wait.start(_LIVE_MS)

    def _closed(self) -> None:
        self._choices = ()
        self.view.show_heat(Heat())
        self.view.show_empty("Open a session to see which entities were worst, and when.")

    def _read(self) -> None:
        snapshot = self._desk.session.snapshot
        self._is_stale = not self.view.isVisible()
        if snapshot is None or self._is_stale:
            return
        if not self._is_offered:
            self._is_offered = True
            self._choices = heat_choices(snapshot, self._desk.limits, self._desk.catalogue)
            self.view.set_choices([choice.label for choice in self._choices], MEASURES)
        number = self.view.counters.currentIndex()
        window, filtered = self._desk.scope.scope.window_in(snapshot.span), self._desk.scope_filter()
        if filtered is None or window is None or not 0 <= number < len(self._choices):
            self.view.show_heat(Heat())
            self.view.show_empty(
                "This session has no counter that a heat map could show: none with a limit."
                if window is not None
                else "There is no sample in this session."
            )
            return
        choice, measure = self._choices[number], MEASURES[self.view.measures.currentIndex()]

        limits = self._desk.entity_limits
        what = choice, measure, self._desk.scope.scope
        before = self.view.map.heat if what == self._shown else Heat()

        def work(reader: SessionReader, job: Job) -> Heat:
            return in_place(heat_map(reader, choice, filtered, window, measure, limits, work=job), before)

        def done(heat: Heat) -> None:
            self._shown = what
            self.view.show_heat(heat, is_held=bool(before.rows))

        self._desk.session.query("heatmap", work, done, title="Working out the heat map")

    def _sort(self) -> None:
        """Put the worst row first again."""
        self._shown = None
        self._read()

    def _chosen(self, row: HeatRow, when: int | None) -> None:
        """Chart the row, with the moment of its cell pinned; the scope stays, and with it the map."""
        snapshot = self._desk.session.snapshot
        series = snapshot.by_id.get(row.series) if snapshot else None
        if series is None:
            return
        if when is not None:
            pin_in_sight(self._desk, when)
        limits = lines_of([series], self._desk.entity_limits)
        self._desk.scope.leave(_TO_CHARTS)
        self._desk.charts.choose([ChartSpec("", series.spec.unit, (series.id,), "", limits)])


def make(desk: Desk) -> QWidget:
    """Return the view of the heat map panel; the view owns the panel."""
    return HeatmapPanel(desk).view
