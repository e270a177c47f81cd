"""What a plan must keep to beyond its form: names that exist, settings and jobs within their limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from resources.failures import BadInputError, HyperscopeError
from resources.fio_jobs import FioJobs
from resources.foreign_text import shown
from resources.guided_tests import GuidedTests, SettingDescription
from sessions.journal import Setting
from wizards.flows.plan import Plan, PlannedChange, PlannedDisk, PlannedPhase, PlannedWorker, planned_value
from workloads.disk_uuid import plain_uuid
from workloads.job_file import checked_inputs, fio_path

TIMES = ("warm_up", "runtime")
"""Inputs of jobs that the engine sets: the length of a phase decides."""

_SHARED = "Correct the plan, or make it again with 'hyperscope test plan'."


def require_runnable(plan: Plan, known: GuidedTests, jobs: FioJobs) -> None:
    """Raise BadInputError with one sentence if anything of the plan can't be run as it stands."""
    for problem in _problems(plan, known, jobs):
        raise BadInputError(problem, advice=_SHARED)


def setting_of(known: GuidedTests, name: str) -> SettingDescription | None:
    """Return a setting's description, None if plans can't change it; its name may go on with a disk."""
    plain, colon, disk = name.partition(":")
    found = known.settings.get(plain)
    return found if found is not None and found.per_disk == bool(colon and disk) else None


def _problems(plan: Plan, known: GuidedTests, jobs: FioJobs) -> Iterator[str]:
    if plan.test not in known.tests:
        yield f"There is no test {shown(plan.test)}."
    yield from _names_used_twice(plan)
    yield from _unknown_names(plan)
    yield from _disks_used_twice(plan)
    for worker in plan.workers:
        yield from _of_worker(worker)
    for where, changes in (("changes", plan.changes), *((one.name, one.changes) for one in plan.phases)):
        for change in changes:
            yield from _of_change(change, plan, known, where)
    for phase in plan.phases:
        yield from _of_phase(phase, jobs)


def _names_used_twice(plan: Plan) -> Iterator[str]:
    for what, names in (
        ("phases", [one.name for one in plan.phases]),
        ("workers", [one.name for one in plan.workers]),
        ("objects", [one.id for one in plan.objects]),
    ):
        if twice := _repeated(names):
            yield f"Two {what} are called {shown(twice)}."


def _disks_used_twice(plan: Plan) -> Iterator[str]:
    """Two names may stand for one machine, and a disk that two write at once belongs to neither."""
    owners: dict[str, str] = {}
    for worker in plan.workers:
        for disk in worker.disks:
            uuid = plain_uuid(disk.uuid)
            if not uuid:
                continue
            if uuid in owners:
                others = {owners[uuid], worker.name}
                who = f"Workers {' and '.join(shown(one) for one in sorted(others))} have"
                yield (
                    f"{who if len(others) > 1 else f'Worker {shown(worker.name)} has'} the same disk, UUID "
                    f"{shown(disk.uuid)}: they are one machine, or one of them sees the other's disk."
                )
            owners[uuid] = worker.name


def _unknown_names(plan: Plan) -> Iterator[str]:
    phases, workers = {one.name for one in plan.phases}, {one.name for one in plan.workers}
    for name in plan.order:
        if name not in phases:
            yield f"order: there is no phase {shown(name)}."
    for phase in plan.phases:
        busy = [name for work in phase.work for name in work.workers]
        for name in busy:
            if name not in workers:
                yield f"Phase {shown(phase.name)}: there is no worker {shown(name)}."
        if twice := _repeated(busy):
            yield f"Phase {shown(phase.name)}: worker {shown(twice)} has two jobs at once."
    known = {one.id for one in plan.objects}
    for name in (*plan.chosen.values(), *(one.vm for one in plan.workers if one.vm)):
        if name not in known:
            yield f"There is no object {shown(name)} among the objects of the plan."


def _of_worker(worker: PlannedWorker) -> Iterator[str]:
    if worker.guest not in ("linux", "windows"):
        yield f"Worker {shown(worker.name)}: guest is linux or windows, not {shown(worker.guest)}."
        return
    if twice := _repeated([disk.name for disk in worker.disks]):
        yield f"Worker {shown(worker.name)} has two disks {shown(twice)}."
    for disk in worker.disks:
        for problem in _of_disk(disk, worker):
            yield f"Worker {shown(worker.name)}, disk {shown(disk.name)}: {problem}"


def _of_disk(disk: PlannedDisk, worker: PlannedWorker) -> Iterator[str]:
    if disk.is_made:
        if disk.path or disk.uuid:
            yield "a disk that the run makes has no path and no UUID yet."
        if not worker.vm:
            yield "a disk can only be made for a VM of a vCenter or the lab."
        if disk.size_bytes < 1 << 20:
            yield "it is smaller than 1 MB."
        return
    try:
        fio_path(disk.path, "linux" if worker.guest == "linux" else "windows")
    except HyperscopeError as error:
        yield error.happened


def _of_change(change: PlannedChange, plan: Plan, known: GuidedTests, where: str) -> Iterator[str]:
    place = f"{shown(where)}, {shown(change.setting)}"
    target = next((one for one in plan.objects if one.id == change.object), None)
    described = setting_of(known, change.setting)
    if target is None:
        yield f"{place}: there is no object {shown(change.object)}."
    elif described is None:
        yield f"{place}: that is no setting that a plan may change ({', '.join(known.settings)})."
    elif target.kind != described.of:
        yield f"{place}: {shown(target.name)} is a {shown(target.kind)}; this is a setting of {described.of}."
    elif problem := value_problem(described, planned_value(change)):
        yield f"{place}: {problem}"


def value_problem(described: SettingDescription, value: Setting) -> str:
    """Return why a setting can't have this value; empty if it can."""
    if value is None:
        return "" if described.may_be_unset else "it needs a value."
    if described.kind == "flag":
        return "" if isinstance(value, bool) else "it is true or false."
    if described.kind == "choice":
        return "" if value in described.choices else f"it is one of {', '.join(described.choices)}."
    if described.kind == "text":
        return "" if isinstance(value, str) and value else "it is a text."
    if isinstance(value, bool) or not isinstance(value, float):
        return "it is a number."
    least, most = described.least or 0, described.most if described.most is not None else value
    within = least <= value <= most and value == int(value)
    return "" if within or value == described.none else f"it is a whole number from {least:g} to {most:g}."


def _of_phase(phase: PlannedPhase, jobs: FioJobs) -> Iterator[str]:
    place = f"Phase {shown(phase.name)}"
    if phase.kind == "measure" and (not phase.work or phase.measure_s <= 0):
        yield f"{place}: it measures, so it needs work and measure_s."
    if phase.kind == "fill" and not phase.work:
        yield f"{place}: it fills disks, so it needs work."
    if phase.kind == "ask" and not phase.ask:
        yield f"{place}: it asks nothing."
    for work in phase.work:
        job = jobs.jobs.get(work.job)
        if job is None:
            yield f"{place}: there is no job {shown(work.job)}; 'hyperscope test jobs' lists them."
        elif own := set(TIMES) & set(work.inputs):
            yield f"{place}: {min(own)} follows from the phase's own times."
        else:
            try:
                checked_inputs(jobs.inputs_of(job), work.inputs)
            except HyperscopeError as error:
                yield f"{place}, {work.job}: {error}"


def _repeated(names: Sequence[str]) -> str:
    seen: set[str] = set()
    return next((name for name in names if name in seen or seen.add(name)), "")  # type: ignore[func-returns-value]
