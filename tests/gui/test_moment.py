"""The pinned moment: one instant that all views share, until Escape or the end of the session."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from sessions.store import SessionReader
from sessions.times import TimeRange
from tests.gui.recordings import record
from tests.gui.test_recording import start_lab, stop
from tests.gui.windows import WAIT, child_of, has_charts, wait
from viewmodels.chart_sets import evidence_series
from widgets.charts.card import ChartCard
from widgets.charts.page import ChartsPage
from widgets.esxtop import EsxtopView
from widgets.findings import FindingsView
from widgets.heatmap.geometry import Geometry
from widgets.heatmap.map import HeatMap
from widgets.heatmap.painting import longest_name, longest_worst
from widgets.marks import MarkNote
from widgets.overview import OverviewView
from widgets.timeline import TimelineView
from widgets.timeline.geometry import Scale

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def opened(program: Program, qtbot: QtBot, path: Path) -> TimeRange:
    """Open a session; returns its span."""
    program.workbench.open_paths([path])
    wait(qtbot, lambda: program.desk.session.path == path)
    snapshot = program.desk.session.snapshot
    assert snapshot is not None
    assert snapshot.span is not None
    return snapshot.span


def test_a_moment_is_kept_within_the_session(live: Program, qtbot: QtBot, home: Path) -> None:
    moment = live.desk.moment
    moment.pin(1)
    assert moment.at is None  # there is nothing to pin yet
    span = opened(live, qtbot, record(home / "demo.hscope", seconds=300))
    told: list[int | None] = []
    moment.changed.connect(told.append)
    for at in (span.start + 7_000, span.start + 7_000, span.start - 1, span.end + 1):
        moment.pin(at)
    moment.release()
    moment.release()
    assert told == [span.start + 7_000, span.start, span.end, None]
    moment.pin(span.start)
    live.desk.session.close()
    assert moment.at is None


def test_escape_lets_go_of_the_moment_first(live: Program, qtbot: QtBot, home: Path) -> None:
    span = opened(live, qtbot, record(home / "demo.hscope", seconds=300))
    release = live.window.actions_by_id["go.release"]
    assert not release.isEnabled()
    live.desk.moment.pin(span.start)
    assert release.isEnabled()
    live.window.activateWindow()
    qtbot.waitUntil(live.window.isActiveWindow)
    live.desk.notify("Something went wrong.", "critical")
    qtbot.waitUntil(live.window.messages.isVisible)
    qtbot.keyClick(live.window, Qt.Key.Key_Escape)
    assert (live.desk.moment.at, live.window.messages.isVisible()) == (None, True)
    qtbot.keyClick(live.window, Qt.Key.Key_Escape)
    assert not live.window.messages.isVisible()


def test_a_mark_is_dropped_at_the_pinned_moment(live: Program, qtbot: QtBot, home: Path) -> None:
    span = opened(live, qtbot, record(home / "demo.hscope", seconds=300))
    live.desk.moment.pin(span.start + 60_000)
    live.window.actions_by_id["record.mark"].trigger()
    [dialog] = [one for one in live.window.findChildren(MarkNote) if one.isVisible()]
    dialog.line.setText("deploy")
    qtbot.keyClick(dialog.line, Qt.Key.Key_Return)
    snapshot = live.desk.session
    wait(qtbot, lambda: snapshot.snapshot is not None and snapshot.snapshot.marks)
    assert snapshot.snapshot is not None
    assert [(mark.at, mark.text) for mark in snapshot.snapshot.marks] == [(span.start + 60_000, "deploy")]


def test_a_moment_comes_back_with_its_session(live: Program, qtbot: QtBot, home: Path) -> None:
    first, second = record(home / "a.hscope", seconds=300), record(home / "b.hscope", seconds=120)
    span = opened(live, qtbot, first)
    live.desk.moment.pin(span.start + 90_000)
    seen: list[int | None] = []
    for path in (second, first):
        opened(live, qtbot, path)
        seen.append(live.desk.moment.at)
    live.desk.moment.release()
    for path in (second, first):
        opened(live, qtbot, path)
        seen.append(live.desk.moment.at)
    assert seen == [None, span.start + 90_000, None, None]


def test_back_and_forward_and_pages_leave_the_moment_alone(live: Program, qtbot: QtBot, home: Path) -> None:
    span = opened(live, qtbot, record(home / "demo.hscope", seconds=300))
    live.desk.scope.set(live.desk.scope.scope.during(TimeRange(span.start, span.start + 60_000)))
    live.desk.moment.pin(span.end)
    live.window.show_panel("esxtop")
    live.desk.scope.back()
    live.desk.scope.forward()
    live.window.show_panel("charts")
    assert live.desk.moment.at == span.end


def test_a_step_goes_from_sample_to_sample_of_the_session(live: Program, qtbot: QtBot, home: Path) -> None:
    path = record(home / "demo.hscope", seconds=300)
    span = opened(live, qtbot, path)
    with SessionReader.open(path) as reader:
        times = np.unique(np.concatenate([reader.times(source.id) for source in reader.sources()]))
    moment = live.desk.moment
    moment.step(-1)
    assert moment.at is None  # a step from nowhere
    reached: list[int | None] = []
    for start, count in ((7, 1), (7, -2), (1, 10_000)):
        moment.pin(int(times[start]))
        with qtbot.waitSignal(moment.changed, timeout=WAIT):
            moment.step(count)
        reached.append(moment.at)
    assert reached == [times[8], times[5], span.end]
    moment.pin(int(times[10]))
    for _ in range(3):
        moment.step(1)  # faster than they are found: they add up
    wait(qtbot, lambda: moment.at == times[13])


def test_the_esxtop_page_shows_the_pinned_moment(live: Program, qtbot: QtBot, home: Path) -> None:
    span = opened(live, qtbot, record(home / "demo.hscope", seconds=300))
    clock, moment = live.desk.times.clock, live.desk.moment
    live.window.show_panel("esxtop")
    page = child_of(live.window, EsxtopView)
    wait(qtbot, lambda: page.when.text() == f"as of {clock.moment(span.end)}")
    moment.pin(span.start + 100_000)
    wait(qtbot, lambda: page.when.text() == f"as of {clock.moment(span.start + 100_000)}")
    assert page.slider.value() / page.slider.maximum() == pytest.approx(
        100_000 / (span.end - span.start), abs=0.01
    )
    live.desk.scope.set(live.desk.scope.scope.during(TimeRange(span.start, span.start + 60_000)))
    qtbot.wait(300)
    assert page.when.text() == f"as of {clock.moment(span.start + 100_000)}"
    moment.release()
    wait(qtbot, lambda: page.when.text() == f"as of {clock.moment(span.start + 60_000)}")


def test_the_time_slider_moves_the_pinned_moment(live: Program, qtbot: QtBot, home: Path) -> None:
    span = opened(live, qtbot, record(home / "demo.hscope", seconds=300))
    moment = live.desk.moment
    live.window.show_panel("esxtop")
    slider = child_of(live.window, EsxtopView).slider
    wait(qtbot, slider.isEnabled)
    place = QPoint(slider.width() // 4, slider.height() // 2)
    qtbot.mouseClick(slider, Qt.MouseButton.LeftButton, pos=place)
    assert moment.at == pytest.approx(span.start + (span.end - span.start) / 4, abs=5_000)
    before = moment.at
    qtbot.keyClick(slider, Qt.Key.Key_Right)
    wait(qtbot, lambda: moment.at is not None and before is not None and before < moment.at <= before + 5_000)
    qtbot.keyClick(slider, Qt.Key.Key_End)
    assert moment.at is None  # back to the newest samples
    qtbot.keyClick(slider, Qt.Key.Key_Left)
    wait(qtbot, lambda: moment.at is not None)
    assert moment.at == pytest.approx(span.end - 5_000, abs=5_000)


def test_home_is_of_the_view_with_the_focus_before_it_is_of_the_window(
    live: Program, qtbot: QtBot, home: Path
) -> None:
    """In charts, timeline and the slider of esxtop it moves the pinned moment; the scope stays."""
    span = opened(live, qtbot, record(home / "demo.hscope", seconds=300))
    moment, middle = live.desk.moment, span.start + 150_000
    part = TimeRange(span.start + 60_000, span.start + 240_000)
    live.desk.scope.set(live.desk.scope.scope.during(part))
    live.window.show_panel("charts")
    wait(qtbot, lambda: has_charts(live))
    moment.pin(middle)
    plot = child_of(live.window, ChartCard).plot
    wait(qtbot, lambda: plot.pin.at == middle)
    qtbot.keyClick(plot, Qt.Key.Key_Home)
    assert moment.at is not None
    assert part.start <= moment.at <= part.start + 10_000
    assert live.desk.scope.scope.window == part
    live.window.show_panel("esxtop")
    slider = child_of(live.window, EsxtopView).slider
    wait(qtbot, slider.isEnabled)
    moment.pin(middle)
    qtbot.keyClick(slider, Qt.Key.Key_Home)
    wait(qtbot, lambda: moment.at is not None and moment.at < middle)
    assert live.desk.scope.scope.window == part


def test_the_pill_tells_the_moment_and_lets_go_of_it(live: Program, qtbot: QtBot, home: Path) -> None:
    span = opened(live, qtbot, record(home / "demo.hscope", seconds=300))
    pill, at = live.window.top.moment, span.start + 100_000
    assert pill.text == ""
    live.desk.moment.pin(at)
    assert pill.text == f"pinned {live.desk.times.clock.time(at)}"
    live.desk.times.choose("Asia/Tokyo")
    assert pill.text == f"pinned {live.desk.times.clock.time(at)}"
    live.window.resize(960, 600)
    qtbot.waitUntil(lambda: pill.text == live.desk.times.clock.time(at))  # the scope needs the room
    live.window.resize(1280, 800)
    [time, leave] = pill.findChildren(QToolButton)
    assert live.desk.times.clock.stamp(at) in time.toolTip()
    live.desk.scope.set(live.desk.scope.scope.during(TimeRange(span.start, span.start + 60_000)))
    qtbot.mouseClick(time, Qt.MouseButton.LeftButton)
    window = live.desk.scope.scope.window
    assert window is not None
    assert window.contains(at)
    assert window.seconds == 60
    qtbot.mouseClick(leave, Qt.MouseButton.LeftButton)
    assert (live.desk.moment.at, pill.text) == (None, "")


def test_a_click_in_a_view_pins_the_moment_everywhere(live: Program, qtbot: QtBot, home: Path) -> None:
    span = opened(live, qtbot, record(home / "demo.hscope", seconds=300))
    moment, window = live.desk.moment, live.window
    timeline = child_of(window, TimelineView)
    live.desk.scope.set(live.desk.scope.scope.during(TimeRange(span.start, span.start + 60_000)))
    place = QPoint(round(Scale(span, timeline.width()).x(span.start + 200_000)), 10)
    qtbot.mouseClick(timeline, Qt.MouseButton.LeftButton, pos=place)
    assert moment.at == pytest.approx(span.start + 200_000, abs=2_000)
    shown = live.desk.scope.scope.window
    assert shown is not None
    assert shown.contains(moment.at or 0)  # the window came along
    assert timeline.pin.at == moment.at
    window.show_panel("heatmap")
    heat = child_of(window, HeatMap)
    wait(qtbot, lambda: len(heat.heat.rows) > 3 and heat.heat.window == shown)
    widths = longest_name(heat.heat), longest_worst(heat.heat)
    cells = Geometry.of(heat.heat, heat.viewport().size(), 0, *widths).cells
    qtbot.mouseClick(heat.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(cells.right() - 100, 5))
    assert timeline.pin.at == moment.at
    assert live.desk.scope.scope.entities == (), "the map stays as it was"
    charts = child_of(window, ChartsPage)
    wait(qtbot, lambda: has_charts(live))
    assert {card.plot.pin.at for card in charts.stack.cards} == {moment.at}
    wait(qtbot, charts.isVisible)
    live.desk.scope.back()
    wait(qtbot, heat.isVisible)
    assert live.desk.scope.scope.window == shown, "the way back leads to the map, and to no other time"
    live.desk.scope.forward()
    wait(qtbot, charts.isVisible)


def test_a_finding_pins_its_worst_moment(live: Program, qtbot: QtBot, home: Path) -> None:
    path = record(home / "demo.hscope", seconds=900)
    opened(live, qtbot, path)
    wait(qtbot, lambda: live.desk.findings.findings)
    finding = live.desk.findings.findings[0]
    live.desk.show_finding(finding)
    wait(qtbot, lambda: live.desk.moment.at is not None)
    at = live.desk.moment.at
    live.desk.moment.release()
    scope, pane = live.desk.scope.scope, child_of(live.window, FindingsView)
    for _ in range(2):  # folds its card, and opens it
        qtbot.keyClick(pane.cards[0], Qt.Key.Key_Return)
    wait(qtbot, lambda: live.desk.moment.at == at)
    assert live.desk.scope.scope == scope
    assert at is not None
    assert any(one.contains(at) for one in finding.windows)
    item = next(one for one in finding.evidence if one.threshold is not None)
    snapshot = live.desk.session.snapshot
    assert snapshot is not None
    [series, *_] = evidence_series(item, finding.entity, snapshot)
    with SessionReader.open(path) as reader:
        [frame] = reader.read(np.array([series.id]))
    values = frame.values[:, 0]
    inside = [
        value
        for t, value in zip(frame.times, values, strict=True)
        if any(w.contains(t) for w in finding.windows)
    ]
    assert values[frame.times == at] == (
        np.nanmax(inside) if item.value >= (item.threshold or 0) else np.nanmin(inside)
    )


def test_a_recording_goes_on_while_the_esxtop_page_stays(live: Program, qtbot: QtBot) -> None:
    start_lab(live, qtbot)
    clock, moment = live.desk.times.clock, live.desk.moment
    live.window.show_panel("esxtop")
    page = child_of(live.window, EsxtopView)
    wait(qtbot, page.when.text)
    snapshot = live.desk.session.snapshot
    assert snapshot is not None
    assert snapshot.span is not None
    at = snapshot.span.end
    moment.pin(at)
    pinned = f"as of {clock.moment(at)}"
    wait(qtbot, lambda: page.when.text() == pinned)
    said: set[str] = set()
    live.desk.session.changed.connect(lambda _change: said.add(page.when.text()))
    span_end = lambda: live.desk.session.snapshot.span.end  # type: ignore[union-attr]  # noqa: E731 - read anew
    wait(qtbot, lambda: span_end() > at + 120_000)
    assert said == {pinned}
    assert live.desk.scope.scope.follow
    live.window.actions_by_id["go.release"].trigger()  # back to now
    wait(qtbot, lambda: page.when.text() != pinned)
    stop(live, qtbot)


def test_the_overview_pins_too_and_it_comes_back_in_every_view(
    live: Program, qtbot: QtBot, home: Path
) -> None:
    first, second = record(home / "a.hscope", seconds=300), record(home / "b.hscope", seconds=120)
    opened(live, qtbot, first)
    live.window.show_panel("overview")
    overview = child_of(live.window, OverviewView)

    def cards() -> list[ChartCard]:
        return [card for card in overview.findChildren(ChartCard) if card.isVisible() and card.curves]

    wait(qtbot, lambda: len(cards()) > 2)
    plot = cards()[0].plot
    qtbot.waitUntil(lambda: plot.drawing.area.width() > 100)
    place = plot.drawing.area.center().toPoint()
    qtbot.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=place)
    at = live.desk.moment.at
    assert at is not None
    assert {card.plot.pin.at for card in cards()} == {at}
    opened(live, qtbot, second)
    assert child_of(live.window, TimelineView).pin.at is None
    opened(live, qtbot, first)
    wait(qtbot, lambda: len(cards()) > 2)
    assert {card.plot.pin.at for card in cards()} == {at}
    assert child_of(live.window, TimelineView).pin.at == at
    assert live.window.top.moment.text == f"pinned {live.desk.times.clock.time(at)}"
