"""The pane beside the Report page: what stands in the report, and the files that are made of it."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from app.gui.desk import Desk
from resources.foreign_text import shown
from resources.units import format_bytes, format_count
from widgets.report_print import PAPERS
from wizards.pages.report_rail import ReportRail

_WRITING = "The report is being written"
_NO_SECTION = "Every section is left out: tick one"


class ReportRailPanel(QObject):
    """Connects the pane to the report."""

    def __init__(self, desk: Desk) -> None:
        self.view = ReportRail(desk.theme)
        super().__init__(self.view)
        self._desk, self._model = desk, desk.report
        self._pages = 0
        self._saved: Path | None = None
        view, model = self.view, self._model
        view.chosen.connect(self._choose)
        view.contents.ticked.connect(lambda key, on: model.choose(model.choices.ticked(key, on=on)))
        view.contents.ordered.connect(lambda keys: model.choose(replace(model.choices, order=keys)))
        view.contents.wanted.connect(model.section_wanted)
        view.begun_anew.connect(model.start_anew)
        view.saved.connect(model.save_wanted)
        view.again.connect(model.write)
        view.opened.connect(self._open)
        view.revealed.connect(lambda: desk.reveal(self._saved) if self._saved is not None else None)
        model.changed.connect(self._show)
        model.laid.connect(self._take_pages)
        model.saved.connect(self._take_saved)
        model.section_seen.connect(view.contents.mark)
        desk.session.closed.connect(lambda: self._take_saved(None))
        self._show()

    def _choose(self, name: str, value: object) -> None:
        choices = self._model.choices
        changed = replace(choices, **{name: value})  # type: ignore[arg-type]
        if name == "author":
            self._desk.settings.set("report.author", str(value).strip())
        if name == "audience":
            changed = replace(changed, ticks=())  # the usual sections of that audience
        if changed != choices:
            self._model.choose(changed)
            self._show()

    def _take_pages(self, count: int) -> None:
        self._pages = count
        self._show_about()

    def _take_saved(self, path: Path | None) -> None:
        self._saved = path
        self.view.show_saved(shown(path.name, 200) if path is not None else "")

    def _show(self) -> None:
        model, view = self._model, self.view
        proposed = model.whole.title if model.whole is not None else ""
        view.show_choices(asdict(model.choices), proposed)
        view.show_contents([(one.key, one.title, one.note, one.is_in) for one in model.contents()])
        view.show_example(model.example if model.choices.anonymise and model.state == "ready" else "")
        self._show_about()

    def _show_about(self) -> None:
        model = self._model
        reason = ""
        if model.report is None or model.state == "writing":
            reason = _WRITING if model.state == "writing" else "There is no report yet"
        elif not model.report.sections:
            reason = _NO_SECTION
        parts = []
        if not reason and model.size:
            parts.append(f"One file, {format_bytes(model.size)}, opens without a network.")
        if not reason and self._pages:
            pages = "1 page" if self._pages == 1 else f"{format_count(self._pages)} pages"
            parts.append(f"{pages}, {PAPERS[model.choices.paper]}.")
        laying = "" if self._pages else "The pages are being laid out"
        self.view.show_about(" ".join(parts) or reason, html=reason, pdf=reason or laying)

    def _open(self) -> None:
        if self._saved is None:
            return
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._saved))):
            text = f"Nothing on this computer opens it. It is here: {shown(str(self._saved), 1000)}"
            self._desk.notify(text, "warning")


def make(desk: Desk) -> QWidget:
    """Return the view of the panel; the view owns the panel."""
    return ReportRailPanel(desk).view
