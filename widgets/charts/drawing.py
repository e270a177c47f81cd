"""Everything that a plot draws: axes, curves, limits, bands, events, marks, crosshair; and conversions of
positions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF

from resources.units import readable_unit
from sessions.model import Event, Mark
from sessions.times import TimeRange
from viewmodels.axis_events import AxisEvent, Track, event_label
from viewmodels.chart_spec import Band, Limit
from viewmodels.time_labels import Clock
from widgets.charts.axes import TimeAxis, ValueAxis, apply_theme
from widgets.charts.curves_item import CurvesItem, Drawn
from widgets.charts.decorations import BandPart, Decorations, EventsPart, GridPart, LimitsPart, Part
from widgets.charts.pin_part import PinPart
from widgets.theme import Tokens, body_font

_HEADROOM = 1.12
_LIMIT_HEADROOM = 1.2  # the words of the highest limit stand above its line
_AXIS_PX = 11
_NEAR = 4
_MIN_SPAN, _MAX_SPAN = 1e-9, 1e18  # of the value axis: the smallest beside its values, and the largest
_HOVER_DASH = (3, 3)  # the pinned moment's line is solid
_MAX_TIP_LINES = 8


class PlotDrawing:
    """The content of a plot's graphics view. Its window is set from outside; its value axis fits the
    curves.
    """

    def __init__(self, view: pg.GraphicsView, clock: Clock, tokens: Tokens) -> None:
        self._tokens = tokens
        self._limits: Sequence[Limit] = ()
        self._bands: Sequence[Band] = ()
        self._events: Track[Event] = Track()
        self._marks: Track[Mark] = Track()
        self._pin = math.nan
        self.curves: Sequence[Drawn] = ()
        self._unit = self.unit_shown = ""
        self._values: tuple[float, float] | None = None
        self.time_axis, self.value_axis = TimeAxis(clock), ValueAxis()
        # An axis and a view box side by side: pyqtgraph's PlotItem would make menus and buttons for 35 ms.
        self._box = pg.ViewBox(enableMenu=False)
        self._box.setMouseEnabled(x=False, y=False)
        self._box.setDefaultPadding(0)
        self._box.disableAutoRange()
        frame = pg.GraphicsLayout()
        frame.setContentsMargins(4, 6, 14, 0)
        frame.setSpacing(0)
        frame.addItem(self.value_axis, row=0, col=0)
        frame.addItem(self._box, row=0, col=1)
        frame.addItem(self.time_axis, row=1, col=1)
        for axis in (self.value_axis, self.time_axis):
            axis.linkToView(self._box)
        self._drawing = CurvesItem()
        self._box.addItem(self._drawing, ignoreBounds=True)
        self._cross = pg.InfiniteLine(angle=90, movable=False)
        self._cross.setZValue(5)
        self._cross.hide()
        self._box.addItem(self._cross, ignoreBounds=True)
        self._behind, self._before = Decorations(-10), Decorations(10)
        for item in (self._behind, self._before):
            self._box.addItem(item, ignoreBounds=True)
        view.setCentralItem(frame)
        self._view = view
        self.apply_theme(tokens)

    def set_curves(
        self, curves: Sequence[Drawn], limits: Sequence[Limit], bands: Sequence[Band], unit: str
    ) -> None:
        """Draw these curves in ``unit``, with limits as dashed lines and bands as tinted windows."""
        self.curves, self._unit = curves, unit
        self._drawing.set_curves(curves)
        if (tuple(limits), tuple(bands)) != (tuple(self._limits), tuple(self._bands)):
            self._limits, self._bands = limits, bands
            self._decorate()
        elif not math.isnan(self._pin):
            self._decorate_before()
        self._fit_values()

    def set_events(self, events: Track[Event], marks: Track[Mark]) -> None:
        """Draw events and marks as thin vertical lines."""
        if events is not self._events or marks is not self._marks:
            self._events, self._marks = events, marks
            self._decorate()

    def set_window(self, start: float, end: float) -> bool:
        """Draw the time from ``start`` to ``end`` (ms); returns False if it is drawn already."""
        if end <= start or [start, end] == self._box.viewRange()[0]:
            return False
        self._box.setXRange(start, end, padding=0)
        self._fit_values()
        return True

    def show_cross(self, when: float) -> None:
        """Move the crosshair to the time ``when`` (ms); NaN hides it."""
        self._cross.setVisible(not math.isnan(when))
        if not math.isnan(when):
            self._cross.setPos(when)

    def show_pin(self, at: float) -> None:
        """Draw the pinned moment at the time ``at`` (ms), with each curve's value; NaN draws none."""
        if at != self._pin and not (math.isnan(at) and math.isnan(self._pin)):
            self._pin = at
            self._decorate_before()

    def when_moved(self, slot: Callable[[], None]) -> None:
        """Call ``slot`` whenever another window is shown or the plot has another size."""
        self._box.sigResized.connect(lambda _box: slot())
        self._box.sigXRangeChanged.connect(lambda _box, _range: slot())

    def highlight(self, number: int | None) -> None:
        """Draw curve ``number`` on top and the others faint; None draws all alike."""
        self._drawing.highlight(number)

    @property
    def window(self) -> tuple[float, float]:
        """Start and end of the shown window in ms."""
        start, end = self._box.viewRange()[0]
        return float(start), float(end)

    @property
    def area(self) -> QRectF:
        """The rectangle of the curves in pixels: the plot without its axes."""
        return QRectF(self._box.sceneBoundingRect())

    def contains(self, position: QPointF) -> bool:
        """Return True if a point of the view is over the curves."""
        return self.area.contains(self._view.mapToScene(position.toPoint()))

    def time_at(self, position: QPointF) -> float:
        """Return the time (ms) at a point of the view, limited to the window."""
        start, end = self.window
        part = (position.x() - self.area.left()) / max(self.area.width(), 1)
        return start + min(max(part, 0.0), 1.0) * (end - start)

    def label_at(self, position: QPointF) -> str:
        """Return the texts of events near a point, one line each; at the top, also of those that last
        there.
        """
        near = TimeRange(*(int(self.time_at(position + QPointF(by, 0))) for by in (-_NEAR, _NEAR)))
        at_the_top = position.y() <= self.area.top() + _NEAR
        marks, events = self._marks.near(near, _MAX_TIP_LINES), self._events.near(near, _MAX_TIP_LINES)
        found: list[AxisEvent] = [*marks, *events]
        labelled = [one for one in found if at_the_top or near.contains(one.at)]
        return "\n".join(event_label(one, self.time_axis.clock) for one in labelled[:_MAX_TIP_LINES])

    def apply_theme(self, tokens: Tokens) -> None:
        """Use the colours of a theme."""
        self._tokens = tokens
        font = body_font(_AXIS_PX)
        for axis in (self.time_axis, self.value_axis):
            apply_theme(axis, tokens, font)
        self._mark_axis()
        self._cross.setPen(pg.mkPen(tokens.muted, width=1, dash=_HOVER_DASH))
        self._decorate()

    @property
    def values_zoomed(self) -> bool:
        """True if the user zoomed the value axis: it doesn't fit the curves by itself then."""
        return self._values is not None

    @property
    def values(self) -> tuple[float, float]:
        """The lowest and highest value that the axis shows."""
        low, high = self._box.viewRange()[1]
        return float(low), float(high)

    def value_at(self, position: QPointF) -> float:
        """Return the value at a point of the view, limited to those that are shown."""
        low, high = self.values
        part = (self.area.bottom() - position.y()) / max(self.area.height(), 1)
        return low + min(max(part, 0.0), 1.0) * (high - low)

    def zoom_values(self, factor: float, around: float | None = None) -> None:
        """Show a range of values larger by ``factor``, around a value (None: the lowest one shown)."""
        low, high = self.values
        kept = low if around is None else around
        wanted = kept - (kept - low) * factor, kept + (high - kept) * factor
        if _MIN_SPAN * max(abs(wanted[0]), abs(wanted[1])) < wanted[1] - wanted[0] < _MAX_SPAN:
            self._values = wanted
            self._fit_values()
            self._mark_axis()

    def fit_values(self) -> None:
        """Let the value axis fit the curves again."""
        if self._values is not None:
            self._values = None
            self._fit_values()
            self._mark_axis()

    def _mark_axis(self) -> None:
        """Show the value axis in another colour while it is zoomed."""
        tokens = self._tokens
        self.value_axis.setTextPen(pg.mkPen(tokens.accent if self.values_zoomed else tokens.muted))

    def _fit_values(self) -> None:
        """Fit the value axis: from 0 (or below) to a little above the visible values and limits near them."""
        start, end = self.window
        bounds = [drawn.curve.bounds(start, end) for drawn in self.curves]
        lows = [low for low, _ in bounds if not math.isnan(low)]
        highs = [high for _, high in bounds if not math.isnan(high)]
        high = max(highs, default=1.0)
        near = [limit.value for limit in self._limits if limit.value <= max(high, 1e-9) * 4]
        top = max([high, *near, *([min(limit.value for limit in self._limits)] if self._limits else [])])
        low = min([0.0, *lows])
        top = top if top > low else low + 1.0
        room = _LIMIT_HEADROOM if top in near else _HEADROOM
        shown = self._values or (low, low + (top - low) * room)
        self._box.setYRange(*shown, padding=0)
        # Else pyqtgraph moves its items within the paint event, and all is painted twice.
        self._view.scene().prepareForPaint()
        size, name = readable_unit(top if self._values is None else max(map(abs, shown)), self._unit)
        if name != self.unit_shown:
            self.unit_shown = name
            self.value_axis.setScale(1 / size)

    def _decorate(self) -> None:
        tokens = self._tokens
        self._behind.set_parts(
            [
                *(BandPart(band.window, tokens.health(band.severity)) for band in self._bands),
                GridPart(self.value_axis, tokens.line),
                EventsPart(self._events, tokens.faint, dotted=True),
                EventsPart(self._marks, tokens.accent, dotted=False),
            ]
        )
        self._decorate_before()

    def _decorate_before(self) -> None:
        tokens, font = self._tokens, body_font(_AXIS_PX)
        ordered = sorted(self._limits, key=lambda limit: -limit.value)
        limits = [(limit, tokens.health(limit.severity)) for limit in ordered]
        parts: list[Part] = [LimitsPart(limits, font, tokens.surface1)]
        if not math.isnan(self._pin):
            parts.append(PinPart(self._pin, self.curves, font, tokens.text, tokens.surface1))
        self._before.set_parts(parts)
