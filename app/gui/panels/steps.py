"""The pane of a guided test's steps, which stands where the inventory stands while a test is open."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.gui.desk import Desk
from resources.guided_tests import Analysis
from sessions.journal import TestRun
from wizards.flows.cards import levels_of, outcome_of, result_words
from wizards.flows.steps import steps_of, steps_of_analysis
from wizards.pages.card import OUTCOME_STATES
from wizards.pages.earlier_runs import EarlierRun
from wizards.pages.rail_pane import RailPane


class StepsPanel(QObject):
    """Shows the steps of the test that is open, and the session's runs of it."""

    def __init__(self, desk: Desk) -> None:
        self.view = RailPane(desk.theme)
        super().__init__(self.view)
        self._desk, self._tests = desk, desk.tests
        self.view.left.connect(self._tests.close)
        self.view.chosen.connect(self._go)
        self.view.recalled.connect(self._recall)
        self.view.copied.connect(lambda text: desk.notify(text, "ok"))
        self._tests.opened.connect(self._show)
        self._tests.changed.connect(self._show)
        self._tests.looked.connect(self._show)
        self._tests.setup.changed.connect(self._show)

    def _show(self) -> None:
        tests = self._tests
        if not tests.test:
            return
        if tests.test in tests.known.analyses:
            self._show_analysis(tests.known.analyses[tests.test])
            return
        test = tests.known.require(tests.test)
        self.view.show_test(test.title, levels_of(test))
        run = tests.records.run(tests.run)
        is_live = run is not None and run == tests.running
        steps = steps_of(tests.step, tests.setup.lines, run, tests.records.journal, is_live=is_live)
        self.view.show_steps(steps, tests.step)
        earlier = [one for one in reversed(tests.records.runs) if one.test == test.id]
        self.view.show_runs([self._earlier(one) for one in earlier], tests.run)
        self.view.show_command(tests.setup.command if not tests.run else "")

    def _show_analysis(self, one: Analysis) -> None:
        path = self._desk.session.path
        self.view.show_test(one.title, (0,))
        self.view.show_steps(steps_of_analysis(self._tests.answer), "result")
        self.view.show_runs([], "")
        self.view.show_command(f"hyperscope test gain {path.name}" if path is not None else "")

    def _earlier(self, run: TestRun) -> EarlierRun:
        when = self._desk.times.clock.moment(run.start)
        if self._tests.running == run:
            return EarlierRun(run.id, when, "goes on", "info")
        journal = self._tests.records.journal
        return EarlierRun(run.id, when, result_words(run, journal), OUTCOME_STATES[outcome_of(run, journal)])

    def _go(self, step: str) -> None:
        if self._tests.step == "look":
            return
        self._tests.open(self._tests.test, step, self._tests.run)

    def _recall(self, identity: str) -> None:
        run = self._tests.records.run(identity)
        if run is not None:
            self._tests.open(run.test, "run" if run == self._tests.running else "result", run.id)


def make(desk: Desk) -> QWidget:
    """Return the view of the panel; the view owns the panel."""
    return StepsPanel(desk).view
