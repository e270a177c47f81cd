"""A label of one line of foreign text that ends in … where there is no more room; all of it on hover."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from resources.foreign_text import shown, tooltip_text

_MIN_WIDTH = 40


class ElidedLabel(QLabel):
    """Takes the room that there is; ``text`` stays whole."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.show_text(text)

    def show_text(self, text: str) -> None:
        """Show this text."""
        self.setText(shown(text))
        self.setToolTip(tooltip_text(text) if text else "")

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """A few letters."""
        return QSize(_MIN_WIDTH, super().minimumSizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """As much of it as there is room for."""
        painter = QPainter(self)
        area = self.contentsRect()
        words = painter.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, area.width())
        painter.setPen(self.palette().color(QPalette.ColorRole.WindowText))
        painter.drawText(area, self.alignment(), words)
