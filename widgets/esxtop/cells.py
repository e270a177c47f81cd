"""Paints all visible cells of the esxtop table at once.

Qt calls a delegate for each cell, and beside a busy worker thread each call waits for the interpreter lock,
up to its switch interval: painting 500 cells took 120 ms during a diagnosis. A loop in Python waits once.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from PySide6.QtCore import QModelIndex, QPointF, QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QTableView

from sessions.model import FloatArray
from widgets.eliding import elided_name
from widgets.esxtop.header import SIDE
from widgets.esxtop.model import EsxtopModel
from widgets.theme import Theme, Tokens

_NUMBER_WIDTH = 66
_INDENT = 14
_TINTS = (0.0, 0.16, 0.22)
_SELECTED, _CURRENT_ROW, _FOUND = 0.2, 0.09, 0.3
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class Cells:
    """Paints the cells of one table view; the names of ``highlighted`` rows stand out."""

    def __init__(self, view: QTableView, model: EsxtopModel, theme: Theme) -> None:
        self.highlighted: frozenset[int] = frozenset()
        self._view, self._model, self._theme = view, model, theme

    def paint(self, area: QRect, current: QModelIndex, *, keys: bool) -> None:
        """Paint the cells in ``area`` of the viewport; ``keys``: mark ``current`` as the cell that has the
        focus.
        """
        painter = QPainter(self._view.viewport())
        try:
            painter.setFont(self._view.font())
            self._paint(painter, area, current, keys=keys)
        finally:
            painter.end()

    def _paint(self, painter: QPainter, area: QRect, current: QModelIndex, *, keys: bool) -> None:
        tokens, selected = self._theme.tokens, self._selected()
        texts = [QColor(colour) for colour in (tokens.text, tokens.warning, tokens.critical)]
        tints = [_faded(colour, part) for colour, part in zip(texts, _TINTS, strict=True)]
        chosen, now = (_faded(QColor(tokens.accent), part) for part in (_SELECTED, _CURRENT_ROW))
        found = _faded(QColor(tokens.warning), _FOUND)
        columns = list(self._columns(area))
        for row, top, height in self._rows(area):
            for column, left, width in columns:
                box = QRect(left, top, width, height)
                state = self._model.state_at(row, column)
                if state:
                    painter.fillRect(box, tints[state])
                if column == 0 and self.highlighted and self._model.row_at(row)[0] in self.highlighted:
                    painter.fillRect(box, found)
                if any(one.contains(column, row) for one in selected):
                    painter.fillRect(box, chosen)
                elif row == current.row():
                    painter.fillRect(box, now)
                curve = self._model.spark_at(row, column)
                if curve is not None:
                    _paint_spark(painter, box, curve, tokens)
                if keys and (row, column) == (current.row(), current.column()):
                    painter.setPen(QColor(tokens.accent))
                    painter.drawRect(box.adjusted(0, 0, -1, -1))
                painter.setPen(texts[state])
                self._paint_text(painter, box, row, column)

    def _paint_text(self, painter: QPainter, box: QRect, row: int, column: int) -> None:
        text = self._model.text_at(row, column)
        if column >= EsxtopModel.FIXED:
            painter.drawText(box.adjusted(SIDE, 0, -SIDE, 0), _RIGHT, text)
            return
        indent = (self._model.row_at(row)[1].depth if column == 0 else 0) * _INDENT
        place = box.adjusted(SIDE + indent, 0, -SIDE, 0)
        painter.drawText(place, _LEFT, elided_name(text, place.width(), painter.fontMetrics()))

    def _rows(self, area: QRect) -> Iterator[tuple[int, int, int]]:
        """Yield number, top and height of each visible row."""
        view, count = self._view, self._model.rowCount()
        last = view.rowAt(area.bottom())
        for row in range(max(view.rowAt(area.top()), 0), (last if last >= 0 else count - 1) + 1):
            yield row, view.rowViewportPosition(row), view.rowHeight(row)

    def _columns(self, area: QRect) -> Iterator[tuple[int, int, int]]:
        """Yield number, left and width of each visible column."""
        view = self._view
        for column in range(self._model.columnCount()):
            left, width = view.columnViewportPosition(column), view.columnWidth(column)
            if width > 0 and left + width > area.left() and left <= area.right():
                yield column, left, width

    def _selected(self) -> list[QRect]:
        """Return the selection as boxes of columns and rows; all of a large table is one box."""
        parts = self._view.selectionModel().selection()
        found = (parts.at(number) for number in range(parts.size()))
        return [QRect(one.left(), one.top(), one.width(), one.height()) for one in found]


def _faded(colour: QColor, part: float) -> QColor:
    faded = QColor(colour)
    faded.setAlphaF(part)
    return faded


def _paint_spark(painter: QPainter, area: QRect, values: FloatArray, tokens: Tokens) -> None:
    present = np.flatnonzero(np.isfinite(values))
    if present.size < 2:
        return
    top = max(float(np.nanmax(values)), 1e-9)
    low = min(float(np.nanmin(values)), 0.0)
    width = max(area.width() - _NUMBER_WIDTH - SIDE, 20)
    x = area.left() + 4 + present / max(values.size - 1, 1) * width
    y = area.bottom() - 3 - (values[present] - low) / max(top - low, 1e-9) * (area.height() - 7)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(_faded(QColor(tokens.accent), 0.7), 1))
    painter.drawPolyline(QPolygonF([QPointF(a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True)]))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
