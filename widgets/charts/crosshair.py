"""One crosshair and one pinned moment for several charts: all of them show their values at that time."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from widgets.charts.card import ChartCard
from widgets.charts.curve_numbers import Moments, values_text

_LEGEND_MS = 80


class Crosshair(QObject):
    """Shows the time under the pointer, else the pinned moment, in every chart that ``cards`` returns.

    ``pinned`` carries the moment in ms that the user wants to pin in one of them, None to let go of it.
    """

    pinned = Signal(object)

    def __init__(self, cards: Callable[[], Sequence[ChartCard]], parent: QObject) -> None:
        super().__init__(parent)
        self._cards = cards
        self._hovered = self._moment = math.nan
        self._soon = QTimer(self, singleShot=True, interval=_LEGEND_MS)
        self._soon.timeout.connect(self._show_values)

    def join(self, card: ChartCard) -> None:
        """Connect a new chart."""
        card.plot.hovered.connect(self.show_hover)
        card.plot.pin.wanted.connect(self._ask)

    def renew(self, card: ChartCard) -> None:
        """Show moment and values in a chart that was just added or whose window has changed."""
        card.plot.show_cross(self._hovered)
        card.plot.pin.show_moment(self._moment)
        if not self._soon.isActive():
            self._soon.start()

    def show_hover(self, when: float) -> None:
        """Move the crosshair of all charts to the time ``when`` (ms) under the pointer; NaN hides it."""
        self._hovered = when
        for card in self._cards():
            card.plot.show_cross(when)
        if not self._soon.isActive():
            self._soon.start()

    def show_moment(self, at: int | None) -> None:
        """Pin the moment ``at`` (ms) in all charts; None shows none."""
        self._moment = math.nan if at is None else float(at)
        for card in self._cards():
            card.plot.pin.show_moment(self._moment)
        self._show_values()

    def _ask(self, when: float) -> None:
        self.pinned.emit(None if math.isnan(when) else round(when))

    def _show_values(self) -> None:
        for card in self._cards():
            card.show_values(Moments(self._hovered, self._moment))
            moment = card.plot.pin.in_sight
            card.plot.setAccessibleDescription("" if moment is None else values_text(card.curves, moment))
