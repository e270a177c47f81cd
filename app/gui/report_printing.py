"""Prints a report without a window: the application that Qt needs for fonts, then the pages."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QGuiApplication

from viewmodels.report.document import Report
from widgets.report_print import report_pdf


def print_report(report: Report, size: str, check: Callable[[], None]) -> tuple[bytes, int]:
    """Return the PDF file and its number of pages."""
    application = QGuiApplication.instance() or QGuiApplication(["hyperscope"])
    assert application is not None  # it is kept until the pages are written
    return report_pdf(report, size, check)
