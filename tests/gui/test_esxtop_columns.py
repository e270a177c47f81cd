"""The columns of the esxtop page: which are in sight, and what the user makes of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QListWidget, QPushButton, QTableView
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from tests.gui.recordings import record
from tests.gui.windows import child_of, running, wait
from widgets.esxtop import EsxtopModel, EsxtopView, FieldsDialog

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def page(live: Program, qtbot: QtBot, home: Path) -> EsxtopView:
    """The page with a recording of the demo, in a window of 1280 × 720 with both side panes."""
    live.window.resize(1280, 720)
    return opened(live, qtbot, home)


def opened(program: Program, qtbot: QtBot, home: Path) -> EsxtopView:
    session = record(home / "a.hscope", seconds=120, fields="all")  # every screen has all of its columns
    program.workbench.open_paths([session])
    wait(qtbot, lambda: program.desk.session.path == session)
    program.window.show_panel("esxtop")
    view = child_of(program.window, EsxtopView)
    wait(qtbot, lambda: model_of(view).rowCount() > 40)
    wait(qtbot, lambda: view.when.text().startswith("as of"))
    return view


def model_of(view: EsxtopView) -> EsxtopModel:
    model = view.table.model()
    assert isinstance(model, EsxtopModel)
    return model


def titles(view: EsxtopView) -> list[str]:
    model = model_of(view)
    return [str(model.headerData(n, Qt.Orientation.Horizontal)) for n in range(2, model.columnCount())]


def drag(view: EsxtopView, title: str, onto: str, qtbot: QtBot) -> None:
    """Drag the heading of a column onto that of another."""
    header, shown = view.table.horizontalHeader(), titles(view)
    start, end = (
        header.sectionViewportPosition(n) + header.sectionSize(n) // 2
        for n in (shown.index(title) + 2, shown.index(onto) + 2)
    )
    step = 1 if end > start else -1
    qtbot.mousePress(header.viewport(), LEFT, pos=QPoint(start, 12))
    for x in (start + 12 * step, (start + end) // 2, end, end + 8 * step):
        qtbot.mouseMove(header.viewport(), QPoint(x, 12))
    qtbot.mouseRelease(header.viewport(), LEFT, pos=QPoint(end + 8 * step, 12))


def test_the_deciding_columns_are_in_sight_at_1280(page: EsxtopView, live: Program, qtbot: QtBot) -> None:
    table, model = page.table, model_of(page)
    for number, screen in enumerate(live.desk.screens):
        page.tabs.setCurrentIndex(number)
        wait(qtbot, model.rowCount)
        wait(qtbot, lambda: any(model.text_at(0, c) != "–" for c in range(2, model.columnCount())))
        for counter in screen.deciding:
            column = model.column_of(counter)
            left = table.columnViewportPosition(column)
            assert table.columnWidth(0) <= left, (screen.id, counter)
            assert left + table.columnWidth(column) <= table.viewport().width(), (screen.id, counter)


@pytest.mark.parametrize("width", [1280, 960])
def test_every_screen_has_its_whole_tab(page: EsxtopView, live: Program, qtbot: QtBot, width: int) -> None:
    live.window.resize(width, 600)
    wait(qtbot, lambda: page.tabs.width() <= width)
    tabs = page.tabs
    last = tabs.tabRect(tabs.count() - 1)
    assert last.right() <= tabs.width() <= page.width()
    assert [tabs.tabText(number).split()[0] for number in range(tabs.count())] == list("cmduvnip")


def test_a_dragged_column_stays_where_it_was_put(page: EsxtopView, live: Program, qtbot: QtBot) -> None:
    table, model = page.table, model_of(page)
    assert titles(page)[:4] == ["%RDY", "%CSTP", "%MLMTD", "%USED"]
    drag(page, "%USED", "%RDY", qtbot)
    assert titles(page)[:4] == ["%USED", "%RDY", "%CSTP", "%MLMTD"]
    assert model.sorting[0] == model.column_of("cpu.used"), "it is still sorted by the same column"
    wait(qtbot, lambda: model.text_at(0, 2) != "–")
    shown = [float(model.text_at(row, 2).lstrip("▲◆ ")) for row in range(5)]
    assert shown == sorted(shown, reverse=True)
    drag(page, "%RDY", "%MLMTD", qtbot)
    assert titles(page)[:4] == ["%USED", "%CSTP", "%MLMTD", "%RDY"]
    header = table.horizontalHeader()
    assert [header.visualIndex(n) for n in range(5)] == [0, 1, 2, 3, 4]


def test_headings_leave_the_selection_alone(page: EsxtopView, qtbot: QtBot) -> None:
    """A click on a heading sorts, dragging it moves the column: Qt would select the whole column as well."""
    page.table.setCurrentIndex(model_of(page).index(3, 4))
    header = page.table.horizontalHeader()
    place = QPoint(header.sectionViewportPosition(3) + header.sectionSize(3) // 2, 12)
    qtbot.mouseClick(header.viewport(), LEFT, pos=place)
    assert model_of(page).sorting[0] == 3
    drag(page, "%USED", "%RDY", qtbot)
    names = child_of(page.table, QTableView, "frozen-names")
    qtbot.mouseClick(names.horizontalHeader().viewport(), LEFT, pos=QPoint(20, 12))
    assert model_of(page).sorting[0] == 0
    assert len(page.table.selectedIndexes()) == 1
    assert not page.several.isVisible()


def test_columns_widths_and_sorting_are_kept_for_each_screen(
    qapp: QApplication, qtbot: QtBot, home: Path
) -> None:
    with running(qapp, home) as first:
        view = opened(first, qtbot, home)
        table, model = view.table, model_of(view)
        drag(view, "%USED", "%RDY", qtbot)
        edge = table.columnViewportPosition(3) + table.columnWidth(3)
        header = table.horizontalHeader()
        qtbot.mousePress(header.viewport(), LEFT, pos=QPoint(edge - 1, 12))
        qtbot.mouseMove(header.viewport(), QPoint(edge + 40, 12))
        qtbot.mouseRelease(header.viewport(), LEFT, pos=QPoint(edge + 41, 12))
        width = table.columnWidth(3)
        qtbot.keyClick(table, Qt.Key.Key_R, Qt.KeyboardModifier.ShiftModifier)
        qtbot.keyClick(table, Qt.Key.Key_M)
        qtbot.keyClick(table, Qt.Key.Key_M, Qt.KeyboardModifier.ShiftModifier)
        qtbot.keyClick(table, Qt.Key.Key_C)
        assert model.sorting[0] == model.column_of("cpu.ready"), "sorting belongs to the screen"
    with running(qapp, home) as second:
        view = opened(second, qtbot, home)
        table, model = view.table, model_of(view)
        assert titles(view)[:3] == ["%USED", "%RDY", "%CSTP"]
        assert table.columnWidth(3) == width > 100
        assert model.sorting == (model.column_of("cpu.ready"), Qt.SortOrder.DescendingOrder)
        qtbot.keyClick(table, Qt.Key.Key_M)
        assert model.sorting[0] == model.column_of("mem.size")
        assert titles(view)[0] == "MCTLSZ"


def test_an_edge_that_is_double_clicked_fits_its_column(page: EsxtopView, qtbot: QtBot) -> None:
    table = page.table
    before = table.columnWidth(2)
    table.setColumnWidth(2, 300)
    edge = QPoint(table.columnViewportPosition(2) + 298, 12)
    qtbot.mouseDClick(table.horizontalHeader().viewport(), LEFT, pos=edge)
    assert table.columnWidth(2) == before
    names = child_of(table, QTableView, "frozen-names")
    edge = QPoint(names.columnWidth(0) - 2, 12)
    qtbot.mouseDClick(names.horizontalHeader().viewport(), LEFT, pos=edge)
    assert names.columnWidth(0) == table.columnWidth(0) > 214, "all of the longest name"
    table.setColumnWidth(4, 20)
    table.widths.fit_all()
    assert table.columnWidth(4) > 60


def test_columns_are_chosen_and_ordered_in_the_dialog(page: EsxtopView, qtbot: QtBot) -> None:
    qtbot.keyClick(page.table, Qt.Key.Key_F)
    dialog = child_of(page, FieldsDialog)
    names = child_of(dialog, QListWidget)
    assert [names.item(row).text().split()[0] for row in range(3)] == ["%RDY", "%CSTP", "%MLMTD"]
    names.item(0).setCheckState(Qt.CheckState.Unchecked)
    names.setCurrentRow(2)
    dialog.shift(-1)
    dialog.accept()
    assert titles(page)[:2] == ["%MLMTD", "%CSTP"]
    assert "%RDY" not in titles(page)
    qtbot.keyClick(page.table, Qt.Key.Key_O)
    dialog = child_of(page, FieldsDialog)
    [classic] = [one for one in dialog.findChildren(QPushButton) if one.text() == "As esxtop"]
    classic.click()
    dialog.accept()
    assert titles(page)[:3] == ["NWLD", "%USED", "%RUN"]
