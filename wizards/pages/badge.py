"""Safety badges: symbol, class and word, painted or as a widget."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPaintEvent, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from viewmodels.health import Health
from widgets.theme import Theme, Tokens
from widgets.theme.tokens import mix_colours
from wizards.flows.gallery import LEVEL_MEANINGS, LEVEL_WORDS, Level

_STATES: dict[Level, Health] = {0: "ok", 1: "info", 2: "warning", 3: "critical"}
_HEIGHT, _PAD, _SYMBOL, _GAP = 18, 6, 8, 5
_TINT = 0.18


def badge_text(level: Level, *, word: bool = True) -> str:
    """Return ``D3 overwrites``, or ``D3`` alone."""
    return f"D{level} {LEVEL_WORDS[level]}" if word else f"D{level}"


def badge_font(font: QFont) -> QFont:
    """Return the font of badges and chips."""
    small = QFont(font)
    small.setPixelSize(11)
    small.setWeight(QFont.Weight.DemiBold)
    return small


def badge_width(text: str, font: QFont) -> float:
    """Return the width in pixels of a badge with this text."""
    return QFontMetricsF(badge_font(font)).horizontalAdvance(text) + 2 * _PAD + _SYMBOL + _GAP


def paint_badge(painter: QPainter, at: QPointF, text: str, state: Health, tokens: Tokens) -> float:
    """Paint a badge whose upper left corner is ``at``; return its width in pixels."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    width = badge_width(text, painter.font())
    area = QRectF(at.x(), at.y(), width, _HEIGHT)
    colour = tokens.health(state)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(mix_colours(tokens.surface1, colour, _TINT)))
    painter.drawRoundedRect(area, 4, 4)
    symbol = QRectF(at.x() + _PAD, at.y() + (_HEIGHT - _SYMBOL) / 2, _SYMBOL, _SYMBOL)
    paint_symbol(painter, symbol, state, QColor(colour))
    painter.setFont(badge_font(painter.font()))
    painter.setPen(QColor(colour))
    words = area.adjusted(_PAD + _SYMBOL + _GAP, 0, 0, 0)
    painter.drawText(words, int(Qt.AlignmentFlag.AlignVCenter), text)
    painter.restore()
    return width


def paint_symbol(painter: QPainter, area: QRectF, state: Health, colour: QColor) -> None:
    """Paint the symbol of a state into a square: triangle, diamond, disc, square, ring."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    left, top, right, bottom = area.left(), area.top(), area.right(), area.bottom()
    middle = area.center()
    if state == "critical":
        painter.drawPolygon(
            QPolygonF([QPointF(middle.x(), top), QPointF(right, bottom), QPointF(left, bottom)])
        )
    elif state == "warning":
        corners = [(middle.x(), top), (right, middle.y()), (middle.x(), bottom), (left, middle.y())]
        painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in corners]))
    elif state == "info":
        painter.drawRoundedRect(area.adjusted(0.5, 0.5, -0.5, -0.5), 1, 1)
    elif state == "none":
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(colour)
        painter.drawEllipse(area.adjusted(0.5, 0.5, -0.5, -0.5))
    else:
        painter.drawEllipse(area)
    painter.restore()


class Badge(QWidget):
    """A badge as a widget; its tooltip says what the class means."""

    def __init__(
        self, theme: Theme, level: Level, *, word: bool = True, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme, self._level = theme, level
        self._text = badge_text(level, word=word)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setToolTip(f"{badge_text(level)}: {LEVEL_MEANINGS[level]}")
        self.setAccessibleName(self.toolTip())
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:  # noqa: N802
        """Return the room that symbol and text take."""
        return QSize(round(badge_width(self._text, self.font())) + 1, _HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Paint the badge."""
        painter = QPainter(self)
        painter.setFont(self.font())
        paint_badge(painter, QPointF(0, 0), self._text, state_of(self._level), self._theme.tokens)


def state_of(level: Level) -> Health:
    """Return the state whose symbol and colour a safety class has."""
    return _STATES[level]
