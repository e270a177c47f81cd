"""The esxtop table paints what is in sight: states, selection, the cell of the keys, frozen names."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QItemSelectionModel, QPoint
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QTableView
from pytestqt.qtbot import QtBot

from sessions.model import EntityRef
from viewmodels.esxtop_table import Row, TableColumn
from widgets.esxtop.model import EsxtopModel
from widgets.esxtop.table import EsxtopTable
from widgets.theme import Theme

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
ROWS = [Row(EntityRef("vm", str(number)), f"vm-{number:04}", "esx01") for number in range(2_000)]
COLUMNS = [TableColumn(f"c{number}", f"%C{number}", "%", "", 5.0, 10.0) for number in range(12)]


@pytest.fixture
def table(qtbot: QtBot, theme: Theme) -> EsxtopTable:
    model = EsxtopModel()
    numbers = np.ones((len(ROWS), len(COLUMNS)))
    numbers[:, 1], numbers[:, 2] = 7.0, 12.0
    made = EsxtopTable(model, theme, lambda _indexes: [])
    model.set_table(ROWS, COLUMNS, numbers)
    qtbot.addWidget(made)
    made.resize(700, 400)
    made.show()
    qtbot.waitExposed(made)
    return made


def colours(table: QTableView, row: int, column: int) -> set[str]:
    """Which colours a cell has."""
    box = table.visualRect(table.model().index(row, column))
    image: QImage = table.viewport().grab(box).toImage()
    return {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}


def ground(table: QTableView, row: int, column: int) -> QColor:
    """The colour of a cell's ground: of its corner, where no words are."""
    box = table.visualRect(table.model().index(row, column))
    return table.viewport().grab(box).toImage().pixelColor(QPoint(box.width() - 2, 1))


def test_states_have_their_colours(table: EsxtopTable, theme: Theme) -> None:
    calm, warned, bad = (ground(table, 3, column) for column in (2, 3, 4))
    assert len({calm.name(), warned.name(), bad.name()}) == 3
    assert theme.tokens.critical in colours(table, 3, 4)
    assert theme.tokens.critical not in colours(table, 3, 3)


def test_selection_and_the_cell_of_the_keys(table: EsxtopTable, theme: Theme, qtbot: QtBot) -> None:
    model, before = table.model(), ground(table, 5, 2)
    table.activateWindow()
    table.setFocus()
    qtbot.waitUntil(table.hasFocus)
    table.setCurrentIndex(model.index(5, 2))
    assert ground(table, 5, 2) != before
    assert theme.tokens.accent in colours(table, 5, 2)
    assert ground(table, 5, 5) != ground(table, 6, 5)  # its row is tinted as well
    table.selectionModel().select(model.index(9, 2), QItemSelectionModel.SelectionFlag.Select)
    assert ground(table, 9, 2) == ground(table, 9, 2) != before
    assert theme.tokens.accent not in colours(table, 9, 2)
    table.selectAll()
    assert ground(table, 12, 2) != before


def test_below_the_last_row_is_nothing(table: EsxtopTable, theme: Theme) -> None:
    model = table.model()
    assert isinstance(model, EsxtopModel)
    model.set_table(ROWS[:2], COLUMNS, np.ones((2, len(COLUMNS))))
    image = table.viewport().grab().toImage()
    below = {image.pixelColor(x, 100).name() for x in range(0, image.width(), 3)}
    assert len(below) == 1


def test_names_stay_in_sight(table: EsxtopTable, theme: Theme) -> None:
    names = table.findChild(QTableView, "frozen-names")
    assert names is not None
    table.horizontalScrollBar().setValue(table.horizontalScrollBar().maximum())
    assert theme.tokens.text in colours(names, 3, 0)
    table.scrollToBottom()
    assert theme.tokens.text in colours(names, len(ROWS) - 1, 0)
