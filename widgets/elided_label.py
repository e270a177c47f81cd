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
        self._short = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.show_text(text)

    def show_text(self, text: str, short: str = "") -> None:
        """Show this text; where there is no room for all of it, ``short``, for which there is always room."""
        self._short = shown(short)
        self.setText(shown(text))
        # The size policy, which lets the label shrink, hides its smallest size from layouts.
        self.setMinimumWidth(self.fontMetrics().horizontalAdvance(self._short) + 2 if self._short else 0)
        self.setToolTip(tooltip_text(text))

    def shown_in(self, room: int) -> str:
        """Return what is shown in ``room`` pixels."""
        text, metrics = self.text(), self.fontMetrics()
        if self._names is not None:
            return self._names.elided(text, room, metrics)
        if self._short and metrics.horizontalAdvance(text) > room:
            text = self._short
        return metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Return a width of a few letters."""
        return QSize(_MIN_WIDTH, super().minimumSizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Draw as much of the text as fits."""
        painter = QPainter(self)
        area = self.contentsRect()
        painter.setPen(self.palette().color(QPalette.ColorRole.WindowText))
        painter.drawText(area, self.alignment(), self.shown_in(area.width()))
