"""What painted charts share: the frame with its title and legend, value axes, and texts at places."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen

from resources.foreign_text import shown
from resources.units import format_value
from viewmodels.value_ticks import value_ticks
from widgets.eliding import elided_name
from widgets.theme import Tokens
from wizards.pages.fonts import sized

HEAD, PAD, FOOT = 34, 12, 20
LABELS = 46
"""The room of the labels of a value axis, in pixels."""
_SWATCH, _GAP = 8, 14


@dataclass(frozen=True, slots=True)
class Scale:
    """Where values lie in pixels: ``first`` at ``low``, ``last`` at ``high``."""

    low: float
    high: float
    first: float
    last: float

    def pixel(self, value: float) -> float:
        """Return the pixel of a value."""
        whole = (self.high - self.low) or 1.0
        return self.first + (self.last - self.first) * (value - self.low) / whole

    def value(self, pixel: float) -> float:
        """Return the value at a pixel."""
        whole = (self.last - self.first) or 1.0
        return self.low + (self.high - self.low) * (pixel - self.first) / whole


def paint_card(painter: QPainter, area: QRectF, tokens: Tokens, *, is_lit: bool = False) -> None:
    """Paint the ground and border of a chart."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(tokens.accent if is_lit else tokens.line), 1))
    painter.setBrush(QColor(tokens.surface1))
    painter.drawRoundedRect(area.adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)


def paint_title(painter: QPainter, font: QFont, tokens: Tokens, title: str, note: str, right: float) -> float:
    """Paint title and note at the upper left; return where they end."""
    painter.setFont(sized(font, 13, bold=True))
    painter.setPen(QColor(tokens.text))
    room = max(0, int(right - PAD))  # titles of LUNs and VMs differ at their ends
    at = _draw_left(painter, PAD, right, elided_name(shown(title), room, painter.fontMetrics()))
    painter.setFont(sized(font, 12))
    painter.setPen(QColor(tokens.muted))
    return _draw_left(painter, at + 8, right, shown(note)) if note else at


def _draw_left(painter: QPainter, left: float, right: float, text: str) -> float:
    room = max(0.0, right - left)
    elided = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(room))
    painter.drawText(QRectF(left, 0, room, HEAD), int(Qt.AlignmentFlag.AlignVCenter), elided)
    return left + painter.fontMetrics().horizontalAdvance(elided)


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """A curve in a legend: its name, its newest value, its colour."""

    name: str
    value: str
    colour: str


def legend_width(painter: QPainter, font: QFont, entries: Sequence[LegendEntry]) -> float:
    """Return the room that a legend takes at most."""
    painter.setFont(sized(font, 12))
    return sum(_entry_width(painter, one, one.name) + _GAP for one in entries)


def _entry_width(painter: QPainter, one: LegendEntry, name: str) -> float:
    text = f"{name} {one.value}" if one.value else name
    return _SWATCH + 6 + painter.fontMetrics().horizontalAdvance(text)


def paint_legend(
    painter: QPainter,
    font: QFont,
    tokens: Tokens,
    entries: Sequence[LegendEntry],
    right: float,
    room: float,
    short: Callable[[str], str] = lambda name: name,
) -> None:
    """Paint a legend that ends at ``right``; entries without room are counted."""
    painter.setFont(sized(font, 12))
    kept, taken = list[tuple[LegendEntry, str]](), 0.0
    for one in entries:
        name = shown(short(one.name), 24)
        width = _entry_width(painter, one, name) + _GAP
        if taken + width > room - (44 if len(kept) + 1 < len(entries) else 0):
            break
        kept.append((one, name))
        taken += width
    left = len(entries) - len(kept)
    at = right - taken + _GAP - (40 if left else 0)
    for one, name in kept:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(one.colour))
        painter.drawRoundedRect(QRectF(at, HEAD / 2 - _SWATCH / 2, _SWATCH, _SWATCH), 2, 2)
        at += _SWATCH + 6
        at = _draw_word(painter, at, name, tokens.muted)
        at = _draw_word(painter, at, f" {one.value}" if one.value else "", tokens.text)
        at += _GAP
    if left:
        _draw_word(painter, right - 36, f"+ {left}", tokens.faint)


def _draw_word(painter: QPainter, left: float, text: str, colour: str) -> float:
    painter.setPen(QColor(colour))
    wide = painter.fontMetrics().horizontalAdvance(text)
    painter.drawText(QRectF(left, 0, wide + 2, HEAD), int(Qt.AlignmentFlag.AlignVCenter), text)
    return left + wide


def paint_values(
    painter: QPainter, font: QFont, tokens: Tokens, area: QRectF, scale: Scale, apart: int = 34
) -> None:
    """Paint the value axis of an area: lines across it and round labels at its left, in the title's unit.

    Labels are at least ``apart`` pixels from each other.
    """
    painter.setFont(sized(font, 11))
    ticks, _ = value_ticks(scale.low, scale.high, max(2, int(abs(scale.last - scale.first) // apart)))
    for value in ticks:
        at = round(scale.pixel(value)) + 0.5
        painter.setPen(QPen(QColor(tokens.line), 1))
        painter.drawLine(QPointF(area.left(), at), QPointF(area.right(), at))
        room = QRectF(area.left() - LABELS, at - 8, LABELS - 6, 16)
        painter.setPen(QColor(tokens.muted))
        side = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(room, int(side), axis_label(value))


def axis_label(value: float) -> str:
    """Return a number beside an axis, which has room for six characters: ``80,000``, ``140 k``, ``1.2 M``."""
    for least, scale, letter in ((1e6, 1e6, "M"), (1e5, 1e3, "k")):
        if abs(value) >= least:
            return f"{value / scale:g} {letter}"
    return format_value(value, "")


def paint_words(
    painter: QPainter,
    font: QFont,
    colour: str,
    room: QRectF,
    text: str,
    side: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
    *,
    pixels: int = 12,
    bold: bool = False,
    least: int = 0,
) -> None:
    """Paint one line of text into a room, elided; if it lacks room, first in smaller letters (``least``)."""
    painter.setFont(sized(font, pixels, bold=bold))
    while least and pixels > least and painter.fontMetrics().horizontalAdvance(text) > room.width():
        pixels -= 1
        painter.setFont(sized(font, pixels, bold=bold))
    painter.setPen(QColor(colour))
    elided = painter.fontMetrics().elidedText(shown(text), Qt.TextElideMode.ElideRight, int(room.width()))
    painter.drawText(room, int(side | Qt.AlignmentFlag.AlignVCenter), elided)


def paint_whisker(painter: QPainter, colour: str, low: QPointF, high: QPointF, *, end: float = 4) -> None:
    """Paint an interval as a line with ends across it; it lies level or upright."""
    painter.setPen(QPen(QColor(colour), 1.5))
    painter.drawLine(low, high)
    is_level = abs(low.y() - high.y()) < 0.01
    for point in (low, high):
        over = QPointF(0, end) if is_level else QPointF(end, 0)
        painter.drawLine(point - over, point + over)


def with_room(high: float) -> float:
    """Return the upper end of an axis from 0 that has a little room above its highest value."""
    if not high > 0:
        return 1.0
    _, step = value_ticks(0.0, high * 1.05, 4)
    above = -(-high * 1.02 // (step / 2)) * step / 2
    return float(max(above, high * 1.02))
