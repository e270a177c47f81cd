"""Charts, overview and scope bar show the same time, whatever moves it, at every single step."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from sessions.model import Gap
from sessions.store import SessionWriter
from sessions.times import TimeRange
from tests.gui.recordings import record
from tests.gui.test_recording import start_lab, stop
from tests.gui.test_sources import choose
from tests.gui.windows import WAIT, child_of, has_charts, wait
from widgets.charts.card import ChartCard
from widgets.charts.page import ChartsPage
from widgets.charts.plot import Plot
from widgets.overview import OverviewView
from widgets.timeline import TimelineView
from widgets.timeline.geometry import Scale

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


class Watch:
    """Compares what the scope bar says with what the visible charts show, whenever one of them may change."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.steps = 0
        self.differences: list[str] = []
        program.desk.scope.changed.connect(self.compare)
        program.desk.session.changed.connect(self.compare)

    def compare(self, _what: object = None) -> None:
        self.steps += 1
        desk = self._program.desk
        snapshot = desk.session.snapshot
        window = desk.scope.scope.window_in(snapshot.span) if snapshot else None
        said = self._program.window.top.scope.text
        if window is None:
            return
        if desk.times.clock.window(window) not in said:
            self.differences.append(f"scope {desk.times.clock.window(window)}, bar {said}")
        for card in self._program.window.findChildren(ChartCard):
            if card.isVisible() and card.plot.window_shown != (window.start, window.end):
                self.differences.append(f"scope {window}, chart {card.plot.window_shown}")


def wheel(view: QWidget, at: QPoint, up: int, keys: Qt.KeyboardModifier) -> None:
    place = QPointF(at)
    event = QWheelEvent(
        place, view.mapToGlobal(place), QPoint(), QPoint(0, up), Qt.MouseButton.NoButton, keys,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(view, event)


def place(plot: Plot, part: float) -> QPoint:
    area = plot.drawing.area
    return QPoint(round(area.left() + part * area.width()), round(area.center().y()))


def drag(plot: Plot, begin: float, end: float, keys: Qt.KeyboardModifier = NONE) -> None:
    view = plot.viewport()
    QTest.mousePress(view, LEFT, keys, place(plot, begin))
    for step in range(1, 6):
        QTest.mouseMove(view, place(plot, begin + (end - begin) * step / 5))
    QTest.mouseRelease(view, LEFT, keys, place(plot, end))


@pytest.fixture(params=["charts", "overview"])
def plot(request: pytest.FixtureRequest, live: Program, qtbot: QtBot, home: Path) -> Plot:
    """The first plot of a page of a recorded session."""
    path = record(home / "demo.hscope", seconds=900)
    live.workbench.open_paths([path])
    wait(qtbot, lambda: live.desk.session.path == path)
    live.window.show_panel(request.param)
    kind = ChartsPage if request.param == "charts" else OverviewView
    page: QWidget = child_of(live.window, kind)
    wait(qtbot, lambda: [one for one in page.findChildren(ChartCard) if one.isVisible() and one.curves])
    card = next(one for one in page.findChildren(ChartCard) if one.isVisible())
    qtbot.waitUntil(lambda: card.plot.drawing.area.width() > 100)
    return card.plot


def span_of(program: Program) -> TimeRange:
    snapshot = program.desk.session.snapshot
    assert snapshot is not None
    assert snapshot.span is not None
    return snapshot.span


def shown(program: Program) -> TimeRange:
    window = program.desk.scope.scope.window_in(span_of(program))
    assert window is not None
    return window


def test_mouse_wheel_and_keys(live: Program, qtbot: QtBot, plot: Plot) -> None:
    watch, view = Watch(live), plot.viewport()
    for _ in range(4):
        wheel(view, place(plot, 0.5), 120, CTRL)
    drag(plot, 0.6, 0.3)
    drag(plot, 0.3, 0.9)
    drag(plot, 0.4, 0.6, SHIFT)  # a box
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_Plus, Qt.Key.Key_Minus):
        QTest.keyClick(plot, key)
    qtbot.wait(500)
    live.desk.scope.back()
    live.desk.scope.forward()
    QTest.mouseDClick(view, LEFT, NONE, place(plot, 0.5))
    qtbot.wait(500)
    watch.compare()
    assert watch.steps > 10
    assert watch.differences == []
    assert live.desk.scope.scope.window is None


def test_the_brush_of_the_timeline(live: Program, qtbot: QtBot, plot: Plot) -> None:
    timeline, watch, span = child_of(live.window, TimelineView), Watch(live), span_of(live)
    scale = Scale(span, timeline.width())

    def at(part: float) -> QPoint:
        return QPoint(round(scale.x(span.start + part * (span.end - span.start))), 12)

    QTest.mousePress(timeline, LEFT, NONE, at(0.5))
    for part in (0.55, 0.6, 0.7):
        QTest.mouseMove(timeline, at(part))
    QTest.mouseRelease(timeline, LEFT, NONE, at(0.7))
    QTest.mouseClick(timeline, LEFT, NONE, at(0.1))  # pins a moment: the window comes along
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End):
        QTest.keyClick(timeline, key)
    qtbot.wait(500)
    watch.compare()
    assert watch.steps > 4
    assert watch.differences == []


def test_a_drag_beyond_an_end_stops_there_and_keeps_its_length(
    live: Program, qtbot: QtBot, plot: Plot
) -> None:
    """It showed a shorter and shorter time, as if one had zoomed in."""
    span, watch = span_of(live), Watch(live)
    live.desk.scope.set(live.desk.scope.scope.during(TimeRange(span.end - 300_000, span.end - 60_000)))
    drag(plot, 0.95, 0.05)
    assert shown(live) == TimeRange(span.end - 240_000, span.end)
    for _ in range(6):
        drag(plot, 0.05, 0.95)
    assert shown(live) == TimeRange(span.start, span.start + 240_000)
    assert watch.differences == []


def test_other_sizes_of_the_window(live: Program, qtbot: QtBot, plot: Plot) -> None:
    span, watch = span_of(live), Watch(live)
    live.desk.scope.set(live.desk.scope.scope.during(TimeRange(span.start + 60_000, span.start + 180_000)))
    for size in ((1000, 640), (1440, 900)):
        live.window.resize(*size)
        qtbot.wait(100)
        watch.compare()
    assert watch.differences == []


def test_a_page_that_comes_into_view_shows_the_time_at_once(live: Program, qtbot: QtBot, plot: Plot) -> None:
    span, watch = span_of(live), Watch(live)
    here = live.window.pages.currentWidget()
    live.window.show_panel("esxtop")
    live.desk.scope.set(live.desk.scope.scope.during(TimeRange(span.start + 60_000, span.start + 180_000)))
    live.window.pages.setCurrentWidget(here)
    watch.compare()
    assert watch.differences == []


def test_one_source_with_gaps_at_its_ends(live: Program, qtbot: QtBot, plot: Plot) -> None:
    watch, span, path = Watch(live), span_of(live), live.desk.session.path
    assert path is not None
    gaps = [TimeRange(span.start - 300_000, span.start), TimeRange(span.end - 1_000, span.end + 300_000)]
    with SessionWriter.open(path) as writer:
        writer.add_gaps([Gap(2, one.start, one.end, "no reply") for one in gaps])
    with qtbot.waitSignal(live.desk.session.changed, timeout=WAIT):
        live.desk.session.check_now()
    choose(live, qtbot, 2)
    qtbot.wait(300)
    watch.compare()
    drag(plot, 0.2, 0.8)
    choose(live, qtbot, 2)
    qtbot.wait(300)
    watch.compare()
    assert watch.steps > 3
    assert watch.differences == []


@pytest.mark.parametrize("page", ["charts", "overview"])
def test_while_it_records(live: Program, qtbot: QtBot, page: str) -> None:
    start_lab(live, qtbot)
    live.window.show_panel(page)
    if page == "charts":
        wait(qtbot, lambda: has_charts(live))
    watch = Watch(live)
    assert live.desk.scope.scope.follow
    end = span_of(live).end
    wait(qtbot, lambda: span_of(live).end > end + 60_000)
    live.desk.moment.pin(end)
    wait(qtbot, lambda: span_of(live).end > end + 120_000)
    assert live.desk.scope.scope.follow  # a pinned moment does not stop it
    assert live.desk.moment.at == end
    wait(qtbot, lambda: watch.steps > 5)  # a busy machine takes larger ones
    stop(live, qtbot)
    assert watch.differences == []
