"""Every test of the window: offscreen, Qt's warnings are failures, nothing is left behind."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from app.gui.application import Program
from tests.gui.windows import private_folders, running
from widgets.theme import Theme


@pytest.fixture(autouse=True)
def nothing_left_behind(qapp: QApplication) -> Iterator[None]:
    """Fails a test that leaves a thread, a running timer of a parentless object or a top-level widget."""
    threads = set(threading.enumerate())
    widgets = set(QApplication.topLevelWidgets())
    yield
    for _ in range(3):
        qapp.sendPostedEvents(None, 52)  # QEvent.DeferredDelete
        qapp.processEvents()
    left = [thread.name for thread in threading.enumerate() if thread not in threads and thread.is_alive()]
    assert not left, f"threads left: {left}"
    shown = [w for w in QApplication.topLevelWidgets() if w not in widgets and w.isVisible()]
    assert not shown, f"widgets left: {shown}"
    timers = [timer for timer in qapp.findChildren(QTimer) if timer.isActive()]
    assert not timers, f"timers left: {timers}"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where everything of this test goes that would be the user's."""
    private_folders(tmp_path, monkeypatch)
    return tmp_path


@pytest.fixture
def live(qapp: QApplication, home: Path, nothing_left_behind: None) -> Iterator[Program]:
    """A window that may start children."""
    with running(qapp, home) as program:
        yield program


@pytest.fixture
def theme(qapp: QApplication) -> Theme:
    """The dark theme."""
    return Theme(qapp, "dark")
