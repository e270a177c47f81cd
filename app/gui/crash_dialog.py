"""Bugs of the window: writes a crash report without values, shows it once, and the program goes on."""

from __future__ import annotations

import sys
import threading
from types import TracebackType

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from resources.crash_reports import places_of, save_crash
from widgets.theme import figures_font


class CrashDialog(QDialog):
    """Says what happened and where the report is; the traceback, which holds no values, can be copied."""

    def __init__(self, sentence: str, details: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("crash")
        self.setWindowTitle("Something went wrong")
        title = QLabel("Something went wrong in Hyperscope")
        title.setProperty("role", "display")
        message = QLabel(sentence, textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        message.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        policy = message.sizePolicy()
        policy.setHorizontalPolicy(QSizePolicy.Policy.Ignored)
        message.setSizePolicy(policy)
        rest = QLabel("You can go on working; what you did last may not have been done.")
        rest.setProperty("role", "muted")
        self.details = QPlainTextEdit(details, readOnly=True)
        self.details.setFont(figures_font(12))
        self.details.setAccessibleName("Details without any values")
        self.details.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        copy = QPushButton("Copy the details")
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(f"{sentence}\n\n{details}"))
        close = QPushButton("Go on")
        close.setDefault(True)
        close.clicked.connect(self.accept)
        buttons = QHBoxLayout()
        buttons.addWidget(copy)
        buttons.addStretch(1)
        buttons.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(12)
        for widget in (title, message, rest, self.details):
            column.addWidget(widget)
        column.addLayout(buttons)
        self.resize(680, 420)
        close.setFocus()


class CrashReports(QObject):
    """Reports exceptions from all threads; each one is written and shown only once."""

    _caught = Signal(object)

    def __init__(self, window: QWidget, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._window = window
        self._seen: set[str] = set()
        self._caught.connect(self.report, Qt.ConnectionType.QueuedConnection)

    def install(self) -> None:
        """Become the hook for uncaught exceptions in all threads."""
        sys.excepthook = self._hook
        threading.excepthook = lambda caught: self._caught.emit(caught.exc_value)

    def report(self, error: BaseException) -> None:
        """Write a crash report and show the dialog."""
        details = places_of(error)
        if details in self._seen or isinstance(error, SystemExit | KeyboardInterrupt):
            return
        self._seen.add(details)
        dialog = CrashDialog(save_crash(error), details, self._window)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _hook(self, _kind: type[BaseException], error: BaseException, _trace: TracebackType | None) -> None:
        # Not shown from here: Qt may be in the middle of painting.
        self._caught.emit(error)
