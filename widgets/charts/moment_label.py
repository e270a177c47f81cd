"""The time at a crosshair, as a small flag on the time axis of a plot."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from widgets.charts.drawing import PlotDrawing

_DAY_MS = 86_400_000


class MomentLabel(QLabel):
    """The flag; ``role`` is its look: ``moment`` under the pointer, ``pinned`` for the pinned moment."""

    def __init__(self, parent: QWidget, drawing: PlotDrawing, role: str = "moment") -> None:
        super().__init__(parent)
        self._drawing = drawing
        self.setProperty("role", role)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def show_moment(self, when: float) -> None:
        """Show the time ``when`` (ms) below the crosshair, within the plot, in place of the axis labels
        there; NaN hides the flag.
        """
        drawing = self._drawing
        (start, end), area = drawing.window, drawing.area
        if not start <= when <= end:
            self.hide()
            drawing.time_axis.set_flag(self, None)
            return
        clock = drawing.time_axis.clock
        self.show()
        self.setText(clock.day_time(when) if end - start > _DAY_MS else clock.time(when))
        self.adjustSize()
        middle = area.left() + (when - start) / max(end - start, 1) * area.width()
        left = min(max(middle - self.width() / 2, area.left()), area.right() - self.width())
        self.move(round(left), round(area.bottom()) + 2)
        begin = self.x() - area.left()
        drawing.time_axis.set_flag(self, (begin, begin + self.width()))
