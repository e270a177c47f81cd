"""A chart of the comparison: a counter in A and in B, laid over each other in minutes from each start."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFontMetrics,
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from resources.foreign_text import shown
from resources.units import format_value
from viewmodels.comparison_charts import Curve, OverlayChart, nearest
from viewmodels.comparison_page import ComparedRow
from widgets.eliding import NameElider
from widgets.theme import Theme
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
    paint_words,
    with_room,
)
from wizards.pages.compare_cells import side_colour
from wizards.pages.compare_chart_painting import OverlayPainter
from wizards.pages.fonts import sized


class OverlayChartView(QWidget):
    """Shows an ``OverlayChart``.

    Signals: ``pointed`` with the minute under the mouse, None where it left; ``chosen`` when it is clicked:
    its row is to be chosen; ``pinned`` when it is to be pinned or let go. Charts of one page show each
    other's crosshair (``point_at``).
    """

    pointed = Signal(object)
    chosen = Signal()
    pinned = Signal()

    def __init__(self, theme: Theme, names: NameElider, parent: QWidget | None = None) -> None:
        """``names`` are those of all charts of the page."""
        super().__init__(parent)
        self._theme, self._names = theme, names
        self._chart: OverlayChart | None = None
        self.hint = ""
        """What stands in the card while there is no chart: why, and what to do."""
        self._minutes = 1.0
        self._pointed: float | None = None
        self._is_lit = self._is_pinned = False
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(200, 104)
        self.setMouseTracking(True)
        theme.changed.connect(self.update)

    @property
    def chart(self) -> OverlayChart | None:
        """What is shown, None for nothing yet."""
        return self._chart

    def show_chart(
        self, chart: OverlayChart | None, minutes: float, *, is_lit: bool = False, is_pinned: bool = False
    ) -> None:
        """Show a chart over so many minutes; ``is_lit`` if its row is the chosen one."""
        self._chart, self._minutes = chart, max(minutes, 1 / 60)
        self._is_lit, self._is_pinned = is_lit, is_pinned
        if chart is None:
            self.setAccessibleName("Chart of both windows")
            self.setAccessibleDescription(self.hint)
        else:
            row = chart.row
            self.setAccessibleName(f"{row.counter} of {row.name}")
            self.setAccessibleDescription(f"A {row.a}, B {row.b}, change {row.change}, {row.judged}")
        self.update()

    def point_at(self, minute: float | None) -> None:
        """Show the crosshair at a minute, or none."""
        self._pointed = minute
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        """Return the usual size."""
        return QSize(420, 168)

    def area(self) -> QRectF:
        """Return where curves are, in pixels."""
        left = PAD + LABELS - 6
        return QRectF(left, HEAD, self.width() - left - PAD, max(10.0, self.height() - HEAD - FOOT - 4))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Move the crosshair."""
        inside = self.area().contains(event.position())
        self.pointed.emit(self._times().value(event.position().x()) if inside else None)

    def leaveEvent(self, _event: QEvent) -> None:  # noqa: N802
        """Hide the crosshair."""
        self.pointed.emit(None)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Take the click; it counts when the button is let go."""
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """A click on the pin pins the chart; anywhere else it chooses its row."""
        if event.button() != Qt.MouseButton.LeftButton or self._chart is None:
            return
        if self._pin_area().contains(event.position()):
            self.pinned.emit()
        else:
            self.chosen.emit()

    def event(self, event: QEvent) -> bool:
        """Say the values under the mouse."""
        if isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self._tip(QPointF(event.pos())), self)
            return True
        return super().event(event)

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """Show the focus ring."""
        super().focusInEvent(event)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Paint title, axes, what is left out, and both curves."""
        painter, tokens = QPainter(self), self._theme.tokens
        paint_card(painter, QRectF(self.rect()), tokens, is_lit=self._is_lit)
        chart, area = self._chart, self.area()
        if chart is None:
            middle = Qt.AlignmentFlag.AlignHCenter
            paint_words(painter, self.font(), tokens.faint, area, self.hint, middle)
            return
        self._paint_head(painter, chart)
        low, high = chart.values
        bottom = -with_room(-low) if low < 0 else 0.0
        values = Scale(bottom, with_room(high), area.bottom(), area.top())
        overlay = OverlayPainter(painter, tokens, self.font(), area, self._times(), values)
        overlay.paint_values()
        overlay.paint_curves(chart, self._pointed)
        overlay.paint_left_out(chart)
        overlay.paint_times(self.width() - 8)

    def _paint_head(self, painter: QPainter, chart: OverlayChart) -> None:
        tokens, row = self._theme.tokens, chart.row
        right = float(self.width() - PAD - 22)
        entries = [
            LegendEntry("A", self._number(chart.a, row.a), side_colour(tokens, "a")),
            LegendEntry("B", self._number(chart.b, row.b), side_colour(tokens, "b")),
        ]
        wanted = min(legend_width(painter, self.font(), entries) + 12, self.width() * 0.6)
        title = self._title(row, right - wanted - PAD)
        ends = paint_title(painter, self.font(), tokens, title, "", right - wanted)
        paint_legend(painter, self.font(), tokens, entries, right, right - ends - 8)
        name = "pinned" if self._is_pinned else "pin"
        colour = tokens.accent if self._is_pinned else tokens.faint
        box = self._pin_area()
        self._theme.icons.get(name, colour).paint(painter, box.toRect())

    def _title(self, row: ComparedRow, room: float) -> str:
        """The counter and whose it is; the name is shortened so that it can be told from the others."""
        metrics = QFontMetrics(sized(self.font(), 13, bold=True))
        left = room - metrics.horizontalAdvance(f"{row.counter} of ") - 2
        return f"{row.counter} of {self._names.elided(row.name, max(int(left), 60), metrics)}"

    def _pin_area(self) -> QRectF:
        return QRectF(self.width() - PAD - 16, HEAD / 2 - 8, 16, 16)

    def _number(self, curve: Curve, mean: str) -> str:
        """The value under the crosshair, without one the mean."""
        if self._pointed is None or self._chart is None:
            return mean
        value = nearest(curve, self._pointed)
        return format_value(value, shown(self._chart.row.unit)) if math.isfinite(value) else "–"

    def _times(self) -> Scale:
        area = self.area()
        return Scale(0.0, self._minutes, area.left(), area.right())

    def _tip(self, at: QPointF) -> str:
        chart = self._chart
        if chart is None:
            return ""
        row = chart.row
        if self._pin_area().contains(at):
            return "Let the chart go" if self._is_pinned else "Pin the chart (P)"
        if not self.area().contains(at):
            return f"{row.counter} of {row.name}\n{row.why}\n{row.samples}"
        minute = self._times().value(at.x())
        lines = [_minute_text(minute)]
        for name, curve in (("A", chart.a), ("B", chart.b)):
            value = nearest(curve, minute)
            text = format_value(value, shown(row.unit)) if math.isfinite(value) else "no sample"
            lines.append(f"{name}: {text}")
        return "\n".join(lines)


def _minute_text(minute: float) -> str:
    whole = round(minute * 60)
    return f"t0 +{whole // 60}:{whole % 60:02}"
