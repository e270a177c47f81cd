"""A dialog that was closed lives until menus and drags of it have returned; files are only chosen in it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QTimer
from PySide6.QtGui import QAction, QDrag
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QFileDialog,
    QHeaderView,
    QMenu,
    QTreeView,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from widgets.dialog_opening import delete_after_end, open_dialog

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    return window


def a_dialog(window: QWidget) -> tuple[QDialog, QHeaderView]:
    dialog = QDialog(window)
    tree = QTreeView()
    QVBoxLayout(dialog).addWidget(tree)
    delete_after_end(dialog)
    dialog.open()
    return dialog, tree.header()


def test_a_dialog_is_deleted_after_its_end(window: QWidget, qtbot: QtBot) -> None:
    dialog, _ = a_dialog(window)
    dialog.reject()
    qtbot.waitUntil(lambda: not isValid(dialog))


def test_a_dialog_that_ends_while_its_menu_is_open_outlives_the_menu(window: QWidget, qtbot: QtBot) -> None:
    """As Qt's file dialog does it: a menu on the stack whose parent is the header of the list."""
    dialog, header = a_dialog(window)
    found: list[bool] = []

    def look_and_close() -> None:
        found.append(isValid(dialog) and isValid(header))
        for popup in window.findChildren(QMenu):
            popup.close()

    QTimer.singleShot(20, window, dialog.reject)
    QTimer.singleShot(400, window, look_and_close)
    QMenu.exec([QAction("Size", window)], QPoint(10, 10), None, header)
    found.append(isValid(dialog))
    assert found == [True, True]
    qtbot.waitUntil(lambda: not isValid(dialog))


def test_a_dialog_that_ends_while_something_of_it_is_dragged_outlives_the_drag(
    window: QWidget, qtbot: QtBot
) -> None:
    dialog, header = a_dialog(window)
    dragged = QDrag(header)  # as the list does; the loop of a drag returns to it
    dialog.reject()
    qtbot.wait(400)
    assert isValid(dialog)
    assert isValid(dragged)
    dragged.deleteLater()
    qtbot.waitUntil(lambda: not isValid(dialog))


def test_no_file_can_be_dragged_into_another_folder(window: QWidget, qtbot: QtBot) -> None:
    """Qt's own dialog moves a file that is dropped on a folder."""
    dialog = QFileDialog(window, "Open")
    assert any(view.dragEnabled() for view in dialog.findChildren(QAbstractItemView))
    open_dialog(dialog)
    views = dialog.findChildren(QAbstractItemView)
    assert not [one for one in views if one.dragEnabled() or one.viewport().acceptDrops()]
    dialog.reject()
    qtbot.waitUntil(lambda: not isValid(dialog))
