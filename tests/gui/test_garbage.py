"""Python's garbage collector runs on the GUI thread, where Qt's objects may be deleted."""

from __future__ import annotations

import gc
import threading

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from app.gui.garbage import GuiGarbage
from tests.gui.windows import wait

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


class Knotted(QObject):
    """An object that only the collector can delete."""

    def __init__(self, deleted_on: list[str]) -> None:
        super().__init__()
        self.knot = self
        self._deleted_on = deleted_on

    def __del__(self) -> None:
        self._deleted_on.append(threading.current_thread().name)


def test_no_worker_thread_deletes_qts_objects(live: Program, qtbot: QtBot) -> None:
    assert live.window is not None
    deleted_on: list[str] = []

    def work() -> None:
        Knotted(deleted_on)
        rubbish: list[list[int]] = [[] for _ in range(300_000)]  # Python would collect several times
        assert rubbish

    threshold = gc.get_threshold()
    gc.set_threshold(1_000, 1, 1)
    try:
        thread = threading.Thread(target=work, name="worker")
        thread.start()
        thread.join()
        assert deleted_on == []
        wait(qtbot, lambda: bool(deleted_on))
    finally:
        gc.set_threshold(*threshold)
    assert deleted_on == [threading.main_thread().name]


def test_collecting_goes_on_by_itself_after_the_window(qtbot: QtBot) -> None:
    window = QWidget()
    GuiGarbage(window)
    assert not gc.isenabled()
    window.deleteLater()
    wait(qtbot, gc.isenabled)
