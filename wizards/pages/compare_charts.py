"""The charts of the Compare page: up to four, with one crosshair for all."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from viewmodels.comparison_charts import OverlayChart
from widgets.eliding import NameElider
from widgets.theme import Theme
from wizards.pages.compare_chart import OverlayChartView

PLACES = 4
_TWO_ROWS, _TWO_COLUMNS = 222, 520


class CompareCharts(QWidget):
    """Signals: ``chosen`` and ``pinned`` with the row of a chart; ``places_changed`` when there is room for
    another number of charts.
    """

    chosen = Signal(object)
    pinned = Signal(object)
    places_changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names = NameElider()
        self.charts = [OverlayChartView(theme, self._names) for _ in range(PLACES)]
        self._charts: Sequence[OverlayChart] = ()
        self.places = PLACES
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(8)
        for number, chart in enumerate(self.charts):
            self._grid.addWidget(chart, number // 2, number % 2)
            chart.pointed.connect(self._point)
            chart.chosen.connect(lambda chart=chart: self._tell(chart, is_pin=False))
            chart.pinned.connect(lambda chart=chart: self._tell(chart, is_pin=True))
        self.setMinimumHeight(112)

    def show_charts(
        self, charts: Sequence[OverlayChart], chosen: int | None, pinned: Collection[int], hint: str = ""
    ) -> None:
        """Show these charts on one time axis; ``chosen`` is the rank of the row that is chosen, ``hint`` says
        why there is no chart.
        """
        self._charts = charts[:PLACES]
        self._names.set_names(one.row.name for one in self._charts)
        minutes = max((one.minutes for one in charts), default=1.0)
        for number, view in enumerate(self.charts):
            chart = charts[number] if number < len(charts) else None
            rank = chart.row.rank if chart is not None else None
            is_chosen = chart is not None and rank == chosen
            view.hint = hint
            view.show_chart(chart, minutes, is_lit=is_chosen, is_pinned=rank in pinned)
        self._place()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Show as many charts as there is room for."""
        super().resizeEvent(event)
        rows = 2 if self.height() >= _TWO_ROWS else 1
        columns = 2 if self.width() >= _TWO_COLUMNS else 1
        if rows * columns != self.places:
            self.places = rows * columns
            self._place()
            self.places_changed.emit()

    def _place(self) -> None:
        columns = 2 if self.width() >= _TWO_COLUMNS else 1
        for number, view in enumerate(self.charts):
            self._grid.removeWidget(view)
            view.setVisible(number < min(self.places, max(len(self._charts), 1)))
            self._grid.addWidget(view, number // columns, number % columns)

    def _point(self, minute: float | None) -> None:
        for one in self.charts:
            one.point_at(minute)

    def _tell(self, view: OverlayChartView, *, is_pin: bool) -> None:
        if view.chart is not None:
            (self.pinned if is_pin else self.chosen).emit(view.chart.row)
