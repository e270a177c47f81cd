"""Runs a test: a collector of the recorder that acts, measures, judges, and puts everything back."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from collectors.feed import Controls, Feed
from diagnosis.statistics.steady import SteadyLimits
from resources.failures import HyperscopeError, UsageError
from resources.fio_jobs import FioJobs
from resources.foreign_text import shown
from resources.guided_tests import GuidedTests
from sessions.journal import ChangedObject, JournalEntry, Phase, PhaseState, TestRun
from wizards.flows.active_worker import FOLDER, ActiveWorker
from wizards.flows.check_result import CheckResult
from wizards.flows.checks import checks_of
from wizards.flows.guards import EVERY_S, Guards
from wizards.flows.load import LoadPhase, StoppedError
from wizards.flows.locks import LOCK, Lock, lock_all, locked_objects, require_locks
from wizards.flows.measured import NOTHING_MEASURED, LostWorker, Measured, Round
from wizards.flows.observing import ObservingFeed
from wizards.flows.phase_facts import PhaseFacts, note_hosts, numbers_of
from wizards.flows.phase_waits import DrsSettling, wait_until_settled
from wizards.flows.plan import Plan, PlannedChange, PlannedPhase, planned_value, run_name
from wizards.flows.provenance import UNDO
from wizards.flows.run_disks import disks_to_make, identities, look_for_disks
from wizards.flows.run_record import RunRecord
from wizards.flows.surroundings import Surroundings, kind_of, look
from wizards.flows.verdict import Verdict
from workloads.environment import Environment, TestObject
from workloads.journal import Changes, Wanted
from workloads.together import on_all

MAX_PAUSE_S = 1800.0
"""A pause that lasts longer ends the run: settings stay changed meanwhile (WIZARDS §3)."""
MAX_REPEATS = 3
"""How many disturbed measurements are repeated in a run."""
RESTORE_TRIES, RESTORE_WAIT_S, RESTORE_WITHIN_S = 5, 3.0, 60.0
"""How often, how long apart (s), and for how long (s) what does not answer is put back again: a guest that
hangs takes minutes to be asked six times, and ``restore`` mends it once it is back.
"""
PREPARE, RESTORE = "prepare", "restore"

Judge = Callable[[Plan, Measured], Verdict]


@dataclass(frozen=True)
class RunOptions:
    """How a plan is run. ``open`` connects to its environment; ``judge`` makes the verdict.

    ``take_locks``: locks of other runs are taken over. ``ask`` is asked to have something done by hand and
    returns False if nobody did. ``poll_s`` is how often workers are heard, in the environment's time.
    ``measured`` are rounds of the same run that an earlier process measured; ``entries`` its changes.
    """

    run: str
    open: Callable[[], Environment]
    known: GuidedTests
    jobs: FioJobs
    judge: Judge
    steady: SteadyLimits
    take_locks: bool = False
    ask: Callable[[str], bool] = lambda _question: False
    poll_s: float = 1.0
    measured: Measured = NOTHING_MEASURED
    entries: tuple[JournalEntry, ...] = ()
    details: Callable[[Measured, Verdict | None], str] = lambda _measured, _verdict: ""
    retry_s: float = RESTORE_WAIT_S


class _Never:
    """Controls of work that nobody may stop: putting things back."""

    paused = False

    def is_set(self) -> bool:
        """Return False."""
        return False

    def wait(self, timeout: float | None = None) -> bool:
        """Wait, and return False."""
        time.sleep(timeout or 0.0)
        return False


class TestCollector:
    """A test run as a collector. After ``run`` the result stands in ``result``, ``changes``, ``verdict``."""

    __test__ = False  # pytest: this is none of its tests

    def __init__(self, plan: Plan, plan_text: str, options: RunOptions) -> None:
        self._plan, self._text, self._options = plan, plan_text, options
        self.result: TestRun | None = None
        self.changes: list[JournalEntry] = []
        self.workers: dict[str, str] = {}
        self.verdict: Verdict | None = None
        self.measured = options.measured
        self.checks: list[CheckResult] = []

    @property
    def name(self) -> str:
        """The connection's name in messages."""
        return " ".join(self._plan.environment)

    def run(self, feed: Feed, controls: Controls) -> None:
        """Run the plan to its end, or until it is stopped; everything is put back on every way out.

        Raises HyperscopeError if it could not begin. A run that began and was stopped raises nothing.
        """
        environment = self._options.open()
        try:
            observing = ObservingFeed(feed, self._counters())
            _Run(self, self._plan, self._text, self._options, environment, observing, controls).go()
        finally:
            environment.close()

    def _counters(self) -> set[str]:
        return set(self._options.known.require(self._plan.test).observes)


@dataclass
class _Run:
    """One run while it goes on."""

    owner: TestCollector
    plan: Plan
    text: str
    options: RunOptions
    environment: Environment
    feed: ObservingFeed
    controls: Controls
    active: dict[str, ActiveWorker] = field(default_factory=dict)
    rounds: list[Round] = field(default_factory=list)
    lost: dict[str, LostWorker] = field(default_factory=dict)
    before: dict[str, float] = field(default_factory=dict)
    placements: dict[str, dict[str, str]] = field(default_factory=dict)
    after_fill: dict[str, float] = field(default_factory=dict)
    repeats: int = 0
    _looked_at: int = 0
    _load: LoadPhase | None = None
    _kept: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        options, now = self.options, self.environment.now_ms()
        self.rounds = list(options.measured.rounds)
        self.before = dict(options.measured.before)
        self.after_fill = dict(options.measured.after_fill)
        self.lost = {one.worker: one for one in options.measured.lost}
        self.placements = {step: dict(hosts) for step, hosts in options.measured.placements.items()}
        names = [PREPARE, *(run_name(phase.name, number) for phase, number in self.steps()), RESTORE]
        run = TestRun(options.run, self.plan.test, self.text, now)
        planned = tuple(Phase(name, "planned") for name in names)
        source = f"test {self.plan.test}, run {options.run}"
        self.record = RunRecord(self.feed, replace(run, phases=planned), source, self.environment.now_ms)
        self.changes = Changes(
            options.run,
            self.environment.settings,
            self.record,
            self.environment.now_ms,
            UNDO[kind_of(self.plan.environment[0])],
            options.entries,
        )
        self.guards = Guards(self.plan.guards, [self.plan.chosen[name] for name in self.plan.chosen])

    def steps(self) -> list[tuple[PlannedPhase, int]]:
        """Return the phases that are still to be run, with the number of their repetition."""
        done = {(one.phase, one.number) for one in self.options.measured.rounds}
        return [
            (phase, number)
            for phase, number in self.plan.steps()
            if phase.kind != "measure" or (phase.name, number) not in done
        ]

    def go(self) -> None:
        """Do everything, and leave everything as it was."""
        why, error = "", None
        try:
            _prepare(self)
            self._phases()
        except StoppedError as stopped:
            why = str(stopped)
            self.record.note_stop(why)
        except HyperscopeError as failure:
            why, error = str(failure), failure
        finally:
            _leave(self, why)
        if error is not None and not self.rounds:
            raise error

    # what happens, in its order

    def _phases(self) -> None:
        steps = self.steps()
        for index, (phase, number) in enumerate(steps, start=1):
            self._hold_while_paused(phase)
            self._phase(index, phase, number)

    def _phase(self, index: int, phase: PlannedPhase, number: int) -> None:
        self.record.begin_phase(index, phase.title)
        state: PhaseState = "failed"
        try:
            self.changes_hold(phase.changes, moves=phase.wait == "drs settled")
            self._let_settle(phase)
            self._do(phase, number)
            state = "done"
        finally:
            self.record.end_phase(index, state)
            self.record.change(details=self.options.details(self.measured(), None))

    def _do(self, phase: PlannedPhase, number: int) -> None:
        if phase.kind == "ask":
            if not self.options.ask(phase.ask):
                raise StoppedError(f"Nobody did what was asked: {phase.ask}")
        elif phase.kind == "wait":
            wait_until_settled(phase, self._objects, self.environment.now_ms, self.pause)
            self.after_fill.update(PhaseFacts(phase.facts, self._objects, self._chosen()).read())
        elif phase.kind == "fill":
            self._with_load(phase, number, LoadPhase.fill)
        else:
            self._with_load(phase, number, self._measure)

    def _with_load(self, phase: PlannedPhase, number: int, act: Callable[[LoadPhase], object]) -> None:
        load = LoadPhase(
            self.environment, self.plan, phase, self.options.run, self.active, self.record, self.options.jobs,
            self.options.steady, self.pause, _settling(self, phase),
        )  # fmt: skip
        self._load = load
        try:
            found = act(load)
        finally:
            load.stop()
            self._load = None
            gone = self._note_lost(phase)
        if isinstance(found, Round):
            self._keep_round(replace(found, number=number), phase, number)
        self._require_enough(gone)

    def _measure(self, load: LoadPhase) -> Round:
        phase = load.phase
        facts = PhaseFacts(phase.facts, self._objects, self._chosen())
        note_hosts(self.active.values(), self.plan)
        window, workers = load.measure()
        workers = note_hosts(self.active.values(), self.plan, workers)
        happened = tuple(self.environment.disturbances(window))
        self.placements[phase.step] = {one.name: one.host for one in self.active.values() if one.host}
        return Round(
            step=phase.step,
            number=1,
            window=window,
            workers=workers,
            setting=phase.setting if phase.setting is not None else float("nan"),
            planned_seconds=phase.measure_s,
            observed=self.feed.observed(window),
            disturbances=happened,
            facts=facts.read(),
            phase=phase.name,
        )

    def _keep_round(self, one: Round, phase: PlannedPhase, number: int) -> None:
        self.rounds.append(one)
        if not one.disturbances:
            return
        self.record.note_disturbances(one.disturbances)
        if self.repeats < MAX_REPEATS:
            self.repeats += 1
            self._with_load(phase, number, self._measure)

    def _note_lost(self, phase: PlannedPhase) -> dict[str, str]:
        """Take out of the run who failed in a phase, on whatever way it ended; return why by name."""
        gone = {name: one.error for name, one in self.active.items() if one.error}
        for name, why in gone.items():
            one = self.active.pop(name)
            after_s = self.record.seconds_into_phase(one.failed_at)
            self.lost[name] = LostWorker(name, phase.title, one.failed_at, after_s, why)
            self.record.note_lost(self.lost[name], one.worker.entity)
            # Its folder is put back at the end: a guest that does not answer must not end the run.
            self._kept.add(one.kept_change)
        return gone

    def pause(self) -> None:
        """Let one moment pass; raise StoppedError if the run is to end."""
        if self.environment.wait(self.options.poll_s, self.controls):
            raise StoppedError("The test was stopped by hand.")
        now = self.environment.now_ms()
        if now - self._looked_at >= EVERY_S * 1000:
            self._looked_at = now
            watched = self._objects() if self.plan.chosen else ()  # asking guests alone costs time
            if problem := self.guards.problem(watched, now):
                raise StoppedError(f"A guard ended the test: {problem}", by_guard=True)
            if self._load is not None:
                self._require_enough({name: one.error for name, one in self.active.items() if one.error})

    def _require_enough(self, lost: Mapping[str, str]) -> None:
        hosts = {name: one.host for name, one in self.active.items() if not one.error}
        if problem := self.guards.lost(hosts, lost):
            raise StoppedError(f"A guard ended the test: {problem}", by_guard=True)

    def _hold_while_paused(self, phase: PlannedPhase) -> None:
        """Wait before a phase as long as the run is paused; settings stay as they are."""
        begun = time.monotonic()
        while self.controls.paused:
            if self.controls.wait(0.2):
                raise StoppedError("The test was stopped by hand.")
            if time.monotonic() - begun > MAX_PAUSE_S:
                raise StoppedError(
                    f"The test was paused before {shown(phase.title)} for 30 min, so it was ended."
                )
        if self.controls.is_set():
            raise StoppedError("The test was stopped by hand.")

    def _let_settle(self, phase: PlannedPhase) -> None:
        until = self.environment.now_ms() + round(phase.settle_s * 1000)
        while self.environment.now_ms() < until:
            self.pause()

    # what is asked of the environment

    def changes_hold(self, wanted: Iterable[PlannedChange], *, moves: bool = False) -> None:
        """Make these, and the plan's own, the settings that are changed; VMs that DRS ``moves`` stay
        there."""
        targets = {one.id: one.changed for one in self.plan.objects}
        both = (*self.plan.changes, *wanted)
        kept = {one.kept_change for one in self.active.values()} | self._kept
        if moves:
            kept |= {one.id for one in self.changes.entries if one.setting == "host"}
        self.changes.hold(
            (Wanted(targets[one.object], one.setting, planned_value(one)) for one in both), kept
        )

    def _keep(self, entry: JournalEntry) -> None:
        self._kept.add(entry.id)

    def measured(self) -> Measured:
        """Return everything that was measured so far."""
        inputs = {
            name: float(value)
            for name, value in self.plan.inputs.items()
            if isinstance(value, int | float) and not isinstance(value, bool)
        }
        return Measured(
            tuple(self.rounds),
            len(self.plan.workers),
            inputs,
            _shares(self.plan),
            self.before,
            self.placements,
            self.after_fill,
            tuple(self.lost.values()),
        )

    def _objects(self) -> Sequence[TestObject]:
        return self.environment.objects()

    def _chosen(self) -> list[str]:
        return list(self.plan.chosen.values())


def _prepare(run: _Run) -> None:
    run.record.begin_phase(0, "Prepare: checks, locks, disks")
    run.environment.begin(run.feed)
    around = _look(run)
    _require_checks(run, around)
    objects = locked_objects(run.plan, around.objects)
    _lock(run, objects)
    run.changes_hold([])
    for wanted in disks_to_make(run.plan, run.options.run):
        run._keep(run.changes.make(wanted))
    run.changes_hold([])
    _find_workers(run)
    require_locks(run.environment.settings, objects, run.options.run, run.environment.now_ms())
    run.before = run.before or numbers_of(around, run._chosen())
    chosen = [one for one in around.objects if one.object.id in run._chosen()]
    devices = " ".join(str(one.facts.get("device") or "") for one in chosen).split()
    run.feed.choose([one.entity for one in chosen], devices)
    run.record.end_phase(0)


def _look(run: _Run) -> Surroundings:
    """Look around. What asking a guest leaves there meanwhile is written down before."""
    left: dict[str, JournalEntry] = {}
    for worker in run.environment.workers():
        if scratch := worker.scratch(run.options.run):
            left[worker.name] = run.changes.intend(Wanted(scratch, FOLDER, scratch.id))
            run._keep(left[worker.name])
    around = look(run.environment)
    for seen in around.workers:
        if seen.facts is None and seen.name in left:
            run.changes.drop(left[seen.name], "Its guest did not answer.")
    return around


def _require_checks(run: _Run, around: Surroundings) -> None:
    results = list(checks_of(run.plan, around, run.environment, run.options.known))
    run.owner.checks = results
    if run.options.take_locks:
        results = [one for one in results if one.id != "C12"]
    blocks = [one for one in results if one.state in ("block", "unknown")]
    if blocks:
        more = f" Other checks that block it: {len(blocks) - 1}." if len(blocks) > 1 else ""
        raise UsageError(
            f"The test was not started: {blocks[0].found.rstrip('.')}.{more}",
            meaning=blocks[0].why,
            advice=blocks[0].mend,
        )


def _lock(run: _Run, objects: Sequence[ChangedObject]) -> None:
    lock = Lock(run.options.run, run.plan.test, platform.node(), run.environment.now_ms())
    if run.options.take_locks:
        for changed in objects:
            if run.environment.settings.read(changed, LOCK) not in (None, ""):
                run.environment.settings.write(changed, LOCK, None)
    run._kept |= lock_all(run.changes, run.environment.settings, objects, lock)


def _find_workers(run: _Run) -> None:
    """Inspect every worker again: what it says now decides whether its disks are written to."""
    known = {one.name: one for one in run.environment.workers()}
    planned = [one for one in run.plan.workers if one.name in known]
    found = look_for_disks(planned, lambda one: known[one.name].inspect(), run.options.run, run.pause)
    for one in planned:
        disks = identities(one, found[one.name], run.options.run)
        run.active[one.name] = ActiveWorker(known[one.name], one, disks, run.changes)
    run.record.add_workers([one.worker for one in run.active.values()])
    run.owner.workers = dict.fromkeys(run.active, "ready")


def _leave(run: _Run, why: str) -> None:
    """Put everything back, judge what was measured, end the record. Nobody can stop this."""
    never, last = _Never(), len(run.record.run.phases) - 1
    run.record.outlive_the_session()
    for number, phase in enumerate(run.record.run.phases):
        if phase.state == "running":
            run.record.end_phase(number, "failed")
    run.record.begin_phase(last, "Restore: everything as it was")
    on_all(list(run.active.values()), lambda one: one.worker.stop())
    until = time.monotonic() + RESTORE_WITHIN_S
    entries = run.changes.undo_all()
    for _ in range(RESTORE_TRIES):
        if not any(entry.is_open for entry in entries) or time.monotonic() > until:
            break
        never.wait(run.options.retry_s)
        entries = run.changes.undo_all()
    run.owner.changes = entries
    is_left = any(entry.is_open or entry.state == "left" for entry in entries)
    run.record.end_phase(last, "failed" if is_left else "done")
    _judge(run, why)
    run.owner.result = run.record.run


def _judge(run: _Run, why: str) -> None:
    measured = run.measured()
    run.owner.measured = measured
    for name in run.owner.workers:
        run.owner.workers[name] = "ended" if name in run.active else "lost"
    if not measured.rounds:
        run.record.end(valid=False, why=why or "Nothing was measured.")
        return
    verdict = run.options.judge(run.plan, measured)
    run.owner.verdict = verdict
    run.record.end(
        valid=verdict.valid,
        why=" ".join(filter(None, (why, verdict.why))),
        verdict=verdict.line,
        figures=verdict.figures,
        details=run.options.details(measured, verdict),
    )


def _settling(run: _Run, phase: PlannedPhase) -> DrsSettling | None:
    is_wanted = phase.kind == "measure" and phase.wait == "drs settled"
    return DrsSettling(run._objects, run.environment.now_ms) if is_wanted else None


def _shares(plan: Plan) -> dict[str, float]:
    """Return the shares of each worker's disks in the phase that weighs them; empty where none does."""
    found: dict[str, float] = {}
    by_vm = {one.vm: one.name for one in plan.workers if one.vm}
    for phase in plan.phases:
        weights = {
            by_vm[change.object]: float(change.value)
            for change in phase.changes
            if change.setting.startswith("disk.shares:")
            and change.object in by_vm
            and isinstance(change.value, int | float)
        }
        if len(set(weights.values())) > 1:
            found = found or weights
    return found
