"""The charts page: draws the chart board's charts over the scope's window, also while the session grows."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

from app.gui.actions import view_actions
from app.gui.chart_following import add_dropped, close_shown, follow_scope, move_shown, watch_charted
from app.gui.chart_looks import ChartLooks
from app.gui.chart_pictures import copy_drawn
from app.gui.chart_range import ChartRange
from app.gui.chart_reading import ChartReading
from app.gui.desk import Desk
from app.gui.navigation import compare_with_before
from app.gui.report_material import put_charts
from app.gui.scope_events import ScopeEvents
from viewmodels.chart_curves import CurveLabels
from viewmodels.snapshot import Change
from widgets.charts import page

_REDRAW_MS = 40

KEYS = view_actions("charts", page.KEYS)


class ChartsPanel(QObject):
    """Connects the charts page to session, scope and chart board."""

    def __init__(self, desk: Desk) -> None:
        self.view = page.ChartsPage(desk.theme, desk.times.clock)
        super().__init__(self.view)
        self._desk, self._stack, self._events = desk, self.view.stack, ScopeEvents()
        self._reading = ChartReading(desk, self)
        self._range = ChartRange(desk, self._stack)
        self._is_stale = False
        self._to_reveal: int | None = None
        self._redraw = QTimer(self, singleShot=True, interval=_REDRAW_MS)
        ChartLooks(desk, self.view)
        self._join_view()
        self._join_models()

    def _join_view(self) -> None:
        stack, desk = self._stack, self._desk
        self.view.appeared.connect(self._come_into_view)
        self.view.released.connect(self._release)
        stack.closed.connect(lambda number: close_shown(desk, stack.cards[number].spec))
        stack.ordering.moved.connect(lambda chart, to: move_shown(desk, chart, to))
        stack.dropped.connect(lambda number, dragged: add_dropped(desk, number, dragged))
        stack.copied.connect(lambda text: desk.notify(text, "ok"))
        stack.saved.connect(desk.save_file)
        stack.more = lambda series: watch_charted(desk, series)
        stack.moved_wanted.connect(desk.moved.ask_series)
        stack.before_wanted.connect(lambda: compare_with_before(desk))
        stack.report_wanted.connect(lambda chart: put_charts(desk, (chart,)))
        stack.pictured.connect(lambda picture, title: copy_drawn(desk, picture, title))
        self._redraw.timeout.connect(self._draw)
        self._reading.ready.connect(self._draw)

    def _join_models(self) -> None:
        desk = self._desk
        desk.session.opened.connect(self._begin)
        desk.session.changed.connect(self._take_change)
        desk.session.closed.connect(self._end)
        desk.scope.changed.connect(self._take_scope)
        desk.charts.changed.connect(self._read)
        desk.charts.changed.connect(lambda: self.view.show_pinned(on=desk.charts.choice.pinned))
        desk.charts.added.connect(self._reveal)
        desk.charts.moved.connect(lambda _at, to: self._reveal(to))
        desk.findings.changed.connect(self._take_findings)
        desk.thresholds.changed.connect(self._redraw.start)

    def _begin(self) -> None:
        self._reading.forget()
        self._follow()

    def _end(self) -> None:
        self._reading.forget()
        self._stack.show_charts([])

    def _take_change(self, change: Change) -> None:
        self._range.show()
        if change.sources or (change.inventory and not self._desk.charts.charts):
            self._follow()
        if change.samples:
            self._read()
        elif change.records:
            self._redraw.start()

    def _take_scope(self) -> None:
        self._range.show()
        self._follow()
        self._redraw.start()

    def _take_findings(self) -> None:
        """Show the worst entity if the scope names none, unless somebody looks at charts already."""
        if not (self.view.isVisible() and self._desk.charts.charts):
            self._follow()

    def _follow(self) -> None:
        """Show charts that suit the scope, or the worst entities if it names none."""
        if self._desk.session.snapshot is None or follow_scope(self._desk):
            return  # the board's own signal has its charts read
        if self.view.isVisible():
            self._reading.ask_near_the_edge()
        else:
            self._is_stale = True

    def _reveal(self, number: int) -> None:
        """Scroll to a chart once it is drawn."""
        self._to_reveal = number
        self._redraw.start()

    def _release(self) -> None:
        self._desk.charts.release()
        self._follow()

    def _read(self) -> None:
        self._is_stale = not self.view.isVisible()
        if not self._is_stale:
            self._reading.ask()

    def _come_into_view(self) -> None:
        if self._is_stale:
            self._read()
        self._range.show()
        self._redraw.start()

    def _draw(self) -> None:
        self._redraw.stop()
        snapshot = self._desk.session.snapshot
        if snapshot is None or not self.view.isVisible():
            return
        charts, samples, window = self._desk.charts.charts, self._reading.samples, self._range.show()
        self.view.show_empty(on=not charts or window is None)
        if window is None or not samples.ids.issuperset(one for chart in charts for one in chart.series):
            return  # samples of a newer set of charts are on their way
        self._stack.name_session(snapshot.title)
        self._stack.show_events(self._events.of(self._desk.scope.scope, snapshot), snapshot.marks)
        labels = CurveLabels(self._desk.catalogue, self._desk.entity_limits)
        drawn = [labels.drawn(chart, samples.curves, snapshot, window, samples.left_out) for chart in charts]
        self._stack.show_charts(drawn)
        if self._to_reveal is not None:
            self._stack.reveal(self._to_reveal)
            self._to_reveal = None


def make(desk: Desk) -> QWidget:
    """Return the view of the charts panel; the view owns the panel."""
    return ChartsPanel(desk).view
