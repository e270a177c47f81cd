"""Everything that a plot draws: axes, curves, limits, bands, events, marks, crosshair; and conversions of
positions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF

from sessions.model import Event, Mark
from sessions.times import TimeRange
from viewmodels.axis_events import AxisEvent, Track, event_label
from viewmodels.chart_spec import Band, Limit
from viewmodels.time_labels import Clock
from widgets.charts.apart import ApartPart
from widgets.charts.axes import TimeAxis, ValueAxis, apply_theme
from widgets.charts.curves_item import CurvesItem, Drawn
from widgets.charts.decorations import BandPart, Decorations, EventsPart, GridPart, LimitsPart
from widgets.charts.flags import FLAGS_PX, FlagsPart
from widgets.charts.pin_item import PinItem
from widgets.charts.value_scale import ValueScale, fitting_values
from widgets.theme import Tokens, body_font

_AXIS_PX = 11
_NEAR = 4
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
        self.curves: Sequence[Drawn] = ()
        self._unit = ""
        self.time_axis, self.value_axis = TimeAxis(clock), ValueAxis()
        # An axis and a view box side by side: pyqtgraph's PlotItem would make menus and buttons for 35 ms.
        self._box = pg.ViewBox(enableMenu=False)
        self._box.setMouseEnabled(x=False, y=False)
        self._box.setDefaultPadding(0)
        self._box.disableAutoRange()
        self.scale = ValueScale(self._box, self.value_axis)
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
        self.pin = PinItem(self._box)
        view.setCentralItem(frame)
        self._view = view
        self.apply_theme(tokens)

    def set_curves(
        self, curves: Sequence[Drawn], limits: Sequence[Limit], bands: Sequence[Band], unit: str
    ) -> None:
        """Draw these curves in ``unit``, with limits as dashed lines and bands as tinted windows."""
        were_apart = any(drawn.apart for drawn in self.curves)
        self.curves, self._unit = curves, unit
        self._drawing.set_curves(curves)
        are_apart = were_apart or any(drawn.apart for drawn in curves)
        if are_apart or (tuple(limits), tuple(bands)) != (tuple(self._limits), tuple(self._bands)):
            self._limits, self._bands = limits, bands
            self._decorate()
        self.pin.set_curves(curves)
        self._fit_values()

    def set_events(self, events: Track[Event], marks: Track[Mark]) -> None:
        """Draw events and marks as thin vertical lines, with their words at the top."""
        if events is not self._events or marks is not self._marks:
            self._events, self._marks = events, marks
            self._decorate()
            self._fit_values()

    @property
    def tracks(self) -> tuple[Track[Event], Track[Mark]]:
        """The events and marks that are drawn."""
        return self._events, self._marks

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
        named = self._flags.at(position)
        if named is not None:
            return event_label(named, self.time_axis.clock)
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
        self.scale.apply_theme(tokens)
        self._cross.setPen(pg.mkPen(tokens.muted, width=1, dash=_HOVER_DASH))
        self.pin.apply_theme(tokens)
        self._decorate()

    def zoom_values(self, factor: float, around: float | None = None) -> None:
        """Show a range of values larger by ``factor``, around a value (None: the lowest one shown)."""
        if self.scale.zoom(factor, around):
            self._fit_values()

    def fit_values(self) -> None:
        """Let the value axis fit the curves again."""
        if self.scale.release():
            self._fit_values()

    def _fit_values(self) -> None:
        """Fit the value axis to the curves, unless the user zoomed it, with room for words at the top."""
        start, end = self.window
        seen = TimeRange(int(start), max(int(end), int(start)))
        has_words = bool(self._marks.near(seen, 1) or self._events.near(seen, 1))
        room = FLAGS_PX / max(self.area.height(), 1) if has_words else 0.0
        curves = [drawn.curve for drawn in self.curves]
        self.scale.show(fitting_values(curves, self._limits, (start, end), room), self._unit)
        # Else pyqtgraph moves its items within the paint event, and all is painted twice.
        self._view.scene().prepareForPaint()

    def _decorate(self) -> None:
        tokens = self._tokens
        self._behind.set_parts(
            [
                *(BandPart(band.window, tokens.health(band.severity)) for band in self._bands),
                GridPart(self.value_axis, tokens.line),
                *(ApartPart(one, drawn.colour) for drawn in self.curves for one in drawn.apart),
                EventsPart(self._events, tokens.faint, dotted=True),
                EventsPart(self._marks, tokens.accent, dotted=False),
            ]
        )
        font = body_font(_AXIS_PX)
        ordered = sorted(self._limits, key=lambda limit: -limit.value)
        limits = [(limit, tokens.health(limit.severity)) for limit in ordered]
        self._flags = FlagsPart(self._marks, self._events, font, tokens.accent, tokens.muted, tokens.surface2)
        self._before.set_parts([LimitsPart(limits, font, tokens.surface1), self._flags])
