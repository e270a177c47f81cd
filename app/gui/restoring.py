"""Puts back what a test's run left, by the command ``restore`` in a process of its own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.gui.desk import Desk
from resources.failures import HyperscopeError
from resources.units import format_count

if TYPE_CHECKING:
    from app.gui.test_process import TestProcess
    from app.testing.messages import Failed, PutBack

RESTORE = "Restore now"
"""What the button is called that puts everything back."""


class Restoring(QObject):
    """Runs the command, which may ask for passwords and trust, and says what it came to."""

    def __init__(self, desk: Desk, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self._process: TestProcess | None = None

    def begin(self, session: Path) -> None:
        """Put everything back that the session's run changed and did not put back."""
        from app.gui.test_process import TestProcess  # noqa: PLC0415 - what it is about takes long to load

        if self._process is not None:
            self._desk.notify("What the test changed is being put back already.", "info")
            return
        try:
            process = TestProcess(["restore", str(session), "--attached"], self)
        except HyperscopeError as error:
            self._desk.notify(str(error), "critical")
            return
        self._process = process
        process.answered.connect(self._done)
        process.failed.connect(self._failed)
        self._desk.tests.asks.emit(process)
        self._desk.notify("What the test changed is being put back.", "info")

    def shutdown(self) -> None:
        """Wait for what goes on: it is never cut off in its middle."""
        if self._process is not None:
            self._process.finish()

    def _done(self, found: PutBack) -> None:
        self._let_go()
        left = f"; {format_count(found.left)} were left alone: the page says why" if found.left else ""
        failed = f"; {format_count(found.failed)} could not be put back: try again" if found.failed else ""
        text = f"{format_count(found.back)} changes are put back{left}{failed}."
        self._desk.notify(text, "critical" if failed else "warning" if left else "ok")
        self._desk.tests.read()

    def _failed(self, failed: Failed) -> None:
        self._let_go()
        self._desk.notify(str(failed.error()), "critical")

    def _let_go(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.deleteLater()
