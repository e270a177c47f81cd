"""Context menus: by mouse and keyboard, at the current item, and their keys without the menu."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QStringListModel, Qt
from PySide6.QtGui import QAction, QContextMenuEvent, QGuiApplication, QImage, QKeySequence
from PySide6.QtWidgets import QApplication, QListView, QMenu, QWidget
from pytestqt.qtbot import QtBot

from viewmodels.file_offer import FileOffer
from viewmodels.text_table import TextTable
from widgets.context_menu import ContextMenu, Entries, MenuEntry, context_menu_of, table_entries
from widgets.copying import copy_picture, copy_text, table_mime

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")

SHIFT, CTRL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier


class Screen:
    """A list with a menu that writes down what was chosen, and where."""

    def __init__(self, qtbot: QtBot) -> None:
        self.done: list[str] = []
        self.points: list[QPoint | None] = []
        self.view = QListView()
        self.view.setModel(QStringListModel(["one", "two", "three"], self.view))
        self.menu = ContextMenu(self.view, self.entries)
        qtbot.addWidget(self.view)
        self.view.resize(200, 120)
        self.view.show()
        self.view.setFocus()
        qtbot.waitExposed(self.view)

    def entries(self, at: QPoint | None) -> Entries:
        self.points.append(at)
        index = self.view.indexAt(at) if at is not None else self.view.currentIndex()
        return [
            MenuEntry("Copy", lambda: self.done.append(f"copy {index.data()}"), "Ctrl+C"),
            None,
            MenuEntry(
                "Not now", lambda: self.done.append("no"), "Ctrl+N", enabled=False, why="Nothing <b> is open."
            ),
            MenuEntry("Shown", lambda: self.done.append("shown"), checked=True),
        ]

    def opened(self, qtbot: QtBot) -> QMenu:
        qtbot.waitUntil(lambda: self.view.findChild(QMenu) is not None)
        menu = self.view.findChild(QMenu)
        assert menu is not None
        return menu


@pytest.fixture
def screen(qtbot: QtBot) -> Screen:
    return Screen(qtbot)


def right_click(view: QListView, at: QPoint) -> None:
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, view.viewport().mapToGlobal(at))
    QApplication.sendEvent(view.viewport(), event)


def test_a_right_click_opens_the_menu_of_what_is_under_the_mouse(screen: Screen, qtbot: QtBot) -> None:
    at = screen.view.visualRect(screen.view.model().index(1, 0)).center()
    right_click(screen.view, at)
    menu = screen.opened(qtbot)
    assert [action.text() for action in menu.actions()] == ["Copy", "", "Not now", "Shown"]
    assert [action.isEnabled() for action in menu.actions()] == [True, True, False, True]
    assert "Nothing &lt;b&gt; is open." in menu.actions()[2].toolTip(), "a server's name in it is no markup"
    assert menu.actions()[3].isChecked()
    assert menu.actions()[0].shortcut() == QKeySequence("Ctrl+C")
    menu.actions()[0].trigger()
    menu.close()
    assert screen.done == ["copy two"]
    assert screen.points == [at]


@pytest.mark.parametrize(
    ("key", "modifiers"), [(Qt.Key.Key_F10, SHIFT), (Qt.Key.Key_Menu, Qt.KeyboardModifier(0))]
)
def test_the_keyboard_opens_it_at_the_current_item(
    screen: Screen, qtbot: QtBot, key: Qt.Key, modifiers: Qt.KeyboardModifier
) -> None:
    view = screen.view
    view.setCurrentIndex(view.model().index(2, 0))
    qtbot.keyClick(view, key, modifiers)
    menu = screen.opened(qtbot)
    inside = view.viewport().mapFromGlobal(menu.pos())
    assert view.indexAt(inside).data() == "three"
    menu.actions()[0].trigger()
    menu.close()
    assert screen.done == ["copy three"]


def test_a_key_does_what_its_entry_does_before_a_shortcut_of_the_window(screen: Screen, qtbot: QtBot) -> None:
    window_copies: list[str] = []
    action = QAction("Copy", screen.view)
    action.setShortcut(QKeySequence("Ctrl+C"))
    action.triggered.connect(lambda: window_copies.append("window"))
    screen.view.addAction(action)
    screen.view.setCurrentIndex(screen.view.model().index(0, 0))
    qtbot.keyClick(screen.view, Qt.Key.Key_C, CTRL)
    qtbot.keyClick(screen.view, Qt.Key.Key_N, CTRL)
    assert (screen.done, window_copies) == (["copy one"], [])
    assert screen.view.findChild(QMenu) is None


def test_typing_still_searches_in_the_list(screen: Screen, qtbot: QtBot) -> None:
    qtbot.keyClicks(screen.view, "th")
    assert screen.view.currentIndex().data() == "three"


def test_without_entries_nothing_opens(qtbot: QtBot) -> None:
    bare = QWidget()
    qtbot.addWidget(bare)
    menu = ContextMenu(bare, lambda _at: [])
    menu.open_at_current()
    assert bare.findChild(QMenu) is None
    assert not menu.press("Ctrl+C")


def test_the_menu_around_a_widget_is_found(screen: Screen) -> None:
    inside = QWidget(screen.view.viewport())
    assert context_menu_of(inside) is screen.menu
    assert context_menu_of(None) is None


def test_every_table_copies_and_saves(qapp: QApplication) -> None:
    table = TextTable("Hosts", ("host", "used (%)"), (("esx01", 31.0),))
    said: list[str] = []
    offers: list[FileOffer] = []
    copy, save = table_entries(lambda: table, said.append, offers.append)
    assert copy is not None
    assert save is not None
    copy.act()
    save.act()
    data = QGuiApplication.clipboard().mimeData()
    assert data.text() == "host\tused (%)\nesx01\t31.0\n"
    assert "<th>host</th>" in data.html()
    assert said == ["Hosts: 1 row copied."]
    assert [(offer.name, [form.suffix for form in offer.forms]) for offer in offers] == [("Hosts", [".csv"])]
    assert offers[0].forms[0].content() == b"\xef\xbb\xbfhost,used (%)\nesx01,31.0\n"


def test_texts_and_pictures_are_copied(qapp: QApplication) -> None:
    assert copy_text("esx01", "The name") == "The name copied."
    assert QGuiApplication.clipboard().text() == "esx01"
    picture = QImage(4, 3, QImage.Format.Format_RGB32)
    picture.fill(Qt.GlobalColor.red)
    assert copy_picture(picture, "Ready") == "Ready: copied as a picture."
    assert QGuiApplication.clipboard().image().size() == picture.size()
    assert table_mime(TextTable("x", ("a",), ())).text() == "a\n"
