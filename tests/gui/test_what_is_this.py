"""What is this: a finding, a check, a chart, a column and an entity's number lead to their pages."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QLabel, QMenu, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from resources.problem_cards import load_problems
from tests.gui.recordings import record
from tests.gui.windows import child_of, wait
from widgets.charts.stack import ChartStack
from widgets.context_menu import MenuEntry, context_menu_of
from widgets.esxtop import EsxtopView
from widgets.esxtop.meaning import Meaning
from widgets.findings import FindingsView
from widgets.help import HelpWindow
from widgets.inventory import InventoryView
from widgets.inventory.model import VALUE

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record(tmp_path_factory.mktemp("explained") / "demo.hscope", seconds=900)


@pytest.fixture
def opened(live: Program, session: Path, qtbot: QtBot) -> Program:
    """A window on a judged session."""
    live.workbench.open_paths([session])
    wait(qtbot, lambda: live.desk.findings.findings)
    return live


def choose(widget: QWidget, text: str) -> None:
    """Choose an entry of the context menu of a widget's current item."""
    menu = context_menu_of(widget)
    assert menu is not None
    [entry] = [one for one in menu.entries() if isinstance(one, MenuEntry) and one.text == text]
    entry.act()


def heading(program: Program, qtbot: QtBot) -> str:
    """The heading of what the help shows, once it is shown; the help is closed again."""
    wait(qtbot, lambda: any(one.isVisible() for one in program.window.findChildren(HelpWindow)))
    view = child_of(program.window, HelpWindow)
    text = view.text.toPlainText().strip().splitlines()[0]
    view.hide()
    return text


def title_of(problem: str) -> str:
    """The heading of a problem's page: its title, not its id."""
    return load_problems().card(problem).title


def wait_for(qtbot: QtBot, found: Callable[[], object]) -> None:
    wait(qtbot, lambda: bool(found()))


def test_a_finding_and_a_check_of_the_verdict(opened: Program, qtbot: QtBot) -> None:
    view = child_of(opened.window, FindingsView)
    wait_for(qtbot, lambda: view.cards)
    view.cards[0].setFocus()
    choose(view, "What is this problem?")
    assert heading(opened, qtbot) == title_of(view.cards[0].finding.problem)
    qtbot.mouseClick(child_of(view.head, QPushButton), Qt.MouseButton.LeftButton)
    words = opened.desk.verdict_words()
    assert words is not None
    assert len(words.checked) == len(words.checks) > 0
    [label] = [one for one in view.head.findChildren(QLabel) if "<a href" in one.text()]
    assert words.checks[0].partition(":")[0] in view.head.text
    label.linkActivated.emit(words.checked[0])
    assert heading(opened, qtbot) == title_of(words.checked[0])


def test_a_chart(opened: Program, qtbot: QtBot) -> None:
    stack = child_of(opened.window, ChartStack)
    opened.window.show_panel("charts")
    snapshot = opened.desk.session.snapshot
    assert snapshot is not None
    wait_for(qtbot, lambda: stack.cards)
    card = stack.cards[0]
    shown = {snapshot.by_id[one].counter for one in card.spec.series}
    choose(card.plot, "What does it show?")
    if len(shown) > 1:  # which of them is asked
        [menu] = [one for one in opened.window.findChildren(QMenu) if one.isVisible()]
        menu.actions()[0].trigger()
        menu.close()
    assert heading(opened, qtbot) in shown


def test_a_column_of_esxtop(opened: Program, qtbot: QtBot) -> None:
    opened.window.show_panel("esxtop")
    view = child_of(opened.window, EsxtopView)
    wait_for(qtbot, lambda: view.table.model().rowCount())
    view.table.setCurrentIndex(view.table.model().index(0, 2))
    view.table.setFocus()
    qtbot.keyClick(view.table, Qt.Key.Key_H)
    popup = child_of(view, Meaning)
    qtbot.mouseClick(child_of(popup, QPushButton), Qt.MouseButton.LeftButton)
    assert heading(opened, qtbot) == "cpu.ready"


def test_the_number_beside_an_entity(opened: Program, qtbot: QtBot) -> None:
    view = child_of(opened.window, InventoryView)
    opened.window.show_panel("inventory")

    def with_number() -> list[QModelIndex]:
        """The rows that have a number, top to bottom."""
        found, index = [], view.tree.model().index(0, 0)
        while index.isValid():
            found += [index] if index.data(VALUE) else []
            index = view.tree.indexBelow(index)
        return found

    wait_for(qtbot, with_number)
    view.tree.setCurrentIndex(with_number()[0])
    choose(view.tree, "What is its number?")
    assert re.fullmatch(r"[a-z]+\.[a-z_]+", heading(opened, qtbot))


def test_a_page_leads_to_its_counters_and_back(opened: Program, qtbot: QtBot) -> None:
    opened.desk.topics.problem("cpu.ready_high")
    assert heading(opened, qtbot) == title_of("cpu.ready_high") == "High ready time"
    view = child_of(opened.window, HelpWindow)
    view.show()
    view.wanted.emit("counters.md#cpuready")
    assert view.text.toPlainText().startswith("cpu.ready\n")
    view.wanted.emit("problems.md#cpucostop")
    assert view.text.toPlainText().startswith(f"{title_of('cpu.costop')}\n")
    view.back.click()
    assert view.text.toPlainText().startswith("cpu.ready\n")
    qtbot.keyClicks(view.search, "%RDY")
    assert "Counters › cpu.ready" in view.hits.item(0).text()
    view.hide()
