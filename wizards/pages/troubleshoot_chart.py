"""The chart of a check: curves and their limit over the times when all was well and when it was not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from resources.foreign_text import shown
from resources.units import format_value
from sessions.clock import Clock
from sessions.times import TimeRange
from widgets.theme import Theme
from wizards.flows.chart_values import TimeChart
from wizards.flows.troubleshooting.check_charts import CheckChart
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
from wizards.pages.curve_painting import CurvesPainter, has_samples, highest
from wizards.pages.fonts import sized

_BAND = 18
_LEGEND_FROM = 440
"""A narrower chart has no room for a legend beside its title; its tip has the numbers."""
_NONE = TimeChart("", "", "", empty="This check has no number over time")


class CheckChartView(QWidget):
    """The chart; the tip says the values under the mouse."""

    def __init__(self, theme: Theme, clock: Callable[[], Clock], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._clock = theme, clock
        self._check: CheckChart | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(240)
        theme.changed.connect(self.update)

    def show_check(self, check: CheckChart | None) -> None:
        """Show this chart; None where there are no numbers."""
        self._check = check
        chart = self._chart
        self.setAccessibleName(shown(chart.title) or "Chart of the check")
        said = [f"{shown(one.name)} {one.last}".strip() for one in chart.curves]
        if check is not None and check.limit_text:
            said.append(f"limit {check.limit_text}")
        self.setAccessibleDescription("; ".join(said) or chart.empty)
        self.updateGeometry()
        self.update()

    @property
    def _chart(self) -> TimeChart:
        return self._check.chart if self._check is not None else _NONE

    def sizeHint(self) -> QSize:  # noqa: N802
        """Return the usual size."""
        return QSize(560, 190)

    def area(self) -> QRectF:
        """Return where curves are, in pixels."""
        left = PAD + LABELS - 6
        return QRectF(left, HEAD, self.width() - left - PAD, max(10.0, self.height() - HEAD - FOOT - 6))

    def event(self, event: QEvent) -> bool:
        """Say the values under the mouse."""
        if isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self._tip(QPointF(event.pos())), self)
            return True
        return super().event(event)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Paint grounds, axes, the limit, curves and what happened."""
        painter, tokens, chart = QPainter(self), self._theme.tokens, self._chart
        paint_card(painter, QRectF(self.rect()), tokens)
        area, check = self.area(), self._check
        if check is None or chart.window is None or not has_samples(chart):
            middle = Qt.AlignmentFlag.AlignHCenter
            paint_words(painter, self.font(), tokens.muted, area, chart.empty, middle)
            return
        self._paint_head(painter)
        times = Scale(chart.window.start, chart.window.end, area.left(), area.right())
        top = highest(chart)
        if check.limit is not None and check.limit < top * 20:
            top = max(top, with_room(check.limit))
        values = Scale(0.0, top, area.bottom(), area.top() + _BAND)
        self._paint_grounds(painter, check, times, area)
        paint_values(painter, self.font(), tokens, area, values)
        curves = CurvesPainter(painter, tokens, self.font(), chart, area, times, values)
        curves.paint(None)
        self._paint_limit(painter, check, values, area)
        self._paint_words_over(painter, check, times, area)
        curves.paint_times(self._clock())

    def _paint_head(self, painter: QPainter) -> None:
        tokens, chart = self._theme.tokens, self._chart
        right = float(self.width() - PAD)
        if self.width() < _LEGEND_FROM:
            paint_title(painter, self.font(), tokens, chart.title, chart.note, right)
            return
        entries = [LegendEntry(one.name, one.last, tokens.curve(one.colour)) for one in chart.curves]
        wanted = min(legend_width(painter, self.font(), entries) + 16, self.width() * 0.72)
        ends = paint_title(painter, self.font(), tokens, chart.title, chart.note, right - wanted)
        paint_legend(painter, self.font(), tokens, entries, right, right - ends - 12)

    def _grounds(self, check: CheckChart) -> list[tuple[TimeRange, str]]:
        tokens = self._theme.tokens
        found = [(one, tokens.critical) for one in check.problems]
        if check.normal is not None:
            found.insert(0, (check.normal, tokens.ok))
        if check.after is not None:
            found.append((check.after, tokens.warning if check.is_over_after else tokens.ok))
        return found

    def _paint_grounds(self, painter: QPainter, check: CheckChart, times: Scale, area: QRectF) -> None:
        painter.save()
        painter.setClipRect(area)
        for window, colour in self._grounds(check):
            ground = QColor(colour)
            ground.setAlphaF(0.10)
            left, right = times.pixel(window.start), times.pixel(window.end)
            painter.fillRect(QRectF(left, area.top(), right - left, area.height()), ground)
        painter.restore()

    def _paint_limit(self, painter: QPainter, check: CheckChart, values: Scale, area: QRectF) -> None:
        if check.limit is None:
            return
        at = values.pixel(check.limit)
        if not area.top() <= at <= area.bottom() + 1:
            return
        tokens = self._theme.tokens
        painter.setPen(QPen(QColor(tokens.warning), 1, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(area.left(), at), QPointF(area.right(), at))
        painter.setFont(sized(self.font(), 11))
        wide = painter.fontMetrics().horizontalAdvance(check.limit_text) + 8
        above = at - 17 if at - 17 > area.top() else at + 1
        room = QRectF(area.right() - wide, above, wide, 16)
        painter.fillRect(room, QColor(tokens.surface1))
        painter.setPen(QColor(tokens.warning))
        painter.drawText(room, int(Qt.AlignmentFlag.AlignCenter), check.limit_text)

    def _paint_words_over(self, painter: QPainter, check: CheckChart, times: Scale, area: QRectF) -> None:
        """Paint the names of the times, and what happened, above the curves; none over another."""
        tokens = self._theme.tokens
        labels: list[tuple[float, str, str]] = []
        if check.normal is not None:
            labels.append((max(area.left(), times.pixel(check.normal.start)), "normal", tokens.muted))
        for at, text in check.moments:
            x = times.pixel(at)
            painter.setPen(QPen(QColor(tokens.muted), 1, Qt.PenStyle.DotLine))
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
            labels.append((x, shown(text, 60), tokens.text))
        if check.after is not None:
            labels.append((times.pixel(check.after.start), "checked again", tokens.muted))
        elif check.problems and not check.moments:
            labels.append((max(area.left(), times.pixel(check.problems[0].start)), "problem", tokens.muted))
        labels = self._with_room(labels, painter, area)
        for number, (x, text, colour) in enumerate(labels):
            ends = labels[number + 1][0] if number + 1 < len(labels) else area.right()
            room = QRectF(x + 5, area.top() + 1, max(0.0, ends - x - 8), 16)
            if room.width() > 24:
                paint_words(painter, self.font(), colour, room, text, pixels=11)

    def _with_room(
        self, labels: list[tuple[float, str, str]], painter: QPainter, area: QRectF
    ) -> list[tuple[float, str, str]]:
        """Return the labels from left to right; the name of a time gives way to what happened before it."""
        painter.setFont(sized(self.font(), 11))
        wide, ink = painter.fontMetrics().horizontalAdvance, self._theme.tokens.text
        kept: list[tuple[float, str, str]] = []
        for one in sorted(labels, key=lambda one: one[0]):
            before = kept[-1] if kept else None
            is_cut = before is not None and before[2] == ink and before[0] + wide(before[1]) + 10 > one[0]
            if not is_cut or one[2] == ink:
                kept.append(one)
        return [one for one in kept if one[0] < area.right()]

    def _tip(self, at: QPointF) -> str:
        check, area, chart = self._check, self.area(), self._chart
        if check is None or chart.window is None or not chart.times.size or not area.contains(at):
            return ""
        scale = Scale(chart.window.start, chart.window.end, area.left(), area.right())
        nearest = int(np.argmin(np.abs(chart.times - scale.value(at.x()))))
        lines = [self._clock().time(float(chart.times[nearest]))]
        for one in chart.curves:
            value = float(one.values[nearest])
            text = format_value(value, chart.unit) if np.isfinite(value) else "no sample"
            lines.append(f"{shown(one.name, 60)}: {text}")
        if check.limit_text:
            lines.append(f"limit: {check.limit_text}")
        lines += [shown(text) for when, text in check.moments if abs(scale.pixel(when) - at.x()) < 6]
        return "\n".join(lines)
