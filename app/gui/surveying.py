"""Looks at what a test acts on, and checks its plan: the lab in a worker, all others in a process."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.gui.jobs import Job, JobRunner
from app.gui.test_places import Place
from app.gui.test_process import TestProcess
from app.testing.environments import exactly
from app.testing.looking import check_in, look_into
from app.testing.messages import Failed, Found
from resources.failures import HyperscopeError
from resources.guided_tests import GuidedTests
from wizards.flows.plan import Plan
from wizards.flows.plan_file import plan_text
from workloads.lab.environment import LabEnvironment

Done = Callable[[Found], None]
Refused = Callable[[HyperscopeError], None]


class Surveyor(QObject):
    """Does one thing at a time: what is asked later ends what goes on. ``began`` has a process that may ask
    for passwords and trust.
    """

    began = Signal(object)

    def __init__(self, jobs: JobRunner, known: GuidedTests, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs, self._known = jobs, known
        self._process: TestProcess | None = None
        self._is_checking = False

    @property
    def is_looking(self) -> bool:
        """True while an environment is asked what it has."""
        return self._jobs.busy("test-look") or (self._process is not None and not self._is_checking)

    @property
    def is_checking(self) -> bool:
        """True while a plan is checked."""
        return self._jobs.busy("test-check") or (self._process is not None and self._is_checking)

    def look(self, place: Place, done: Done, refused: Refused) -> None:
        """Ask what there is."""
        self.cancel()
        if place.reach == "lab":
            address = place.addresses[0]
            work = partial(_look_at_lab, address)
            self._jobs.start("test-look", f"Looking at {address}", work, done, failed=refused, visible=True)
            return
        workers = [f"--worker={name}" for name in exactly(place.workers)]
        words = [
            "test",
            "look",
            "--attached",
            *workers,
            f"--guest-user={place.guest_user}",
            "--",
            *place.addresses,
        ]
        self._start(words, done, refused, is_checking=False)

    def check(self, plan: Plan, file: Path, done: Done, refused: Refused) -> None:
        """Make all checks of a plan; ``file`` is where it may be written for that."""
        self.cancel()
        if plan.environment[0].startswith("lab:"):
            work = partial(_check_in_lab, plan, self._known)
            self._jobs.start(
                "test-check", "Checking before the test", work, done, failed=refused, visible=True
            )
            return
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(plan_text(plan), encoding="utf-8")
        except OSError as error:
            refused(HyperscopeError(f"The plan can't be written to {file}: {error.strerror}."))
            return
        self._start(["test", "check", "--attached", str(file)], done, refused, is_checking=True)

    def cancel(self) -> None:
        """End what goes on; its answer is dropped."""
        for slot in ("test-look", "test-check"):
            self._jobs.cancel(slot)
        process, self._process = self._process, None
        if process is not None:
            process.stop()

    def _start(self, words: list[str], done: Done, refused: Refused, *, is_checking: bool) -> None:
        try:
            process = TestProcess(words, self)
        except HyperscopeError as error:
            refused(error)
            return
        self._process, self._is_checking = process, is_checking
        process.answered.connect(partial(self._take, process, done))
        process.failed.connect(partial(self._fail, process, refused))
        self.began.emit(process)

    def _take(self, process: TestProcess, done: Done, found: Found) -> None:
        if self._let_go(process):
            done(found)

    def _fail(self, process: TestProcess, refused: Refused, failed: Failed) -> None:
        if self._let_go(process):
            refused(failed.error())

    def _let_go(self, process: TestProcess) -> bool:
        """Return True if this process is the one that was waited for."""
        process.deleteLater()
        is_awaited = process is self._process
        if is_awaited:
            self._process = None
        return is_awaited


def _look_at_lab(address: str, _job: Job) -> Found:
    return look_into(LabEnvironment(address))


def _check_in_lab(plan: Plan, known: GuidedTests, _job: Job) -> Found:
    return check_in(LabEnvironment(plan.environment[0]), plan, known)
