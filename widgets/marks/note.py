"""A small line over the window that asks for the note of a mark; Enter keeps it, Escape drops it."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from widgets.theme import Theme

_WIDTH = 420
_LONGEST = 500


class MarkNote(QDialog):
    """``noted`` carries the note, which may be empty: a mark without words is one, too."""

    noted = Signal(str)

    def __init__(self, theme: Theme, when: str, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self.setObjectName("mark-note")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self.setAccessibleName("Note of the mark")
        card = QFrame()
        card.setProperty("role", "card")
        picture = QLabel()
        picture.setPixmap(theme.icons.get("mark", theme.tokens.accent).pixmap(QSize(16, 16)))
        time = QLabel(f"Mark at {when}")
        time.setProperty("role", "title")
        self.line = QLineEdit(placeholderText="What happens now?", maxLength=_LONGEST)
        self.line.setAccessibleName("Note")
        self.line.returnPressed.connect(self._keep)
        keep = QPushButton("Drop the mark")
        keep.setProperty("role", "primary")
        keep.clicked.connect(self._keep)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(picture)
        head.addWidget(time, 1)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.line, 1)
        row.addWidget(keep)
        column = QVBoxLayout(card)
        column.setContentsMargins(12, 12, 12, 12)
        column.setSpacing(8)
        column.addLayout(head)
        column.addLayout(row)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(card)
        self.setFixedWidth(_WIDTH)
        self.line.setFocus()

    def show_under(self, above: QWidget) -> None:
        """Show it below a widget, within the window."""
        window = above.window()
        self.adjustSize()
        at = above.mapToGlobal(QPoint(above.width() - self.width(), above.height() + 8))
        left = window.mapToGlobal(QPoint(8, 0)).x()
        self.move(max(left, at.x()), at.y())
        self.show()

    def _keep(self) -> None:
        self.noted.emit(self.line.text().strip())
        self.close()
