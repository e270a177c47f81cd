"""What moved with it, in the whole window: asked in a chart, a finding and an esxtop cell."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from app.gui.comparison_opening import ask_moved_with
from tests.gui.one_window import opened, press, program, session
from tests.gui.windows import child_of, wait
from widgets.charts.page import ChartsPage
from widgets.findings import FindingsView
from widgets.moved.view import MovedView

__all__ = ["opened", "program", "session"]
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def asked_of_the_worst(opened: Program, qtbot: QtBot) -> MovedView:
    """Ask what moved with a problem of storage: the LUN of the demo has a noisy neighbour."""
    finding = next(one for one in opened.desk.findings.findings if one.problem.startswith("storage"))
    opened.desk.moved.ask_finding(finding)
    wait(qtbot, lambda: opened.desk.moved.state != "searching")
    return child_of(opened.window, MovedView)


def test_a_finding_is_asked_and_its_list_takes_the_findings_place(opened: Program, qtbot: QtBot) -> None:
    window = opened.window
    width = window.dock("findings").width()
    view = asked_of_the_worst(opened, qtbot)
    assert opened.desk.moved.state == "ready"
    assert not window.dock("findings").isVisible()
    assert window.dock("moved").isVisible()
    assert abs(window.dock("moved").width() - width) <= 2
    assert view.list.moved.rows
    window.dock("moved").toggleViewAction().trigger()
    assert window.dock("findings").isVisible()
    assert not window.dock("moved").isVisible()


def test_the_empty_pane_takes_the_findings_place_too(opened: Program, qtbot: QtBot) -> None:
    window = opened.window
    moved, findings = window.dock("moved"), window.dock("findings")
    moved.toggleViewAction().trigger()  # the View menu and the palette
    assert (moved.isVisible(), findings.isVisible()) == (True, False)
    findings.toggleViewAction().trigger()
    assert (moved.isVisible(), findings.isVisible()) == (True, True)
    asked_of_the_worst(opened, qtbot)
    assert (moved.isVisible(), findings.isVisible()) == (True, False)
    moved.toggleViewAction().trigger()
    assert (moved.isVisible(), findings.isVisible()) == (False, True)


def test_a_row_charts_both_series_over_the_window_and_its_baseline(opened: Program, qtbot: QtBot) -> None:
    opened.window.show_panel("charts")
    view, found = asked_of_the_worst(opened, qtbot), opened.desk.moved.found
    assert found is not None
    assert found.reference is not None
    row = view.list.moved.rows[0]
    assert (row.part, row.because.split()[0]) == ("makes the load", "rose")
    view.list.setFocus()
    press(qtbot, Qt.Key.Key_Return)
    assert [chart.series for chart in opened.desk.charts.charts] == [(found.reference.id,), (row.series[0],)]
    assert opened.desk.scope.scope.window == found.span.whole


def test_the_menu_of_a_chart_names_its_curves(opened: Program, qtbot: QtBot) -> None:
    opened.window.show_panel("charts")
    page = child_of(opened.window, ChartsPage)
    wait(qtbot, lambda: bool(page.stack.cards) and bool(page.stack.cards[0].curves))
    card = page.stack.cards[0]
    entries = [one for one in card.menu.entries() if one is not None]
    asked = [one for one in entries if one.text.startswith("What moved with")]
    assert len(asked) == min(len(card.curves), 6)
    names = [one.full_name for one in card.curves][: len(asked)] if len(asked) > 1 else ["it"]
    assert [one.text.removeprefix("What moved with ") for one in asked] == names
    asked[0].act()
    assert opened.desk.moved.state == "searching"
    view = child_of(opened.window, MovedView)
    QTest.mouseClick(view.cancel, Qt.MouseButton.LeftButton)
    assert view.empty.reason.text() == "The search was stopped."
    view.empty.button.click()
    wait(qtbot, lambda: opened.desk.moved.state == "ready")


def test_before_is_offered_by_a_chart_and_by_a_finding(opened: Program, qtbot: QtBot) -> None:
    findings = child_of(opened.window, FindingsView)
    finding = findings.cards[0].finding
    findings.menu.before_wanted.emit(finding)
    assert opened.window.pages.currentWidget().objectName() == "panel-compare"
    wait(qtbot, lambda: opened.desk.comparison.state != "computing")
    pair = opened.desk.comparison.pair
    if pair is not None and opened.desk.comparison.state == "ready":
        assert pair.b.window == max(finding.windows, key=lambda one: one.seconds)


def test_a_row_of_compare_is_asked_too(opened: Program, qtbot: QtBot) -> None:
    opened.window.show_panel("compare")
    wait(qtbot, lambda: opened.desk.comparison.state == "ready")
    page = opened.desk.comparison.page
    assert page is not None
    ask_moved_with(opened.desk, page.rows[0])
    assert opened.window.pages.currentWidget().objectName() == "panel-charts"
    wait(qtbot, lambda: opened.desk.moved.state == "ready")
    assert opened.desk.moved.found is not None
    assert opened.desk.moved.found.reference is not None
    assert opened.desk.moved.found.reference.counter == page.rows[0].counter_key


def test_the_keys_go_with_the_question(opened: Program, qtbot: QtBot) -> None:
    """From a finding to the search, which can be stopped, and to its rows: never to the button Back."""
    window, findings = opened.window, child_of(opened.window, FindingsView)
    window.activateWindow()
    findings.setFocus()
    keys_at = window.focusWidget()
    assert keys_at is not None
    assert findings.isAncestorOf(keys_at)
    finding = next(one for one in opened.desk.findings.findings if one.problem.startswith("storage"))
    opened.desk.moved.ask_finding(finding)
    view = child_of(window, MovedView)
    assert window.focusWidget() is view.cancel
    wait(qtbot, lambda: opened.desk.moved.state == "ready")
    wait(qtbot, view.list.isVisible)
    assert window.focusWidget() is view.list
