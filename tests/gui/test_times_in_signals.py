"""Times are epoch milliseconds, which Qt's 32-bit ``int`` cannot carry: no signal may."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from app.gui.application import Program, build
from sessions.times import TimeRange
from tests.gui.recordings import record
from tests.gui.windows import child_of, wait
from widgets.charts.page import ChartsPage
from widgets.findings import FindingsView
from widgets.heatmap import HeatmapView
from widgets.marks import MarkNote
from widgets.timeline import TimelineView

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
ROOT = Path(__file__).parents[2]
LEFT = Qt.MouseButton.LeftButton
SMALL_NUMBERS = {
    ("widgets/charts/stack.py", "closed"): "the place of a chart in its column",
    ("widgets/charts/stack.py", "dropped"): "the place of a chart in its column",
    ("widgets/overview/section.py", "picked"): "a row of a short list",
    ("widgets/thresholds/sets.py", "chosen"): "a row of a short list",
    ("app/gui/report_model.py", "laid"): "how many pages a report has",
    ("widgets/esxtop/menu.py", "moved_wanted"): "row and column of a table, which Qt itself counts in int",
    ("widgets/esxtop/menu.py", "charted"): "row and column of a table, which Qt itself counts in int",
    ("widgets/esxtop/menu.py", "scoped"): "a row of a table, which Qt itself counts in int",
    ("widgets/esxtop/menu.py", "hidden"): "a column of a table, which Qt itself counts in int",
    ("widgets/esxtop/menu.py", "explained"): "a column of a table, which Qt itself counts in int",
    ("widgets/esxtop/header.py", "moved"): "a column of a table, which Qt itself counts in int",
    ("widgets/scope_bar/bar.py", "picked"): "a step of the path",
    ("widgets/scope_bar/path.py", "picked"): "a step of the path",
    ("widgets/scope_bar/field.py", "moved"): "how many suggestions a key goes on: 1 or 10",
    ("widgets/scope_bar/suggestions.py", "taken"): "a row of a short list",
    ("widgets/connect/kind_page.py", "paced"): "seconds between two samples",
    ("widgets/start/page.py", "practised"): "the number of a case in its menu",
    ("app/gui/chart_board.py", "added"): "the place of a chart in its column",
    ("app/gui/chart_board.py", "removed"): "the place of a chart in its column",
    ("app/gui/chart_board.py", "moved"): "two places of a chart in its column",
    ("widgets/charts/card.py", "move_wanted"): "-1 or 1: above the chart before or below the next",
    ("widgets/esxtop/view.py", "screen_chosen"): "a row of the table of screens",
    ("widgets/esxtop/slider.py", "stepped"): "how many samples a key or the wheel goes on: 1 or 10",
    ("widgets/esxtop/view.py", "stepped"): "how many samples a key or the wheel goes on: 1 or 10",
    ("widgets/timeline/pin.py", "stepped"): "how many samples a key goes on: 1 or 10",
    ("widgets/heatmap/map.py", "stepped"): "how many samples a key goes on: 1 or 10",
    ("widgets/heatmap/view.py", "counter_chosen"): "a row of a combo box",
    ("widgets/heatmap/view.py", "measure_chosen"): "a row of a combo box",
}
"""Signals that may carry a 32-bit number, and the number that it is. Never a time, a count or an id."""


def _signals_of_ints() -> Iterator[tuple[str, str]]:
    for folder in ("app/gui", "widgets"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, (ast.Assign, ast.AnnAssign)) and _takes_int(node.value):
                    target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                    yield path.relative_to(ROOT).as_posix(), ast.unparse(target)
                elif isinstance(node, ast.FunctionDef):
                    for decorator in node.decorator_list:
                        if _takes_int(decorator):
                            yield path.relative_to(ROOT).as_posix(), node.name


def _takes_int(node: ast.expr | None) -> bool:
    """Whether this is ``Signal(…)``, ``Slot(…)`` or ``Property(…)`` with an ``int`` among its types."""
    if not isinstance(node, ast.Call):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    types = [*node.args, *(keyword.value for keyword in node.keywords)]
    return name in {"Signal", "Slot", "Property"} and any(
        ast.unparse(inner) in {"int", "'int'"} for one in types for inner in ast.walk(one)
        if isinstance(inner, ast.expr)
    )  # fmt: skip


def test_no_signal_carries_a_32_bit_number_but_these() -> None:
    assert set(_signals_of_ints()) == set(SMALL_NUMBERS)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record(tmp_path_factory.mktemp("clicks") / "demo.hscope", seconds=900)


@pytest.fixture
def opened(qapp: QApplication, qtbot: QtBot, tmp_path: Path, session: Path) -> Iterator[Program]:
    program = build(qapp, tmp_path / "settings")
    program.window.resize(1440, 900)
    program.window.show()
    program.workbench.open_paths([session])
    wait(qtbot, lambda: program.desk.findings.diagnosis is not None)
    span = program.desk.session.snapshot.span if program.desk.session.snapshot else None
    assert span is not None
    assert span.start > 2**31
    yield program
    program.window.close()
    program.window.deleteLater()


def _click(widget: QWidget, at: QPointF | QPoint) -> None:
    place = at.toPoint() if isinstance(at, QPointF) else at
    QTest.mouseMove(widget, place)
    QTest.mouseClick(widget, LEFT, Qt.KeyboardModifier.NoModifier, place)
    QApplication.processEvents()


def test_a_click_in_a_chart_leaves_the_window_as_it_is(opened: Program, qtbot: QtBot) -> None:
    opened.window.show_panel("charts")
    stack = child_of(opened.window, ChartsPage).stack
    wait(qtbot, lambda: stack.cards and stack.cards[0].curves)
    moments: list[float] = []
    plot = stack.cards[0].plot
    plot.hovered.connect(moments.append)
    before = plot.window_shown
    _click(plot.viewport(), plot.viewport().rect().center())
    start, end = plot.window_shown
    assert (start, end) == before
    assert moments
    assert all(start <= moment <= end for moment in moments)


def test_a_click_in_the_heat_map_shows_that_time(opened: Program, qtbot: QtBot) -> None:
    opened.window.show_panel("heatmap")
    heat_map = child_of(opened.window, HeatmapView).map
    wait(qtbot, lambda: len(heat_map.heat.rows) > 3)
    clicked: list[int | None] = []
    heat_map.chosen.connect(lambda _row, when: clicked.append(when))
    _click(heat_map.viewport(), QPoint(heat_map.viewport().width() // 2, 30))
    assert clicked
    assert clicked[0] is not None
    assert clicked[0] > 2**31
    assert opened.desk.moment.at == pytest.approx(clicked[0], abs=60_000)


def test_clicks_and_drags_on_the_timeline_move_the_window(opened: Program, qtbot: QtBot) -> None:
    timeline = child_of(opened.window, TimelineView)
    wait(qtbot, lambda: timeline.content.bars)
    asked: list[TimeRange] = []
    timeline.windowed.connect(lambda window, _passing: asked.append(window))
    middle = QPoint(timeline.width() // 2, 20)
    _click(timeline, middle)
    QTest.mousePress(timeline, LEFT, Qt.KeyboardModifier.NoModifier, middle)
    QTest.mouseMove(timeline, middle + QPoint(200, 0))
    QTest.mouseRelease(timeline, LEFT, Qt.KeyboardModifier.NoModifier, middle + QPoint(200, 0))
    assert asked
    assert asked[-1].start > 2**31


def test_a_mark_is_dropped_where_the_timeline_was_clicked(opened: Program, qtbot: QtBot) -> None:
    timeline = child_of(opened.window, TimelineView)
    asked: list[int] = []
    timeline.mark.connect(asked.append)
    place = QPoint(timeline.width() // 2, 70)
    reason = QContextMenuEvent.Reason.Mouse
    QApplication.sendEvent(timeline, QContextMenuEvent(reason, place, timeline.mapToGlobal(place)))
    menu = child_of(timeline, QMenu)
    next(action for action in menu.actions() if action.text().startswith("Drop a mark")).trigger()
    menu.close()
    note = child_of(opened.window, MarkNote)
    QTest.keyClicks(note.line, "users call")
    QTest.keyClick(note.line, Qt.Key.Key_Return)
    wait(qtbot, lambda: timeline.content.marks)
    (mark,) = timeline.content.marks
    assert [mark.at] == asked
    assert mark.at > 2**31


def test_a_click_on_a_finding_of_the_timeline_shows_it(opened: Program, qtbot: QtBot) -> None:
    timeline = child_of(opened.window, TimelineView)
    wait(qtbot, lambda: timeline.content.bars)
    wanted: list[object] = []
    timeline.wanted.connect(wanted.append)
    for x in range(timeline.width() - 20, 130, -2):
        if not wanted:
            _click(timeline, QPoint(x, 52))
    assert wanted
    assert opened.desk.scope.scope.window is not None


def test_a_click_on_a_finding_folds_it_and_enter_shows_its_evidence(opened: Program, qtbot: QtBot) -> None:
    panel = child_of(opened.window, FindingsView)
    wait(qtbot, lambda: panel.cards and panel.cards[0].height() > 30)
    card = panel.cards[0]
    was_open = card.is_open
    _click(card, QPoint(card.width() // 2, 12))
    assert card.is_open != was_open
    QTest.keyClick(card, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    wait(qtbot, lambda: opened.desk.scope.scope.window is not None)
    window = opened.desk.scope.scope.window
    assert window is not None
    assert window.start > 2**31
