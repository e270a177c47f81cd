"""A session that is opened again is looked at as it was left; what does not fit any more is forgotten."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from app.gui.recorder_process import RecordRequest
from app.gui.view_state import ViewState, ViewStates
from app.gui.views import scope_in_session
from resources.units import format_value
from sessions.model import EntityRef
from sessions.scope import Scope
from sessions.times import TimeRange
from tests.gui.recordings import record
from tests.gui.windows import wait
from viewmodels.chart_spec import Band, ChartSpec, Limit
from widgets.charts.figures import CurveFigures
from widgets.charts.stack import ChartStack

VIEW = ViewState(
    Scope((EntityRef("vm", "a/b"),), TimeRange(5, 9), frozenset({2}), follow=True),
    (
        ChartSpec(
            "Ready", "%", (3, 4), "per vCPU", (Limit(10.0, "10 %"),), (Band(TimeRange(1, 2), "critical"),)
        ),
    ),
    "charts",
    RecordRequest(("lab:demo",), "x.hscope", 60.0),
    (EntityRef("vm", "a/b"),),
)


def open_(program: Program, qtbot: QtBot, path: Path) -> None:
    program.workbench.open_paths([path])
    wait(qtbot, lambda: program.desk.session.path == path)


def test_views_are_kept_by_session(tmp_path: Path) -> None:
    states = ViewStates(tmp_path)
    states.keep(tmp_path / "a.hscope", VIEW)
    states.keep(tmp_path / "b.hscope", ViewState())
    assert states.of(tmp_path / "a.hscope") == VIEW
    assert states.of(tmp_path / "b.hscope") == ViewState()
    assert states.of(tmp_path / "c.hscope") is None


def test_a_damaged_file_is_no_memory(tmp_path: Path) -> None:
    states = ViewStates(tmp_path)
    for text in (
        "[]",
        "{",
        '{"x": 7}',
        f'{{"{(tmp_path / "a").resolve()}": {{"at": 1, "view": {{"scope": 3}}}}}}',
    ):
        (tmp_path / "views.json").write_text(text, encoding="utf-8")
        assert states.of(tmp_path / "a") is None
    states.keep(tmp_path / "a", VIEW)
    assert states.of(tmp_path / "a") == VIEW


def test_scope_charts_and_page_come_back(live: Program, qtbot: QtBot, home: Path) -> None:
    first, second = record(home / "a.hscope", seconds=300), record(home / "b.hscope", seconds=120)
    open_(live, qtbot, first)
    snapshot = live.desk.session.snapshot
    assert snapshot is not None
    assert snapshot.span is not None
    vm = next(ref for ref in snapshot.entities if ref.kind == "vm")
    scope = Scope((vm,), TimeRange(snapshot.span.start + 10_000, snapshot.span.start + 60_000))
    live.desk.scope.set(scope)
    live.desk.charts.add(snapshot.series_of[vm][:1])
    charts = live.desk.charts.charts
    live.window.show_panel("esxtop")
    open_(live, qtbot, second)
    assert live.desk.scope.scope == Scope()
    assert not live.desk.charts.choice.chosen
    live.window.show_panel("overview")
    open_(live, qtbot, first)
    assert live.desk.scope.scope == scope
    assert live.desk.charts.charts == charts
    assert live.window.pages.currentWidget().objectName() == "panel-esxtop"
    assert not live.desk.scope.can_go_back
    fits = live.desk.session.snapshot
    assert fits is not None
    gone = replace(
        scope, entities=(vm, EntityRef("vm", "gone")), window=TimeRange(1, 2), sources=frozenset({99})
    )
    assert scope_in_session(gone, fits) == Scope((vm,))


def test_charts_of_a_finding_stay_until_something_else_is_selected(
    live: Program, qtbot: QtBot, home: Path
) -> None:
    """Those that the user put together stay until he lets them follow again; their page says so."""
    open_(live, qtbot, record(home / "a.hscope", seconds=900))
    desk = live.desk
    wait(qtbot, lambda: bool(desk.findings.findings))
    snapshot = desk.session.snapshot
    assert snapshot is not None
    desk.show_finding(desk.findings.findings[0])
    of_finding = desk.charts.charts
    desk.scope.set(desk.scope.scope.during(None))
    assert desk.charts.charts == of_finding
    first, second = [ref for ref in snapshot.entities if ref.kind == "vm"][:2]
    desk.scope.set(desk.scope.scope.on([first]))
    assert desk.charts.charts != of_finding
    assert not desk.charts.choice.chosen
    desk.charts.add(snapshot.series_of[first][:1])
    own = desk.charts.charts
    desk.scope.set(desk.scope.scope.on([second]))
    assert desk.charts.charts == own
    button = next(one for one in live.window.findChildren(QPushButton) if one.text() == "Follow the scope")
    assert button.isVisible()
    button.click()
    assert desk.charts.charts != own
    assert not button.isVisible()


def test_statistics_of_the_curves_are_one_key_away(live: Program, qtbot: QtBot, home: Path) -> None:
    open_(live, qtbot, record(home / "a.hscope", seconds=300))
    live.window.show_panel("charts")
    stack = live.window.findChild(ChartStack)
    assert stack is not None
    wait(qtbot, lambda: bool(stack.cards) and bool(stack.cards[0].curves))
    figures = stack.cards[0].findChild(CurveFigures)
    assert figures is not None
    assert not figures.isVisible()
    stack.cards[0].plot.setFocus()
    qtbot.keyClick(stack.cards[0].plot, Qt.Key.Key_S)
    wait(qtbot, figures.isVisible)
    named = stack.cards[0].curves[0]
    found = named.curve.summary(*stack.cards[0].plot.window_shown)
    for number in (found.last, found.low, found.mean, found.high, found.p95):
        assert format_value(number, named.unit) in figures.accessibleName()
    qtbot.keyClick(stack.cards[0].plot, Qt.Key.Key_S)
    wait(qtbot, lambda: not figures.isVisible())
