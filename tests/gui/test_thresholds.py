"""The preferences' pages about storage: own sets, versions, chosen classes, and judging again at once."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QDoubleSpinBox, QFileDialog, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from app.gui.preferences import Preferences, preferences
from app.gui.settings import STORAGE_CLASSES, STORAGE_LIMITS
from app.gui.threshold_store import ThresholdStore
from diagnosis.storage_table import Classed, StorageTable
from resources.failures import AccessDeniedError, BusyError
from resources.problem_cards import load_problems
from resources.threshold_sets import OwnThresholds, thresholds_of
from sessions.model import Entity, EntityRef, SeriesSpec, SourceSpec
from sessions.store import SessionWriter
from tests.gui.windows import wait
from widgets.thresholds import ChosenClassesView, ThresholdSetsView

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
START = 1_790_000_000_000
NVME = "eui.00d0231000b7e6a50000000000000101"


@pytest.fixture
def dialog(live: Program) -> Iterator[Preferences]:
    made = preferences(live.desk, live.window)
    made.open()
    made.show_setting(STORAGE_LIMITS)
    yield made
    made.close()
    made.deleteLater()
    QApplication.processEvents()


@pytest.fixture
def sets(dialog: Preferences) -> ThresholdSetsView:
    [view] = dialog.findChildren(ThresholdSetsView)
    return view


def choose(view: ThresholdSetsView, words: str) -> None:
    [at] = [at for at in range(view.list.count()) if words in view.list.itemText(at)]
    view.list.setCurrentIndex(at)
    view.list.activated.emit(at)


def press(view: ThresholdSetsView, button: QPushButton, qtbot: QtBot) -> None:
    assert button.isEnabled(), button.text()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def box(view: ThresholdSetsView, title: str) -> QDoubleSpinBox:
    [found] = [one for one in view.findChildren(QDoubleSpinBox) if one.accessibleName() == title]
    return found


def saved(program: Program, folder_text: str = "") -> str:
    file = program.desk.thresholds.file
    return file.read_text(encoding="utf-8") if file else folder_text


def test_a_shipped_set_can_be_looked_at_and_not_changed(sets: ThresholdSetsView) -> None:
    choose(sets, "NVMe")
    assert box(sets, "Device latency, warning").value() == 5.0
    QApplication.processEvents()  # Qt shows new widgets in its next turn
    assert not any(one.isVisibleTo(sets) for one in sets.findChildren(QDoubleSpinBox)), (
        "no field that takes nothing"
    )
    assert "5 ms" in [one.text() for one in sets.findChildren(QLabel) if one.isVisibleTo(sets)]
    assert [one.isEnabled() for one in (sets.save, sets.remove, sets.use)] == [False, False, False]
    assert "duplicate it" in sets.about.text()
    assert sets.remove.toolTip() == "A set that ships with Hyperscope cannot be deleted"
    assert sets.use.toolTip() == "All devices of its class are judged with this set already"


def test_a_copy_is_edited_saved_counted_up_and_undone(
    live: Program, sets: ThresholdSetsView, qtbot: QtBot
) -> None:
    choose(sets, "NVMe")
    press(sets, sets.duplicate, qtbot)
    assert sets.name.text() == "NVMe, yours"
    assert not sets.save.isEnabled()
    box(sets, "Device latency, warning").setValue(2.5)
    sets.note.setText("contract")
    sets.note.textEdited.emit("contract")
    press(sets, sets.save, qtbot)
    [own] = live.desk.thresholds.limits.own.sets
    assert (own.version, own.numbers, own.note, own.used) == (2, {"latency_warn": 2.5}, "contract", False)
    assert [(one.version, one.numbers) for one in own.earlier] == [(1, {})]
    assert "latency_warn = 2.5  # ms" in saved(live)
    press(sets, sets.use, qtbot)
    assert live.desk.thresholds.limits.number("nvme", "latency_warn") == 2.5
    assert "in use" in sets.list.currentText()
    for _ in range(3):  # used, saved, duplicated
        press(sets, sets.undo, qtbot)
    assert live.desk.thresholds.limits.own.sets == []
    assert not sets.undo.isEnabled()
    for _ in range(3):
        press(sets, sets.redo, qtbot)
    assert live.desk.thresholds.limits.number("nvme", "latency_warn") == 2.5


def test_an_earlier_version_is_brought_back_into_the_fields_and_saved_as_the_newest(
    live: Program, sets: ThresholdSetsView, qtbot: QtBot
) -> None:
    choose(sets, "NVMe")
    assert not sets.versions.isEnabled()
    press(sets, sets.duplicate, qtbot)
    assert "No earlier version" in sets.versions.toolTip()
    for value in (2.5, 1.25):
        box(sets, "Device latency, warning").setValue(value)
        press(sets, sets.save, qtbot)
        assert sets.list.currentText().endswith("yours, not used"), "saved, no more edited"
    today = date.today().isoformat()
    assert [one.text() for one in sets.versions.menu().actions()] == [
        f"v2 of {today}: Device latency, warning 2.50 ms (now 1.25 ms)",
        f"v1 of {today}: Device latency, warning 5 ms (now 1.25 ms)",
    ]
    sets.versions.menu().actions()[0].trigger()
    assert box(sets, "Device latency, warning").value() == 2.5
    assert live.desk.thresholds.limits.own.sets[0].numbers == {"latency_warn": 1.25}, "not before it is saved"
    press(sets, sets.save, qtbot)
    [own] = live.desk.thresholds.limits.own.sets
    assert (own.version, own.numbers) == (4, {"latency_warn": 2.5})
    assert [one.version for one in own.earlier] == [3, 2, 1]
    assert sets.versions.menu().actions()[1].text() == f"v2 of {today}: the same numbers"


def test_numbers_go_back_to_the_shipped_ones_singly_and_together(
    live: Program, sets: ThresholdSetsView, qtbot: QtBot
) -> None:
    choose(sets, "SSD")
    press(sets, sets.duplicate, qtbot)
    warn, crit = (box(sets, f"Device latency, {one}") for one in ("warning", "critical"))
    warn.setValue(4.0)
    crit.setValue(9.0)
    [reset] = [
        one
        for one in sets.findChildren(QPushButton)
        if "Reset Device latency, warning" in one.accessibleName()
    ]
    press(sets, reset, qtbot)
    assert (warn.value(), crit.value()) == (10.0, 9.0)
    press(sets, sets.save, qtbot)
    assert "is lower than" in sets.trouble.text()  # critical at 9 ms, the warning at 10 ms
    assert live.desk.thresholds.limits.own.sets[0].version == 1
    press(sets, sets.reset, qtbot)
    assert not sets.save.isEnabled()


def test_what_is_typed_and_not_saved_stays(live: Program, sets: ThresholdSetsView, qtbot: QtBot) -> None:
    """Judging with a set, undoing, and looking at another set threw it away without a word."""
    title = "Device latency, warning"
    choose(sets, "NVMe")
    press(sets, sets.duplicate, qtbot)
    box(sets, title).setValue(2.5)
    press(sets, sets.use, qtbot)
    assert (box(sets, title).value(), sets.save.isEnabled()) == (2.5, True)
    press(sets, sets.undo, qtbot)
    assert box(sets, title).value() == 2.5
    choose(sets, "SSD")
    assert "NVMe, yours v1" in next(
        sets.list.itemText(at) for at in range(sets.list.count()) if "edited" in sets.list.itemText(at)
    )
    choose(sets, "NVMe, yours")
    assert (box(sets, title).value(), sets.save.isEnabled()) == (2.5, True)
    press(sets, sets.discard, qtbot)
    assert (box(sets, title).value(), sets.save.isEnabled()) == (5.0, False)
    assert "edited" not in sets.list.currentText()
    choose(sets, "SSD")
    choose(sets, "NVMe, yours")
    assert box(sets, title).value() == 5.0
    assert live.desk.thresholds.limits.own.sets[0].numbers == {}


def test_what_is_typed_is_there_when_the_preferences_open_again(
    live: Program, dialog: Preferences, sets: ThresholdSetsView, qtbot: QtBot
) -> None:
    choose(sets, "SSD")
    press(sets, sets.duplicate, qtbot)
    box(sets, "Device latency, warning").setValue(4.0)
    dialog.close()
    again = preferences(live.desk, live.window)
    try:
        again.open()
        again.show_setting(STORAGE_LIMITS)
        [view] = again.findChildren(ThresholdSetsView)
        assert view.name.text() == "SSD, yours"
        assert box(view, "Device latency, warning").value() == 4.0
        view.name.setText(" of the array ")
        press(view, view.save, qtbot)
        [own] = live.desk.thresholds.limits.own.sets
        assert (own.name, own.numbers) == ("of the array", {"latency_warn": 4.0})
        assert (view.save.isEnabled(), "edited" in view.list.currentText()) == (False, False)
    finally:
        again.close()
        again.deleteLater()


def test_the_focus_does_not_go_on_to_delete(sets: ThresholdSetsView, qtbot: QtBot) -> None:
    """Space twice on "Judge with it" deleted the set."""
    choose(sets, "SSD")
    press(sets, sets.duplicate, qtbot)
    sets.use.setFocus()
    qtbot.keyClick(sets.use, Qt.Key.Key_Space)
    assert not sets.remove.hasFocus()
    assert sets.list.hasFocus()


def test_sets_leave_as_a_file_and_come_back(
    live: Program, sets: ThresholdSetsView, qtbot: QtBot, tmp_path: Path
) -> None:
    choose(sets, "SSD")
    press(sets, sets.duplicate, qtbot)
    file = tmp_path / "mine.toml"
    press(sets, sets.give, qtbot)
    [dialog] = sets.findChildren(QFileDialog)
    dialog.selectFile(str(file))
    dialog.accept()
    wait(qtbot, file.exists)
    wait(qtbot, lambda: not sets.findChildren(QFileDialog))
    assert sets.trouble.text() == f"1 set exported to {file}."
    assert sets.trouble.property("role") == "muted"
    press(sets, sets.remove, qtbot)
    assert live.desk.thresholds.limits.own.sets == []
    press(sets, sets.take, qtbot)
    [dialog] = sets.findChildren(QFileDialog)
    dialog.selectFile(str(file))
    dialog.accept()
    wait(qtbot, lambda: bool(live.desk.thresholds.limits.own.sets))
    wait(qtbot, lambda: not sets.findChildren(QFileDialog))
    assert sets.name.text() == "SSD, yours"
    assert sets.trouble.text() == "From mine.toml: 1 set added."
    press(sets, sets.take, qtbot)
    [dialog] = sets.findChildren(QFileDialog)
    dialog.selectFile(str(file))
    dialog.accept()
    wait(qtbot, lambda: not sets.findChildren(QFileDialog))
    assert sets.trouble.text() == "mine.toml has nothing that is not here already."
    file.write_text("[[[", encoding="utf-8")
    press(sets, sets.take, qtbot)
    [dialog] = sets.findChildren(QFileDialog)
    dialog.selectFile(str(file))
    dialog.accept()
    wait(qtbot, lambda: "mine.toml can't be used" in sets.trouble.text())
    wait(qtbot, lambda: not sets.findChildren(QFileDialog))
    assert len(live.desk.thresholds.limits.own.sets) == 1


def test_a_broken_file_is_told_and_put_aside_by_the_next_change(
    live: Program, sets: ThresholdSetsView, qtbot: QtBot
) -> None:
    path = live.desk.settings.folder / "thresholds.toml"
    path.write_text("[[[", encoding="utf-8")
    wait(qtbot, lambda: "can't be used" in sets.trouble.text())
    choose(sets, "SSD")
    press(sets, sets.duplicate, qtbot)
    assert len(live.desk.thresholds.limits.own.sets) == 1
    assert sets.trouble.text() == ""
    assert path.with_name("thresholds.toml.unreadable").read_text(encoding="utf-8") == "[[["


def test_a_second_broken_file_is_put_beside_the_first(tmp_path: Path) -> None:
    classes = load_problems().storage.classes
    mine = thresholds_of(b'[[sets]]\nname = "mine"\nclass = "ssd"\n[sets.numbers]\n', "mine.toml", classes)
    for broken in ("[[[", "]]]"):
        (tmp_path / "thresholds.toml").write_text(broken, encoding="utf-8")
        ThresholdStore(tmp_path, classes).change(mine, "new set")
    kept = [path.read_text(encoding="utf-8") for path in tmp_path.glob("*.unreadable")]
    assert sorted(kept) == ["[[[", "]]]"]


def test_two_windows_that_store_at_once_lose_nothing(qapp: QApplication, tmp_path: Path) -> None:
    """The second one wrote over what the first had stored a moment ago, whose event had not come yet."""
    classes = load_problems().storage.classes
    ours, theirs = ThresholdStore(tmp_path, classes), ThresholdStore(tmp_path, classes)

    def with_set(store: ThresholdStore, name: str) -> OwnThresholds:
        text = f'[[sets]]\nname = "{name}"\nclass = "ssd"\nused = false\n[sets.numbers]\n'
        own = store.limits.own
        return replace(own, sets=[*own.sets, *thresholds_of(text.encode(), "x.toml", classes).sets])

    theirs.change(with_set(theirs, "first"), "new set")
    with pytest.raises(BusyError, match="Another window"):
        ours.change(with_set(ours, "ours"), "new set")
    assert [one.name for one in ours.limits.own.sets] == ["first"]
    ours.change(with_set(ours, "ours"), "new set")
    with pytest.raises(BusyError):
        theirs.undo()
    stored = ThresholdStore(tmp_path, classes).limits.own
    assert [one.name for one in stored.sets] == ["first", "ours"]
    assert theirs.undo_text == ""
    for store in (ours, theirs):
        store.shutdown()


@contextmanager
def no_room() -> Iterator[None]:
    """No file can be written meanwhile."""
    import resource  # noqa: PLC0415 - Windows has none

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.skipif(sys.platform == "win32", reason="no limit to the size of files")
def test_a_set_that_cannot_be_saved_under_its_new_name_can_be_saved_later(
    live: Program, sets: ThresholdSetsView, qtbot: QtBot
) -> None:
    """The page took the new name although nothing was stored, and then knew no such set."""
    choose(sets, "NVMe")
    press(sets, sets.duplicate, qtbot)
    sets.name.setText("Gold")
    sets.name.textEdited.emit("Gold")
    with no_room():
        press(sets, sets.save, qtbot)
    assert "can't be written" in sets.trouble.text()
    assert sets.trouble.text().startswith("✕ "), "no grey line among others"
    assert sets.trouble.property("role") == "trouble"
    assert not sets.trouble.visibleRegion().isEmpty(), "the page was scrolled to it"
    assert sets.name.text() == "Gold"
    press(sets, sets.save, qtbot)
    assert [one.name for one in live.desk.thresholds.limits.own.sets] == ["Gold"]
    assert sets.trouble.text() == ""


@pytest.mark.skipif(sys.platform == "win32", reason="no limit to the size of files")
def test_a_change_that_cannot_be_written_leaves_the_broken_file_where_it_is(tmp_path: Path) -> None:
    path = tmp_path / "thresholds.toml"
    path.write_text("[[[", encoding="utf-8")
    classes = load_problems().storage.classes
    store = ThresholdStore(tmp_path, classes)
    mine = thresholds_of(b'[[sets]]\nname = "mine"\nclass = "ssd"\n[sets.numbers]\n', "mine.toml", classes)
    with no_room(), pytest.raises(AccessDeniedError, match="can't be written"):
        store.change(mine, "new set")
    assert path.read_text(encoding="utf-8") == "[[["
    assert [one.name for one in tmp_path.iterdir() if one.suffix != ".lock"] == ["thresholds.toml"]
    store.change(mine, "new set")
    assert store.limits.own == mine
    store.deleteLater()


def slow_nvme(path: Path) -> Path:
    """Twenty minutes of an NVMe device that takes 4 ms."""
    ref = EntityRef("device", NVME)
    numbers = {"disk.device_latency": 4.0, "disk.commands": 300.0, "disk.active": 2.0, "disk.queued": 0.0}
    with SessionWriter.create(path, durable=False) as writer:
        source = writer.add_source(SourceSpec("esxtop", "esx01", 20.0))
        writer.add_entities([Entity(ref, NVME)])
        specs = [SeriesSpec(ref, counter, "ms") for counter in numbers]
        layout = writer.ticks.add_layout(source, writer.add_series(source, specs))
        values = np.array(list(numbers.values()))
        writer.ticks.append_ticks([(layout, START + 20_000 * at, values) for at in range(60)])
    return path


def test_what_is_saved_judges_the_open_session_at_once(
    live: Program, sets: ThresholdSetsView, qtbot: QtBot, home: Path
) -> None:
    judging = live.desk.judging
    live.workbench.open_paths([slow_nvme(home / "slow.hscope")])
    wait(qtbot, lambda: judging.verdict.is_judged)
    assert not live.desk.findings.findings
    choose(sets, "NVMe")
    press(sets, sets.duplicate, qtbot)
    box(sets, "Device latency, warning").setValue(3.0)
    press(sets, sets.save, qtbot)
    press(sets, sets.use, qtbot)
    wait(qtbot, lambda: bool(live.desk.findings.findings))
    [found] = live.desk.findings.findings
    [label] = judging.verdict.judged_with
    assert found.problem == "storage.device_latency"
    assert label.startswith("NVMe, yours v2 of ")
    assert found.notes[0] == f"Class NVMe, because its name is one of an NVMe device. Judged with {label}."
    press(sets, sets.undo, qtbot)
    wait(qtbot, lambda: not live.desk.findings.findings)
    assert judging.verdict.judged_with == ()


def test_classes_of_storage_are_found_by_a_worker(
    live: Program, qtbot: QtBot, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """5,000 devices took 30 ms of the window's thread when the first table of them was drawn."""
    threads: dict[EntityRef, set[str]] = {}
    found = StorageTable.of

    def of(table: StorageTable, ref: EntityRef) -> Classed:
        threads.setdefault(ref, set()).add(threading.current_thread().name)
        return found(table, ref)

    monkeypatch.setattr(StorageTable, "of", of)
    path, device = slow_nvme(home / "slow.hscope"), EntityRef("device", NVME[:-1] + "2")
    with SessionWriter.open(path) as writer:
        writer.add_entities([Entity(device, device.key)])  # which no page shows yet
    live.workbench.open_paths([path])
    wait(qtbot, lambda: device in threads and not live.desk.jobs.busy("storage-classes"))
    limits = live.desk.entity_limits.of("disk.device_latency", device)
    assert limits is not None
    assert limits.because == "class NVMe"
    assert threading.main_thread().name not in threads[device]


def test_classes_are_chosen_for_names_in_an_order(live: Program, dialog: Preferences, qtbot: QtBot) -> None:
    dialog.show_setting(STORAGE_CLASSES)
    [view] = dialog.findChildren(ChosenClassesView)

    def add(pattern: str, title: str) -> None:
        view.pattern.setFocus()
        qtbot.keyClicks(view.pattern, pattern)
        view.classes.setCurrentText(title)
        qtbot.keyClick(view.pattern, Qt.Key.Key_Return)

    def chosen() -> list[tuple[str, str]]:
        return [(one.pattern, one.storage_class) for one in live.desk.thresholds.limits.own.chosen]

    def select(at: int) -> None:
        item = view.list.topLevelItem(at)
        assert item is not None
        view.list.setCurrentItem(item)

    assert not view.add.isEnabled()
    assert "type its name below" in view.empty.text()
    assert view.empty.isVisible()
    add("naa.6*", "HDD")
    assert not view.empty.isVisible()
    add("naa.624*", "SSD")
    assert chosen() == [("naa.6*", "hdd"), ("naa.624*", "ssd")]
    select(1)
    qtbot.mouseClick(view.up, Qt.MouseButton.LeftButton)
    assert chosen() == [("naa.624*", "ssd"), ("naa.6*", "hdd")]
    select(1)
    qtbot.mouseClick(view.remove, Qt.MouseButton.LeftButton)
    assert chosen() == [("naa.624*", "ssd")]


def test_the_classes_of_the_open_session_are_listed_with_why(live: Program, home: Path, qtbot: QtBot) -> None:
    live.workbench.open_paths([slow_nvme(home / "slow.hscope")])
    wait(qtbot, lambda: live.desk.session.whole is not None)
    made = preferences(live.desk, live.window)
    made.open()
    made.show_setting(STORAGE_CLASSES)
    [view] = made.findChildren(ChosenClassesView)
    item = view.devices.topLevelItem(0)
    assert item is not None
    assert [item.text(column) for column in (0, 1, 2)] == [NVME, "Device", "NVMe"]
    assert "NVMe" in item.text(3)
    view.devices.itemActivated.emit(item, 0)
    assert (view.pattern.text(), view.kind.currentText()) == (NVME, "Devices")
    view.classes.setCurrentText("HDD")
    qtbot.mouseClick(view.add, Qt.MouseButton.LeftButton)
    item = view.devices.topLevelItem(0)
    assert item is not None
    assert (item.text(2), item.text(3)) == ("HDD", f"you chose it for names like {NVME}")
    made.close()
    made.deleteLater()
    QApplication.processEvents()


def test_a_removed_choice_of_a_class_comes_back(live: Program, dialog: Preferences, qtbot: QtBot) -> None:
    dialog.show_setting(STORAGE_CLASSES)
    [view] = dialog.findChildren(ChosenClassesView)
    store = live.desk.thresholds
    assert not view.undo.isEnabled()
    assert not view.redo.isEnabled()
    view.pattern.setText("naa.6*")
    qtbot.mouseClick(view.add, Qt.MouseButton.LeftButton)
    before = store.limits.own.chosen
    qtbot.mouseClick(view.remove, Qt.MouseButton.LeftButton)
    assert (view.list.topLevelItemCount(), store.limits.own.chosen) == (0, [])
    assert view.undo.toolTip() == "Undo: choose classes"
    qtbot.mouseClick(view.undo, Qt.MouseButton.LeftButton)
    assert store.limits.own.chosen == before
    assert view.list.topLevelItemCount() == 1
    qtbot.mouseClick(view.redo, Qt.MouseButton.LeftButton)
    assert store.limits.own.chosen == []
    assert not view.redo.isEnabled()
