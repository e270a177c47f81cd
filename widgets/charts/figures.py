"""The table of statistics of a chart's curves over the visible window, below its head."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from widgets.eliding import NameElider
from widgets.theme import Theme, body_font

_PX, _ROW, _GAP, _DASH, _SIDE = 12, 18, 16, 16, 13


@dataclass(frozen=True, slots=True)
class FigureRow:
    """A row of the table: name and colour of a curve, and one text for each column."""

    name: str
    colour: str
    texts: tuple[str, ...]


class CurveFigures(QWidget):
    """The table of statistics. ``entered`` carries the row under the mouse, None when the mouse leaves."""

    entered = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._rows: Sequence[FigureRow] = ()
        self._elider = NameElider()
        self._more = 0
        self._heads: tuple[str, ...] = ()
        self._row: int | None = None
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_figures(self, rows: Sequence[FigureRow], more: int, heads: Sequence[str]) -> None:
        """Show these rows under these heads, and that there are ``more`` curves without a row."""
        height = len(self._rows), self._more > 0
        self._rows, self._more, self._heads = list(rows), more, tuple(heads)
        self._elider.set_names(row.name for row in rows)
        if height != (len(self._rows), self._more > 0):
            self.updateGeometry()
        self.setAccessibleName(
            "; ".join(
                f"{row.name}: {', '.join(map(' '.join, zip(self._heads, row.texts, strict=True)))}"
                for row in rows
            )
        )
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        """Return the size of the table: a line for the heads and one for each row."""
        rows = len(self._rows) + (1 if self._rows else 0) + (1 if self._more else 0)
        return QSize(240, rows * _ROW)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Return the same: the table is never cut."""
        return self.sizeHint()

    def row_at(self, y: int) -> int | None:
        """Return the row at the height ``y``, None if there is none."""
        row = y // _ROW - 1
        return row if 0 <= row < len(self._rows) else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Highlight the curve of the row under the mouse."""
        self._enter(self.row_at(int(event.position().y())))

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802
        """Remove the highlight."""
        super().leaveEvent(event)
        self._enter(None)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Draw names on the left, numbers in columns on the right."""
        if not self._rows:
            return
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setFont(body_font(_PX))
        widths = self._widths(painter.fontMetrics())
        painter.setPen(QColor(tokens.muted))
        self._numbers(painter, 0, self._heads, widths)
        for number, row in enumerate(self._rows, 1):
            top = number * _ROW
            if self._row == number - 1:
                painter.fillRect(QRect(0, top, self.width(), _ROW), QColor(tokens.surface2))
            painter.fillRect(QRect(_SIDE, top + _ROW // 2 - 1, 12, 3), QColor(row.colour))
            painter.setPen(QColor(tokens.muted))
            room = max(self.width() - sum(widths) - 2 * _SIDE - _DASH - _GAP, 20)
            name = self._elider.elided(row.name, room, painter.fontMetrics())
            painter.drawText(QRect(_SIDE + _DASH, top, room, _ROW), _LEFT, name)
            painter.setPen(QColor(tokens.text))
            self._numbers(painter, top, row.texts, widths)
        if self._more:
            painter.setPen(QColor(tokens.muted))
            place = QRect(_SIDE + _DASH, (len(self._rows) + 1) * _ROW, self.width(), _ROW)
            painter.drawText(place, _LEFT, f"and {self._more} more curves")
        painter.end()

    def _enter(self, row: int | None) -> None:
        if row != self._row:
            self._row = row
            self.entered.emit(row)
            self.update()

    def _widths(self, metrics: QFontMetrics) -> list[int]:
        columns = zip(self._heads, *(row.texts for row in self._rows), strict=True)
        return [max(metrics.horizontalAdvance(text) for text in column) + _GAP for column in columns]

    def _numbers(self, painter: QPainter, top: int, texts: Sequence[str], widths: Sequence[int]) -> None:
        right = self.width() - _SIDE
        for text, width in zip(reversed(texts), reversed(widths), strict=True):
            painter.drawText(QRect(right - width, top, width, _ROW), _RIGHT, text)
            right -= width


_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
