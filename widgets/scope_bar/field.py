"""The text field of the scope bar: arrow keys move in the suggestions, Tab completes, Escape leaves."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QLineEdit

from widgets.keys import KeyHandlers, KeyRow

KEYS = (
    KeyRow("suggest", "Move in the suggestions", ("Up", "Down", "PgUp", "PgDown")),
    KeyRow("complete", "Complete what is typed", ("Tab",)),
    KeyRow("enter", "Look at what is typed", ("Return",)),
    KeyRow("leave", "Leave everything as it was", ("Esc",)),
)
_STEPS = {"Up": -1, "Down": 1, "PgUp": -10, "PgDown": 10}


class ScopeField(QLineEdit):
    """The field. Signals: ``moved`` by how many suggestions, ``completed``, ``entered``, ``left``."""

    moved = Signal(int)
    completed = Signal()
    entered = Signal()
    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("scope-field")
        self.setAccessibleName("Scope: names, times, counters")
        self.setPlaceholderText("db-prod · VM:web* · 02:40–02:55 · -15m · ready web03")
        self._keys = KeyHandlers(
            KEYS,
            {
                "suggest": lambda key: self.moved.emit(_STEPS[key]),
                "complete": lambda _key: self.completed.emit(),
                "enter": lambda _key: self.entered.emit(),
                "leave": lambda _key: self.left.emit(),
            },
        )

    def event(self, event: QEvent) -> bool:
        """Claim the field's keys, also those that the window has shortcuts on, and Tab."""
        if isinstance(event, QKeyEvent) and self._keys.has(event):
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress and self._keys.press(event):
                return True
        return super().event(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """Leave, unless only a menu or another window took the keyboard."""
        super().focusOutEvent(event)
        passing = {Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason}
        if event.reason() not in passing:
            self.left.emit()
