"""The time slider: a click on its track jumps there; wheel and keys ask for the next samples."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QSlider, QStyle, QStyleOptionSlider, QWidget

from widgets.keys import KeyHandlers, KeyRow

POSITIONS = 2_000
_WHEEL_STEP = 120
_STEPS = {"Left": -1, "Down": -1, "Right": 1, "Up": 1, "PgDown": -10, "PgUp": 10}
_KEYS = (
    KeyRow("step", "To the sample before or after", ("Left", "Right", "Up", "Down")),
    KeyRow("ten", "Ten samples on or back", ("PgUp", "PgDown")),
    KeyRow("ends", "To the beginning or the end", ("Home", "End")),
)


class TimeSlider(QSlider):
    """A slider over the session.

    Signals: ``moved(part)`` with a part of the session from 0 to 1 that the user chose; ``stepped(n)`` when
    the user wants to go n samples on (back, if negative).
    """

    moved = Signal(float)
    stepped = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setRange(0, POSITIONS)
        self.setValue(POSITIONS)
        self.setAccessibleName("Moment of the session")
        self.setToolTip("Click or drag: any moment. Wheel and arrow keys: sample by sample.")
        self._turned = 0
        self._keys = KeyHandlers(
            _KEYS,
            {
                "step": lambda key: self.stepped.emit(_STEPS[key]),
                "ten": lambda key: self.stepped.emit(_STEPS[key]),
                "ends": lambda key: self.setValue(POSITIONS if key == "End" else 0),
            },
        )
        self.valueChanged.connect(lambda value: self.moved.emit(value / POSITIONS))

    def show_part(self, part: float) -> None:
        """Move the handle to a part of the session without a signal, unless the user holds it."""
        if not self.isSliderDown():
            before = self.blockSignals(True)
            self.setValue(round(part * POSITIONS))
            self.blockSignals(before)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Put the handle under the mouse, from where it can be dragged on."""
        if event.button() == Qt.MouseButton.LeftButton:
            option = QStyleOptionSlider()
            self.initStyleOption(option)
            rect_of, slider = self.style().subControlRect, QStyle.ComplexControl.CC_Slider
            groove = rect_of(slider, option, QStyle.SubControl.SC_SliderGroove, self)
            handle = rect_of(slider, option, QStyle.SubControl.SC_SliderHandle, self)
            if not handle.contains(event.position().toPoint()):
                left = event.position().x() - groove.x() - handle.width() / 2
                room = groove.width() - handle.width()
                right_to_left = option.upsideDown
                self.setValue(QStyle.sliderValueFromPosition(0, POSITIONS, round(left), room, right_to_left))
        super().mousePressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        """Ask for a later sample with each notch upwards or to the right, for an earlier one otherwise."""
        turn = event.angleDelta()
        self._turned += turn.y() if abs(turn.y()) >= abs(turn.x()) else -turn.x()
        steps = int(self._turned / _WHEEL_STEP)
        self._turned -= steps * _WHEEL_STEP
        if steps:
            self.stepped.emit(steps)
        event.accept()

    def event(self, event: QEvent) -> bool:
        """Claim the key Home, on which the window has a shortcut."""
        is_override = event.type() == QEvent.Type.ShortcutOverride
        if is_override and isinstance(event, QKeyEvent) and self._keys.has(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Handle arrow keys, page keys, Home and End."""
        if not self._keys.press(event):
            super().keyPressEvent(event)
