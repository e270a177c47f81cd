"""The window as a whole, offscreen: a session opens, all views show it, one scope moves them all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest
from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QDockWidget, QLineEdit, QToolButton, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.gui.actions import ACTIONS
from app.gui.application import Program, build
from app.gui.navigation import palette_entries
from app.gui.palette import Palette, matches
from app.gui.preferences import Preferences
from app.gui.settings import Settings
from app.gui.times import SETTING
from sessions.model import EntityRef
from sessions.store import SessionReader
from tests.gui.recordings import record
from viewmodels.name_order import natural
from viewmodels.snapshot import Snapshot
from widgets.charts.card import ChartCard
from widgets.charts.page import ChartsPage
from widgets.esxtop import EsxtopModel, EsxtopView
from widgets.findings import FindingsView
from widgets.heatmap import HeatmapView
from widgets.help import HelpWindow
from widgets.inventory import InventoryView
from widgets.marks import MarkNote
from widgets.overview import OverviewView
from widgets.timeline import TimelineView

WAIT = 60_000
Part = TypeVar("Part", bound=QObject)


def part(window: QWidget, kind: type[Part], name: str = "") -> Part:
    found = window.findChild(kind, name) if name else window.findChild(kind)
    assert found is not None
    return found


def snapshot_of(program: Program) -> Snapshot:
    found = program.desk.session.snapshot
    assert found is not None
    return found


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record(tmp_path_factory.mktemp("window") / "demo.hscope", seconds=900)


@pytest.fixture
def program(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[Program]:
    found = build(qapp, tmp_path / "settings")
    found.window.resize(1440, 900)
    found.window.show()
    yield found
    found.window.close()
    found.window.deleteLater()


@pytest.fixture
def opened(program: Program, session: Path, qtbot: QtBot) -> Program:
    program.workbench.open_paths([session])
    qtbot.waitUntil(lambda: program.desk.findings.diagnosis is not None, timeout=WAIT)
    return program


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


def test_every_action_has_a_handler_and_no_two_share_a_key() -> None:
    keys = [key for spec in ACTIONS if spec.context == "window" for key in spec.keys]
    assert len(keys) == len(set(keys))


def test_without_a_session_it_says_what_to_do(program: Program) -> None:
    assert "No session" in program.window.top.scope.text
    assert not program.window.actions_by_id["record.mark"].isEnabled()


def test_all_views_show_the_session(opened: Program, qtbot: QtBot) -> None:
    window = opened.window
    charts, esxtop, heatmap = part(window, ChartsPage), part(window, EsxtopView), part(window, HeatmapView)
    window.show_panel("charts")
    qtbot.waitUntil(lambda: len(charts.stack.cards) > 0, timeout=WAIT)
    assert charts.stack.cards[0].curves[0].curve.y.size > 100
    window.show_panel("esxtop")
    qtbot.waitUntil(lambda: esxtop.table.model().rowCount() > 40, timeout=WAIT)
    qtbot.waitUntil(lambda: esxtop.when.text().startswith("as of"), timeout=WAIT)
    window.show_panel("heatmap")
    qtbot.waitUntil(lambda: len(heatmap.map.heat.rows) > 40, timeout=WAIT)
    window.show_panel("overview")
    overview = part(window, OverviewView)
    qtbot.waitUntil(lambda: len(overview.findChildren(ChartCard)) == 5, timeout=WAIT)
    inventory = part(window, InventoryView)
    assert inventory.tree.model().rowCount() >= 4
    timeline = part(window, TimelineView)
    assert len(timeline.content.sources) == 4
    assert timeline.content.bars


def test_show_me_moves_scope_and_charts_to_the_evidence(opened: Program, qtbot: QtBot) -> None:
    panel = part(opened.window, FindingsView)
    card = panel.cards[0]
    card.setFocus()
    qtbot.keyClick(card, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    finding = card.finding
    scope = opened.desk.scope.scope
    assert scope.entities == (finding.entity,)
    assert scope.window is not None
    start = scope.window.start
    assert scope.window.start <= finding.windows[0].start
    charts = part(opened.window, ChartsPage)
    qtbot.waitUntil(lambda: bool(charts.stack.cards) and charts.isVisible(), timeout=WAIT)
    qtbot.waitUntil(lambda: charts.stack.cards[0].plot.window_shown[0] == start, timeout=WAIT)
    assert charts.stack.cards[0].spec.bands
    opened.desk.scope.back()
    assert opened.desk.scope.scope.entities == ()


def test_the_inventory_sets_the_scope(opened: Program, qtbot: QtBot) -> None:
    inventory = part(opened.window, InventoryView)
    inventory.search.setFocus()
    inventory.search.setText("esx02")
    qtbot.keyClick(inventory.search, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(opened.desk.scope.scope.entities), timeout=WAIT)
    assert [ref.key for ref in opened.desk.scope.scope.entities] == ["esx02.lab.local"]
    assert opened.window.top.scope.text.startswith("esx02.lab.local")


def test_esxtops_keys(opened: Program, qtbot: QtBot) -> None:
    opened.window.show_panel("esxtop")
    panel = part(opened.window, EsxtopView)
    qtbot.waitUntil(lambda: panel.table.model().rowCount() > 40, timeout=WAIT)
    model = part(opened.window, EsxtopModel)
    qtbot.keyClick(panel.table, Qt.Key.Key_R, Qt.KeyboardModifier.ShiftModifier)
    assert model.sorting[0] == model.column_of("cpu.ready")
    worlds = model.rowCount()
    qtbot.keyClick(panel.table, Qt.Key.Key_V, Qt.KeyboardModifier.ShiftModifier)
    assert model.rowCount() < worlds
    qtbot.keyClick(panel.table, Qt.Key.Key_M)
    assert model.column_of("mem.size") > 0
    qtbot.keyClick(panel.table, Qt.Key.Key_N)
    assert model.column_of("net.packets_tx") > 0
    qtbot.keyClick(panel.table, Qt.Key.Key_C)
    panel.table.setCurrentIndex(model.index(0, 0))
    before = model.rowCount()
    qtbot.keyClick(panel.table, Qt.Key.Key_E)
    assert model.rowCount() > before
    assert model.row_at(1)[1].depth == 1


def test_esxtops_keys_are_the_pages_wherever_the_focus_is_on_it(opened: Program, qtbot: QtBot) -> None:
    opened.window.activateWindow()
    opened.window.show_panel("esxtop")  # as Ctrl+3 does
    panel = part(opened.window, EsxtopView)
    model = part(opened.window, EsxtopModel)
    qtbot.waitUntil(lambda: model.rowCount() > 40, timeout=WAIT)
    press(qtbot, Qt.Key.Key_M)
    assert model.column_of("mem.size") > 0
    for widget in (panel.tabs, panel.slider, panel.sparks):
        widget.setFocus()
        press(qtbot, Qt.Key.Key_C)
        assert model.column_of("cpu.ready") > 0, widget
        press(qtbot, Qt.Key.Key_M)
        assert model.column_of("mem.size") > 0, widget
    assert opened.window.findChild(MarkNote) is None
    panel.table.setFocus()
    panel.filter.setText("no such name")
    press(qtbot, Qt.Key.Key_N)
    assert model.rowCount() == 0
    press(qtbot, Qt.Key.Key_C)
    assert (panel.filter.text(), panel.tabs.currentIndex()) == ("no such name", 0)


def test_keys_work_on_a_page_as_soon_as_it_is_shown(opened: Program, qtbot: QtBot) -> None:
    window, desk = opened.window, opened.desk
    window.activateWindow()
    window.show_panel("charts")
    charts = part(window, ChartsPage)
    qtbot.waitUntil(lambda: bool(charts.stack.cards) and bool(charts.stack.cards[0].curves), timeout=WAIT)
    press(qtbot, Qt.Key.Key_Plus)
    assert desk.scope.scope.window is not None
    window.show_panel("heatmap")
    heatmap = part(window, HeatmapView)
    qtbot.waitUntil(lambda: len(heatmap.map.heat.rows) > 40, timeout=WAIT)
    press(qtbot, Qt.Key.Key_Down)
    press(qtbot, Qt.Key.Key_Return)
    assert [chart.series for chart in desk.charts.charts] == [(heatmap.map.heat.rows[1].series,)]
    assert window.pages.currentWidget() is charts
    qtbot.waitUntil(lambda: charts.isAncestorOf(QApplication.focusWidget() or window), timeout=WAIT)


def test_the_keys_stay_with_the_findings_when_one_is_shown(opened: Program, qtbot: QtBot) -> None:
    opened.window.activateWindow()
    first, second = part(opened.window, FindingsView).cards[:2]
    first.setFocus()
    qtbot.keyClick(first, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert opened.window.pages.currentWidget() is part(opened.window, ChartsPage)
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
        pane = part(window, kind)
        focus = QApplication.focusWidget()
        assert pane.isVisible()
        assert focus is not None
        assert focus is pane or pane.isAncestorOf(focus), kind
    names = [entry.text for entry in palette_entries(opened.desk, window.commands)]
    assert {"Charts", "Heat map", "Findings", "Timeline", "Jobs"} <= set(names)


def test_the_inventory_is_searched_even_while_it_is_closed(opened: Program, qtbot: QtBot) -> None:
    window = opened.window
    window.activateWindow()
    view = part(window, InventoryView)
    part(window, QDockWidget, "dock-inventory").close()
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
    part(window, QDockWidget, "dock-inventory").close()
    window.show_panel("charts")
    charts = part(window, ChartsPage)
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

    standard = {"inventory": True, "steps": False, "findings": True, "jobs": False, "timeline": True}
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


def test_a_physical_cpu_has_one_row_with_a_column_for_each_of_its_states(
    opened: Program, qtbot: QtBot, tmp_path: Path
) -> None:
    session = record(tmp_path / "states.hscope", seconds=120, fields="all")
    opened.workbench.open_paths([session])
    qtbot.waitUntil(lambda: opened.desk.session.path == session, timeout=WAIT)
    opened.window.show_panel("esxtop")
    panel = part(opened.window, EsxtopView)
    model = part(opened.window, EsxtopModel)
    qtbot.waitUntil(lambda: model.rowCount() > 40, timeout=WAIT)
    qtbot.keyClick(panel.table, Qt.Key.Key_P)
    rows = [model.row_at(row)[1] for row in range(model.rowCount())]
    one_host = sorted({row.name for row in rows if row.host == "esx01.lab.local"}, key=natural)
    assert one_host[:3] == ["PCPU 0", "PCPU 1", "PCPU 2"]
    assert len(rows) == len(set(rows))
    titles = [column.title for number in range(2, model.columnCount()) if (column := model.column_at(number))]
    assert titles[:4] == ["PCPU UTIL(%)", "%A/MPERF", "PCPU USED(%)", "CORE UTIL(%)"]
    assert titles[4:7] == ["%C0", "%C1", "%C2"]
    place = next(at for at, row in enumerate(rows) if row.name == "PCPU 3")
    qtbot.waitUntil(lambda: "–" not in cells(model, place), timeout=WAIT)


def test_a_screen_begins_with_its_first_column_and_a_sort_key_shows_its_own(
    opened: Program, qtbot: QtBot
) -> None:
    opened.window.resize(1100, 700)
    opened.window.show_panel("esxtop")
    panel = part(opened.window, EsxtopView)
    model, table = part(opened.window, EsxtopModel), panel.table
    qtbot.waitUntil(lambda: model.rowCount() > 40, timeout=WAIT)
    qtbot.keyClick(table, Qt.Key.Key_U)
    qtbot.waitUntil(lambda: "–" not in cells(model, 0)[:3], timeout=WAIT)
    assert model.sorting[0] == model.column_of("disk.active")
    assert table.horizontalScrollBar().value() == 0
    qtbot.keyClick(table, Qt.Key.Key_T, Qt.KeyboardModifier.ShiftModifier)
    place = table.columnViewportPosition(model.column_of("disk.write_mb"))
    assert table.columnWidth(0) <= place < table.viewport().width()
    assert table.horizontalScrollBar().value() > 0
    qtbot.keyClick(table, Qt.Key.Key_N)
    assert table.horizontalScrollBar().value() == 0


def test_rows_are_named_as_esxtop_names_them(opened: Program, qtbot: QtBot) -> None:
    opened.window.show_panel("esxtop")
    panel = part(opened.window, EsxtopView)
    model = part(opened.window, EsxtopModel)
    qtbot.waitUntil(lambda: model.rowCount() > 40, timeout=WAIT)
    qtbot.keyClick(panel.table, Qt.Key.Key_D)
    assert {model.row_at(row)[1].name for row in range(model.rowCount())} == {"vmhba0", "vmhba1", "vmhba2"}
    qtbot.keyClick(panel.table, Qt.Key.Key_N)
    names = {model.row_at(row)[1].name for row in range(model.rowCount())}
    assert "vmnic2" in names
    assert any(name.startswith("web01  vSwitch") for name in names)


def cells(model: EsxtopModel, row: int) -> list[str]:
    return [str(model.index(row, column).data()) for column in range(2, model.columnCount())]


def press(qtbot: QtBot, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """A key for whoever has the focus, as the window system sends it: shortcuts come first."""
    widget = QApplication.focusWidget()
    assert widget is not None
    window = widget.window().windowHandle()
    qtbot.keyClick(window, key, modifier)


def test_the_numbers_are_those_of_the_session(opened: Program, session: Path, qtbot: QtBot) -> None:
    opened.window.show_panel("esxtop")
    model = part(opened.window, EsxtopModel)
    qtbot.waitUntil(lambda: model.column_of("cpu.ready") > 0, timeout=WAIT)
    column = model.column_of("cpu.ready")
    qtbot.waitUntil(lambda: model.index(0, column).data() != "–", timeout=WAIT)
    _, row = model.row_at(0)
    shown = [one.id for one in snapshot_of(opened).series_of[row.ref] if one.counter == "cpu.ready"]
    ids = np.array(shown, np.int64)
    with SessionReader.open(session) as reader:
        last = reader.read(ids)[0].values[-1, 0]
    assert float(str(model.index(0, column).data()).lstrip("▲◆ ")) == pytest.approx(last, abs=0.006)


def test_the_palette_finds_a_vm(opened: Program, qtbot: QtBot) -> None:
    offered = list(palette_entries(opened.desk, opened.window.actions_by_id))
    name = next(e.name for ref, e in snapshot_of(opened).entities.items() if ref.kind == "vm")
    found = matches(name.lower(), offered)
    assert found[0].text == name
    found[0].run()
    assert opened.desk.scope.scope.entities[0].kind == "vm"


@pytest.mark.qt_log_ignore("This plugin does not support")
@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("theme", ["Preferences: Theme", "Switch between dark and light"]),
        ("esxtop -b", ["Import a capture…"]),
        ("speed of the lab", ["Preferences: Speed of the lab"]),
    ],
)
def test_the_palette_knows_commands_and_settings_by_their_other_words(
    opened: Program, typed: str, first: list[str]
) -> None:
    opened.window.actions_by_id["go.palette"].trigger()
    palette = part(opened.window, Palette)
    palette.findChild(QLineEdit).setText(typed)  # type: ignore[union-attr]
    assert palette.texts[: len(first)] == first
    palette.close()


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_the_palette_opens_a_setting(opened: Program, qtbot: QtBot) -> None:
    opened.window.actions_by_id["go.palette"].trigger()
    palette = part(opened.window, Palette)
    line = palette.findChild(QLineEdit)
    assert line is not None
    line.setText("preferences reduced motion")
    qtbot.keyClick(line, Qt.Key.Key_Return)
    preferences = part(opened.window, Preferences)
    qtbot.waitUntil(preferences.isVisible, timeout=WAIT)
    boxes = [one for one in preferences.findChildren(QCheckBox) if one.isVisible()]
    assert "Reduced motion" in [one.text() for one in boxes]
    preferences.close()
    preferences.deleteLater()
    QApplication.processEvents()


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_what_is_no_command_is_said_to_be_none(opened: Program) -> None:
    opened.window.actions_by_id["go.palette"].trigger()
    palette = part(opened.window, Palette)
    palette.findChild(QLineEdit).setText("qwertz")  # type: ignore[union-attr]
    assert palette.note.startswith("No command has that name. ")
    palette.close()


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_one_types_into_the_palette_at_once(opened: Program, qtbot: QtBot) -> None:
    opened.window.actions_by_id["go.palette"].trigger()
    palette = part(opened.window, Palette)
    qtbot.waitUntil(palette.isVisible, timeout=WAIT)
    focus = palette.focusWidget()
    assert focus is not None
    qtbot.keyClicks(focus, "heat map")
    qtbot.keyClick(focus, Qt.Key.Key_Return)
    assert opened.window.pages.currentWidget() is part(opened.window, HeatmapView)


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
    view = part(program.window, HelpWindow)
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
    dock = part(window, QDockWidget, "dock-findings")
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
