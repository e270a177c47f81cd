"""The order of Tab is asked for without harm to the widgets that it goes through."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QPushButton, QTreeView, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.gui.tab_order import neighbour, tab_stops
from widgets.context_menu import ContextMenu, MenuEntry
from widgets.link_label import LinkLabel

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


class Screen:
    """A window with a row that goes, and a tree with a context menu after it."""

    def __init__(self, qtbot: QtBot) -> None:
        self.window = QWidget()
        qtbot.addWidget(self.window)
        column = QVBoxLayout(self.window)
        self.row, self.search, self.tree = QPushButton("row"), QLineEdit(), QTreeView()
        for one in (self.row, self.search, self.tree):
            column.addWidget(one)
        self.menu = ContextMenu(self.tree, lambda _at: [MenuEntry("Copy", lambda: None)])
        self.window.show()
        qtbot.waitExposed(self.window)


def test_a_context_menu_opens_after_a_widget_before_it_went(qtbot: QtBot) -> None:
    screen = Screen(qtbot)
    tab_stops(screen.window, [screen.window])
    went = screen.row.destroyed
    with qtbot.waitSignal(went):
        screen.row.deleteLater()
    at = QPoint(5, 5)
    area = screen.tree.viewport()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, area.mapToGlobal(at))
    QApplication.sendEvent(area, event)
    qtbot.waitUntil(lambda: bool(screen.tree.findChildren(QMenu)))
    screen.tree.findChildren(QMenu)[0].close()


def test_widgets_are_found_in_the_order_of_qt(qtbot: QtBot) -> None:
    screen = Screen(qtbot)
    QWidget.setTabOrder(screen.search, screen.row)
    stops = tab_stops(screen.window, [screen.window])
    assert stops == [screen.search, screen.row, screen.tree]


def test_a_window_without_stops_has_none(qtbot: QtBot) -> None:
    screen = Screen(qtbot)
    for one in (screen.row, screen.search, screen.tree):
        one.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    assert tab_stops(screen.window, [screen.window]) == []


def test_a_line_of_links_is_a_stop_only_while_it_says_something(qtbot: QtBot) -> None:
    screen = Screen(qtbot)
    links = LinkLabel("sources")
    layout = screen.window.layout()
    assert layout is not None
    layout.addWidget(links)
    links.show()
    before = [screen.row, screen.search, screen.tree]
    assert tab_stops(screen.window, [screen.window]) == before
    links.show_links('<a href="1">esx01</a>')
    assert tab_stops(screen.window, [screen.window]) == [*before, links]
    links.show_links("")
    assert tab_stops(screen.window, [screen.window]) == before


def test_what_goes_leaves_the_keys_beside_it(qtbot: QtBot) -> None:
    """A card at the end of the window whose pressed button is hidden: not the first widget of the window."""
    screen = Screen(qtbot)
    card = QWidget()
    row = QVBoxLayout(card)
    made, other = QPushButton("I made it"), QPushButton("Other times")
    for one in (made, other):
        row.addWidget(one)
    column = screen.window.layout()
    assert column is not None
    column.addWidget(card)
    card.show()
    made.hide()
    stops = tab_stops(screen.window, [screen.window])
    assert neighbour(stops, made, forward=True) is other
    card.hide()
    stops = tab_stops(screen.window, [screen.window])
    assert neighbour(stops, made, forward=True) is screen.row
    assert neighbour(stops, made, forward=False) is screen.tree
