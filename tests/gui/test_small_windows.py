"""Nothing is cut off in the smallest window, with a larger font, or on a screen of twice the density."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QDialog, QTabWidget
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from sessions.times import now_ms
from tests.gui.clipping import clipped
from tests.gui.recordings import record
from tests.gui.test_looks import DIALOGS, PAGES
from tests.gui.windows import running, wait
from widgets.marks import MarkNote
from widgets.messages import Message, MessageAction, MessageLog

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")

SMALLEST = QSize(960, 600)
LONG = "The recorder died. It was ended by the system, perhaps for want of memory. " * 3


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record(tmp_path_factory.mktemp("small") / "demo.hscope", seconds=600)


@pytest.fixture(params=[100, 125], ids=["usual", "wide"])
def small(request: pytest.FixtureRequest, qapp: QApplication, qtbot: QtBot, home: Path) -> Iterator[Program]:
    """A window of 960 × 600, also with a font whose letters take a quarter more room."""
    with running(qapp, home) as program:
        usual = QFont(qapp.font())
        wide = QFont(usual)
        wide.setStretch(request.param)
        qapp.setFont(wide)
        program.window.resize(SMALLEST)
        try:
            yield program
        finally:
            qapp.setFont(usual)


def test_the_start_page(small: Program, qtbot: QtBot) -> None:
    assert small.window.size() == SMALLEST
    assert clipped(small.window) == []


def test_no_page_takes_room_from_the_docks(
    qapp: QApplication, qtbot: QtBot, home: Path, session: Path
) -> None:
    """The start page with its recent sessions, and the pages of tests, squeezed them at 1280 pixels."""
    with running(qapp, home) as program:
        window, tests = program.window, program.desk.tests
        window.resize(1280, 720)

        def widths() -> dict[str, int]:
            names = ("inventory", "steps", "findings")
            return {one: window.dock(one).width() for one in names if window.dock(one).isVisible()}

        for _again in range(2):
            program.workbench.open_paths([session])
            wait(qtbot, lambda: program.desk.session.whole is not None)
            window.show_panel("overview")
            wait(qtbot, lambda: widths() == {"inventory": 268, "findings": 372})
            window.show_panel("tests")
            tests.set_up("io-sweep")
            wait(qtbot, lambda: widths() == {"steps": 268})
            window.show_panel("overview")
            wait(qtbot, lambda: widths() == {"inventory": 268, "findings": 372})
            window.show_panel("tests")
            program.desk.session.close()


def test_every_page_with_its_messages(small: Program, qtbot: QtBot, session: Path) -> None:
    small.desk.settings.set("look.times", "Europe/Berlin")
    small.workbench.open_paths([session])
    wait(qtbot, lambda: small.desk.findings.diagnosis is not None)
    for page in PAGES:
        small.window.show_panel(page)
        wait(qtbot, partial(_is_idle, small, page))
        QApplication.processEvents()
        assert small.window.size() == SMALLEST
        assert (page, clipped(small.window)) == (page, [])
    small.desk.notify(LONG, "critical", action=MessageAction("Resume", lambda: None))
    small.desk.notify("Mark removed: “users call”.", action=MessageAction("Undo", lambda: None))
    QApplication.processEvents()
    assert clipped(small.window) == []


def _is_idle(program: Program, page: str) -> bool:
    return not program.desk.jobs.busy(page)


def log(program: Program) -> QDialog:
    past = [Message(LONG, "critical", now_ms()), Message("Saved.", "ok", now_ms())]
    return MessageLog(past, program.desk.times.clock.time, "CET", program.window)


ALL_DIALOGS: dict[str, Callable[[Program], QDialog]] = {
    **DIALOGS,
    "mark": lambda p: MarkNote(p.desk.theme, "04:35:10 CEST", p.window),
    "messages": log,
}


@pytest.mark.parametrize("name", ALL_DIALOGS)
def test_every_dialog_and_its_tabs(small: Program, name: str) -> None:
    dialog = ALL_DIALOGS[name](small)
    dialog.show()
    QApplication.processEvents()
    try:
        assert dialog.width() <= SMALLEST.width()
        assert dialog.height() <= SMALLEST.height()
        assert clipped(dialog) == []
        for tabs in dialog.findChildren(QTabWidget):
            for number in range(tabs.count()):
                tabs.setCurrentIndex(number)
                QApplication.processEvents()
                assert (tabs.tabText(number), clipped(dialog)) == (tabs.tabText(number), [])
    finally:
        dialog.close()
        dialog.deleteLater()
        QApplication.processEvents()


@pytest.mark.skipif(os.environ.get("QT_SCALE_FACTOR") == "2", reason="this is that run")
def test_the_same_at_twice_the_density() -> None:
    """The scale is read when Qt starts: another process runs the tests of this file with it."""
    words = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        __file__,
        "-k",
        "usual and (start or preferences or connect)",
    ]
    environment = {**os.environ, "QT_SCALE_FACTOR": "2"}
    found = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout[-4_000:]
