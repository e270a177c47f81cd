"""A filter field: Escape clears it, Escape again or Down leaves it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QKeyCombination, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from widgets.keys import KeyHandlers, KeyRow

KEYS = (KeyRow("leave", "Clear the search, or leave it", ("Esc", "Down")),)

_EXPORT = QKeyCombination(Qt.KeyboardModifier.ControlModifier, Qt.Key.Key_E)


class SearchField(QLineEdit):
    """The field; ``left`` is emitted when the keyboard focus should move to the list below."""

    left = Signal()

    def __init__(self, hint: str, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent, placeholderText=hint, clearButtonEnabled=True)
        self.setAccessibleName(name)
        self._keys = KeyHandlers(KEYS, {"leave": self._clear_or_leave})

    def event(self, event: QEvent) -> bool:
        """Claim the key Escape, even if the window has a shortcut on it. Leave the window its Ctrl+E, which
        is another key for End on some Linux desktops.
        """
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            if event.key() == Qt.Key.Key_Escape:
                event.accept()
                return True
            if event.keyCombination() == _EXPORT:
                event.ignore()
                return False
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
