"""Charts above each other on one time axis, with one crosshair for all."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from resources.foreign_text import shown
from sessions.model import Event, Mark
from sessions.times import TimeRange
from viewmodels.axis_events import Track
from viewmodels.chart_spec import ChartSpec
from viewmodels.curve import NamedCurve
from viewmodels.time_labels import Clock
from widgets.charts.card import ChartCard
from widgets.charts.card_menu import picture_file, picture_of
from widgets.charts.crosshair import Crosshair
from widgets.charts.ordering import ChartOrdering
from widgets.context_menu import Entries
from widgets.dragging import SERIES_MIME
from widgets.eliding import NameElider
from widgets.focus_passing import FocusPassing
from widgets.theme import Theme

_SMALLEST_MS = 1_000
_MAX_SPARE_CARDS = 5
_MARGIN = 10


class ChartStack(QScrollArea):
    """A scrollable column of chart cards.

    Signals: ``windowed(TimeRange, passing)``, ``pinned`` with the moment to pin (None: let go),
    ``unzoomed``, ``explain_wanted`` with ids of series, ``closed(n)``, ``dropped(n, bytes)`` with the
    chart's number n; n is −1 for a drop below the charts. The stack does not change its window itself: it
    emits ``windowed``, and the receiver calls ``show_window``. ``crosshair`` shows hover and pinned moment,
    ``ordering`` lets the user move charts.
    """

    windowed = Signal(object, bool)
    pinned = Signal(object)
    unzoomed = Signal()
    closed = Signal(int)
    dropped = Signal(int, bytes)
    copied = Signal(str)
    saved = Signal(object)
    pictured = Signal(object, str)
    statistics = Signal(bool)
    explain_wanted = Signal(object)
    moved_wanted = Signal(object)
    before_wanted = Signal()
    report_wanted = Signal(object)

    def __init__(self, theme: Theme, at: Clock, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._at = theme, at
        self._cards: list[ChartCard] = []
        self._spare: list[ChartCard] = []
        self.more: Callable[[Sequence[int]], Entries] = lambda _series: ()
        self._statistics = False
        self._session = ""
        self._titles = NameElider()
        self._events: Track[Event] = Track()
        self._marks: Track[Mark] = Track()
        self._window = TimeRange(0, 1)
        self.setWidgetResizable(True)
        self.setAcceptDrops(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Charts")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        body = QWidget()
        self._column = QVBoxLayout(body)
        self._column.setContentsMargins(10, 8, 10, 10)
        self._column.setSpacing(8)
        self.setWidget(body)
        FocusPassing(self, lambda: self._cards[0].plot if self._cards else None)
        self.ordering = ChartOrdering(self, lambda: self._cards, theme)
        self.crosshair = Crosshair(lambda: self._cards, self)
        self.crosshair.pinned.connect(self.pinned)

    @property
    def cards(self) -> Sequence[ChartCard]:
        """The charts, top to bottom."""
        return self._cards

    def set_clock(self, at: Clock) -> None:
        """Show times in another time zone."""
        self._at = at
        for card in [*self._cards, *self._spare]:
            card.set_clock(at)

    def name_session(self, name: str) -> None:
        """Name the session that the charts are of, for pictures."""
        self._session = name
        for card in [*self._cards, *self._spare]:
            card.session = name

    def show_charts(self, charts: Sequence[tuple[ChartSpec, Sequence[NamedCurve]]]) -> None:
        """Show these charts, reusing the widgets of earlier ones."""
        while len(self._cards) > len(charts):
            gone = self._cards.pop()
            self._column.removeWidget(gone)
            gone.hide()
            gone.show_chart(ChartSpec("", "", ()), ())
            gone.plot.show_cross(math.nan)
            gone.plot.pin.show_moment(math.nan)
            self._spare.append(gone)
        while len(self._spare) > _MAX_SPARE_CARDS:
            self._spare.pop().deleteLater()
        while len(self._cards) < len(charts):
            self._add_card()
        self._titles.set_names(shown(spec.shown_title) for spec, _ in charts)
        for card, (spec, curves) in zip(self._cards, charts, strict=True):
            card.plot.set_window(self._window.start, self._window.end)
            card.show_chart(spec, curves)
            card.plot.set_events(self._events, self._marks)

    def reveal(self, number: int) -> None:
        """Scroll chart ``number`` into view, once it has its place; it gets the keys if a chart has them."""
        if number < len(self._cards):
            card = self._cards[number]
            keys_at = self.focusWidget()
            if keys_at is not None and keys_at.hasFocus() and not card.isAncestorOf(keys_at):
                (card.line if card.is_folded else card.plot).setFocus(Qt.FocusReason.OtherFocusReason)
            QTimer.singleShot(0, card, lambda: self.ensureWidgetVisible(card, 0, _MARGIN))

    def show_statistics(self, *, on: bool) -> None:
        """Show or hide the table of statistics in all charts."""
        self._statistics = on
        for card in [*self._cards, *self._spare]:
            card.show_statistics(on=on)

    def show_window(self, window: TimeRange) -> None:
        """Show this window in all charts."""
        self._window = window
        for card in self._cards:
            card.plot.set_window(window.start, window.end)
            self.crosshair.renew(card)

    def show_events(self, events: Sequence[Event], marks: Sequence[Mark]) -> None:
        """Show events and marks in all charts."""
        if events != self._events.all:
            self._events = Track(events)
        if marks != self._marks.all:
            self._marks = Track(marks)
        for card in self._cards:
            card.plot.set_events(self._events, self._marks)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802
        """Accept series that are dragged below the charts."""
        if event.mimeData().hasFormat(SERIES_MIME):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802
        """Emit ``dropped`` for a new chart."""
        event.acceptProposedAction()
        self.dropped.emit(-1, bytes(event.mimeData().data(SERIES_MIME).data()))

    def prepare(self) -> bool:
        """Create one chart card in advance; returns True if another one would be useful."""
        if len(self._cards) + len(self._spare) < _MAX_SPARE_CARDS:
            card = self._made_card()
            card.hide()
            self._spare.append(card)
        return len(self._cards) + len(self._spare) < _MAX_SPARE_CARDS

    def _add_card(self) -> None:
        card = self._spare.pop() if self._spare else self._made_card()
        self._column.addWidget(card, 1)
        last: QWidget = self._cards[-1] if self._cards else self
        card.focus_after(last.head.close_button if isinstance(last, ChartCard) else last)
        self._cards.append(card)
        self.crosshair.renew(card)
        card.show()
        if self.hasFocus():  # it waited for a chart to pass the keys on to
            card.plot.setFocus()

    def _made_card(self) -> ChartCard:
        card = ChartCard(self._theme, self._at, self.widget())
        card.plot.windowed.connect(self._ask_window)
        self.crosshair.join(card)
        self.ordering.join(card)
        card.plot.unzoomed.connect(self.unzoomed)
        card.closed.connect(lambda card=card: self._close(card))
        card.dropped.connect(lambda data, card=card: self._take_drop(card, data))
        card.copied.connect(self.copied)
        card.saved.connect(self.saved)
        card.page_wanted.connect(self._take_picture)
        card.statistics.connect(self.statistics)
        card.explain_wanted.connect(lambda card=card: self.explain_wanted.emit(card.spec.series))
        card.moved_wanted.connect(self.moved_wanted)
        card.before_wanted.connect(self.before_wanted)
        card.report_wanted.connect(lambda: self.report_wanted.emit(card.spec))
        card.show_statistics(on=self._statistics)
        card.session = self._session
        card.more = self._more_of
        card.head.titles = self._titles
        return card

    def _more_of(self, series: Sequence[int]) -> Entries:
        return self.more(series)

    def _close(self, card: ChartCard) -> None:
        if card in self._cards:
            self.closed.emit(self._cards.index(card))

    def _take_drop(self, card: ChartCard, data: bytes) -> None:
        """Hand on what was dropped on a card, unless its chart went while it was dragged."""
        if card in self._cards:
            self.dropped.emit(self._cards.index(card), data)

    def _take_picture(self, wanted: str) -> None:
        """Copy or save a picture of all charts, unless they went while the menu was open."""
        if not self._cards:
            return
        unfolded = [card for card in self._cards if not card.is_folded]
        picture = picture_of(unfolded or self._cards, self._theme)
        if wanted == "copy":
            self.pictured.emit(picture, f"{len(picture.charts)} charts")
        else:
            self.saved.emit(picture_file(picture))

    def _ask_window(self, start: float, end: float, passing: bool) -> None:
        if end - start < _SMALLEST_MS:
            middle = (start + end) / 2
            start, end = middle - _SMALLEST_MS / 2, middle + _SMALLEST_MS / 2
        self.windowed.emit(TimeRange(round(start), round(end)), passing)
