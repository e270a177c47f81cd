"""The overlay that says, while files are dragged over the window, that they can be dropped."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from widgets.theme import Theme


class DropHint(QWidget):
    """Covers its parent, ignores the mouse, and is hidden until ``show_text``."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme, self._over = theme, parent
        self._text = ""
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        parent.installEventFilter(self)
        self.hide()

    def show_text(self, text: str) -> None:
        """Show the overlay with this text."""
        self._text = text
        self.setGeometry(self._over.rect())
        self.raise_()
        self.show()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Follow the size of the parent."""
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self.setGeometry(self._over.rect())
        return super().eventFilter(watched, event)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Draw a veil, a dashed frame, and the text."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        veil = QColor(tokens.background)
        veil.setAlphaF(0.82)
        painter.fillRect(self.rect(), veil)
        painter.setPen(QPen(QColor(tokens.accent), 2, Qt.PenStyle.DashLine))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(24, 24, -24, -24), 8, 8)
        font = self.font()
        font.setPixelSize(22)
        painter.setFont(font)
        painter.setPen(QColor(tokens.text))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._text)
