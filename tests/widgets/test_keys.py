"""Keys of views as rows: what a key is called, and that each row does something."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent

from resources.catalogue import load_catalogue
from resources.views import load_screens
from widgets.esxtop import key_rows
from widgets.keys import KeyHandlers, KeyRow, key_name

NONE, SHIFT, CTRL, PAD = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.KeypadModifier,
)


def pressed(key: Qt.Key, modifiers: Qt.KeyboardModifier = NONE) -> QKeyEvent:
    return QKeyEvent(QEvent.Type.KeyPress, key, modifiers)


@pytest.mark.parametrize(
    ("key", "modifiers", "name"),
    [
        (Qt.Key.Key_V, NONE, "V"),
        (Qt.Key.Key_V, SHIFT, "Shift+V"),
        (Qt.Key.Key_Return, CTRL, "Ctrl+Return"),
        (Qt.Key.Key_Enter, PAD, "Return"),
        (Qt.Key.Key_Up, PAD, "Up"),
        (Qt.Key.Key_PageDown, NONE, "PgDown"),
        (Qt.Key.Key_Plus, SHIFT, "+"),
        (Qt.Key.Key_Left, SHIFT, "Shift+Left"),
        (Qt.Key.Key_Escape, NONE, "Esc"),
    ],
)
def test_what_a_key_is_called(key: Qt.Key, modifiers: Qt.KeyboardModifier, name: str) -> None:
    assert key_name(pressed(key, modifiers)) == name


def test_a_key_of_a_row_does_what_the_row_is_for() -> None:
    done: list[str] = []
    rows = (KeyRow("move", "Move", ("Up", "Down")), KeyRow("open", "Open", ("Return",)))
    keys = KeyHandlers(rows, {"move": done.append, "open": lambda _key: done.append("opened")})
    assert [keys.press(pressed(key)) for key in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_X)] == [
        True,
        True,
        False,
    ]
    assert done == ["Down", "opened"]
    assert keys.has(pressed(Qt.Key.Key_Up))
    assert not keys.has(pressed(Qt.Key.Key_Up, CTRL))


def test_a_row_without_a_handler_is_a_bug() -> None:
    with pytest.raises(KeyError):
        KeyHandlers((KeyRow("move", "Move", ("Up",)),), {})


def test_no_key_of_the_esxtop_view_means_two_things() -> None:
    rows = key_rows(load_screens(load_catalogue()))
    keys = [key for row in rows for key in row.keys]
    assert len(keys) == len(set(keys))
    assert {"C", "Shift+V", "Shift+R", "R", "Return"} <= set(keys)
