"""The popup that says what a column of the esxtop table means."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from widgets.popup import Popup

_WIDTH = 380


class Meaning(Popup):
    """Shows a title and paragraphs; a click outside or Escape closes it."""

    def __init__(self, title: str, paragraphs: Sequence[str], parent: QWidget) -> None:
        super().__init__(parent)
        self._within = parent
        column = QVBoxLayout(self.card)
        column.setContentsMargins(16, 12, 16, 12)
        column.setSpacing(8)
        heading = QLabel(title, textFormat=Qt.TextFormat.PlainText)
        heading.setProperty("role", "title")
        column.addWidget(heading)
        for number, text in enumerate(paragraphs):
            label = QLabel(text, textFormat=Qt.TextFormat.PlainText, wordWrap=True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            if number:
                label.setProperty("role", "muted")
            column.addWidget(label)
        self.setAccessibleName(title)
        self.setFixedWidth(_WIDTH)

    def show_at(self, place: QPoint) -> None:
        """Open at a point of the screen, but within the window."""
        self.adjustSize()
        room = self._within.window().frameGeometry().adjusted(8, 8, -8, -8)
        x = min(max(place.x(), room.left()), room.right() - self.width())
        self.move(x, min(place.y(), room.bottom() - self.height()))
        self.show()
