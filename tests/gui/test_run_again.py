"""“Run again” on a result's page: the lab runs at once with what the run before had, and says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from app.gui.test_places import Place
from sessions.journal import TestRun
from tests.gui.recordings import record
from tests.gui.windows import child_of, wait
from wizards.flows.plan_file import parse_plan
from wizards.pages.check_plan import CheckPlanPage
from wizards.pages.choose import ChoosePage
from wizards.pages.result_page import ResultPage
from wizards.pages.run_page import RunPage

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def stopped(live: Program, qtbot: QtBot, *before: TestRun) -> TestRun:
    """Stop the run that goes on, unless it has ended by then, and return it; ``before`` are earlier runs."""
    page, seen = child_of(live.window, RunPage), {one.id for one in before}

    def runs() -> list[TestRun]:
        return [one for one in live.desk.tests.records.runs if one.id not in seen]

    wait(qtbot, runs)
    if page.isVisible() and page.head.stop.isEnabled():
        qtbot.mouseClick(page.head.stop, Qt.MouseButton.LeftButton)
    wait(qtbot, lambda: live.workbench.recordings.process is None)
    wait(qtbot, lambda: runs() and runs()[-1].end is not None)
    return runs()[-1]


def buttons(page: ResultPage, text: str) -> list[QPushButton]:
    return [one for one in page.findChildren(QPushButton) if one.text() == text and one.isVisible()]


def test_the_inputs_of_the_earlier_run_are_kept(live: Program, qtbot: QtBot, tmp_path: Path) -> None:
    live.workbench.open_paths([record(tmp_path / "lab.hscope", seconds=60.0)])
    wait(qtbot, lambda: live.desk.session.whole is not None)
    live.window.show_panel("tests")
    tests = live.desk.tests
    tests.setup.begin(tests.known.require("io-sweep"), Place(("lab:default",)))
    tests.open("io-sweep", "choose")
    choose, check = child_of(live.window, ChoosePage), child_of(live.window, CheckPlanPage)
    wait(qtbot, choose.next.isEnabled)
    assert not choose.taken.isVisible()
    depths = next(line for line in choose.findChildren(QLineEdit) if line.text() == "1, 4, 16, 64")
    depths.setText("2, 8")
    qtbot.keyClick(depths, Qt.Key.Key_Return)
    choose.leave_out(choose.chosen.workers[:1])
    wait(qtbot, lambda: tests.setup.now is not None and tests.setup.now.plan is not None
         and tests.setup.now.plan.inputs["depths"] == (2, 8) and not tests.setup.is_checking)  # fmt: skip
    qtbot.mouseClick(choose.next, Qt.MouseButton.LeftButton)
    wait(qtbot, check.start.isEnabled)
    qtbot.mouseClick(check.start, Qt.MouseButton.LeftButton)
    one = stopped(live, qtbot)
    first = parse_plan(one.plan)
    assert first.inputs["depths"] == (2, 8)
    result = child_of(live.window, ResultPage)
    wait(qtbot, lambda: buttons(result, "Run again") and buttons(result, "Run again")[0].isEnabled())
    qtbot.mouseClick(buttons(result, "Run again")[0], Qt.MouseButton.LeftButton)
    wait(qtbot, lambda: any("Taken over from the run of" in said.text for said in live.window.messages.past))
    said = next(message.text for message in live.window.messages.past if "Taken over" in message.text)
    assert f"{len(first.workers)} workers" in said
    assert "Outstanding I/Os a disk 2, 8" in said
    two = stopped(live, qtbot, one)
    second = parse_plan(two.plan)
    assert second.inputs == first.inputs
    assert [each.name for each in second.workers] == [each.name for each in first.workers]
    tests.begin("io-sweep")
    third = parse_plan(stopped(live, qtbot, one, two).plan)
    assert third.inputs["depths"] != (2, 8), "Run on the card begins with the defaults"
