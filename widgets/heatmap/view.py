"""The heat map's page: what to colour by on top, rows of entities below, worst first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QHelpEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from resources.foreign_text import shown, tip
from resources.units import format_count, format_value
from viewmodels.time_labels import Clock, time_label, time_ticks
from widgets.dragging import Draggable
from widgets.empty_state import EmptyState
from widgets.heatmap.matrix import Heat, HeatRow, levels, ramp
from widgets.theme import SYMBOLS, Theme, body_font

_ROW = 18
_NAMES = 190
_WORST = 96
_AXIS = 22
_TICK = 96
_COUNTER_LETTERS, _MEASURE_LETTERS = 16, 12
_KEY_WIDTH, _KEY_HEIGHT = 80, 8
_BOX_WIDTH = 280
_POPUP_MARGINS = 48


class HeatmapView(QWidget):
    """Signals: ``counter_chosen(n)``, ``measure_chosen(n)``, ``chosen(HeatRow, ms)`` for a clicked cell."""

    counter_chosen = Signal(int)
    measure_chosen = Signal(int)
    chosen = Signal(object, object)

    def __init__(self, theme: Theme, clock: Clock, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.counters = QComboBox()
        self.counters.setAccessibleName("Counter")
        self.counters.activated.connect(self.counter_chosen)
        self.measures = QComboBox()
        self.measures.setAccessibleName("Measure")
        self.measures.activated.connect(self.measure_chosen)
        for box, least in ((self.counters, _COUNTER_LETTERS), (self.measures, _MEASURE_LETTERS)):
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(least)
            box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            box.setMaximumWidth(_BOX_WIDTH)
        self._words = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._words.setProperty("role", "muted")
        self._words.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.map = HeatMap(theme, clock)
        self.map.chosen.connect(self.chosen)
        self._empty = EmptyState()
        bar = QHBoxLayout()
        bar.setContentsMargins(10, 6, 12, 6)
        bar.setSpacing(8)
        bar.addWidget(self.counters, 3)
        bar.addWidget(self.measures, 2)
        bar.addStretch(1)
        bar.addWidget(self._words)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(bar)
        column.addWidget(self.map, 1)
        column.addWidget(self._empty, 1)
        self.setFocusProxy(self.map)
        self.say_empty("Open a session to see which entities were worst, and when.")

    def set_choices(self, counters: Sequence[str], measures: Sequence[str]) -> None:
        """What can be coloured, and how a cell is worked out."""
        for box, texts in ((self.counters, counters), (self.measures, measures)):
            now = box.currentText()
            box.clear()
            box.addItems(list(texts))
            box.setCurrentIndex(max(box.findText(now), 0))
            box.view().setMinimumWidth(box.view().sizeHintForColumn(0) + _POPUP_MARGINS)

    def show_heat(self, heat: Heat) -> None:
        """Colour the map."""
        self.map.show_heat(heat)
        limit = f" · limit {format_value(heat.limit, heat.unit)}" if np.isfinite(heat.limit) else ""
        self._words.setText(f"{format_count(len(heat.rows))} rows, worst first{limit}" if heat.rows else "")
        self.say_empty("" if heat.rows else "No entity of this session has that counter in this window.")

    def say_empty(self, text: str) -> None:
        """Say why there is no map; an empty text shows it."""
        self._empty.say(text)
        self._empty.setVisible(bool(text))
        self.map.setVisible(not text)


class HeatMap(QAbstractScrollArea):
    """The painted map, scrolled by rows."""

    chosen = Signal(object, object)

    def __init__(self, theme: Theme, clock: Clock) -> None:
        super().__init__()
        self._theme, self._clock = theme, clock
        self._heat = Heat()
        self._image = QImage()
        self._at = 0
        self._hover: int | None = None
        self.setFrameShape(self.Shape.NoFrame)
        self.setMouseTracking(True)
        self.viewport().setMouseTracking(True)
        self._pressed: int | None = None
        Draggable(self.viewport(), self._dragged)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Heat map")
        theme.changed.connect(self._colour)

    def set_clock(self, clock: Clock) -> None:
        """Show another clock."""
        self._clock = clock
        self.viewport().update()

    def show_heat(self, heat: Heat) -> None:
        """Colour it."""
        self._heat = heat
        self._at = min(self._at, max(len(heat.rows) - 1, 0))
        self._colour()
        self._bars()

    @property
    def heat(self) -> Heat:
        """What is shown."""
        return self._heat

    # -- the user

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Mark the row under the mouse."""
        row = self._row_at(event.position().toPoint())
        if row != self._hover:
            self._hover = row
            self.viewport().update()

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802
        """No row is marked."""
        self._hover = None
        self.viewport().update()
        super().leaveEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """The start of a click or of a drag."""
        self._pressed = self._row_at(event.position().toPoint())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """A click on a cell goes to its chart; a row that is dragged goes where it is dropped."""
        row = self._row_at(event.position().toPoint())
        if row is not None and row == self._pressed and event.button() == Qt.MouseButton.LeftButton:
            self._at = row
            self.chosen.emit(self._heat.rows[row], self._time_at(event.position().x()))

    def _dragged(self, at: QPoint) -> tuple[Sequence[int], str]:
        row = self._row_at(at)
        return ((), "") if row is None else ((self._heat.rows[row].series,), self._heat.rows[row].name)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Up and down choose a row, Enter goes to its chart."""
        steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 15, Qt.Key.Key_PageUp: -15}
        step = steps.get(Qt.Key(event.key()))
        if step is not None and self._heat.rows:
            self._at = max(0, min(len(self._heat.rows) - 1, self._at + step))
            self.verticalScrollBar().setValue(max(0, (self._at - 3) * _ROW))
            self.viewport().update()
        elif event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and self._heat.rows:
            self.chosen.emit(self._heat.rows[self._at], None)
        else:
            super().keyPressEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:  # noqa: N802
        """Tooltips with the value."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            words = self._words_at(event.pos())
            QToolTip.showText(event.globalPos(), tip(words) if words else "", self)
            return True
        return super().viewportEvent(event)

    # -- painting

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Names, cells, worst values, the time axis."""
        painter = QPainter(self.viewport())
        tokens = self._theme.tokens
        painter.fillRect(self.viewport().rect(), QColor(tokens.background))
        painter.setFont(body_font(12))
        top = -self.verticalScrollBar().value()
        area = self._cells()
        if not self._image.isNull():
            target = QRectF(area.left(), top, area.width(), len(self._heat.rows) * _ROW)
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
            painter.drawImage(target, self._image)
        first = max(-top // _ROW, 0)
        last = min(first + self.viewport().height() // _ROW + 2, len(self._heat.rows))
        for number in range(first, last):
            self._paint_row(painter, number, QRect(0, top + number * _ROW, self.viewport().width(), _ROW))
        self._paint_axis(painter, area)

    def _paint_row(self, painter: QPainter, number: int, box: QRect) -> None:
        tokens, row = self._theme.tokens, self._heat.rows[number]
        middle = Qt.AlignmentFlag.AlignVCenter
        if number == self._hover or (number == self._at and self.hasFocus()):
            painter.setPen(QColor(tokens.accent if number == self._at else tokens.faint))
            painter.drawRect(box.adjusted(0, 0, -1, -1))
        painter.setPen(QColor(tokens.background))
        painter.drawLine(_NAMES, box.bottom(), box.right() - _WORST, box.bottom())
        painter.setPen(QColor(tokens.health(row.state)))
        painter.drawText(box.adjusted(10, 0, 0, 0), middle, SYMBOLS[row.state] if row.state != "ok" else "")
        painter.setPen(QColor(tokens.text))
        name = painter.fontMetrics().elidedText(shown(row.name), Qt.TextElideMode.ElideRight, _NAMES - 38)
        painter.drawText(box.adjusted(28, 0, 0, 0), middle, name)
        painter.setPen(QColor(tokens.muted))
        painter.drawText(box.adjusted(0, 0, -12, 0), middle | Qt.AlignmentFlag.AlignRight, row.worst)

    def _paint_axis(self, painter: QPainter, area: QRect) -> None:
        window = self._heat.window
        if window is None:
            return
        strip = QRect(0, self.viewport().height() - _AXIS, self.viewport().width(), _AXIS)
        painter.fillRect(strip, QColor(self._theme.tokens.surface1))
        painter.setFont(body_font(11))
        painter.setPen(QColor(self._theme.tokens.muted))
        middle = Qt.AlignmentFlag.AlignCenter
        ticks, step = time_ticks(window.start, window.end, area.width(), self._clock, _TICK)
        for tick in ticks:
            part = (tick - window.start) / max(window.end - window.start, 1)
            x = area.left() + round(area.width() * part)
            painter.drawText(
                QRect(x - 50, strip.top(), 100, _AXIS), middle, time_label(tick, step, self._clock)
            )
        self._paint_key(painter, strip)

    def _paint_key(self, painter: QPainter, strip: QRect) -> None:
        """What the colours mean, below the names: from 0 over the limit to the strongest colour."""
        heat, metrics = self._heat, painter.fontMetrics()
        middle = Qt.AlignmentFlag.AlignVCenter
        limited = bool(np.isfinite(heat.limit))
        low, high = "0", ("≥ " if limited else "") + format_value(_strongest(heat), heat.unit)
        left = 12 + metrics.horizontalAdvance(low) + 6
        bar = QRect(left, strip.center().y() - _KEY_HEIGHT // 2 + 1, _KEY_WIDTH, _KEY_HEIGHT)
        colours = ramp(self._theme.tokens)
        colours = colours if limited else colours[: colours.size // 2 - 2]
        image = QImage(colours.tobytes(), colours.size, 1, colours.size * 4, QImage.Format.Format_ARGB32)
        painter.drawText(strip.adjusted(12, 0, 0, 0), middle, low)
        painter.drawImage(bar, image)
        painter.drawText(strip.adjusted(bar.right() + 6, 0, 0, 0), middle, high)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """More or fewer rows fit."""
        super().resizeEvent(event)
        self._bars()

    # -- geometry

    def _colour(self) -> None:
        if self._heat.values.size:
            colours = ramp(self._theme.tokens)
            cells = colours[levels(self._heat)]
            cells[~np.isfinite(self._heat.values)] = 0
            cells = np.ascontiguousarray(cells)
            rows, columns = cells.shape
            self._image = QImage(cells.data, columns, rows, columns * 4, QImage.Format.Format_ARGB32).copy()
        else:
            self._image = QImage()
        self.viewport().update()

    def _bars(self) -> None:
        bar = self.verticalScrollBar()
        room = max(self.viewport().height() - _AXIS, 1)
        bar.setRange(0, max(len(self._heat.rows) * _ROW - room, 0))
        bar.setPageStep(room)
        bar.setSingleStep(_ROW * 3)

    def _cells(self) -> QRect:
        return QRect(
            _NAMES, 0, max(self.viewport().width() - _NAMES - _WORST, 1), self.viewport().height() - _AXIS
        )

    def _row_at(self, point: QPoint) -> int | None:
        if point.y() >= self.viewport().height() - _AXIS:
            return None
        row = (point.y() + self.verticalScrollBar().value()) // _ROW
        return row if 0 <= row < len(self._heat.rows) else None

    def _time_at(self, x: float) -> int | None:
        area, window = self._cells(), self._heat.window
        if window is None or not area.left() <= x <= area.right():
            return None
        return window.start + round((x - area.left()) / area.width() * (window.end - window.start))

    def _words_at(self, point: QPoint) -> str:
        number, when = self._row_at(point), self._time_at(point.x())
        if number is None:
            return ""
        row: HeatRow = self._heat.rows[number]
        if when is None or self._heat.window is None or not self._heat.values.size:
            return f"{shown(row.name)}: worst {row.worst}"
        window, columns = self._heat.window, self._heat.values.shape[1]
        part = (when - window.start) / max(window.end - window.start, 1)
        value = float(self._heat.values[number, min(int(part * columns), columns - 1)])
        return f"{shown(row.name)}  {self._clock(when):%H:%M:%S}  {format_value(value, self._heat.unit)}"


def _strongest(heat: Heat) -> float:
    """The value from which on the colour is the strongest, as ``levels`` has it."""
    return max(heat.top, heat.limit * 2) if np.isfinite(heat.limit) else heat.top
