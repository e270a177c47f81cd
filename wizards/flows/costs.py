"""What a plan will cost and do, computed before anything happens: time, bytes, changes, job files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from resources.fio_jobs import FioJobs, Input
from resources.guided_tests import Estimates, GuidedTests
from sessions.journal import Setting
from wizards.flows.plan import Plan, PlannedPhase, PlannedWork, planned_value
from wizards.flows.plan_rules import setting_of
from workloads.job_file import Disk, Guest, checked_inputs, job_file

_MB = 1 << 20
_SHARE_WRITTEN = {"write": 1.0, "randwrite": 1.0, "read": 0.0, "randread": 0.0}


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """One phase as it will be run: when it begins (seconds from the start) and how long it takes, about."""

    name: str
    label: str
    title: str
    step: str
    kind: str
    number: int
    start_s: float
    seconds: float


@dataclass(frozen=True, slots=True)
class PlannedSetting:
    """A setting that the plan changes: on which objects, and which values it has in which phases."""

    setting: str
    title: str
    unit: str
    objects: tuple[tuple[str, str], ...]
    """Id and name of each object."""
    during: tuple[tuple[str, Setting], ...]
    """Phases' labels with the values."""
    count: int = 1
    """How often it is changed: once for each object, and for each disk of one."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a plan costs, about: bytes written to fill disks and under load, I/Os a second at the most.

    ``locks`` objects are locked, ``folders`` guests get a folder with the job, ``disks`` are made; these and
    every setting of every object are its ``changes``, counted as ``change_words.count_changes`` counts those
    that a run made.
    """

    seconds: float
    fill_bytes: int
    load_bytes: int
    iops: float
    locks: int
    folders: int
    disks: int
    steps: tuple[PlannedStep, ...]
    settings: tuple[PlannedSetting, ...]

    @property
    def bytes(self) -> int:
        """All that is written."""
        return self.fill_bytes + self.load_bytes

    @property
    def changes(self) -> int:
        """Everything that is changed, and put back."""
        return self.locks + self.folders + self.disks + sum(one.count for one in self.settings)


def cost_of(plan: Plan, known: GuidedTests, jobs: FioJobs) -> Cost:
    """Return what a plan costs; it must be a runnable one."""
    assumed = known.estimates
    steps = tuple(_steps(plan, assumed))
    fill = load = 0.0
    most = 0.0
    for phase, _ in plan.steps():
        seconds = phase.warm_up_s + phase.measure_s
        for work in phase.work:
            if phase.kind == "fill":
                fill += sum(disk.size_bytes for name in work.workers for disk in plan.worker(name).disks)
            else:
                load += _written(plan, work, jobs, assumed) * seconds
        if phase.kind != "fill":
            most = max(most, sum(_iops(plan, work, jobs, assumed) for work in phase.work))
    settings = tuple(_settings(plan, known))
    at_work = {name for phase in plan.phases for work in phase.work for name in work.workers}
    made = sum(disk.is_made for one in plan.workers for disk in one.disks)
    seconds = steps[-1].start_s + steps[-1].seconds if steps else 0.0
    return Cost(seconds, round(fill), round(load), most, _locks(plan), len(at_work), made, steps, settings)


def job_text(plan: Plan, phase: PlannedPhase, worker: str, jobs: FioJobs) -> str:
    """Return the job file that a worker runs in a phase; empty if it does nothing then.

    A disk that the run has still to make stands in it by the path that it may get.
    """
    work = next((one for one in phase.work if worker in one.workers), None)
    if work is None:
        return ""
    planned = plan.worker(worker)
    disks = [Disk(disk.name, disk.path or f"/dev/disk/by-id/made-{disk.name}") for disk in planned.disks]
    guest: Guest = "windows" if planned.guest == "windows" else "linux"
    if guest == "windows":
        disks = [
            Disk(one.name, f"\\\\.\\PhysicalDrive{number}" if one.path.startswith("/dev") else one.path)
            for number, one in enumerate(disks, start=1)
        ]
    return job_file(jobs, jobs.jobs[work.job], work_inputs(plan, phase, work, worker, jobs), disks, guest)


def work_inputs(
    plan: Plan, phase: PlannedPhase, work: PlannedWork, worker: str, jobs: FioJobs
) -> dict[str, int]:
    """Return the inputs of a worker's job, with its times and a seed that no other worker has."""
    known = jobs.inputs_of(jobs.jobs[work.job])
    inputs = dict(work.inputs)
    warm_up, runtime = job_times(phase, work)
    if "warm_up" in known:
        inputs["warm_up"] = warm_up
    if "runtime" in known:
        inputs["runtime"] = runtime
    if "seed" in known and "seed" not in inputs:
        inputs["seed"] = _seed(plan, worker, known["seed"])
    return inputs


SLACK_S = 30
"""Jobs whose window is chosen while they run may run on for so long; they are ended when it is over."""


def job_times(phase: PlannedPhase, work: PlannedWork) -> tuple[int, int]:
    """Return warm-up and run time (s) that a job is given.

    Where the warm-up has a fixed length, fio leaves it out of its figures and ends by itself. Where it lasts
    until the load is steady, fio counts from the start, and the window is cut from its documents.
    """
    if work.on_s:
        return 0, max(1, round(work.on_s))
    if phase.steady_s:
        return 0, max(1, round(phase.warm_up_s + phase.steady_s + phase.measure_s + SLACK_S))
    return round(phase.warm_up_s), max(1, round(phase.measure_s))


def _seed(plan: Plan, worker: str, known: Input) -> int:
    number = [one.name for one in plan.workers].index(worker)
    return known.least + (plan.seed * 1_000_003 + number * 1009) % (known.most - known.least)


def _steps(plan: Plan, assumed: Estimates) -> Iterator[PlannedStep]:
    at = 0.0
    for phase, number in plan.steps():
        seconds = phase.warm_up_s + phase.measure_s + phase.settle_s + assumed.change_s * len(phase.changes)
        if phase.kind == "fill":
            sizes = [
                sum(disk.size_bytes for disk in plan.worker(name).disks)
                for work in phase.work
                for name in work.workers
            ]
            seconds += max(sizes, default=0) / _MB / assumed.fill_mb_s
        label = phase.label or phase.name
        yield PlannedStep(phase.name, label, phase.title, phase.step, phase.kind, number, at, seconds)
        at += seconds


def _iops(plan: Plan, work: PlannedWork, jobs: FioJobs, assumed: Estimates) -> float:
    options = jobs.jobs[work.job].options
    values = checked_inputs(jobs.inputs_of(jobs.jobs[work.job]), work.inputs)
    depth = int(options["iodepth"]) if isinstance(options.get("iodepth"), int) else values.get("depth", 1)
    each = depth * int(options.get("numjobs", 1)) * 1000 / assumed.latency_ms
    if "rate_iops" in options:
        rate = str(options["rate_iops"])
        rates = [values[rate.strip("{}")]] if rate.startswith("{") else [int(one) for one in rate.split(",")]
        each = sum(rates) * int(options.get("numjobs", 1))
    disks = sum(len(plan.worker(name).disks) for name in work.workers)
    return min(each * disks, assumed.most_iops * len(work.workers))


def _written(plan: Plan, work: PlannedWork, jobs: FioJobs, assumed: Estimates) -> float:
    """Return about how many bytes a second the workers of a job write."""
    options = jobs.jobs[work.job].options
    values = checked_inputs(jobs.inputs_of(jobs.jobs[work.job]), work.inputs)
    mix = options.get("rwmixread", 50)
    reads = values["reads"] if isinstance(mix, str) else mix
    share = _SHARE_WRITTEN.get(str(options["rw"]), 1 - reads / 100)
    block = options.get("bs", "4k")
    size = values["block"] if block == "{block}" else _bytes(str(block))
    active = work.on_s / (work.on_s + work.off_s) if work.on_s else 1.0
    return _iops(plan, work, jobs, assumed) * size * share * active


def _bytes(text: str) -> int:
    scale = {"k": 1 << 10, "m": 1 << 20}.get(text[-1:].lower(), 1)
    return int(text.rstrip("kKmM")) * scale


def _locks(plan: Plan) -> int:
    """Return how many objects a run of the plan locks (see ``locks.locked_objects``)."""
    wanted = {*plan.chosen.values(), *(one.vm for one in plan.workers if one.vm)}
    alone = sum(not one.vm for one in plan.workers)
    return sum(one.id in wanted for one in plan.objects) + alone


def _settings(plan: Plan, known: GuidedTests) -> Iterator[PlannedSetting]:
    names = {one.id: one.name for one in plan.objects}
    found: dict[str, tuple[dict[str, str], dict[tuple[str, Setting], None]]] = {}
    each: dict[str, set[tuple[str, str]]] = {}
    places = [("all", plan.changes), *((one.label or one.name, one.changes) for one in plan.phases)]
    for label, changes in places:
        for change in changes:
            setting = change.setting.partition(":")[0]
            objects, during = found.setdefault(setting, ({}, {}))
            each.setdefault(setting, set()).add((change.object, change.setting))
            objects[change.object] = names.get(change.object, change.object)
            during[label, planned_value(change)] = None
    for setting, (objects, during) in found.items():
        described = setting_of(known, setting) or known.settings.get(setting)
        title, unit = (described.title, described.unit) if described is not None else (setting, "")
        count = len(each[setting])
        yield PlannedSetting(setting, title, unit, tuple(objects.items()), tuple(during), count)
