"""A guided test is set up: its choices, its checks and plan, and the steps beside them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from app.gui.test_places import Place
from tests.gui.windows import child_of, wait
from widgets.connect import ConnectDialog
from wizards.flows.check_result import CheckResult
from wizards.flows.plan_file import read_plan
from wizards.pages.check_plan import CheckPlanPage
from wizards.pages.choose import ChoosePage
from wizards.pages.gallery import GalleryView
from wizards.pages.rail_pane import RailPane

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def set_up(live: Program, qtbot: QtBot, test: str, step: str) -> None:
    tests = live.desk.tests
    tests.setup.begin(tests.known.require(test), Place(("lab:default",)))
    tests.open(test, step)
    wait(qtbot, lambda: tests.setup.now is not None and bool(tests.setup.now.checks))


def test_a_test_that_is_set_up_says_what_it_costs_and_what_was_checked(
    live: Program, gallery: GalleryView, qtbot: QtBot
) -> None:
    set_up(live, qtbot, "sioc-shares", "check")
    page = child_of(live.window, CheckPlanPage)
    assert page.isVisible()
    assert [row.check.id for row in page.checks.rows][:3] == ["C1", "C2", "C3"]
    assert "changes all undone" in page.plan.numbers.accessibleName()
    assert "ioengine=libaio" in page.plan.job.toPlainText()
    assert page.start.isEnabled()


def test_what_is_chosen_changes_the_plan(live: Program, gallery: GalleryView, qtbot: QtBot) -> None:
    set_up(live, qtbot, "sioc-shares", "choose")
    setup, page = live.desk.tests.setup, child_of(live.window, ChoosePage)
    assert page.isVisible()
    before = page.chosen
    assert len(before.workers) == 6
    page.leave_out([before.workers[-1]])
    wait(
        qtbot,
        lambda: setup.now is not None and setup.now.plan is not None and len(setup.now.plan.workers) == 5,
    )
    assert before.critical in before.workers


def test_what_cant_be_typed_leaves_no_plan_to_start(
    live: Program, gallery: GalleryView, qtbot: QtBot
) -> None:
    set_up(live, qtbot, "io-sweep", "choose")
    setup, page = live.desk.tests.setup, child_of(live.window, ChoosePage)
    assert page.numbers.accessibleName()
    field = next(one for one in page.findChildren(QLineEdit) if one.accessibleName().startswith("Outst"))
    field.setFocus()
    field.setText("0, 5000")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    wait(qtbot, lambda: page.problem.text().startswith("Outstanding I/Os a disk can't be 0, 5000: "))
    assert not page.numbers.accessibleName(), "what another plan would cost is not shown"
    field.setText("1, 4")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    wait(qtbot, lambda: setup.now is not None and bool(setup.now.checks))
    field.setText("a;b")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert "write numbers with commas" in page.problem.text()
    assert setup.now is not None
    assert setup.now.plan is None, "the plan of what stood there before can't be started"


def test_what_is_compared_are_two_datastores(live: Program, gallery: GalleryView, qtbot: QtBot) -> None:
    set_up(live, qtbot, "storage-ab", "choose")
    now = live.desk.tests.setup.now
    assert now is not None
    assert now.chosen is not None
    page = child_of(live.window, ChoosePage)
    assert page.chosen.objects == now.chosen.objects
    assert len({name for _what, name in page.chosen.objects}) == 2


def test_too_few_workers_are_refused_in_words(live: Program, gallery: GalleryView, qtbot: QtBot) -> None:
    set_up(live, qtbot, "sioc-shares", "choose")
    setup, page = live.desk.tests.setup, child_of(live.window, ChoosePage)
    page.leave_out(page.chosen.workers[1:])
    wait(
        qtbot, lambda: any(one.id == "W1" and one.blocks for one in setup.now.checks) if setup.now else False
    )
    live.desk.tests.open("sioc-shares", "check")
    check = child_of(live.window, CheckPlanPage)
    wait(qtbot, lambda: "at least 2" in check.reason.text())
    assert not check.start.isEnabled()
    page.leave_out(page.chosen.workers)
    wait(qtbot, lambda: page.problem.text() == "No worker is chosen: tick at least 2.")
    assert not page.next.isEnabled()
    assert setup.now is not None
    assert setup.now.plan is None


def test_what_a_check_is_about_is_shown_in_the_charts(
    live: Program, gallery: GalleryView, qtbot: QtBot
) -> None:
    set_up(live, qtbot, "io-sweep", "check")
    setup, page = live.desk.tests.setup, child_of(live.window, CheckPlanPage)
    whole = live.desk.session.whole
    assert setup.now is not None
    assert whole is not None
    vm = next(one for one in whole.entities.values() if one.ref.kind == "vm")

    def show(name: str) -> None:
        assert setup.now is not None
        found = CheckResult("C3", "block", "Snapshots", f"{name} has snapshots", objects=(name,))
        setup.now = replace(setup.now, checks=(found,))
        setup.changed.emit()
        button = next(one for one in page.checks.findChildren(QPushButton) if one.text() == "Show")
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)

    show("a VM of elsewhere")
    assert live.window.messages.text == "The session has nothing called a VM of elsewhere."
    assert not live.desk.scope.scope.entities
    show(vm.name)
    assert live.desk.scope.scope.entities == (vm.ref,)
    assert live.window.messages.text == "Overview and Charts show what this check is about."


def test_what_an_account_lacks_is_listed_and_can_be_asked_for(
    live: Program, gallery: GalleryView, qtbot: QtBot
) -> None:
    set_up(live, qtbot, "io-sweep", "check")
    page, setup = child_of(live.window, CheckPlanPage), live.desk.tests.setup
    assert setup.now is not None
    lacking = (
        ("Datastore › Configure I/O management", "to switch Storage I/O Control"),
        ("6 others held", ""),
    )
    check = CheckResult("C1", "block", "Privileges", "Your role lacks 1 of 7", "It fails.", "Ask.", (), (),
                        lacking, "Please grant it.")  # fmt: skip
    setup.now = replace(setup.now, checks=(check,))
    setup.changed.emit()
    texts = {one.text() for one in page.checks.findChildren(QLabel)}
    assert {each for row in lacking for each in row if each} <= texts
    buttons = {one.text(): one for one in page.checks.findChildren(QPushButton)}
    qtbot.mouseClick(buttons["Copy for the vCenter admin"], Qt.MouseButton.LeftButton)
    assert QApplication.clipboard().text() == "Please grant it."
    assert live.window.messages.text == "The request copied."
    qtbot.mouseClick(buttons["Use another login…"], Qt.MouseButton.LeftButton)
    dialog = child_of(live.window, ConnectDialog)
    assert dialog.isVisible()
    dialog.reject()


def test_the_main_button_and_the_checks_have_keys(live: Program, gallery: GalleryView, qtbot: QtBot) -> None:
    live.desk.tests.set_up("io-sweep")
    choose = child_of(live.window, ChoosePage)
    wait(qtbot, lambda: choose.isVisible() and choose.next.isEnabled())
    live.window.activateWindow()
    qtbot.waitUntil(live.window.isActiveWindow)
    choose.where.setFocus()
    qtbot.keyClick(choose.where, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    page, setup = child_of(live.window, CheckPlanPage), live.desk.tests.setup
    wait(qtbot, lambda: page.isVisible() and len(page.checks.rows) > 2 and not setup.is_checking)
    first, second = page.checks.rows[:2]
    first.setFocus()
    qtbot.keyClick(first, Qt.Key.Key_Down)
    assert second.hasFocus()
    before = setup.now.checked_at if setup.now is not None else None
    qtbot.keyClick(second, Qt.Key.Key_R, Qt.KeyboardModifier.ShiftModifier)
    wait(qtbot, lambda: setup.now is not None and setup.now.checked_at != before and not setup.is_checking)
    assert page.checks.rows[1].hasFocus(), "it keeps the keys when the checks were made again"
    qtbot.keyClick(page.checks.rows[0], Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    wait(qtbot, lambda: live.workbench.recordings.process is not None)


def test_a_sweep_of_one_value_is_refused_before_it_takes_minutes(
    live: Program, gallery: GalleryView, qtbot: QtBot
) -> None:
    live.desk.tests.set_up("io-sweep")
    page = child_of(live.window, ChoosePage)
    wait(qtbot, lambda: page.isVisible() and page.next.isEnabled())
    depths = next(one for one in page.findChildren(QLineEdit) if one.text() == "1, 4, 16, 64")
    depths.setFocus()
    depths.setText("16")
    depths.editingFinished.emit()
    wait(qtbot, lambda: page.problem.text().startswith("A sweep needs at least two values"))
    assert not page.next.isEnabled()
    depths.setText("1, 16")
    depths.editingFinished.emit()
    wait(qtbot, page.next.isEnabled)


def test_the_steps_stand_where_the_inventory_stands(
    live: Program, gallery: GalleryView, qtbot: QtBot
) -> None:
    set_up(live, qtbot, "io-sweep", "check")
    assert live.window.dock("steps").isVisible()
    assert not live.window.dock("inventory").isVisible()
    pane = child_of(live.window, RailPane)
    assert "Check, current" in pane.steps.accessibleDescription()
    assert "workers" in pane.steps.accessibleDescription(), "what was chosen stands in its step"
    assert "16 ok" in pane.steps.accessibleDescription()
    live.desk.tests.close()
    assert live.window.dock("inventory").isVisible()
    assert not live.window.dock("steps").isVisible()


def test_a_test_of_the_lab_can_be_set_up_before_it_runs(
    live: Program, gallery: GalleryView, qtbot: QtBot
) -> None:
    card = next(one for one in gallery.cards if one.card.id == "io-sweep")
    assert (card.setup.text(), card.button.text()) == ("Set up…", "Run")
    qtbot.mouseClick(card.setup, Qt.MouseButton.LeftButton)
    page = child_of(live.window, ChoosePage)
    wait(qtbot, lambda: page.isVisible() and page.next.isEnabled())
    assert live.workbench.recordings.process is None


def test_the_plan_can_be_saved(live: Program, gallery: GalleryView, qtbot: QtBot, home: Path) -> None:
    set_up(live, qtbot, "io-sweep", "check")
    live.desk.tests.setup.save(home / "sweep.toml")
    assert read_plan(home / "sweep.toml").test == "io-sweep"


def test_a_page_that_was_made_late_shows_what_was_opened_before(
    live: Program, qtbot: QtBot, lab_session: Path
) -> None:
    live.workbench.open_paths([lab_session])
    wait(qtbot, lambda: live.desk.session.whole is not None)
    tests = live.desk.tests
    tests.setup.begin(tests.known.require("io-sweep"), Place(("lab:default",)))
    tests.open("io-sweep", "choose")
    wait(qtbot, lambda: tests.setup.now is not None and bool(tests.setup.now.checks))
    live.window.show_panel("tests")
    page = child_of(live.window, ChoosePage)
    assert page.isVisible()
    assert page.chosen.workers
    assert live.window.dock("steps").isVisible()


def test_the_steps_are_as_wide_as_the_inventory(live: Program, gallery: GalleryView, qtbot: QtBot) -> None:
    qtbot.wait(50)
    width = live.window.dock("inventory").width()
    set_up(live, qtbot, "io-sweep", "choose")
    qtbot.wait(50)
    assert live.window.dock("steps").width() == width
    live.desk.tests.close()
    qtbot.wait(50)
    assert live.window.dock("inventory").width() == width
