"""The Troubleshoot page in the window: from the symptom to the cause, the change is made, it is verified."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QToolButton
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from app.gui.helping import topic_of
from app.gui.looking_into import Asked
from app.gui.navigation import palette_entries
from app.gui.report_putting import badge_of
from app.gui.troubleshooting_model import TroubleshootingModel
from app.gui.troubleshooting_words import symptom_words
from sessions.model import EntityRef
from sessions.store import SessionReader, SessionWriter, WaitingRuns
from sessions.times import TimeRange
from sessions.troubleshooting import Note, TroubleshootingRun, Verification, ranked
from tests.gui.one_window import press, program
from tests.gui.recordings import record
from tests.gui.windows import WAIT, child_of, wait
from tests.wizards.acting_lab import Acted, acted, set_of
from widgets.findings import FindingsView
from wizards.flows.troubleshooting.keeping import noted
from wizards.pages.troubleshoot_page import TroubleshootPage

__all__ = ["program"]
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


@dataclass(frozen=True)
class Scene:
    """A window on a session in which a CPU limit was raised, and its page."""

    program: Program
    page: TroubleshootPage
    recorded: Acted
    vm: EntityRef

    @property
    def model(self) -> TroubleshootingModel:
        return self.program.desk.troubleshooting

    @property
    def run(self) -> TroubleshootingRun:
        assert self.model.run is not None
        return self.model.run

    @property
    def found(self) -> Verification:
        assert self.model.fix.found is not None
        return self.model.fix.found

    @property
    def span(self) -> TimeRange:
        whole = self.program.desk.session.whole
        assert whole is not None
        assert whole.span is not None
        return whole.span


@pytest.fixture(scope="module")
def limited(tmp_path_factory: pytest.TempPathFactory) -> Acted:
    """A VM that is held back by a CPU limit; after ten minutes the lab raises it."""
    folder = tmp_path_factory.mktemp("limited")
    act = set_of("victim", limit=np.inf)
    return acted(folder / "limit.hscope", "cpu-limit-vm", act, seed=2, at_s=600, minutes=22)


@pytest.fixture
def scene(program: Program, limited: Acted, tmp_path: Path, qtbot: QtBot) -> Scene:
    path = tmp_path / "limit.hscope"
    path.write_bytes(limited.path.read_bytes())
    program.workbench.open_paths([path])
    qtbot.waitUntil(lambda: program.desk.findings.diagnosis is not None, timeout=WAIT)
    program.window.show_panel("troubleshoot")
    wait(qtbot, lambda: program.desk.troubleshooting.state == "ready")
    page = child_of(program.window, TroubleshootPage)
    snapshot = program.desk.session.whole
    assert snapshot is not None
    name = limited.vm("victim")
    vm = next(ref for ref, one in snapshot.entities.items() if ref.kind == "vm" and one.name == name)
    return Scene(program, page, limited, vm)


def ask_before_the_change(scene: Scene, qtbot: QtBot) -> None:
    scene.model.ask(Asked(scene.vm, until=scene.recorded.at))
    wait(qtbot, lambda: scene.model.state == "ready" and scene.model.keeping.number)


def kept(scene: Scene) -> list[tuple[int, list[str], list[str | None]]]:
    path = scene.program.desk.session.path
    assert path is not None
    with SessionReader.open(path) as reader:
        return [
            (run.number, [one.text for one in run.notes], [one.outcome for one in run.verifications])
            for run in reader.troubleshooting()
        ]


def test_one_click_shows_the_cause_of_the_worst_problem(scene: Scene) -> None:
    run = scene.model.run
    assert run is not None
    assert run.worst is not None
    assert scene.page.detail.problem == run.worst.problem
    assert scene.page.detail.title.text() == run.worst.title
    assert scene.page.bar.buttons["entity"].text() == run.symptom.name
    assert scene.page.bar.judged.text().startswith("judged to ")
    assert scene.program.window.dock("inventory").isVisible()
    assert not scene.program.window.dock("findings").isVisible()
    assert kept(scene) == [], "what nobody chose is not written"


def test_a_session_that_has_ended_is_looked_into_until_its_end(scene: Scene) -> None:
    words = symptom_words(scene.program.desk)
    assert words is not None
    assert words.until == "the end"


def test_the_tab_counts_what_the_page_counts(scene: Scene) -> None:
    """Two problems of one row, as a limit and the ready time that it makes, are one line of the page."""
    run = scene.run
    worst = ranked(run.checks)[0]
    twin = next(one for one in run.checks if one.row == worst.row and one.problem != worst.problem)
    both = tuple(replace(worst, problem=twin.problem) if one is twin else one for one in run.checks)
    rows = {one.row for one in ranked(run.checks)}
    assert badge_of(replace(run, checks=both))[0] == str(len(rows))


def test_the_inventory_chooses_who_is_looked_into(scene: Scene, qtbot: QtBot) -> None:
    snapshot = scene.program.desk.session.whole
    assert snapshot is not None
    host = next(ref for ref in snapshot.entities if ref.kind == "host")
    scene.program.desk.scope.set(scene.program.desk.scope.scope.on([host]))
    wait(qtbot, lambda: scene.model.run is not None and scene.model.run.symptom.entity == host)
    assert scene.page.bar.buttons["entity"].text() == snapshot.name(host)
    assert scene.program.window.pages.currentWidget().isAncestorOf(scene.page)


def test_whom_other_pages_show_meanwhile_is_offered(scene: Scene, qtbot: QtBot) -> None:
    """A run that somebody has begun is not thrown away because he looked at something else."""
    desk, window, offer = scene.program.desk, scene.program.window, scene.page.bar.instead
    run, snapshot = scene.run, desk.session.whole
    assert snapshot is not None
    host = next(ref for ref in snapshot.entities if ref.kind == "host")
    scene.page.list.setFocus()
    press(qtbot, Qt.Key.Key_Return)
    wait(qtbot, lambda: window.pages.currentWidget().objectName() == "panel-charts")
    window.show_panel("troubleshoot")
    wait(qtbot, scene.page.isVisible)
    assert not offer.isVisible(), "its own numbers are nobody else"
    window.show_panel("charts")
    desk.scope.set(desk.scope.scope.on([host]))
    window.show_panel("troubleshoot")
    wait(qtbot, offer.isVisible)
    assert offer.text() == f"Check {snapshot.name(host)} instead"
    assert scene.run is run
    qtbot.mouseClick(offer, Qt.MouseButton.LeftButton)
    wait(qtbot, lambda: scene.model.run is not None and scene.model.run.symptom.entity == host)
    assert not offer.isVisible()


def test_where_nothing_was_found_whom_the_other_pages_show_is_looked_into(
    program: Program, qtbot: QtBot, tmp_path: Path
) -> None:
    """It asked for a VM to be chosen while one was, and a click on that one changed nothing."""
    desk, window = program.desk, program.window
    program.workbench.open_paths([record(tmp_path / "quiet.hscope", seconds=290)])
    wait(qtbot, lambda: desk.findings.diagnosis is not None and desk.session.whole is not None)
    assert not desk.troubleshooting.offers()
    vm = next(ref for ref in desk.session.whole.entities if ref.kind == "vm")  # type: ignore[union-attr]
    window.show_panel("troubleshoot")
    assert desk.troubleshooting.question is None
    window.show_panel("charts")
    desk.scope.set(desk.scope.scope.on([vm]))
    window.show_panel("troubleshoot")
    wait(qtbot, lambda: desk.troubleshooting.run is not None)
    assert desk.troubleshooting.run.symptom.entity == vm  # type: ignore[union-attr]


def test_symptom_cause_fix_and_it_is_fixed(scene: Scene, qtbot: QtBot) -> None:
    ask_before_the_change(scene, qtbot)
    page, model = scene.page, scene.model
    page.list.setFocus()
    assert page.detail.problem == "cpu.limit"
    press(qtbot, Qt.Key.Key_N)
    qtbot.keyClicks(QApplication.focusWidget(), "Order desk: 20 s")
    press(qtbot, Qt.Key.Key_Return)
    press(qtbot, Qt.Key.Key_Escape)
    assert page.list.hasFocus()
    press(qtbot, Qt.Key.Key_V)
    wait(qtbot, lambda: model.fix.found is not None)
    assert scene.found.outcome == "fixed"
    card = page.detail.verify
    assert card.title.text() == "Fixed, confidence high"
    assert "unlimited" in card.more.text()
    row = page.list.current
    assert row is not None
    assert (row.verdict, "was " in row.measured) == ("not found", True)
    wait(qtbot, lambda: kept(scene) == [(1, ["Order desk: 20 s"], ["fixed"])])
    qtbot.mouseClick(card.all, Qt.MouseButton.LeftButton)
    pair = scene.program.desk.comparison.pair
    assert pair is not None
    assert (pair.a.window, pair.b.window) == (scene.found.before, scene.found.after)
    assert pair.a.window.end < pair.b.window.start


def test_an_earlier_run_is_shown_as_it_was(scene: Scene, qtbot: QtBot) -> None:
    ask_before_the_change(scene, qtbot)
    model = scene.model
    model.fix.verify()
    wait(qtbot, lambda: model.fix.found is not None and model.keeping.runs and kept(scene)[0][2])
    model.ask_entity(scene.vm)
    wait(qtbot, lambda: model.state == "ready" and model.keeping.number == 2)
    wait(qtbot, lambda: len(model.keeping.runs) == 2)
    model.recall(model.keeping.runs[0])
    assert (model.keeping.number, model.state) == (1, "ready")
    assert scene.page.detail.verify.title.text() == "Fixed, confidence high"
    wait(qtbot, lambda: bool(model.charts))


def test_the_change_can_be_told_and_the_later_time_chosen(scene: Scene, qtbot: QtBot) -> None:
    ask_before_the_change(scene, qtbot)
    span = scene.span
    scene.model.fix.judge(TimeRange(scene.recorded.at - 120_000, span.end))
    wait(qtbot, lambda: scene.model.fix.error is not None)
    assert "overlaps the time of the problem" in scene.page.detail.verify.title.text()
    scene.model.fix.judge(TimeRange(scene.recorded.at + 60_000, span.end))
    scene.model.fix.tell("raised the limit")
    wait(qtbot, lambda: scene.model.fix.found is not None)
    assert any(one.told for one in scene.found.changes)
    assert scene.found.outcome == "fixed"


def test_a_run_is_kept_while_somebody_writes_the_session(scene: Scene, qtbot: QtBot) -> None:
    path = scene.program.desk.session.path
    assert path is not None
    with SessionWriter.open(path):
        ask_before_the_change(scene, qtbot)
        assert scene.page.detail.kept.text() == "Kept in the session as run 1."
        scene.model.notes.add("Order desk: 20 s")
        wait(qtbot, lambda: kept(scene) == [(1, ["Order desk: 20 s"], [])])
    assert not path.with_name(path.name + "-runs").exists()
    assert kept(scene) == [(1, ["Order desk: 20 s"], [])]


def test_a_note_is_removed_and_comes_back_also_while_somebody_writes_the_session(
    scene: Scene, qtbot: QtBot
) -> None:
    path = scene.program.desk.session.path
    assert path is not None
    actions = scene.program.window.actions_by_id
    with SessionWriter.open(path):
        ask_before_the_change(scene, qtbot)
        scene.model.notes.add("Order desk: 20 s")
        scene.model.notes.add("Asked Anna")
        wait(qtbot, lambda: kept(scene) == [(1, ["Order desk: 20 s", "Asked Anna"], [])])
        first = scene.page.detail.findChildren(QToolButton, "remove-note")[0]
        qtbot.mouseClick(first, Qt.MouseButton.LeftButton)
        wait(qtbot, lambda: kept(scene) == [(1, ["Asked Anna"], [])])
        assert scene.program.window.messages.text == "Note removed: “Order desk: 20 s”."
        actions["edit.undo"].trigger()
        wait(qtbot, lambda: kept(scene) == [(1, ["Order desk: 20 s", "Asked Anna"], [])])
        actions["edit.undo"].trigger()
        wait(qtbot, lambda: kept(scene) == [(1, ["Order desk: 20 s"], [])])
        actions["edit.redo"].trigger()
        wait(qtbot, lambda: kept(scene) == [(1, ["Order desk: 20 s", "Asked Anna"], [])])


def test_a_session_that_can_not_be_written_says_so(scene: Scene, qtbot: QtBot) -> None:
    path = scene.program.desk.session.path
    assert path is not None
    in_the_way = path.with_name(path.name + "-runs-lock")
    in_the_way.mkdir()
    scene.model.ask(Asked(scene.vm, until=scene.recorded.at))
    wait(qtbot, lambda: scene.model.keeping.why_not)
    assert scene.page.detail.kept.text().startswith("Not kept in the session: ")
    in_the_way.rmdir()


def test_what_a_killed_writer_left_is_taken_in(scene: Scene, qtbot: QtBot) -> None:
    path = scene.program.desk.session.path
    assert path is not None
    ask_before_the_change(scene, qtbot)
    scene.program.desk.session.close()
    with SessionReader.open(path) as reader:
        (run,) = reader.troubleshooting()
    with WaitingRuns(path) as waiting:  # as it is when the recorder is killed
        waiting.put(noted(run, Note(1, "Order desk: 20 s")))
    scene.program.workbench.open_paths([path])
    wait(qtbot, lambda: not path.with_name(path.name + "-runs").exists())
    assert kept(scene) == [(1, ["Order desk: 20 s"], [])]


def test_findings_menu_and_palette_lead_here(scene: Scene, qtbot: QtBot) -> None:
    window, desk = scene.program.window, scene.program.desk
    finding = next(one for one in desk.findings.findings if one.problem == "cpu.limit")
    window.show_panel("overview")
    child_of(window, FindingsView).menu.verify_wanted.emit(finding)
    wait(qtbot, lambda: scene.model.fix.found is not None)
    assert window.pages.currentWidget().isAncestorOf(scene.page)
    assert scene.run.symptom.entity == finding.entity
    titles = [one.text for one in palette_entries(desk, window.commands)]
    assert any(one.startswith("Troubleshoot: ") for one in titles)


def test_enter_shows_the_numbers_in_charts(scene: Scene, qtbot: QtBot) -> None:
    scene.page.list.setFocus()
    press(qtbot, Qt.Key.Key_Return)
    window = scene.program.window
    wait(qtbot, lambda: window.pages.currentWidget().objectName() == "panel-charts")


def test_ctrl_t_looks_into_what_is_shown(scene: Scene, qtbot: QtBot) -> None:
    desk, window = scene.program.desk, scene.program.window
    span = scene.span
    shown = TimeRange(span.start + 120_000, span.start + 480_000)
    window.show_panel("overview")
    desk.scope.set(desk.scope.scope.on([scene.vm]).during(shown))
    window.actions_by_id["go.troubleshoot"].trigger()
    wait(qtbot, lambda: scene.model.state == "ready")
    assert scene.run.symptom.window == shown
    assert window.pages.currentWidget().isAncestorOf(scene.page)


def test_f1_explains_the_problem_that_is_shown(scene: Scene) -> None:
    assert topic_of(scene.page.list) == f"problems#{scene.page.detail.problem}"
