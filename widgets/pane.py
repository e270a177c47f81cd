"""A pane of the window: its title line, and the widget below that may say a few words on it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QLabel, QToolButton, QWidget

from widgets.theme import Theme


class Pane(QWidget):
    """What sits in a dock. ``note_changed`` is what its title says on the right: ``4 hosts · 41 VMs``."""

    note_changed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "pane")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)


class PaneTitle(QWidget):
    """The title line of a dock: its name in capitals, a note, and a button that closes it."""

    def __init__(self, title: str, dock: QDockWidget, theme: Theme) -> None:
        super().__init__(dock)
        self._theme = theme
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
        self._close.clicked.connect(dock.close)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 8, 6, 6)
        row.setSpacing(8)
        row.addWidget(name)
        row.addStretch(1)
        row.addWidget(self._note)
        row.addWidget(self._close)
        theme.changed.connect(self._dress)
        self._dress()

    def say(self, note: str) -> None:
        """Show a few words on the right."""
        self._note.setText(note)

    def _dress(self) -> None:
        self._close.setIcon(self._theme.icons.get("close"))
