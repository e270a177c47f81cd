"""The pages of a test's run and of its result, read again as the session grows."""

from __future__ import annotations

from functools import cached_property

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

from app.gui.desk import Desk
from app.gui.jobs import Job
from app.gui.report_material import put_test
from app.gui.test_places import Place
from resources.failures import HyperscopeError
from resources.fio_jobs import load_fio_jobs
from resources.foreign_text import shown
from resources.study_numbers import load_studies
from sessions.journal import TestRun
from sessions.scope import Scope
from sessions.store import SessionReader
from sessions.times import TimeRange
from wizards.flows.plan_file import parse_plan
from wizards.flows.result_sheet import ResultSheet
from wizards.flows.run_again import again_of
from wizards.flows.run_reading import RunKnowledge, result_page, run_page
from wizards.flows.run_sheet import RunSheet
from wizards.pages.result_page import ResultPage
from wizards.pages.run_page import RunPage

_EVERY_MS = 1_000


class RunPages(QObject):
    """Shows the run or the result that is open in the tests' model, while its page is visible."""

    def __init__(self, desk: Desk, view: QWidget) -> None:
        super().__init__(view)
        self._desk, self._tests = desk, desk.tests
        self.run = RunPage(desk.theme, lambda: desk.times.clock)
        self.result = ResultPage(desk.theme, lambda: desk.times.clock)
        self._placement = self._placed_run = self._taken = self._taken_from = ""
        self._again = QTimer(self, singleShot=True, interval=_EVERY_MS)
        self._again.timeout.connect(self._read)
        self._tests.opened.connect(self._read)
        self._tests.opened.connect(self._say_taken)
        self._tests.setup.ready.connect(lambda _plan: self._note_taken())
        self._tests.changed.connect(self._soon)
        desk.session.changed.connect(lambda _change: self._soon())
        desk.times.changed.connect(lambda _clock: self._read())
        self.run.paused.connect(desk.recording.pause)
        self.run.stopped.connect(desk.recording.stop)
        self.run.chosen.connect(self._show_samples)
        self.result.chosen.connect(self._show_samples)
        self.result.acted.connect(self._act)
        self.result.placement_chosen.connect(self._choose_placement)
        for page in (self.run, self.result):
            page.copied.connect(lambda text: desk.notify(text, "ok"))
            page.save_wanted.connect(desk.save_file)

    def _choose_placement(self, name: str) -> None:
        """Show another placement of a DRS test."""
        self._placement, self._placed_run = name, self._tests.run
        self._read()

    @cached_property
    def _known(self) -> RunKnowledge:
        clock = self._desk.times
        return RunKnowledge(
            self._tests.known, load_fio_jobs(), load_studies(), lambda at: clock.clock.time(round(at))
        )

    def _soon(self) -> None:
        if self._tests.step in ("run", "result") and not self._again.isActive():
            self._again.start()

    def _read(self) -> None:
        run, step, known = self._tests.run, self._tests.step, self._known
        if not run or step not in ("run", "result"):
            return
        is_live = self._tests.running is not None
        is_paused = self._desk.recording.is_paused()
        placement = self._placement if run == self._placed_run else ""

        def work(reader: SessionReader, _job: Job) -> RunSheet | ResultSheet | None:
            if step == "run":
                return run_page(reader, run, known, is_paused=is_paused)
            return result_page(reader, run, known, is_live=is_live, placement=placement)

        def done(sheet: RunSheet | ResultSheet | None) -> None:
            if isinstance(sheet, RunSheet):
                self.run.show_sheet(sheet)
            elif sheet is not None:
                self.result.show_sheet(sheet)

        self._desk.session.query("test-run", work, done)

    def _show_samples(self, window: TimeRange) -> None:
        """Show what was recorded in the time of a phase."""
        self._desk.scope.set(Scope().during(window))
        self._desk.charts.release()
        self._desk.notify("Overview and Charts show the time of this phase.", "info")

    def _again_of(self, run: TestRun) -> None:
        """Begin the test of a run anew, with what it had chosen: in the lab at once, elsewhere step by step
        and with its guests.
        """
        tests, desk = self._tests, self._desk
        test = tests.known.tests.get(run.test)
        if test is None:
            desk.notify(f"This version has no test {shown(run.test, 60)}.", "warning")
            return
        try:
            plan = parse_plan(run.plan)
        except HyperscopeError:
            desk.notify("The plan of this run can't be read: the test begins with its defaults.", "info")
            tests.begin(run.test)
            return
        again = again_of(plan, test, desk.times.clock.moment(run.start))
        place = Place(plan.environment, tuple(one.name for one in plan.workers if one.vm), plan.guest_user)
        if place.reach == "lab":
            tests.begin(run.test, again)
        else:
            tests.set_up(run.test, place=place, again=again)

    def _note_taken(self) -> None:
        """Keep what a run takes over that begins at once: its start clears the messages of before."""
        now = self._tests.setup.now
        self._taken = now.taken if now is not None and now.place.reach == "lab" else ""
        self._taken_from = self._tests.run

    def _say_taken(self) -> None:
        step, run = self._tests.step, self._tests.run
        is_over = step == "result" and run not in ("", self._taken_from)  # a short one, before it was shown
        if self._taken and (step == "run" or is_over):
            self._desk.notify(self._taken, "info")
            self._taken = ""

    def _act(self, act: str) -> None:
        desk, tests = self._desk, self._tests
        run = tests.records.run(tests.run)
        if run is None:
            return
        if act == "again":
            self._again_of(run)
        elif act == "export":
            desk.export(None)
        elif act == "report":
            put_test(desk)
        elif act in ("restore", "resume"):
            desk.recording.act_on_run(act)
