"""A small window with round corners over the main window; a click outside or Escape closes it."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QGuiApplication, QPainterPath, QRegion, QResizeEvent
from PySide6.QtWidgets import QDialog, QFrame, QVBoxLayout, QWidget

from widgets.theme.tokens import RADIUS_CARD


class Popup(QDialog):
    """The popup; subclasses put their content into ``card``."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self.card = QFrame()
        self.card.setProperty("role", "card")
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.card)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Cut the corners off: without a compositor on X11, translucent pixels would be black."""
        super().resizeEvent(event)
        if QGuiApplication.platformName() == "xcb":
            path = QPainterPath()
            path.addRoundedRect(QRectF(self.rect()), RADIUS_CARD, RADIUS_CARD)
            self.setMask(QRegion(path.toFillPolygon().toPolygon()))
