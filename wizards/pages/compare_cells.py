"""Paints the cells of the table of changes: whisker, distributions, confidence, verdict."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from sessions.model import FloatArray
from viewmodels.comparison_page import (
    CONFIDENCE_BARS,
    JUDGED_STATES,
    ComparedRow,
    RowShape,
)
from widgets.theme import Tokens
from wizards.pages.badge import paint_symbol

SIDE_CURVES = {"a": 3, "b": 0}
"""A is the fourth colour of curves, B the first: also side by side they are told apart."""
_DOT, _BAR, _SYMBOL = 3.0, 4, 8


def side_colour(tokens: Tokens, letter: str) -> str:
    """Return the colour of side ``a`` or ``b``."""
    return tokens.curve(SIDE_CURVES[letter])


def judged_colour(tokens: Tokens, row: ComparedRow) -> str:
    """Return the colour of a row's change: only what is beyond the noise has one."""
    if row.verdict in {"same", "undecided"}:
        return tokens.muted
    return tokens.text if row.judged == "to know" else tokens.health(JUDGED_STATES[row.judged])


def paint_change_cell(painter: QPainter, area: QRectF, row: ComparedRow, tokens: Tokens) -> None:
    """Paint the change in the colour of its verdict, which the chosen row keeps."""
    painter.setPen(QColor(judged_colour(tokens, row)))
    side = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    painter.drawText(area.adjusted(2, 0, -4, 0), int(side), row.change)


def paint_whisker_cell(painter: QPainter, area: QRectF, row: ComparedRow, tokens: Tokens) -> None:
    """Paint the change and its interval on an axis from −100 % to +100 %."""
    inner = area.adjusted(8, 0, -8, 0)
    middle = inner.center()
    painter.setPen(QPen(QColor(tokens.line), 1))
    painter.drawLine(QPointF(middle.x(), area.top() + 3), QPointF(middle.x(), area.bottom() - 3))
    if row.whisker is None:
        return
    whisker, half = row.whisker, inner.width() / 2
    is_known = row.verdict in {"higher", "lower"}
    colour = QColor(tokens.health(JUDGED_STATES[row.judged]) if is_known else tokens.faint)
    low, at, high = (middle.x() + half * part for part in (whisker.low, whisker.middle, whisker.high))
    pale = QColor(colour)
    pale.setAlphaF(0.55)
    painter.setPen(QPen(pale, 1))
    painter.drawLine(QPointF(middle.x(), middle.y()), QPointF(at, middle.y()))
    painter.setPen(QPen(colour, 2))
    painter.drawLine(QPointF(low, middle.y()), QPointF(high, middle.y()))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawEllipse(QPointF(at, middle.y()), _DOT, _DOT)


def paint_shape_cell(painter: QPainter, area: QRectF, shape: RowShape | None, tokens: Tokens) -> None:
    """Paint how often values occur: A above the line, B below it."""
    inner = area.adjusted(6, 2, -6, -2)
    middle = inner.center().y()
    painter.setPen(QPen(QColor(tokens.line), 1))
    painter.drawLine(QPointF(inner.left(), middle), QPointF(inner.right(), middle))
    if shape is None or not shape.a.size:
        return
    painter.setPen(Qt.PenStyle.NoPen)
    for letter, parts, way in (("a", shape.a, -1.0), ("b", shape.b, 1.0)):
        painter.setBrush(QColor(side_colour(tokens, letter)))
        painter.drawPolygon(_hill(parts, inner, middle, way))


def _hill(parts: FloatArray, inner: QRectF, middle: float, way: float) -> QPolygonF:
    """The outline of a histogram: each bin is a step."""
    width, half = inner.width() / parts.size, inner.height() / 2
    points = [QPointF(inner.left(), middle)]
    for number, part in enumerate(parts.tolist()):
        top = middle + way * part * half
        left = inner.left() + number * width
        points += [QPointF(left, top), QPointF(left + width, top)]
    return QPolygonF([*points, QPointF(inner.right(), middle)])


def paint_confidence_cell(painter: QPainter, area: QRectF, row: ComparedRow, tokens: Tokens) -> None:
    """Paint three bars, and the word beside them."""
    if row.verdict in {"same", "undecided"}:
        return
    filled = CONFIDENCE_BARS[row.confidence]
    bottom = area.center().y() + 5
    painter.setPen(Qt.PenStyle.NoPen)
    for number in range(3):
        painter.setBrush(QColor(tokens.accent if number < filled else tokens.surface3))
        height = 4 + 3 * number
        painter.drawRect(QRectF(area.left() + 6 + number * (_BAR + 2), bottom - height, _BAR, height))
    _word(painter, area.adjusted(28, 0, -2, 0), row.confidence, tokens.text)


def paint_judged_cell(painter: QPainter, area: QRectF, row: ComparedRow, tokens: Tokens) -> None:
    """Paint the symbol of a verdict and its word."""
    state = JUDGED_STATES[row.judged]
    box = QRectF(area.left() + 6, area.center().y() - _SYMBOL / 2, _SYMBOL, _SYMBOL)
    if row.verdict != "same":
        paint_symbol(painter, box, state, QColor(tokens.health(state)))
    plain = row.verdict in {"same", "undecided"}
    _word(painter, area.adjusted(20, 0, -2, 0), row.judged, tokens.muted if plain else tokens.text)


def _word(painter: QPainter, area: QRectF, text: str, colour: str) -> None:
    painter.setPen(QColor(colour))
    elided = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(area.width()))
    painter.drawText(area, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), elided)
