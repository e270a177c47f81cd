"""The window's part of ``selftest``: opens a session, waits for charts and findings, and measures both."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication

from app.gui.application import build
from widgets.charts.stack import ChartStack

_LOOK_MS = 20


@dataclass(frozen=True, slots=True)
class WindowCheck:
    """What the window showed: seconds until window and first chart, and numbers of charts and findings.

    ``platform`` is what drew it, as Qt calls it: ``xcb``, ``wayland``, ``windows``, ``cocoa``, ``offscreen``.
    """

    platform: str
    window_s: float
    first_chart_s: float
    charts: int
    findings: int


def check_window(path: Path, folder: Path, screenshot: Path | None, wait_ms: int) -> WindowCheck:
    """Open a session in a window, with settings in ``folder``; waits at most ``wait_ms`` for charts.

    A picture of the window is saved as ``screenshot``, if a path is given.
    """
    begun = time.perf_counter()
    existing = QApplication.instance()
    application = existing if isinstance(existing, QApplication) else QApplication(["hyperscope"])
    program = build(application, folder / "settings")
    program.window.show()
    application.processEvents()
    window_s = time.perf_counter() - begun
    opened = time.perf_counter()
    program.window.show_panel("charts")
    program.workbench.open_paths([path])
    stack = program.window.findChild(ChartStack)
    assert stack is not None
    first: list[float] = []
    loop = QEventLoop()

    def check() -> None:
        if stack.cards and not first:
            first.append(time.perf_counter() - opened)
        if first and program.desk.findings.diagnosis is not None:
            loop.quit()

    timer = QTimer(interval=_LOOK_MS)
    timer.timeout.connect(check)
    timer.start()
    QTimer.singleShot(wait_ms, loop.quit)
    loop.exec()
    timer.stop()
    seen = WindowCheck(
        application.platformName(),
        window_s,
        first[0] if first else -1.0,
        len(stack.cards),
        len(program.desk.findings.findings),
    )
    if screenshot is not None:
        program.window.grab().save(str(screenshot))
    program.window.close()
    return seen
