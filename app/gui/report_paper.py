"""Prints the report: the printer's dialog, then one page in each turn of the window's loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QDialog, QWidget

from app.gui.desk import Desk
from app.gui.jobs import Job
from resources.foreign_text import shown
from widgets.dialog_opening import delete_after_end
from widgets.report_print import LaidReport

if TYPE_CHECKING:
    from PySide6.QtPrintSupport import QPrinter

    from widgets.report_print.printer import PaperPrinting

_REFUSED = "The printer took no pages: is it there, and can it be reached? PDF… saves the report as a file."


class ReportPaper(QObject):
    """Asks for a printer, and prints on it. A page takes some hundredths of a second; the window goes on."""

    def __init__(self, desk: Desk, window: QWidget, parent: QObject) -> None:
        super().__init__(parent)
        self._desk, self._window = desk, window
        self._printing: PaperPrinting | None = None
        self._printer: QPrinter | None = None
        self._job: Job | None = None
        self._turn = QTimer(self, interval=0)
        self._turn.timeout.connect(self._print_page)
        desk.session.closed.connect(self._stop)

    @property
    def is_printing(self) -> bool:
        """True while pages are being printed."""
        return self._printing is not None

    def ask(self, laid: LaidReport) -> None:
        """Ask on which printer, which pages and how many copies; then print."""
        from PySide6.QtPrintSupport import QAbstractPrintDialog, QPrintDialog  # noqa: PLC0415 - few print

        from widgets.report_print.printer import printer_for  # noqa: PLC0415 - as above

        if self.is_printing:
            self._desk.notify("The report is being printed already.", "info")
            return
        printer = self._printer = printer_for(laid)  # the dialog does not own it
        dialog = QPrintDialog(printer, self._window)
        dialog.setWindowTitle("Print the report")
        dialog.setOption(QAbstractPrintDialog.PrintDialogOption.PrintPageRange)
        dialog.setMinMax(1, len(laid.pages))
        dialog.accepted.connect(lambda: self._print(laid, printer))
        delete_after_end(dialog)
        QDialog.open(dialog)  # its own wants a slot of C++

    def _print(self, laid: LaidReport, printer: QPrinter) -> None:
        from widgets.report_print.printer import PaperPrinting  # noqa: PLC0415 - few print

        self._printing = PaperPrinting(laid, printer)
        self._job = self._desk.jobs.add_external(f"Printing {shown(laid.report.title)}", self._stop)
        self._turn.start()

    def _print_page(self) -> None:
        printing, job = self._printing, self._job
        if printing is None or job is None:
            self._turn.stop()
            return
        if printing.advance():
            job.progress(printing.done / max(printing.count, 1), f"page {printing.done}")
            return
        self._turn.stop()
        self._printing, self._job = None, None
        if printing.close():
            pages = "1 page" if printing.done == 1 else f"{printing.done} pages"
            self._desk.jobs.end(job, "done")
            self._desk.notify(f"Printed: {pages}.", "ok")
        else:
            self._desk.jobs.end(job, "failed", _REFUSED)
            self._desk.notify(_REFUSED, "warning")

    def _stop(self) -> None:
        """Stop printing: pages that the printer has already may still come."""
        self._turn.stop()
        printing, job = self._printing, self._job
        self._printing, self._job = None, None
        if printing is not None:
            printing.stop()
        if job is not None:
            self._desk.jobs.end(job, "cancelled")
