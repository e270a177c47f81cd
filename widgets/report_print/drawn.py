"""Paints a report's drawings: the shapes that are SVG in the file."""

from __future__ import annotations

from dataclasses import dataclass, field

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from viewmodels.report.drawing import TEXT_SIZE, WIDTH, Area, Dot, Drawing, Label, Polyline, Shape
from viewmodels.report.drawing import Box as DrawnBox
from widgets.report_print.boxes import Box, Lines
from widgets.report_print.ink import Ink

_ABOVE, _BETWEEN = 6.0, 2.0


@dataclass
class DrawingBox:
    """A drawing as wide as the page, below its title."""

    ink: Ink
    title: Lines
    drawing: Drawing
    width: float
    keeps_next: bool = False
    ends_page: bool = False
    repeats: Box | None = None
    height: float = field(init=False)

    def __post_init__(self) -> None:
        point = self.ink.point
        self.height = self.title.height + self.drawing.height * self.scale + (_ABOVE + _BETWEEN) * point

    @property
    def scale(self) -> float:
        """A unit of the drawing in units of the device."""
        return self.width / WIDTH

    def paint(self, painter: QPainter, x: float, y: float) -> None:
        """Paint title and shapes."""
        point = self.ink.point
        self.title.paint(painter, x, y + _ABOVE * point)
        painter.save()
        painter.translate(x, y + self.title.height + (_ABOVE + _BETWEEN) * point)
        for shape in self.drawing.shapes:
            self._shape(painter, shape)
        painter.restore()

    def _shape(self, painter: QPainter, shape: Shape) -> None:
        match shape:
            case Polyline():
                painter.setPen(self._pen(shape))
                painter.drawPolyline(self._polygon(shape.points))
            case Area():
                self._fill(painter, self._colour(shape.colour, shape.opacity))
                painter.drawPolygon(self._polygon(shape.points))
            case DrawnBox():
                self._box(painter, shape)
            case Dot():
                self._fill(painter, self._colour(shape.colour))
                radius = shape.radius * self.scale
                painter.drawEllipse(QPointF(shape.x * self.scale, shape.y * self.scale), radius, radius)
            case Label():
                self._label(painter, shape)

    def _box(self, painter: QPainter, box: DrawnBox) -> None:
        parts = (box.x, box.y, max(box.width, 0.0), max(box.height, 0.0))
        place = QRectF(*(part * self.scale for part in parts))
        if box.is_outline:
            painter.setPen(QPen(self._colour(box.colour), self.scale))
            painter.setBrush(Qt.BrushStyle.NoBrush)
        else:
            self._fill(painter, self._colour(box.colour, box.opacity))
        painter.drawRect(place)

    def _label(self, painter: QPainter, label: Label) -> None:
        size = TEXT_SIZE * self.scale / self.ink.point
        font = self.ink.font(size, is_bold=label.is_bold)
        font.setPixelSize(max(1, round(size * self.ink.point)))  # the same on a screen, whatever its density
        width = self.ink.metrics(font).horizontalAdvance(label.text)
        shift = {"start": 0.0, "middle": width / 2, "end": width}[label.anchor]
        painter.setFont(font)
        painter.setPen(self._colour(label.colour))
        painter.drawText(QPointF(label.x * self.scale - shift, label.y * self.scale), label.text)

    def _pen(self, line: Polyline) -> QPen:
        pen = QPen(self._colour(line.colour), line.width * self.scale)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        if line.dash:
            pen.setDashPattern([5.0, 4.0])
        return pen

    def _fill(self, painter: QPainter, colour: QColor) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)

    def _colour(self, name: str, opacity: float = 1.0) -> QColor:
        colour = QColor(self.ink.colour(name))
        colour.setAlphaF(opacity)
        return colour

    def _polygon(self, points: tuple[tuple[float, float], ...]) -> QPolygonF:
        return QPolygonF([QPointF(x * self.scale, y * self.scale) for x, y in points])
