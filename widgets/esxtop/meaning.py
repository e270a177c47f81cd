"""The popup that says what a column of the esxtop table means."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from widgets.popup import Popup

_WIDTH = 380


class Meaning(Popup):
    """Shows a title and paragraphs; a click outside or Escape closes it. Signal: ``more_wanted`` when all
    that is known of it is asked for.
    """

    more_wanted = Signal()

    def __init__(self, title: str, paragraphs: Sequence[str], parent: QWidget) -> None:
        super().__init__(parent)
        self._within = parent
        column = QVBoxLayout(self.card)
        column.setContentsMargins(16, 12, 16, 12)
        column.setSpacing(8)
        column.addWidget(_label(title, "title"))
        column.addWidget(_label(paragraphs[0], ""))
        column.addWidget(_label("\n\n".join(paragraphs[1:]), "muted"))
        more = QPushButton("More, with the problems that it tells of")
        more.setProperty("role", "ghost")
        more.clicked.connect(self._ask_more)
        column.addWidget(more, 0, Qt.AlignmentFlag.AlignLeft)
        self.setAccessibleName(title)
        self.setFixedWidth(_WIDTH)

    def _ask_more(self) -> None:
        self.more_wanted.emit()
        self.close()

    def show_at(self, place: QPoint) -> None:
        """Open at a point of the screen, but within the window."""
        self.resize(_WIDTH, self.heightForWidth(_WIDTH))
        room = self._within.window().frameGeometry().adjusted(8, 8, -8, -8)
        x = min(max(place.x(), room.left()), room.right() - self.width())
        self.move(x, min(place.y(), room.bottom() - self.height()))
        self.show()


def _label(text: str, role: str) -> QLabel:
    label = QLabel(text, textFormat=Qt.TextFormat.PlainText, wordWrap=True)
    label.setProperty("role", role)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
