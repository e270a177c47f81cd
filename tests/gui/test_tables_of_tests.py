"""The tables on the pages of a test: what is copied and saved from them, and how they show it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from app.gui.test_places import Place
from tests.gui.recordings import record
from tests.gui.windows import child_of, wait
from viewmodels.file_offer import FileOffer
from widgets.context_menu import context_menu_of
from widgets.theme import Theme
from wizards.flows.check_result import CheckResult
from wizards.flows.result_sheet import RawCell, RawTable
from wizards.pages.check_plan import CheckPlanPage
from wizards.pages.raw_numbers import raw_cells, raw_headings
from wizards.pages.sheet_table import Cell, Heading, SheetTable

HEADS = (Heading("VM", stretch=True), Heading("IOPS", right=True), Heading("got of due", width=80))
ROWS = [
    (Cell("web-1", swatch=0), Cell("4,096"), Cell(bar=0.9, swatch=0, mark=0.8)),
    (Cell("web-2 <b>", swatch=1), Cell("1,118"), Cell(bar=0.2, swatch=1, mark=0.8)),
    (Cell("web-3", swatch=2), Cell("12"), Cell(bar=0.1, swatch=2, mark=0.8)),
]


@pytest.fixture
def table(theme: Theme, qtbot: QtBot) -> SheetTable:
    found = SheetTable(theme, "Workers", HEADS)
    qtbot.addWidget(found)
    found.show_rows(ROWS)
    found.show()
    return found


def entries(table: SheetTable) -> list[str]:
    menu = context_menu_of(table)
    assert menu is not None
    return [one.text for one in menu.entries() if one is not None]


def test_the_key_copies_all_without_the_bars(table: SheetTable, qtbot: QtBot) -> None:
    QAbstractItemModelTester(table.model())
    with qtbot.waitSignal(table.copied) as said:
        qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert said.args == ["Workers: 3 rows copied."]
    assert QGuiApplication.clipboard().text().splitlines() == [
        "VM\tIOPS",
        "web-1\t4,096",
        "web-2 <b>\t1,118",
        "web-3\t12",
    ]


def test_the_chosen_rows_are_copied_alone(table: SheetTable, qtbot: QtBot) -> None:
    assert entries(table) == ["Copy the table", "Save as CSV…"]
    table.selectRow(2)
    table.selectionModel().select(
        table.model().index(0, 0),
        QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows,
    )
    assert entries(table) == ["Copy the chosen rows", "Copy the table", "Save as CSV…"]
    with qtbot.waitSignal(table.copied) as said:
        qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert said.args == ["Workers: 2 rows copied."]
    assert QGuiApplication.clipboard().text().splitlines() == ["VM\tIOPS", "web-1\t4,096", "web-3\t12"]


def test_the_whole_table_is_saved(table: SheetTable, qtbot: QtBot) -> None:
    table.selectRow(1)
    with qtbot.waitSignal(table.save_wanted) as wanted:
        qtbot.keyClick(table, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    assert wanted.args is not None
    assert isinstance(wanted.args[0], FileOffer)


def test_rows_that_are_shown_again_stay_chosen(table: SheetTable) -> None:
    table.selectRow(1)
    table.show_rows(ROWS)
    assert [one.row() for one in table.selectionModel().selectedRows()] == [1]
    table.show_rows(ROWS[:1])
    assert not table.selectionModel().selectedRows()


def test_names_of_elsewhere_are_no_markup(table: SheetTable) -> None:
    tip = table.model().index(1, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert "<b>" not in tip
    assert "web-2" in tip


def test_raw_numbers_are_the_same_table_that_scrolls(theme: Theme, qtbot: QtBot) -> None:
    cells = tuple((RawCell(f"w{n}", is_bold=True, colour=n), RawCell("+3 %", "ok")) for n in range(40))
    raw = RawTable((("VM", False), ("P3", True)), cells)
    view = SheetTable(theme, "Raw numbers", most=12)
    qtbot.addWidget(view)
    few = view.sizeHint().height()
    view.show_table(raw_headings(raw), raw_cells(raw))
    many = view.sizeHint().height()
    view.show_table(raw_headings(raw), raw_cells(RawTable(raw.heads, cells[:12])))
    assert few < many == view.sizeHint().height()
    assert view.model().headerData(1, Qt.Orientation.Horizontal) == "P3"
    assert view.table().rows[0] == ("w0", "+3 %")


def test_tables_of_the_plan_are_copied_and_saved_as_elsewhere(
    live: Program, qtbot: QtBot, tmp_path: Path
) -> None:
    live.workbench.open_paths([record(tmp_path / "lab.hscope", seconds=60.0)])
    wait(qtbot, lambda: live.desk.session.whole is not None)
    live.window.show_panel("tests")
    tests = live.desk.tests
    tests.setup.begin(tests.known.require("io-sweep"), Place(("lab:default",)))
    tests.open("io-sweep", "check")
    wait(qtbot, lambda: tests.setup.now is not None and bool(tests.setup.now.checks))
    plan = child_of(live.window, CheckPlanPage).plan
    for table, title in ((plan.changes, "What will be changed"), (plan.load, "Load per VM"),
                         (plan.guards, "Guards while it runs")):  # fmt: skip
        qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
        assert live.window.messages.text.startswith(f"{title}: ")
        assert live.window.messages.text.endswith(" copied.")


def test_one_warning_goes_into_the_result(theme: Theme, qtbot: QtBot) -> None:
    page = CheckPlanPage(theme)
    qtbot.addWidget(page)
    warned = [CheckResult(f"C{n}", "warn", "Snapshots", "w has one") for n in (1, 2)]
    page.show_checks(warned[:1], "now")
    assert page.reason.text() == "1 warning goes into the result"
    page.show_checks(warned, "now")
    assert page.reason.text() == "2 warnings go into the result"
