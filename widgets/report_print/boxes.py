"""What stands on a printed page, each in a box that is never cut: texts, rows of tables, drawings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QPainter, QPen, QTextCharFormat, QTextLayout, QTextOption

from resources.foreign_text import visible, with_units_kept
from viewmodels.report.document import Run
from widgets.report_print.ink import Ink

_LETTERS = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff\U0001e800-\U0001efff"
_RIGHT_TO_LEFT = re.compile(f"[{_LETTERS}]+(?:[^A-Za-z0-9{_LETTERS}]+[{_LETTERS}]+)*")
_LEADING = 1.36
"""The distance of lines, as a part of the font's size."""


class Box(Protocol):
    """Something of a fixed height at a given width; a box is painted whole, on one page."""

    height: float
    keeps_next: bool
    """True for a heading: it stands on the same page as what follows."""
    repeats: Box | None
    """What stands again on top of a page that begins with this box: the heads of a table."""
    ends_page: bool

    def paint(self, painter: QPainter, x: float, y: float) -> None:
        """Paint with the upper left corner at this point."""


@dataclass
class Lines:
    """A text of pieces, wrapped in a width."""

    layout: QTextLayout
    height: float

    @classmethod
    def of(
        cls,
        ink: Ink,
        runs: Sequence[Run],
        points: float,
        width: float,
        *,
        at_right: bool = False,
        bold: bool = False,
    ) -> Lines:
        """Wrap a text; words of another direction can't reorder those beside them."""
        font = ink.font(points, is_bold=bold)
        text, formats = _formatted(ink, runs, points)
        layout = QTextLayout(text, font, ink.device)
        option = QTextOption(Qt.AlignmentFlag.AlignRight if at_right else Qt.AlignmentFlag.AlignLeft)
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        option.setTextDirection(Qt.LayoutDirection.LeftToRight)
        layout.setTextOption(option)
        layout.setFormats(formats)
        step = points * _LEADING * ink.point
        layout.beginLayout()
        y = 0.0
        while (line := layout.createLine()).isValid():
            line.setLineWidth(width)
            line.setPosition(QPointF(0, y))
            y += step
        layout.endLayout()
        return cls(layout, max(y, step))

    def paint(self, painter: QPainter, x: float, y: float) -> None:
        """Paint the lines."""
        self.layout.draw(painter, QPointF(x, y))


def _formatted(ink: Ink, runs: Sequence[Run], points: float) -> tuple[str, list[QTextLayout.FormatRange]]:
    text, formats = "", list[QTextLayout.FormatRange]()
    for run in runs:
        piece = _RIGHT_TO_LEFT.sub(
            lambda found: f"\u2068{found[0]}\u2069", with_units_kept(visible(run.text), "\N{NO-BREAK SPACE}")
        )
        one = QTextLayout.FormatRange()
        one.start, one.length = len(text.encode("utf-16-le")) // 2, len(piece.encode("utf-16-le")) // 2
        style = QTextCharFormat()
        style.setFont(ink.font(points, is_bold=run.is_bold))
        style.setForeground(QBrush(ink.colour(run.tone)))
        one.format = style
        formats.append(one)
        text += piece
    return text, formats


@dataclass
class TextBox:
    """A paragraph: space above, an edge or background if it has any, its lines."""

    ink: Ink
    lines: Lines
    width: float
    above: float = 3.0
    indent: float = 0.0
    padding: float = 0.0
    mark: Lines | None = None
    edge: str = ""
    keeps_next: bool = False
    ends_page: bool = False
    repeats: Box | None = None
    height: float = field(init=False)

    def __post_init__(self) -> None:
        self.height = self.lines.height + (self.above + 2 * self.padding) * self.ink.point

    def paint(self, painter: QPainter, x: float, y: float) -> None:
        """Paint the paragraph."""
        point = self.ink.point
        top = y + self.above * point
        if self.edge:
            rest = QRectF(x, top, self.width, self.height - self.above * point)
            painter.fillRect(rest, self.ink.tint(self.edge))
            painter.fillRect(QRectF(x, top, 2 * point, rest.height()), self.ink.colour(self.edge))
        if self.mark is not None:
            self.mark.paint(painter, x + (self.indent - 12) * point, top + self.padding * point)
        self.lines.paint(painter, x + (self.indent + self.padding) * point, top + self.padding * point)


@dataclass
class RowBox:
    """A row of a table: cells side by side, with a line below."""

    ink: Ink
    cells: Sequence[Lines]
    places: Sequence[float]
    width: float
    line: str = "line"
    keeps_next: bool = False
    ends_page: bool = False
    repeats: Box | None = None
    height: float = field(init=False)

    def __post_init__(self) -> None:
        self.height = max((one.height for one in self.cells), default=0.0) + 4 * self.ink.point

    def paint(self, painter: QPainter, x: float, y: float) -> None:
        """Paint the row."""
        point = self.ink.point
        for lines, place in zip(self.cells, self.places, strict=True):
            lines.paint(painter, x + place, y + 2 * point)
        line = QRectF(x, y + self.height - 0.5 * point, self.width, 0.5 * point)
        painter.fillRect(line, self.ink.colour(self.line))


@dataclass
class SideBySide:
    """Numbers in frames beside each other."""

    ink: Ink
    tiles: Sequence[tuple[Lines, Lines]]
    each: float
    gap: float
    keeps_next: bool = False
    ends_page: bool = False
    repeats: Box | None = None
    height: float = field(init=False)

    def __post_init__(self) -> None:
        tallest = max((value.height + label.height for value, label in self.tiles), default=0.0)
        self.height = tallest + 20 * self.ink.point

    def paint(self, painter: QPainter, x: float, y: float) -> None:
        """Paint the numbers."""
        point = self.ink.point
        for number, (value, label) in enumerate(self.tiles):
            left, top = x + number * (self.each + self.gap), y + 6 * point
            painter.setPen(QPen(self.ink.colour("line"), 0.6 * point))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(left, top, self.each, self.height - 10 * point))
            value.paint(painter, left + 6 * point, top + 4 * point)
            label.paint(painter, left + 6 * point, top + 4 * point + value.height)
