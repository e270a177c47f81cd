"""The menus: every action of the table in them, by mouse, F10 and Alt, as a bar or behind a button."""

from __future__ import annotations

import sys
from itertools import pairwise

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QMenuBar, QToolButton
from pytestqt.qtbot import QtBot

from app.gui.actions import ACTIONS
from app.gui.application import Program
from app.gui.menus import MENUS
from tests.gui.windows import child_of
from widgets.messages import Messages

pytestmark = [
    pytest.mark.qt_log_ignore("This plugin does not support"),
    pytest.mark.skipif(sys.platform == "darwin", reason="the menu bar is the screen's there"),
]


def bar_of(program: Program) -> QMenuBar:
    return child_of(program.window, QMenuBar, "menu-bar")


def menus_of(program: Program) -> dict[str, QMenu]:
    """The menus of the menu bar by title."""
    found = [action.menu() for action in bar_of(program).actions()]
    return {menu.title().replace("&", ""): menu for menu in found if isinstance(menu, QMenu)}


def close_popups() -> None:
    while (popup := QApplication.activePopupWidget()) is not None:
        popup.close()


def test_every_action_of_the_table_is_in_its_menu(live: Program) -> None:
    menus = menus_of(live)
    assert tuple(menus) == MENUS
    for title, menu in menus.items():
        wanted = [spec.title for spec in ACTIONS if spec.menu == title]
        texts = [action.text() for action in menu.actions() if action.text() in wanted]
        assert texts == wanted, title


def test_lines_stand_only_between_entries(live: Program) -> None:
    for title, menu in menus_of(live).items():
        lines = [action.isSeparator() for action in menu.actions()]
        assert not lines[0], title
        assert not lines[-1], title
        assert not any(one and other for one, other in pairwise(lines)), title


def test_no_menu_has_two_entries_of_one_name(live: Program) -> None:
    for title, menu in menus_of(live).items():
        names = [one.text().split("\t")[0] for one in menu.actions() if not one.isSeparator()]
        assert len(set(names)) == len(names), f"{title}: {names}"


def test_letters_after_alt_are_unique() -> None:
    assert len({title[0] for title in MENUS}) == len(MENUS)


def test_the_view_menu_says_which_page_is_in_front(live: Program) -> None:
    live.window.show_session(open_=True)
    live.window.show_panel("charts")

    def checked() -> list[str]:
        texts = [one.text() for one in menus_of(live)["View"].actions() if one.isChecked()]
        return [text for text in texts if text in {"Overview", "Charts", "esxtop", "Heat map"}]

    assert checked() == ["Charts"]
    again = next(one for one in menus_of(live)["View"].actions() if one.text() == "Charts")
    again.trigger()
    assert checked() == ["Charts"], "a click on the page in front changes nothing"
    live.window.show_panel("overview")
    assert checked() == ["Overview"]


def test_f10_opens_the_first_menu(live: Program, qtbot: QtBot) -> None:
    qtbot.keyClick(live.window, Qt.Key.Key_F10)
    assert QApplication.activePopupWidget() is menus_of(live)["File"]
    close_popups()


def test_without_the_bar_a_button_opens_the_menu(live: Program, qtbot: QtBot) -> None:
    bar, button = bar_of(live), child_of(live.window, QToolButton, "menu-button")
    switch = next(one for one in menus_of(live)["View"].actions() if one.text() == "Menu bar")
    assert (bar.isVisible(), button.isVisible(), switch.isChecked()) == (True, False, True)
    switch.trigger()
    assert (bar.isVisible(), button.isVisible(), switch.isChecked()) == (False, True, False)
    assert not live.desk.settings.flag("look.menu_bar")
    for key in (Qt.Key.Key_F10, Qt.Key.Key_Alt):
        qtbot.keyClick(live.window.windowHandle(), key)
        assert button.menu().isVisible(), key
        assert button.menu().activeAction().text() == "&File"
        close_popups()
    live.desk.settings.set("look.menu_bar", True)
    assert (bar.isVisible(), button.isVisible()) == (True, False)


def test_alt_with_another_key_opens_nothing(live: Program, qtbot: QtBot) -> None:
    live.desk.settings.set("look.menu_bar", False)
    handle = live.window.windowHandle()
    qtbot.keyPress(handle, Qt.Key.Key_Alt)
    qtbot.keyClick(handle, Qt.Key.Key_X, Qt.KeyboardModifier.AltModifier)
    qtbot.keyRelease(handle, Qt.Key.Key_Alt)
    assert QApplication.activePopupWidget() is None


def test_copy_in_the_menu_copies_from_what_has_the_focus(live: Program, qtbot: QtBot) -> None:
    live.window.show_session(open_=True)
    live.window.show_panel("inventory", part="inventory-search")
    line = child_of(live.window, QLineEdit, "inventory-search")
    line.setText("db-prod")
    line.selectAll()
    copy: QAction = live.window.actions_by_id["edit.copy"]
    copy.trigger()
    assert QGuiApplication.clipboard().text() == "db-prod"


def test_what_cannot_be_copied_is_said(live: Program) -> None:
    bar = child_of(live.window, Messages)
    live.window.pages.tabBar().setFocus()
    for action, word in (("edit.copy", "copied"), ("edit.menu", "menu")):
        live.window.actions_by_id[action].trigger()
        assert word in bar.text
        assert bar.text.endswith("or go there with Tab.")
