"""Moves the charts of a stack: by dragging their heads, from their menus and by keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, Signal
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QScrollArea, QWidget

from viewmodels.chart_spec import ChartSpec
from widgets.charts.card import ChartCard
from widgets.dragging import CHART_MIME, Draggable, pack_chart
from widgets.theme import Theme

_LINE_PX = 3
_EDGE_PX, _SCROLL_PX = 40, 24


class ChartOrdering(QObject):
    """Takes drags of charts over the stack's viewport, with a line where the chart would go.

    Signal ``moved`` carries the chart, and the chart whose place it is to have, as they are drawn
    (ChartSpec).
    """

    moved = Signal(object, object)

    def __init__(self, stack: QScrollArea, cards: Callable[[], Sequence[ChartCard]], theme: Theme) -> None:
        super().__init__(stack)
        self._stack, self._cards, self._theme = stack, cards, theme
        self._dragged: ChartSpec | None = None
        self._line = QWidget(stack.viewport())
        self._line.hide()
        stack.viewport().installEventFilter(self)

    def join(self, card: ChartCard) -> None:
        """Let a new chart be moved."""
        card.move_wanted.connect(lambda step: self._move_by(card, step))
        for handle in card.head.handles:
            Draggable(handle, lambda _at: self._begin(card), pack_chart)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Take drags of charts; all other events are passed on."""
        if event.type() == QEvent.Type.DragLeave:
            self._line.hide()
        if not isinstance(event, QDropEvent):  # a drag that enters or moves is one, too
            return super().eventFilter(watched, event)
        if not event.mimeData().hasFormat(CHART_MIME) or self._dragged is None:
            return super().eventFilter(watched, event)
        event.acceptProposedAction()
        place = event.position().toPoint()
        if event.type() == QEvent.Type.Drop:
            self._line.hide()
            self._drop(self._gap_at(place))
        else:
            self._scroll_near_edges(place)
            self._show_line(self._gap_at(place))
        return True

    def _begin(self, card: ChartCard) -> tuple[Sequence[int], str]:
        """Return what is dragged; nothing where there is nowhere to go."""
        if card.is_summary or len(self._cards()) < 2:
            return (), ""
        self._dragged = card.spec
        return (0,), card.head.title

    def _move_by(self, card: ChartCard, step: int) -> None:
        cards = self._cards()
        if card in cards and 0 <= cards.index(card) + step < len(cards):
            self.moved.emit(card.spec, cards[cards.index(card) + step].spec)

    def _drop(self, gap: int) -> None:
        dragged, self._dragged = self._dragged, None
        specs = [card.spec for card in self._cards()]
        drawn = [(spec.series, spec.unit) for spec in specs]
        if dragged is None or (dragged.series, dragged.unit) not in drawn:
            return  # its chart went meanwhile
        number = drawn.index((dragged.series, dragged.unit))
        place = gap - 1 if gap > number else gap
        if place != number:
            self.moved.emit(dragged, specs[place])

    def _gap_at(self, place: QPoint) -> int:
        """Return before which chart a point lies; their number below the last one."""
        middles = [self._box(card)[0] + card.height() // 2 for card in self._cards()]
        return sum(middle < place.y() for middle in middles)

    def _show_line(self, gap: int) -> None:
        cards = self._cards()
        if not cards:  # all of them went meanwhile
            self._line.hide()
            return
        y = self._box(cards[gap])[0] - 5 if gap < len(cards) else self._box(cards[-1])[1] + 3
        self._line.setStyleSheet(f"background: {self._theme.tokens.accent}; border-radius: 1px")
        self._line.setGeometry(10, y, self._stack.viewport().width() - 20, _LINE_PX)
        self._line.show()
        self._line.raise_()

    def _box(self, card: ChartCard) -> tuple[int, int]:
        """Return the top and bottom of a card in the viewport."""
        top = card.mapTo(self._stack.viewport(), QPoint(0, 0)).y()
        return top, top + card.height()

    def _scroll_near_edges(self, place: QPoint) -> None:
        bar, height = self._stack.verticalScrollBar(), self._stack.viewport().height()
        if place.y() < _EDGE_PX:
            bar.setValue(bar.value() - _SCROLL_PX)
        elif place.y() > height - _EDGE_PX:
            bar.setValue(bar.value() + _SCROLL_PX)
