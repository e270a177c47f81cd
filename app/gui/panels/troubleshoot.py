"""The Troubleshoot page: shows the symptom that is looked into, what was found, and did the fix work."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.gui.desk import Desk
from app.gui.navigation import troubleshoot
from app.gui.preferences import preferences
from app.gui.settings import STORAGE_PAGES
from app.gui.troubleshooting_choosing import TroubleshootingChoosing
from app.gui.troubleshooting_opening import compare_all, show_numbers
from resources.foreign_text import shown
from resources.guided_flow import load_flow
from sessions.scope import Scope
from sessions.troubleshooting import TroubleshootingRun
from wizards.flows.troubleshooting.page_rows import ListRow, lines_of, pending_lines
from wizards.pages.troubleshoot_bar import SymptomWords
from wizards.pages.troubleshoot_page import TroubleshootPage


class TroubleshootPanel(QObject):
    """Connects the page to the troubleshooting; seen without a symptom, the worst problem is looked into."""

    def __init__(self, desk: Desk) -> None:
        self.view = TroubleshootPage(desk.theme, lambda: desk.times.clock)
        super().__init__(self.view)
        self._desk, self._model = desk, desk.troubleshooting
        self._is_leaving = False
        self._shown: object = None
        self._choosing = TroubleshootingChoosing(desk, self.view)
        self._join_view()
        model = self._model
        model.changed.connect(self._show)
        model.keeping.listed.connect(self._show_runs)
        desk.findings.changed.connect(self._begin)
        desk.scope.changed.connect(self._follow_scope)
        desk.session.opened.connect(lambda _snapshot: self._show())
        desk.times.changed.connect(lambda _clock: self._show())
        self._show()
        self._show_runs()

    def _join_view(self) -> None:
        view, model, desk = self.view, self._model, self._desk
        view.appeared.connect(self._appear)
        view.again.connect(model.again)
        view.bar.again.connect(model.again)
        view.verify_wanted.connect(self._verify)
        view.act_wanted.connect(model.begin_first)
        view.list.opened.connect(self._open_row)
        view.list.copied.connect(lambda text: desk.notify(text, "ok"))
        view.list.save_wanted.connect(desk.save_file)
        detail = view.detail
        detail.explained.connect(desk.topics.problem)
        detail.measured.connect(lambda: self._open_problem(detail.problem))
        detail.limits_wanted.connect(self._show_limits)
        detail.copied.connect(lambda text: desk.notify(text, "ok"))
        detail.noted.connect(model.note)
        card = detail.verify
        card.wanted.connect(model.done)
        card.told.connect(model.told)
        card.window_wanted.connect(self._choosing.ask_later_times)
        card.session_wanted.connect(self._choosing.ask_other_session)
        card.compared.connect(self._compare)

    def _appear(self, is_seen: bool) -> None:
        self._model.watch(on=is_seen)
        if is_seen:
            self._begin()

    def _begin(self) -> None:
        if self.view.isVisible() and self._model.question is None:
            self._model.begin_first()
            self._show()

    def _verify(self) -> None:
        if self._model.run is not None:
            self._model.done()

    # --- showing

    def _show(self) -> None:
        model, view = self._model, self.view
        if model.question is None:
            self._shown = None
            view.forget()
            view.show_nothing(*self._nothing())
            return
        if model.question is not self._shown:
            self._shown = model.question
            if model.run is None:
                view.forget()
        self._show_words()
        if model.state == "failed" and model.error is not None:
            error = model.error
            view.show_nothing(f"{error.happened} {error.meaning} {error.advice}".strip(), "")
            view.bar.show()
            return
        if model.run is None:
            view.show_checking(pending_lines(load_flow()), "Checking…")
            return
        again = model.verification
        view.show_run(model.run, lines_of(model.run, load_flow(), again), model.charts, again)
        self._show_verification(model.run)
        view.detail.show_notes(model.run.notes, self._kept())

    def _show_verification(self, run: TroubleshootingRun) -> None:
        model, card = self._model, self.view.detail.verify
        if model.verify_error is not None:
            card.show_failure(model.verify_error)
        elif model.verification is not None:
            card.show_found(model.verification)
        elif model.is_verifying:
            card.show_none(can_verify=True)
            card.show_busy()
        else:
            card.show_none(can_verify=run.worst is not None)

    def _kept(self) -> str:
        keeping = self._model.keeping
        if keeping.why_not:
            return keeping.why_not
        return f"Kept in the session as run {keeping.number}." if keeping.number else ""

    def _nothing(self) -> tuple[str, str]:
        if self._desk.session.snapshot is None:
            return "Open a session: a symptom in it is looked into here.", ""
        if self._desk.findings.diagnosis is None:
            return "The session is being judged. The worst problem is looked into as soon as it is known.", ""
        nothing = "Nothing was found in this session. Choose a VM, a host or a datastore in the inventory:"
        return f"{nothing} all checks are run on it, and each says what it measured.", ""

    def _show_words(self) -> None:
        model, clock, whole = self._model, self._desk.times.clock, self._desk.session.whole
        question, run = model.question, model.run
        if question is None or whole is None:
            return
        noticed = load_flow().noticed(question.noticed)
        window = run.symptom.window if run is not None else whole.span
        start = question.since if question.since is not None else (window.start if window else None)
        normal = run.symptom.normal if run is not None else question.normal
        judged = ""
        if model.state == "checking":
            judged = "checking…"
        elif run is not None and run.judged_to is not None:
            judged = f"judged to {clock.time(run.judged_to)}, in {run.took_s:.1f} s"
        self.view.bar.show_words(
            SymptomWords(
                question.entity.kind,
                whole.name(question.entity),
                noticed.title if noticed is not None else shown(question.noticed, 30),
                clock.time(start, seconds=False) if start is not None else "its beginning",
                clock.time(question.until, seconds=False) if question.until is not None else "now",
                (
                    f"{clock.time(normal.start, seconds=False)} – {clock.time(normal.end, seconds=False)}"
                    if normal is not None
                    else "not known"
                ),
                judged,
            )
        )

    def _show_runs(self) -> None:
        self.view.bar.show_runs(len(self._model.keeping.runs))

    # --- leaving

    def _follow_scope(self, scope: Scope) -> None:
        """The inventory chooses who is looked into while the page is seen."""
        if self._is_leaving or not self.view.isVisible() or len(scope.entities) != 1:
            return
        ref = next(iter(scope.entities))
        question = self._model.question
        if question is None or question.entity != ref:
            troubleshoot(self._desk, ref, front=False)

    def _open_row(self, row: ListRow) -> None:
        self._open_problem(self.view.detail.problem or row.leading)

    def _open_problem(self, problem: str) -> None:
        self._is_leaving = True
        try:
            show_numbers(self._desk, problem)
        finally:
            self._is_leaving = False

    def _compare(self) -> None:
        compare_all(self._desk)

    def _show_limits(self) -> None:
        dialog = preferences(self._desk, self.view.window())
        dialog.open()
        dialog.show_setting(STORAGE_PAGES[0][0])


def make(desk: Desk) -> QWidget:
    """Return the view of the panel; the view owns the panel."""
    return TroubleshootPanel(desk).view
