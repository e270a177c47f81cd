"""Tab visits every part of the window once, a list in one stop, and shows where it is, in both themes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QTableView, QWidget
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from tests.gui.recordings import record
from tests.gui.windows import child_of, running, wait
from widgets.findings import FindingsView
from widgets.findings.card import FindingCard
from widgets.link_label import LinkLabel
from widgets.overview.section import Row, Section

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")

PAGES = ("overview", "charts", "esxtop", "heatmap")
_AROUND, _MOST = 3, 200


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record(tmp_path_factory.mktemp("tab") / "demo.hscope")


@pytest.fixture(params=["dark", "light"])
def opened(
    request: pytest.FixtureRequest, qapp: QApplication, qtbot: QtBot, home: Path, session: Path
) -> Iterator[Program]:
    with running(qapp, home) as program:
        program.desk.settings.set("look.theme", request.param)
        program.window.activateWindow()
        qtbot.waitUntil(program.window.isActiveWindow)
        program.workbench.open_paths([session])
        wait(qtbot, lambda: program.desk.findings.findings)
        yield program


def press(qtbot: QtBot, window: QWidget, key: Qt.Key) -> QWidget:
    qtbot.keyClick(QApplication.focusWidget() or window, key)
    focus = QApplication.focusWidget()
    assert focus is not None, key
    return focus


def picture(window: QWidget, widget: QWidget) -> tuple[QRect, QImage]:
    place = QRect(widget.mapTo(window, widget.rect().topLeft()), widget.size())
    place = place.adjusted(-_AROUND, -_AROUND, _AROUND, _AROUND)
    return place, window.grab(place).toImage()


def walk(program: Program, qtbot: QtBot, key: Qt.Key = Qt.Key.Key_Tab) -> tuple[list[QWidget], list[str]]:
    """Press Tab until it comes round; return the stops, and those that look the same without the focus."""
    window = program.window
    window.setFocus()
    stops: list[QWidget] = []
    unmarked = []
    focus = press(qtbot, window, key)
    while focus not in stops and len(stops) < _MOST:
        stops.append(focus)
        place, before = picture(window, focus)
        focus = press(qtbot, window, key)
        if window.grab(place).toImage() == before:
            unmarked.append(f"{type(stops[-1]).__name__} {stops[-1].objectName()}")
    assert focus is stops[0], "it comes round to where it began"
    return stops, unmarked


def place_of(program: Program, stop: QWidget) -> int:
    """Return in which part of the window a stop lies, as one reads it."""
    window = program.window
    docks = [window.dock(name) for name in ("inventory", "findings", "timeline")]
    parts = [window.header, docks[0], window.centralWidget(), docks[1], docks[2], window.status]
    return next(number for number, part in enumerate(parts) if part is not None and part.isAncestorOf(stop))


@pytest.mark.parametrize("page", PAGES)
def test_tab_goes_through_all_parts_and_is_seen(opened: Program, qtbot: QtBot, page: str) -> None:
    opened.window.show_panel(page)
    wait(qtbot, lambda: not opened.desk.jobs.busy(page))
    QApplication.processEvents()
    stops, unmarked = walk(opened, qtbot)
    assert unmarked == []
    places = [place_of(opened, stop) for stop in stops]
    assert places == sorted(places)
    assert set(places) == set(range(6))
    cards = {card for stop in stops for card in opened.window.findChildren(FindingCard) if _holds(card, stop)}
    assert len(cards) == 1, "one card, and what is in it"
    for section in opened.window.findChildren(Section):
        assert sum(isinstance(stop, Row) and section.isAncestorOf(stop) for stop in stops) <= 1
    missed = [
        widget
        for widget in opened.window.centralWidget().findChildren(QWidget)  # type: ignore[union-attr]
        if widget.isVisible() and widget.isEnabled() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        if widget.focusProxy() is None and widget not in stops
    ]
    assert missed == []


def _holds(card: QWidget, stop: QWidget) -> bool:
    return card is stop or card.isAncestorOf(stop)


def test_back_tab_is_the_same_way_back(opened: Program, qtbot: QtBot) -> None:
    opened.window.show_panel("esxtop")
    wait(qtbot, lambda: child_of(opened.window, QTableView).isVisible())
    there, _ = walk(opened, qtbot)
    back, _ = walk(opened, qtbot, Qt.Key.Key_Backtab)
    assert back == there[::-1]


def test_arrows_go_through_a_list_and_tab_comes_back_to_where_one_was(opened: Program, qtbot: QtBot) -> None:
    opened.window.show_panel("overview")
    sections = opened.window.findChildren(Section)
    wait(qtbot, lambda: any(len(section.rows) > 2 for section in sections))
    section = next(section for section in sections if len(section.rows) > 2)
    section.rows[0].setFocus()
    assert press(qtbot, opened.window, Qt.Key.Key_Down) is section.rows[1]
    assert press(qtbot, opened.window, Qt.Key.Key_End) is section.rows[-1]
    assert press(qtbot, opened.window, Qt.Key.Key_Home) is section.rows[0]
    press(qtbot, opened.window, Qt.Key.Key_Down)
    assert not section.isAncestorOf(press(qtbot, opened.window, Qt.Key.Key_Tab))
    assert press(qtbot, opened.window, Qt.Key.Key_Backtab) is section.rows[1]
    cards = child_of(opened.window, FindingsView).cards
    cards[-1].setFocus()
    while (stop := press(qtbot, opened.window, Qt.Key.Key_Tab)) and _holds(cards[-1], stop):
        continue
    assert not any(_holds(card, stop) for card in cards)


def test_the_sources_are_one_stop_with_arrows(opened: Program, qtbot: QtBot) -> None:
    links: list[str] = []
    line = child_of(opened.window, LinkLabel, "sources")
    line.linkActivated.connect(links.append)
    line.setFocus(Qt.FocusReason.TabFocusReason)
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Right, Qt.Key.Key_Return, Qt.Key.Key_Left, Qt.Key.Key_Left):
        qtbot.keyClick(line, key)
    assert len(links) == 2
    assert (links[0], line.chosen) == ("source:1", "source:1")
    assert links[1] != links[0]
    assert press(qtbot, opened.window, Qt.Key.Key_Tab) is not line
