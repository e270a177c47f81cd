"""A field that filters what is below it: Escape clears it, and leaves it when it is clear; so does Down."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from widgets.keys import KeyHandlers, KeyRow

KEYS = (KeyRow("leave", "Clear the search, or leave it", ("Esc", "Down")),)


class SearchField(QLineEdit):
    """``left`` when the keys should go to what is below it."""

    left = Signal()

    def __init__(self, hint: str, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent, placeholderText=hint, clearButtonEnabled=True)
        self.setAccessibleName(name)
        self._keys = KeyHandlers(KEYS, {"leave": self._clear_or_leave})

    def event(self, event: QEvent) -> bool:
        """Take Escape for the field itself, even where the window has a shortcut on that key."""
        override = event.type() == QEvent.Type.ShortcutOverride
        if override and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """What is not text."""
        if not self._keys.press(event):
            super().keyPressEvent(event)

    def _clear_or_leave(self, key: str) -> None:
        if key == "Esc" and self.text():
            self.clear()
        else:
            self.left.emit()
