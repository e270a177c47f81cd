"""The palette in the whole window: entities, commands and settings by their names and other words."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QCheckBox, QLineEdit
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from app.gui.navigation import palette_entries
from app.gui.palette import Palette, matches
from app.gui.preferences import Preferences
from tests.gui.one_window import opened, program, session, snapshot_of
from tests.gui.windows import WAIT, child_of
from widgets.heatmap import HeatmapView

__all__ = ["opened", "program", "session"]


def test_the_palette_finds_a_vm(opened: Program, qtbot: QtBot) -> None:
    offered = list(palette_entries(opened.desk, opened.window.actions_by_id))
    name = next(e.name for ref, e in snapshot_of(opened).entities.items() if ref.kind == "vm")
    found = matches(name.lower(), offered)
    assert found[0].text == name
    found[0].run()
    assert opened.desk.scope.scope.entities[0].kind == "vm"


@pytest.mark.qt_log_ignore("This plugin does not support")
@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("theme", ["Preferences: Theme", "Switch between dark and light"]),
        ("esxtop -b", ["Import captures or logs…"]),
        ("speed of the lab", ["Preferences: Speed of the lab"]),
        ("nvme", ["Preferences: Storage limits", "Preferences: Storage classes"]),
    ],
)
def test_the_palette_knows_commands_and_settings_by_their_other_words(
    opened: Program, typed: str, first: list[str]
) -> None:
    opened.window.actions_by_id["go.palette"].trigger()
    palette = child_of(opened.window, Palette)
    palette.findChild(QLineEdit).setText(typed)  # type: ignore[union-attr]
    assert palette.texts[: len(first)] == first
    palette.close()


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_the_palette_opens_a_setting(opened: Program, qtbot: QtBot) -> None:
    opened.window.actions_by_id["go.palette"].trigger()
    palette = child_of(opened.window, Palette)
    line = palette.findChild(QLineEdit)
    assert line is not None
    line.setText("preferences reduced motion")
    qtbot.keyClick(line, Qt.Key.Key_Return)
    preferences = child_of(opened.window, Preferences)
    qtbot.waitUntil(preferences.isVisible, timeout=WAIT)
    boxes = [one for one in preferences.findChildren(QCheckBox) if one.isVisible()]
    assert "Reduced motion" in [one.text() for one in boxes]
    preferences.close()
    preferences.deleteLater()
    QApplication.processEvents()


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_what_is_no_command_is_said_to_be_none(opened: Program) -> None:
    opened.window.actions_by_id["go.palette"].trigger()
    palette = child_of(opened.window, Palette)
    palette.findChild(QLineEdit).setText("qwertz")  # type: ignore[union-attr]
    assert palette.note.startswith("No command has that name. ")
    palette.close()


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_one_types_into_the_palette_at_once(opened: Program, qtbot: QtBot) -> None:
    opened.window.actions_by_id["go.palette"].trigger()
    palette = child_of(opened.window, Palette)
    qtbot.waitUntil(palette.isVisible, timeout=WAIT)
    focus = palette.focusWidget()
    assert focus is not None
    qtbot.keyClicks(focus, "heat map")
    qtbot.keyClick(focus, Qt.Key.Key_Return)
    assert opened.window.pages.currentWidget() is child_of(opened.window, HeatmapView)
