"""Sets a test up: what its environment has, what was chosen, the plan and the checks of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from msgspec.structs import replace as with_fields
from PySide6.QtCore import QObject, Signal

from app.gui.jobs import JobRunner
from app.gui.settings import Settings
from app.gui.surveying import Surveyor
from app.gui.test_places import Place
from app.testing.messages import Found
from resources.failures import HyperscopeError
from resources.files import replace_file
from resources.fio_jobs import load_fio_jobs
from resources.foreign_text import shown
from resources.guided_tests import GuidedTest, GuidedTests
from resources.units import format_count, format_duration
from wizards.flows.about import About
from wizards.flows.check_result import CheckResult, counts_text
from wizards.flows.choices import (
    Chosen,
    Offer,
    choice_of,
    first_choice,
    objects_of,
    offer_of,
    problem_of,
    why_not_text,
)
from wizards.flows.plan import Plan
from wizards.flows.plan_file import plan_text
from wizards.flows.plan_sheet import PlanSheet
from wizards.flows.planning import make_plan
from wizards.flows.run_again import Again, taken_over, taken_text
from wizards.flows.sheets import sheet_of
from wizards.flows.steps import SetupLines
from wizards.flows.surroundings import Surroundings

CHOOSE_VMS = "Tick the VMs that do the I/O, and log in to their guests."
NAME_GUESTS = "Name the guests that do the I/O, one address a line."
_SECONDS_STALE = 300
_SWEEP = "io-sweep"
"""The test that compares the values of one thing: it has no verdict of a single one."""


@dataclass(frozen=True, slots=True)
class SetUp:
    """How far the setting up of a test has come; None and empty for what is not known yet.

    ``about`` is the object that the test is to be about, if it was begun from one; ``again`` what an earlier
    run had chosen, if it was begun from that, and ``taken`` the sentence on what was taken over from it.
    ``problem`` is a sentence on why there is no plan, ``step`` one on what is to be done first.
    ``checked_at`` is when the checks were made.
    """

    test: GuidedTest
    place: Place
    about: About | None = None
    again: Again | None = None
    taken: str = ""
    around: Surroundings | None = None
    offer: Offer | None = None
    chosen: Chosen | None = None
    plan: Plan | None = None
    sheet: PlanSheet | None = None
    checks: tuple[CheckResult, ...] = ()
    checked_at: datetime | None = None
    problem: str = ""
    step: str = ""

    @property
    def is_blocked(self) -> bool:
        """True if a check keeps the test from starting."""
        return any(one.state in ("block", "unknown") for one in self.checks)


class TestSetup(QObject):
    """Signals: ``changed`` when there is another plan, check or problem; ``offered`` when the environment
    was looked at; ``ready`` with the path of the plan's file when the test may start; ``asks`` with a process
    that may ask for passwords and trust.
    """

    __test__ = False  # pytest: this is none of its tests

    changed = Signal()
    offered = Signal()
    ready = Signal(object)
    asks = Signal(object)

    def __init__(
        self, jobs: JobRunner, settings: Settings, known: GuidedTests, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._jobs, self._settings, self._known = jobs, settings, known
        self._surveyor = Surveyor(jobs, known, self)
        self._surveyor.began.connect(self.asks)
        self.now: SetUp | None = None

    @property
    def is_checking(self) -> bool:
        """True while the checks are made."""
        return self._surveyor.is_checking or self._jobs.busy("test-costs")

    @property
    def is_looking(self) -> bool:
        """True while the environment is asked what it has, and the first plan is made."""
        return self._surveyor.is_looking or self._jobs.busy("test-plan")

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

    def begin(
        self,
        test: GuidedTest,
        place: Place,
        then: str = "",
        about: About | None = None,
        again: Again | None = None,
    ) -> None:
        """Look at what a test acts on and make the plan with defaults; with ``then`` = ``start`` check it and
        start. What it is to be ``about`` is chosen, or what an earlier run had chosen (``again``).
        """
        self.now = SetUp(test, place, about, again)
        if not place.addresses:
            self._surveyor.cancel()
            self._take_first("", replace(self.now, step=NAME_GUESTS))
            return
        self._look(place, then)

    def enter(self, place: Place) -> None:
        """Look again, into the guests of the VMs that the place names; what was chosen stays chosen."""
        if self.now is not None:
            self.now = replace(self.now, place=place, plan=None, sheet=None, checks=(), problem="", step="")
            self._look(place, "")

    def _look(self, place: Place, then: str) -> None:
        def done(found: Found) -> None:
            now = self.now
            if now is not None and now.place == place:
                self._jobs.start(
                    "test-plan",
                    "Planning",
                    lambda _job: _first_plan(now, found.around, self._known),
                    partial(self._take_first, then),
                )

        self._surveyor.look(place, done, self._failed)
        self.changed.emit()

    def _take_first(self, then: str, found: SetUp) -> None:
        self.now = found
        self.offered.emit()
        self.changed.emit()
        if found.plan is not None:
            self.check(then)

    def choose(self, chosen: Chosen) -> None:
        """Make the plan of another choice."""
        now = self.now
        if now is None or now.around is None or chosen == now.chosen:
            return
        self._jobs.start("test-plan", "Planning", lambda _job: _planned(now, chosen, self._known), self._take)

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

        def done(found: Found) -> None:
            self._jobs.start(
                "test-costs",
                "Planning",
                lambda _job: _sheet_now(plan, self._known, found),
                partial(take, found),
            )

        def take(found: Found, sheet: PlanSheet) -> None:
            if self.now is None or self.now.plan != plan:
                return
            self.now = replace(
                self.now, around=found.around, checks=found.checks, sheet=sheet, checked_at=began
            )
            self.changed.emit()
            if then == "start" and not self.now.is_blocked:
                self.start()

        self._surveyor.check(plan, self._folder / "being-checked.toml", done, self._failed)
        self.changed.emit()

    def start(self) -> None:
        """Write the plan's file and say that the test may start; checks that are old are made again first."""
        now = self.now
        if now is None or now.plan is None or now.is_blocked:
            return
        if now.checked_at is None or _age_s(now.checked_at) > _SECONDS_STALE:
            self.check("start")
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{now.test.id}-{datetime.now().astimezone():%Y%m%d-%H%M%S}.toml"
        path.write_text(plan_text(now.plan), encoding="utf-8")
        self.ready.emit(path)

    def save(self, path: Path) -> None:
        """Write the plan to a file that the user named."""
        if self.now is not None and self.now.plan is not None:
            replace_file(path, plan_text(self.now.plan))

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
        self._surveyor.cancel()
        for slot in ("test-plan", "test-costs"):
            self._jobs.cancel(slot)
        self.now = None
        self.changed.emit()

    @property
    def _folder(self) -> Path:
        return self._settings.folder / "plans"

    def _take(self, found: SetUp) -> None:
        self.now = found
        self.changed.emit()
        if found.plan is not None:
            self.check()

    def _failed(self, error: HyperscopeError) -> None:
        if self.now is not None:
            self.now = replace(self.now, problem=str(error))
            self.changed.emit()


def _first_plan(now: SetUp, around: Surroundings, known: GuidedTests) -> SetUp:
    """Return the first plan in what was found, or what is to be done before there can be one."""
    offer = offer_of(now.test, around)
    found = replace(now, around=around, offer=offer)
    if around.kind == "vcenter" and not around.workers:
        return replace(found, step=CHOOSE_VMS)
    refused = [one for one in around.workers if one.facts is None]
    if refused and len(refused) == len(around.workers):
        return replace(found, problem=why_not_text(refused[0].name, refused[0].why))
    first = first_choice(now.test, around, offer, now.about)
    if now.again is not None:
        first = taken_over(now.again, now.test, around, offer, first)
        found = replace(found, taken=taken_text(now.again, now.test, offer, first))
    planned = _planned(found, first, known)
    if planned.plan is not None:
        planned = replace(planned, chosen=replace(first, objects=objects_of(planned.plan)))
    return planned


def _planned(before: SetUp, chosen: Chosen, known: GuidedTests) -> SetUp:
    """Return the plan of a choice, or why there is none."""
    assert before.around is not None
    without = replace(before, chosen=chosen, plan=None, sheet=None, checks=(), checked_at=None, step="")
    if problem := problem_of(before.test, chosen):
        return replace(without, problem=problem)
    try:
        plan = make_plan(before.test, before.around, choice_of(before.test, chosen))
        plan = with_fields(plan, guest_user=before.place.guest_user, environment=before.place.addresses)
        sheet = sheet_of(plan, known, load_fio_jobs(), _clock)
        if (
            before.test.id == _SWEEP
            and len({one.setting for one in plan.phases if one.kind == "measure"}) < 2
        ):
            return replace(
                without, problem="A sweep needs at least two values of what is varied, such as 1, 16."
            )
    except HyperscopeError as error:
        return replace(without, problem=str(error))
    return replace(without, plan=plan, sheet=sheet, problem="")


def _sheet_now(plan: Plan, known: GuidedTests, found: Found) -> PlanSheet:
    now = {(of, name): value for of, name, value in found.settings}
    return sheet_of(plan, known, load_fio_jobs(), _clock, now)


def _clock(seconds: float) -> str:
    return f"{datetime.now().astimezone() + timedelta(seconds=seconds):%H:%M}"


def _age_s(at: datetime) -> float:
    return (datetime.now().astimezone() - at).total_seconds()
