"""The keys of a view as rows of a table, which its key handler and the shortcut sheet both read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QKeyCombination, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

_SAME_KEY = {Qt.Key.Key_Enter: Qt.Key.Key_Return}


@dataclass(frozen=True, slots=True)
class KeyRow:
    """What some keys do in a view. ``keys`` have portable names: ``Up``, ``Shift+V``, ``V`` without Shift."""

    id: str
    title: str
    keys: tuple[str, ...]


def key_name(event: QKeyEvent) -> str:
    """The portable name of a key that was pressed; the number pad's keys are called as the others are."""
    key = Qt.Key(event.key())
    modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    if 0x21 <= event.key() <= 0x7E and not chr(event.key()).isalpha():
        modifiers &= ~Qt.KeyboardModifier.ShiftModifier  # ``+`` needs Shift on some keyboards
    combination = QKeyCombination(modifiers, _SAME_KEY.get(key, key))
    return QKeySequence(combination).toString(QKeySequence.SequenceFormat.PortableText)


class KeyHandlers:
    """What a view does when a key of its rows is pressed; a handler is given the name of the key."""

    def __init__(self, rows: Sequence[KeyRow], handlers: Mapping[str, Callable[[str], object]]) -> None:
        """``handlers`` by the ids of the rows; KeyError for a row without one."""
        self._by_key = {key: handlers[row.id] for row in rows for key in row.keys}

    def has(self, event: QKeyEvent) -> bool:
        """Whether the key is one of the rows'."""
        return key_name(event) in self._by_key

    def press(self, event: QKeyEvent) -> bool:
        """Do what the key is for; False when it is none of the rows'."""
        handler = self._by_key.get(key_name(event))
        if handler is None:
            return False
        handler(key_name(event))
        return True
