"""Saves the report as HTML or PDF: asks where, never writes over a session, prints page by page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QFileDialog, QWidget

from app.gui.desk import Desk
from app.gui.jobs import Job
from app.gui.report_writing import html_bytes
from app.gui.saving import file_stem
from app.gui.session_files import free_path, takes_files
from app.report_making import require_target
from resources.files import replace_file, write_failures
from resources.foreign_text import shown
from viewmodels.report.document import Report
from widgets.dialog_opening import open_dialog
from widgets.report_print import LaidReport, Printing

_FORMS = {"html": ("HTML file", ".html"), "pdf": ("PDF file", ".pdf")}


class ReportSaving(QObject):
    """Writes a file as a whole or not at all. Pages are printed one in a turn of the window's loop: Qt makes
    fonts and pages where the window is made, and each takes some hundredths of a second.
    """

    def __init__(self, desk: Desk, window: QWidget, parent: QObject) -> None:
        super().__init__(parent)
        self._desk, self._window = desk, window
        self._printing: Printing | None = None
        self._job: Job | None = None
        self._path = Path()
        self._count = 0
        self._turn = QTimer(self, interval=0)
        self._turn.timeout.connect(self._print_page)
        desk.session.closed.connect(self._stop)

    @property
    def is_printing(self) -> bool:
        """True while a PDF is being printed."""
        return self._printing is not None

    def ask(self, kind: str, report: Report, laid: LaidReport | None) -> None:
        """Ask where to save the report as ``kind`` (html, pdf), then write it."""
        label, suffix = _FORMS[kind]
        session = self._desk.session.path
        if session is None or (kind == "pdf" and laid is None):
            return
        folder = session.parent if takes_files(session.parent) else Path.home()
        dialog = QFileDialog(self._window, "Save the report", str(folder), f"{label} (*{suffix})")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(suffix.removeprefix("."))
        dialog.selectFile(free_path(folder / f"{file_stem(report.title)}{suffix}").name)

        def chosen(name: str) -> None:
            if kind == "html":
                self._write(Path(name), session, lambda: html_bytes(report))
            elif laid is not None:
                self._print(Path(name), laid)

        dialog.fileSelected.connect(chosen)
        open_dialog(dialog)

    def _write(self, path: Path, session: Path, content: Callable[[], bytes]) -> None:
        self._count += 1

        def work(job: Job) -> int:
            job.progress(None, shown(path.name))
            require_target(path, session)
            made = content()
            job.check()
            with write_failures(path):
                replace_file(path, made)
            return len(made)

        self._desk.jobs.start(
            f"report.save.{self._count}",
            f"Saving {shown(path.name)}",
            work,
            lambda _size: self._desk.report.saved.emit(path),
            visible=True,
        )

    def _print(self, path: Path, laid: LaidReport) -> None:
        self._stop()
        self._path, self._printing = path, Printing(laid)
        self._job = self._desk.jobs.add_external(f"Printing {shown(path.name)}", self._stop)
        self._turn.start()

    def _print_page(self) -> None:
        printing, job, session = self._printing, self._job, self._desk.session.path
        if printing is None or job is None or session is None:
            self._turn.stop()
            return
        if printing.advance():
            job.progress(printing.done / max(printing.count, 1), f"page {printing.done}")
            return
        self._turn.stop()
        self._printing, self._job = None, None
        content = printing.close()
        self._desk.jobs.end(job, "done")
        self._write(self._path, session, lambda: content)

    def _stop(self) -> None:
        """Stop printing: nothing is written."""
        self._turn.stop()
        printing, job = self._printing, self._job
        self._printing, self._job = None, None
        if printing is not None:
            printing.close()
        if job is not None:
            self._desk.jobs.end(job, "cancelled")
