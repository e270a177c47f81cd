"""One plot: curves over time with limits, bands, marks and the crosshair; its window comes from outside."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPaintEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QLabel, QToolTip, QWidget

from resources.foreign_text import tip
from resources.units import rung_of
from sessions.model import Event, Mark
from sessions.times import TimeRange
from viewmodels.axis_events import AxisEvent, Track, event_label
from viewmodels.chart_spec import Band, Limit
from viewmodels.curve import Curve
from viewmodels.time_labels import Clock
from widgets.charts.axes import TimeAxis, ValueAxis, dress
from widgets.charts.curves_item import CurvesItem, Drawn
from widgets.charts.decorations import BandPart, Decorations, EventsPart, GridPart, LimitsPart
from widgets.theme import Theme, body_font

_WHEEL_STEP = 1.25
_DRAG_PIXELS = 4
_SETTLED_MS = 300  # a wheel or a pinch that pauses so long has ended: not every system says so
_HEADROOM = 1.12
_LIMIT_HEADROOM = 1.2  # the words of the highest limit stand above its line
_AXIS_PX = 11
_BOX_TINT = 0.16
_DAY_MS = 86_400_000
_MINIMUM_HEIGHT = 110
_NEAR = 4
_TIP_LINES = 8


class _ZoomBox(QWidget):
    """The stretch of time that a drag would zoom into: a thin tint between two lines."""

    def __init__(self, colour: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._colour = colour
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Draw it."""
        painter = QPainter(self)
        tint = QColor(self._colour)
        tint.setAlphaF(_BOX_TINT)
        painter.fillRect(self.rect(), tint)
        for x in (0, self.width() - 1):
            painter.fillRect(x, 0, 1, self.height(), QColor(self._colour))


class Plot(pg.GraphicsView):  # type: ignore[misc]
    """Signals: ``windowed(start, end, passing)`` in ms when the user pans or zooms; ``hovered(ms or nan)``.

    ``picked(ms)``: a click at a moment. ``unzoomed``: a double click wants the whole session.
    ``menu_wanted(QPoint)``: a right click that drew no box; where on the screen.
    ``focused``: keys come to it, or no longer. ``scaled``: its axis has another unit, ``unit_shown``.
    """

    windowed = Signal(float, float, bool)
    hovered = Signal(float)
    picked = Signal(float)
    unzoomed = Signal()
    menu_wanted = Signal(QPoint)
    focused = Signal(bool)
    scaled = Signal()

    def __init__(self, theme: Theme, at: Clock, parent: QWidget | None = None) -> None:
        super().__init__(parent, background=None)
        # The card takes what is dropped; Qt's graphics view warns where a drag was cut short.
        self.setAcceptDrops(False)
        self._theme = theme
        self._limits: Sequence[Limit] = ()
        self._bands: Sequence[Band] = ()
        self._events: Track[Event] = Track()
        self._marks: Track[Mark] = Track()
        self._curves: Sequence[Drawn] = ()
        self._unit = self.unit_shown = ""
        self._pointer: QPointF | None = None
        self._when = QLabel(self)
        self._when.setProperty("role", "moment")
        self._when.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._when.hide()
        self._grabbed: QPointF | None = None
        self._grabbed_window = (0.0, 1.0)
        self._moved = False
        self._box: _ZoomBox | None = None
        self._settled = QTimer(self, singleShot=True, interval=_SETTLED_MS)
        self._settled.timeout.connect(lambda: self.windowed.emit(*self.window_shown, False))
        self.time_axis, self.value_axis = TimeAxis(at), ValueAxis()
        # An axis and a view box side by side: pyqtgraph's PlotItem would make menus and buttons for 35 ms.
        self._box_view = pg.ViewBox(enableMenu=False)
        self._box_view.setMouseEnabled(x=False, y=False)
        self._box_view.setDefaultPadding(0)
        self._box_view.disableAutoRange()
        frame = pg.GraphicsLayout()
        frame.setContentsMargins(4, 6, 14, 0)
        frame.setSpacing(0)
        frame.addItem(self.value_axis, row=0, col=0)
        frame.addItem(self._box_view, row=0, col=1)
        frame.addItem(self.time_axis, row=1, col=1)
        for axis in (self.value_axis, self.time_axis):
            axis.linkToView(self._box_view)
        self._drawing = CurvesItem()
        self._box_view.addItem(self._drawing, ignoreBounds=True)
        self._cross = pg.InfiniteLine(angle=90, movable=False)
        self._cross.setZValue(5)
        self._cross.hide()
        self._box_view.addItem(self._cross, ignoreBounds=True)
        self._behind, self._before = Decorations(-10), Decorations(10)
        for item in (self._behind, self._before):
            self._box_view.addItem(item, ignoreBounds=True)
        self.setCentralItem(frame)
        self.setMouseTracking(True)
        self.setMinimumHeight(_MINIMUM_HEIGHT)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFrameShape(self.Shape.NoFrame)
        theme.changed.connect(self._dress)
        self._dress()

    def set_curves(
        self, curves: Sequence[Drawn], limits: Sequence[Limit], bands: Sequence[Band], unit: str = ""
    ) -> None:
        """Show these curves in ``unit``, with dashed lines at limits and tinted windows."""
        self._curves, self._unit = curves, unit
        self._drawing.set_curves(curves)
        if (tuple(limits), tuple(bands)) != (tuple(self._limits), tuple(self._bands)):
            self._limits, self._bands = limits, bands
            self._decorate()
        self._fit_values()

    def set_events(self, events: Track[Event], marks: Track[Mark]) -> None:
        """Show what happened, and marks, as thin vertical lines."""
        if events is not self._events or marks is not self._marks:
            self._events, self._marks = events, marks
            self._decorate()

    def set_window(self, start: float, end: float) -> None:
        """Show this stretch of time, ms."""
        if end > start and [start, end] != self._box_view.viewRange()[0]:
            self._box_view.setXRange(start, end, padding=0)
            self._fit_values()
            if self._pointer is not None:  # the mouse is over another moment now
                self.hovered.emit(self._time_of(self._pointer))

    def show_cross(self, when: float) -> None:
        """Put the crosshair at a moment, which the plot under the mouse names; NaN hides it."""
        self._cross.setVisible(not math.isnan(when))
        if not math.isnan(when):
            self._cross.setPos(when)
        self._say_when(when)

    def highlight(self, number: int | None) -> None:
        """Let one curve stand out."""
        self._drawing.highlight(number)

    def show_times(self, shown: bool) -> None:
        """Whether the labels of the time axis are shown."""
        self.time_axis.setStyle(showValues=shown)

    @property
    def window_shown(self) -> tuple[float, float]:
        """The stretch of time that is shown, ms."""
        start, end = self._box_view.viewRange()[0]
        return float(start), float(end)

    @property
    def curves(self) -> Sequence[Curve]:
        """The curves that are drawn, in order."""
        return [drawn.curve for drawn in self._curves]

    # -- the user

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        """Zoom around the cursor; sideways or with Shift, move. A run of steps is one step of the history."""
        across, up = event.angleDelta().x(), event.angleDelta().y()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier or abs(across) > abs(up):
            self._move((across or up) / 120 * -0.1, passing=True)
        elif event.modifiers() & Qt.KeyboardModifier.ControlModifier or self._over_plot(event.position()):
            self._zoom(_WHEEL_STEP ** (-up / 120), self._time_of(event.position()), passing=True)
        event.accept()

    def viewportEvent(self, event: QEvent) -> bool:  # noqa: N802
        """Pinching on a touchpad zooms; tooltips say what happened under the mouse."""
        if isinstance(event, QNativeGestureEvent):
            event.accept()  # else the widgets around it get it, too
            if event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture:
                factor = 1 / min(max(1 + event.value(), 0.1), 10.0)
                self._zoom(factor, self._time_of(event.position()), passing=True)
            return True
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            text = self._words_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), tip(text) if text else "", self)
            return True
        return bool(super().viewportEvent(event))

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Left: drag the time; with Shift, or right: draw a box to zoom into."""
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self._grabbed, self._moved = event.position(), False
        self._grabbed_window = self.window_shown
        shift = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        if event.button() == Qt.MouseButton.RightButton or shift:
            self._box = _ZoomBox(self._theme.tokens.accent, self)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Drag, or let the crosshair follow."""
        self._pointer = event.position()
        self.hovered.emit(self._time_of(event.position()))
        if self._grabbed is None:
            return
        across = event.position().x() - self._grabbed.x()
        self._moved = self._moved or abs(across) > _DRAG_PIXELS
        if not self._moved:
            return
        if self._box is not None:
            left, right = sorted((self._grabbed.x(), event.position().x()))
            area = self._plot_rect()
            self._box.setGeometry(int(left), int(area.top()), int(right - left), int(area.height()))
            self._box.show()
            return
        start, end = self._grabbed_window
        by = -across * (end - start) / max(self._plot_rect().width(), 1)
        self.windowed.emit(start + by, end + by, True)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Let go: the box becomes the window; a click picks a moment."""
        grabbed, self._grabbed = self._grabbed, None
        if self._box is not None:
            self._box.hide()
            self._box.deleteLater()
            self._box = None
            if self._moved and grabbed is not None:
                start, end = sorted((self._time_of(grabbed), self._time_of(event.position())))
                self.windowed.emit(start, end, False)
            elif event.button() == Qt.MouseButton.RightButton:
                self.menu_wanted.emit(event.globalPosition().toPoint())
            return
        if self._moved:
            self.windowed.emit(*self.window_shown, False)
        elif grabbed is not None and event.button() == Qt.MouseButton.LeftButton:
            self.picked.emit(self._time_of(event.position()))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        """The menu key's menu is the card's; the mouse's waits whether a box is drawn, on every system."""
        event.setAccepted(event.reason() == QContextMenuEvent.Reason.Mouse)

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:  # noqa: N802
        """Back to the whole session."""
        self._grabbed = None
        self.unzoomed.emit()

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802
        """The crosshair goes with the mouse."""
        self._pointer = None
        self.hovered.emit(math.nan)
        super().leaveEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """Its card shows that keys come here."""
        super().focusInEvent(event)
        self.focused.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """And that they do no longer."""
        super().focusOutEvent(event)
        self.focused.emit(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Arrows move, plus and minus zoom: the same as the wheel, for hands on the keyboard."""
        moves = {Qt.Key.Key_Left: -0.2, Qt.Key.Key_Right: 0.2}
        zooms = {
            Qt.Key.Key_Plus: 1 / _WHEEL_STEP,
            Qt.Key.Key_Equal: 1 / _WHEEL_STEP,
            Qt.Key.Key_Minus: _WHEEL_STEP,
        }
        key = Qt.Key(event.key())
        if key in moves and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            self._move(moves[key])
        elif key in zooms:
            self._zoom(zooms[key], sum(self.window_shown) / 2)
        else:
            event.ignore()

    def _words_at(self, position: QPointF) -> str:
        """What began near, and at the top what lasted."""
        if not self._over_plot(position):
            return ""
        near = TimeRange(*(int(self._time_of(position + QPointF(by, 0))) for by in (-_NEAR, _NEAR)))
        lasting = position.y() <= self._plot_rect().top() + _NEAR
        found: list[AxisEvent] = [*self._marks.near(near, _TIP_LINES), *self._events.near(near, _TIP_LINES)]
        there = [one for one in found if lasting or near.contains(one.at)]
        return "\n".join(event_label(one, self.time_axis.clock) for one in there[:_TIP_LINES])

    # -- geometry

    def _move(self, part: float, *, passing: bool = False) -> None:
        start, end = self.window_shown
        by = (end - start) * part
        self._ask(start + by, end + by, passing=passing)

    def _zoom(self, factor: float, around: float, *, passing: bool = False) -> None:
        start, end = self.window_shown
        self._ask(around - (around - start) * factor, around + (end - around) * factor, passing=passing)

    def _ask(self, start: float, end: float, *, passing: bool) -> None:
        if passing:
            self._settled.start()
        self.windowed.emit(start, end, passing)

    def _say_when(self, when: float) -> None:
        """The crosshair's moment, on the time axis."""
        self._when.setVisible(self._pointer is not None and not math.isnan(when))
        if self._when.isHidden():
            return
        (start, end), area = self.window_shown, self._plot_rect()
        form = "%d %b %H:%M:%S" if end - start > _DAY_MS else "%H:%M:%S"
        self._when.setText(self.time_axis.clock(round(when)).strftime(form))
        self._when.adjustSize()
        middle = area.left() + (when - start) / max(end - start, 1) * area.width()
        left = min(max(middle - self._when.width() / 2, area.left()), area.right() - self._when.width())
        self._when.move(round(left), round(area.bottom()) + 2)

    def _plot_rect(self) -> QRectF:
        return QRectF(self._box_view.sceneBoundingRect())

    def _over_plot(self, position: QPointF) -> bool:
        return self._plot_rect().contains(self.mapToScene(position.toPoint()))

    def _time_of(self, position: QPointF) -> float:
        area = self._plot_rect()
        start, end = self.window_shown
        part = (position.x() - area.left()) / max(area.width(), 1)
        return start + min(max(part, 0.0), 1.0) * (end - start)

    def _fit_values(self) -> None:
        """The value axis from 0 (or below) to a little above what is visible and the limits near it."""
        start, end = self.window_shown
        bounds = [drawn.curve.bounds(start, end) for drawn in self._curves]
        lows = [low for low, _ in bounds if not math.isnan(low)]
        highs = [high for _, high in bounds if not math.isnan(high)]
        high = max(highs, default=1.0)
        near = [limit.value for limit in self._limits if limit.value <= max(high, 1e-9) * 4]
        top = max([high, *near, *([min(limit.value for limit in self._limits)] if self._limits else [])])
        low = min([0.0, *lows])
        top = top if top > low else low + 1.0
        room = _LIMIT_HEADROOM if top in near else _HEADROOM
        self._box_view.setYRange(low, low + (top - low) * room, padding=0)
        self.scene().prepareForPaint()  # else pyqtgraph does so in its paint event, and all is painted twice
        size, name = rung_of(top, self._unit)
        if name != self.unit_shown:
            self.unit_shown = name
            self.value_axis.setScale(1 / size)
            self.scaled.emit()

    # -- looks

    def _dress(self) -> None:
        tokens = self._theme.tokens
        self.setBackground(tokens.surface1)
        font = body_font(_AXIS_PX)
        for axis in (self.time_axis, self.value_axis):
            dress(axis, tokens, font)
        self._cross.setPen(pg.mkPen(tokens.muted, width=1))
        self._decorate()

    def _decorate(self) -> None:
        tokens, font = self._theme.tokens, body_font(_AXIS_PX)
        self._behind.set_parts(
            [
                *(BandPart(band.window, tokens.health(band.severity)) for band in self._bands),
                GridPart(self.value_axis, tokens.line),
                EventsPart(self._events, tokens.faint, dotted=True),
                EventsPart(self._marks, tokens.accent, dotted=False),
            ]
        )
        ordered = sorted(self._limits, key=lambda limit: -limit.value)
        self._before.set_parts(
            [LimitsPart([(limit, tokens.health(limit.severity)) for limit in ordered], font, tokens.surface1)]
        )
