"""A report on paper: pages laid out from the same values as the HTML file, and written as PDF by Qt."""

from widgets.report_print.pdf import PAGE_SIZES, PAPERS, LaidReport, Printing, report_pdf

__all__ = ["PAGE_SIZES", "PAPERS", "LaidReport", "Printing", "report_pdf"]
