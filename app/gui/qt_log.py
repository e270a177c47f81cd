"""Writes Qt's own messages to a log file beside the crash reports."""

from __future__ import annotations

import time
from pathlib import Path

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

_MAX_BYTES = 1 << 20


class QtLog:
    """Appends Qt's messages to ``qt.log`` in a folder; the file is started anew when it gets too large."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "qt.log"

    def install(self) -> None:
        """Receive Qt's messages from now on."""
        qInstallMessageHandler(self.write)

    def write(self, kind: QtMsgType, _context: QMessageLogContext, text: str) -> None:
        """Append one message; it is lost if the disk is full or the folder can't be created."""
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            grown = self._path.exists() and self._path.stat().st_size > _MAX_BYTES
            with self._path.open("w" if grown else "a", encoding="utf-8") as file:
                file.write(f"{stamp} {kind.name.removeprefix('Qt').removesuffix('Msg')}: {text}\n")
        except OSError:
            return
