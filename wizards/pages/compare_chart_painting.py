"""Paints both curves of a comparison: axes, what is left out, curves with their gaps, the crosshair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QPainter, QPen, QPolygonF

from viewmodels.comparison_charts import Curve, OverlayChart
from viewmodels.value_ticks import value_ticks
from widgets.theme import Tokens
from wizards.pages.chart_frame import FOOT, Scale, paint_values, paint_words
from wizards.pages.compare_cells import side_colour

_HATCH_ALPHA, _VEIL_ALPHA = 0.35, 0.6
_LABELS_APART = 18
_HOURS_FROM_MIN = 300


@dataclass(frozen=True, slots=True)
class OverlayPainter:
    """Paints into an area; ``times`` is where minutes lie, ``values`` where values lie."""

    painter: QPainter
    tokens: Tokens
    font: QFont
    area: QRectF
    times: Scale
    values: Scale

    def paint_values(self) -> None:
        """Paint the value axis."""
        paint_values(self.painter, self.font, self.tokens, self.area, self.values, _LABELS_APART)

    def paint_left_out(self, chart: OverlayChart) -> None:
        """Hatch what is left out."""
        for name, parts in zip("AB", chart.left_out, strict=True):
            for begin, end in parts:
                self._paint_left_out(name, begin, end)

    def paint_curves(self, chart: OverlayChart, pointed: float | None) -> None:
        """Paint both curves, and the crosshair at a minute."""
        self.painter.save()
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.painter.setClipRect(self.area.adjusted(0, -1, 1, 1))
        for letter, curve, out in zip("ab", (chart.a, chart.b), chart.left_out, strict=True):
            self._paint_curve(curve, side_colour(self.tokens, letter))
            self._veil(out)
        if pointed is not None and 0 <= pointed <= self.times.high:
            at = round(self.times.pixel(pointed)) + 0.5
            self.painter.setPen(QPen(QColor(self.tokens.muted), 1))
            self.painter.drawLine(QPointF(at, self.area.top()), QPointF(at, self.area.bottom()))
        self.painter.restore()

    def paint_times(self, right: float) -> None:
        """Paint the labels of the minutes; none reaches beyond ``right``."""
        for at, text in minute_labels(self.times.high, self.area.width()):
            room = QRectF(self.times.pixel(at) - 30, self.area.bottom() + 2, 60, FOOT - 2)
            side = Qt.AlignmentFlag.AlignHCenter
            if room.right() > right:
                room.moveRight(right)
                side = Qt.AlignmentFlag.AlignRight
            paint_words(self.painter, self.font, self.tokens.muted, room, text, side, pixels=11)

    def _paint_left_out(self, name: str, begin: float, end: float) -> None:
        left, right = self.times.pixel(max(begin, 0.0)), self.times.pixel(min(end, self.times.high))
        room = QRectF(left, self.area.top(), max(right - left, 1.0), self.area.height())
        hatch = QColor(self.tokens.warning)
        hatch.setAlphaF(_HATCH_ALPHA)
        self.painter.fillRect(room, QBrush(hatch, Qt.BrushStyle.BDiagPattern))
        words = room.adjusted(4, 2, -4, 0)
        words.setHeight(15)
        middle = Qt.AlignmentFlag.AlignHCenter
        text = f"left out of {name}"
        paint_words(self.painter, self.font, self.tokens.warning, words, text, middle, pixels=11)

    def _veil(self, parts: Sequence[tuple[float, float]]) -> None:
        """Make a curve faint where it is left out."""
        veil = QColor(self.tokens.surface1)
        veil.setAlphaF(_VEIL_ALPHA)
        for begin, end in parts:
            left, right = self.times.pixel(begin), self.times.pixel(end)
            self.painter.fillRect(QRectF(left, self.area.top(), right - left, self.area.height()), veil)

    def _paint_curve(self, curve: Curve, colour: str) -> None:
        self.painter.setPen(QPen(QColor(colour), 1.4))
        minutes, numbers = curve
        edges = np.flatnonzero(np.diff(np.concatenate(([0], np.isfinite(numbers).astype(np.int8), [0]))))
        for first, last in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
            pairs = zip(minutes[first:last].tolist(), numbers[first:last].tolist(), strict=True)
            points = [QPointF(self.times.pixel(at), self.values.pixel(value)) for at, value in pairs]
            if len(points) == 1:
                self.painter.drawEllipse(points[0], 1.2, 1.2)
            self.painter.drawPolyline(QPolygonF(points))


def minute_labels(minutes: float, width: float) -> list[tuple[float, str]]:
    """Return the labels of an axis from t0 on: ``t0``, ``+5``, ``+10 min``; of long ones in hours."""
    hours = minutes > _HOURS_FROM_MIN
    length = minutes / 60 if hours else minutes
    ticks, _ = value_ticks(0.0, length, max(2, int(width // 64)))
    unit = "h" if hours else "min"
    found = []
    for number, tick in enumerate(ticks):
        last = number == len(ticks) - 1
        text = "t0" if tick == 0 else f"+{tick:g} {unit}" if last else f"+{tick:g}"
        found.append((tick * 60 if hours else tick, text))
    return found
