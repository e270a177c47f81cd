"""Starting the window: the Qt application, its attributes, and the crash hook."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from app.crash import crash_folder


def has_display() -> bool:
    """Whether a window could be shown: always on Windows and macOS, on Linux with X11 or Wayland."""
    if sys.platform in {"win32", "darwin"}:
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def run_window(paths: Sequence[Path]) -> int:
    """Open the window, with these sessions or captures if any; returns when it is closed."""
    from app.gui.application import build  # noqa: PLC0415 - Qt's attributes come first
    from app.gui.qt_log import QtLog  # noqa: PLC0415

    QGuiApplication.setHighDpiScaleFactorRoundingPolicy(Qt.HighDpiScaleFactorRoundingPolicy.PassThrough)
    application = QApplication(sys.argv[:1])
    application.setApplicationName("hyperscope")
    application.setApplicationDisplayName("Hyperscope")
    application.setQuitOnLastWindowClosed(True)
    QtLog(crash_folder()).install()
    program = build(application)
    program.workbench.crashes.install()
    program.window.show()
    if paths:
        program.workbench.open_paths(list(paths))
    return application.exec()
