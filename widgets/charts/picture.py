"""Charts as a picture for a report: drawn anew from their values, without focus, pointer or buttons.

All functions may be called in a worker thread: nothing here touches a widget.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from PySide6.QtCore import QBuffer, QIODevice, QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPen, QPolygonF
from PySide6.QtSvg import QSvgGenerator

from resources.foreign_text import shown
from resources.units import format_value, readable_unit
from sessions.model import Event, Mark
from sessions.times import TimeRange
from viewmodels.axis_events import Track
from viewmodels.chart_spec import Band, Limit
from viewmodels.clipped_lines import clipped_lines
from viewmodels.curve import Line, NamedCurve
from viewmodels.time_labels import Clock, time_label, time_ticks
from viewmodels.value_ticks import value_ticks
from widgets.charts.apart import ApartPart, notes_of
from widgets.charts.axes import value_label
from widgets.charts.curve_numbers import values_of
from widgets.charts.decorations import BandPart, EventsPart, Frame, LimitsPart
from widgets.charts.flags import FlagsPart
from widgets.theme import Tokens, body_font

RATIO = 2
"""Pixels of a PNG for each pixel of the screen."""
_MARGIN, _GAP = 20, 18
_PLOT_HEIGHT, _AXIS_WIDTH, _AXIS_HEIGHT = 220, 56, 24
_TITLE_PX, _TEXT_PX, _AXIS_PX = 15, 12, 11
_TITLE_ROW, _LEGEND_ROW, _FOOT_ROW = 24, 20, 22
_DASH = 14
_LINE = 1.4
_MAX_TICKS = 5
_MOST_SAID = 160
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_CENTER = Qt.AlignmentFlag.AlignCenter


@dataclass(frozen=True, slots=True)
class PictureChart:
    """A chart of a picture. ``values``: the lowest and highest value of the axis, in ``unit``."""

    title: str
    note: str
    unit: str
    curves: Sequence[NamedCurve]
    values: tuple[float, float]
    limits: Sequence[Limit] = ()
    bands: Sequence[Band] = ()


@dataclass(frozen=True, slots=True)
class Picture:
    """Charts above each other over one window.

    ``session`` is the session's name. ``at`` is the moment (ms) of the values in the legends, NaN for the
    last ones of the window. Make it in the GUI thread: its ``font`` is the system's.
    """

    charts: Sequence[PictureChart]
    window: TimeRange
    clock: Clock
    session: str
    tokens: Tokens
    width: int = 1000
    at: float = math.nan
    events: Track[Event] = field(default_factory=Track)
    marks: Track[Mark] = field(default_factory=Track)
    font: QFont = field(default_factory=body_font)

    def sized_font(self, pixels: int, *, bold: bool = False) -> QFont:
        """Return the picture's font in a size."""
        font = QFont(self.font)
        font.setPixelSize(pixels)
        font.setBold(bold)
        return font

    def in_colours(self, tokens: Tokens) -> Picture:
        """Return the same picture in the colours of a theme."""
        return replace(self, tokens=tokens)


def image_of(picture: Picture) -> QImage:
    """Return the picture as an image of twice as many pixels as on the screen."""
    size = _size(picture)
    image = QImage(size * RATIO, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(RATIO)
    painter = QPainter(image)
    _Drawing(painter, picture).draw()
    painter.end()
    return image


def png_of(picture: Picture) -> bytes:
    """Return the picture as a PNG file."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image_of(picture).save(buffer, "PNG")  # type: ignore[call-overload]  # PySide's stubs want bytes here
    return bytes(buffer.data().data())


def svg_of(picture: Picture) -> bytes:
    """Return the picture as an SVG file."""
    buffer = QBuffer()
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    size = _size(picture)
    generator.setSize(size)
    generator.setViewBox(QRectF(0, 0, size.width(), size.height()))
    generator.setResolution(96)
    generator.setTitle(", ".join(shown(chart.title) for chart in picture.charts))
    generator.setDescription(_foot(picture))
    painter = QPainter(generator)
    _Drawing(painter, picture).draw()
    painter.end()
    return bytes(buffer.data().data())


def _size(picture: Picture) -> QSize:
    heights = [_height(picture, chart) for chart in picture.charts]
    return QSize(picture.width, round(2 * _MARGIN + sum(heights) + _GAP * len(heights) + _FOOT_ROW))


def _height(picture: Picture, chart: PictureChart) -> float:
    rows = len(_legend_rows(picture, chart)) + bool(_apart_of(chart))
    return _TITLE_ROW + rows * _LEGEND_ROW + _PLOT_HEIGHT + _AXIS_HEIGHT


def _apart_of(chart: PictureChart) -> str:
    """Return what is not drawn, and how far sources are apart, in a line; empty for nothing."""
    return shown(notes_of(chart.curves), _MOST_SAID)


def _foot(picture: Picture) -> str:
    """Return the line below the charts: the session, the time with date and zone, and where values are of."""
    window, clock = picture.window, picture.clock
    parts = [shown(picture.session), f"{clock.stamp(window.start)} – {clock.stamp(window.end)}"]
    if not math.isnan(picture.at):
        parts.append(f"values at {clock.moment(picture.at)}")
    return " · ".join(filter(None, parts))


def _values(picture: Picture, chart: PictureChart) -> list[tuple[str, str, str]]:
    """Return colour, name and value of each curve."""
    window, found = picture.window, []
    values = values_of(chart.curves, (window.start, window.end), picture.at)
    for number, (named, value) in enumerate(zip(chart.curves, values, strict=True)):
        name = shown(named.name)
        found.append((picture.tokens.curve(number), name, format_value(value, named.unit)))
    return found


def _legend_rows(picture: Picture, chart: PictureChart) -> list[list[tuple[float, str, str, str]]]:
    """Return the legend as rows of (left, colour, name, value) that fit into the width."""
    metrics = QFontMetricsF(picture.sized_font(_TEXT_PX))
    rows: list[list[tuple[float, str, str, str]]] = [[]]
    left = float(_MARGIN)
    for colour, name, value in _values(picture, chart):
        width = _DASH + 6 + metrics.horizontalAdvance(f"{name}  {value}") + 18
        if rows[-1] and left + width > picture.width - _MARGIN:
            rows.append([])
            left = float(_MARGIN)
        rows[-1].append((left, colour, name, value))
        left += width
    return rows


class _Drawing:
    """Draws a picture with one painter."""

    def __init__(self, painter: QPainter, picture: Picture) -> None:
        self._painter, self._picture, self._tokens = painter, picture, picture.tokens

    def draw(self) -> None:
        """Draw ground, charts and the line below them."""
        size = _size(self._picture)
        self._painter.fillRect(QRectF(0, 0, size.width(), size.height()), QColor(self._tokens.surface1))
        top = float(_MARGIN)
        for chart in self._picture.charts:
            self._draw_chart(chart, top)
            top += _height(self._picture, chart) + _GAP
        place = QRectF(_MARGIN, top, self._picture.width - 2 * _MARGIN, _FOOT_ROW)
        self._text(place, _LEFT, _foot(self._picture), self._tokens.muted, _TEXT_PX)
        self._text(place, _RIGHT, "Hyperscope", self._tokens.faint, _TEXT_PX)

    def _draw_chart(self, chart: PictureChart, top: float) -> None:
        tokens, width = self._tokens, self._picture.width
        title = self._picture.sized_font(_TITLE_PX, bold=True)
        name = shown(chart.title)
        self._text(QRectF(_MARGIN, top, width - 2 * _MARGIN, _TITLE_ROW), _LEFT, name, tokens.text, title)
        beside = _MARGIN + QFontMetricsF(title).horizontalAdvance(name) + 12
        size, unit = readable_unit(max(map(abs, chart.values)), chart.unit)
        note = ", ".join(filter(None, (unit, chart.note)))
        self._text(QRectF(beside, top, width, _TITLE_ROW), _LEFT, note, tokens.muted, _TEXT_PX)
        top += _TITLE_ROW
        for row in _legend_rows(self._picture, chart):
            self._draw_legend(row, top)
            top += _LEGEND_ROW
        if apart := _apart_of(chart):
            place = QRectF(_MARGIN, top, width - 2 * _MARGIN, _LEGEND_ROW)
            self._text(place, _LEFT, apart, tokens.muted, _TEXT_PX)
            top += _LEGEND_ROW
        low, high = chart.values
        window = self._picture.window
        pixels = QRectF(_MARGIN + _AXIS_WIDTH, top, width - 2 * _MARGIN - _AXIS_WIDTH, _PLOT_HEIGHT)
        area = QRectF(window.start, low, window.end - window.start, high - low)
        self._draw_plot(chart, Frame(area, pixels), size)

    def _draw_legend(self, row: Sequence[tuple[float, str, str, str]], top: float) -> None:
        metrics = QFontMetricsF(self._picture.sized_font(_TEXT_PX))
        for left, colour, name, value in row:
            self._painter.fillRect(QRectF(left, top + _LEGEND_ROW / 2 - 1.5, _DASH, 3), QColor(colour))
            place = QRectF(left + _DASH + 6, top, self._picture.width, _LEGEND_ROW)
            self._text(place, _LEFT, name, self._tokens.muted, _TEXT_PX)
            place.translate(metrics.horizontalAdvance(f"{name}  "), 0)
            self._text(place, _LEFT, value, self._tokens.text, _TEXT_PX)

    def _draw_plot(self, chart: PictureChart, frame: Frame, unit_size: float) -> None:
        painter, tokens, picture = self._painter, self._tokens, self._picture
        font = picture.sized_font(_AXIS_PX)
        self._draw_axes(frame, unit_size)
        painter.save()
        painter.setClipRect(frame.pixels.adjusted(-1, -1, 1, 1))
        for band in chart.bands:
            BandPart(band.window, tokens.health(band.severity)).draw(painter, frame)
        for number, named in enumerate(chart.curves):
            for one in named.apart:
                ApartPart(one, tokens.curve(number)).draw(painter, frame)
        EventsPart(picture.events, tokens.faint, dotted=True).draw(painter, frame)
        EventsPart(picture.marks, tokens.accent, dotted=False).draw(painter, frame)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for number, named in reversed(list(enumerate(chart.curves))):
            points = round(frame.pixels.width()) * RATIO
            line = named.curve.line(frame.area.left(), frame.area.right(), points)
            painter.setPen(QPen(QColor(tokens.curve(number)), _LINE))
            self._draw_curve(line, frame)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        limits = sorted(chart.limits, key=lambda limit: -limit.value)
        LimitsPart([(one, tokens.health(one.severity)) for one in limits], font, tokens.surface1).draw(
            painter, frame
        )
        FlagsPart(picture.marks, picture.events, font, tokens.accent, tokens.muted, tokens.surface2).draw(
            painter, frame
        )
        if frame.area.left() <= picture.at <= frame.area.right():
            painter.setPen(QPen(QColor(tokens.text), 1))
            x = frame.x(picture.at)
            painter.drawLine(QLineF(x, frame.pixels.top(), x, frame.pixels.bottom()))
        painter.restore()

    def _draw_axes(self, frame: Frame, unit_size: float) -> None:
        painter, tokens, clock, pixels = self._painter, self._tokens, self._picture.clock, frame.pixels
        low, high = frame.area.top() / unit_size, frame.area.bottom() / unit_size
        values, step = value_ticks(low, high, _MAX_TICKS)
        for value in values:
            y = round(frame.y(value * unit_size)) + 0.5
            painter.setPen(QPen(QColor(tokens.line), 1))
            painter.drawLine(QLineF(pixels.left(), y, pixels.right(), y))
            place = QRectF(_MARGIN, y - 9, _AXIS_WIDTH - 8, 18)
            self._text(place, _RIGHT, value_label(value, step), tokens.muted, _AXIS_PX)
        ticks, span = time_ticks(frame.area.left(), frame.area.right(), pixels.width(), clock)
        for tick in ticks:
            place = QRectF(frame.x(tick) - 40, pixels.bottom() + 4, 80, _AXIS_HEIGHT - 6)
            self._text(place, _CENTER, time_label(tick, span, clock), tokens.muted, _AXIS_PX)

    def _draw_curve(self, line: Line, frame: Frame) -> None:
        """Draw the connected stretches of a curve as one line each: so an SVG stays small. An SVG does not
        hide what is beyond the plot: it is cut off.
        """
        if not line.x.size:
            return
        scale_x = frame.pixels.width() / max(frame.area.width(), 1e-9)
        scale_y = frame.pixels.height() / max(frame.area.height(), 1e-12)
        x = frame.pixels.left() + (line.x - frame.area.left()) * scale_x
        y = frame.pixels.bottom() - (line.y - frame.area.top()) * scale_y
        box = frame.pixels.left(), frame.pixels.top(), frame.pixels.right(), frame.pixels.bottom()
        for part in clipped_lines(x, y, line.joined, box):
            points = [QPointF(*point) for point in part.tolist()]
            if len(points) == 1:
                points = [points[0] - QPointF(_LINE, 0), points[0] + QPointF(_LINE, 0)]
            if isinstance(self._painter.device(), QImage):  # ten times faster there, and looks the same
                self._painter.drawLines([QLineF(*pair) for pair in pairwise(points)])
            else:
                self._painter.drawPolyline(QPolygonF(points))

    def _text(
        self, place: QRectF, alignment: Qt.AlignmentFlag, text: str, colour: str, font: QFont | int
    ) -> None:
        self._painter.setFont(self._picture.sized_font(font) if isinstance(font, int) else font)
        self._painter.setPen(QColor(colour))
        self._painter.drawText(place, alignment, text)
