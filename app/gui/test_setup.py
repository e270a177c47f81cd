"""Sets a test up: what its environment has, what was chosen, the plan and the checks of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.gui.jobs import Job, JobRunner
from app.gui.settings import Settings
from resources.failures import HyperscopeError, UsageError
from resources.fio_jobs import load_fio_jobs
from resources.foreign_text import shown
from resources.guided_tests import GuidedTest, GuidedTests
from resources.units import format_count, format_duration
from wizards.flows.check_result import CheckResult, counts_text
from wizards.flows.checks import checks_of
from wizards.flows.choices import Chosen, Offer, choice_of, first_choice, objects_of, offer_of, problem_of
from wizards.flows.plan import Plan
from wizards.flows.plan_file import plan_text
from wizards.flows.plan_sheet import PlanSheet
from wizards.flows.planning import make_plan
from wizards.flows.sheets import present_settings, sheet_of
from wizards.flows.steps import SetupLines
from wizards.flows.surroundings import Surroundings, look
from workloads.environment import Environment
from workloads.lab.environment import LabEnvironment

_SECONDS_STALE = 300


@dataclass(frozen=True, slots=True)
class SetUp:
    """How far the setting up of a test has come; None and empty for what is not known yet.

    ``problem`` is a sentence on why there is no plan. ``checked_at`` is when the checks were made.
    """

    test: GuidedTest
    address: str
    around: Surroundings | None = None
    offer: Offer | None = None
    chosen: Chosen | None = None
    plan: Plan | None = None
    sheet: PlanSheet | None = None
    checks: tuple[CheckResult, ...] = ()
    checked_at: datetime | None = None
    problem: str = ""

    @property
    def is_blocked(self) -> bool:
        """True if a check keeps the test from starting."""
        return any(one.state in ("block", "unknown") for one in self.checks)


class TestSetup(QObject):
    """Signals: ``changed`` when there is another plan, check or problem; ``offered`` when the environment
    was looked at; ``ready`` with the path of the plan's file when the test may start.
    """

    __test__ = False  # pytest: this is none of its tests

    changed = Signal()
    offered = Signal()
    ready = Signal(object)

    def __init__(
        self, jobs: JobRunner, settings: Settings, known: GuidedTests, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._jobs, self._settings, self._known = jobs, settings, known
        self.now: SetUp | None = None

    @property
    def is_checking(self) -> bool:
        """True while the checks are made."""
        return self._jobs.busy("test-check")

    @property
    def is_looking(self) -> bool:
        """True while the environment is asked what it has."""
        return self._jobs.busy("test-look")

    @property
    def command(self) -> str:
        """The command that runs this plan without a window; empty without a plan."""
        now = self.now
        return f"hyperscope test run {now.test.id}.toml -o {now.test.id}.hscope" if now and now.plan else ""

    @property
    def lines(self) -> SetupLines:
        """What the rail says of the steps."""
        now = self.now
        if now is None or now.plan is None:
            return SetupLines()
        plan, names = now.plan, {one.id: one.name for one in now.plan.objects}
        chosen = [shown(names.get(one, one), 60) for one in plan.chosen.values()]
        critical = next((one.name for one in plan.workers if one.role == "critical"), "")
        who = f"{format_count(len(plan.workers))} worker{'' if len(plan.workers) == 1 else 's'}"
        choose = [", ".join(chosen), f"Critical: {shown(critical, 40)}; {who}" if critical else who]
        check = (counts_text(now.checks),) if now.checks else ()
        seconds = now.sheet.numbers[0].value if now.sheet and now.sheet.numbers else ""
        return SetupLines(
            tuple(choose), check, (f"{format_count(len(plan.order))} phases, {seconds}",), now.is_blocked
        )

    def begin(self, test: GuidedTest, address: str, then: str = "") -> None:
        """Look at an environment and make the plan with defaults; with ``then`` = ``start`` check it and
        start.
        """
        self.now = SetUp(test, address)
        self.changed.emit()

        def work(_job: Job) -> tuple[Surroundings, SetUp]:
            around = _look(address)
            offer = offer_of(test, around)
            first = first_choice(test, around, offer)
            planned = self._planned(SetUp(test, address, around, offer), first)
            if planned.plan is not None:
                planned = replace(planned, chosen=replace(first, objects=objects_of(planned.plan)))
            return around, planned

        def done(found: tuple[Surroundings, SetUp]) -> None:
            _around, self.now = found
            self.offered.emit()
            self.changed.emit()
            if self.now.plan is not None:
                self.check(then)

        self._jobs.start("test-look", f"Looking at {address}", work, done, failed=self._failed, visible=True)

    def choose(self, chosen: Chosen) -> None:
        """Make the plan of another choice."""
        now = self.now
        if now is None or now.around is None or chosen == now.chosen:
            return
        self._jobs.start("test-plan", "Planning", lambda _job: self._planned(now, chosen), self._take)

    def refuse(self, problem: str) -> None:
        """Have no plan, because something was typed that can't be: ``problem`` is a sentence on it."""
        if self.now is not None:
            self._jobs.cancel("test-plan")
            self.now = replace(self.now, chosen=None, plan=None, sheet=None, checks=(), problem=problem)
            self.changed.emit()

    def check(self, then: str = "") -> None:
        """Check everything again, on what the environment has now."""
        now = self.now
        if now is None or now.plan is None:
            return
        plan, began = now.plan, datetime.now().astimezone()

        def work(_job: Job) -> _Checked:
            return _check(plan, self._known)

        def done(found: _Checked) -> None:
            if self.now is None or self.now.plan != plan:
                return
            self.now = replace(
                self.now, around=found.around, checks=found.checks, sheet=found.sheet, checked_at=began
            )
            self.changed.emit()
            if then == "start" and not self.now.is_blocked:
                self.start()

        self._jobs.start(
            "test-check", "Checking before the test", work, done, failed=self._failed, visible=True
        )
        self.changed.emit()

    def start(self) -> None:
        """Write the plan's file and say that the test may start; checks that are old are made again first."""
        now = self.now
        if now is None or now.plan is None or now.is_blocked:
            return
        if now.checked_at is None or _age_s(now.checked_at) > _SECONDS_STALE:
            self.check("start")
            return
        folder = self._settings.folder / "plans"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{now.test.id}-{datetime.now().astimezone():%Y%m%d-%H%M%S}.toml"
        path.write_text(plan_text(now.plan), encoding="utf-8")
        self.ready.emit(path)

    def save(self, path: Path) -> None:
        """Write the plan to a file that the user named."""
        if self.now is not None and self.now.plan is not None:
            path.write_text(plan_text(self.now.plan), encoding="utf-8")

    def when(self) -> str:
        """Return the sentence on when the checks were made."""
        now = self.now
        if self.is_checking:
            return "Checking…"
        if now is None or now.checked_at is None:
            return "Not checked yet."
        age = _age_s(now.checked_at)
        old = (
            f"Checked {format_duration(round(age))} ago"
            if age > _SECONDS_STALE
            else f"Checked {now.checked_at:%H:%M:%S}"
        )
        return f"{old}. Checked again at Start and in each guest."

    def forget(self) -> None:
        """Set nothing up any more."""
        for slot in ("test-look", "test-plan", "test-check"):
            self._jobs.cancel(slot)
        self.now = None
        self.changed.emit()

    def _planned(self, before: SetUp, chosen: Chosen) -> SetUp:
        assert before.around is not None
        if problem := problem_of(before.test, chosen):
            return replace(before, chosen=chosen, plan=None, sheet=None, checks=(), problem=problem)
        try:
            plan = make_plan(before.test, before.around, choice_of(before.test, chosen))
            sheet = sheet_of(plan, self._known, load_fio_jobs(), _clock)
        except HyperscopeError as error:
            return replace(before, chosen=chosen, plan=None, sheet=None, checks=(), problem=str(error))
        return replace(before, chosen=chosen, plan=plan, sheet=sheet, checks=(), checked_at=None, problem="")

    def _take(self, found: SetUp) -> None:
        self.now = found
        self.changed.emit()
        if found.plan is not None:
            self.check()

    def _failed(self, error: HyperscopeError) -> None:
        if self.now is not None:
            self.now = replace(self.now, problem=str(error))
            self.changed.emit()


def open_environment(address: str) -> Environment:
    """Open what a test acts on."""
    if address.startswith("lab:"):
        return LabEnvironment(address)
    raise UsageError("Tests of a vCenter are planned with 'hyperscope test plan'.")


def _look(address: str) -> Surroundings:
    environment = open_environment(address)
    try:
        return look(environment)
    finally:
        environment.close()


@dataclass(frozen=True, slots=True)
class _Checked:
    around: Surroundings
    checks: tuple[CheckResult, ...]
    sheet: PlanSheet


def _check(plan: Plan, known: GuidedTests) -> _Checked:
    environment = open_environment(plan.environment[0])
    try:
        around = look(environment)
        checks = tuple(checks_of(plan, around, environment, known))
        now = present_settings(plan, environment.settings)
    finally:
        environment.close()
    return _Checked(around, checks, sheet_of(plan, known, load_fio_jobs(), _clock, now))


def _clock(seconds: float) -> str:
    return f"{datetime.now().astimezone() + timedelta(seconds=seconds):%H:%M}"


def _age_s(at: datetime) -> float:
    return (datetime.now().astimezone() - at).total_seconds()
