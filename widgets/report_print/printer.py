"""Prints a laid-out report on a printer, page by page; loaded when somebody prints."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QMarginsF
from PySide6.QtGui import QPageLayout, QPageSize, QPainter
from PySide6.QtPrintSupport import QPrinter

from widgets.report_print.pdf import PAGE_SIZES, LaidReport


def printer_for(laid: LaidReport) -> QPrinter:
    """Return a printer that proposes the paper on which the report is laid out, in portrait."""
    printer = QPrinter(QPrinter.PrinterMode.HighResolution)
    paper = QPageSize(PAGE_SIZES[laid.size])
    printer.setPageLayout(QPageLayout(paper, QPageLayout.Orientation.Portrait, QMarginsF()))
    printer.setFullPage(True)  # the margins are those of the report
    printer.setDocName(laid.report.title)
    printer.setCreator(laid.report.program)
    return printer


class PaperPrinting:
    """Prints the pages that were chosen in the printer's dialog, in its order."""

    def __init__(self, laid: LaidReport, printer: QPrinter) -> None:
        self._laid, self._printer = laid, printer
        self._pages = chosen_pages(printer, len(laid.pages))
        self._painter = QPainter()
        self.done = 0
        self.is_refused = not self._painter.begin(printer)
        """True if the printer took nothing: it is gone, or its file can't be written."""

    @property
    def count(self) -> int:
        """How many pages will be printed."""
        return len(self._pages)

    def advance(self) -> bool:
        """Print the next page; return False once all are printed, or when the printer takes no more."""
        if self.is_refused or self.done >= self.count:
            return False
        if self.done and not self._printer.newPage():
            self.is_refused = True
            return False
        painter, paper = self._painter, self._laid.paper
        sheet = self._printer.pageLayout().fullRectPixels(self._printer.resolution())
        scale = min(sheet.width() / paper.width(), sheet.height() / paper.height())
        painter.save()
        painter.translate((sheet.width() - paper.width() * scale) / 2, 0)
        painter.scale(scale, scale)
        self._laid.paint(painter, self._pages[self.done])
        painter.restore()
        self.done += 1
        return True

    def stop(self) -> None:
        """End before all is printed: the printer forgets what it can."""
        self._printer.abort()
        self.close()

    def close(self) -> bool:
        """Hand everything over; return False if the printer did not take it."""
        was_active = self._painter.isActive()
        return was_active and self._painter.end() and not self.is_refused


def chosen_pages(printer: QPrinter, count: int) -> Sequence[int]:
    """Return the numbers (from 0) of the pages to print, in order, copies included that no printer makes."""
    first, last = printer.fromPage() or 1, printer.toPage() or count
    pages = list(range(first - 1, min(last, count)))
    if printer.pageOrder() == QPrinter.PageOrder.LastPageFirst:
        pages.reverse()
    copies = 1 if printer.supportsMultipleCopies() else max(printer.copyCount(), 1)
    if printer.collateCopies():
        return pages * copies
    return [page for page in pages for _ in range(copies)]
