"""Paints curves over time: phases behind them, stacked areas or lines, and the labels of the time axis."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen, QPolygonF

from sessions.clock import Clock
from sessions.model import FloatArray
from viewmodels.time_labels import time_label, time_ticks
from widgets.theme import Tokens
from widgets.theme.tokens import mix_colours
from wizards.flows.chart_values import TimeChart
from wizards.pages.chart_frame import FOOT, Scale, paint_words, with_room
from wizards.pages.fonts import sized
from wizards.pages.phase_bar import phase_colours

BAND = 18
_MAX_POINTS = 1200


@dataclass(frozen=True, slots=True)
class CurvesPainter:
    """Paints a chart into an area; ``times`` is where its times lie, ``values`` where its values lie."""

    painter: QPainter
    tokens: Tokens
    font: QFont
    chart: TimeChart
    area: QRectF
    times: Scale
    values: Scale

    def paint(self, pointed: float | None) -> None:
        """Paint the curves, what happened, and the crosshair at a time (ms)."""
        self.painter.save()
        self.painter.setClipRect(self.area.adjusted(0, 0, 1, 1))
        if self.chart.is_stacked:
            self._paint_stack()
        else:
            self._paint_lines()
        self._paint_labels()
        self._paint_moments(pointed)
        self.painter.restore()

    def paint_grounds(self) -> None:
        """Paint the phases, those that only warm up paler."""
        self.painter.save()
        self.painter.setClipRect(self.area.adjusted(0, 0, 1, 1))
        for one in self.chart.bands:
            colour = QColor(phase_colours(one.tone, self.tokens)[0])
            colour.setAlphaF(0.10 if one.is_warm_up else 0.22)
            left, right = self.times.pixel(one.window.start), self.times.pixel(one.window.end)
            self.painter.fillRect(QRectF(left, self.area.top(), right - left, self.area.height()), colour)
        self.painter.restore()

    def paint_times(self, clock: Clock) -> None:
        """Paint the labels of the time axis."""
        ticks, step = time_ticks(self.times.low, self.times.high, self.area.width(), clock)
        for at in ticks:
            left = min(self.times.pixel(at) - 30, self.area.right() - 56)  # the last one stays inside
            room = QRectF(left, self.area.bottom() + 3, 60, FOOT - 2)
            text, middle = time_label(at, step, clock), Qt.AlignmentFlag.AlignHCenter
            paint_words(self.painter, self.font, self.tokens.muted, room, text, middle, pixels=11)

    def _paint_labels(self) -> None:
        """Paint the phases' names above the curves, where there is room."""
        for one in self.chart.bands:
            if not one.label:
                continue
            left = max(self.area.left(), self.times.pixel(one.window.start))
            ground, ink = phase_colours(one.tone, self.tokens)
            width = max(0.0, self.times.pixel(one.window.end) - left - 2)
            room = QRectF(left + 1, self.area.top(), width, BAND - 3)
            self.painter.setPen(Qt.PenStyle.NoPen)
            self.painter.setBrush(QColor(ground))
            self.painter.drawRoundedRect(room, 3, 3)
            self.painter.setFont(sized(self.font, 10, bold=True))
            wide = self.painter.fontMetrics().horizontalAdvance
            text = one.label if wide(one.label) + 2 <= room.width() else one.label.partition(",")[0]
            if wide(text) + 2 <= room.width():
                how, font = Qt.AlignmentFlag.AlignHCenter, self.font
                paint_words(self.painter, font, ink, room, text, how, pixels=11, bold=True, least=10)

    def _paint_stack(self) -> None:
        base: FloatArray = np.zeros(self.chart.times.size)
        for one in self.chart.curves:
            top = base + np.nan_to_num(one.values)
            colour = QColor(mix_colours(self.tokens.surface1, self.tokens.curve(one.colour), 0.75))
            for part in _parts(one.values):
                upper, lower = self._points(part, top), self._points(part, base)
                self.painter.setPen(Qt.PenStyle.NoPen)
                self.painter.setBrush(colour)
                self.painter.drawPolygon(QPolygonF([*upper, *reversed(lower)]))
                self.painter.setPen(QPen(QColor(self.tokens.surface1), 1))
                self.painter.drawPolyline(QPolygonF(upper))
            base = top

    def _paint_lines(self) -> None:
        for one in self.chart.curves:
            self.painter.setPen(QPen(QColor(self.tokens.curve(one.colour)), 1.5))
            for part in _parts(one.values):
                points = self._points(part, one.values)
                if len(points) == 1:
                    self.painter.drawEllipse(points[0], 1.5, 1.5)
                self.painter.drawPolyline(QPolygonF(points))

    def _points(self, part: slice, values: FloatArray) -> list[QPointF]:
        """Return the points of a part of a curve; of many, those at even distances."""
        times, row = self.chart.times[part], values[part]
        if times.size > _MAX_POINTS:
            kept = np.linspace(0, times.size - 1, _MAX_POINTS).astype(np.int64)
            times, row = times[kept], row[kept]
        pairs = zip(times.tolist(), row.tolist(), strict=True)
        return [QPointF(self.times.pixel(t), self.values.pixel(value)) for t, value in pairs]

    def _paint_moments(self, pointed: float | None) -> None:
        lines = [(float(at), self.tokens.text, Qt.PenStyle.DotLine) for at, _ in self.chart.moments]
        if self.chart.now is not None:
            lines.append((float(self.chart.now), self.tokens.text, Qt.PenStyle.SolidLine))
        if pointed is not None:
            lines.append((pointed, self.tokens.muted, Qt.PenStyle.SolidLine))
        for at, colour, style in lines:
            self.painter.setPen(QPen(QColor(colour), 1, style))
            x = round(self.times.pixel(at)) + 0.5
            self.painter.drawLine(QPointF(x, self.area.top()), QPointF(x, self.area.bottom()))


def has_samples(chart: TimeChart) -> bool:
    """Return True if any curve has a value."""
    return any(np.isfinite(one.values).any() for one in chart.curves)


def highest(chart: TimeChart) -> float:
    """Return the upper end of a chart's value axis."""
    if not chart.curves:
        return 1.0
    rows = [one.values for one in chart.curves]
    if chart.is_stacked:
        rows = [np.sum(np.nan_to_num(np.stack(rows)), axis=0)]
    known = [float(np.nanmax(row)) for row in rows if np.isfinite(row).any()]
    return with_room(max(known, default=0.0))


def _parts(values: FloatArray) -> Iterator[slice]:
    """Yield the runs of samples that are there: a gap is drawn as a break."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], np.isfinite(values).astype(np.int8), [0]))))
    for first, last in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        yield slice(first, last)
