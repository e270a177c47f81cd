"""The state of guided tests in the window: the runs of the session, and the test that is set up or looked
at.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.gui.jobs import Job, JobRunner
from app.gui.session_model import SessionModel
from app.gui.settings import Settings
from app.gui.test_places import Place, Reach, TestPlaces
from app.gui.test_records import TestRecords
from resources.guided_tests import GuidedTests, load_guided_tests
from resources.study_numbers import Studies, load_studies
from sessions.findings import Finding
from sessions.journal import TestRun
from sessions.store import SessionReader
from wizards.flows.about import About
from wizards.flows.cards import interrupted
from wizards.flows.gallery import Interrupted
from wizards.flows.recorded_about import recorded_about

if TYPE_CHECKING:
    from app.gui.test_setup import TestSetup
    from wizards.flows.run_again import Again


class TestsModel(QObject):
    """Signals: ``changed`` when there are other runs, or a run came further; ``opened`` when another test,
    run or step is to be shown; ``asked`` when the page of the tests is to come to the front; ``looked`` when
    an analysis has its ``answer``; ``asks`` with a process of a set-up that may ask for passwords and trust.
    """

    __test__ = False  # pytest: this is none of its tests

    changed = Signal()
    opened = Signal()
    asked = Signal()
    looked = Signal()
    asks = Signal(object)

    def __init__(
        self, session: SessionModel, jobs: JobRunner, settings: Settings, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._jobs, self._settings = session, jobs, settings
        self.records = TestRecords()
        self.live = ""
        """The id of the run that went on when the records were read, empty if none did."""
        self.is_read = False
        """True once the records of the open session were read."""
        self._awaited = ""
        self.places = TestPlaces(session)
        self.test = ""
        self.run = ""
        self.step = ""
        self.answer = ""
        session.opened.connect(lambda _snapshot: self._session_opened())
        session.changed.connect(lambda _change: self.read())
        session.closed.connect(self._clear)

    @cached_property
    def known(self) -> GuidedTests:
        """All guided tests, as they ship."""
        return load_guided_tests()

    @cached_property
    def studies(self) -> Studies:
        """The reference numbers by which results are judged, as they ship."""
        return load_studies()

    @cached_property
    def setup(self) -> TestSetup:
        """The test that is being set up."""
        from app.gui.test_setup import TestSetup  # noqa: PLC0415 - planning, checks and the lab

        made = TestSetup(self._jobs, self._settings, self.known, self)
        made.ready.connect(self._await_run)
        made.asks.connect(self.asks)
        return made

    def tell_again(self) -> None:
        """Emit what a view needs that was made late."""
        self.changed.emit()
        self.opened.emit()
        if self.setup.now is not None:
            self.setup.offered.emit()
            self.setup.changed.emit()

    @property
    def running(self) -> TestRun | None:
        """The run that goes on now, as far as the session tells."""
        snapshot = self._session.whole
        live = snapshot is not None and any(one.state == "recording" for one in snapshot.sources)
        return next((one for one in reversed(self.records.runs) if live and one.end is None), None)

    def interrupted(self, day: Callable[[int], str]) -> Interrupted | None:
        """Return the newest run that did not put everything back; ``day`` returns a time (ms) as it is
        written.
        """
        runs, journal = self.records.runs, self.records.journal
        if not runs:
            return None  # as in most sessions: the tests' descriptions need not be read for it
        return interrupted(self.known, runs, journal, self.live, day)

    def open(self, test: str, step: str, run: str = "") -> None:
        """Show a step of a test: ``check``, ``run``, ``result``; with ``run`` that of a certain run."""
        self.test, self.step, self.run = test, step, run
        self.opened.emit()

    def begin(self, test: str, again: Again | None = None) -> None:
        """Set a test up; in the lab, where nothing real is touched, run it at once with its defaults, or with
        what an earlier run had chosen (``again``).

        An analysis has nothing to set up: it is looked at.
        """
        if test in self.known.analyses:
            self.open(test, "look")
        elif self.places.connected.reach == "lab":
            self.setup.begin(self.known.require(test), self.places.place("lab"), "start", again=again)
            self.open(test, "check")
        else:
            self.set_up(test, again=again)

    def offered_for(self, finding: Finding) -> list[tuple[str, str]]:
        """Return ids and titles of the tests that a finding offers."""
        reach = self.places.connected.reach
        tests = [one for one in self.known.tests.values() if reach in one.environments]
        return [(one.id, one.title) for one in tests if finding.problem in one.problems]

    def set_up(
        self,
        test: str,
        about: About | None = None,
        reach: Reach = "",
        place: Place | None = None,
        again: Again | None = None,
    ) -> None:
        """Set a test up step by step and bring its page to the front: ``about`` an object, in this place, or
        in what is reached so (the nearest that it can act on), with what an earlier run had chosen
        (``again``).
        """
        self.asked.emit()
        if test in self.known.analyses:
            self.begin(test)
            return
        found = self.known.require(test)
        place = place or self.places.place(reach or self.places.reaches(found)[0])
        self.setup.begin(found, place, about=about, again=again)
        self.open(test, "choose")

    def shutdown(self) -> None:
        """End what a set-up asks; for a window that closes."""
        if "setup" in self.__dict__:
            self.setup.forget()

    def look_at(self, run: str) -> None:
        """Show a run, or its result, and bring its page to the front."""
        found = self.records.run(run)
        if found is not None:
            self.asked.emit()
            self.open(found.test, "run" if found == self.running else "result", run)

    def take_answer(self, line: str) -> None:
        """Keep the answer of the analysis that is open, for the pane beside its page."""
        self.answer = line
        self.looked.emit()

    def close(self) -> None:
        """Show all tests."""
        self.open("", "")

    def read(self) -> None:
        """Read what was written of runs and changes since the last time."""

        snapshot, before = self._session.whole, self.records

        def work(reader: SessionReader, _job: Job) -> TestRecords:
            recorded = recorded_about(snapshot, before.recorded) if snapshot is not None else None
            return replace(before, recorded=recorded).with_new(reader)

        self._session.query("tests", work, self._take)

    def _session_opened(self) -> None:
        self._clear()
        self.read()

    def _take(self, records: TestRecords) -> None:
        before, was_live = self.records, self.live
        self.records, self.is_read = records, True
        running = self.running
        self.live = running.id if running is not None else ""
        if records == before and self.live == was_live:
            return
        self.changed.emit()
        new = [one for one in records.runs if before.run(one.id) is None]
        if running is not None and self.live != was_live:  # it began, or was resumed
            self.open(running.test, "run", running.id)
        elif self.run == was_live != self.live and self.step == "run":  # it ended, or was interrupted
            self.open(self.test, "result", self.run)
        elif new and new[-1].test == self._awaited:  # it was over before the window saw it run
            self.open(new[-1].test, "result", new[-1].id)
        if new:
            self._awaited = ""

    def _await_run(self, _plan: object) -> None:
        self._awaited = self.test

    def _clear(self) -> None:
        self.records, self.live, self.is_read = TestRecords(), "", False
        self.test = self.step = self.run = self.answer = ""
        self.changed.emit()
        self.opened.emit()
