"""What views of charts share: the scope's time, which gestures move, the pinned moment, explanations."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.gui.counter_meaning import explain_series
from app.gui.desk import Desk
from app.gui.navigation import pin_in_sight
from sessions.times import TimeRange
from viewmodels.chart_windows import moved_window
from widgets.charts.stack import ChartStack
from widgets.overview import OverviewView


class ChartRange(QObject):
    """Joins a view with charts to the scope's window, to the pinned moment, and to the reference."""

    def __init__(self, desk: Desk, charts: ChartStack | OverviewView) -> None:
        super().__init__(charts)
        self._desk, self._charts = desk, charts
        charts.windowed.connect(self._move)
        charts.unzoomed.connect(lambda: desk.scope.set(desk.scope.scope.during(None)))
        charts.explain_wanted.connect(lambda ids: explain_series(desk, charts, ids))
        charts.pinned.connect(lambda at: pin_in_sight(desk, at))
        desk.moment.changed.connect(charts.crosshair.show_moment)

    def show(self) -> TimeRange | None:
        """Show the scope's window at once, as the scope bar does, and return it; samples follow."""
        snapshot = self._desk.session.snapshot
        window = self._desk.scope.scope.window_in(snapshot.span) if snapshot else None
        if window is not None and self._charts.isVisible():
            self._charts.show_window(window)
        return window

    def _move(self, wanted: TimeRange, passing: bool) -> None:
        snapshot, scope = self._desk.session.snapshot, self._desk.scope
        if snapshot is not None and snapshot.span is not None:
            scope.set(scope.scope.during(moved_window(wanted, snapshot.span)), passing=passing)
