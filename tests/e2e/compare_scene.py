"""Before against after in two clicks, then what moved with it, with real mouse and keys."""

from __future__ import annotations

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication, QMenu

from app.gui.application import Program
from tests.e2e.guided_test_scene import picture
from tests.e2e.hands import click, click_in, let_run, one_visible, press, right_click, until
from tests.e2e.recording_end import stop_recording
from widgets.moved.view import MovedView
from wizards.pages.compare_page import ComparePage
from wizards.pages.compare_rail import CompareRail


def compare_in_the_lab(program: Program, _arguments: list[str]) -> dict[str, object]:
    """Try the lab, Compare: normal stands against worst. Swap, pin, chart, choose other windows, ask what
    moved with a row, and look at both.
    """
    window, desk = program.window, program.desk
    click(program.workbench.start_page.choices["lab"])
    until("the lab has a problem", lambda: desk.findings.findings)
    tabs = window.pages.tabBar()
    number = next(n for n in range(tabs.count()) if tabs.tabText(n) == "Compare")
    click_in(tabs, tabs.tabRect(number))
    page, rail = one_visible(window, ComparePage), one_visible(window, CompareRail)
    model = desk.comparison
    until("it is compared", lambda: model.state == "ready" and page.charts.charts[0].chart is not None)
    seen: dict[str, object] = {"why": model.pair.why if model.pair is not None else ""}
    seen["line"] = page.head.line.text()
    let_run(0.5)
    picture(program, "compare")
    seen |= _by_keys(program, page)
    seen |= _what_moved(program, page)  # of the likeliest pair: halves of a young recording may not differ
    press("ctrl+0")
    until("the page once more", page.isVisible)
    seen |= _other_windows(program, page, rail)
    stop_recording(program)
    return seen


def _by_keys(program: Program, page: ComparePage) -> dict[str, object]:
    """X swaps; Down and P choose and pin; Enter shows the row in Charts; Ctrl+0 comes back."""
    window, model = program.window, program.desk.comparison
    before = model.pair
    click_in(page.table.viewport(), page.table.visualRect(page.table.model().index(0, 1)))
    press("x")
    until("swapped", lambda: model.state == "ready" and model.pair is not None and model.pair != before)
    swapped = before is not None and model.pair is not None and model.pair.a == before.b
    press("x")
    until("swapped back", lambda: model.state == "ready" and model.pair == before)
    until("its rows", lambda: page.table.current is not None)
    click_in(page.table.viewport(), page.table.visualRect(page.table.model().index(0, 1)))
    press("p")
    press("Down")
    until("two charts", lambda: page.charts.charts[1].chart is not None)
    pinned = sorted(page.table.changes.pinned)
    press("Return")
    until("the charts", lambda: window.pages.currentWidget().objectName() == "panel-charts")
    charts = len(program.desk.charts.charts)
    press("ctrl+0")
    until("the page again", page.isVisible)
    return {"swapped": swapped, "pinned": pinned, "charts": charts > 0}


def _other_windows(program: Program, page: ComparePage, rail: CompareRail) -> dict[str, object]:
    """Other windows by the mouse: the last of the pairs that are offered is the session's halves."""
    model = program.desk.comparison
    click(rail.offers)
    until("the menu", lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    press("Up")
    press("Return")
    until(
        "the halves", lambda: model.state == "ready" and model.pair is not None and "half" in model.pair.why
    )
    return {"halves": page.head.line.text() != ""}


def _what_moved(program: Program, page: ComparePage) -> dict[str, object]:
    """The menu of a row asks what moved with it; a click on the first answer charts both."""
    desk = program.desk
    until("rows", lambda: page.table.changes.rows)
    let_run(0.5)
    row = page.table.visualRect(page.table.model().index(0, 1))
    click_in(page.table.viewport(), row)
    right_click(page.table.viewport()) if len(page.table.changes.rows) > 8 else press("shift+F10")
    until("the menu", lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    for _ in range(3):
        press("Down")
    press("Return")
    until("what moved", lambda: desk.moved.state == "ready")
    view = one_visible(program.window, MovedView)
    picture(program, "moved")
    rows = len(view.list.moved.rows)
    if rows:
        click(view.list.viewport(), QPoint(80, 20))
        until("both charts", lambda: len(desk.charts.charts) == 2)
    return {"moved": rows, "counter": desk.moved.found.reference.counter if desk.moved.found else ""}  # type: ignore[union-attr]
