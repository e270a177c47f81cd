"""The esxtop page in the whole window: its keys, its screens, and the session's numbers in it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from sessions.store import SessionReader
from tests.gui.one_window import opened, press, program, session, snapshot_of
from tests.gui.recordings import record
from tests.gui.windows import WAIT, child_of
from viewmodels.name_order import natural
from widgets.esxtop import EsxtopModel, EsxtopView
from widgets.marks import MarkNote

__all__ = ["opened", "program", "session"]


def test_esxtops_keys(opened: Program, qtbot: QtBot) -> None:
    opened.window.show_panel("esxtop")
    panel = child_of(opened.window, EsxtopView)
    qtbot.waitUntil(lambda: panel.table.model().rowCount() > 40, timeout=WAIT)
    model = child_of(opened.window, EsxtopModel)
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
    panel = child_of(opened.window, EsxtopView)
    model = child_of(opened.window, EsxtopModel)
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


def test_a_physical_cpu_has_one_row_with_a_column_for_each_of_its_states(
    opened: Program, qtbot: QtBot, tmp_path: Path
) -> None:
    session = record(tmp_path / "states.hscope", seconds=120, fields="all")
    opened.workbench.open_paths([session])
    qtbot.waitUntil(lambda: opened.desk.session.path == session, timeout=WAIT)
    opened.window.show_panel("esxtop")
    panel = child_of(opened.window, EsxtopView)
    model = child_of(opened.window, EsxtopModel)
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
    panel = child_of(opened.window, EsxtopView)
    model, table = child_of(opened.window, EsxtopModel), panel.table
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
    panel = child_of(opened.window, EsxtopView)
    model = child_of(opened.window, EsxtopModel)
    qtbot.waitUntil(lambda: model.rowCount() > 40, timeout=WAIT)
    qtbot.keyClick(panel.table, Qt.Key.Key_D)
    assert {model.row_at(row)[1].name for row in range(model.rowCount())} == {"vmhba0", "vmhba1", "vmhba2"}
    qtbot.keyClick(panel.table, Qt.Key.Key_N)
    names = {model.row_at(row)[1].name for row in range(model.rowCount())}
    assert "vmnic2" in names
    assert any(name.startswith("web01  vSwitch") for name in names)


def cells(model: EsxtopModel, row: int) -> list[str]:
    return [str(model.index(row, column).data()) for column in range(2, model.columnCount())]


def test_the_numbers_are_those_of_the_session(opened: Program, session: Path, qtbot: QtBot) -> None:
    opened.window.show_panel("esxtop")
    model = child_of(opened.window, EsxtopModel)
    qtbot.waitUntil(lambda: model.column_of("cpu.ready") > 0, timeout=WAIT)
    column = model.column_of("cpu.ready")
    qtbot.waitUntil(lambda: model.index(0, column).data() != "–", timeout=WAIT)
    _, row = model.row_at(0)
    shown = [one.id for one in snapshot_of(opened).series_of[row.ref] if one.counter == "cpu.ready"]
    ids = np.array(shown, np.int64)
    with SessionReader.open(session) as reader:
        last = reader.read(ids)[0].values[-1, 0]
    assert float(str(model.index(0, column).data()).lstrip("▲◆ ")) == pytest.approx(last, abs=0.006)
