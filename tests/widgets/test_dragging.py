"""Counters that are dragged onto charts: what is taken of what arrives, and when a press becomes a drag."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QDrag, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import delete, isValid

from widgets.dragging import SERIES_MIME, Draggable, DropTarget, drag, pack_series, unpack_series

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")
"""The offscreen platform says so of every window."""


def test_what_is_packed_is_unpacked() -> None:
    assert unpack_series(bytes(pack_series([3, 1, 2]).data(SERIES_MIME).data())) == [3, 1, 2]


@pytest.mark.parametrize(
    "data", [b"", b"\xff", b"[1, 2", b"{}", b"7", b'["1", 2.5, null, true, [3]]', b'"[1]"', b"[NaN]"]
)
def test_what_other_programs_drop_is_no_series(data: bytes) -> None:
    assert unpack_series(data) == []


def test_so_many_are_enough() -> None:
    assert len(unpack_series(b"[" + b"1," * 100_000 + b"1]")) == 1_000


def test_a_press_that_moves_far_is_a_drag(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the mouse was pressed counts, not where the drag began."""
    dragged: list[list[int]] = []

    def take(moving: QDrag, _actions: Qt.DropAction) -> Qt.DropAction:
        dragged.append(unpack_series(bytes(moving.mimeData().data(SERIES_MIME).data())))
        return Qt.DropAction.CopyAction

    monkeypatch.setattr(QDrag, "exec", take)
    widget = QWidget()
    qtbot.addWidget(widget)
    widget.resize(200, 200)
    widget.show()

    def what(at: QPoint) -> tuple[Sequence[int], str]:
        return ([at.y()], "<b>ready</b>") if at.y() > 10 else ((), "")

    Draggable(widget, what)
    for start in (40, 5):
        qtbot.mousePress(widget, Qt.MouseButton.LeftButton, pos=QPoint(20, start))
        qtbot.mouseMove(widget, QPoint(22, start + 1))
        assert dragged in ([], [[40]])
        qtbot.mouseMove(widget, QPoint(60, start + 50))
        qtbot.mouseMove(widget, QPoint(80, start + 60))
        qtbot.mouseRelease(widget, Qt.MouseButton.LeftButton, pos=QPoint(80, start + 60))
    assert dragged == [[40]]


def test_a_button_is_not_left_pressed_by_a_drag(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """The drag takes the release for which a button waits."""
    monkeypatch.setattr(QDrag, "exec", lambda _moving, _actions: Qt.DropAction.IgnoreAction)
    button = QPushButton("row")
    qtbot.addWidget(button)
    button.resize(200, 40)
    button.show()
    Draggable(button, lambda _at: ([1], "row"))
    qtbot.mousePress(button, Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
    assert button.isDown()
    qtbot.mouseMove(button, QPoint(90, 20))
    assert not button.isDown()


def test_series_are_dropped_on_a_target_and_nothing_else(qtbot: QtBot) -> None:
    taken: list[bytes] = []
    widget = QWidget()
    qtbot.addWidget(widget)
    DropTarget(widget, taken.append)
    assert widget.acceptDrops()
    copy, left, plain = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    text, series = QMimeData(), pack_series([7, 9])
    text.setText("no series")
    for data, welcome in ((text, False), (series, True)):
        enter = QDragEnterEvent(QPoint(1, 1), copy, data, left, plain)
        enter.ignore()
        QApplication.sendEvent(widget, enter)
        assert enter.isAccepted() is welcome
    QApplication.sendEvent(widget, QDropEvent(QPointF(1, 1), copy, series, left, plain))
    assert [unpack_series(data) for data in taken] == [[7, 9]]


def test_what_is_dragged_from_may_go_meanwhile(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """A legend is renewed while one of its names is dragged: Qt goes on using the drag after its end."""
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(200, 200)
    entry = QPushButton("ready", window)
    Draggable(entry, lambda _at: ([7], "ready"))
    window.show()
    outlived: list[bool] = []

    def take(moving: QDrag, _actions: Qt.DropAction) -> Qt.DropAction:
        delete(entry)
        outlived.append(isValid(moving))
        return Qt.DropAction.IgnoreAction

    monkeypatch.setattr(QDrag, "exec", take)
    qtbot.mousePress(entry, Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
    qtbot.mouseMove(entry, QPoint(90, 20))
    assert outlived == [True]


def test_only_one_drag_goes_on_at_a_time(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """After Escape Qt lets the mouse through until that key is released: no second drag may begin then."""
    window = QWidget()
    qtbot.addWidget(window)
    begun: list[list[int]] = []

    def take(moving: QDrag, _actions: Qt.DropAction) -> Qt.DropAction:
        begun.append(unpack_series(bytes(moving.mimeData().data(SERIES_MIME).data())))
        drag(window, [8], "begun while the first one goes on")
        return Qt.DropAction.IgnoreAction

    monkeypatch.setattr(QDrag, "exec", take)
    drag(window, [7], "the first")
    drag(window, [9], "begun after the first one's end")
    assert begun == [[7], [9]]


def test_what_is_shown_while_dragging_is_no_window(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """The window may be closed while something is dragged: nothing of it may stay behind."""
    window = QWidget()
    qtbot.addWidget(window)
    before = set(QApplication.topLevelWidgets())
    new: list[QWidget] = []

    def take(moving: QDrag, _actions: Qt.DropAction) -> Qt.DropAction:
        new.extend(set(QApplication.topLevelWidgets()) - before)
        assert not moving.pixmap().isNull()
        return Qt.DropAction.IgnoreAction

    monkeypatch.setattr(QDrag, "exec", take)
    drag(window, [7], "ready")
    assert new == []
