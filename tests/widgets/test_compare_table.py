"""The table of changes and the charts of Compare: columns give way, keys choose, nothing is said by colour
alone.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QAbstractItemModel, QPoint, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication, QLabel, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget
from pytestqt.qtbot import QtBot

from sessions.model import EntityRef
from viewmodels.comparison_charts import OverlayChart
from viewmodels.comparison_page import ComparedRow, ComparisonPage, PageHead, RowShape, Whisker
from viewmodels.comparison_surroundings import LoadBlock, LoadLine, OtherLine, Surroundings
from viewmodels.health import Health
from widgets.eliding import NameElider
from widgets.theme import Theme
from wizards.pages.compare_chart import OverlayChartView
from wizards.pages.compare_chart_painting import minute_labels
from wizards.pages.compare_charts import CompareCharts
from wizards.pages.compare_head import CompareHead
from wizards.pages.compare_lists import CompareLists
from wizards.pages.compare_load import LoadSection
from wizards.pages.compare_others import OtherList
from wizards.pages.compare_page import ComparePage
from wizards.pages.compare_rail import CompareRail
from wizards.pages.compare_table import COLUMNS, ChangesTable

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")

READY = ComparedRow(
    rank=1, place=1, entity=EntityRef("vm", "db"), name="db-prod", counter_key="cpu.ready",
    counter="CPU ready", area="CPU", unit="%", a="32.4 %", b="0.6 %", change="−31.8 points",
    interval="−32.1 … −31.5 points", whisker=Whisker(-0.321, -0.318, -0.315), verdict="lower",
    judged="better",
    confidence="high", samples="n = 360 and 360, independent 300 and 300", why="Lower: the difference is …",
)  # fmt: skip
IOPS = replace(
    READY, rank=4, place=2, name="erp-app", entity=EntityRef("vm", "erp"), counter="I/Os", area="Storage",
    counter_key="disk.commands", change="+82 %", whisker=Whisker(0.7, 0.82, 0.9), verdict="higher",
    judged="to know", alike=2,
)  # fmt: skip
UNSURE = replace(
    READY, rank=9, place=3, name="web", change="?", whisker=None, verdict="undecided", judged="undecided"
)
ROWS = (READY, IOPS, UNSURE)


@pytest.fixture
def theme(qapp: QApplication) -> Theme:
    return Theme(qapp, "dark")


@pytest.fixture
def table(theme: Theme, qtbot: QtBot) -> ChangesTable:
    view = ChangesTable(theme)
    qtbot.addWidget(view)
    view.resize(1140, 300)
    view.show_rows(ROWS, new=True)
    view.show()
    return view


def cells(model: QAbstractItemModel, row: int) -> list[str]:
    return [str(model.index(row, column).data()) for column in range(model.columnCount())]


def columns(view: ChangesTable) -> list[str]:
    return [one.part for at, one in enumerate(COLUMNS) if not view.isColumnHidden(at)]


def test_every_cell_has_a_text_also_those_that_are_painted(table: ChangesTable) -> None:
    table.changes.add_shapes({1: RowShape(-1.0, np.ones(4), np.ones(4))})
    assert cells(table.changes, 0) == [
        *("1", "db-prod", "CPU ready", "32.4 %", "0.6 %", "−31.8 points", "−32.1 … −31.5 points"),
        *("1.00", "", "high"),
        "better",
    ]
    assert cells(table.changes, 1)[2] == "I/Os  +2 alike"
    assert cells(table.changes, 2)[5] == "?"


def test_the_model_keeps_qts_rules(table: ChangesTable) -> None:
    tester = QAbstractItemModelTester(table.changes, QAbstractItemModelTester.FailureReportingMode.Fatal)
    table.show_rows(ROWS[:1])
    table.changes.mark_pinned(frozenset({1}))
    table.changes.add_shapes({1: RowShape(0.5, np.zeros(0), np.zeros(0))})
    table.show_rows(())
    assert tester.model() is table.changes


@pytest.mark.parametrize(
    ("width", "gone"),
    [(1140, []), (980, ["effect", "confidence"]), (690, ["effect", "confidence", "shape", "interval"])],
)
def test_columns_give_way_to_names(table: ChangesTable, width: int, gone: list[str]) -> None:
    table.resize(width, 300)
    assert {one.part for one in COLUMNS} - set(columns(table)) == set(gone)
    assert sum(table.columnWidth(at) for at in range(len(COLUMNS))) <= table.viewport().width()


def test_the_chosen_row_stays_when_rows_come(table: ChangesTable) -> None:
    table.selectRow(1)
    table.show_rows([replace(READY, rank=2, name="new"), *ROWS])
    assert table.current == IOPS
    table.show_rows(ROWS, new=True)
    assert table.current == READY


def test_headings_sort_and_let_go(table: ChangesTable) -> None:
    head = table.horizontalHeader()
    head.setSortIndicator(1, Qt.SortOrder.DescendingOrder)
    assert [one.name for one in table.changes.rows] == ["web", "erp-app", "db-prod"]
    head.setSortIndicator(5, Qt.SortOrder.AscendingOrder)
    assert [one.name for one in table.changes.rows] == ["erp-app", "db-prod", "web"], "the largest first"
    head.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
    assert [one.rank for one in table.changes.rows] == [1, 4, 9]


def test_keys_open_and_pin_and_letters_go_on_to_the_page(table: ChangesTable, qtbot: QtBot) -> None:
    with qtbot.waitSignal(table.opened) as opened:
        qtbot.keyClick(table, Qt.Key.Key_Return)
    with qtbot.waitSignal(table.pinned) as pinned:
        qtbot.keyClick(table, Qt.Key.Key_P)
    assert opened.args == pinned.args == [READY]
    qtbot.keyClick(table, Qt.Key.Key_W)
    assert table.current == READY, "a letter searches for no name"


def test_only_rows_in_sight_are_read(table: ChangesTable, qtbot: QtBot) -> None:
    many = [replace(READY, rank=number, name=f"vm{number:03}") for number in range(1, 200)]
    with qtbot.waitSignal(table.visible) as asked:
        table.show_rows(many, new=True)
    assert 5 < len(asked.args[0]) < 20
    table.changes.add_shapes({one.rank: RowShape(0.1, np.ones(2), np.ones(2)) for one in asked.args[0]})
    with qtbot.waitSignal(table.visible) as more:
        table.scrollToBottom()
    assert {one.rank for one in more.args[0]}.isdisjoint({one.rank for one in asked.args[0]})


def chart(row: ComparedRow, minutes: float = 30.0) -> OverlayChart:
    times = np.linspace(0.0, minutes, 200)
    return OverlayChart(row, (times, times * 0 + 32.4), (times, times * 0 + 0.6), ([(10.0, 20.0)], []))


def test_charts_share_a_crosshair_and_say_their_numbers(theme: Theme, qtbot: QtBot) -> None:
    view = CompareCharts(theme)
    qtbot.addWidget(view)
    view.resize(1000, 400)
    view.show()
    view.show_charts([chart(READY), chart(IOPS)], 1, {4})
    first, second = view.charts[:2]
    assert first.accessibleName() == "CPU ready of db-prod"
    assert first.accessibleDescription() == "A 32.4 %, B 0.6 %, change −31.8 points, better"
    assert [one.isVisible() for one in view.charts] == [True, True, False, False]
    qtbot.mouseMove(first, QPoint(round(first.area().center().x()), round(first.area().center().y())))
    assert second._pointed == pytest.approx(15.0, abs=0.5)
    with qtbot.waitSignal(view.chosen) as chosen:
        qtbot.mouseClick(second, Qt.MouseButton.LeftButton, pos=QPoint(100, 80))
    assert chosen.args == [IOPS]
    with qtbot.waitSignal(view.pinned) as pinned:
        qtbot.mouseClick(second, Qt.MouseButton.LeftButton, pos=second._pin_area().center().toPoint())
    assert pinned.args == [IOPS]


def test_fewer_charts_where_there_is_less_room(theme: Theme, qtbot: QtBot) -> None:
    view = CompareCharts(theme)
    qtbot.addWidget(view)
    view.show()
    rooms = [(1000, 400), (1000, 160), (460, 160)]
    found = []
    for width, height in rooms:
        view.resize(width, height)
        found.append(view.places)
    assert found == [4, 2, 1]


@pytest.mark.parametrize(
    ("minutes", "width", "texts"),
    [
        (30.0, 500.0, ["t0", "+5", "+10", "+15", "+20", "+25", "+30 min"]),
        (1440.0, 400.0, ["t0", "+5", "+10", "+15", "+20 h"]),
        (0.5, 300.0, ["t0", "+0.2", "+0.4 min"]),
    ],
)
def test_minutes_count_from_t0(minutes: float, width: float, texts: list[str]) -> None:
    assert [text for _, text in minute_labels(minutes, width)] == texts


def test_nothing_to_draw_is_no_trouble(theme: Theme, qtbot: QtBot) -> None:
    view = OverlayChartView(theme, NameElider())
    qtbot.addWidget(view)
    empty = np.zeros(0), np.zeros(0)
    view.show_chart(OverlayChart(READY, empty, empty, ([], [])), 10.0)
    assert not view.grab().isNull()
    view.show_chart(None, 10.0)
    assert not view.grab().isNull()


def test_the_load_is_said_in_words_and_what_can_be_left_out_is_a_box(theme: Theme, qtbot: QtBot) -> None:
    section = LoadSection(theme)
    qtbot.addWidget(section)
    window = object()
    lines = (LoadLine("I/Os a second", "4,180 /s → 9,230 /s higher", "warning", "of 18 devices"),)
    block = LoadBlock("warning", "no", "There was more.", lines, ())
    section.show_load(block, [("backup-01 only in A", "210 MB/s", window, False)])  # type: ignore[list-item]
    (card,) = section._cards
    with qtbot.waitSignal(section.left_out) as left_out:
        card.box.setChecked(True)
    assert left_out.args == [window, True]
    assert card.box.accessibleName() == "Leave out: backup-01 only in A"
    assert "4,180 /s → 9,230 /s higher" in section._lines.accessibleDescription()


def test_what_else_differs_opens_the_time_of_an_event(theme: Theme, qtbot: QtBot) -> None:
    view = OtherList(theme, "Settings and events")
    qtbot.addWidget(view)
    view.show_lines(
        (OtherLine("change", "vm db: limit 2,000 → none"), OtherLine("14:41 reconfigure", "x", at=5))
    )
    view.selectRow(1)
    with qtbot.waitSignal(view.opened) as opened:
        qtbot.keyClick(view, Qt.Key.Key_Return)
    assert opened.args[0].at == 5
    assert view.table().rows == (("change", "vm db: limit 2,000 → none"), ("14:41 reconfigure", "x"))


def test_names_in_a_narrow_table_are_cut_once_and_keep_what_differs(
    table: ChangesTable,
) -> None:
    names = [f"MSSQL-BI-05-of-accounting › vCPU {number}" for number in range(4)]
    table.show_rows([replace(READY, rank=at + 1, name=name) for at, name in enumerate(names)], new=True)
    table.resize(640, 300)
    option = QStyleOptionViewItem()
    option.initFrom(table)
    delegate = table.itemDelegate()
    assert isinstance(delegate, QStyledItemDelegate)
    drawn = []
    for row in range(4):
        index = table.changes.index(row, 1)
        option.rect = table.visualRect(index)
        delegate.initStyleOption(option, index)
        inside = table.style().subElementRect(QStyle.SubElement.SE_ItemViewItemText, option, table)
        margin = table.style().pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin, option, table) + 1
        room = inside.width() - 2 * margin
        assert QFontMetrics(option.font).horizontalAdvance(option.text) <= room
        drawn.append(option.text)
    assert len(set(drawn)) == 4
    assert [one[-1] for one in drawn] == ["0", "1", "2", "3"]


def test_a_name_is_cut_only_where_the_style_would_cut_it(table: ChangesTable) -> None:
    """Its room was a guess: names were cut that had room, and others were cut once more by the style."""

    def drawn(name: str) -> tuple[str, int]:
        table.show_rows([replace(READY, name=name)], new=True)
        option = QStyleOptionViewItem()
        option.initFrom(table)
        index = table.changes.index(0, 1)
        option.rect = table.visualRect(index)
        delegate = table.itemDelegate()
        assert isinstance(delegate, QStyledItemDelegate)
        delegate.initStyleOption(option, index)
        inside = table.style().subElementRect(QStyle.SubElement.SE_ItemViewItemText, option, table)
        margin = table.style().pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin, option, table) + 1
        wide = QFontMetrics(option.font).horizontalAdvance
        assert wide(option.text) <= inside.width() - 2 * margin
        return option.text, table.columnWidth(1) - wide(option.text)

    names = ["i" * count for count in range(20, 120)]
    whole = [name for name in names if drawn(name)[0] == name]
    assert 20 < len(whole[-1]) < 119
    assert drawn(whole[-1])[1] < 28, "the room that was kept free before"


def test_what_is_said_of_changes_is_not_said_of_another_list(theme: Theme, qtbot: QtBot) -> None:
    lists = CompareLists(theme, ChangesTable(theme))
    qtbot.addWidget(lists)
    lists.show()
    lists.show_counts("18 rows", "1 undecided", has_more=True)
    event = OtherLine("14:41 reconfigure", "db: CPU limit removed", at=5)
    lists.show_surroundings(Surroundings(LoadBlock("ok", "yes", "", (), ()), (), (), (event,)))
    shown = lambda: [one.text() for one in lists.findChildren(QLabel) if one.isVisible() and one.text()]  # noqa: E731
    assert "18 rows" in shown()
    assert lists.more.isVisible()
    lists.tabs["settings"].click()
    assert "18 rows" not in shown()
    assert "1 undecided" not in shown()
    assert not lists.more.isVisible()
    lists.tabs["changes"].click()
    assert lists.more.isVisible()


def test_buttons_that_are_off_say_why(theme: Theme, qtbot: QtBot) -> None:
    rail = CompareRail(theme)
    qtbot.addWidget(rail)
    rail.show_choices(can_swap=False, has_samples=False)
    assert (rail.swap.isEnabled(), rail.swap.toolTip()) == (
        False, "Nothing is compared yet: choose A and B first",
    )  # fmt: skip
    assert rail.offers.toolTip() == "Without samples there is nothing to compare"
    rail.show_choices(can_swap=True, has_samples=True)
    assert (rail.swap.toolTip(), rail.offers.toolTip()) == ("Swap A and B (X)", "")


@pytest.mark.parametrize(
    ("state", "same", "said"),
    [
        ("ok", 90, "Nothing differs beyond the noise."),
        ("none", 90, "No difference is seen in so few samples."),
        ("none", 10, "No difference is known; most is undecided."),
        ("none", 0, "All is undecided."),
    ],
)
def test_what_is_undecided_is_not_said_to_be_the_same(
    theme: Theme, qtbot: QtBot, state: Health, same: int, said: str
) -> None:
    page = ComparePage(theme)
    qtbot.addWidget(page)
    head = PageHead(state, "", 0, 0, 0, same, 100 - same, "", "")
    page.show_progress(0.5, "reading")
    assert page.charts.charts[0].hint == "Charts of both windows come with the first rows."
    page.show_page(ComparisonPage(head, (), 0), "A against B", has_grown=False)
    assert page.lists.none.reason.text() == f"{said} Choose a longer or another time for A or B on the left."
    assert page.charts.isHidden()
    with qtbot.waitSignal(page.others_wanted, check_params_cb=lambda verdict: verdict == "undecided"):
        page.lists.none.button.click()
    page.show_progress(0.5, "reading")
    assert not page.charts.isHidden()


def test_in_a_low_window_nothing_of_the_page_lies_over_anything(qtbot: QtBot, theme: Theme) -> None:
    """Charts hung over the table's tabs at 1366×768 with large letters."""
    page, window = ComparePage(theme), QWidget()
    qtbot.addWidget(window)
    page.setParent(window)
    line = "Device latency of naa.600508b4000603860001287dbba3 on esx01: 1.32 ms → 38.9 ms. 1,052 more worse."
    page.show_page(
        ComparisonPage(PageHead("critical", line, 0, 3, 0, 9, 0, "", ""), ROWS, 3), "", has_grown=False
    )
    page.setGeometry(0, 0, 680, 300)
    window.resize(680, 300)
    window.show()
    QApplication.processEvents()
    charts, lists = page.charts, page.lists
    below = charts.mapTo(page, QPoint(0, charts.height())).y()
    assert below <= lists.mapTo(page, QPoint(0, 0)).y()
    for chart in charts.charts:
        if chart.isVisible():
            assert chart.mapTo(charts, QPoint(0, chart.height())).y() <= charts.height()


def test_a_comparison_that_was_stopped_leaves_its_sentence_the_room(qtbot: QtBot, theme: Theme) -> None:
    """``Comparing was stopped.`` stood in three lines beside three buttons that were as wide as could be."""
    head = CompareHead(theme)
    qtbot.addWidget(head)
    head.resize(740, 120)
    head.show()
    head.show_head(PageHead("warning", "Ready rose.", 0, 3, 1, 5, 0, "of 9", ""), has_grown=False)
    head.show_words("Comparing was stopped.", "", renew=True)
    qtbot.waitUntil(lambda: head.line.width() > 250)
    assert head.csv.width() <= head.csv.sizeHint().width()


def test_ranks_of_many_digits_are_not_cut(table: ChangesTable) -> None:
    for last in (9, 870, 41_004):
        table.show_rows([READY, replace(READY, rank=last, name="last")])
        QApplication.processEvents()
        room = table.columnWidth(0) - 16
        assert table.fontMetrics().horizontalAdvance(str(last)) <= room
