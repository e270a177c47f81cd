"""What leaves the window by context menus and two keys: findings, lists, heat map, timeline, sources."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from tests.gui.recordings import record
from tests.gui.windows import child_of, wait
from widgets.context_menu import MenuEntry, context_menu_of
from widgets.findings import FindingsView

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record(tmp_path_factory.mktemp("leaving") / "demo.hscope", seconds=900)


@pytest.fixture
def opened(live: Program, session: Path, qtbot: QtBot) -> Program:
    """A window on a judged session."""
    live.workbench.open_paths([session])
    wait(qtbot, lambda: live.desk.findings.findings)
    return live


def clipboard() -> str:
    return QGuiApplication.clipboard().text()


def choose(widget: QWidget, text: str) -> None:
    """Choose an entry of the context menu of a widget's current item."""
    menu = context_menu_of(widget)
    assert menu is not None
    entries = [one for one in menu.entries() if isinstance(one, MenuEntry)]
    [entry] = [one for one in entries if one.text == text]
    entry.act()


def saved(program: Program, qtbot: QtBot, path: Path) -> str:
    """Save what a dialog asks for as ``path``; returns the text of the file."""
    dialog = child_of(program.window, QFileDialog)
    dialog.fileSelected.emit(str(path))
    dialog.reject()
    wait(qtbot, path.exists)
    return path.read_text(encoding="utf-8-sig")


def test_a_finding_is_copied_as_text_and_as_json(opened: Program, qtbot: QtBot) -> None:
    view = child_of(opened.window, FindingsView)
    wait(qtbot, lambda: view.cards)
    card = view.cards[0]
    card.setFocus()
    qtbot.keyClick(card, Qt.Key.Key_C, CTRL)
    assert clipboard().startswith(f"1. ‼ {card.finding.severity.upper()}  {card.finding.title}")
    assert "What to do" in clipboard()
    choose(card, "Copy as JSON")
    document = json.loads(clipboard())
    assert (document["problem"], document["entity"]["name"]) == (
        card.finding.problem,
        card.finding.entity_name,
    )


@pytest.mark.parametrize("suffix", [".txt", ".md", ".json"])
def test_all_findings_are_saved(opened: Program, qtbot: QtBot, tmp_path: Path, suffix: str) -> None:
    view = child_of(opened.window, FindingsView)
    wait(qtbot, lambda: view.cards)
    choose(view.cards[0], "Save all findings…")
    text = saved(opened, qtbot, tmp_path / f"findings{suffix}")
    starts = {".txt": "Findings: ", ".md": "# Findings: ", ".json": "{\n"}
    assert text.startswith(starts[suffix])
    for finding in opened.desk.findings.findings[:3]:
        assert finding.entity_name.split(" ")[0] in text
