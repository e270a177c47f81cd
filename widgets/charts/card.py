"""A chart as a card: title, unit, a legend with the values at the crosshair, and the plot."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QContextMenuEvent,
    QDragEnterEvent,
    QDropEvent,
    QGuiApplication,
    QKeyEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QMenu,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from resources.foreign_text import shown, tip
from resources.units import format_count, format_value
from sessions.times import TimeRange
from viewmodels.chart_spec import ChartSpec
from viewmodels.curve import NamedCurve
from viewmodels.time_labels import Clock
from widgets.charts.csv_text import as_csv
from widgets.charts.curves_item import Drawn
from widgets.charts.figures import CurveFigures, FigureRow
from widgets.charts.legend import LEGEND_GAP, LegendEntry, names_in
from widgets.charts.plot import Plot
from widgets.dragging import SERIES_MIME, Draggable
from widgets.theme import Theme

_CARD_HEIGHT = 160
_NAMED = 6
_TABLED = 12
_HEAD_GAP = 12
_HEAD_MARGINS = 12, 6, 8, 0


class ChartCard(QFrame):
    """Signals: ``closed``, ``dropped(bytes)`` when a counter is dropped on it, ``copied`` with what to say.

    ``statistics`` when its menu asks for the table of numbers, or to be without; of a summary ``opened``.
    """

    closed = Signal()
    dropped = Signal(bytes)
    copied = Signal(str)
    opened = Signal()
    statistics = Signal(bool)

    def __init__(self, theme: Theme, at: Clock, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._at = theme, at
        self._spec = ChartSpec("", "", ())
        self._is_summary = False
        self._curves: Sequence[NamedCurve] = ()
        self._entries: list[LegendEntry] = []
        self.setProperty("role", "chart")
        self.setAcceptDrops(True)
        self.setMinimumWidth(280)
        self.setMinimumHeight(_CARD_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._title = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._title.setProperty("role", "title")
        self._note = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._note.setProperty("role", "muted")
        self._key = QWidget()
        self._legend = QHBoxLayout(self._key)
        self._legend.setContentsMargins(0, 0, 0, 0)
        self._legend.setSpacing(LEGEND_GAP)
        self._more = QLabel()
        self._more.setProperty("role", "muted")
        self._legend.addWidget(self._more)
        self._close = QToolButton()
        self._close.setProperty("role", "ghost")
        self._close.setStyleSheet("padding: 0; min-height: 16px; max-height: 18px;")
        self._close.clicked.connect(self.closed)
        self.plot = Plot(theme, at)
        self.plot.focused.connect(self._show_focus)
        self.plot.scaled.connect(self._say_unit)
        self.plot.menu_wanted.connect(self._open_menu)
        self._head = self._make_head()
        self._key_below = False
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 4)
        column.setSpacing(0)
        column.addLayout(self._head)
        self._figures = CurveFigures(theme)
        self._figures.entered.connect(self.plot.drawing.highlight)
        Draggable(self._figures, lambda at: self._dragged(self._figures.row_at(at.y()), at))
        self._figures.hide()
        column.addWidget(self._figures)
        column.addWidget(self.plot, 1)
        self._no_data = QLabel("No samples in this window.", self.plot)
        self._no_data.setProperty("role", "muted")
        theme.changed.connect(self._dress)
        self._dress()

    def _make_head(self) -> QGridLayout:
        head = QGridLayout()
        head.setContentsMargins(*_HEAD_MARGINS)
        head.setHorizontalSpacing(_HEAD_GAP)
        head.setVerticalSpacing(2)
        head.setColumnStretch(2, 1)
        head.addWidget(self._title, 0, 0)
        head.addWidget(self._note, 0, 1)
        head.addWidget(self._key, 0, 2, Qt.AlignmentFlag.AlignRight)
        head.addWidget(self._close, 0, 3)
        return head

    @property
    def curves(self) -> Sequence[NamedCurve]:
        """What is drawn."""
        return self._curves

    @property
    def spec(self) -> ChartSpec:
        """What it shows."""
        return self._spec

    def show_chart(self, spec: ChartSpec, curves: Sequence[NamedCurve]) -> None:
        """Draw these curves."""
        self._spec, self._curves = spec, curves
        self._title.setText(shown(spec.title))
        self._close.setAccessibleName(f"Close the chart {spec.title}")
        self.setAccessibleName(f"Chart: {spec.title}")
        self.plot.setAccessibleName(f"Plot of {spec.title}: arrows move, plus and minus zoom")
        self._draw()
        self.show_values(math.nan)

    def set_clock(self, at: Clock) -> None:
        """Show another clock."""
        self._at = at
        self.plot.drawing.time_axis.set_clock(at)

    @property
    def legend(self) -> Sequence[QWidget]:
        """The names of the first curves, each to be dragged onto another chart."""
        return self._entries

    @property
    def close_button(self) -> QToolButton:
        """The last thing in it that takes the focus."""
        return self._close

    def be_summary(self) -> None:
        """A small chart that leads to the large one: it can be opened, by Enter too, and not be closed."""
        self._is_summary = True
        self.setAcceptDrops(False)
        self._close.hide()

    def show_statistics(self, *, on: bool) -> None:
        """Whether it shows last, lowest, mean, highest and 95th percentile of each curve as a table."""
        if on != self._figures.isHidden():
            return
        self._figures.setVisible(on)
        self.setMinimumHeight(_CARD_HEIGHT)
        self.show_values(math.nan)

    def focus_after(self, before: QWidget) -> QWidget:
        """Let Tab come here from ``before``: the plot, then the button. Returns where Tab goes on from."""
        self.setTabOrder(before, self.plot)
        self.setTabOrder(self.plot, self._close)
        return self._close

    def show_values(self, when: float) -> None:
        """Put the values at a moment into the legend; NaN means the last of the window."""
        start, end = self.plot.window_shown
        for entry, named in zip(self._entries, self._curves, strict=False):
            value = named.curve.last(start, end) if math.isnan(when) else named.curve.value_at(when)
            entry.say(format_value(value, named.unit))
        self._make_room()
        if not self._figures.isHidden():
            self._show_figures(when)
        empty = all(math.isnan(named.curve.last(start, end)) for named in self._curves)
        self._no_data.setVisible(empty)
        self._no_data.adjustSize()
        self._no_data.move(self.plot.rect().center() - QPoint(self._no_data.width() // 2, 12))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """As many names as there is room for."""
        super().resizeEvent(event)
        self._make_room()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        """Copy the chart, or close it."""
        self._open_menu(event.globalPos())

    def _open_menu(self, place: QPoint) -> None:
        menu = QMenu(self)
        if self._is_summary:
            menu.addAction("Open in the charts", self.opened.emit)
        menu.addAction("Copy as image", self.copy_image)
        menu.addAction("Copy samples as CSV", self.copy_samples)
        if not self._is_summary:
            numbers = QAction("Statistics of each curve", menu, checkable=True)
            numbers.setChecked(not self._figures.isHidden())
            numbers.triggered.connect(self.statistics)
            menu.addAction(numbers)
            menu.addSeparator()
            menu.addAction("Close the chart", self.closed.emit)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(place)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Enter opens a summary."""
        if self._is_summary and event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.opened.emit()
        else:
            super().keyPressEvent(event)

    def copy_image(self) -> None:
        """Put a picture of it on the clipboard."""
        QGuiApplication.clipboard().setPixmap(self.grab())
        self.copied.emit(f"{shown(self._spec.title)}: copied as an image.")

    def copy_samples(self) -> None:
        """Put the samples of its window on the clipboard, as CSV."""
        start, end = (round(edge) for edge in self.plot.window_shown)
        columns = [(f"{named.name} ({named.unit})", named.curve) for named in self._curves]
        text, rows = as_csv(columns, TimeRange(start, end))
        QGuiApplication.clipboard().setText(text)
        self.copied.emit(f"{shown(self._spec.title)}: {format_count(rows)} rows copied as CSV.")

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802
        """A counter that is dragged from anywhere can be dropped here."""
        if event.mimeData().hasFormat(SERIES_MIME):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802
        """Add it."""
        event.acceptProposedAction()
        self.dropped.emit(bytes(event.mimeData().data(SERIES_MIME).data()))

    def _dragged(self, number: int | None, _at: QPoint) -> tuple[Sequence[int], str]:
        """The series of a curve, to be dragged onto another chart."""
        if number is None or number >= len(self._curves) or not self._curves[number].series:
            return (), ""
        return (self._curves[number].series,), shown(self._curves[number].name)

    def _tooltip(self, named: NamedCurve) -> str:
        found = named.curve.summary(*self.plot.window_shown)
        numbers = (("last", found.last), ("min", found.low), ("mean", found.mean), ("p95", found.p95))
        lines = [
            f"{word} {format_value(value, named.unit)}" for word, value in (*numbers, ("max", found.high))
        ]
        return "\n".join([shown(named.name), *([shown(named.tooltip)] if named.tooltip else []), *lines])

    def _show_focus(self, on: bool) -> None:
        self.setProperty("focused", on)
        self.style().polish(self)

    def _say_unit(self) -> None:
        self._note.setText(
            ", ".join(part for part in (self.plot.drawing.unit_shown, self._spec.note) if part)
        )

    def _draw(self) -> None:
        tokens = self._theme.tokens
        drawn = [Drawn(named.curve, tokens.curve(number)) for number, named in enumerate(self._curves)]
        self.plot.set_curves(drawn, self._spec.limits, self._spec.bands, self._spec.unit)
        self._say_unit()
        while len(self._entries) > min(len(self._curves), _NAMED):
            gone = self._entries.pop()
            self._legend.removeWidget(gone)
            gone.deleteLater()
        while len(self._entries) < min(len(self._curves), _NAMED):
            entry = LegendEntry(len(self._entries))
            Draggable(entry, partial(self._dragged, len(self._entries)))
            entry.entered.connect(self.plot.drawing.highlight)
            self._entries.append(entry)
            self._legend.insertWidget(len(self._entries) - 1, entry)
        for number, (entry, named) in enumerate(zip(self._entries, self._curves, strict=False)):
            entry.describe(named.name, tokens.curve(number), partial(self._tooltip, named))

    def _make_room(self) -> None:
        """Put the legend beside the title where all of it fits, else below; say how many names do not fit."""
        metrics = self._title.fontMetrics()
        title = shown(self._spec.title)
        margin = _HEAD_MARGINS[0] + _HEAD_MARGINS[2]
        close = self._close.sizeHint().width() + _HEAD_GAP if not self._close.isHidden() else 0
        left = self.width() - margin - close - self._note.sizeHint().width() - 2 * _HEAD_GAP
        room = min(left, metrics.horizontalAdvance(title) + 2)
        self._title.setText(metrics.elidedText(title, Qt.TextElideMode.ElideRight, room))
        self._title.setToolTip(tip(title))
        if not self._figures.isHidden():
            self._key.hide()
            return
        self._key.show()
        widths = [entry.widths for entry in self._entries]
        whole = sum(name + rest for name, rest in widths)
        unnamed = len(self._curves) > len(self._entries)
        self._put_key(below=bool(widths) and (unnamed or whole > left - room))
        self._show_names(self.width() - margin if self._key_below else left - room)

    def _show_figures(self, when: float) -> None:
        tokens, at = self._theme.tokens, self._at
        rows = []
        for number, named in enumerate(self._curves[:_TABLED]):
            found = named.curve.summary(*self.plot.window_shown)
            first = found.last if math.isnan(when) else named.curve.value_at(when)
            numbers = (first, found.low, found.mean, found.high, found.p95)
            texts = tuple(format_value(value, named.unit) for value in numbers)
            rows.append(FigureRow(shown(named.name), tokens.curve(number), texts))
        head = "last" if math.isnan(when) else f"{at(round(when)):%H:%M:%S}"
        self._figures.show_figures(rows, len(self._curves) - len(rows), head)
        self.setMinimumHeight(_CARD_HEIGHT + self._figures.sizeHint().height())

    def _show_names(self, room: int) -> None:
        """As many names as there is room for, shortened where that helps; how many there are beside them."""
        widths = [entry.widths for entry in self._entries]
        more = self._more.fontMetrics().horizontalAdvance("+000")
        fitting, most = names_in(widths, room, more, unnamed=len(self._curves) > len(widths))
        for number, entry in enumerate(self._entries):
            entry.fit(most)
            entry.setVisible(number < fitting)
        hidden = len(self._curves) - fitting
        self._more.setText(f"+{hidden}")
        self._more.setVisible(hidden > 0)
        self._more.setToolTip(tip("\n".join(shown(named.name) for named in self._curves[fitting:])))

    def _put_key(self, *, below: bool) -> None:
        if below == self._key_below:
            return
        self._key_below = below
        self._head.removeWidget(self._key)
        if below:
            self._head.addWidget(self._key, 1, 0, 1, 4, Qt.AlignmentFlag.AlignLeft)
        else:
            self._head.addWidget(self._key, 0, 2, Qt.AlignmentFlag.AlignRight)

    def _dress(self) -> None:
        self._close.setIcon(self._theme.icons.get("close"))
        self._draw()
        self.show_values(math.nan)
