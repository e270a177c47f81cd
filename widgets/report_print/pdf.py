"""Puts a report's boxes on pages and writes them as PDF; needs a QGuiApplication, but no window."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QRectF
from PySide6.QtGui import QPageLayout, QPageSize, QPainter, QPdfWriter

from resources.units import format_count
from viewmodels.report.document import Report, Run
from widgets.report_print.blocks import BoxMaker
from widgets.report_print.boxes import Box, Lines
from widgets.report_print.ink import Ink

PAGE_SIZES: Mapping[str, QPageSize.PageSizeId] = {
    "a4": QPageSize.PageSizeId.A4,
    "letter": QPageSize.PageSizeId.Letter,
}
_DPI = 1200
_SIDE, _TOP, _BOTTOM = 45.0, 62.0, 52.0
"""Margins in points; header and footer stand in those above and below."""
_HEADER, _SMALL = 34.0, 7.2


@dataclass(frozen=True, slots=True)
class _Placed:
    box: Box
    y: float


def report_pdf(report: Report, size: str, check: Callable[[], None] = lambda: None) -> tuple[bytes, int]:
    """Return the PDF file and its number of pages. ``size`` is one of PAGE_SIZES.

    ``check`` is called between boxes and may raise to stop.
    """
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(_DPI)
    writer.setTitle(report.title)
    writer.setCreator(report.program)
    layout = QPageLayout(QPageSize(PAGE_SIZES[size]), QPageLayout.Orientation.Portrait, QMarginsF())
    writer.setPageLayout(layout)
    ink = Ink(writer)
    paper = QRectF(0, 0, writer.width(), writer.height())
    room = paper.adjusted(_SIDE * ink.point, _TOP * ink.point, -_SIDE * ink.point, -_BOTTOM * ink.point)
    pages = paginated(_checked(BoxMaker(ink, room.width()).report(report), check), room.height())
    painter = QPainter(writer)
    try:
        for number, page in enumerate(pages, start=1):
            check()
            if number > 1:
                writer.newPage()
            for one in page:
                one.box.paint(painter, room.left(), room.top() + one.y)
            _margins(painter, ink, room, report, f"{format_count(number)} of {format_count(len(pages))}")
    finally:
        painter.end()
        buffer.close()
    return bytes(content.data()), len(pages)


def _checked(boxes: Iterable[Box], check: Callable[[], None]) -> list[Box]:
    found = []
    for box in boxes:
        check()
        found.append(box)
    return found


def paginated(boxes: Sequence[Box], height: float) -> list[list[_Placed]]:
    """Return pages of boxes, none cut: a heading stays with what follows, a table's heads come again."""
    pages: list[list[_Placed]] = [[]]
    y = 0.0
    for number, box in enumerate(boxes):
        needed = _with_following(boxes, number)
        if pages[-1] and y + needed > height:
            pages.append([])
            y = 0.0
            if box.repeats is not None:
                pages[-1].append(_Placed(box.repeats, y))
                y += box.repeats.height
        pages[-1].append(_Placed(box, y))
        y += box.height
        if box.ends_page and number + 1 < len(boxes):
            pages.append([])
            y = 0.0
    return pages


def _with_following(boxes: Sequence[Box], number: int) -> float:
    """Return the height of a box with all that must stand on the same page below it."""
    needed = boxes[number].height
    while boxes[number].keeps_next and number + 1 < len(boxes):
        number += 1
        needed += boxes[number].height
    return needed


def _margins(painter: QPainter, ink: Ink, room: QRectF, report: Report, number: str) -> None:
    """Paint the header and the footer of a page."""
    point = ink.point
    top, below = _HEADER * point, room.bottom() + 12 * point
    title = report.title if len(report.title) <= 90 else f"{report.title[:89]}…"
    left = [
        Run("hyper", is_bold=True),
        Run("scope", is_bold=True, tone="info"),
        Run(f"   {title}", tone="muted"),
    ]
    Lines.of(ink, left, _SMALL, room.width() * 0.82).paint(painter, room.left(), top)
    right = Lines.of(ink, [Run(number, tone="muted")], _SMALL, room.width(), at_right=True)
    right.paint(painter, room.left(), top)
    painter.fillRect(QRectF(room.left(), top + 14 * point, room.width(), 0.6 * point), ink.colour("line"))
    made = f"Made from {report.session} by {report.program}, {report.made}. Percent of CPU time are per vCPU."
    Lines.of(ink, [Run(made, tone="muted")], _SMALL, room.width()).paint(painter, room.left(), below)
