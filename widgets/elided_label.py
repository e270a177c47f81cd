"""A label that shortens one line of foreign text with … if there is not enough room; the tooltip
shows all.
"""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from resources.foreign_text import shown, tooltip_text
from widgets.eliding import NameElider

_MIN_WIDTH = 40


class ElidedLabel(QLabel):
    """A label as wide as the available room; ``text`` is the whole text.

    Its end is cut; with ``names``, it is shortened so that it can be told from the other ones.
    """

    def __init__(
        self, text: str = "", parent: QWidget | None = None, *, names: NameElider | None = None
    ) -> None:
        super().__init__(parent)
        self._names = names
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.show_text(text)

    def show_text(self, text: str) -> None:
        """Show this text."""
        self.setText(shown(text))
        self.setToolTip(tooltip_text(text) if text else "")

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Return a width of a few letters."""
        return QSize(_MIN_WIDTH, super().minimumSizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Draw as much of the text as fits."""
        painter = QPainter(self)
        area = self.contentsRect()
        metrics = painter.fontMetrics()
        if self._names is not None:
            text = self._names.elided(self.text(), area.width(), metrics)
        else:
            text = metrics.elidedText(self.text(), Qt.TextElideMode.ElideRight, area.width())
        painter.setPen(self.palette().color(QPalette.ColorRole.WindowText))
        painter.drawText(area, self.alignment(), text)
