"""Charts with a real mouse and real keys: scrolled, zoomed, saved, closed and brought back, dragged."""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QMenu

from app.gui.application import Program
from app.gui.window import Window
from tests.e2e.hands import (
    click,
    click_in,
    drag_within,
    let_run,
    one_visible,
    press,
    right_click,
    turn_wheel,
    type_,
    until,
    visible,
)
from widgets.charts.page import ChartsPage


def save_as(window: Window, path: Path) -> None:
    """Type a path into the dialog for files: Qt's own, or on Windows the system's, which is no widget."""
    one_visible(window, QFileDialog)
    if sys.platform == "win32":
        until("the system's dialog", lambda: not window.isActiveWindow())
        let_run(2.0)
    else:
        until("its line", lambda: isinstance(QApplication.focusWidget(), QLineEdit))
    press("ctrl+a")
    type_(str(path))
    press("Return")


def charts(program: Program, arguments: list[str]) -> dict[str, object]:
    """Look at the charts of a session's worst problem; returns what wheel and keys did."""
    desk, window = program.desk, program.window
    session, picture = Path(arguments[0]), Path(arguments[1])
    program.workbench.open_paths([session])
    until("problems", lambda: desk.findings.findings)
    desk.show_finding(desk.findings.findings[0])
    stack = one_visible(window, ChartsPage).stack
    until("the charts", lambda: stack.cards and stack.cards[0].curves)
    plot, bar = stack.cards[0].plot, stack.verticalScrollBar()
    whole = plot.window_shown
    turn_wheel(stack, -3)
    until("the charts scroll", lambda: bar.value() > 0)
    seen: dict[str, object] = {"scrolled": plot.window_shown == whole}
    turn_wheel(stack, 9)
    until("they are back", lambda: bar.value() == 0)
    high = plot.drawing.scale.values[1]
    turn_wheel(plot, 2, "ctrl")
    until("less time", lambda: plot.window_shown[1] - plot.window_shown[0] < 0.7 * (whole[1] - whole[0]))
    turn_wheel(plot, 2, "shift")
    until("fewer values", lambda: plot.drawing.scale.is_zoomed)
    seen["zoomed"] = plot.drawing.scale.values[1] < high
    press("0")
    until("all of it", lambda: desk.scope.scope.window is None and not plot.drawing.scale.is_zoomed)
    right_click(plot)
    until("the menu", lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    action = next(one for one in menu.actions() if one.text() == "Save picture…")
    click_in(menu, menu.actionGeometry(action))
    save_as(window, picture)
    until("the picture", picture.exists)
    until("the dialog is gone", lambda: not visible(window, QFileDialog))
    until("the window is back", window.isActiveWindow)
    titles = [card.spec.shown_title for card in stack.cards]
    click(plot)  # under Wine the dialog leaves the keyboard to nobody
    until("the chart has the keyboard", plot.hasFocus)
    press("Delete")
    until("it is closed", lambda: [card.spec.shown_title for card in stack.cards] == titles[1:])
    press("ctrl+z")
    until("it is back", lambda: [card.spec.shown_title for card in stack.cards] == titles)
    press("ctrl+c")
    until("the picture is copied", lambda: not QApplication.clipboard().image().isNull())
    seen["copied"] = QApplication.clipboard().image().width()
    handle, below = stack.cards[0].head.handles[1], stack.cards[1]
    first = [card.spec.shown_title for card in stack.cards][:2]
    start = handle.mapToGlobal(QPoint(30, handle.height() // 2))
    drag_within(start, below.mapToGlobal(QPoint(200, below.height() - 12)))
    until("it is dragged", lambda: [one.spec.shown_title for one in stack.cards][:2] == first[::-1])
    seen["moved"] = [card.spec.shown_title for card in stack.cards] == [*first[::-1], *titles[2:]]
    return seen
