"""Puts a report's boxes on pages and writes them as PDF; needs a QGuiApplication, but no window."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
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
PAPERS: Mapping[str, str] = {"a4": "A4", "letter": "Letter"}
"""What each size of paper is called."""
_DPI = 1200
_SIDE, _TOP, _BOTTOM = 45.0, 62.0, 52.0
"""Margins in points; header and footer stand in those above and below."""
_HEADER, _SMALL = 34.0, 7.2


@dataclass(frozen=True, slots=True)
class _Placed:
    box: Box
    y: float


class LaidReport:
    """A report that is laid out box by box, so that a window can do so in between; then it has pages.

    Lines are broken for the printer: a page that is painted on a screen has the very lines of the PDF.
    """

    def __init__(self, report: Report, size: str) -> None:
        """``size`` is one of PAGE_SIZES."""
        self.report, self.size = report, size
        self._file = _PdfFile(report, size)  # what lengths are measured with
        self._ink = Ink(self._file.writer)
        point, writer = self._ink.point, self._file.writer
        self.paper = QRectF(0, 0, writer.width(), writer.height())
        margins = _SIDE * point, _TOP * point, -_SIDE * point, -_BOTTOM * point
        self.room = self.paper.adjusted(*margins)
        self._boxes: list[Box] = []
        self._begins: dict[str, int] = {}
        self._coming = self._lay()
        self.pages: Sequence[Sequence[_Placed]] = ()

    def advance(self) -> bool:
        """Lay the next box out; return False once the pages are there."""
        box = next(self._coming, None)
        if box is not None:
            self._boxes.append(box)
            return True
        if not self.pages:
            self.pages = paginated(self._boxes, self.room.height())
        return False

    def page_of(self, key: str) -> int | None:
        """Return the number of the page (from 0) on which a section begins; None if there is none such."""
        begin = self._begins.get(key)
        if begin is None or begin >= len(self._boxes):
            return None
        box = self._boxes[begin]
        return next(
            (number for number, page in enumerate(self.pages) if any(one.box is box for one in page)), None
        )

    def paint(self, painter: QPainter, number: int) -> None:
        """Paint page ``number`` (from 0) with its header and footer, in units of ``paper``."""
        for one in self.pages[number]:
            one.box.paint(painter, self.room.left(), self.room.top() + one.y)
        text = f"{format_count(number + 1)} of {format_count(len(self.pages))}"
        _margins(painter, self._ink, self.room, self.report, text)

    def _lay(self) -> Iterator[Box]:
        maker = BoxMaker(self._ink, self.room.width())
        yield from maker.head(self.report)
        for number, section in self.report.numbered():
            self._begins[section.key] = len(self._boxes)
            yield from maker.section(number, section, is_last=section is self.report.sections[-1])


class Printing:
    """Writes a laid-out report as PDF, page by page."""

    def __init__(self, laid: LaidReport) -> None:
        self._laid = laid
        self._file = _PdfFile(laid.report, laid.size)
        self._painter = QPainter(self._file.writer)
        self.done = 0

    @property
    def count(self) -> int:
        """How many pages there are."""
        return len(self._laid.pages)

    def advance(self) -> bool:
        """Print the next page; return False once all are printed."""
        if self.done < self.count:
            if self.done:
                self._file.writer.newPage()
            self._laid.paint(self._painter, self.done)
            self.done += 1
            return True
        return False

    def close(self) -> bytes:
        """End the file and return it; what was not printed is not in it."""
        self._painter.end()
        return self._file.close()


class _PdfFile:
    """A PDF that is written into memory."""

    def __init__(self, report: Report, size: str) -> None:
        self._content = QByteArray()
        self._buffer = QBuffer(self._content)
        self._buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        self.writer = QPdfWriter(self._buffer)
        self.writer.setResolution(_DPI)
        self.writer.setTitle(report.title)
        self.writer.setCreator(report.program)
        layout = QPageLayout(QPageSize(PAGE_SIZES[size]), QPageLayout.Orientation.Portrait, QMarginsF())
        self.writer.setPageLayout(layout)

    def close(self) -> bytes:
        self._buffer.close()
        return bytes(self._content.data())


def report_pdf(report: Report, size: str, check: Callable[[], None] = lambda: None) -> tuple[bytes, int]:
    """Return the PDF file and its number of pages. ``size`` is one of PAGE_SIZES.

    ``check`` is called between boxes and may raise to stop.
    """
    laid = LaidReport(report, size)
    while laid.advance():
        check()
    printing = Printing(laid)
    try:
        while printing.advance():
            check()
    finally:
        content = printing.close()
    return content, len(laid.pages)


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
