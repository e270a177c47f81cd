"""The page of a run that goes on: phases, live charts on one time axis, workers, guards, journal."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from resources.units import format_duration, format_value
from sessions.clock import Clock
from widgets.theme import Theme
from wizards.flows.result_sheet import ResultHead
from wizards.flows.run_sheet import RunSheet, RunWorker
from wizards.pages.fact_list import FactListView
from wizards.pages.phase_bar import PhaseBar
from wizards.pages.result_head import ResultHeadView
from wizards.pages.run_head import RunHeadView
from wizards.pages.sheet_table import Cell, Heading, SheetTable
from wizards.pages.time_chart import TimeChartView

_HEIGHTS = (208, 118, 118)
_STRIP = 44
_SIDE = 344
_WORKERS = (
    Heading("Worker", stretch=True),
    Heading("host"),
    Heading("state"),
    Heading("IOPS", right=True),
    Heading("of all", right=True),
    Heading("due", right=True),
    Heading("got of due", width=110),
    Heading("MB/s", right=True),
    Heading("mean ms", right=True),
    Heading("p99 ms", right=True),
    Heading("heard", right=True),
)


class RunPage(QWidget):
    """The page.

    Signals: ``paused`` for the pause button, ``stopped`` for Stop and restore; ``chosen`` with the times of a
    phase whose samples are to be shown (``TimeRange``); of the table of workers, ``copied`` with a message
    and ``save_wanted`` with a FileOffer.
    """

    paused = Signal()
    stopped = Signal()
    chosen = Signal(object)
    copied = Signal(str)
    save_wanted = Signal(object)

    def __init__(self, theme: Theme, clock: Callable[[], Clock], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.head = RunHeadView(theme)
        self.head.paused.connect(self.paused)
        self.head.stopped.connect(self.stopped)
        self.problem = ResultHeadView(theme)
        self.problem.setVisible(False)
        self.phases = PhaseBar(theme)
        self.charts = [TimeChartView(theme, clock, height) for height in _HEIGHTS]
        self.strip = TimeChartView(theme, clock, _STRIP, is_strip=True)
        for view in (*self.charts, self.strip):
            view.pointed.connect(self._point)
            view.chosen.connect(self.chosen)
        self.guards = FactListView(theme, is_wide=True)
        self.journal = FactListView(theme)
        self.workers = SheetTable(theme, "Workers", _WORKERS)
        self.workers.copied.connect(self.copied)
        self.workers.save_wanted.connect(self.save_wanted)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.head)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(self._body())
        column.addWidget(scroll, 1)
        self.setFocusProxy(self.workers)

    def show_sheet(self, sheet: RunSheet) -> None:
        """Show the run as it is now."""
        self.head.show_head(sheet.head)
        self.problem.setVisible(bool(sheet.head.problem))
        if sheet.head.problem:
            self.problem.show_head(ResultHead("warning", "Stopped", sheet.head.problem))
        self.phases.show_phases(sheet.phases, sheet.done_s, sheet.labels)
        for number, view in enumerate(self.charts):
            there = number < len(sheet.charts)
            view.setVisible(there)
            if there:
                view.show_chart(sheet.charts[number])
        self.strip.setVisible(sheet.strip is not None)
        if sheet.strip is not None:
            self.strip.show_chart(sheet.strip)
        self.guards.show_facts(sheet.guards)
        self.journal.show_facts(sheet.journal)
        largest = max((max(_known(one.share), one.due or 0.0) for one in sheet.workers), default=0.0) or 1.0
        self.workers.show_rows([_row(number, one, largest) for number, one in enumerate(sheet.workers)])

    def take_focus(self) -> None:
        """Give the keys to the table of workers: Stop is never pressed by a key that was meant for another
        page.
        """
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def _body(self) -> QWidget:
        body = QWidget()
        charts = QVBoxLayout()
        charts.setSpacing(8)
        for view in (self.charts[0], self.charts[1], self.strip, self.charts[2]):
            charts.addWidget(view, 2 if view is self.charts[0] else 1)
        for view in self.charts:
            view.setMinimumHeight(176 if view is self.charts[0] else 110)
        self.strip.setFixedHeight(_STRIP)
        side = QVBoxLayout()
        side.setSpacing(8)
        self.guards.setFixedHeight(206)
        side.addWidget(self.guards)
        side.addWidget(self.journal, 1)
        for one in (self.guards, self.journal):
            one.setFixedWidth(_SIDE)
        row = QHBoxLayout()
        row.setSpacing(10)
        row.addLayout(charts, 1)
        row.addLayout(side)
        column = QVBoxLayout(body)
        column.setContentsMargins(16, 10, 16, 12)
        column.setSpacing(8)
        column.addWidget(self.problem)
        column.addWidget(self.phases)
        column.addLayout(row, 1)
        column.addWidget(self.workers)
        return body

    def _point(self, at: float | None) -> None:
        for view in (*self.charts, self.strip):
            view.point_at(at)


def _row(number: int, one: RunWorker, largest: float) -> tuple[Cell, ...]:
    name = f"{one.name}  critical" if one.role == "critical" else one.name
    due = one.due is not None
    return (
        Cell(name, bold=True, swatch=number),
        Cell(one.host, muted=True),
        Cell(one.words, muted=one.state == "none", state=one.state),
        Cell(_number(one.iops), bold=True),
        Cell(_number(one.share, "%"), bold=True),
        Cell(_number(one.due, "%") if one.due is not None else "–", muted=True),
        Cell(
            swatch=number,
            bar=_known(one.share) / largest,
            mark=(one.due or 0.0) / largest if due else None,
        ),
        Cell(_number(one.mb)),
        Cell(_number(one.latency)),
        Cell(_number(one.p99)),
        Cell(format_duration(max(0.0, one.heard_s)) if isfinite(one.heard_s) else "–", muted=True),
    )


def _known(value: float) -> float:
    return value if isfinite(value) else 0.0


def _number(value: float | None, unit: str = "") -> str:
    return format_value(value, unit) if value is not None and isfinite(value) else "–"
