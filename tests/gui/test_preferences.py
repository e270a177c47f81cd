"""The preferences: a folder is chosen in a dialog that leaves the window alive."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QFileDialog,
    QLineEdit,
    QPushButton,
    QSpinBox,
)
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.gui.application import Program
from app.gui.preferences import Preferences, preferences
from app.gui.settings import STORAGE_CLASSES, Settings
from app.gui.zone_box import ZoneBox
from tests.gui.windows import wait
from widgets.thresholds import ChosenClassesView

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def test_choosing_the_folder_of_recordings_waits_for_nobody(
    live: Program, qtbot: QtBot, tmp_path: Path
) -> None:
    preferences = Preferences(live.desk.settings, live.desk.times, live.window)
    preferences.open()
    [choose] = [one for one in preferences.findChildren(QPushButton) if one.text() == "Choose…"]
    qtbot.mouseClick(choose, Qt.MouseButton.LeftButton)
    [dialog] = preferences.findChildren(QFileDialog)  # the click has returned, and the dialog is open
    assert dialog.isVisible()
    assert dialog.fileMode() == QFileDialog.FileMode.Directory
    dialog.setDirectory(str(tmp_path))
    dialog.selectFile(str(tmp_path))
    dialog.accept()
    wait(qtbot, lambda: not preferences.findChildren(QFileDialog))
    assert Path(live.desk.settings.text("record.folder")) == tmp_path
    texts = [line.text() for line in preferences.findChildren(QLineEdit)]
    assert live.desk.settings.text("record.folder") in texts
    preferences.close()
    preferences.deleteLater()
    QApplication.processEvents()


def test_any_zone_is_chosen_by_typing_a_part_of_its_name(live: Program, qtbot: QtBot) -> None:
    preferences = Preferences(live.desk.settings, live.desk.times, live.window)
    preferences.open()
    box = preferences.findChild(ZoneBox)
    line = box.lineEdit() if box is not None else None
    completer = box.completer() if box is not None else None
    assert line is not None
    assert completer is not None
    line.selectAll()
    qtbot.keyClicks(line, "asia/kolk")
    with qtbot.waitSignal(live.desk.times.changed):
        qtbot.keyClick(completer.popup(), Qt.Key.Key_Down)
        qtbot.keyClick(completer.popup(), Qt.Key.Key_Return)
    assert live.desk.times.clock.moment(0) == "05:30:00 IST"
    assert live.desk.settings.text("look.times") == "Asia/Kolkata"
    line.selectAll()
    qtbot.keyClicks(line, "lord h")
    qtbot.keyClick(line, Qt.Key.Key_Return)
    assert live.desk.settings.text("look.times") == "Australia/Lord_Howe"
    line.selectAll()
    qtbot.keyClicks(line, "nowhere")
    line.editingFinished.emit()  # as when the field is left
    assert (line.text(), live.desk.settings.text("look.times")) == (
        "Australia/Lord Howe",
        "Australia/Lord_Howe",
    )
    preferences.close()
    preferences.deleteLater()
    QApplication.processEvents()


def test_the_dialog_shows_what_another_window_chose_meanwhile(live: Program, qtbot: QtBot) -> None:
    preferences = Preferences(live.desk.settings, live.desk.times, live.window)
    preferences.open()
    shown = {one.accessibleName() or one.text(): one for one in preferences.findChildren(QCheckBox)}
    speed = next(
        one for one in preferences.findChildren(QSpinBox) if one.accessibleName() == "Speed of the lab"
    )
    theme = next(one for one in preferences.findChildren(QComboBox) if one.accessibleName() == "Theme")
    another = Settings(live.desk.settings.folder)
    another.set("look.motion", True)
    another.set("lab.speed", 12)
    another.set("look.theme", "light")
    wait(qtbot, lambda: live.desk.settings.text("look.theme") == "light")
    assert shown["Reduced motion"].isChecked()
    assert (speed.value(), theme.currentText()) == (12, "Light")
    assert live.desk.theme.tokens.name == "light"
    preferences.close()
    preferences.deleteLater()
    QApplication.processEvents()


def test_a_zone_is_chosen_after_the_preferences_have_gone(live: Program, qtbot: QtBot) -> None:
    preferences = Preferences(live.desk.settings, live.desk.times, live.window)
    preferences.open()
    preferences.close()
    preferences.deleteLater()
    qtbot.waitUntil(lambda: not isValid(preferences))
    live.desk.times.choose("utc")
    assert live.desk.times.setting == "utc"


def test_enter_in_a_field_takes_it_and_leaves_the_dialog_open(live: Program, qtbot: QtBot) -> None:
    dialog = preferences(live.desk, live.window)
    dialog.open()
    dialog.show_setting(STORAGE_CLASSES)
    [classes] = dialog.findChildren(ChosenClassesView)
    qtbot.keyClicks(classes.pattern, "naa.600*")
    qtbot.keyClick(classes.note, Qt.Key.Key_Return)
    assert dialog.isVisible()
    assert [one.pattern for one in live.desk.thresholds.limits.own.chosen] == ["naa.600*"]
    for line in dialog.findChildren(QLineEdit):
        qtbot.keyClick(line, Qt.Key.Key_Enter)
    assert dialog.isVisible()
    [close] = [one for one in dialog.findChildren(QPushButton) if one.text().replace("&", "") == "Close"]
    close.setFocus()
    qtbot.keyClick(close, Qt.Key.Key_Return)
    assert not dialog.isVisible()
    dialog.deleteLater()
    QApplication.processEvents()
