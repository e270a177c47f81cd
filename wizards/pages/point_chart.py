"""Points over a number, painted: gain against imbalance, throughput against outstanding I/O."""

from __future__ import annotations

from collections.abc import Iterator
from math import log2

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from resources.foreign_text import shown
from resources.units import format_value
from viewmodels.value_ticks import value_ticks
from widgets.theme import Theme
from wizards.flows.chart_values import Point, PointChart, PointRow
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
    paint_whisker,
    paint_words,
    with_room,
)
from wizards.pages.result_charts import ResultChart

_CENTRE = Qt.AlignmentFlag.AlignHCenter
_NEAR = 12.0


class PointChartView(ResultChart):
    """Shows a ``PointChart``. ``chosen`` carries the label of a point that was clicked."""

    chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._chart = PointChart("", "", "", "", ())
        self._selected = ""

    def show_chart(self, chart: PointChart, selected: str = "") -> None:
        """Show these points; the one with the label ``selected`` is ringed."""
        self._chart, self._selected = chart, selected
        self.setAccessibleName(f"{shown(chart.title)}, {chart.note}")
        said = [self._text(row, one) for row in chart.rows for one in row.points]
        self.setAccessibleDescription("\n".join(said[:60]))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Paint bands, axes and points."""
        painter, tokens, chart = QPainter(self), self._theme.tokens, self._chart
        paint_card(painter, QRectF(self.rect()), tokens)
        entries = [
            LegendEntry(row.name, "", tokens.muted if row.is_model else tokens.curve(row.colour))
            for row in chart.rows
        ]
        right = self.width() - PAD
        wanted = min(legend_width(painter, self.font(), entries) + 16, self.width() * 0.6)
        ends = paint_title(painter, self.font(), tokens, chart.title, chart.note, right - wanted)
        paint_legend(painter, self.font(), tokens, entries, right, right - ends - 12)
        area, (across, up) = self._area(), self._scales()
        self._paint_bands(painter, area, up)
        paint_values(painter, self.font(), tokens, area, up)
        self._paint_across(painter, area, across)
        for row in chart.rows:
            self._paint_row(painter, row, across, up)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Take the click; it counts when the button is let go."""
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """A click on a point chooses it."""
        found = self._nearest(event.position())
        if found is not None and found[1].label:
            self.chosen.emit(found[1].label)

    def tip(self, at: QPointF) -> str:
        """Return the numbers of the point under the mouse."""
        found = self._nearest(at)
        return self._text(*found) if found is not None else ""

    def _text(self, row: PointRow, one: Point) -> str:
        unit, known = self._chart.y_unit, ""
        if one.interval is not None:
            low, high = one.interval
            known = f" (95 % CI {format_value(low, '')} to {format_value(high, unit)})"
        name = f"{shown(one.label)}, {row.name}" if one.label else row.name
        return f"{name}: {format_value(one.y, unit)}{known} at {one.x:g} {self._chart.x_name}"

    def _nearest(self, at: QPointF) -> tuple[PointRow, Point] | None:
        across, up = self._scales()
        found = [
            ((QPointF(across.pixel(self._x(one.x)), up.pixel(one.y)) - at).manhattanLength(), row, one)
            for row in self._chart.rows
            for one in row.points
        ]
        near = min(found, key=lambda one: one[0], default=None)
        return (near[1], near[2]) if near is not None and near[0] <= _NEAR else None

    def _area(self) -> QRectF:
        left = PAD + LABELS - 6
        bottom = FOOT + 18
        return QRectF(left, HEAD, self.width() - left - PAD - 8, max(20.0, self.height() - HEAD - bottom))

    def _x(self, x: float) -> float:
        return log2(max(x, 1e-9)) if self._chart.x_is_logarithmic else x

    def _scales(self) -> tuple[Scale, Scale]:
        area, chart = self._area(), self._chart
        points = [one for row in chart.rows for one in row.points]
        xs = [self._x(one.x) for one in points] or [0.0, 1.0]
        if chart.line is not None:
            xs.append(self._x(chart.line[0]))
        ys = [value for one in points for value in (one.y, *(one.interval or ()))]
        ys += chart.band[0] if chart.band else ()
        high = with_room(max([*ys, 0.0]) * 1.04)
        low = min([*ys, *(chart.floor or ()), 0.0])
        edge = (max(xs) - min(xs)) * 0.06 or 0.5
        across = Scale(min(xs) - edge, max(xs) + edge, area.left(), area.right())
        return across, Scale(low * 1.1, high, area.bottom(), area.top())

    def _paint_bands(self, painter: QPainter, area: QRectF, up: Scale) -> None:
        tokens, chart = self._theme.tokens, self._chart
        if chart.floor is not None:
            low, high = (up.pixel(value) for value in chart.floor)
            painter.fillRect(QRectF(area.left(), high, area.width(), low - high), QColor(tokens.surface3))
            room = QRectF(area.left() + 6, high - 15, 140, 14)
            paint_words(painter, self.font(), tokens.muted, room, "noise floor", pixels=11)
        if chart.band is not None:
            (low, high), name = chart.band
            ground = QColor(tokens.ok)
            ground.setAlphaF(0.14)
            top, bottom = up.pixel(high), up.pixel(low)
            painter.fillRect(QRectF(area.left(), top, area.width(), bottom - top), ground)
            painter.setPen(QPen(QColor(tokens.ok), 1, Qt.PenStyle.DashLine))
            for y in (top, bottom):
                painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            room = QRectF(area.left() + 6, top + 2, area.width() - 12, 15)
            paint_words(painter, self.font(), tokens.ok, room, name, pixels=11)

    def _paint_across(self, painter: QPainter, area: QRectF, across: Scale) -> None:
        tokens, chart = self._theme.tokens, self._chart
        for value, text in self._ticks(across, area.width()):
            x = across.pixel(value)
            room = QRectF(x - 40, area.bottom() + 3, 80, 15)
            paint_words(painter, self.font(), tokens.muted, room, text, _CENTRE, pixels=11)
        name = QRectF(area.left(), area.bottom() + 18, area.width(), 15)
        paint_words(painter, self.font(), tokens.muted, name, chart.x_name, _CENTRE, pixels=11)
        if chart.line is not None:
            x = across.pixel(self._x(chart.line[0]))
            painter.setPen(QPen(QColor(tokens.accent), 1, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
            room = QRectF(x - 126, area.top() + 18, 120, 15)
            side = Qt.AlignmentFlag.AlignRight
            paint_words(painter, self.font(), tokens.accent, room, chart.line[1], side, pixels=11, bold=True)

    def _ticks(self, across: Scale, width: float) -> Iterator[tuple[float, str]]:
        if self._chart.x_is_logarithmic:
            known = sorted({one.x for row in self._chart.rows for one in row.points})
            yield from ((self._x(x), f"{x:g}") for x in known)
        else:
            found = value_ticks(across.low, across.high, max(2, int(width // 60)))[0]
            yield from ((value, f"{value:g}") for value in found)

    def _paint_row(self, painter: QPainter, row: PointRow, across: Scale, up: Scale) -> None:
        tokens = self._theme.tokens
        colour = QColor(tokens.muted if row.is_model else tokens.curve(row.colour))
        places = [QPointF(across.pixel(self._x(one.x)), up.pixel(one.y)) for one in row.points]
        if row.is_joined:
            painter.setPen(QPen(colour, 1.5))
            painter.drawPolyline(QPolygonF(places))
        for one, at in zip(row.points, places, strict=True):
            if one.interval is not None:
                low, high = (QPointF(at.x(), up.pixel(value)) for value in one.interval)
                paint_whisker(painter, colour.name(), low, high)
            painter.setPen(QPen(colour, 1.5) if row.is_model else QPen(QColor(tokens.surface1), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush if row.is_model else colour)
            if row.is_model:
                sides = ((0, -5), (5, 0), (0, 5), (-5, 0))
                painter.drawPolygon(QPolygonF([at + QPointF(x, y) for x, y in sides]))
            else:
                painter.drawEllipse(at, 4.5, 4.5)
            if one.label and not row.is_model:
                if one.label == self._selected:
                    painter.setPen(QPen(QColor(tokens.text), 1.5))
                    painter.setBrush(Qt.BrushStyle.NoBrush)
                    painter.drawEllipse(at, 7, 7)
                room = QRectF(at.x() + 9, at.y() - 9, 90, 16)
                paint_words(painter, self.font(), tokens.text, room, one.label, pixels=11)
