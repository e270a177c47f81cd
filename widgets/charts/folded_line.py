"""A chart as one line of text, which unfolds to the chart."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy

from resources.foreign_text import tooltip_text
from widgets.eliding import elided_name

HEIGHT = 32
_LEFT = 26


class FoldedLine(QPushButton):
    """The line: pressing it, Space or Return unfolds the chart."""

    def __init__(self) -> None:
        super().__init__()
        self._line = ""
        self.setProperty("role", "row")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(HEIGHT)

    @property
    def line(self) -> str:
        """The whole text."""
        return self._line

    def show_line(self, line: str) -> None:
        """Show this text."""
        if line != self._line:
            self._line = line
            self.setAccessibleName(f"{line}. Press to show the chart.")
            self.setToolTip(tooltip_text(f"{line}\nPress to show the chart.") if line else "")
            self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        """Return a size of one line."""
        return QSize(200, HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Draw the text, shortened, after a caret."""
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setPen(self.palette().buttonText().color())
        middle = (self.height() + painter.fontMetrics().ascent() - painter.fontMetrics().descent()) // 2
        painter.drawText(12, middle, "▸")
        text = elided_name(self._line, self.width() - _LEFT - 10, painter.fontMetrics())
        painter.drawText(_LEFT, middle, text)
        painter.end()
