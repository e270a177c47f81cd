"""The chart board: which charts are shown, shared by those who request charts and the panel that
draws them.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from sessions.model import EntityRef, Series
from viewmodels.chart_choice import ChartChoice
from viewmodels.chart_spec import ChartSpec


class ChartBoard(QObject):
    """Holds the current choice of charts.

    Signals: ``changed`` when other charts are to be drawn; ``shown`` when the charts page is to come to the
    front; ``added`` with the number of a chart that is new or has new curves; ``removed`` with the choice
    before (a ChartChoice) and the number of the chart that the user closed; ``moved`` with the places from
    and to which a chart was moved.
    """

    changed = Signal()
    shown = Signal()
    added = Signal(int)
    removed = Signal(object, int)
    moved = Signal(int, int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.choice = ChartChoice()

    @property
    def charts(self) -> tuple[ChartSpec, ...]:
        """The charts to draw, top to bottom."""
        return self.choice.charts

    def follow(self, charts: Sequence[ChartSpec], entities: Sequence[EntityRef]) -> None:
        """Show ``charts``, which suit a scope of ``entities``, unless others were chosen for this scope."""
        self._set(self.choice.following(charts, entities))

    def choose(self, charts: Sequence[ChartSpec], of: Sequence[EntityRef] | None = None) -> None:
        """Show these charts and bring the page to the front.

        They stay while the scope names the entities ``of``; None keeps them whatever the scope becomes.
        """
        self._choose(ChartChoice(tuple(charts), chosen=True, of=None if of is None else tuple(of)))

    def add(self, series: Sequence[Series], at: int | None = None) -> None:
        """Add series to chart number ``at``, or as a new chart, and bring the page to the front."""
        before = self.choice.charts
        self._choose(self.choice.with_series(series, at))
        new = (number for number, chart in enumerate(self.charts) if chart not in before)
        self.added.emit(next(new, len(self.charts) - 1 if at is None else at))

    def remove(self, at: int) -> None:
        """Remove chart number ``at``: the user closed it."""
        before = self.choice
        self._set(before.without(at))
        self.removed.emit(before, at)

    def move(self, at: int, to: int) -> None:
        """Move chart number ``at`` to place ``to``."""
        self._set(self.choice.with_moved(at, to))
        self.moved.emit(at, to)

    def drop(self, chart: ChartSpec) -> None:
        """Remove a chart without a word, if it is still here."""
        if chart in self.charts:
            self._set(self.choice.without(self.charts.index(chart)))

    def put_back(self, before: ChartChoice, number: int, after: ChartChoice) -> None:
        """Bring chart ``number`` of an earlier choice back; ``after`` is what was left when it was closed.

        If nothing else was changed since, all is as before. Else the chart joins those that are here.
        """
        self._set(before if self.choice == after else self.choice.with_chart(before.charts[number], number))
        self.added.emit(self.charts.index(before.charts[number]))

    def release(self) -> None:
        """Let the charts follow the scope again."""
        self.choice = self.choice.released()
        self.changed.emit()

    def _choose(self, choice: ChartChoice) -> None:
        self.choice = choice
        self.changed.emit()
        self.shown.emit()

    def _set(self, choice: ChartChoice) -> None:
        before, self.choice = self.choice.charts, choice
        if choice.charts != before:
            self.changed.emit()
