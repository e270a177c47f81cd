"""A pane in a dock, and its title line, which can show a short note."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from widgets.theme import Theme

_BESIDE_WIDTH = 132


class Pane(QWidget):
    """The content of a dock. ``note_changed`` carries the note for its title line: ``4 hosts · 41 VMs``."""

    note_changed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "pane")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)

    def content_height(self) -> int:
        """Return the height in which all of it can be seen."""
        return self.sizeHint().height()


class PaneTitle(QWidget):
    """The title line of a dock: name in capitals, a note, and a button; ``closed`` when that is pressed."""

    closed = Signal()

    def __init__(self, title: str, dock: QDockWidget, theme: Theme, *, beside: bool = False) -> None:
        """``beside`` puts the title to the left of the pane, where a line above would take scarce height."""
        super().__init__(dock)
        self._theme = theme
        self._width = 0
        self.setProperty("role", "pane")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        name = QLabel(title.upper())
        name.setProperty("role", "pane-title")
        self._note = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._note.setProperty("role", "faint")
        self._close = QToolButton()
        self._close.setProperty("role", "ghost")
        self._close.setStyleSheet("padding: 0; min-height: 16px; max-height: 18px;")
        self._close.setAccessibleName(f"Hide {title}")
        self._close.setToolTip(f"Hide {title}; the View menu brings it back")
        self._close.clicked.connect(self.closed)
        if beside:
            self._arrange_beside(name)
        else:
            self._arrange_above(name)
        theme.changed.connect(self._dress)
        self._dress()

    def _arrange_above(self, name: QLabel) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 8, 6, 6)
        row.setSpacing(8)
        row.addWidget(name)
        row.addStretch(1)
        row.addWidget(self._note)
        row.addWidget(self._close)

    def _arrange_beside(self, name: QLabel) -> None:
        self._note.setWordWrap(True)
        head = QHBoxLayout()
        head.addWidget(name)
        head.addStretch(1)
        head.addWidget(self._close)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 6, 8)
        column.setSpacing(4)
        column.addLayout(head)
        column.addWidget(self._note)
        column.addStretch(1)
        self._width = _BESIDE_WIDTH

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Return a fixed width if the title is beside its pane; the dock follows this."""
        hint = super().minimumSizeHint()
        return QSize(self._width or hint.width(), hint.height())

    def sizeHint(self) -> QSize:  # noqa: N802
        """Return the same as ``minimumSizeHint``."""
        hint = super().sizeHint()
        return QSize(self._width or hint.width(), hint.height())

    def show_note(self, note: str) -> None:
        """Show a short note on the right."""
        self._note.setText(note)

    def _dress(self) -> None:
        self._close.setIcon(self._theme.icons.get("close"))
