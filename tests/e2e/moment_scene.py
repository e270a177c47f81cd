"""The pinned moment with a real mouse and real keys: click, arrows, a note, slider, wheel, Escape."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication

from app.gui.application import Program
from app.gui.export_dialog import ExportDialog
from tests.e2e.hands import click, drag, one_visible, press, type_, until, wheel_down
from widgets.charts.page import ChartsPage
from widgets.charts.plot import Plot
from widgets.esxtop import EsxtopView
from widgets.marks import MarkNote
from widgets.timeline import TimelineView


def moment(program: Program, arguments: list[str]) -> dict[str, object]:
    """Open a session, pin a moment in a chart, and take it through the views; returns what was seen."""
    window, desk = program.window, program.desk
    program.workbench.open_paths([Path(arguments[0])])
    until("the session is shown", lambda: desk.session.snapshot is not None)
    window.show_panel("charts")
    charts = one_visible(window, ChartsPage)
    until("its charts are drawn", lambda: charts.stack.cards and charts.stack.cards[0].curves)
    plot = charts.stack.cards[0].plot
    click(plot.viewport(), place(plot, 0.4))
    pinned = [desk.moment.at]
    for keys in ("Right", "shift+Right", "Left"):
        press(keys)
        pinned.append(desk.moment.at)
    press("m")
    note = one_visible(window, MarkNote)
    until("the note has the keyboard", note.line.hasFocus)
    type_("deploy")
    press("Return")
    until("the mark", lambda: [mark.text for mark in desk.session.snapshot.marks] == ["deploy"])  # type: ignore[union-attr]
    mark = desk.session.snapshot.marks[0].at  # type: ignore[union-attr]
    press("plus")  # the whole session has nowhere to be dragged to
    scope = desk.scope.scope
    drag(plot.viewport().mapToGlobal(place(plot, 0.6)), plot.viewport().mapToGlobal(place(plot, 0.5)))
    after_drag = desk.moment.at
    press("ctrl+3")
    page = one_visible(window, EsxtopView)
    until("the page shows the moment", lambda: page.when.text() == as_of(program))
    click(page.slider, QPoint(page.slider.width() // 4, page.slider.height() // 2))
    on_slider = desk.moment.at
    until("the page shows the slider's moment", lambda: page.when.text() == as_of(program))
    wheel_down(page.slider)
    until("the sample before", lambda: desk.moment.at != on_slider)
    by_wheel = desk.moment.at
    press("Escape")
    released = desk.moment.at
    timeline = one_visible(window, TimelineView)
    click(timeline, QPoint(timeline.width() // 2, 12))
    on_timeline = desk.moment.at
    click(window.top.moment.leave)
    at_the_end = desk.moment.at
    press("ctrl+f")
    press("ctrl+e")  # in the search field, where Linux has it for End
    until("the export's dialog", lambda: isinstance(QApplication.activeModalWidget(), ExportDialog))
    press("Escape")
    until("the dialog is closed", lambda: QApplication.activeModalWidget() is None)
    return {
        "pinned": pinned, "mark": mark, "after_drag": after_drag, "scope": scope == desk.scope.scope,
        "on_slider": on_slider, "by_wheel": by_wheel, "released": released, "on_timeline": on_timeline,
        "at_the_end": at_the_end,
    }  # fmt: skip


def place(plot: Plot, part: float) -> QPoint:
    """Return a point of a plot, so much of its width from the left."""
    area = plot.drawing.area
    return QPoint(round(area.left() + part * area.width()), round(area.center().y()))


def as_of(program: Program) -> str:
    """Return what the esxtop page is to say of the pinned moment."""
    at = program.desk.moment.at
    return "" if at is None else f"as of {program.desk.times.clock.moment(at)}"
