"""A row of numbers with their meanings: what a test costs, at a glance."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from resources.foreign_text import shown
from widgets.theme import Theme
from wizards.flows.plan_sheet import SheetNumber
from wizards.pages.fonts import sized

_HEIGHT, _PAD = 52, 10


class NumbersRow(QWidget):
    """The numbers side by side in one frame, painted."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._numbers: tuple[SheetNumber, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(200)
        theme.changed.connect(self.update)

    def show_numbers(self, numbers: Sequence[SheetNumber]) -> None:
        """Show these numbers."""
        self._numbers = tuple(numbers)
        said = "; ".join(f"{shown(one.value)} {shown(one.meaning)}" for one in numbers)
        self.setAccessibleName(said)
        self.setToolTip(said.replace("; ", "\n"))
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        """Return the height of two lines."""
        return QSize(600, _HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Paint each number over its meaning; each column as wide as its texts ask for."""
        painter, tokens = QPainter(self), self._theme.tokens
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(tokens.line), 1))
        painter.setBrush(QColor(tokens.surface1))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
        left = 0
        for number, (one, width) in enumerate(zip(self._numbers, self._widths(painter), strict=True)):
            if number:
                painter.setPen(QPen(QColor(tokens.line), 1))
                painter.drawLine(left, 1, left, _HEIGHT - 2)
            room = QRect(left + _PAD, 7, width - 2 * _PAD + 8, 20)
            painter.setFont(sized(self.font(), 15, bold=True))
            painter.setPen(QColor(tokens.text))
            _draw(painter, room, one.value)
            painter.setFont(sized(self.font(), 12))
            painter.setPen(QColor(tokens.muted))
            _draw(painter, room.translated(0, 20), one.meaning)
            left += width

    def _widths(self, painter: QPainter) -> list[int]:
        wanted = []
        for one in self._numbers:
            painter.setFont(sized(self.font(), 15, bold=True))
            value = painter.fontMetrics().horizontalAdvance(one.value)
            painter.setFont(sized(self.font(), 12))
            wanted.append(max(value, painter.fontMetrics().horizontalAdvance(one.meaning)) + 2 * _PAD)
        whole = sum(wanted) or 1
        return [round(width * self.width() / whole) for width in wanted]


def _draw(painter: QPainter, room: QRect, text: str) -> None:
    elided = painter.fontMetrics().elidedText(shown(text), Qt.TextElideMode.ElideRight, room.width())
    painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter), elided)
