"""Qt's application as the program starts it: its name, its icon, and files that the system hands to it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication

from widgets.theme import program_icon


class Application(QApplication):
    """``opened`` has the path of a file that the system asks the running program to open.

    So macOS opens a document: by an event, and no argument.
    """

    opened = Signal(Path)

    def __init__(self, arguments: Sequence[str]) -> None:
        super().__init__(list(arguments))
        self.setApplicationName("hyperscope")
        self.setApplicationDisplayName("Hyperscope")
        self.setDesktopFileName("hyperscope")  # by which Linux's desktops find name and icon
        self.setWindowIcon(program_icon())
        self.setQuitOnLastWindowClosed(True)

    def event(self, event: QEvent) -> bool:
        """Take the system's request to open a file; leave every other event to Qt."""
        if isinstance(event, QFileOpenEvent) and event.file():
            self.opened.emit(Path(event.file()))
            return True
        return super().event(event)
