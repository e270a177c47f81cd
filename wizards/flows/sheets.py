"""Turns a plan, its cost and what its settings are now into the lines of the plan page."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from resources.failures import HyperscopeError
from resources.fio_jobs import FioJobs
from resources.foreign_text import shown
from resources.guided_tests import GuidedTests
from resources.units import format_bytes, format_count, format_duration
from sessions.journal import PhaseState, Setting
from viewmodels.host_domains import shared_domain
from wizards.flows.costs import Cost, PlannedSetting, cost_of, job_text
from wizards.flows.plan import Plan, PlannedDisk, PlannedPhase, PlannedWorker
from wizards.flows.plan_sheet import (
    ChangeLine,
    GuardLine,
    JobText,
    LoadLine,
    PhaseBlock,
    PlanSheet,
    SheetNumber,
    Tone,
)
from workloads.environment import Settings

_MAX_JOBS, _MAX_READ = 40, 400
_NOT_JUDGED = ("fill", "alone")
_AFTER = ("bursts", "streams")

Now = Mapping[tuple[str, str], Setting]
"""The present values of settings, by object id and setting."""


def sheet_of(
    plan: Plan, known: GuidedTests, jobs: FioJobs, clock: Callable[[float], str], now: Now | None = None
) -> PlanSheet:
    """Return the page of a plan. ``clock`` returns the time of the day so many seconds from now."""
    cost = cost_of(plan, known, jobs)
    return PlanSheet(
        numbers=tuple(_numbers(plan, cost, clock)),
        phases=phase_blocks(plan, cost),
        order=_order(cost),
        changes=tuple(_changes(plan, cost, now or {})),
        load=tuple(_load(plan)),
        load_note=_load_note(plan),
        guards=tuple(_guards(plan)),
        jobs=tuple(_jobs(plan, jobs)),
    )


def present_settings(plan: Plan, settings: Settings) -> dict[tuple[str, str], Setting]:
    """Return the present values of what a plan changes; those that can't be read are left out."""
    objects = {one.id: one.changed for one in plan.objects}
    wanted = {(one.object, one.setting) for phase in plan.phases for one in phase.changes}
    wanted |= {(one.object, one.setting) for one in plan.changes}
    found: dict[tuple[str, str], Setting] = {}
    for of, setting in sorted(wanted)[:_MAX_READ]:
        if of in objects:
            with contextlib.suppress(HyperscopeError):
                found[of, setting] = settings.read(objects[of], setting)
    return found


def phase_blocks(
    plan: Plan, cost: Cost, states: Mapping[tuple[str, int], PhaseState] | None = None
) -> tuple[PhaseBlock, ...]:
    """Return the phases for the phase bar, in their order; ``states`` are those by name and repetition."""
    tones = _tones(plan)
    return tuple(
        PhaseBlock(
            one.label,
            one.title,
            one.seconds,
            tones[one.step],
            one.number,
            (states or {}).get((one.name, one.number), "planned"),
        )
        for one in cost.steps
    )


def setting_text(value: Setting, unit: str = "") -> str:
    """Return a setting's value in words: ``on``, ``30 ms``, ``not set``."""
    if value is None:
        return "not set"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, int | float):
        return f"{format_count(int(value)) if value == int(value) else value}{f' {unit}' if unit else ''}"
    return shown(value, 60)


def _numbers(plan: Plan, cost: Cost, clock: Callable[[float], str]) -> Iterator[SheetNumber]:
    begins = "in the lab's time" if _is_lab(plan) else f"ends ≈ {clock(cost.seconds)}"
    yield SheetNumber(format_duration(cost.seconds), begins)
    if cost.bytes:
        fill, load = format_bytes(cost.fill_bytes), format_bytes(cost.load_bytes)
        yield SheetNumber(f"≈ {format_bytes(cost.bytes)} written", f"{fill} fill, {load} load")
    else:
        yield SheetNumber("Nothing", "is written to a disk")
    if cost.iops:
        yield SheetNumber(f"≈ {format_count(round(cost.iops, -2) or cost.iops)} IOPS", "load, at the most")
    kinds = len(cost.settings) + sum(map(bool, (cost.locks, cost.folders, cost.disks)))
    yield SheetNumber(_many(cost.changes, "change"), f"all undone, {_many(kinds, 'kind')}")
    count = len(plan.workers)
    yield SheetNumber(_many(count, "worker"), _hosts_text(plan.workers))


def _hosts_text(workers: Sequence[PlannedWorker]) -> str:
    hosts = {one.host for one in workers if one.host}
    return f"on {_many(len(hosts), 'host')}" if hosts else "do the I/O"


def _many(count: int, noun: str) -> str:
    return f"{format_count(count)} {noun}{'' if count == 1 else 's'}"


def _is_lab(plan: Plan) -> bool:
    return any(one.startswith("lab:") for one in plan.environment)


def _tones(plan: Plan) -> dict[str, Tone]:
    """Return the tone of each step: the last of those that are repeated gets the accent."""
    steps = list(dict.fromkeys(phase.step for phase in plan.phases))
    judged = [
        one
        for one in steps
        if one not in _AFTER and not one.startswith(_NOT_JUDGED) and _kind(plan, one) == "measure"
    ]
    tones: dict[str, Tone] = {}
    for step in steps:
        if _kind(plan, step) != "measure":
            tones[step] = "fill"
        elif step in _AFTER:
            tones[step] = "after"
        elif step not in judged:
            tones[step] = "first"
        else:
            at, last = judged.index(step), len(judged) - 1
            tones[step] = "third" if at == last and last else "first" if at == 0 and last > 1 else "second"
    return tones


def _kind(plan: Plan, step: str) -> str:
    return next(phase.kind for phase in plan.phases if phase.step == step)


def _order(cost: Cost) -> str:
    most = max((one.number for one in cost.steps), default=1)
    if most == 1:
        return "each once"
    rounds = [[one.label for one in cost.steps if one.number == number] for number in range(1, most + 1)]
    repeated = set(rounds[-1])
    if most == 2 and len(repeated) == 1:  # a sweep measures its first point again at its end
        return f"each once, {rounds[-1][0]} again at the end"
    shown_rounds = [" ".join(label for label in one if label in repeated) for one in rounds[:4]]
    more = " · …" if most > 4 else ""
    return f"rounds: {' · '.join(shown_rounds)}{more}" if len(repeated) <= 6 else f"{most} rounds"


def _changes(plan: Plan, cost: Cost, now: Now) -> Iterator[ChangeLine]:
    yield ChangeLine("Lock of this run", _many(cost.locks, "object"), "none", "held", "removed")
    made = [disk for one in plan.workers for disk in one.disks if disk.is_made]
    if made:
        what = f"Test disk of {format_bytes(made[0].size_bytes)}"
        yield ChangeLine(what, _many(len(made), "disk"), "none", "attached", "detached, deleted")
    for one in cost.settings:
        yield _change(one, now)
    if cost.folders:
        of = _many(cost.folders, "guest")
        yield ChangeLine("Folder in the guest", of, "none", "job, fio runs", "fio ended, removed")


def _change(one: PlannedSetting, now: Now) -> ChangeLine:
    names = [name for _, name in one.objects]
    of = shown(names[0], 60) if len(names) == 1 else f"{format_count(len(names))} objects"
    of += f", {_many(one.count, 'disk')}" if one.count > len(names) else ""
    present = {
        setting_text(value, one.unit)
        for (of_object, setting), value in now.items()
        if setting.partition(":")[0] == one.setting and of_object in {id_ for id_, _ in one.objects}
    }
    before = " or ".join(sorted(present)[:2]) if present else "read at the start"
    values = list(dict.fromkeys(setting_text(value, one.unit) for _, value in one.during))
    during = values[0] if len(values) == 1 else ", ".join(values[:3]) + (", …" if len(values) > 3 else "")
    return ChangeLine(one.title, of, before, during, before if present else "as it was before")


def _load(plan: Plan) -> Iterator[LoadLine]:
    shares = _shares(plan)
    whole = sum(shares.values())
    domain = shared_domain(one.host for one in plan.workers)
    for one in plan.workers:
        own = shares.get(one.name)
        due = own / whole if own and whole else None
        yield LoadLine(
            one.name, one.role, one.host.removesuffix(domain), format_count(own) if own else "–", due
        )


def _shares(plan: Plan) -> dict[str, float]:
    """Return the disk shares of the workers in the phase that gives them different ones."""
    best: dict[str, float] = {}
    for phase in plan.phases:
        found: dict[str, float] = {}
        for change in phase.changes:
            if change.setting.startswith("disk.shares") and isinstance(change.value, int | float):
                for worker in plan.workers:
                    if worker.vm == change.object:
                        found[worker.name] = found.get(worker.name, 0.0) + float(change.value)
        if len(set(found.values())) > len(set(best.values())):
            best = found
    return best or {one.name: one.shares for one in plan.workers if one.shares}


def _load_note(plan: Plan) -> str:
    works = [work for phase in plan.phases if phase.kind == "measure" for work in phase.work]
    depths = _span(one.inputs["depth"] for one in works if "depth" in one.inputs)
    reads = _span(one.inputs["reads"] for one in works if "reads" in one.inputs)
    return f"{depths} outstanding a disk{f', {reads} % reads' if reads else ''}" if depths else ""


def _span(values: Iterable[object]) -> str:
    """Return the least and the most of numbers: ``1 to 64``, or the one that all of them are."""
    numbers = [float(one) for one in values if isinstance(one, int | float)]
    if not numbers:
        return ""
    least, most = min(numbers), max(numbers)
    return f"{least:g}" if least == most else f"{least:g} to {most:g}"


def _guards(plan: Plan) -> Iterator[GuardLine]:
    guards = plan.guards
    if guards.bystander_ms and plan.chosen:  # without a chosen object, as over ssh alone, nobody sees others
        limit = f"> {guards.bystander_ms:g} ms for {guards.bystander_s:g} s"
        yield GuardLine("Latency of bystanders", limit, "stops")
    if guards.free_percent and plan.chosen:
        yield GuardLine("Free space of the datastore", f"< {guards.free_percent:g} %", "stops")
    yield GuardLine("Workers that answer", f"< {guards.workers_least}", "stops")
    if guards.hosts_least > 1:
        yield GuardLine("Hosts with a worker", f"< {guards.hosts_least}", "stops")
    yield GuardLine("This program silent", "30 s", "guests end by themselves")
    if any(one.vm for one in plan.workers):
        yield GuardLine("vMotion, backup or HA in a window", "any", "round does not count")


def _jobs(plan: Plan, jobs: FioJobs) -> Iterator[JobText]:
    for phase in _distinct_phases(plan):
        for work in phase.work:
            worker = plan.worker(work.workers[0])
            others = f" and {len(work.workers) - 1} more" if len(work.workers) > 1 else ""
            of = f"{phase.label or phase.name}: {shown(worker.name, 40)}{others}"
            yield JobText(of, job_text(plan, phase, worker.name, jobs), _disk_note(worker.disks))


def _distinct_phases(plan: Plan) -> list[PlannedPhase]:
    """Return the phases whose work differs from that of all before."""
    seen: list[object] = []
    found = []
    for phase in plan.phases:
        work = tuple((one.job, tuple(sorted(one.inputs.items())), len(one.workers)) for one in phase.work)
        if phase.work and work not in seen:
            seen.append(work)
            found.append(phase)
    return found[:_MAX_JOBS]


def _disk_note(disks: Sequence[PlannedDisk]) -> str:
    parts = []
    for disk in disks:
        size = format_bytes(disk.size_bytes)
        known = f"UUID …{disk.uuid[-8:]}" if disk.uuid else "made by the run"
        parts.append(f"{disk.path or disk.name} · {size} · {known}")
    checked = "checked in the guest just before every write: same UUID and size, not mounted, no partition, "
    return f"{'; '.join(parts)} · {checked}no filesystem, no LVM, no ZFS." if parts else ""
