"""Disks that were given are overwritten only after they were typed."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from app.gui.plan_files import PlanFiles
from resources.fio_jobs import load_fio_jobs
from resources.guided_tests import load_guided_tests
from tests.wizards.memory_environment import MemoryEnvironment
from widgets.elided_label import ElidedLabel
from widgets.theme import Theme
from wizards.flows.confirmation import disks_to_confirm, require_confirmed
from wizards.flows.overwriting import Overwriting, OverwrittenDisk, overwriting_of
from wizards.flows.plan_file import plan_text
from wizards.flows.planning import Choice, make_plan
from wizards.flows.surroundings import look
from wizards.pages.overwrite_dialog import OverwriteDialog

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")

WRITING = [name for name, job in load_fio_jobs().jobs.items() if job.writes != "nothing"]
TEST = load_guided_tests().require("io-sweep")


def given() -> Overwriting:
    around = look(MemoryEnvironment(count=2))
    return overwriting_of(make_plan(TEST, around, Choice("io-sweep")), WRITING)


def made() -> Overwriting:
    around = look(MemoryEnvironment(count=2))
    return overwriting_of(make_plan(TEST, around, Choice("io-sweep", make_disks=10 << 30)), WRITING)


def test_every_given_disk_must_be_typed(theme: Theme, qtbot: QtBot) -> None:
    what = given()
    dialog = OverwriteDialog(theme, what, None)
    qtbot.addWidget(dialog)
    dialog.show()
    assert [one.uuid for one in what.given] == ["6000c29f-0001", "6000c29f-0002"]
    fields = list(dialog.fields.values())
    qtbot.keyClicks(fields[0], "9f0001")
    assert not dialog.confirm.isEnabled()
    fields[0].clear()
    qtbot.keyClicks(fields[0], "C29F0001")
    assert not dialog.confirm.isEnabled()
    assert dialog.why.text() == "1 still to be typed"
    qtbot.keyClicks(fields[1], "c29f0001")
    assert not dialog.confirm.isEnabled()
    fields[1].clear()
    qtbot.keyClicks(fields[1], "c29f-0002")
    assert dialog.confirm.isEnabled()


def test_what_is_to_be_typed_and_its_field_are_seen_at_once(theme: Theme, qtbot: QtBot) -> None:
    """Long paths pushed the UUIDs' ends and the fields out of sight."""
    path, uuid = (
        "/dev/disk/by-id/wwn-0xb42dda1d3000585d930030eaf0c12f1",
        "naa.b42dda1d3000585d930030eaf0c12f1",
    )
    disks = [
        OverwrittenDisk(f"perf-w0{n}", "disk", f"{path}{n}", f"{uuid}{n}", 16 << 20, False) for n in (1, 2)
    ]
    dialog = OverwriteDialog(theme, Overwriting(tuple(disks)), datetime(2026, 11, 22, 19, 22, 27, tzinfo=UTC))
    qtbot.addWidget(dialog)
    dialog.resize(820, 400)
    dialog.show()
    qtbot.waitExposed(dialog)
    for one in disks:
        seen = [
            dialog.fields[one.uuid],
            *(each for each in dialog.findChildren(QLabel) if each.text() == one.key),
        ]
        assert len(seen) == 2
        assert all(each.visibleRegion().boundingRect() == each.rect() for each in seen)
    paths = [each for each in dialog.findChildren(ElidedLabel) if each.text().startswith(path)]
    assert len({each.shown_in(each.width()) for each in paths}) == 2, "they can be told apart"
    names = [each for each in dialog.findChildren(ElidedLabel) if each.text().startswith("perf-w0")]
    assert [each.shown_in(each.width()) for each in names] == ["perf-w01", "perf-w02"]
    assert all(not name.geometry().intersects(each.geometry()) for name in names for each in paths)
    texts = {each.text() for each in dialog.findChildren(QLabel)}
    assert {"found in the guest 19:22:27", "✓ empty, not mounted, no signature"} <= texts
    unchecked = OverwriteDialog(theme, Overwriting(tuple(disks)), None)
    qtbot.addWidget(unchecked)
    assert not any("empty" in each.text() for each in unchecked.findChildren(QLabel)), "nobody looked yet"


def test_enter_never_confirms_and_nothing_can_be_pasted(theme: Theme, qtbot: QtBot) -> None:
    dialog = OverwriteDialog(theme, given(), None)
    qtbot.addWidget(dialog)
    dialog.show()
    field = next(iter(dialog.fields.values()))
    QApplication.clipboard().setText("c29f0001")
    qtbot.keyClick(field, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(field, Qt.Key.Key_Insert, Qt.KeyboardModifier.ShiftModifier)
    assert field.text() == ""
    for one, end in zip(dialog.fields.values(), ("c29f0001", "c29f0002"), strict=True):
        qtbot.keyClicks(one, end)
        qtbot.keyClick(one, Qt.Key.Key_Return)
    assert dialog.isVisible()
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    assert dialog.isVisible()
    assert not dialog.result()


def test_disks_that_the_run_makes_ask_for_their_datastore_once(theme: Theme, qtbot: QtBot) -> None:
    dialog = OverwriteDialog(theme, made(), None)
    qtbot.addWidget(dialog)
    dialog.show()
    assert not dialog.fields
    qtbot.keyClicks(dialog.phrase, "perf-lun-0")
    assert not dialog.confirm.isEnabled()
    qtbot.keyClicks(dialog.phrase, "2")
    assert dialog.confirm.isEnabled()


def test_more_disks_than_anybody_types_with_care_are_refused(theme: Theme, qtbot: QtBot) -> None:
    around = look(MemoryEnvironment(count=9))
    everybody = Choice("io-sweep", workers=[one.name for one in around.workers])
    what = overwriting_of(make_plan(TEST, around, everybody), WRITING)
    dialog = OverwriteDialog(theme, what, None)
    qtbot.addWidget(dialog)
    assert "9 given disks are too many to type" in dialog.why.text()
    assert not what.is_confirmed({one.uuid: one.key for one in what.given}, "")


def test_a_file_that_is_no_plan_is_refused_in_one_sentence(live: Program, home: Path) -> None:
    bad = home / "bad.toml"
    bad.write_text("test = 'io-sweep'\n", encoding="utf-8")
    files = PlanFiles(live.desk, live.window)
    files.run(bad)
    assert live.workbench.recordings.process is None
    assert "bad.toml" in live.window.messages.past[-1].text


def test_a_plan_of_real_disks_waits_for_what_must_be_typed(live: Program, home: Path, qtbot: QtBot) -> None:
    around = look(MemoryEnvironment(count=2))
    path = home / "sweep.toml"
    path.write_text(plan_text(make_plan(TEST, around, Choice("io-sweep"))), encoding="utf-8")
    PlanFiles(live.desk, live.window).run(path)
    dialog = live.window.findChild(OverwriteDialog)
    assert dialog is not None
    assert live.workbench.recordings.process is None
    dialog.reject()
    assert live.workbench.recordings.process is None


def test_what_was_typed_is_what_the_run_asks_for() -> None:
    around = look(MemoryEnvironment(count=2))
    plan = make_plan(TEST, around, Choice("io-sweep"))
    typed = [one.key for one in overwriting_of(plan, WRITING).given]
    require_confirmed(disks_to_confirm(plan, load_fio_jobs()), typed)
    assert overwriting_of(plan, WRITING).given[0].parts == ("6000", "c29f-0001")
