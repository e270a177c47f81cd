"""A chart card: title, unit, legend with the values at the crosshair, and the plot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QSizePolicy, QVBoxLayout, QWidget

from resources.foreign_text import shown
from resources.units import format_value
from sessions.times import TimeRange
from viewmodels.chart_lines import nothing_to_draw
from viewmodels.chart_spec import ChartSpec
from viewmodels.curve import NamedCurve
from viewmodels.time_labels import Clock
from widgets.charts.apart import ApartLine
from widgets.charts.card_menu import CardMenu
from widgets.charts.curve_numbers import Moments, table_of, tooltip_of, values_of
from widgets.charts.curves_item import Drawn
from widgets.charts.figures import CurveFigures
from widgets.charts.folded_line import HEIGHT as LINE_HEIGHT
from widgets.charts.folded_line import FoldedLine
from widgets.charts.head import ChartHead
from widgets.charts.legend import Legend
from widgets.charts.pin_item import MAX_TAGS
from widgets.charts.plot import Plot
from widgets.context_menu import Entries
from widgets.dragging import Draggable, DropTarget
from widgets.theme import Theme

_CARD_HEIGHT = 160
_EDGE = 1
_UNLIMITED = 16_777_215  # what Qt takes for no limit


class ChartCard(QFrame):
    """One chart with its head, plot and context menu.

    Signals: ``closed``; ``dropped`` with the data of dropped series; ``copied`` with a message for the
    user; ``saved`` with a FileOffer; ``statistics`` with True or False when the menu shows or hides the
    table of numbers; ``opened`` when a summary is to be opened as a large chart; ``page_wanted`` with
    "copy" or "save" for a picture of all charts; ``move_wanted`` with −1 to stand above the chart before, 1
    to stand below the next one; ``explain_wanted`` when its counters are to be explained; ``moved_wanted``
    with the series of which is asked what moved with it; ``before_wanted`` when the shown time is to be
    compared with before. ``session`` is the name of the session, for pictures; ``more`` returns further
    entries of the menu about the entities of series.
    """

    closed = Signal()
    dropped = Signal(bytes)
    copied = Signal(str)
    saved = Signal(object)
    opened = Signal()
    statistics = Signal(bool)
    page_wanted = Signal(str)
    move_wanted = Signal(int)
    explain_wanted = Signal()
    moved_wanted = Signal(object)
    before_wanted = Signal()
    report_wanted = Signal()

    def __init__(self, theme: Theme, at: Clock, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._at = theme, at
        self._spec = ChartSpec("", "", ())
        self.session = ""
        self.is_summary = False
        self.more: Callable[[Sequence[int]], Entries] = lambda _series: ()
        self._moments = Moments()
        self._curves: Sequence[NamedCurve] = ()
        self.setProperty("role", "chart")
        DropTarget(self, self.dropped.emit)
        self.setMinimumWidth(280)
        self.setMinimumHeight(_CARD_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.head = ChartHead(Legend(self._dragged))
        self.head.close_button.clicked.connect(self.closed)
        self.plot = Plot(theme, at)
        self.plot.focused.connect(partial(_show_focus, self))
        self.plot.scaled.connect(self._show_unit)
        self.menu = CardMenu(self, theme)
        self.plot.menu_wanted.connect(self.menu.open_at)
        self.head.legend.entered.connect(self.plot.drawing.highlight)
        self.line = FoldedLine()
        self.line.clicked.connect(lambda _checked=False: self.unfold(on=True))
        self._chart = QWidget()
        whole = QVBoxLayout(self)
        whole.setContentsMargins(_EDGE, _EDGE, _EDGE, _EDGE)
        whole.setSpacing(0)
        whole.addWidget(self.line)
        whole.addWidget(self._chart)
        column = QVBoxLayout(self._chart)
        column.setContentsMargins(0, 0, 0, 3)
        column.setSpacing(0)
        column.addLayout(self.head)
        self.apart = ApartLine()
        column.addWidget(self.apart)
        self._figures = CurveFigures(theme)
        self._figures.entered.connect(self.plot.drawing.highlight)
        Draggable(self._figures, lambda at: self._dragged(self._figures.row_at(at.y())))
        self._figures.hide()
        column.addWidget(self._figures)
        column.addWidget(self.plot, 1)
        self._no_data = QLabel("", self.plot)
        self._no_data.setProperty("role", "muted")
        self._no_data.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._unfolded = False
        self._fold()
        theme.changed.connect(self._dress)
        self._dress()

    @property
    def curves(self) -> Sequence[NamedCurve]:
        """The curves that are drawn."""
        return self._curves

    @property
    def has_statistics(self) -> bool:
        """True if the table of statistics is shown."""
        return not self._figures.isHidden()

    @property
    def spec(self) -> ChartSpec:
        """The chart's title, unit, limits and bands."""
        return self._spec

    def show_chart(self, spec: ChartSpec, curves: Sequence[NamedCurve]) -> None:
        """Show this chart with these curves."""
        if (spec.series, spec.unit) != (self._spec.series, self._spec.unit):
            self.plot.navigation.fit_values()  # the user zoomed those of another chart
            self._unfolded = False
        self._spec, self._curves = spec, curves
        self.line.show_line(spec.line)
        self._fold()
        title = spec.shown_title
        self.head.set_title(title)
        self.setAccessibleName(f"Chart: {title}")
        self.plot.setAccessibleName(f"Plot of {title}: arrows move, plus and minus zoom")
        self._draw()
        self.show_values(self._moments)

    def set_clock(self, at: Clock) -> None:
        """Show times in another time zone."""
        self._at = at
        self.plot.drawing.time_axis.set_clock(at)
        self.plot.pin.show_moment(self.plot.pin.at)

    def become_summary(self) -> None:
        """Make this a small chart that can be opened as a large one (also with Enter) but not closed."""
        self.is_summary = True
        self.setAcceptDrops(False)
        self.head.close_button.hide()
        self.head.legend.hide_caption()
        self.head.grip.hide()

    def show_statistics(self, *, on: bool) -> None:
        """Show or hide the table with last, lowest, mean, highest and 95th percentile of each curve."""
        if on != self._figures.isHidden():
            return
        self._figures.setVisible(on)
        self.show_values(self._moments)

    @property
    def is_folded(self) -> bool:
        """True if a line of text stands for the chart."""
        return bool(self._spec.line) and not self._unfolded and not self.is_summary

    def unfold(self, *, on: bool) -> None:
        """Show the chart instead of its line (``on``), or the line again."""
        self._unfolded = on
        self._fold()
        (self.line if self.is_folded else self.plot).setFocus(Qt.FocusReason.OtherFocusReason)

    def _fold(self) -> None:
        folded, keys_at = self.is_folded, QApplication.focusWidget()
        has_keys = keys_at is not None and self.isAncestorOf(keys_at)
        self.line.setVisible(folded)
        self._chart.setVisible(not folded)
        if has_keys and keys_at is not None and not keys_at.isVisibleTo(self):
            (self.line if folded else self.plot).setFocus(Qt.FocusReason.OtherFocusReason)
        if not self.is_summary:  # whoever shows a summary says how high it is
            self.setMaximumHeight(LINE_HEIGHT + 2 if folded else _UNLIMITED)
        self._arrange_head()

    def focus_after(self, before: QWidget) -> QWidget:
        """Put this card after ``before`` in the Tab order; returns the card's last widget in that order."""
        self.setTabOrder(before, self.line)
        self.setTabOrder(self.line, self.plot)
        self.setTabOrder(self.plot, self.head.close_button)
        return self.head.close_button

    def show_values(self, moments: Moments) -> None:
        """Show the values at these moments in the legend; the last ones if no moment is in sight."""
        start, end = self.plot.window_shown
        self._moments, moments = moments, moments.of((start, end))
        legend, curves = self.head.legend, self._curves
        legend.show_caption(*moments.caption(self._at))
        values = values_of(curves, (start, end), moments.shown)
        beside = moments.has_both and len(curves) > MAX_TAGS
        pinned = values_of(curves, (start, end), moments.pinned) if beside else []
        for number, (entry, named) in enumerate(zip(legend.entries, curves, strict=False)):
            at_pin = format_value(pinned[number], named.unit) if beside else ""
            entry.show_value(format_value(values[number], named.unit), at_pin)
        if self.has_statistics:
            self._show_figures(moments)
        self._arrange_head()
        reason = nothing_to_draw(
            self._curves, TimeRange(round(start), max(round(start), round(end))), self._at
        )
        self._no_data.setText(reason)
        self._no_data.setVisible(bool(reason))
        self._no_data.adjustSize()
        self._no_data.move(self.plot.rect().center() - self._no_data.rect().center() - QPoint(0, 8))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Fit title and legend into the new width."""
        super().resizeEvent(event)
        self._arrange_head()

    def _dragged(self, number: int | None) -> tuple[Sequence[int], str]:
        """Return series ids and label of a curve, to be dragged onto another chart."""
        if number is None or number >= len(self._curves) or not self._curves[number].series:
            return (), ""
        return (self._curves[number].series,), shown(self._curves[number].full_name)

    def _show_unit(self) -> None:
        self.head.set_note(
            ", ".join(part for part in (self.plot.drawing.scale.unit_shown, self._spec.note) if part)
        )
        self._arrange_head()  # beside a longer unit there is less room

    def _draw(self) -> None:
        tokens = self._theme.tokens
        drawn = [
            Drawn(named.curve, tokens.curve(number), named.unit, named.apart)
            for number, named in enumerate(self._curves)
        ]
        self.plot.set_curves(drawn, self._spec.limits, self._spec.bands, self._spec.unit)
        self.apart.show_notes(self._curves)
        self._show_unit()
        self.head.legend.show_curves(
            self._curves,
            tokens,
            lambda named: tooltip_of(named, self.plot.window_shown, self.plot.pin.in_sight),
        )

    def _arrange_head(self) -> None:
        self.head.arrange(self.contentsRect().width() - 2 * _EDGE, has_legend=not self.has_statistics)
        beside = self._figures.sizeHint() if self.has_statistics else None
        more = self.head.legend.extra_height if beside is None else beside.height()
        more += 0 if self.apart.isHidden() else self.apart.sizeHint().height()
        if not self.is_summary:
            self.setMinimumHeight(LINE_HEIGHT + 2 if self.is_folded else _CARD_HEIGHT + more)

    def _show_figures(self, moments: Moments) -> None:
        heads, rows = table_of(self._curves, self.plot.window_shown, moments, self._theme.tokens, self._at)
        self._figures.show_figures(rows, len(self._curves) - len(rows), heads)

    def _dress(self) -> None:
        self.head.set_icons(self._theme.icons)
        self._draw()
        self.show_values(self._moments)


def _show_focus(card: QFrame, on: bool) -> None:
    card.setProperty("focused", on)
    card.style().polish(card)
