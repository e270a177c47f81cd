"""A document that the system hands to the running program reaches it, as macOS does it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

SCRIPT = """
from PySide6.QtCore import QEvent, QCoreApplication
from PySide6.QtGui import QFileOpenEvent
from app.gui.qt_application import Application

application = Application(["hyperscope"])
paths = []
application.opened.connect(paths.append)
QCoreApplication.sendEvent(application, QFileOpenEvent("/sessions/Büro 1.hscope"))
QCoreApplication.sendEvent(application, QEvent(QEvent.Type.User))
print([path.name for path in paths], application.windowIcon().isNull(), application.desktopFileName())
"""


def test_a_file_that_the_system_hands_over_is_opened() -> None:
    """In a process of its own: the tests' application is Qt's own class."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        check=False,
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=ROOT,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONUTF8": "1"},
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "['Büro 1.hscope'] False hyperscope\n", "")
