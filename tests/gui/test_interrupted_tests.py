"""A test that was cut off is told of wherever the user is, with what can be done about it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from sessions.journal import TestRun
from sessions.store import SessionWriter
from tests.gui.recordings import record
from tests.gui.windows import child_of, running, wait
from wizards.pages.result_page import ResultPage
from wizards.pages.run_page import RunPage

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def buttons(program: Program) -> dict[str, QPushButton]:
    messages = program.window.messages
    wanted = {"Restore now", "Resume", "Details", "Show it"}
    return {one.text(): one for one in messages.findChildren(QPushButton) if one.text() in wanted}


def cut_off(program: Program, qtbot: QtBot, in_front: str = "charts") -> Path:
    """Kill a test's process in its middle while a page is in front; return its session."""
    program.desk.tests.begin("drs-balance")
    page = child_of(program.window, RunPage)
    wait(qtbot, lambda: page.isVisible() and page.head.pause.isVisible())
    wait(qtbot, lambda: any(one.is_open for one in program.desk.tests.records.journal))
    program.window.show_panel(in_front)
    process = program.workbench.recordings.process
    assert process is not None
    psutil.Process(process.pid).kill()
    wait(qtbot, lambda: program.workbench.recordings.process is None)
    path = program.desk.session.path
    assert path is not None
    return path


def test_a_test_that_is_cut_off_is_told_of_on_every_page(
    qapp: QApplication, home: Path, nothing_left_behind: None, qtbot: QtBot, tmp_path: Path
) -> None:
    with running(qapp, home) as live:
        live.workbench.open_paths([record(tmp_path / "lab.hscope", seconds=60.0)])
        wait(qtbot, lambda: live.desk.session.whole is not None)
        live.window.show_panel("tests")
        path = cut_off(live, qtbot)
        wait(qtbot, lambda: "Restore now" in buttons(live))
        assert set(buttons(live)) == {"Restore now", "Resume", "Details"}
        assert len(live.window.messages.shown) == 1
        qtbot.mouseClick(buttons(live)["Details"], Qt.MouseButton.LeftButton)
        wait(qtbot, child_of(live.window, ResultPage).isVisible)
    with running(qapp, home) as again:
        wait(qtbot, lambda: "did not end by itself" in again.window.messages.text)
        qtbot.mouseClick(buttons(again)["Show it"], Qt.MouseButton.LeftButton)
        wait(qtbot, lambda: again.desk.session.path == path and bool(again.desk.tests.records.runs))
        again.window.show_panel("charts")
        wait(qtbot, lambda: "Restore now" in buttons(again))
        qtbot.mouseClick(buttons(again)["Restore now"], Qt.MouseButton.LeftButton)
        wait(qtbot, lambda: "put back" in again.window.messages.text)
        wait(qtbot, lambda: not any(one.is_open for one in again.desk.tests.records.journal))
        wait(qtbot, lambda: not list((home / "settings" / "unfinished-tests").iterdir()))


def test_that_it_was_cut_off_is_no_longer_said_when_all_is_put_back(
    qapp: QApplication, home: Path, nothing_left_behind: None, qtbot: QtBot, tmp_path: Path
) -> None:
    """It went on to say that the test was interrupted, and offered to resume."""
    with running(qapp, home) as live:
        live.workbench.open_paths([record(tmp_path / "lab.hscope", seconds=60.0)])
        wait(qtbot, lambda: live.desk.session.whole is not None)
        live.window.show_panel("tests")
        cut_off(live, qtbot, in_front="tests")
        wait(qtbot, lambda: "The test was interrupted" in live.window.messages.text)
        wait(qtbot, lambda: bool(live.desk.tests.interrupted(str)))
        live.desk.recording.act_on_run("restore")
        wait(qtbot, lambda: "changes are put back" in live.window.messages.text)
        wait(qtbot, lambda: live.desk.tests.interrupted(str) is None)
        wait(qtbot, lambda: not any("interrupted" in one.text for one in live.window.messages.shown))


def test_a_test_that_was_put_back_elsewhere_is_not_looked_at_again(
    qapp: QApplication, home: Path, qtbot: QtBot, tmp_path: Path
) -> None:
    folder = noted(home, tmp_path, {"over": 2_000})
    with running(qapp, home) as program:
        wait(qtbot, lambda: not list(folder.iterdir()))
        assert "did not end" not in program.window.messages.text


def test_several_tests_that_were_cut_off_are_counted(
    qapp: QApplication, home: Path, qtbot: QtBot, tmp_path: Path
) -> None:
    folder = noted(home, tmp_path, {"one": None, "two": None})
    with running(qapp, home) as program:
        wait(qtbot, lambda: "2 tests did not end by themselves" in program.window.messages.text)
        assert len(list(folder.iterdir())) == 2


def noted(home: Path, sessions: Path, ends: Mapping[str, int | None]) -> Path:
    """Write sessions with a run that ended then, and have the window remember them; return where."""
    folder = home / "settings" / "unfinished-tests"
    folder.mkdir(parents=True)
    for name, end in ends.items():
        session = sessions / f"{name}.hscope"
        with SessionWriter.create(session) as writer:
            writer.add_test_runs([TestRun(name, "io-sweep", "", 1_000, end)])
        (folder / f"{name}.txt").write_text(str(session), encoding="utf-8")
    return folder
