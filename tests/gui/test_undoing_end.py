"""What can be undone goes with the window, without a word."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QUndoCommand
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from app.gui.application import Program
from app.gui.undoing import Undoing


def test_steps_that_are_left_go_in_silence(live: Program, qtbot: QtBot) -> None:
    owner = QObject()
    undoing = Undoing(live.desk, live.window, owner)
    undoing.push(QUndoCommand("a chart"))
    assert live.window.actions_by_id["edit.undo"].isEnabled()
    with qtbot.captureExceptions() as raised:
        delete(owner)
    assert not raised
