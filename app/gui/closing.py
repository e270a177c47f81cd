"""Closing the window while a recording or an import runs: asks what to do, then closes."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QMessageBox

from app.gui.importing import Importing
from app.gui.recording import Recordings
from app.gui.window import Window


class Closing(QObject):
    """Decides whether the window may close, and closes it when what was running has ended."""

    def __init__(self, window: Window, recordings: Recordings, importing: Importing, parent: QObject) -> None:
        super().__init__(parent)
        self._window, self._recordings, self._importing = window, recordings, importing
        self._is_closing = False
        window.guard = self.may_close
        recordings.over.connect(self._go_on)
        importing.finished.connect(self._go_on)

    def may_close(self) -> bool:
        """Return True if nothing is running; otherwise ask the user what to do and return False."""
        if self._recordings.process is None and not self._importing.is_running:
            return True
        if not self._is_closing:
            self._ask()
        return False

    def _ask(self) -> None:
        is_recording, is_test = self._recordings.process is not None, _is_test(self._recordings)
        box = QMessageBox(self._window)
        box.setObjectName("closing")
        box.setWindowTitle("Hyperscope")
        running = "A test is running." if is_test else "A recording is running."
        box.setText(running if is_recording else "An import is running.")
        if is_recording:
            box.setInformativeText(
                "Stop it and put everything back, or let it go on without the window?"
                if is_test
                else "Stop it, or let it go on without the window?"
            )
            words = "Stop and restore" if is_test else "Stop recording"
            stop = box.addButton(words, QMessageBox.ButtonRole.AcceptRole)
            detach = box.addButton("Go on without the window", QMessageBox.ButtonRole.DestructiveRole)
            detach.clicked.connect(self._detach)
        else:
            box.setInformativeText("Its session is complete only when the import has ended.")
            stop = box.addButton("Stop the import", QMessageBox.ButtonRole.AcceptRole)
        stop.clicked.connect(self._stop)
        cancel = box.addButton(QMessageBox.StandardButton.Cancel)
        box.setDefaultButton(cancel)
        box.finished.connect(box.deleteLater)
        box.open()

    def _stop(self) -> None:
        self._is_closing = True
        self._importing.cancel()
        if self._recordings.process is not None:
            self._recordings.stop()

    def _detach(self) -> None:
        self._is_closing = True
        self._importing.cancel()
        self._recordings.detach()

    def _go_on(self) -> None:
        if self._is_closing and self._recordings.process is None and not self._importing.is_running:
            self._is_closing = False
            QTimer.singleShot(0, self._window, self._window.close)


def _is_test(recordings: Recordings) -> bool:
    return recordings.process is not None and recordings.process.is_test
