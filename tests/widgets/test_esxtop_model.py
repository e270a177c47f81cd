"""The esxtop table: order, limits, families that stay together, numbers as esxtop prints them."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from sessions.model import EntityRef
from viewmodels.esxtop_cells import decimals_of, number_text
from viewmodels.esxtop_table import Row, TableColumn
from widgets.esxtop import EsxtopModel, EsxtopTable
from widgets.esxtop.model import STATE
from widgets.theme import Theme

DOWN = Qt.SortOrder.DescendingOrder
COLUMNS = (
    TableColumn("cpu.used", "%USED", "%", "used", 75.0, 90.0),
    TableColumn("cpu.ready", "%RDY", "%", "ready", 5.0),
)
ROWS = (
    Row(EntityRef("vm", "a"), "alpha", "esx1", expandable=True),
    Row(EntityRef("vcpu", "a0"), "vCPU 0", "esx1", depth=1),
    Row(EntityRef("vcpu", "a1"), "vCPU 1", "esx1", depth=1),
    Row(EntityRef("vm", "b"), "<b>bold</b>\n\u202egnp.exe", "esx2"),
    Row(EntityRef("vm", "c"), "gamma", "esx1"),
)
NUMBERS = np.array([[20.0, 1.0], [10.0, 0.5], [30.0, 1.5], [95.0, np.nan], [80.0, 7.0]])


@pytest.fixture
def model(qapp: object) -> EsxtopModel:
    found = EsxtopModel()
    found.set_table(ROWS, COLUMNS, NUMBERS)
    return found


def names(model: EsxtopModel) -> list[str]:
    return [model.row_at(row)[1].name[:5] for row in range(model.rowCount())]


def test_qt_accepts_it(model: EsxtopModel) -> None:
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.sort(2, DOWN)
    model.set_table(ROWS, COLUMNS, NUMBERS[::-1].copy())
    model.set_table(ROWS[:2], COLUMNS, NUMBERS[:2])
    model.set_table((), ())


def test_families_stay_together(model: EsxtopModel) -> None:
    model.sort(2, DOWN)
    assert names(model) == ["<b>bo", "gamma", "alpha", "vCPU ", "vCPU "]
    assert [model.row_at(row)[1].ref.key for row in (3, 4)] == ["a1", "a0"]


def test_absent_numbers_go_last_either_way(model: EsxtopModel) -> None:
    model.sort(3, DOWN)
    assert names(model)[-1] == "<b>bo"
    model.sort(3, Qt.SortOrder.AscendingOrder)
    assert names(model)[-1] == "<b>bo"


def test_a_selected_row_stays_selected_when_numbers_change_the_order(model: EsxtopModel) -> None:
    model.sort(2, DOWN)
    kept = QPersistentModelIndex(model.index(1, 0))
    other = NUMBERS.copy()
    other[4, 0] = 1.0
    model.set_table(ROWS, COLUMNS, other)
    assert model.row_at(kept.row())[1].name == "gamma"


def test_limits_hold_only_for_the_kinds_that_they_were_made_for(model: EsxtopModel) -> None:
    """The group `system` waits for the sum of its 50 worlds: that is no VM that is not served."""
    ready = TableColumn("cpu.ready", "%RDY", "%", "ready", 5.0, 10.0, kinds=frozenset({"vm", "vcpu"}))
    rows = (ROWS[0], Row(EntityRef("world", "system"), "system", "esx1"))
    model.set_table(rows, (ready,), np.array([[12.0], [1035.8]]))
    states = {row.name: model.index(model.place_of(row.ref), 2).data(STATE) for row in rows}
    assert states == {"alpha": "critical", "system": ""}


def test_the_latency_of_a_device_without_load_is_not_judged(model: EsxtopModel) -> None:
    """A CD-ROM that is probed twice a second takes 30 ms: its card finds nothing, the table marks nothing."""
    latency = TableColumn("disk.device_latency", "DAVG/cmd", "ms", "", 10.0, 20.0, load="iops", least=20.0)
    rows = [Row(EntityRef("device", name), name, "esx1") for name in ("lun", "cdrom", "unknown")]
    loads = {"iops": np.array([500.0, 2.0, np.nan])}
    model.set_table(rows, (latency,), np.array([[30.0], [30.0], [30.0]]), None, loads)
    states = {row.name: model.index(model.place_of(row.ref), 2).data(STATE) for row in rows}
    assert states == {"lun": "critical", "cdrom": "", "unknown": ""}


def test_limits_are_a_state_and_a_symbol(model: EsxtopModel) -> None:
    cells = {
        model.row_at(row)[1].name[:5]: (
            model.index(row, 2).data(STATE),
            str(model.index(row, 2).data()),
        )
        for row in (model.place_of(ROWS[0].ref), model.place_of(ROWS[3].ref), model.place_of(ROWS[4].ref))
    }
    assert cells == {
        "alpha": ("", "20.00"),
        "<b>bo": ("critical", "▲ 95.00"),
        "gamma": ("warning", "◆ 80.00"),
    }


def test_a_dash_says_why(model: EsxtopModel) -> None:
    counted = np.ones(NUMBERS.shape, bool)
    counted[4, 0] = False
    numbers = NUMBERS.copy()
    numbers[4, 0] = np.nan
    model.set_table(ROWS, COLUMNS, numbers, counted)
    silent, never = (
        str(model.index(model.place_of(ROWS[row].ref), column).data(Qt.ItemDataRole.ToolTipRole))
        for row, column in ((3, 3), (4, 2))
    )
    assert "no sample at this moment" in silent
    assert "no source counts this for a VM" in never
    there = model.index(model.place_of(ROWS[0].ref), 2).data(Qt.ItemDataRole.ToolTipRole)
    assert "20 %" in str(there)


def test_hostile_names_are_text_on_one_line(model: EsxtopModel) -> None:
    text = str(model.index(model.place_of(EntityRef("vm", "b")), 0).data())
    assert text == "<b>bold</b> �gnp.exe"


@pytest.mark.parametrize(
    ("values", "unit", "texts"),
    [
        ((1.234, 0.0, float("nan")), "%", ["1.23", "0.00", "–"]),
        ((2894.1, 0.27), "%", ["2894.10", "0.27"]),
        ((4321.04, 80.0), "MB", ["4321.0", "80.0"]),
        ((12_345.6, 8192.0, 7.4), "MB", ["12,346", "8,192", "7"]),
        ((999.96, 1.0), "/s", ["1000.0", "1.0"]),
        ((9.0, 31.0), "count", ["9", "31"]),
        ((9.0, 31.5), "count", ["9.00", "31.50"]),
        ((float("nan"),), "%", ["–"]),
        ((1e150, -1e150, 3.0), "count", ["1.00×10¹⁵⁰", "−1.00×10¹⁵⁰", "3"]),
    ],
)
def test_the_numbers_of_a_column_have_the_same_decimals(
    values: tuple[float, ...], unit: str, texts: list[str]
) -> None:
    decimals = decimals_of(np.array(values), unit)
    assert [number_text(value, decimals) for value in values] == texts


def test_two_thousand_rows_are_sorted_by_arrays(model: EsxtopModel) -> None:
    rows = [Row(EntityRef("vm", str(n)), f"vm{n}", "esx1") for n in range(2_000)]
    numbers = np.random.default_rng(1).random((2_000, 2)) * 100
    model.set_table(rows, COLUMNS, numbers)
    model.sort(2, DOWN)
    shown = [float(str(model.index(row, 2).data()).lstrip("◆▲ ")) for row in range(2_000)]
    assert shown == sorted(shown, reverse=True)


def test_no_number_is_cut_and_the_sorted_column_is_seen(theme: Theme, qtbot: QtBot) -> None:
    model = EsxtopModel()
    table = EsxtopTable(model, theme, lambda _cells: [])
    qtbot.addWidget(table)
    table.resize(420, 200)
    table.show()
    columns = [TableColumn(f"c{n}", f"C{n}", "MB", "", 10.0) for n in range(12)]
    model.set_table(ROWS, columns, np.full((5, 12), 1.0))
    model.set_table(ROWS, columns, np.full((5, 12), 123_456_789.0))
    for column in range(2, model.columnCount()):
        text = str(model.index(0, column).data())
        assert text == "◆ 123,456,789"
        assert table.fontMetrics().horizontalAdvance(text) + 12 <= table.columnWidth(column)
    assert model.widest(2) == "◆ 123,456,789"
    numbers = np.array([[1234.0], [0.5], [np.nan], [12.0], [3.0]])  # only vCPUs are judged
    model.set_table(ROWS, [TableColumn("c", "C", "%", "", 10.0, kinds=frozenset({"vcpu"}))], numbers)
    assert model.widest(2) == "1234.00"
    model.set_table(ROWS, columns, np.full((5, 12), 123_456_789.0))
    for column in (13, 2, 7):
        table.reveal(column)
        left = table.columnViewportPosition(column)
        assert table.columnWidth(0) <= left
        assert left + table.columnWidth(column) <= table.viewport().width()
