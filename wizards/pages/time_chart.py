"""A chart of curves over time under their phases, painted: stacked areas, or lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from resources.foreign_text import shown
from resources.units import format_value
from sessions.clock import Clock
from sessions.model import FloatArray
from sessions.times import TimeRange
from viewmodels.time_labels import time_label, time_ticks
from widgets.theme import Theme
from widgets.theme.tokens import mix_colours
from wizards.flows.chart_values import Band, TimeChart
from wizards.pages.chart_frame import (
    FOOT,
    HEAD,
    LABELS,
    PAD,
    LegendEntry,
    Scale,
    legend_width,
    paint_card,
    paint_legend,
    paint_title,
    paint_values,
    paint_words,
    with_room,
)
from wizards.pages.fonts import sized
from wizards.pages.phase_bar import phase_colours

_BAND = 18
_MAX_POINTS = 1200


class TimeChartView(QWidget):
    """Shows a ``TimeChart``.

    Signals: ``chosen`` with the phase under a click (``TimeRange``), whose samples it is made of; ``pointed``
    with the time (ms) under the mouse, None where it left. Charts of one page show each other's crosshair
    (``point_at``).
    """

    chosen = Signal(object)
    pointed = Signal(object)

    def __init__(
        self, theme: Theme, clock: Callable[[], Clock], height: int = 150, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme, self._clock, self._height = theme, clock, height
        self._chart = TimeChart("", "", "")
        self._pointed: float | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(220, 96)
        self.setMouseTracking(True)
        theme.changed.connect(self.update)

    def show_chart(self, chart: TimeChart) -> None:
        """Show this chart."""
        self._chart = chart
        newest = "; ".join(f"{shown(one.name)} {one.last}".strip() for one in chart.curves[:20])
        self.setAccessibleName(f"{shown(chart.title)}, {shown(chart.note)}")
        self.setAccessibleDescription(newest or chart.empty)
        self.update()

    def point_at(self, at: float | None) -> None:
        """Show the crosshair at a time (ms), or none."""
        self._pointed = at
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        """Return the usual size."""
        return QSize(640, self._height)

    def area(self) -> QRectF:
        """Return where curves are, in pixels."""
        left = PAD + LABELS - 6
        return QRectF(left, HEAD, self.width() - left - PAD, max(10.0, self.height() - HEAD - FOOT - 6))

    def span(self) -> TimeRange | None:
        """Return the times that the chart covers."""
        if self._chart.window is not None or not self._chart.times.size:
            return self._chart.window
        return TimeRange(int(self._chart.times[0]), int(self._chart.times[-1]) + 1)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Move the crosshair."""
        scale = self._scale()
        at = event.position()
        inside = scale is not None and self.area().contains(at)
        self.pointed.emit(scale.value(at.x()) if scale is not None and inside else None)
        self.setCursor(
            Qt.CursorShape.PointingHandCursor if inside and self._band_at(at) else Qt.CursorShape.ArrowCursor
        )

    def leaveEvent(self, _event: QEvent) -> None:  # noqa: N802
        """Hide the crosshair."""
        self.pointed.emit(None)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Take the click; it counts when the button is let go."""
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """A click on a phase chooses its samples."""
        band = self._band_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and band is not None:
            self.chosen.emit(band.window)

    def event(self, event: QEvent) -> bool:
        """Say the values under the mouse."""
        if isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self._tip(QPointF(event.pos())), self)
            return True
        return super().event(event)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Paint phases, axes and curves."""
        painter, tokens, chart = QPainter(self), self._theme.tokens, self._chart
        paint_card(painter, QRectF(self.rect()), tokens)
        entries = [LegendEntry(one.name, one.last, tokens.curve(one.colour)) for one in chart.curves]
        right = self.width() - PAD
        wanted = min(legend_width(painter, self.font(), entries) + 16, self.width() * 0.66)
        ends = paint_title(painter, self.font(), tokens, chart.title, chart.note, right - wanted)
        paint_legend(painter, self.font(), tokens, entries, right, right - ends - 12)
        area, scale = self.area(), self._scale()
        if scale is None or not chart.curves:
            middle = Qt.AlignmentFlag.AlignHCenter
            paint_words(painter, self.font(), tokens.faint, area, chart.empty, middle)
            return
        values = Scale(0.0, with_room(self._highest()), area.bottom(), area.top() + self._band_room())
        painter.save()
        painter.setClipRect(area.adjusted(0, 0, 1, 1))
        self._paint_grounds(painter, area, scale)
        painter.restore()
        paint_values(painter, self.font(), tokens, area, values)
        painter.save()
        painter.setClipRect(area.adjusted(0, 0, 1, 1))
        (self._paint_stack if chart.is_stacked else self._paint_lines)(painter, scale, values)
        self._paint_labels(painter, area, scale)
        self._paint_moments(painter, area, scale)
        painter.restore()
        self._paint_times(painter, area, scale)

    def _scale(self) -> Scale | None:
        window, area = self.span(), self.area()
        return Scale(window.start, window.end, area.left(), area.right()) if window is not None else None

    def _band_room(self) -> float:
        return _BAND if any(one.label for one in self._chart.bands) else 0.0

    def _highest(self) -> float:
        rows = [one.values for one in self._chart.curves]
        if self._chart.is_stacked:
            rows = [np.nansum(np.stack(rows), axis=0)]
        known = [float(np.nanmax(row)) for row in rows if np.isfinite(row).any()]
        return max(known, default=0.0)

    def _paint_grounds(self, painter: QPainter, area: QRectF, scale: Scale) -> None:
        tokens = self._theme.tokens
        for one in self._chart.bands:
            colour = QColor(phase_colours(one.tone, tokens)[0])
            colour.setAlphaF(0.10 if one.is_warm_up else 0.22)
            left, right = scale.pixel(one.window.start), scale.pixel(one.window.end)
            painter.fillRect(QRectF(left, area.top(), right - left, area.height()), colour)

    def _paint_labels(self, painter: QPainter, area: QRectF, scale: Scale) -> None:
        """Paint the phases' names above the curves, where there is room."""
        tokens = self._theme.tokens
        for one in self._chart.bands:
            if not one.label:
                continue
            left, right = max(area.left(), scale.pixel(one.window.start)), scale.pixel(one.window.end)
            ground, ink = phase_colours(one.tone, tokens)
            room = QRectF(left + 1, area.top(), max(0.0, right - left - 2), _BAND - 3)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(ground))
            painter.drawRoundedRect(room, 3, 3)
            painter.setFont(sized(self.font(), 10, bold=True))
            if painter.fontMetrics().horizontalAdvance(one.label) <= room.width():
                middle = Qt.AlignmentFlag.AlignHCenter
                paint_words(
                    painter, self.font(), ink, room, one.label, middle, pixels=11, bold=True, least=10
                )

    def _paint_stack(self, painter: QPainter, scale: Scale, values: Scale) -> None:
        tokens, chart = self._theme.tokens, self._chart
        base: FloatArray = np.zeros(chart.times.size)
        for one in chart.curves:
            top = base + np.nan_to_num(one.values)
            colour = QColor(tokens.curve(one.colour))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(mix_colours(tokens.surface1, colour.name(), 0.75)))
            for part in _parts(one.values):
                upper = self._points(part, top, scale, values)
                lower = self._points(part, base, scale, values)
                painter.drawPolygon(QPolygonF([*upper, *reversed(lower)]))
                painter.setPen(QPen(QColor(tokens.surface1), 1))
                painter.drawPolyline(QPolygonF(upper))
                painter.setPen(Qt.PenStyle.NoPen)
            base = top

    def _paint_lines(self, painter: QPainter, scale: Scale, values: Scale) -> None:
        tokens = self._theme.tokens
        for one in self._chart.curves:
            painter.setPen(QPen(QColor(tokens.curve(one.colour)), 1.5))
            for part in _parts(one.values):
                points = self._points(part, one.values, scale, values)
                if len(points) == 1:
                    painter.drawEllipse(points[0], 1.5, 1.5)
                painter.drawPolyline(QPolygonF(points))

    def _points(self, part: slice, values: FloatArray, scale: Scale, heights: Scale) -> list[QPointF]:
        """Return the points of a part of a curve; of many, those at even distances."""
        times, row = self._chart.times[part], values[part]
        if times.size > _MAX_POINTS:
            kept = np.linspace(0, times.size - 1, _MAX_POINTS).astype(np.int64)
            times, row = times[kept], row[kept]
        pairs = zip(times.tolist(), row.tolist(), strict=True)
        return [QPointF(scale.pixel(t), heights.pixel(value)) for t, value in pairs]

    def _paint_moments(self, painter: QPainter, area: QRectF, scale: Scale) -> None:
        tokens, chart = self._theme.tokens, self._chart
        painter.setPen(QPen(QColor(tokens.text), 1, Qt.PenStyle.DotLine))
        for at, _ in chart.moments:
            painter.drawLine(QPointF(scale.pixel(at), area.top()), QPointF(scale.pixel(at), area.bottom()))
        for place in (chart.now, self._pointed):
            if place is not None:
                painter.setPen(QPen(QColor(tokens.text if place == chart.now else tokens.muted), 1))
                x = round(scale.pixel(place)) + 0.5
                painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))

    def _paint_times(self, painter: QPainter, area: QRectF, scale: Scale) -> None:
        clock, tokens = self._clock(), self._theme.tokens
        ticks, step = time_ticks(scale.low, scale.high, area.width(), clock)
        for at in ticks:
            x = scale.pixel(at)
            room = QRectF(x - 40, area.bottom() + 3, 80, FOOT - 2)
            paint_words(
                painter,
                self.font(),
                tokens.muted,
                room,
                time_label(at, step, clock),
                Qt.AlignmentFlag.AlignHCenter,
                pixels=11,
            )

    def _band_at(self, at: QPointF) -> Band | None:
        scale = self._scale()
        if scale is None or not self.area().contains(at):
            return None
        when = scale.value(at.x())
        return next((one for one in self._chart.bands if one.window.start <= when < one.window.end), None)

    def _tip(self, at: QPointF) -> str:
        scale, chart = self._scale(), self._chart
        if scale is None or not chart.times.size or not self.area().contains(at):
            return ""
        when = scale.value(at.x())
        nearest = int(np.argmin(np.abs(chart.times - when)))
        lines = [self._clock().time(float(chart.times[nearest]))]
        band = self._band_at(at)
        if band is not None and band.label:
            lines[0] += f", {shown(band.label)}"
        for one in chart.curves[:12]:
            value = float(one.values[nearest])
            text = format_value(value, chart.unit) if np.isfinite(value) else "no sample"
            lines.append(f"{shown(one.name, 60)}: {text}")
        lines += [shown(text) for when_, text in chart.moments if abs(scale.pixel(when_) - at.x()) < 5]
        return "\n".join(lines)


def _parts(values: FloatArray) -> Iterator[slice]:
    """Yield the runs of samples that are there: a gap is drawn as a break."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], np.isfinite(values).astype(np.int8), [0]))))
    for first, last in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        yield slice(first, last)
