"""Copying, finding, charting and menus of the esxtop page, by mouse and keys."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QWidget
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from tests.gui.recordings import record
from tests.gui.windows import child_of, wait
from widgets.charts.page import ChartsPage
from widgets.esxtop import EsxtopModel, EsxtopView
from widgets.esxtop.meaning import Meaning
from widgets.esxtop.selection import chosen_rows

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
LEFT = Qt.MouseButton.LeftButton
CTRL, SHIFT, NONE = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.NoModifier,
)


@pytest.fixture
def page(live: Program, qtbot: QtBot, home: Path) -> EsxtopView:
    """The page with a recording of the demo, sorted by ready, VMs only."""
    session = record(home / "a.hscope", seconds=400)
    live.workbench.open_paths([session])
    wait(qtbot, lambda: live.desk.session.path == session)
    live.window.activateWindow()
    live.window.show_panel("esxtop")
    view = child_of(live.window, EsxtopView)
    wait(qtbot, lambda: model_of(view).rowCount() > 40)
    qtbot.keyClick(view.table, Qt.Key.Key_V, SHIFT)
    qtbot.keyClick(view.table, Qt.Key.Key_R, SHIFT)
    wait(qtbot, lambda: model_of(view).text_at(0, 2) != "–")
    return view


def model_of(view: EsxtopView) -> EsxtopModel:
    model = view.table.model()
    assert isinstance(model, EsxtopModel)
    return model


def click(view: EsxtopView, row: int, column: int, qtbot: QtBot, keys: Qt.KeyboardModifier = NONE) -> None:
    place = view.table.visualRect(model_of(view).index(row, column)).center()
    qtbot.mouseClick(view.table.viewport(), LEFT, keys, place)


def press(qtbot: QtBot, key: Qt.Key, modifier: Qt.KeyboardModifier = NONE) -> None:
    """A key for whoever has the focus, as the window system sends it: shortcuts come first."""
    widget = QApplication.focusWidget()
    assert widget is not None
    qtbot.keyClick(widget.window().windowHandle(), key, modifier)


def clipboard() -> list[list[str]]:
    return [line.split("\t") for line in QGuiApplication.clipboard().text().rstrip("\n").split("\n")]


def menu_at(view: EsxtopView, row: int, column: int) -> list[str]:
    """The entries of the menu that a right click on a cell opens; it stays open."""
    place = view.table.visualRect(model_of(view).index(row, column)).center()
    return menu_of(view.table.viewport(), place)


def menu_of(viewport: QWidget, place: QPoint) -> list[str]:
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, viewport.mapToGlobal(place))
    QApplication.sendEvent(viewport, event)
    return [action.text() for action in open_menu().actions() if action.text()]


def open_menu() -> QMenu:
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


def choose(beginning: str) -> None:
    menu = open_menu()
    [action] = [one for one in menu.actions() if one.text().startswith(beginning)]
    action.trigger()
    menu.close()


def test_one_cell_is_copied_as_its_number_several_with_headings(page: EsxtopView, qtbot: QtBot) -> None:
    model = model_of(page)
    click(page, 0, 2, qtbot)
    press(qtbot, Qt.Key.Key_C, CTRL)
    assert clipboard() == [[model.text_at(0, 2).lstrip("▲◆ ")]]
    click(page, 1, 3, qtbot, SHIFT)
    press(qtbot, Qt.Key.Key_C, CTRL)
    heads, first, second = clipboard()
    assert heads == ["Name", "Host", "%RDY (per vCPU)", "%CSTP (per vCPU)"]
    assert first[:2] == [model.text_at(0, 0), model.row_at(0)[1].host]
    assert float(first[2]) == pytest.approx(model.number_at(0, 2), abs=1e-3)
    assert len(second) == 4
    press(qtbot, Qt.Key.Key_C, CTRL | SHIFT)
    heads, *rows = clipboard()
    assert (len(rows), len(heads)) == (2, model.columnCount())


def test_all_is_copied_before_any_cell_was_chosen(page: EsxtopView, qtbot: QtBot) -> None:
    model = model_of(page)
    page.table.setFocus()
    for keys in ([Qt.Key.Key_C], [Qt.Key.Key_A, Qt.Key.Key_C]):
        QGuiApplication.clipboard().clear()
        for key in keys:
            press(qtbot, key, CTRL)
        heads, *rows = clipboard()
        assert (len(rows), len(heads)) == (model.rowCount(), model.columnCount())


def test_everything_is_copied_with_the_part_below_named_after_its_vm(page: EsxtopView, qtbot: QtBot) -> None:
    model = model_of(page)
    click(page, 0, 0, qtbot)
    qtbot.keyClick(page.table, Qt.Key.Key_E)
    wait(qtbot, lambda: model.row_at(1)[1].depth == 1 and model.text_at(1, 2) != "–")
    page.table.selectAll()
    press(qtbot, Qt.Key.Key_C, CTRL)
    rows = clipboard()
    assert len(rows) == model.rowCount() + 1
    assert rows[2][0] == f"{rows[1][0]} › {model.row_at(1)[1].name}"


def test_two_vms_on_one_chart_in_two_clicks(page: EsxtopView, live: Program, qtbot: QtBot) -> None:
    before = len(live.desk.charts.charts)
    click(page, 0, 2, qtbot)
    click(page, 1, 2, qtbot, CTRL)
    assert page.several.isVisible()
    assert page.several.text() == "Chart %RDY of these 2"
    press(qtbot, Qt.Key.Key_Return)
    chart = live.desk.charts.charts[-1]
    assert len(live.desk.charts.charts) == before + 1
    assert len(chart.series) == 2
    snapshot = live.desk.session.snapshot
    assert snapshot is not None
    drawn = [snapshot.by_id[number] for number in chart.series]
    assert [one.counter for one in drawn] == ["cpu.ready"] * 2
    model = model_of(page)
    assert [one.entity for one in drawn] == [model.row_at(row)[1].ref for row in (0, 1)]
    wait(qtbot, child_of(live.window, ChartsPage).isVisible)


def test_ctrl_and_a_double_click_chart_the_second_row_with_the_first(
    page: EsxtopView, live: Program, qtbot: QtBot
) -> None:
    click(page, 0, 2, qtbot)
    place = page.table.visualRect(model_of(page).index(2, 2)).center()
    viewport = page.table.viewport()
    qtbot.mouseClick(viewport, LEFT, CTRL, place)
    qtbot.mouseDClick(viewport, LEFT, CTRL, place)
    assert len(live.desk.charts.charts[-1].series) == 2


def test_the_menu_of_a_cell(page: EsxtopView, live: Program, qtbot: QtBot) -> None:
    model = model_of(page)
    name = model.text_at(0, 0)
    click(page, 0, 2, qtbot)
    entries = menu_at(page, 0, 2)
    assert f"Chart %RDY of {name}" in entries
    assert {"Copy the whole table", "Save the table as CSV…", "What does %RDY mean?"} <= set(entries)
    choose("Chart %RDY of all rows")
    assert len(live.desk.charts.charts[-1].series) == min(model.rowCount(), 50)
    live.window.show_panel("esxtop")
    menu_at(page, 0, 2)
    choose("Look at")
    assert live.desk.scope.scope.entities == (model.row_at(0)[1].ref,)


def test_the_menu_key_opens_it_at_the_cell(page: EsxtopView, qtbot: QtBot) -> None:
    click(page, 3, 2, qtbot)
    press(qtbot, Qt.Key.Key_F10, SHIFT)
    model = model_of(page)
    texts = [action.text() for action in open_menu().actions()]
    assert texts[0] == f"Copy “{model.text_at(3, 2)}”"
    assert f"Look at {model.text_at(3, 0)} only" in texts
    open_menu().close()


def test_a_column_is_explained_with_its_limit_and_hidden(page: EsxtopView, qtbot: QtBot) -> None:
    click(page, 0, 2, qtbot)
    qtbot.keyClick(page.table, Qt.Key.Key_H)
    popup = child_of(page, Meaning)
    text = "\n".join(label.text() for label in popup.findChildren(QLabel))
    assert "%RDY" in text
    assert "Limit 5 %" in text
    assert "per vCPU" in text
    assert "EPP: Duncan Epping" in text, "whose limit it is, in words"
    popup.close()
    header = page.table.horizontalHeader()
    menu_of(header.viewport(), QPoint(header.sectionViewportPosition(3) + 10, 8))
    choose("Hide %CSTP")
    model = model_of(page)
    assert model.column_of("cpu.costop") == -1
    assert model.column_of("cpu.ready") == 2
    menu_of(header.viewport(), QPoint(header.sectionViewportPosition(3) + 10, 8))
    choose("Standard columns")
    assert model.column_of("cpu.costop") == 3


def test_what_keys_do_has_a_button_as_well(page: EsxtopView, qtbot: QtBot) -> None:
    page.table.setColumnWidth(4, 300)
    qtbot.mouseClick(page.more, LEFT)
    choose("Fit all columns")
    assert page.table.columnWidth(4) < 120
    qtbot.mouseClick(page.more, LEFT)
    choose("Copy the whole table")
    assert len(clipboard()) == model_of(page).rowCount() + 1
    qtbot.mouseClick(page.more, LEFT)
    choose("Find in the table")
    assert page.find_bar.isVisible()


def test_find_highlights_and_goes_from_match_to_match(page: EsxtopView, live: Program, qtbot: QtBot) -> None:
    model = model_of(page)
    page.table.setFocus()
    press(qtbot, Qt.Key.Key_F, CTRL)
    field = page.find_bar.field
    assert QApplication.focusWidget() is field
    before = page.table.names.grab().toImage()
    field.setText("MSSQL")
    matches = [row for row in range(model.rowCount()) if "MSSQL" in model.text_at(row, 0)]
    assert len(matches) > 2
    assert page.table.currentIndex().row() == matches[0]
    assert page.find_bar.count.text() == f"1 of {len(matches)}"
    assert page.table.names.grab().toImage() != before
    press(qtbot, Qt.Key.Key_F3)
    assert page.table.currentIndex().row() == matches[1]
    press(qtbot, Qt.Key.Key_F3, SHIFT)
    press(qtbot, Qt.Key.Key_F3, SHIFT)
    assert page.table.currentIndex().row() == matches[-1], "from the first back to the last"
    assert model.rowCount() > len(matches), "nothing is filtered"
    field.setText("mlmtd")
    assert page.table.currentIndex().column() == model.column_of("cpu.max_limited")
    field.setText("no such thing")
    assert page.find_bar.count.text() == "no match"
    press(qtbot, Qt.Key.Key_Escape)
    press(qtbot, Qt.Key.Key_Escape)
    assert not page.find_bar.isVisible()
    assert page.table.hasFocus()


def test_esxtops_other_keys(page: EsxtopView, qtbot: QtBot) -> None:
    model, table = model_of(page), page.table
    click(page, 0, 2, qtbot)
    press(qtbot, Qt.Key.Key_2)
    assert table.currentIndex().row() == 1
    press(qtbot, Qt.Key.Key_8)
    assert table.currentIndex().row() == 0
    press(qtbot, Qt.Key.Key_N, SHIFT)
    assert model.sorting == (0, Qt.SortOrder.AscendingOrder)
    width = table.columnWidth(0)
    press(qtbot, Qt.Key.Key_L, SHIFT)
    assert table.columnWidth(0) > width
    press(qtbot, Qt.Key.Key_L, SHIFT)
    assert table.columnWidth(0) == width
    table.setCurrentIndex(model.index(0, 3))
    press(qtbot, Qt.Key.Key_Left, CTRL | SHIFT)
    assert model.column_of("cpu.costop") == 2
    assert table.currentIndex().column() == 2, "the current cell moves with its column"


def test_numbers_stay_while_rows_are_expanded(page: EsxtopView, qtbot: QtBot) -> None:
    model = model_of(page)
    click(page, 0, 0, qtbot)
    before = [model.text_at(row, 2) for row in range(3)]
    qtbot.keyClick(page.table, Qt.Key.Key_E)
    assert model.row_at(1)[1].depth == 1
    heads = [row for row in range(model.rowCount()) if not model.row_at(row)[1].depth]
    assert [model.text_at(row, 2) for row in heads[:3]] == before, "not for the blink of an eye absent"


def test_the_selection_outlives_new_rows(page: EsxtopView, qtbot: QtBot) -> None:
    model = model_of(page)
    click(page, 2, 3, qtbot)
    click(page, 4, 3, qtbot, CTRL)
    chosen = {model.row_at(row)[1].ref for row in chosen_rows(page.table)}
    page.filter.setText(model.row_at(4)[1].name)  # other rows; one of the chosen stays
    wait(qtbot, lambda: model.text_at(0, 2) != "–")
    kept = {model.row_at(row)[1].ref for row in chosen_rows(page.table)}
    there = {model.row_at(row)[1].ref for row in range(model.rowCount())}
    assert kept == chosen & there != set()
    page.filter.clear()
    assert {model.row_at(row)[1].ref for row in chosen_rows(page.table)} == kept
