"""The page of a result: verdict, validity, charts, the whole run, what else it shows, raw numbers."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from sessions.clock import Clock
from widgets.copying import copy_text
from widgets.theme import Theme
from wizards.flows.chart_values import PointChart
from wizards.flows.result_sheet import ResultSheet
from wizards.pages.fact_list import FactListView
from wizards.pages.keys import PRIMARY, press_on
from wizards.pages.placement_matrix import PlacementMatrix
from wizards.pages.point_chart import PointChartView
from wizards.pages.raw_numbers import raw_cells, raw_headings
from wizards.pages.result_charts import ChangesView, ShareBarsView, StepChartsView
from wizards.pages.result_head import ResultHeadView
from wizards.pages.sheet_table import SheetTable
from wizards.pages.time_chart import TimeChartView

_TOP, _RUN = 246, 204
_MAX_POINTS = 2
_ABREAST = 3
_NARROW = 900
"""Pixels of the page that have no room for three views side by side."""
_MAX_ROWS = 12


class ResultPage(QScrollArea):
    """The page.

    Signals: ``acted`` with what is to be done (``result_sheet.Act``); ``copied`` with a message when the
    steps by hand or rows of the table were copied; ``save_wanted`` with a FileOffer of the table; ``chosen``
    with the times of a phase whose samples are to be shown (``TimeRange``); ``placement_chosen`` with the
    name of a DRS placement.
    """

    acted = Signal(str)
    copied = Signal(str)
    save_wanted = Signal(object)
    chosen = Signal(object)
    placement_chosen = Signal(str)

    def __init__(self, theme: Theme, clock: Callable[[], Clock], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.head = ResultHeadView(theme)
        self.head.acted.connect(self._act)
        self._steps = ""
        self._abreast: list[list[tuple[QWidget, int]]] = [[], []]
        self._is_narrow = False
        self.validity = FactListView(theme)
        self.shares = ShareBarsView(theme)
        self.steps = StepChartsView(theme)
        self.changes = ChangesView(theme)
        self.points = [PointChartView(theme) for _ in range(_MAX_POINTS)]
        self.placements = [PlacementMatrix(theme) for _ in range(2)]
        self.run = TimeChartView(theme, clock, _RUN)
        self.run.pointed.connect(self.run.point_at)
        self.run.chosen.connect(self.chosen)
        self.notes = FactListView(theme, is_wide=True)
        self.raw = SheetTable(theme, "Raw numbers", most=_MAX_ROWS)
        self.raw.copied.connect(self.copied)
        self.raw.save_wanted.connect(self.save_wanted)
        self.put_back = FactListView(theme, is_wide=True)
        self._left, self._right = QLabel(), QLabel()
        for one in (self._left, self._right):
            one.setProperty("role", "faint")
        for view in self.points:
            view.chosen.connect(self.placement_chosen)
        self._rows = (QGridLayout(), QGridLayout())
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(self._body())
        press_on(PRIMARY, self, lambda: next(iter(self.head.buttons.values()), None))

    def show_sheet(self, sheet: ResultSheet) -> None:
        """Show this result."""
        self._steps = sheet.steps_by_hand
        self.head.show_head(sheet.head)
        self.validity.show_facts(sheet.validity)
        self.shares.show_bars(sheet.shares)
        self.steps.show_charts(*sheet.steps_title, sheet.steps)
        if sheet.changes is not None:
            self.changes.show_chart(sheet.changes)
        for view, chart in zip(self.points, sheet.points, strict=False):
            view.show_chart(chart, sheet.placements[0].title.partition(":")[0] if sheet.placements else "")
        for matrix, placed in zip(self.placements, sheet.placements, strict=False):
            matrix.show_placement(placed)
        if sheet.run is not None:
            self.run.show_chart(sheet.run)
        if sheet.notes is not None:
            self.notes.show_facts(sheet.notes)
        if sheet.raw is not None:
            self.raw.show_table(raw_headings(sheet.raw), raw_cells(sheet.raw))
        self.raw.setVisible(sheet.raw is not None)
        first = next(iter(self.head.buttons.values()), None)
        self.setFocusProxy(first if sheet.raw is None and first is not None else self.raw)
        self.raw.setFixedHeight(self.raw.sizeHint().height())
        self.put_back.show_facts(sheet.put_back)
        self.put_back.setVisible(bool(sheet.put_back.lines))
        self._place_put_back(is_first=sheet.head.state == "critical")
        self.put_back.setFixedHeight(min(240, self.put_back.sizeHint().height()))
        self._left.setText(sheet.foot[0])
        self._right.setText(sheet.foot[1])
        self._place(sheet)

    def take_focus(self) -> None:
        """Give the keys to the raw numbers, or to the first button where there are none."""
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def _act(self, act: str) -> None:
        if act == "steps":
            self.copied.emit(copy_text(self._steps, "The steps"))
        else:
            self.acted.emit(act)

    def _body(self) -> QWidget:
        body = QWidget()
        for view in self._movable():
            view.setParent(body)  # those that a result does not have stand in no layout
        column = QVBoxLayout(body)
        column.setContentsMargins(16, 12, 16, 12)
        column.setSpacing(10)
        column.addWidget(self.head)
        for row in self._rows:
            row.setSpacing(10)
            column.addLayout(row)
        column.addWidget(self.raw)
        column.addWidget(self.put_back)
        self._column = column
        foot = QHBoxLayout()
        foot.addWidget(self._left, 1)
        foot.addWidget(self._right)
        self._left.setMinimumWidth(0)
        column.addLayout(foot)
        column.addStretch(1)
        return body

    def _place_put_back(self, *, is_first: bool) -> None:
        """Put what was changed below the numbers, or below the head as long as something is not put back."""
        self._column.removeWidget(self.put_back)
        self._column.insertWidget(1 if is_first else self._column.indexOf(self.raw) + 1, self.put_back)

    def _place(self, sheet: ResultSheet) -> None:
        """Put what this result has side by side: two rows, the widest chart of a row in its middle."""
        has_points: tuple[PointChart, ...] = sheet.points
        top: list[tuple[QWidget, int]] = []
        if sheet.placements:
            top = [(self.placements[0], 6), (self.placements[1], 6), (self.validity, 5)]
        else:
            top = [(self.validity, 5)]
            if sheet.shares:
                top.append((self.shares, 7))
            if sheet.steps:
                top.append((self.steps, 6))
            top += [(view, 6) for view, _ in zip(self.points, has_points, strict=False)][
                : _ABREAST - len(top)
            ]
            if len(top) < _ABREAST and sheet.changes is not None:
                top.append((self.changes, 6))
        bottom: list[tuple[QWidget, int]] = []
        if sheet.run is not None:
            bottom.append((self.run, 12))
        if sheet.placements and has_points:
            bottom.append((self.points[0], 9))
        if sheet.notes is not None:
            bottom.append((self.notes, 6 if len(bottom) < 2 else 7))
        self._abreast = [top, bottom]
        self._fill_rows()
        shown = {view for view, _ in (*top, *bottom)}
        for view in self._movable():
            view.setVisible(view in shown)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Put fewer views side by side where there is no room for all."""
        super().resizeEvent(event)
        is_narrow = self.viewport().width() < _NARROW
        if is_narrow != self._is_narrow:
            self._is_narrow = is_narrow
            self._fill_rows()

    def _fill_rows(self) -> None:
        for row, wanted, height in zip(self._rows, self._abreast, (_TOP, _RUN), strict=True):
            _fill(row, wanted, height, _ABREAST - 1 if self._is_narrow else _ABREAST)

    def _movable(self) -> list[QWidget]:
        charts: list[QWidget] = [self.validity, self.shares, self.steps, self.changes, self.run, self.notes]
        return [*charts, *self.points, *self.placements]


def _fill(row: QGridLayout, wanted: list[tuple[QWidget, int]], height: int, abreast: int) -> None:
    """Put views side by side with these widths to each other; what has no room there comes below."""
    for column in range(row.columnCount()):
        row.setColumnStretch(column, 0)
    while row.count():
        row.takeAt(0)
    for number, (view, stretch) in enumerate(wanted):
        below, column = divmod(number, abreast)
        is_last = number + 1 == len(wanted)
        view.setFixedHeight(height)
        row.addWidget(view, below, column, 1, abreast - column if below and is_last else 1)
        if not below:
            row.setColumnStretch(column, stretch)
