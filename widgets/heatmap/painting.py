"""Paints the heat map: cells as one image, names and worst values, time axis and colour key."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QImage, QPainter, QPen

from resources.foreign_text import shown
from resources.units import format_value
from viewmodels.heat_map import Heat
from viewmodels.time_labels import Clock, time_label, time_ticks
from widgets.eliding import NameElider
from widgets.heatmap.colours import levels, ramp, strongest
from widgets.heatmap.geometry import ROW_HEIGHT, Geometry
from widgets.theme import SYMBOLS, Tokens, body_font

_TICK_WIDTH = 96
_LABEL_GAP = 4
_MOMENT_WIDTH = 1.5
_KEY_WIDTH, _KEY_HEIGHT = 80, 8
_NAMES_FONT = 12
_NAME_LEFT, _BESIDE_NAME = 28, 38
_WORST_RIGHT = 12
_MIDDLE = Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True)
class Marked:
    """The highlighted rows: the one under the mouse, and the one that keys act on (None without focus)."""

    hovered: int | None = None
    current: int | None = None


def cells_image(heat: Heat, tokens: Tokens) -> QImage:
    """Return an image with one pixel for each cell; transparent where nothing was measured."""
    if not heat.values.size:
        return QImage()
    cells = ramp(tokens)[levels(heat)]
    cells[~np.isfinite(heat.values)] = 0
    cells = np.ascontiguousarray(cells)
    rows, columns = cells.shape
    return QImage(cells.data, columns, rows, columns * 4, QImage.Format.Format_ARGB32).copy()


def longest_name(heat: Heat) -> int:
    """Return the width in pixels that the column of names needs to show every name in full."""
    width_of = QFontMetrics(body_font(_NAMES_FONT)).horizontalAdvance
    return max((width_of(shown(row.name)) for row in heat.rows), default=0) + _BESIDE_NAME


def longest_worst(heat: Heat) -> int:
    """Return the width in pixels that the column of worst values needs."""
    width_of = QFontMetrics(body_font(_NAMES_FONT)).horizontalAdvance
    return max((width_of(row.worst) for row in heat.rows), default=0) + 2 * _WORST_RIGHT


@dataclass(frozen=True, slots=True)
class HeatPainter:
    """Paints one heat map into its viewport."""

    painter: QPainter
    heat: Heat
    tokens: Tokens
    geometry: Geometry
    names: NameElider

    def paint(self, image: QImage, marked: Marked, clock: Clock, moment: int | None = None) -> None:
        """Paint background, cells (``image``), highlighted rows, axis and the pinned moment."""
        self.painter.fillRect(QRect(QPoint(), self.geometry.size), QColor(self.tokens.background))
        self.painter.setFont(body_font(_NAMES_FONT))
        area = self.geometry.cells
        if not image.isNull():
            height = len(self.heat.rows) * ROW_HEIGHT
            target = QRectF(area.left(), -self.geometry.scrolled, area.width(), height)
            self.painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
            self.painter.drawImage(target, image)
        for row in self.geometry.rows_in_sight:
            self._paint_row(row, marked)
        if self.heat.window is not None:
            flag = self._flag_of(moment, clock)
            self._paint_axis(clock, flag)
            self._paint_key()
            if moment is not None and flag is not None:
                self._paint_moment(moment, clock, flag)

    def _paint_row(self, number: int, marked: Marked) -> None:
        painter, tokens, row = self.painter, self.tokens, self.heat.rows[number]
        box = self.geometry.row_box(number)
        if number in {marked.hovered, marked.current}:
            painter.setPen(QColor(tokens.accent if number == marked.current else tokens.faint))
            painter.drawRect(box.adjusted(0, 0, -1, -1))
        painter.setPen(QColor(tokens.background))
        painter.drawLine(
            self.geometry.names_width, box.bottom(), box.right() - self.geometry.worst_width, box.bottom()
        )
        painter.setPen(QColor(tokens.health(row.state)))
        painter.drawText(box.adjusted(10, 0, 0, 0), _MIDDLE, SYMBOLS[row.state] if row.state != "ok" else "")
        painter.setPen(QColor(tokens.text))
        room = self.geometry.names_width - _BESIDE_NAME
        name = self.names.elided(shown(row.name), room, painter.fontMetrics())
        painter.drawText(box.adjusted(_NAME_LEFT, 0, 0, 0), _MIDDLE, name)
        painter.setPen(QColor(tokens.muted))
        painter.drawText(
            box.adjusted(0, 0, -_WORST_RIGHT, 0), _MIDDLE | Qt.AlignmentFlag.AlignRight, row.worst
        )

    def _paint_axis(self, clock: Clock, flag: QRectF | None) -> None:
        painter, strip, area, window = self.painter, self.geometry.axis, self.geometry.cells, self.heat.window
        assert window is not None
        painter.fillRect(strip, QColor(self.tokens.surface1))
        painter.setFont(body_font(11))
        painter.setPen(QColor(self.tokens.muted))
        ticks, step = time_ticks(window.start, window.end, area.width(), clock, _TICK_WIDTH)
        for tick in ticks:
            x = area.left() + round(area.width() * self.geometry.part_of_window(tick))
            text = time_label(tick, step, clock)
            width = painter.fontMetrics().horizontalAdvance(text) + 2 * _LABEL_GAP
            box = QRect(x - width // 2, strip.top(), width, strip.height())
            if flag is None or not flag.intersects(QRectF(box)):
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
        zone = strip.adjusted(0, 0, -12, 0)
        painter.drawText(zone, _MIDDLE | Qt.AlignmentFlag.AlignRight, clock.zone_of(window))

    def _flag_of(self, moment: int | None, clock: Clock) -> QRectF | None:
        """Return the place of the flag with the pinned moment's time, None while it is out of sight."""
        window, area, strip = self.heat.window, self.geometry.cells, self.geometry.axis
        if moment is None or window is None or not window.contains(moment):
            return None
        x = area.left() + area.width() * self.geometry.part_of_window(moment)
        width = QFontMetrics(body_font(11)).horizontalAdvance(clock.time(moment)) + 12
        left = max(min(x - width / 2, area.right() - width), float(area.left()))
        return QRectF(left, strip.top() + 2, width, strip.height() - 4)

    def _paint_moment(self, at: int, clock: Clock, flag: QRectF) -> None:
        """Paint the pinned moment: a line over all cells, and its time on the axis."""
        painter, tokens, area = self.painter, self.tokens, self.geometry.cells
        x = area.left() + area.width() * self.geometry.part_of_window(at)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(tokens.text), _MOMENT_WIDTH))
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        painter.setFont(body_font(11))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.accent))
        painter.drawRoundedRect(flag, 4, 4)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QColor(tokens.on_accent))
        painter.drawText(flag, Qt.AlignmentFlag.AlignCenter, clock.time(at))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _paint_key(self) -> None:
        """Paint the colour key below the names: from 0 over the limit to the strongest colour."""
        painter, heat, strip = self.painter, self.heat, self.geometry.axis
        limited = bool(np.isfinite(heat.limit))
        low, high = "0", ("≥ " if limited else "") + format_value(strongest(heat), heat.unit)
        left = 12 + painter.fontMetrics().horizontalAdvance(low) + 6
        bar = QRect(left, strip.center().y() - _KEY_HEIGHT // 2 + 1, _KEY_WIDTH, _KEY_HEIGHT)
        colours = ramp(self.tokens)
        colours = colours if limited else colours[: colours.size // 2 - 2]
        image = QImage(colours.tobytes(), colours.size, 1, colours.size * 4, QImage.Format.Format_ARGB32)
        painter.drawText(strip.adjusted(12, 0, 0, 0), _MIDDLE, low)
        painter.drawImage(bar, image)
        painter.drawText(strip.adjusted(bar.right() + 6, 0, 0, 0), _MIDDLE, high)
