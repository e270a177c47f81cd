"""The command that does the same without a window, with a button that copies it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from widgets.copying import copy_text
from widgets.elided_label import ElidedLabel


class CommandBox(QWidget):
    """The box; it is hidden without a command. ``copied`` carries a message."""

    copied = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.command = ElidedLabel()
        self.command.setProperty("role", "code")
        copy = QPushButton("Copy")
        copy.setProperty("role", "ghost")
        copy.setAccessibleName("Copy the command")
        copy.clicked.connect(self.copy)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 12)
        caps = QLabel("THE SAME WITHOUT A WINDOW")
        caps.setProperty("role", "pane-title")
        column.addWidget(caps)
        line = QHBoxLayout()
        line.addWidget(self.command, 1)
        line.addWidget(copy)
        column.addLayout(line)

    def show_command(self, command: str) -> None:
        """Show this command, empty for none."""
        self.setVisible(bool(command))
        self.command.show_text(command)

    def copy(self) -> None:
        """Copy the command."""
        self.copied.emit(copy_text(self.command.text(), "The command"))
