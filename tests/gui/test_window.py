"""The window as a whole, offscreen: a session opens, all views show it, one scope moves them all."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDockWidget, QToolButton, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.gui.actions import ACTIONS
from app.gui.application import Program, build
from app.gui.navigation import palette_entries
from app.gui.settings import Settings
from app.gui.times import SETTING
from sessions.model import EntityRef
from tests.gui.one_window import opened, press, program, session
from tests.gui.windows import WAIT, child_of
from widgets.charts.card import ChartCard
from widgets.charts.page import ChartsPage
from widgets.esxtop import EsxtopView
from widgets.findings import FindingsView
from widgets.heatmap import HeatmapView
from widgets.help import HelpWindow
from widgets.inventory import InventoryView
from widgets.overview import OverviewView
from widgets.timeline import TimelineView

__all__ = ["opened", "program", "session"]


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_a_first_start_fits_the_screen(program: Program) -> None:
    window = program.window
    window.resize(4000, 4000)
    window.fit_screen()
    room = window.screen().availableGeometry().size()
    assert window.height() < room.height()
    assert window.width() == max(room.width() - 16, window.minimumWidth())
    before = window.size()
    window.fit_screen()
    assert window.size() == before


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_a_screen_that_is_lower_than_the_least_height_still_shows_the_status_bar(program: Program) -> None:
    """1440 × 900 pixels at 150 % are 600 high with the frame of the window and the bar of the desktop."""
    window = program.window
    room = window.screen().availableGeometry().size()
    window.setMinimumHeight(room.height() + 20)
    window.fit_screen()
    assert window.height() < room.height()


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_a_screen_that_is_narrower_than_the_least_width_still_shows_the_right_edge(program: Program) -> None:
    """1366 × 768 pixels at 150 % are 910 wide: Stop, Mark and the findings' buttons are at the right."""
    window = program.window
    room = window.screen().availableGeometry().size()
    window.setMinimumWidth(room.width() + 100)
    window.fit_screen()
    assert window.width() < room.width()


def test_every_action_has_a_handler_and_no_two_share_a_key() -> None:
    keys = [key for spec in ACTIONS if spec.context == "window" for key in spec.keys]
    assert len(keys) == len(set(keys))


def test_without_a_session_it_says_what_to_do(program: Program) -> None:
    assert "No session" in program.window.top.scope.text
    assert not program.window.actions_by_id["record.mark"].isEnabled()


def test_all_views_show_the_session(opened: Program, qtbot: QtBot) -> None:
    window = opened.window
    charts, esxtop, heatmap = (
        child_of(window, ChartsPage),
        child_of(window, EsxtopView),
        child_of(window, HeatmapView),
    )
    window.show_panel("charts")
    qtbot.waitUntil(lambda: len(charts.stack.cards) > 0, timeout=WAIT)
    assert charts.stack.cards[0].curves[0].curve.y.size > 100
    window.show_panel("esxtop")
    qtbot.waitUntil(lambda: esxtop.table.model().rowCount() > 40, timeout=WAIT)
    qtbot.waitUntil(lambda: esxtop.when.text().startswith("as of"), timeout=WAIT)
    window.show_panel("heatmap")
    qtbot.waitUntil(lambda: len(heatmap.map.heat.rows) > 40, timeout=WAIT)
    window.show_panel("overview")
    overview = child_of(window, OverviewView)
    qtbot.waitUntil(lambda: len(overview.findChildren(ChartCard)) == 5, timeout=WAIT)
    inventory = child_of(window, InventoryView)
    assert inventory.tree.model().rowCount() >= 4
    timeline = child_of(window, TimelineView)
    assert len(timeline.content.sources) == 4
    assert timeline.content.bars


def test_show_me_moves_scope_and_charts_to_the_evidence(opened: Program, qtbot: QtBot) -> None:
    panel = child_of(opened.window, FindingsView)
    card = panel.cards[0]
    card.setFocus()
    qtbot.keyClick(card, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    finding = card.finding
    scope = opened.desk.scope.scope
    assert scope.entities == (finding.entity,)
    assert scope.window is not None
    start = scope.window.start
    assert scope.window.start <= finding.windows[0].start
    charts = child_of(opened.window, ChartsPage)
    qtbot.waitUntil(lambda: bool(charts.stack.cards) and charts.isVisible(), timeout=WAIT)
    qtbot.waitUntil(lambda: charts.stack.cards[0].plot.window_shown[0] == start, timeout=WAIT)
    assert charts.stack.cards[0].spec.bands
    opened.desk.scope.back()
    assert opened.desk.scope.scope.entities == ()


def test_the_inventory_sets_the_scope(opened: Program, qtbot: QtBot) -> None:
    inventory = child_of(opened.window, InventoryView)
    inventory.search.setFocus()
    inventory.search.setText("esx02")
    qtbot.keyClick(inventory.search, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(opened.desk.scope.scope.entities), timeout=WAIT)
    assert [ref.key for ref in opened.desk.scope.scope.entities] == ["esx02.lab.local"]
    assert opened.window.top.scope.text.startswith("esx02.lab.local")


def test_keys_work_on_a_page_as_soon_as_it_is_shown(opened: Program, qtbot: QtBot) -> None:
    window, desk = opened.window, opened.desk
    window.activateWindow()
    window.show_panel("charts")
    charts = child_of(window, ChartsPage)
    qtbot.waitUntil(lambda: bool(charts.stack.cards) and bool(charts.stack.cards[0].curves), timeout=WAIT)
    press(qtbot, Qt.Key.Key_Plus)
    assert desk.scope.scope.window is not None
    window.show_panel("heatmap")
    heatmap = child_of(window, HeatmapView)
    qtbot.waitUntil(lambda: len(heatmap.map.heat.rows) > 40, timeout=WAIT)
    press(qtbot, Qt.Key.Key_Down)
    press(qtbot, Qt.Key.Key_Return)
    assert [chart.series for chart in desk.charts.charts] == [(heatmap.map.heat.rows[1].series,)]
    assert window.pages.currentWidget() is charts
    qtbot.waitUntil(lambda: charts.isAncestorOf(QApplication.focusWidget() or window), timeout=WAIT)


def test_the_keys_stay_with_the_findings_when_one_is_shown(opened: Program, qtbot: QtBot) -> None:
    opened.window.activateWindow()
    first, second = child_of(opened.window, FindingsView).cards[:2]
    first.setFocus()
    qtbot.keyClick(first, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert opened.window.pages.currentWidget() is child_of(opened.window, ChartsPage)
    assert first.hasFocus()
    press(qtbot, Qt.Key.Key_Down)
    assert second.hasFocus()


def test_every_pane_is_reached_by_a_key_and_by_its_name(opened: Program, qtbot: QtBot) -> None:
    window = opened.window
    window.activateWindow()
    panes: tuple[tuple[Qt.Key, type[QWidget]], ...] = (
        (Qt.Key.Key_5, InventoryView),
        (Qt.Key.Key_6, FindingsView),
        (Qt.Key.Key_7, TimelineView),
    )
    for key, kind in panes:
        window._docks["timeline"].close()
        qtbot.keyClick(window, key, Qt.KeyboardModifier.ControlModifier)
        pane = child_of(window, kind)
        focus = QApplication.focusWidget()
        assert pane.isVisible()
        assert focus is not None
        assert focus is pane or pane.isAncestorOf(focus), kind
    names = [entry.text for entry in palette_entries(opened.desk, window.commands)]
    assert {"Charts", "Heat map", "Findings", "Timeline", "Jobs"} <= set(names)


def test_the_inventory_is_searched_even_while_it_is_closed(opened: Program, qtbot: QtBot) -> None:
    window = opened.window
    window.activateWindow()
    view = child_of(window, InventoryView)
    child_of(window, QDockWidget, "dock-inventory").close()
    window.show_panel("charts")
    assert not view.isVisible()
    press(qtbot, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert view.isVisible()
    assert QApplication.focusWidget() is view.search
    view.search.setText("old words")
    press(qtbot, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert view.search.selectedText() == "old words"


def test_a_charts_keys_work_while_the_inventory_is_closed(opened: Program, qtbot: QtBot) -> None:
    window = opened.window
    window.activateWindow()
    child_of(window, QDockWidget, "dock-inventory").close()
    window.show_panel("charts")
    charts = child_of(window, ChartsPage)
    qtbot.waitUntil(lambda: bool(charts.stack.cards) and bool(charts.stack.cards[0].curves), timeout=WAIT)
    before = opened.desk.settings.flag("look.statistics")
    for focus in (charts.stack, charts.stack.cards[0].plot):
        focus.setFocus()
        before = opened.desk.settings.flag("look.statistics")
        press(qtbot, Qt.Key.Key_S)
        assert opened.desk.settings.flag("look.statistics") != before
        scope = opened.desk.scope.scope
        press(qtbot, Qt.Key.Key_Plus)
        qtbot.waitUntil(lambda scope=scope: opened.desk.scope.scope != scope, timeout=WAIT)  # type: ignore[misc]


def test_a_pane_that_was_closed_stays_closed(
    program: Program, session: Path, qapp: QApplication, qtbot: QtBot, tmp_path: Path
) -> None:
    def shown(one: Program) -> dict[str, bool]:
        one.workbench.open_paths([session])
        qtbot.waitUntil(lambda: one.desk.findings.diagnosis is not None, timeout=WAIT)
        return {name: not dock.isHidden() for name, dock in one.window._docks.items()}

    standard = {"inventory": True, "findings": True, "timeline": True}
    standard |= {"steps": False, "comparing": False, "reporting": False, "jobs": False, "moved": False}
    standard |= {"sources": False}
    assert shown(program) == standard
    close = program.window._docks["timeline"].titleBarWidget().findChild(QToolButton)
    assert close is not None
    qtbot.mouseClick(close, Qt.MouseButton.LeftButton)
    program.window.show_panel("jobs")
    other = {**standard, "timeline": False, "jobs": True}
    program.window.actions_by_id["file.close"].trigger()
    assert shown(program) == other
    program.window.close()
    again = build(qapp, tmp_path / "settings")
    again.window.show()
    assert shown(again) == {**other, "jobs": False}, "the jobs pane comes with jobs"
    again.window.actions_by_id["file.close"].trigger()
    again.window.reset_layout()
    assert not any(dock.isVisible() for dock in again.window._docks.values())
    assert shown(again) == standard
    again.window.close()
    again.window.deleteLater()


def test_closing_the_session_goes_back_to_the_start(opened: Program) -> None:
    opened.window.actions_by_id["file.close"].trigger()
    assert "No session" in opened.window.top.scope.text
    assert opened.desk.session.snapshot is None


def test_there_is_no_way_back_without_a_session(opened: Program) -> None:
    """The arrow could be clicked on the start page, and nothing happened."""
    actions, scope = opened.window.actions_by_id, opened.desk.scope
    scope.set(scope.scope.on([EntityRef("host", "esx01.lab.local")]))
    scope.set(scope.scope.on([EntityRef("host", "esx02.lab.local")]))
    scope.back()
    assert actions["go.back"].isEnabled()
    assert actions["go.forward"].isEnabled()
    actions["file.close"].trigger()
    assert not actions["go.back"].isEnabled()
    assert not actions["go.forward"].isEnabled()


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_the_guide_opens_in_the_program(program: Program, qtbot: QtBot) -> None:
    """A machine without a program for its kind of file did nothing at all."""
    program.window.actions_by_id["help.guide"].trigger()
    qtbot.waitUntil(lambda: program.window.findChild(HelpWindow) is not None, timeout=WAIT)
    view = child_of(program.window, HelpWindow)
    assert view.isVisible()
    assert view.text.toPlainText().startswith("Five minutes with Hyperscope")


def test_a_file_that_is_no_session_is_said_in_a_bar(program: Program, tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "x.hscope"
    path.write_bytes(b"not a session at all" * 100)
    program.desk.session.open(path)
    qtbot.waitUntil(program.window.messages.isVisible, timeout=WAIT)
    assert "x.hscope" in program.window.messages.text


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_the_layout_is_reset_after_a_pane_was_dragged_not_meanwhile(opened: Program, qtbot: QtBot) -> None:
    """Docks that are put back while one of them is dragged crash Qt."""
    window = opened.window
    dock = child_of(window, QDockWidget, "dock-findings")
    handle, left = window.windowHandle(), Qt.MouseButton.LeftButton
    start = dock.mapTo(window, QPoint(30, 12))
    QTest.mousePress(handle, left, pos=start)
    for step in range(1, 8):
        QTest.mouseMove(handle, start - QPoint(40 * step, -10 * step), 5)
    window.reset_layout()
    assert dock.isFloating()
    QTest.mouseRelease(handle, left, pos=start - QPoint(280, -70))
    qtbot.waitUntil(lambda: not dock.isFloating())
    assert window.dockWidgetArea(dock) == Qt.DockWidgetArea.RightDockWidgetArea


def test_a_window_that_is_gone_takes_no_more_settings(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path
) -> None:
    window, other = build(qapp, tmp_path / "settings").window, Settings(tmp_path / "settings")
    window.show_panel("findings")
    window.close()
    window.deleteLater()
    qtbot.waitUntil(lambda: not isValid(window))
    changed: list[str] = []
    third = Settings(tmp_path / "settings")
    third.changed.connect(changed.append)
    other.set("look.menu_bar", not other.flag("look.menu_bar"))
    other.set("look.theme", "light")
    other.set(SETTING, "utc")
    qtbot.waitUntil(lambda: len(changed) == 3)
    QApplication.processEvents()
