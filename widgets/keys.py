"""The keys of a view as a table, which its key handler and the shortcut sheet both read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QKeyCombination, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

_SAME_KEY = {Qt.Key.Key_Enter: Qt.Key.Key_Return}


@dataclass(frozen=True, slots=True)
class KeyRow:
    """What some keys do in a view. ``keys`` are Qt's portable names: ``Up``, ``Shift+V``, ``V`` without
    Shift.
    """

    id: str
    title: str
    keys: tuple[str, ...]


def key_name(event: QKeyEvent) -> str:
    """Return Qt's portable name of a pressed key; keys of the number pad have the names of the others."""
    key = Qt.Key(event.key())
    modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    if 0x21 <= event.key() <= 0x7E and not chr(event.key()).isalpha():
        modifiers &= ~Qt.KeyboardModifier.ShiftModifier  # ``+`` needs Shift on some keyboards
    combination = QKeyCombination(modifiers, _SAME_KEY.get(key, key))
    return QKeySequence(combination).toString(QKeySequence.SequenceFormat.PortableText)


class KeyHandlers:
    """Calls a view's handler when a key of the table is pressed; the handler gets the key's name."""

    def __init__(self, rows: Sequence[KeyRow], handlers: Mapping[str, Callable[[str], object]]) -> None:
        """``handlers`` are by row id; KeyError if a row has none."""
        self._by_key = {key: handlers[row.id] for row in rows for key in row.keys}

    def has(self, event: QKeyEvent) -> bool:
        """Return True if the key is in the table."""
        return key_name(event) in self._by_key

    def press(self, event: QKeyEvent) -> bool:
        """Call the key's handler; returns False if the key is not in the table."""
        handler = self._by_key.get(key_name(event))
        if handler is None:
            return False
        handler(key_name(event))
        return True
