"""What wheel, touchpad and keys do in a plot: move and zoom in time, zoom the value axis."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QPointF, Qt, QTimer
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QWidget

from widgets.charts.drawing import PlotDrawing
from widgets.keys import KeyRow

KEYS = (
    KeyRow("left", "Move in time", ("Left", "Right", "Ctrl+Left", "Ctrl+Right")),
    KeyRow("zoom", "Zoom in and out in time", ("+", "=", "-")),
    KeyRow("values", "Zoom the value axis in and out", ("Shift+Up", "Shift+Down")),
    KeyRow("fit", "The whole session, all values", ("0",)),
    KeyRow("fit_values", "Fit the value axis to what is shown", ("Y",)),
)
STEP = 1.25
"""How much longer or shorter a window gets by a step of the wheel, or a key."""
_MOVES = {"Left": -0.2, "Right": 0.2, "Ctrl+Left": -0.2, "Ctrl+Right": 0.2}
_FACTORS = {"+": 1 / STEP, "=": 1 / STEP, "-": STEP, "Shift+Up": 1 / STEP, "Shift+Down": STEP}
_PAUSE_MS = 300  # a wheel or a pinch that pauses so long has ended: not every system says so
_NOTCH = 120
_PIXELS_A_NOTCH = 40  # a touchpad that tells only pixels: as many as an application scrolls for a notch
_MOVED_A_NOTCH = 0.1


class Navigation:
    """Requests other windows with ``ask(start, end, passing)``; a run of steps becomes one step of the
    history. Values are zoomed at once, in this plot alone; ``scaled`` is called then.
    """

    def __init__(
        self,
        drawing: PlotDrawing,
        ask: Callable[[float, float, bool], object],
        whole: Callable[[], object],
        scaled: Callable[[], object],
        plot: QWidget,
    ) -> None:
        self._drawing, self._ask, self._whole, self._scaled = drawing, ask, whole, scaled
        self._pause = QTimer(plot, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(lambda: ask(*drawing.window, False))

    def handlers(self) -> Mapping[str, Callable[[str], object]]:
        """Return what the keys of ``KEYS`` do, by row."""
        return {
            "left": lambda key: self.move(_MOVES[key]),
            "zoom": lambda key: self.zoom(_FACTORS[key]),
            "values": lambda key: self.zoom_values(_FACTORS[key]),
            "fit": lambda _key: self.fit(),
            "fit_values": lambda _key: self.fit_values(),
        }

    def move(self, part: float, *, passing: bool = False) -> None:
        """Request a window moved by ``part`` of its length; positive is later."""
        start, end = self._drawing.window
        by = (end - start) * part
        self._go(start + by, end + by, passing=passing)

    def zoom(self, factor: float, around: float | None = None, *, passing: bool = False) -> None:
        """Request a window longer by ``factor``, around the time ``around`` (ms; None: its middle)."""
        start, end = self._drawing.window
        middle = (start + end) / 2 if around is None else around
        self._go(middle - (middle - start) * factor, middle + (end - middle) * factor, passing=passing)

    def zoom_values(self, factor: float, around: float | None = None) -> None:
        """Show a range of values larger by ``factor``, around a value (None: the lowest one shown)."""
        self._drawing.zoom_values(factor, around)
        self._scaled()

    def fit_values(self) -> None:
        """Let the value axis fit the curves again."""
        self._drawing.fit_values()
        self._scaled()

    def fit(self) -> None:
        """Request the whole session, and let the value axis fit the curves."""
        self.fit_values()
        self._whole()

    def turn(self, event: QWheelEvent) -> None:
        """Zoom with Ctrl in time and with Shift in values, around the cursor; sideways, move in time.

        Any other turn is left to what is around the plot, which scrolls.
        """
        across, up = _notches(event)
        keys, position = event.modifiers(), event.position()
        event.accept()
        if keys & Qt.KeyboardModifier.ControlModifier:
            if event.phase() != Qt.ScrollPhase.ScrollMomentum:  # fingers have left the touchpad before
                self.zoom(STEP**-up, self._drawing.time_at(position), passing=True)
        elif keys & Qt.KeyboardModifier.ShiftModifier:
            turned = up or across  # some systems turn a wheel with Shift sideways
            self.zoom_values(STEP**-turned, self._drawing.scale.value_at(position))
        elif abs(across) > abs(up):
            self._pan(event, across)
        else:
            event.ignore()

    def pinch(self, scale: float, position: QPointF) -> None:
        """Zoom in time by a step of a pinch of the touchpad."""
        factor = 1 / min(max(1 + scale, 0.1), 10.0)
        self.zoom(factor, self._drawing.time_at(position), passing=True)

    def _pan(self, event: QWheelEvent, across: float) -> None:
        pixels = event.pixelDelta().x()
        part = pixels / max(self._drawing.area.width(), 1) if pixels else across * _MOVED_A_NOTCH
        self.move(-part, passing=True)

    def _go(self, start: float, end: float, *, passing: bool) -> None:
        if passing:
            self._pause.start()
        self._ask(start, end, passing)


def _notches(event: QWheelEvent) -> tuple[float, float]:
    """Return by how many notches a wheel was turned sideways and up; a touchpad turns by parts of them."""
    angle, pixels = event.angleDelta(), event.pixelDelta()
    if angle.isNull() and not pixels.isNull():
        return pixels.x() / _PIXELS_A_NOTCH, pixels.y() / _PIXELS_A_NOTCH
    return angle.x() / _NOTCH, angle.y() / _NOTCH
