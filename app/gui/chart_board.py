"""Which charts there are, shared by those who ask for charts and the panel that draws them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from sessions.model import EntityRef, Series
from viewmodels.chart_spec import ChartSpec


class ChartBoard(QObject):
    """The charts in their order. ``chosen``: somebody put them there; else they follow the scope.

    Those of a finding are chosen ``of`` its entities: they stay until the scope names others. Those that the
    user put together, of nothing, stay until he releases them.

    ``changed`` when the charts differ, ``shown`` when the charts should come to the front.
    """

    changed = Signal()
    shown = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._charts: tuple[ChartSpec, ...] = ()
        self.chosen = False
        self.of: tuple[EntityRef, ...] | None = None

    @property
    def pinned(self) -> bool:
        """Whether they stay whatever the scope becomes."""
        return self.chosen and self.of is None

    @property
    def charts(self) -> tuple[ChartSpec, ...]:
        """What is to be drawn, top to bottom."""
        return self._charts

    def follow(self, charts: Sequence[ChartSpec], entities: Sequence[EntityRef]) -> None:
        """Show what suits the scope, which names these entities, unless others were chosen for it."""
        if self.of is not None and self.of != tuple(entities):
            self.chosen, self.of = False, None
        if not self.chosen:
            self._set(tuple(charts))

    def choose(self, charts: Sequence[ChartSpec], of: Sequence[EntityRef] | None = None) -> None:
        """Show these charts and bring them to the front: while the scope names ``of``, or for good."""
        self.chosen, self.of = True, None if of is None else tuple(of)
        self._set(tuple(charts), anyway=True)
        self.shown.emit()

    def release(self) -> None:
        """Let the charts follow the scope again."""
        self.chosen, self.of = False, None
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
        self.chosen, self.of = True, None
        self._set(tuple(chart for number, chart in enumerate(self._charts) if number != at))

    def _set(self, charts: tuple[ChartSpec, ...], *, anyway: bool = False) -> None:
        if anyway or charts != self._charts:
            self._charts = charts
            self.changed.emit()
