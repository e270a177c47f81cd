"""A field that filters what is below it: Escape clears it, and leaves it when it is clear; so does Down."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget


class SearchField(QLineEdit):
    """``left`` when the keys should go to what is below it."""

    left = Signal()

    def __init__(self, hint: str, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent, placeholderText=hint, clearButtonEnabled=True)
        self.setAccessibleName(name)

    def event(self, event: QEvent) -> bool:
        """Escape is its own here, even where the window has a shortcut on it."""
        override = event.type() == QEvent.Type.ShortcutOverride
        if override and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """What is not text."""
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        elif event.key() in {Qt.Key.Key_Escape, Qt.Key.Key_Down}:
            self.left.emit()
        else:
            super().keyPressEvent(event)
