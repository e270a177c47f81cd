"""The header of the esxtop table: esxtop's name above the unit, columns moved by dragging them."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QMouseEvent, QPainter
from PySide6.QtWidgets import QHeaderView, QStyleOptionHeader, QTableView

from widgets.esxtop.model import EsxtopModel
from widgets.theme import Theme
from widgets.theme.tokens import SMALL_PX

SIDE = 6
"""Padding on the left and right of a heading and of a cell's text, in pixels."""
ARROW = 12
"""Room for the sort arrow left of a heading."""
_UNIT_PX = 11
_MIN_COLUMN_WIDTH = 40
_ABOVE = 3


class EsxtopHeader(QHeaderView):
    """A header whose sort arrow is drawn left of the title, so that titles and numbers align on the right.

    Signals: ``moved(column, to)`` when a counter's column was dragged to place ``to``; ``released`` when the
    mouse let go of the header, after an edge was dragged or not.
    """

    moved = Signal(int, int)
    released = Signal()

    def __init__(self, parent: QTableView, model: EsxtopModel, theme: Theme) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._model, self._theme = model, theme
        self.setHighlightSections(False)
        self.setMinimumSectionSize(_MIN_COLUMN_WIDTH)
        self.setSectionsClickable(True)
        self._title, self._unit = QFont(self.font()), QFont(self.font())
        self._title.setPixelSize(SMALL_PX)
        self._unit.setPixelSize(_UNIT_PX)
        self.setFixedHeight(2 * SMALL_PX + 4 * _ABOVE + 4)
        self.sectionMoved.connect(self._moved)

    def width_of(self, column: int) -> int:
        """Return the width that the heading of a column needs."""
        widths = [QFontMetrics(font).horizontalAdvance(text) for font, text in self._lines(column)]
        return max(widths[0] + ARROW, *widths) + 2 * SIDE

    def initStyleOptionForIndex(self, option: QStyleOptionHeader, section: int) -> None:  # noqa: N802
        """Let Qt draw the background of a section only (called by Qt)."""
        super().initStyleOptionForIndex(option, section)
        option.text = ""

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:  # noqa: N802
        """Draw title, unit and sort arrow of a section."""
        painter.save()
        super().paintSection(painter, rect, section)
        painter.restore()
        column, order = self._model.sorting
        tokens = self._theme.tokens
        side = Qt.AlignmentFlag.AlignRight if section >= EsxtopModel.FIXED else Qt.AlignmentFlag.AlignLeft
        box = rect.adjusted(SIDE, _ABOVE, -SIDE, -_ABOVE)
        (font, title), (unit_font, unit) = self._lines(section)
        if section == column:
            title = f"{'▾' if order == Qt.SortOrder.DescendingOrder else '▴'} {title}"
        painter.save()
        painter.setPen(QColor(tokens.text if section == column else tokens.muted))
        painter.setFont(font)
        painter.drawText(box, side | Qt.AlignmentFlag.AlignTop, title)
        painter.setPen(QColor(tokens.muted))
        painter.setFont(unit_font)
        painter.drawText(box, side | Qt.AlignmentFlag.AlignBottom, unit)
        painter.restore()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Emit ``released`` after Qt handled the event."""
        super().mouseReleaseEvent(event)
        self.released.emit()

    def _lines(self, section: int) -> tuple[tuple[QFont, str], tuple[QFont, str]]:
        column = self._model.column_at(section)
        heading = column.heading if column else (("NAME", "HOST")[min(section, 1)], "")
        return (self._title, heading[0]), (self._unit, heading[1])

    def _moved(self, section: int, before: int, now: int) -> None:
        """Put a dragged section back and tell where it was dragged: the model orders the columns."""
        if section == now:
            return  # it is the move back
        self.moveSection(now, before)
        if section >= EsxtopModel.FIXED:
            self.moved.emit(section, max(now, EsxtopModel.FIXED))
