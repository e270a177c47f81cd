"""A plot: curves over time; mouse, touchpad and keys request other windows to pan and zoom."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, Signal
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
from PySide6.QtWidgets import QToolTip, QWidget

from resources.foreign_text import tooltip_text
from sessions.model import Event, Mark
from viewmodels.axis_events import Track
from viewmodels.chart_spec import Band, Limit
from viewmodels.curve import Curve
from viewmodels.time_labels import Clock
from widgets.charts.curves_item import Drawn
from widgets.charts.drawing import PlotDrawing
from widgets.charts.moment_label import MomentLabel
from widgets.charts.navigation import KEYS as NAVIGATION_KEYS
from widgets.charts.navigation import Navigation
from widgets.charts.pin import PlotPin
from widgets.charts.zoom_controls import ZoomControls
from widgets.keys import KeyHandlers
from widgets.moment_keys import KEYS as PIN_KEYS
from widgets.theme import Theme

KEYS = (*NAVIGATION_KEYS, *PIN_KEYS)
_DRAG_PIXELS = 4
_BOX_TINT = 0.16
_MIN_HEIGHT = 110


class _ZoomBox(QWidget):
    """The box that a drag draws: the window to zoom into."""

    def __init__(self, colour: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._colour = colour
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Draw a thin tint between two lines."""
        painter = QPainter(self)
        tint = QColor(self._colour)
        tint.setAlphaF(_BOX_TINT)
        painter.fillRect(self.rect(), tint)
        for x in (0, self.width() - 1):
            painter.fillRect(x, 0, 1, self.height(), QColor(self._colour))


class Plot(pg.GraphicsView):  # type: ignore[misc]
    """The plot of one chart.

    Signals: ``windowed(start, end, passing)`` in ms when the user pans or zooms; ``hovered`` with the time
    under the mouse in ms, NaN when it leaves; ``unzoomed`` for the whole session; ``menu_wanted`` with the
    screen position of a right click that drew no box; ``focused`` with True or False; ``scaled`` when the
    value axis has another unit or is zoomed.
    """

    windowed = Signal(float, float, bool)
    hovered = Signal(float)
    unzoomed = Signal()
    menu_wanted = Signal(QPoint)
    focused = Signal(bool)
    scaled = Signal()

    def __init__(self, theme: Theme, at: Clock, parent: QWidget | None = None) -> None:
        super().__init__(parent, background=None)
        # The card takes what is dropped; Qt's graphics view warns where a drag was cut short.
        self.setAcceptDrops(False)
        self._theme = theme
        self.drawing = PlotDrawing(self, at, theme.tokens)
        self.navigation = Navigation(
            self.drawing, self.windowed.emit, self.unzoomed.emit, self.scaled.emit, self
        )
        self._keys = KeyHandlers(NAVIGATION_KEYS, self.navigation.handlers())
        self.controls = ZoomControls(self, self.drawing, self.navigation, theme)
        self.scaled.connect(self.controls.renew)
        self._pointer: QPointF | None = None
        self.pin = PlotPin(self, self.drawing)
        self.moment = MomentLabel(self, self.drawing)
        self._grabbed: QPointF | None = None
        self._grabbed_window = (0.0, 1.0)
        self._moved = False
        self._box: _ZoomBox | None = None
        self.setMouseTracking(True)
        self.setMinimumHeight(_MIN_HEIGHT)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFrameShape(self.Shape.NoFrame)
        theme.changed.connect(self._dress)
        self._dress()

    def set_curves(
        self, curves: Sequence[Drawn], limits: Sequence[Limit], bands: Sequence[Band], unit: str = ""
    ) -> None:
        """Show these curves in ``unit``, with limits as dashed lines and bands as tinted windows."""
        before = self.drawing.scale.unit_shown
        self.drawing.set_curves(curves, limits, bands, unit)
        self._tell_unit(before)

    def set_events(self, events: Track[Event], marks: Track[Mark]) -> None:
        """Show events and marks as thin vertical lines."""
        self.drawing.set_events(events, marks)

    def set_window(self, start: float, end: float) -> None:
        """Show the time from ``start`` to ``end`` (ms)."""
        before = self.drawing.scale.unit_shown
        if self.drawing.set_window(start, end):
            self._tell_unit(before)
            if self._pointer is not None:  # the mouse is over another moment now
                self.hovered.emit(self.drawing.time_at(self._pointer))

    def show_cross(self, when: float) -> None:
        """Move the crosshair to the time ``when`` (ms), with its label if the mouse is here; NaN hides it."""
        self.drawing.show_cross(when)
        self.moment.show_moment(when if self._pointer is not None else math.nan)
        self.moment.raise_()  # over the flag of the pinned moment

    @property
    def window_shown(self) -> tuple[float, float]:
        """Start and end of the shown window in ms."""
        return self.drawing.window

    @property
    def curves(self) -> Sequence[Curve]:
        """The curves that are drawn, in order."""
        return [drawn.curve for drawn in self.drawing.curves]

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        """Zoom with Ctrl or Shift; a turn without them scrolls the charts."""
        self.navigation.turn(event)

    def viewportEvent(self, event: QEvent) -> bool:  # noqa: N802
        """Zoom on a pinch of the touchpad; show tooltips with the events under the mouse."""
        if isinstance(event, QNativeGestureEvent):
            event.accept()  # else the widgets around it get it, too
            if event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture:
                self.navigation.pinch(event.value(), event.position())
            return True
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            position = QPointF(event.pos())
            text = self.drawing.label_at(position) if self.drawing.contains(position) else ""
            QToolTip.showText(event.globalPos(), tooltip_text(text), self)
            return True
        return bool(super().viewportEvent(event))

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Begin a drag: with the left button pan; with Shift or the right button draw a zoom box."""
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self._grabbed, self._moved = event.position(), False
        self._grabbed_window = self.window_shown
        shift = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        if event.button() == Qt.MouseButton.RightButton or shift:
            self._box = _ZoomBox(self._theme.tokens.accent, self)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Pan or draw the zoom box while dragging, else move the crosshair."""
        self._pointer = event.position()
        self.hovered.emit(self.drawing.time_at(event.position()))
        if self._grabbed is None:
            return
        across = event.position().x() - self._grabbed.x()
        self._moved = self._moved or abs(across) > _DRAG_PIXELS
        if not self._moved:
            return
        if self._box is not None:
            left, right = sorted((self._grabbed.x(), event.position().x()))
            area = self.drawing.area
            self._box.setGeometry(int(left), int(area.top()), int(right - left), int(area.height()))
            self._box.show()
            return
        start, end = self._grabbed_window
        by = -across * (end - start) / max(self.drawing.area.width(), 1)
        self.windowed.emit(start + by, end + by, True)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """End the drag: a zoom box becomes the window; a right click without a box opens the menu."""
        grabbed, self._grabbed = self._grabbed, None
        if self._box is not None:
            self._box.hide()
            self._box.deleteLater()
            self._box = None
            if self._moved and grabbed is not None:
                start, end = sorted((self.drawing.time_at(grabbed), self.drawing.time_at(event.position())))
                self.windowed.emit(start, end, False)
            elif event.button() == Qt.MouseButton.RightButton:
                self.menu_wanted.emit(event.globalPosition().toPoint())
            return
        if self._moved:
            self.windowed.emit(*self.window_shown, False)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        """Pass on the menu key; the mouse's menu opens on release, when it is clear that no box was drawn."""
        event.setAccepted(event.reason() == QContextMenuEvent.Reason.Mouse)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Request the whole session; on the value axis, fit the values."""
        self._grabbed = None
        if event.position().x() < self.drawing.area.left():
            self.navigation.fit_values()
        else:
            self.unzoomed.emit()

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802
        """Hide the crosshair."""
        self._pointer = None
        self.hovered.emit(math.nan)
        super().leaveEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """Emit ``focused``: the card shows that keys come here."""
        super().focusInEvent(event)
        self.focused.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """Emit ``focused`` with False."""
        super().focusOutEvent(event)
        self.focused.emit(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Pan and zoom with the keys of the table, as the wheel does."""
        if not self._keys.press(event):
            event.ignore()

    def _tell_unit(self, before: str) -> None:
        if self.drawing.scale.unit_shown != before:
            self.scaled.emit()

    def _dress(self) -> None:
        self.setBackground(self._theme.tokens.surface1)
        self.drawing.apply_theme(self._theme.tokens)
