"""Charts of a result, painted: what each worker got of what was due, steps side by side, changes with their
intervals.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from resources.foreign_text import shown
from resources.units import format_value
from viewmodels.value_ticks import value_ticks
from widgets.theme import Theme
from widgets.theme.tokens import mix_colours
from wizards.flows.chart_values import ChangeChart, Interval, ShareBar, StepChart, StepColumn
from wizards.pages.chart_frame import (
    FOOT,
    HEAD,
    PAD,
    Scale,
    paint_card,
    paint_title,
    paint_whisker,
    paint_words,
    with_room,
)
from wizards.pages.phase_bar import phase_colours

_LEFT, _RIGHT, _CENTRE = (
    Qt.AlignmentFlag.AlignLeft,
    Qt.AlignmentFlag.AlignRight,
    Qt.AlignmentFlag.AlignHCenter,
)


_LABELLED = 165
"""From this width (pixels) on a group of columns has labels at its left; each column says its number, too."""


class ResultChart(QWidget):
    """A painted chart whose tooltip says what is under the mouse."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(200, 150)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:  # noqa: N802
        """Return the usual size."""
        return QSize(380, 232)

    def event(self, event: QEvent) -> bool:
        """Say what is under the mouse."""
        if isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.tip(QPointF(event.pos())), self)
            return True
        return super().event(event)

    def tip(self, at: QPointF) -> str:  # noqa: ARG002
        """Return what is said of a place; the whole chart unless a chart knows better."""
        return self.accessibleDescription()


class ShareBarsView(ResultChart):
    """What each worker got (filled, with its interval) of what was due to it (outlined), and their ratio."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._bars: tuple[ShareBar, ...] = ()

    def show_bars(self, bars: Sequence[ShareBar]) -> None:
        """Show these workers."""
        self._bars = tuple(bars)
        self.setAccessibleName("Share that each worker got of the IOPS, in percent")
        self.setAccessibleDescription("\n".join(map(_bar_text, bars)))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Paint a row for each worker."""
        painter, tokens = QPainter(self), self._theme.tokens
        paint_card(painter, QRectF(self.rect()), tokens)
        right = self.width() - PAD
        paint_title(painter, self.font(), tokens, "Share got", "% of IOPS", right - 150)
        self._paint_key(painter, right)
        if not self._bars:
            return
        area = self._area()
        scale = Scale(0.0, self._highest(), area.left(), area.right())
        self._paint_scale(painter, area, scale)
        step = area.height() / len(self._bars)
        for number, one in enumerate(self._bars):
            self._paint_bar(painter, QRectF(0, area.top() + number * step, 0, step), one, number, scale)

    def tip(self, at: QPointF) -> str:
        """Return what one worker got."""
        area = self._area()
        row = int((at.y() - area.top()) / max(1.0, area.height()) * len(self._bars))
        return _bar_text(self._bars[row]) if 0 <= row < len(self._bars) and at.y() > area.top() else ""

    def _area(self) -> QRectF:
        left, right = PAD + 76.0, self.width() - PAD - 42.0
        return QRectF(left, HEAD, max(40.0, right - left), max(40.0, self.height() - HEAD - FOOT - 8))

    def _highest(self) -> float:
        tops = [max(one.got, one.due or 0.0, one.interval[1] if one.interval else 0.0) for one in self._bars]
        return with_room(max(tops) * 1.12)

    def _paint_key(self, painter: QPainter, right: float) -> None:
        tokens = self._theme.tokens
        room = QRectF(right - 78, 0, 78, HEAD)
        has_interval = any(one.interval is not None for one in self._bars)
        got = "got, 95 % CI" if has_interval else "got"
        paint_words(painter, self.font(), tokens.muted, room, got, _RIGHT, least=10)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.curve(0)))
        painter.drawRoundedRect(QRectF(right - 92, HEAD / 2 - 4, 10, 8), 2, 2)
        paint_words(painter, self.font(), tokens.muted, QRectF(right - 130, 0, 30, HEAD), "due", _RIGHT)
        painter.setPen(QPen(QColor(tokens.muted), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(right - 138, HEAD / 2 - 4, 10, 8), 2, 2)

    def _paint_scale(self, painter: QPainter, area: QRectF, scale: Scale) -> None:
        tokens = self._theme.tokens
        for value in value_ticks(0.0, scale.high, max(2, int(area.width() // 70)))[0]:
            x = round(scale.pixel(value)) + 0.5
            painter.setPen(QPen(QColor(tokens.line), 1))
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
            room = QRectF(x - 30, area.bottom() + 4, 60, 16)
            if x < self.width() - PAD - 80:
                paint_words(
                    painter, self.font(), tokens.muted, room, format_value(value, ""), _CENTRE, pixels=11
                )
        room = QRectF(self.width() - PAD - 70, area.bottom() + 4, 70, 16)
        paint_words(painter, self.font(), tokens.faint, room, "got ÷ due", _RIGHT, pixels=11)

    def _paint_bar(self, painter: QPainter, row: QRectF, one: ShareBar, number: int, scale: Scale) -> None:
        tokens, middle = self._theme.tokens, row.center().y()
        height = min(18.0, row.height() - 5)
        bar = QRectF(scale.first, middle - height / 2, 0, height)
        paint_words(
            painter, self.font(), tokens.text, QRectF(PAD, middle - 10, 72, 20), one.worker, pixels=12
        )
        if one.due is not None:
            painter.setPen(QPen(QColor(tokens.muted), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(
                QRectF(bar.left(), bar.top() - 1.5, scale.pixel(one.due) - bar.left(), height + 3), 3, 3
            )
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.curve(number)))
        got = scale.pixel(one.got)
        painter.drawRoundedRect(QRectF(bar.left(), bar.top() + 1, got - bar.left(), height - 2), 3, 3)
        end = max(got, scale.pixel(one.due) if one.due is not None else got)
        if one.interval is not None:
            low, high = (QPointF(scale.pixel(value), middle) for value in one.interval)
            paint_whisker(painter, tokens.text, low, high)
            end = max(end, high.x())
        room = QRectF(end + 8, middle - 10, 60, 20)
        paint_words(painter, self.font(), tokens.text, room, format_value(one.got, ""), bold=True)
        if one.ratio is not None:
            colour = {True: tokens.ok, False: tokens.warning, None: tokens.muted}[one.is_honoured]
            room = QRectF(self.width() - PAD - 44, middle - 10, 44, 20)
            paint_words(painter, self.font(), colour, room, f"{one.ratio:.2f}", _RIGHT)


def _bar_text(one: ShareBar) -> str:
    due = f", due {format_value(one.due, '%')}" if one.due is not None else ""
    ratio = f", {one.ratio:.2f} of what was due" if one.ratio is not None else ""
    return f"{shown(one.worker)}: got {format_value(one.got, '%')}{_bounds(one.interval, '%')}{due}{ratio}"


def _bounds(interval: Interval | None, unit: str) -> str:
    if interval is None:
        return ""
    return f" (95 % CI {format_value(interval[0], '')} to {format_value(interval[1], unit)})"


class StepChartsView(ResultChart):
    """Steps side by side, one group of columns for each number: its rounds as dots, the noise as a band."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._title, self._note = "", ""
        self._charts: tuple[StepChart, ...] = ()

    def show_charts(self, title: str, note: str, charts: Sequence[StepChart]) -> None:
        """Show these numbers of the steps."""
        self._title, self._note, self._charts = title, note, tuple(charts)
        self.setAccessibleName(f"{shown(title)}, {note}")
        self.setAccessibleDescription("\n".join(map(_steps_text, charts)))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Paint the groups side by side."""
        painter, tokens = QPainter(self), self._theme.tokens
        paint_card(painter, QRectF(self.rect()), tokens)
        paint_title(painter, self.font(), tokens, self._title, self._note, self.width() - PAD)
        room = (self.width() - 2 * PAD) / max(1, len(self._charts))
        for number, one in enumerate(self._charts):
            area = QRectF(PAD + number * room, HEAD, room - 10, self.height() - HEAD - 6)
            self._paint_chart(painter, area, one)

    def _paint_chart(self, painter: QPainter, area: QRectF, one: StepChart) -> None:
        tokens = self._theme.tokens
        top = QRectF(area.left(), area.top(), area.width(), 16)
        paint_words(painter, self.font(), tokens.muted, top, f"{one.name}, {one.unit}", pixels=11)
        colour = tokens.health(one.state) if one.state != "none" else tokens.muted
        paint_words(painter, self.font(), colour, top, one.change, _RIGHT, pixels=12, bold=True)
        has_labels = area.width() >= _LABELLED
        left = 36 if has_labels else 2
        whole = QRectF(area.left() + left, area.top() + 22, area.width() - left, area.height() - 22 - FOOT)
        scale = Scale(0.0, with_room(_highest(one)), whole.bottom(), whole.top())
        for value in value_ticks(0.0, scale.high, max(2, int(whole.height() // 40)))[0]:
            y = round(scale.pixel(value)) + 0.5
            painter.setPen(QPen(QColor(tokens.line), 1))
            painter.drawLine(QPointF(whole.left(), y), QPointF(whole.right(), y))
            room = QRectF(area.left() - 6, y - 8, 38, 16)
            text = format_value(value, "") if has_labels else ""
            paint_words(painter, self.font(), tokens.muted, room, text, _RIGHT, pixels=11)
        step = whole.width() / max(1, len(one.columns))
        for number, column in enumerate(one.columns):
            middle = whole.left() + (number + 0.5) * step
            self._paint_column(painter, column, middle, min(36.0, step * 0.66), scale)
            room = QRectF(middle - step / 2 + 2, scale.first - 20, step - 4, 16)
            mean = _short(column.mean)
            paint_words(painter, self.font(), tokens.text, room, mean, _CENTRE, bold=True, least=10)
            room = QRectF(middle - step / 2, whole.bottom() + 3, step, 16)
            paint_words(painter, self.font(), tokens.muted, room, column.label, _CENTRE, pixels=11, least=9)
        if one.floor is not None:
            band = QColor(tokens.text)
            band.setAlphaF(0.16)
            low, high = (scale.pixel(value) for value in one.floor)
            painter.fillRect(QRectF(whole.left(), high, whole.width(), max(2.0, low - high)), band)

    def _paint_column(
        self, painter: QPainter, one: StepColumn, middle: float, width: float, scale: Scale
    ) -> None:
        tokens = self._theme.tokens
        ground = phase_colours(one.tone, tokens)[0]
        top = scale.pixel(one.mean)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(mix_colours(tokens.surface1, ground, 0.55)))
        painter.drawRect(QRectF(middle - width / 2, top, width, scale.first - top))
        painter.fillRect(QRectF(middle - width / 2, top - 1, width, 2), QColor(ground))
        if one.interval is not None:
            low, high = (QPointF(middle, scale.pixel(value)) for value in one.interval)
            paint_whisker(painter, tokens.text, low, high)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.text))
        spread = width / (len(one.rounds) + 1)
        for number, value in enumerate(one.rounds):
            at = middle - width / 2 + (number + 1) * spread
            painter.drawEllipse(QPointF(at, scale.pixel(value)), 1.6, 1.6)


def _highest(one: StepChart) -> float:
    tops = [max(each.mean, *each.rounds, each.interval[1] if each.interval else 0.0) for each in one.columns]
    return max(tops, default=1.0)


def _steps_text(one: StepChart) -> str:
    parts = [
        f"{shown(each.title)} {format_value(each.mean, one.unit)}{_bounds(each.interval, one.unit)}"
        for each in one.columns
    ]
    return f"{one.name}: {'; '.join(parts)}{f'; change {one.change}' if one.change else ''}"


class ChangesView(ResultChart):
    """Changes in percent on one axis: whiskers, and the noise floor around 0."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._chart = ChangeChart("", "", ())

    def show_chart(self, chart: ChangeChart) -> None:
        """Show these changes."""
        self._chart = chart
        self.setAccessibleName(f"{shown(chart.title)}, {chart.note}")
        said = [
            f"{shown(one.name)}: {format_value(one.value, '%')}{_bounds(one.interval, '%')}"
            for one in chart.bars
        ]
        self.setAccessibleDescription("\n".join(said))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Paint a row for each change."""
        painter, tokens, chart = QPainter(self), self._theme.tokens, self._chart
        paint_card(painter, QRectF(self.rect()), tokens)
        paint_title(painter, self.font(), tokens, chart.title, chart.note, self.width() - PAD)
        left = PAD + 10.0
        area = QRectF(left, HEAD + 4, self.width() - left - PAD - 10, self.height() - HEAD - FOOT - 12)
        reach = self._reach()
        scale = Scale(-reach, reach, area.left(), area.right())
        self._paint_scale(painter, area, scale)
        step = area.height() / max(1, len(chart.bars))
        for number, one in enumerate(chart.bars):
            row = QRectF(area.left(), area.top() + number * step, area.width(), step)
            colour = tokens.health(one.state) if one.state != "none" else tokens.muted
            middle = row.top() + min(step - 10, step * 0.5 + 10)
            room = QRectF(area.left(), middle - 26, area.width() - 90, 18)
            paint_words(painter, self.font(), tokens.text, room, one.name)
            room = QRectF(area.right() - 90, middle - 26, 90, 18)
            paint_words(painter, self.font(), colour, room, one.text, _RIGHT, bold=True)
            if one.interval is not None:
                low, high = (QPointF(scale.pixel(_within(value, reach)), middle) for value in one.interval)
                paint_whisker(painter, colour, low, high)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colour))
            painter.drawEllipse(QPointF(scale.pixel(_within(one.value, reach)), middle), 4.5, 4.5)

    def _reach(self) -> float:
        ends = [abs(value) for one in self._chart.bars for value in (one.value, *(one.interval or ()))]
        ends += [abs(value) for value in self._chart.floor or ()]
        return with_room(max(ends, default=1.0) * 1.05)

    def _paint_scale(self, painter: QPainter, area: QRectF, scale: Scale) -> None:
        tokens = self._theme.tokens
        if self._chart.floor is not None:
            low, high = (scale.pixel(value) for value in self._chart.floor)
            painter.fillRect(QRectF(low, area.top(), high - low, area.height()), QColor(tokens.surface3))
        for value in value_ticks(scale.low, scale.high, max(2, int(area.width() // 80)))[0]:
            x = round(scale.pixel(value)) + 0.5
            painter.setPen(QPen(QColor(tokens.muted if value == 0 else tokens.line), 1))
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
            text = f"{'+' if value > 0 else ''}{format_value(value, '%')}"
            room = QRectF(x - 40, area.bottom() + 4, 80, 16)
            paint_words(painter, self.font(), tokens.muted, room, text, _CENTRE, pixels=11)
        if self._chart.floor is not None:
            room = QRectF(scale.pixel(self._chart.floor[0]) + 4, area.bottom() - 16, 100, 14)
            paint_words(painter, self.font(), tokens.muted, room, "noise floor", _LEFT, pixels=11)


def _within(value: float, reach: float) -> float:
    return max(-reach, min(reach, value))


def _short(value: float) -> str:
    """Return a number that has room in a narrow column: ``4,083``, ``47.9 k``."""
    return f"{value / 1000:.3g} k" if 10_000 <= abs(value) < 1_000_000 else format_value(value, "")
