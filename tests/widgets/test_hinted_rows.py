"""Rows of the palette and the suggestions: told apart, hostile text as text, hover seen."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from widgets.hinted_rows import HintedList, HintedRow
from widgets.theme import Theme

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def row_picture(rows: HintedList, number: int) -> QImage:
    return rows.viewport().grab(rows.visualItemRect(rows.item(number))).toImage()


@pytest.fixture
def rows(qtbot: QtBot, theme: Theme) -> HintedList:
    found = HintedList(theme)
    qtbot.addWidget(found)
    found.resize(320, 200)
    found.show()
    return found


def test_long_names_that_differ_at_their_ends_are_told_apart(rows: HintedList) -> None:
    common = "Production database of the northern branch office, number "
    rows.show_rows([HintedRow(common + number, "VM") for number in ("11", "12")])
    assert row_picture(rows, 0) != row_picture(rows, 1)


def test_a_row_under_the_mouse_is_marked(rows: HintedList) -> None:
    rows.show_rows([HintedRow("Close", "Ctrl+W"), HintedRow("Open", "Ctrl+O")])
    plain = row_picture(rows, 0)
    QTest.mouseMove(rows.viewport(), rows.visualItemRect(rows.item(0)).center())
    QTest.qWait(50)
    assert row_picture(rows, 0) != plain


def test_a_row_is_read_aloud_with_its_hint_and_shows_no_line_break(rows: HintedList) -> None:
    rows.show_rows([HintedRow("db\n01", "VM"), HintedRow("Open", "")])
    item = rows.item(0)
    assert "\n" not in item.text()
    assert item.data(Qt.ItemDataRole.AccessibleTextRole).endswith(", VM")
    assert rows.item(1).data(Qt.ItemDataRole.AccessibleTextRole) == "Open"
