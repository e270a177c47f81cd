"""The pinned moment in a plot: a click pins it, keys move it from sample to sample, a flag tells its time."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QObject, QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractScrollArea

from viewmodels.curve import Curve
from viewmodels.sample_steps import nearest_instant, outer_instants, stepped_instant
from viewmodels.time_labels import Clock
from widgets.charts.drawing import PlotDrawing
from widgets.charts.moment_label import MomentLabel
from widgets.keys import KeyHandlers
from widgets.moment_keys import PIN, STEPS, WHILE_PINNED

_DRAG_PIXELS = 4
_SNAP_PIXELS = 12


class PlotPin(QObject):
    """Finds clicks and keys of a plot that pin a moment; it sees the plot's events before the plot does.

    Signal ``wanted`` carries the time to pin (ms), NaN to let go. It does not show the moment itself: the
    receiver calls ``show_moment`` on every plot.
    """

    wanted = Signal(float)

    def __init__(self, plot: QAbstractScrollArea, drawing: PlotDrawing) -> None:
        super().__init__(plot)
        self._plot, self._drawing = plot, drawing
        self._at = self._before = math.nan
        self._pressed: QPointF | None = None
        self._flag = MomentLabel(plot, drawing, "pinned")
        self._always = KeyHandlers((PIN,), {"pin": lambda _key: self._toggle()})
        self._while_pinned = KeyHandlers(
            WHILE_PINNED, {"step": self._step, "ten": self._step, "ends": self._to_end}
        )
        drawing.pin.when_moved(self._place_flag)
        plot.installEventFilter(self)
        plot.viewport().installEventFilter(self)

    @property
    def at(self) -> float:
        """The pinned moment in ms, NaN if there is none."""
        return self._at

    @property
    def in_sight(self) -> tuple[int, Clock] | None:
        """The pinned moment in ms, and the clock that shows it; None if it is not in the shown window."""
        start, end = self._drawing.window
        return (round(self._at), self._drawing.time_axis.clock) if start <= self._at <= end else None

    def show_moment(self, at: float) -> None:
        """Draw the pinned moment at the time ``at`` (ms); NaN draws none."""
        self._at = at
        self._drawing.pin.show_moment(at)
        self._place_flag()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Watch for clicks in the viewport and keys of the plot."""
        if isinstance(event, QMouseEvent) and watched is self._plot.viewport():
            self._watch_mouse(event)
        elif isinstance(event, QKeyEvent) and watched is self._plot:
            return self._watch_keys(event)
        return False

    def _watch_mouse(self, event: QMouseEvent) -> None:
        if event.type() == QEvent.Type.MouseButtonPress:
            is_plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
            is_left = event.button() == Qt.MouseButton.LeftButton
            self._pressed = event.position() if is_plain and is_left else None
        elif event.type() == QEvent.Type.MouseMove and self._pressed is not None:
            if (event.position() - self._pressed).manhattanLength() > _DRAG_PIXELS:
                self._pressed = None  # it is a drag
        elif event.type() == QEvent.Type.MouseButtonRelease and self._pressed is not None:
            self._pressed = None
            if self._drawing.contains(event.position()):
                self._before = self._at
                self.wanted.emit(float(self._sample_near(self._drawing.time_at(event.position()))))
        elif event.type() == QEvent.Type.MouseButtonDblClick:
            self._pressed = None
            self.wanted.emit(self._before)  # the first of the two clicks meant something else

    def _watch_keys(self, event: QKeyEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride:
            is_ours = self._is_pinned and self._while_pinned.has(event)
            if is_ours:
                event.accept()  # Home is a shortcut of the window
            return is_ours  # the scene would refuse it again
        if event.type() != QEvent.Type.KeyPress:
            return False
        return (self._is_pinned and self._while_pinned.press(event)) or self._always.press(event)

    @property
    def _is_pinned(self) -> bool:
        return not math.isnan(self._at)

    @property
    def _curves(self) -> list[Curve]:
        return [drawn.curve for drawn in self._drawing.curves]

    def _sample_near(self, when: float) -> int:
        """Return the sample nearest to ``when``, or ``when`` itself if no sample is near it on the screen."""
        start, end = self._drawing.window
        near = (end - start) / max(self._drawing.area.width(), 1) * _SNAP_PIXELS
        reach = max([near, *(curve.instants.interval_ms for curve in self._curves)])
        return nearest_instant([curve.x for curve in self._curves], when, reach)

    def _toggle(self) -> None:
        start, end = self._drawing.window
        self.wanted.emit(math.nan if self._is_pinned else float(self._sample_near((start + end) / 2)))

    def _step(self, key: str) -> None:
        at = stepped_instant([curve.x for curve in self._curves], self._at, STEPS[key])
        if at is not None:
            self.wanted.emit(float(at))

    def _to_end(self, key: str) -> None:
        ends = outer_instants([curve.x for curve in self._curves], *self._drawing.window)
        if ends is not None:
            self.wanted.emit(float(ends[key == "End"]))

    def _place_flag(self) -> None:
        self._flag.show_moment(self._at)
