"""The pinned moment as a plot draws it: a solid line, and each curve's value on it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen

from resources.units import format_value
from viewmodels.curve import sample_at
from widgets.charts.curves_item import Drawn
from widgets.charts.decorations import Decorations, Frame
from widgets.theme import Tokens, body_font

_DEPTH = 12.0
_WIDTH = 1.5
_TAG_PX = 11
_DOT, _RING = 3.5, 1.5
_TAG_HEIGHT, _TAG_PADDING, _BESIDE = 15, 4, 7
_GROUND = 0.85
MAX_TAGS = 6
"""With more curves than this, the values stand in the legend only: tags would hide the curves."""


class PinItem(Decorations):
    """The graphics item with the pinned moment; it lies over everything else in the view box."""

    def __init__(self, box: pg.ViewBox) -> None:
        super().__init__(_DEPTH)
        self._box = box
        self._at = math.nan
        self._curves: Sequence[Drawn] = ()
        self._tokens: Tokens | None = None
        box.addItem(self, ignoreBounds=True)

    def show_moment(self, at: float) -> None:
        """Draw the time ``at`` (ms), with each curve's value there; NaN draws none."""
        if at != self._at and not (math.isnan(at) and math.isnan(self._at)):
            self._at = at
            self._compose()

    def set_curves(self, curves: Sequence[Drawn]) -> None:
        """Tell the values of these curves."""
        self._curves = curves
        if not math.isnan(self._at):
            self._compose()

    def apply_theme(self, tokens: Tokens) -> None:
        """Use the colours of a theme."""
        self._tokens = tokens
        self._compose()

    def when_moved(self, slot: Callable[[], None]) -> None:
        """Call ``slot`` whenever another window is shown or the plot has another size."""
        self._box.sigResized.connect(lambda _box: slot())
        self._box.sigXRangeChanged.connect(lambda _box, _range: slot())

    def _compose(self) -> None:
        tokens = self._tokens
        if tokens is None or math.isnan(self._at):
            self.set_parts([])
        else:
            font = body_font(_TAG_PX)
            self.set_parts([PinPart(self._at, self._curves, font, tokens.text, tokens.surface1)])


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
        found = [(drawn, *sample_at(drawn.curve, self.at)) for drawn in self.curves]
        present = [(drawn, time, value) for drawn, time, value in found if not math.isnan(value)]
        for drawn, time, value in present:
            painter.setPen(QPen(QColor(self.ground), _RING))
            painter.setBrush(QColor(drawn.colour))
            painter.drawEllipse(QPointF(frame.x(time), frame.y(value)), _DOT, _DOT)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if len(self.curves) <= MAX_TAGS:
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
