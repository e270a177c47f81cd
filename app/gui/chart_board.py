"""Which charts there are, shared by those who ask for charts and the panel that draws them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from sessions.model import Series
from widgets.charts.spec import ChartSpec


class ChartBoard(QObject):
    """The charts in their order. ``chosen``: somebody put them there; else they follow the scope.

    ``changed`` when the charts differ, ``shown`` when the charts should come to the front.
    """

    changed = Signal()
    shown = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._charts: tuple[ChartSpec, ...] = ()
        self.chosen = False

    @property
    def charts(self) -> tuple[ChartSpec, ...]:
        """What is to be drawn, top to bottom."""
        return self._charts

    def follow(self, charts: Sequence[ChartSpec]) -> None:
        """Show what suits the scope, unless somebody chose charts of their own."""
        if not self.chosen:
            self._set(tuple(charts))

    def choose(self, charts: Sequence[ChartSpec]) -> None:
        """Show these charts, whatever the scope becomes, and bring them to the front."""
        self.chosen = True
        self._set(tuple(charts))
        self.shown.emit()

    def release(self) -> None:
        """Let the charts follow the scope again."""
        self.chosen = False
        self.changed.emit()

    def add(self, series: Sequence[Series], title: str, at: int | None = None) -> None:
        """Add series to the chart at ``at`` where units agree, else as a new chart below the others."""
        charts = list(self._charts)
        for unit in dict.fromkeys(one.spec.unit for one in series):
            ids = tuple(one.id for one in series if one.spec.unit == unit)
            if at is not None and at < len(charts) and charts[at].unit == unit:
                both = tuple(dict.fromkeys((*charts[at].series, *ids)))
                charts[at] = replace(charts[at], series=both)
            else:
                charts.append(ChartSpec(title, unit, ids))
        self.choose(charts)

    def remove(self, at: int) -> None:
        """Take a chart away."""
        self.chosen = True
        self._set(tuple(chart for number, chart in enumerate(self._charts) if number != at))

    def _set(self, charts: tuple[ChartSpec, ...]) -> None:
        if charts != self._charts:
            self._charts = charts
            self.changed.emit()
