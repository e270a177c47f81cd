"""The recent sessions on the start page: search, pin, remove and undo, missing files, keys and menu."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from app.gui.another_window import window_command
from app.gui.application import Program
from app.gui.recent import RecentSessions
from app.gui.start_board import StartBoard
from tests.gui.recordings import record
from tests.gui.windows import wait
from widgets.start.recent import RecentDelegate, RecentEntry
from widgets.start.recent_list import RecentList

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


@pytest.fixture
def listed(live: Program, qtbot: QtBot, home: Path) -> Program:
    """A window with three recent sessions, one of which is away."""
    recent = RecentSessions(live.desk.settings.folder)
    for name in ("friday", "monday", "tuesday"):
        path = home / f"{name}.hscope"
        if name != "monday":
            record(path, "cpu-limit-vm", seconds=60)
        recent.remember(
            path,
            name,
            worst="critical",
            summary=f"Held back: {name}",
            size=7_800_000,
            start=1,
            until=2_700_001,
        )
    child(live).renew()
    wait(qtbot, lambda: any(one.missing for one in rows(live)))
    return live


def child(program: Program) -> StartBoard:
    found = program.workbench.findChild(StartBoard)
    assert isinstance(found, StartBoard)
    return found


def list_of(program: Program) -> RecentList:
    return program.workbench.start_page.recent


def rows(program: Program) -> list[RecentEntry]:
    model = list_of(program).model()
    return [model.index(row, 0).data(Qt.ItemDataRole.UserRole) for row in range(model.rowCount())]


def titles(program: Program) -> list[str]:
    return [one.title for one in rows(program)]


def go_to(program: Program, title: str) -> RecentList:
    view = list_of(program)
    view.setFocus()
    view.setCurrentIndex(view.model().index(titles(program).index(title), 0))
    return view


def test_duration_and_size_are_shown_and_a_missing_file_says_why(listed: Program) -> None:
    assert titles(listed) == ["tuesday", "monday", "friday"]
    assert {one.length for one in rows(listed)} == {"45 min · 7.44 MB"}
    [away] = [one for one in rows(listed) if one.missing]
    assert away.title == "monday"
    assert away.below == away.missing
    assert away.missing.startswith("The file is not there")
    assert away.missing in away.accessible_text


def test_search_finds_by_words_and_enter_opens(listed: Program, qtbot: QtBot, home: Path) -> None:
    page = listed.workbench.start_page
    qtbot.keyClicks(page.search, "DAY held fri")
    assert titles(listed) == ["friday"]
    qtbot.keyClick(page.search, Qt.Key.Key_Return)
    wait(qtbot, lambda: listed.desk.session.path == home / "friday.hscope")
    listed.desk.session.close()
    qtbot.keyClick(page.search, Qt.Key.Key_Escape)
    assert len(titles(listed)) == 3
    qtbot.keyClick(page.search, Qt.Key.Key_Escape)
    assert list_of(listed).hasFocus()


def test_pinned_sessions_come_first_by_key_and_by_button(listed: Program, qtbot: QtBot) -> None:
    view = go_to(listed, "friday")
    qtbot.keyClick(view, Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier)
    assert titles(listed) == ["friday", "tuesday", "monday"]
    assert rows(listed)[0].pinned
    assert view.currentIndex().row() == 0, "the row in hand stays in hand"
    box = view.visualRect(view.model().index(2, 0))
    buttons = view.itemDelegate()
    assert isinstance(buttons, RecentDelegate)
    places = (QPoint(x, box.center().y()) for x in range(box.left(), box.right()))
    pin = next(place for place in places if buttons.button_at(box, place) == "pin")
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=pin)
    assert titles(listed) == ["monday", "friday", "tuesday"]
    assert listed.desk.session.path is None, "the button does not open"


def test_what_is_taken_off_comes_back_by_undo(listed: Program, qtbot: QtBot, home: Path) -> None:
    view = go_to(listed, "friday")
    qtbot.keyClick(view, Qt.Key.Key_Delete)
    assert titles(listed) == ["tuesday", "monday"]
    assert (home / "friday.hscope").exists()
    messages = listed.window.messages
    assert messages.text == "friday is off the list; its file stays."
    action = messages.past[-1].action
    assert action is not None
    action.run()
    assert titles(listed) == ["tuesday", "monday", "friday"]


def test_its_menu_by_keyboard(listed: Program, qtbot: QtBot, home: Path) -> None:
    view = go_to(listed, "monday")
    qtbot.keyClick(view, Qt.Key.Key_F10, Qt.KeyboardModifier.ShiftModifier)
    [menu] = [one for one in view.findChildren(QMenu) if one.isVisible()]
    offered = {one.text(): one.isEnabled() for one in menu.actions() if one.text()}
    assert offered == {
        "Open": True,
        "Open in another window": False,
        "Pin to the top": True,
        "Show in folder": False,
        "Copy the path": True,
        "Take off this list": True,
    }
    menu.close()
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == str(home / "monday.hscope")


def test_another_window_is_the_program_again() -> None:
    command = window_command(Path("/s.hscope"))
    assert command[0] == sys.executable
    assert command[-2:] == ["gui", str(Path("/s.hscope"))]


def test_a_window_that_can_not_open_says_so(
    listed: Program, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", "no-such-platform")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    view = go_to(listed, "friday")
    qtbot.keyClick(view, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    wait(qtbot, lambda: "Another window could not be opened" in listed.window.messages.text)


DAMAGED: list[dict[str, object]] = [
    {"opened": float("nan")}, {"opened": 1e300}, {"opened": -1e18}, {"opened": "x"}, {"size": 10**400},
    {"worst": "ok", "judged_to": 10**400}, {"start": 1, "until": 10**400}, {"title": None},
]  # fmt: skip


def test_of_a_damaged_list_only_what_is_damaged_is_lost(
    live: Program, qtbot: QtBot, home: Path, tmp_path: Path
) -> None:
    """The window could not start with it, or forgot all other sessions."""
    good = {"path": str(tmp_path / "a.hscope"), "title": "a", "opened": 1.7e9}
    odd = [{**good, "path": path, "title": "odd"} for path in ("a\0b", "/\ud800", "")]
    entries = [good, *odd, *({**good, **one} for one in DAMAGED)]
    folder = live.desk.settings.folder
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "recent.json").write_text(json.dumps({"sessions": entries}), encoding="utf-8")
    child(live).renew()
    wait(qtbot, lambda: len([one for one in rows(live) if one.missing]) == 4)
    assert [one.title for one in rows(live)] == ["a", "odd", "odd", "odd"]
    record(home / "new.hscope", "cpu-limit-vm", seconds=60)
    RecentSessions(folder).remember(home / "new.hscope", "new")
    assert [one.title for one in RecentSessions(folder).entries()] == ["new", "a", "odd", "odd", "odd"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_session_that_became_a_circle_of_links_is_still_remembered(tmp_path: Path) -> None:
    """Python's own resolve raises RuntimeError for one, until 3.12: closing the window was a bug."""
    path, recent = tmp_path / "night.hscope", RecentSessions(tmp_path)
    path.symlink_to(path)
    recent.remember(path, "night")
    assert [one.title for one in recent.entries()] == ["night"]
