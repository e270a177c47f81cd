"""A filter field: Escape clears it, Escape again or Down leaves it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from widgets.keys import KeyHandlers, KeyRow

KEYS = (KeyRow("leave", "Clear the search, or leave it", ("Esc", "Down")),)


class SearchField(QLineEdit):
    """The field; ``left`` is emitted when the keyboard focus should move to the list below."""

    left = Signal()

    def __init__(self, hint: str, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent, placeholderText=hint, clearButtonEnabled=True)
        self.setAccessibleName(name)
        self._keys = KeyHandlers(KEYS, {"leave": self._clear_or_leave})

    def event(self, event: QEvent) -> bool:
        """Claim the key Escape, even if the window has a shortcut on it."""
        override = event.type() == QEvent.Type.ShortcutOverride
        if override and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Handle Escape and Down; other keys edit the text."""
        if not self._keys.press(event):
            super().keyPressEvent(event)

    def _clear_or_leave(self, key: str) -> None:
        if key == "Esc" and self.text():
            self.clear()
        else:
            self.left.emit()
