"""What is drawn behind and over the curves, in pixels: grid, tinted windows, limits, events, marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen

from sessions.times import TimeRange
from viewmodels.axis_events import AxisEvent, Track
from viewmodels.chart_spec import Limit
from widgets.charts.axes import ValueAxis
from widgets.charts.whole_view import WholeView

_TINT = 0.08
_LABEL_PX = 15
_GROUND = 0.8
SPAN_PX = 3
"""Height of the bars of events that lasted, and their minimum width, in pixels."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The visible range in ms and units, and the same rectangle in pixels."""

    area: QRectF
    pixels: QRectF

    def x(self, t_ms: float) -> float:
        """Return the pixel column of the time ``t_ms``."""
        part = (t_ms - self.area.left()) / max(self.area.width(), 1e-9)
        return self.pixels.left() + part * self.pixels.width()

    def y(self, value: float) -> float:
        """Return the pixel row of a value."""
        part = (value - self.area.top()) / max(self.area.height(), 1e-12)
        return self.pixels.bottom() - part * self.pixels.height()


class Part(Protocol):
    """A decoration that can draw itself into a frame."""

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Draw the decoration."""


class Decorations(WholeView):
    """A graphics item that draws several parts, either behind the curves or over them."""

    def __init__(self, depth: float) -> None:
        super().__init__()
        self._parts: Sequence[Part] = ()
        self.setZValue(depth)

    def set_parts(self, parts: Sequence[Part]) -> None:
        """Draw these parts."""
        self._parts = parts
        self.update()

    def paint(self, painter: QPainter, *_rest: object) -> None:
        """Draw every part, in pixels."""
        area = self.boundingRect()
        frame = Frame(area, painter.worldTransform().mapRect(area))
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for part in self._parts:
            part.draw(painter, frame)


@dataclass(frozen=True, slots=True)
class BandPart:
    """A tinted window of time."""

    window: TimeRange
    colour: str

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Tint the window from top to bottom."""
        left = max(frame.x(self.window.start), frame.pixels.left())
        right = min(frame.x(self.window.end), frame.pixels.right())
        if right > left:
            tint = QColor(self.colour)
            tint.setAlphaF(_TINT)
            painter.fillRect(QRectF(left, frame.pixels.top(), right - left, frame.pixels.height()), tint)


@dataclass(frozen=True, slots=True)
class GridPart:
    """A horizontal line at each label of the value axis."""

    axis: ValueAxis
    colour: str

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Draw the lines."""
        painter.setPen(QPen(QColor(self.colour), 1))
        levels = self.axis.tickValues(frame.area.top(), frame.area.bottom(), frame.pixels.height())
        for value in levels[0][1] if levels else ():
            y = round(frame.y(value))
            painter.drawLine(int(frame.pixels.left()), y, int(frame.pixels.right()), y)


@dataclass(frozen=True, slots=True)
class LimitsPart:
    """Thresholds as dashed lines with labels at their right end, on a background that hides the curves there.

    ``limits`` are (limit, colour) pairs.
    """

    limits: Sequence[tuple[Limit, str]]
    font: QFont
    ground: str

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Draw all lines, then the labels over them."""
        painter.setFont(self.font)
        within = [one for one in self.limits if frame.area.top() <= one[0].value <= frame.area.bottom()]
        visible = sorted(within, key=lambda one: -one[0].value)
        for limit, colour in visible:
            y = round(frame.y(limit.value))
            painter.setPen(QPen(QColor(colour), 1, Qt.PenStyle.DashLine))
            painter.drawLine(int(frame.pixels.left()), y, int(frame.pixels.right()), y)
        widths = [painter.fontMetrics().horizontalAdvance(limit.label) for limit, _ in visible]
        boxes = label_boxes([frame.y(limit.value) for limit, _ in visible], widths, frame.pixels)
        ground = QColor(self.ground)
        ground.setAlphaF(_GROUND)
        for (limit, colour), box in zip(visible, boxes, strict=True):
            painter.fillRect(box, ground)
            painter.setPen(QColor(colour))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, limit.label)


def label_boxes(rows: Sequence[float], widths: Sequence[float], area: QRectF) -> list[QRectF]:
    """Return where the labels of limits go: above their line, below it, or on it, further left if need be.

    ``rows`` are the pixel rows of the lines, the highest limit first; ``widths`` are those of the labels in
    pixels. No label overlaps another one, or stands on the line of another limit if there is another place.
    """
    taken: list[QRectF] = []
    for number, (row, width) in enumerate(zip(rows, widths, strict=True)):
        others = [other for at, other in enumerate(rows) if at != number and other != row]
        place = _label_box(round(row), width + 8, others, taken, area)
        while any(place.intersects(other) for other in taken):
            place.translate(-4, 0)
        taken.append(place)
    return taken


def _label_box(
    row: float, width: float, others: Sequence[float], taken: Sequence[QRectF], area: QRectF
) -> QRectF:
    """Return the first place without a label or a line of ``others``; else the one on its own line."""
    above = QRectF(area.right() - width, row - _LABEL_PX, width, _LABEL_PX)
    on_it = above.translated(0, _LABEL_PX / 2)
    for place in (above, above.translated(0, _LABEL_PX + 1), on_it):
        crossed = any(place.top() <= other <= place.bottom() for other in others)
        if area.contains(place) and not crossed and not any(place.intersects(one) for one in taken):
            return place
    inside = min(max(on_it.top(), area.top()), area.bottom() - _LABEL_PX)
    return on_it.translated(0, inside - on_it.top())


@dataclass(frozen=True, slots=True)
class EventsPart:
    """Events or marks: a thin vertical line where each begins, and a bar at the top for as long as it
    lasted.
    """

    track: Track[AxisEvent]
    colour: str
    dotted: bool

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Draw the visible events."""
        window = TimeRange(int(frame.area.left()), int(frame.area.right()))
        left, right, top = frame.pixels.left(), frame.pixels.right(), frame.pixels.top()
        style = Qt.PenStyle.DotLine if self.dotted else Qt.PenStyle.SolidLine
        painter.setPen(QPen(QColor(self.colour), 1, style))
        for x, _ in self.track.ticks(window, left, right):
            painter.drawLine(x, int(top), x, int(frame.pixels.bottom()))
        for begin, end in self.track.bars(window, left, right, SPAN_PX):
            painter.fillRect(QRectF(begin, top, end - begin, SPAN_PX), QColor(self.colour))
