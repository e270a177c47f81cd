"""Charts are moved: by drag, from their menus, by keys; and back by undo."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QDrag, QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from tests.gui.test_chart_closing import opened, titles
from tests.gui.windows import wait
from widgets.charts.stack import ChartStack
from widgets.dragging import pack_chart

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def drop_chart(stack: ChartStack, number: int, at: QPoint, data: QMimeData | None = None) -> None:
    """What Qt does between press and release: the drag begins at a head, and ends over the stack."""
    view = stack.viewport()
    card = stack.cards[number]
    data = data or pack_chart(())
    begin = QPointF(view.mapFromGlobal(card.mapToGlobal(QPoint(40, 12))))
    button, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    move = Qt.DropAction.MoveAction
    QApplication.sendEvent(view, QDragEnterEvent(begin.toPoint(), move, data, button, none))
    QApplication.sendEvent(view, QDropEvent(QPointF(at), move, data, button, none))


def below(stack: ChartStack, number: int) -> QPoint:
    card = stack.cards[number]
    return card.mapTo(stack.viewport(), QPoint(200, card.height() - 8))


def test_keys_move_the_chart_and_keep_the_focus(live: Program, qtbot: QtBot, home: Path) -> None:
    stack = opened(live, qtbot, home)
    before = titles(stack)
    stack.cards[0].plot.setFocus()
    QTest.keyClick(stack.cards[0].plot, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    wait(qtbot, lambda: titles(stack) == [before[1], before[0], *before[2:]])
    wait(qtbot, lambda: stack.cards[1].plot.hasFocus() or stack.cards[1].line.hasFocus())
    assert not live.desk.charts.choice.pinned
    live.window.actions_by_id["edit.undo"].trigger()
    wait(qtbot, lambda: titles(stack) == before)
    live.window.actions_by_id["edit.redo"].trigger()
    wait(qtbot, lambda: titles(stack) == [before[1], before[0], *before[2:]])
    entry = next(one for one in stack.cards[1].menu.entries() if one is not None and one.text == "Move up")
    entry.act()
    wait(qtbot, lambda: titles(stack) == before)


def test_the_first_chart_goes_no_further_up(live: Program, qtbot: QtBot, home: Path) -> None:
    stack = opened(live, qtbot, home)
    before = titles(stack)
    QTest.keyClick(stack.cards[0].plot, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    QApplication.processEvents()
    assert titles(stack) == before
    assert not live.window.actions_by_id["edit.undo"].isEnabled()


def test_a_dragged_chart_that_is_of_another_program_is_nothing(
    live: Program, qtbot: QtBot, home: Path
) -> None:
    stack = opened(live, qtbot, home)
    before = titles(stack)
    drop_chart(stack, 0, below(stack, 1))
    QApplication.processEvents()
    assert titles(stack) == before


def test_charts_that_go_while_one_is_dragged_leave_nowhere_to_put_it(
    live: Program, qtbot: QtBot, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack = opened(live, qtbot, home)

    def drag_over_nothing(moving: QDrag, _actions: Qt.DropAction) -> Qt.DropAction:
        live.desk.session.close()
        wait(qtbot, lambda: not stack.cards)
        data = pack_chart(())
        button, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        over = QDragEnterEvent(QPoint(200, 100), Qt.DropAction.MoveAction, data, button, none)
        QApplication.sendEvent(stack.viewport(), over)
        drop = QDropEvent(QPointF(200, 100), Qt.DropAction.MoveAction, data, button, none)
        QApplication.sendEvent(stack.viewport(), drop)
        return Qt.DropAction.IgnoreAction

    monkeypatch.setattr(QDrag, "exec", drag_over_nothing)
    grip = stack.cards[0].head.grip
    qtbot.mousePress(grip, Qt.MouseButton.LeftButton, pos=QPoint(2, 2))
    qtbot.mouseMove(grip, QPoint(40, 60))
    wait(qtbot, lambda: live.desk.session.path is None)
