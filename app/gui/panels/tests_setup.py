"""The pages on which a test is set up: choose, check and plan."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.gui.desk import Desk
from app.gui.plan_files import PlanFiles
from resources.foreign_text import shown
from wizards.flows.check_result import CheckResult
from wizards.flows.choices import lengths_of
from wizards.pages.check_plan import CheckPlanPage
from wizards.pages.choose import ChoosePage


class SetupPages(QObject):
    """Connects the two pages with the test that is set up."""

    def __init__(self, desk: Desk, view: QWidget) -> None:
        super().__init__(view)
        self._desk, self._tests, self._view = desk, desk.tests, view
        self.choose, self.check_plan = ChoosePage(desk.theme), CheckPlanPage(desk.theme)
        self.files = PlanFiles(desk, view)
        tests, setup = self._tests, self._tests.setup
        setup.offered.connect(self._show_offer)
        setup.changed.connect(self._show_setup)
        setup.ready.connect(self._run)
        self.choose.changed.connect(self._choose)
        self.choose.back.connect(tests.close)
        self.choose.next_wanted.connect(lambda: tests.open(tests.test, "check"))
        page = self.check_plan
        page.back.connect(lambda: tests.open(tests.test, "choose"))
        page.checked.connect(setup.check)
        page.started.connect(setup.start)
        page.saved.connect(lambda: self.files.ask_save(tests.test))
        page.copied.connect(lambda text: desk.notify(text, "ok"))
        page.save_wanted.connect(desk.save_file)
        page.length_chosen.connect(self.choose.choose_length)
        page.checks.again.connect(lambda _check: setup.check())
        page.checks.left_out.connect(self._leave_out)
        page.checks.shown_there.connect(self._show_objects)

    def _show_offer(self) -> None:
        now = self._tests.setup.now
        if now is not None and now.offer is not None:
            self.choose.show_test(now.test, now.offer)
            if now.chosen is not None:
                self.choose.show_chosen(now.chosen)
            lengths = lengths_of(now.test, now.offer)
            self.check_plan.show_lengths(lengths, now.offer.lengths[0])

    def _show_setup(self) -> None:
        setup = self._tests.setup
        now = setup.now
        if now is None:
            return
        self.choose.show_cost(now.sheet, now.problem)
        if now.sheet is not None:
            self.check_plan.show_plan(now.sheet)
        if now.chosen is not None:
            self.check_plan.show_chosen_length(now.chosen.length)
        checking = setup.is_checking or setup.is_looking
        self.check_plan.show_checks(now.checks, setup.when(), checking=checking, problem=now.problem)

    def _choose(self) -> None:
        problem = self.choose.input_problem
        if problem:
            self._tests.setup.refuse(problem)
        else:
            self._tests.setup.choose(self.choose.chosen)

    def _leave_out(self, check: str) -> None:
        found = self._check(check)
        if found is not None:
            self.choose.leave_out(found.leave_out)

    def _show_objects(self, check: str) -> None:
        """Show what was recorded of the objects that a check is about."""
        found, snapshot = self._check(check), self._desk.session.snapshot
        if found is None or snapshot is None:
            return
        refs = [ref for ref, entity in snapshot.entities.items() if entity.name in found.objects]
        if refs:
            self._desk.scope.set(self._desk.scope.scope.on(refs))
            self._desk.charts.release()
            self._desk.notify("Overview and Charts show what this check is about.", "info")
        else:
            self._desk.notify(f"The session has nothing called {shown(found.objects[0], 80)}.", "info")

    def _check(self, identity: str) -> CheckResult | None:
        now = self._tests.setup.now
        return next((one for one in now.checks if one.id == identity), None) if now is not None else None

    def _run(self, plan: Path) -> None:
        now = self._tests.setup.now
        if now is not None and now.plan is not None:
            self.files.confirm_and_run(plan, now.plan, now.test.title)
