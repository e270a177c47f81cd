"""The pinned moment as a plot draws it: a solid line, and each curve's value on it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen

from resources.units import format_value
from widgets.charts.curves_item import Drawn
from widgets.charts.decorations import Frame

_WIDTH = 1.5
_DOT, _RING = 3.5, 1.5
_TAG_HEIGHT, _TAG_PADDING, _BESIDE = 15, 4, 7
_GROUND = 0.85
_MAX_TAGS = 6
"""With more curves than this, the values stand in the legend only: tags would hide the curves."""


@dataclass(frozen=True, slots=True)
class PinPart:
    """The line at the time ``at`` (ms), a dot on each curve, and tags with the values of a few curves."""

    at: float
    curves: Sequence[Drawn]
    font: QFont
    colour: str
    ground: str

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Draw line, dots and tags, if the moment is in sight."""
        if not frame.area.left() <= self.at <= frame.area.right():
            return
        x = frame.x(self.at)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self.colour), _WIDTH))
        painter.drawLine(QPointF(x, frame.pixels.top()), QPointF(x, frame.pixels.bottom()))
        found = [(drawn, *drawn.curve.sample_at(self.at)) for drawn in self.curves]
        present = [(drawn, time, value) for drawn, time, value in found if not math.isnan(value)]
        for drawn, time, value in present:
            painter.setPen(QPen(QColor(self.ground), _RING))
            painter.setBrush(QColor(drawn.colour))
            painter.drawEllipse(QPointF(frame.x(time), frame.y(value)), _DOT, _DOT)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if len(self.curves) <= _MAX_TAGS:
            self._draw_tags(painter, frame, x, [(drawn, value) for drawn, _, value in present])
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _draw_tags(
        self, painter: QPainter, frame: Frame, x: float, values: Sequence[tuple[Drawn, float]]
    ) -> None:
        painter.setFont(self.font)
        ordered = sorted(values, key=lambda one: -one[1])
        texts = [format_value(value, drawn.unit) for drawn, value in ordered]
        widths = [painter.fontMetrics().horizontalAdvance(text) + 2 * _TAG_PADDING for text in texts]
        widest = max(widths, default=0)
        is_left = x + _BESIDE + widest > frame.pixels.right()
        tops = tag_tops([frame.y(value) for _, value in ordered], frame.pixels)
        ground = QColor(self.ground)
        ground.setAlphaF(_GROUND)
        for (drawn, _), text, width, top in zip(ordered, texts, widths, tops, strict=True):
            box = QRectF(x - _BESIDE - width if is_left else x + _BESIDE, top, width, _TAG_HEIGHT)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(ground)
            painter.drawRoundedRect(box, 3, 3)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QColor(drawn.colour))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def tag_tops(rows: Sequence[float], area: QRectF) -> list[float]:
    """Return the top of each tag so that none overlaps another: beside its dot, or as near as there is room.

    ``rows`` are the pixel rows of the dots from top to bottom.
    """
    tops: list[float] = []
    for row in rows:
        wanted = min(max(row - _TAG_HEIGHT / 2, area.top()), area.bottom() - _TAG_HEIGHT)
        tops.append(max(wanted, tops[-1] + _TAG_HEIGHT) if tops else wanted)
    beyond = tops[-1] + _TAG_HEIGHT - area.bottom() if tops else 0.0
    if beyond > 0:  # push back upwards from the bottom
        limit = area.bottom() - _TAG_HEIGHT
        for number in range(len(tops) - 1, -1, -1):
            tops[number] = min(tops[number], limit)
            limit = tops[number] - _TAG_HEIGHT
    return tops
