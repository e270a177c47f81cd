"""Draws all curves of a chart at once, in screen pixels.

Measured on 1,800 points in Qt's raster engine: a polyline of width 1.4 takes 60 ms, the same as separate
lines 1.2 ms, thin lines without antialiasing 0.3 ms. So curves are separate lines: antialiased and with two
points a pixel column if they are few, otherwise with one point, since many curves overlap anyway.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from pyqtgraph.Qt import internals
from PySide6.QtCore import QLineF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from viewmodels.curve import Curve
from viewmodels.joined_sources import SourcesApart
from widgets.charts.whole_view import WholeView

_SMOOTH_POINTS = 8_000
_SMOOTH_WIDTH = 1.4
_FEW = 16


@dataclass(frozen=True, slots=True)
class Drawn:
    """A curve, its colour, the unit of its values, and how far it is from those of finer sources."""

    curve: Curve
    colour: str
    unit: str = ""
    apart: Sequence[SourcesApart] = ()


class CurvesItem(WholeView):
    """The graphics item with the curves of one chart; its coordinates are ms and the chart's unit."""

    def __init__(self) -> None:
        super().__init__()
        self._curves: Sequence[Drawn] = ()
        self._highlight: int | None = None
        self._lines = internals.PrimitiveArray(QLineF, 4)

    def set_curves(self, curves: Sequence[Drawn]) -> None:
        """Draw these curves."""
        self._curves = curves
        self.update()

    def highlight(self, number: int | None) -> None:
        """Draw curve ``number`` on top and the others faint; None draws all alike."""
        if number != self._highlight:
            self._highlight = number
            self.update()

    def paint(
        self,
        painter: QPainter,
        _option: QStyleOptionGraphicsItem,
        _widget: QWidget | None = None,
    ) -> None:
        """Downsample each curve to the width of the screen and draw it."""
        area = self.boundingRect()
        transform = painter.worldTransform()
        pixels = abs(transform.m11() * area.width())
        if not self._curves or pixels < 1:
            return
        points = max(int(pixels) * (2 if len(self._curves) <= _FEW else 1), 8)
        lines = [drawn.curve.line(area.left(), area.right(), points) for drawn in self._curves]
        smooth = sum(line.x.size for line in lines) <= _SMOOTH_POINTS
        ratio = painter.device().devicePixelRatio()  # a cosmetic pen is as many device pixels wide
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, smooth)
        order = sorted(range(len(lines)), key=lambda number: number == self._highlight)
        for number in reversed(order) if self._highlight is None else order:
            line = lines[number]
            if not line.x.size:
                continue
            x = line.x * transform.m11() + transform.dx()
            y = line.y * transform.m22() + transform.dy()
            painter.setPen(self._pen(number, ratio, smooth=smooth))
            self._draw(painter, x, y, line.joined)

    def _pen(self, number: int, ratio: float, *, smooth: bool) -> QPen:
        colour = QColor(self._curves[number].colour)
        if self._highlight is not None and number != self._highlight:
            colour.setAlphaF(0.3)
        pen = QPen(colour, (_SMOOTH_WIDTH if smooth else 1.0) * ratio)
        pen.setCosmetic(True)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        return pen

    def _draw(self, painter: QPainter, x: np.ndarray, y: np.ndarray, joined: np.ndarray) -> None:
        starts = np.flatnonzero(joined)
        alone = np.flatnonzero(~np.concatenate([[False], joined]) & ~np.concatenate([joined, [False]]))
        self._lines.resize(starts.size + alone.size)
        table = self._lines.ndarray()
        table[: starts.size, 0], table[: starts.size, 1] = x[starts], y[starts]
        table[: starts.size, 2], table[: starts.size, 3] = x[starts + 1], y[starts + 1]
        table[starts.size :, 0], table[starts.size :, 2] = x[alone] - 1.5, x[alone] + 1.5
        table[starts.size :, 1] = table[starts.size :, 3] = y[alone]
        painter.drawLines(*self._lines.drawargs())
