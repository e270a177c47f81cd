"""A chart of curves over time under their phases, painted: stacked areas, or lines."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from resources.foreign_text import shown
from resources.units import format_value
from sessions.clock import Clock
from sessions.times import TimeRange
from widgets.theme import Theme
from wizards.flows.chart_values import Band, TimeChart
from wizards.flows.result_sheet import Chip
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
)
from wizards.pages.curve_painting import BAND, CurvesPainter, has_samples, highest
from wizards.pages.fact_list import paint_chip


class TimeChartView(QWidget):
    """Shows a ``TimeChart``; as a strip without axes, its title at the left.

    Signals: ``chosen`` with the phase under a click (``TimeRange``), whose samples it is made of; ``pointed``
    with the time (ms) under the mouse, None where it left. Charts of one page show each other's crosshair
    (``point_at``).
    """

    chosen = Signal(object)
    pointed = Signal(object)

    def __init__(
        self,
        theme: Theme,
        clock: Callable[[], Clock],
        height: int = 150,
        *,
        is_strip: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._is_strip = is_strip
        self._theme, self._clock, self._height = theme, clock, height
        self._chart = TimeChart("", "", "")
        self._pointed: float | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(220, 40 if is_strip else 96)
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
        if self._is_strip:
            return QRectF(left, 6, self.width() - left - PAD, self.height() - 12)
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
        self._paint_head(painter)
        area, scale = self.area(), self._scale()
        if scale is None or not has_samples(chart):
            middle = Qt.AlignmentFlag.AlignHCenter
            paint_words(painter, self.font(), tokens.faint, area, chart.empty, middle)
            return
        room = BAND if any(one.label for one in chart.bands) else 0.0
        top = 100.0 if self._is_strip and chart.unit == "%" else highest(chart)
        values = Scale(0.0, top, area.bottom(), area.top() + room)
        curves = CurvesPainter(painter, tokens, self.font(), chart, area, scale, values)
        curves.paint_grounds()
        if not self._is_strip:
            paint_values(painter, self.font(), tokens, area, values)
        curves.paint(self._pointed)
        if self._is_strip and chart.curves[0].last:
            painter.setFont(self.font())
            paint_chip(painter, area.right() - 6, self.height() / 2 - 9, Chip(chart.curves[0].last), tokens)
        if not self._is_strip:
            curves.paint_times(self._clock())

    def _paint_head(self, painter: QPainter) -> None:
        tokens, chart = self._theme.tokens, self._chart
        right = float(self.width() - PAD)
        if self._is_strip:
            room = QRectF(PAD, self.height() / 2 - 16, LABELS - 8, 16)
            paint_words(painter, self.font(), tokens.text, room, chart.title, bold=True)
            paint_words(painter, self.font(), tokens.muted, room.translated(0, 15), chart.note, pixels=11)
            return
        entries = [LegendEntry(one.name, one.last, tokens.curve(one.colour)) for one in chart.curves]
        wanted = min(legend_width(painter, self.font(), entries) + 16, self.width() * 0.66)
        ends = paint_title(painter, self.font(), tokens, chart.title, chart.note, right - wanted)
        paint_legend(painter, self.font(), tokens, entries, right, right - ends - 12)

    def _scale(self) -> Scale | None:
        window, area = self.span(), self.area()
        return Scale(window.start, window.end, area.left(), area.right()) if window is not None else None

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
