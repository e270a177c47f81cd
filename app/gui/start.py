"""Starts the window: Qt application, crash hook and log."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from app.gui.qt_application import Application
from resources.crash_reports import crash_folder


def run_window(paths: Sequence[Path], *, lab: bool = False) -> int:
    """Open the window on these sessions or captures; returns the exit code when the window is closed.

    ``lab``: start a recording of the lab at once.
    """
    from app.gui.application import build  # noqa: PLC0415 - Qt's attributes come first
    from app.gui.qt_log import QtLog  # noqa: PLC0415

    QGuiApplication.setHighDpiScaleFactorRoundingPolicy(Qt.HighDpiScaleFactorRoundingPolicy.PassThrough)
    application = Application(sys.argv[:1])
    QtLog(crash_folder()).install()
    program = build(application)
    program.workbench.crashes.install()
    program.window.fit_screen()
    program.window.show()
    application.opened.connect(lambda path: program.workbench.open_paths([path]))
    if paths:
        program.workbench.open_paths(list(paths))
    elif lab:
        program.workbench.try_lab()
    return application.exec()
