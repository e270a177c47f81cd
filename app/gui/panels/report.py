"""The Report page: lays the report out in steps, shows its pages, saves and prints it."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

from app.gui.desk import Desk
from app.gui.report_paper import ReportPaper
from app.gui.report_saving import ReportSaving
from resources.foreign_text import shown
from widgets.report_print import LaidReport
from wizards.pages.report_page import ReportPage

_PULSE_MS = 100
_STEP_S = 0.012
"""How long boxes are laid out before the window has its turn again."""


class ReportPanel(QObject):
    """Connects the page to the report; what it shows is written when the page is seen."""

    def __init__(self, desk: Desk) -> None:
        self.view = ReportPage(desk.theme)
        super().__init__(self.view)
        self._desk, self._model = desk, desk.report
        self._saving = ReportSaving(desk, self.view, self)
        self._on_paper = ReportPaper(desk, self.view, self)
        self._laid: LaidReport | None = None
        self._coming: LaidReport | None = None
        self._lay = QTimer(self, interval=0)
        self._lay.timeout.connect(self._lay_more)
        self._pulse = QTimer(self, interval=_PULSE_MS)
        self._pulse.timeout.connect(self._show_busy)
        self._paper = self._model.choices.paper
        view, model = self.view, self._model
        view.appeared.connect(lambda on: model.watch(on=on))
        view.again.connect(model.write)
        view.act_wanted.connect(model.write)
        view.cancelled.connect(model.cancel)
        view.saved.connect(self._save)
        view.pages.turned.connect(self._tell_section)
        model.save_wanted.connect(self._save)
        model.section_wanted.connect(self._show_section)
        model.arranged.connect(self._begin)
        model.changed.connect(self._show)
        model.saved.connect(lambda path: desk.notify(f"Saved as {shown(str(path), 300)}", "ok"))
        desk.session.changed.connect(lambda _change: self._show())
        desk.findings.changed.connect(self._show)
        desk.times.changed.connect(lambda _clock: model.watch(on=view.isVisible()))
        self._begin()
        self._show()

    def _begin(self) -> None:
        """Lay another report out; the pages from before stay until its own are there."""
        report = self._model.report
        self._lay.stop()
        self._coming = None
        if report is None or not report.sections:
            self._laid = None
            self._model.laid.emit(0)
            self._show()
            return
        self._coming = LaidReport(report, self._model.choices.paper)
        self._paper = self._model.choices.paper
        self._model.laid.emit(0)
        self._lay.start()

    def _lay_more(self) -> None:
        coming, until = self._coming, time.monotonic() + _STEP_S
        while coming is not None and time.monotonic() < until:
            if not coming.advance():
                self._lay.stop()
                self._laid, self._coming = coming, None
                self.view.show_pages(coming)
                self._model.laid.emit(len(coming.pages))
                self._show()
                return

    def _show(self) -> None:
        model, view = self._model, self.view
        if model.choices.paper != self._paper and model.report is not None:
            self._begin()
        if model.state == "writing":
            self._pulse.start()
            if self._laid is None:
                view.show_nothing("Writing the report…")
            self._show_busy()
            return
        self._pulse.stop()
        if model.state == "failed" and model.error is not None:
            error = model.error
            view.show_nothing(f"{error.happened} {error.meaning} {error.advice}".strip(), "Try again")
        elif model.state == "nothing":
            view.show_nothing(self._nothing())
        elif model.state == "cancelled" and self._laid is None:
            view.show_nothing("Writing the report was stopped.", "Write the report")
        elif model.report is not None and not model.report.sections:
            view.show_nothing("Every section is left out: tick one in the contents on the left.")
        elif view.isVisible() and model.has_grown:
            view.show_old("The session has other findings or samples by now.")
        else:
            view.show_ready()

    def _show_busy(self) -> None:
        part, text = self._model.progress
        self.view.show_busy(f"Writing the report: {text}" if text else "Writing the report…", part)

    def _nothing(self) -> str:
        if self._desk.session.snapshot is None:
            return "Open a session: a report of it is written here, for a manager or for support."
        return "What happened, why, and is it over: a report for a manager or for support."

    def _show_section(self, key: str) -> None:
        number = self._laid.page_of(key) if self._laid is not None else None
        if number is not None:
            self.view.pages.show_page(number)

    def _tell_section(self, page: int) -> None:
        """Tell which section stands on the page in sight: the last one that begins before it ends."""
        laid, report = self._laid, self._model.report
        if laid is None or report is None:
            return
        begun = [(one.key, laid.page_of(one.key)) for one in laid.report.sections]
        before = [key for key, number in begun if number is not None and number <= page]
        on_it = [key for key, number in begun if number == page]
        key = next(iter(on_it), before[-1] if before else "")
        if key:
            self._model.section_seen.emit(key)

    def _save(self, kind: str) -> None:
        report = self._model.report
        if report is None or not report.sections or self._model.state == "writing":
            self._desk.notify("There is no report to save yet.", "info")
        elif kind != "html" and (self._laid is None or self._coming is not None):
            self._desk.notify("The pages are being laid out: try again in a moment.", "info")
        elif kind == "paper" and self._laid is not None:
            self._on_paper.ask(self._laid)
        else:
            self._saving.ask(kind, report, self._laid)


def make(desk: Desk) -> QWidget:
    """Return the view of the panel; the view owns the panel."""
    return ReportPanel(desk).view
