"""The fixture that fails a test which leaves something behind does so, for each kind of leak."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QThread, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from tests.gui.left_behind import LiveObjects

ROOT = Path(__file__).resolve().parents[2]
Undo = Callable[[], object]


def a_thread() -> tuple[str, Undo]:
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait, name="forgotten")
    thread.start()

    def end() -> None:
        stop.set()
        thread.join()

    return "thread forgotten", end


def a_qthread() -> tuple[str, Undo]:
    thread = QThread()
    thread.setObjectName("forgotten")
    thread.start()

    def end() -> None:
        thread.quit()
        thread.wait()

    return "QThread QThread forgotten", end


def a_timer_of_nobody() -> tuple[str, Undo]:
    timer = QTimer(interval=60_000)
    timer.start()
    return "timer QTimer of nobody", timer.stop


def a_timer_of_the_application() -> tuple[str, Undo]:
    timer = QTimer(QApplication.instance(), interval=60_000)
    timer.start()

    def end() -> None:
        timer.stop()
        timer.deleteLater()

    return "timer QTimer of QApplication", end


def a_timer_of_something() -> tuple[str, Undo]:
    owner = QObject(objectName="model")
    timer = QTimer(owner, interval=60_000)
    timer.start()
    return "timer QTimer of QObject model", owner.deleteLater


def a_window() -> tuple[str, Undo]:
    window = QWidget()
    window.setObjectName("forgotten")
    window.show()
    return "window QWidget forgotten", window.deleteLater


def a_window_that_was_never_shown() -> tuple[str, Undo]:
    window = QWidget()
    window.setObjectName("hidden")
    return "window QWidget hidden", window.deleteLater


@pytest.mark.parametrize(
    "leak",
    [
        a_thread,
        a_qthread,
        a_timer_of_nobody,
        a_timer_of_the_application,
        a_timer_of_something,
        a_window,
        a_window_that_was_never_shown,
    ],
)
def test_it_is_seen(qapp: QApplication, leak: Callable[[], tuple[str, Undo]]) -> None:
    before = LiveObjects.now()
    text, undo = leak()
    left = before.newer()
    assert any(one.startswith(text) for one in left), left
    undo()
    assert before.newer() == []


def test_what_ends_is_not_held_against_a_test(qapp: QApplication) -> None:
    before = LiveObjects.now()
    window = QWidget()
    timer = QTimer(window, interval=60_000)
    timer.start()
    window.show()
    window.deleteLater()
    thread = threading.Thread(target=lambda: None)
    thread.start()
    thread.join()
    assert before.newer() == []


LEAKS = """
from PySide6.QtCore import QTimer

kept = []

def test_clean(qapp):
    assert qapp

def test_leak(qapp):
    kept.append(QTimer(interval=60_000))
    kept[0].start()

def test_after_it(qapp):
    kept[0].stop()
"""


def test_a_test_that_leaks_fails(tmp_path: Path) -> None:
    (tmp_path / "test_leaks.py").write_text(LEAKS, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tests.gui.left_behind", "-p", "no:cacheprovider", "-q",
         "--rootdir", str(tmp_path), str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert "3 passed, 1 error" in done.stdout, done.stdout
    assert "left behind: timer QTimer of nobody" in done.stdout
