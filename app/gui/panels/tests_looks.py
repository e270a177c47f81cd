"""The page of an analysis, which only reads what was recorded: nothing runs and nothing is stored."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.gui.desk import Desk
from app.gui.jobs import Job
from resources.failures import HyperscopeError
from sessions.store import SessionReader
from sessions.times import TimeRange
from wizards.flows.drs_gain import cluster_gains
from wizards.flows.drs_gain_sheet import gain_sheet, no_gain_sheet
from wizards.flows.result_sheet import ResultSheet
from wizards.pages.result_page import ResultPage


class LookPage(QObject):
    """Shows the analysis that is open in the tests' model on the page of results."""

    def __init__(self, desk: Desk, page: ResultPage, view: QWidget) -> None:
        super().__init__(view)
        self._desk, self._tests, self._page = desk, desk.tests, page
        self._tests.opened.connect(self._read)
        page.acted.connect(self._act)
        desk.scope.changed.connect(lambda _scope: self._read())

    def _read(self) -> None:
        if self._tests.step != "look":
            return
        studies, why_not = self._tests.studies, self._why_not_measured()
        self._page.show_sheet(no_gain_sheet("Reading what was recorded…", ""))
        cluster, window = self._looked_at()

        def work(reader: SessionReader, _job: Job) -> ResultSheet:
            return gain_sheet(cluster_gains(reader, studies, window, cluster), why_not)

        def failed(error: HyperscopeError) -> None:
            done(no_gain_sheet(f"No verdict: {error.happened}", f"{error.meaning} {error.advice}".strip()))

        def done(sheet: ResultSheet) -> None:
            if self._tests.step == "look":
                self._page.show_sheet(sheet)
                self._tests.take_answer(sheet.head.line)

        self._desk.session.query("test-look", work, done, failed=failed, title="Reading what was recorded")

    def _looked_at(self) -> tuple[str, TimeRange | None]:
        """Return the name of the cluster in the scope, if one is chosen, and its time."""
        scoped, whole = self._desk.scope_filter(), self._desk.session.whole
        if scoped is None or whole is None:
            return "", None
        chosen = [one for one in self._desk.scope.scope.entities if one.kind == "cluster"]
        found = whole.entities.get(chosen[0]) if len(chosen) == 1 else None
        return found.name if found is not None else "", scoped.window

    def _why_not_measured(self) -> str:
        return (
            "" if self._tests.places.connected.reach else "Connect a vCenter, or try the lab, to measure it."
        )

    def _act(self, act: str) -> None:
        if self._tests.step != "look":
            return
        if act == "measure":
            self._tests.set_up(self._tests.known.analyses[self._tests.test].leads_to)
        elif act == "again":
            self._read()
