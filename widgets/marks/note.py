"""A popup that asks for the note of a mark; Enter stores it, Escape changes nothing."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSize, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from resources.foreign_text import shown
from widgets.popup import Popup
from widgets.theme import Theme

_WIDTH = 420
_LONGEST = 500


class MarkNote(Popup):
    """Signal ``noted`` carries the note, which may be empty.

    ``is_now``: the mark is for what happens now, not for a moment of the past.

    If ``text`` is given, the popup asks for a new note of an existing mark, and ``removed`` is emitted when
    the mark is to be removed.
    """

    noted = Signal(str)
    removed = Signal()

    def __init__(
        self, theme: Theme, when: str, parent: QWidget, text: str | None = None, *, is_now: bool = False
    ) -> None:
        super().__init__(parent)
        self.setObjectName("mark-note")
        self.setAccessibleName("Note of the mark")
        picture = QLabel()
        picture.setPixmap(theme.icons.get("mark", theme.tokens.accent).pixmap(QSize(16, 16)))
        time = QLabel(f"Mark at {when}")
        time.setProperty("role", "title")
        self._window, self._before = parent.window(), text
        self.line = QLineEdit(placeholderText="What happens now?" if is_now else "What happened?")
        self.line.setMaxLength(max(_LONGEST, len(text or "")))
        self.line.setText(shown(text or "", len(text or "")))
        self._offered = self.line.text()
        self.line.selectAll()
        self.line.setAccessibleName("Note")
        self.line.returnPressed.connect(self._keep)
        keep = QPushButton("Drop the mark" if text is None else "Keep the note")
        keep.setProperty("role", "primary")
        keep.clicked.connect(self._keep)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(picture)
        head.addWidget(time, 1)
        if text is not None:
            remove = QPushButton("Remove the mark")
            remove.setProperty("role", "ghost")
            remove.setAutoDefault(False)
            remove.clicked.connect(self._remove)
            head.addWidget(remove)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.line, 1)
        row.addWidget(keep)
        column = QVBoxLayout(self.card)
        column.setContentsMargins(12, 12, 12, 12)
        column.setSpacing(8)
        column.addLayout(head)
        column.addLayout(row)
        self.setFixedWidth(_WIDTH)
        self.line.setFocus()

    def show_under(self, above: QWidget) -> None:
        """Show the popup below a widget, within the window."""
        window = above.window()
        self.adjustSize()
        at = above.mapToGlobal(QPoint(above.width() - self.width(), above.height() + 8))
        left = window.mapToGlobal(QPoint(8, 0)).x()
        self.move(max(left, at.x()), at.y())
        self.show()

    def show_above(self, place: QPoint) -> None:
        """Show the popup above a position of the screen, within the window."""
        window = self._window
        self.adjustSize()
        corner = window.mapToGlobal(QPoint(0, 0))
        max_x = corner.x() + window.width() - self.width() - 8
        left = min(max(place.x() - self.width() // 2, corner.x() + 8), max_x)
        self.move(left, max(place.y() - self.height() - 8, corner.y() + 8))
        self.show()

    def _keep(self) -> None:
        text = self.line.text()
        if self._before is None or text != self._offered:
            self.noted.emit(text.strip())
        self.close()

    def _remove(self) -> None:
        self.removed.emit()
        self.close()
