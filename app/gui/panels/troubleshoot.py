"""The Troubleshoot page: shows the symptom that is looked into, what was found, and did the fix work."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.gui.desk import Desk
from app.gui.preferences import preferences
from app.gui.report_material import put_run
from app.gui.settings import STORAGE_PAGES
from app.gui.troubleshooting_choosing import TroubleshootingChoosing
from app.gui.troubleshooting_lab import LabOffers
from app.gui.troubleshooting_opening import compare_all, show_numbers
from app.gui.troubleshooting_whom import WhomToLookInto
from app.gui.troubleshooting_words import kept_words, nothing_words, symptom_words
from resources.guided_flow import load_flow
from sessions.troubleshooting import TroubleshootingRun
from wizards.flows.troubleshooting.page_rows import ListRow, lines_of, pending_lines
from wizards.pages.troubleshoot_page import TroubleshootPage


class TroubleshootPanel(QObject):
    """Connects the page to the troubleshooting; seen without a symptom, the worst problem is looked into."""

    def __init__(self, desk: Desk) -> None:
        self.view = TroubleshootPage(desk.theme, lambda: desk.times.clock)
        super().__init__(self.view)
        self._desk, self._model = desk, desk.troubleshooting
        self._shown: object = None
        self._choosing = TroubleshootingChoosing(desk, self.view)
        self._whom = WhomToLookInto(desk, self.view)
        self._join_view()
        model = self._model
        model.changed.connect(self._show)
        model.keeping.listed.connect(self._show_runs)
        desk.findings.changed.connect(self._begin)
        desk.session.opened.connect(lambda _snapshot: self._show())
        desk.times.changed.connect(lambda _clock: self._show())
        self._show()
        self._show_runs()

    def _join_view(self) -> None:
        view, model, desk = self.view, self._model, self._desk
        view.appeared.connect(self._appear)
        view.again.connect(model.again)
        view.bar.again.connect(model.again)
        view.verify_wanted.connect(model.fix.verify)
        view.act_wanted.connect(model.begin_first)
        view.list.opened.connect(self._open_row)
        view.list.copied.connect(lambda text: desk.notify(text, "ok"))
        view.list.save_wanted.connect(desk.save_file)
        detail = view.detail
        detail.explained.connect(desk.topics.problem)
        detail.measured.connect(lambda: self._open_problem(detail.problem))
        detail.limits_wanted.connect(self._show_limits)
        detail.steps.copied.connect(lambda text: desk.notify(text, "ok"))
        detail.noted.connect(model.notes.add)
        detail.unnoted.connect(model.notes.remove)
        LabOffers(desk, detail.steps)
        card = detail.verify
        card.wanted.connect(model.fix.verify)
        card.stopped.connect(model.fix.stop)
        card.told.connect(model.fix.tell)
        card.window_wanted.connect(self._choosing.ask_later_times)
        card.session_wanted.connect(self._choosing.ask_other_session)
        card.compared.connect(lambda: compare_all(desk))
        card.put.connect(lambda: put_run(desk))

    def _appear(self, is_seen: bool) -> None:
        self._model.watch(on=is_seen)
        if is_seen:
            self._begin()
            self._whom.offer()

    def _begin(self) -> None:
        if self.view.isVisible() and self._model.question is None:
            self._model.begin_first()
            self._whom.begin()
            self._show()

    def _show(self) -> None:
        model, view = self._model, self.view
        if model.question is None:
            self._shown = None
            view.forget()
            view.show_nothing(nothing_words(self._desk))
            return
        if model.question is not self._shown:
            self._shown = model.question
            if model.run is None:
                view.forget()
        words = symptom_words(self._desk)
        if words is not None:
            view.bar.show_words(words)
        self._whom.offer()
        if model.state == "failed" and model.error is not None:
            error = model.error
            view.show_nothing(f"{error.happened} {error.meaning} {error.advice}".strip(), "")
            view.bar.show()
            return
        if model.run is None:
            view.show_checking(pending_lines(load_flow()), "Checking…")
            return
        again = model.fix.found
        view.show_run(model.run, lines_of(model.run, load_flow(), again), model.charts, again)
        self._show_verification(model.run)
        view.detail.show_notes(model.run.notes, kept_words(self._desk))

    def _show_verification(self, run: TroubleshootingRun) -> None:
        fix, card = self._model.fix, self.view.detail.verify
        if fix.error is not None:
            card.show_failure(fix.error)
        elif fix.found is not None:
            card.show_found(fix.found)
        elif fix.is_busy:
            card.show_none(can_verify=True)
            card.show_busy()
        else:
            card.show_none(can_verify=run.worst is not None)

    def _show_runs(self) -> None:
        self.view.bar.show_runs(len(self._model.keeping.runs))

    def _open_row(self, row: ListRow) -> None:
        self._open_problem(self.view.detail.problem or row.leading)

    def _open_problem(self, problem: str) -> None:
        with self._whom.leaving():
            show_numbers(self._desk, problem)

    def _show_limits(self) -> None:
        dialog = preferences(self._desk, self.view.window())
        dialog.open()
        dialog.show_setting(STORAGE_PAGES[0][0])


def make(desk: Desk) -> QWidget:
    """Return the view of the panel; the view owns the panel."""
    return TroubleshootPanel(desk).view
