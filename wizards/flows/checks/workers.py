"""Checks of the workers: that they answer, that nothing of their VMs falsifies the result, fio and disks."""

from __future__ import annotations

from collections.abc import Iterator

from resources.foreign_text import shown
from wizards.flows.checks.context import CheckContext, Found, as_number, is_true, listed, names, number
from wizards.flows.plan import PlannedDisk
from wizards.flows.surroundings import WorkerSeen, plain_uuid
from workloads.environment import DiskIdentity


def answering(context: CheckContext) -> Found:
    """C2: every worker is there, on, and answers."""
    silent: dict[str, str] = {}
    for planned, seen in context.pairs:
        if seen is None:
            silent[planned.name] = "it is no worker here"
        elif seen.vm is not None and seen.vm.facts.get("powered_on") is False:
            silent[planned.name] = "it is powered off"
        elif seen.facts is None:
            silent[planned.name] = seen.why.rstrip(".")
    if silent:
        name, why = next(iter(silent.items()))
        more = f", and {len(silent) - 1} more" if len(silent) > 1 else ""
        return Found("block", f"{shown(name)} does not answer: {why}{more}.", tuple(silent), tuple(silent))
    return Found("ok", f"{len(context.pairs)} of {len(context.pairs)} workers answer.")


def undisturbed(context: CheckContext) -> Found | None:
    """C3: no snapshot, no consolidation, no running task."""
    vms = list(context.vms())
    problems: dict[str, str] = {}
    for vm in vms:
        snapshots, tasks = number(vm, "snapshots") or 0, number(vm, "running_tasks") or 0
        if snapshots:
            problems[vm.object.name] = (
                "has a snapshot" if snapshots == 1 else f"has {snapshots:.0f} snapshots"
            )
        elif is_true(vm, "consolidation_needed"):
            problems[vm.object.name] = "needs its disks consolidated"
        elif tasks:
            problems[vm.object.name] = "has a task that runs"
    if not vms:
        return None
    if problems:
        name, what = next(iter(problems.items()))
        more = f"; {len(problems) - 1} more" if len(problems) > 1 else ""
        return Found("block", f"{shown(name)} {what}{more}.", tuple(problems), tuple(problems))
    return Found("ok", f"No snapshot and no task on the {len(vms)} VMs.")


def unlimited(context: CheckContext) -> Found | None:
    """C4: no limit and no affinity."""
    vms = list(context.vms())
    if not vms:
        return None
    limited = [
        vm
        for vm in vms
        if (number(vm, "cpu_limit_mhz") or -1) > 0
        or (number(vm, "memory_limit_mb") or -1) > 0
        or is_true(vm, "has_affinity")
        or is_true(vm, "pool_is_limited")
    ]
    if limited:
        found = names(limited)
        return Found("warn", f"Limited or pinned: {listed(found)}.", found, found)
    return Found("ok", f"No CPU, memory or pool limit on the {len(vms)} VMs.")


def enough(context: CheckContext) -> Found:
    """W1: as many workers as the test needs."""
    needed, there = context.known.require(context.plan.test).workers_least, len(context.pairs)
    if there < needed:
        return Found("block", f"The test needs {needed} workers, and the plan has {there}.")
    return Found("ok", f"{there} workers, at least {needed}.")


def fio(context: CheckContext) -> Found:
    """C14: fio is there, new enough for the jobs, with an engine for the guest."""
    used = {work.job for phase in context.plan.phases for work in phase.work}
    needs = [context.jobs.jobs[job].needs for job in used if context.jobs.jobs[job].needs]
    least = max((_version(one) for one in needs), default=(0,))
    lacking: dict[str, str] = {}
    for planned, seen in context.pairs:
        facts = seen.facts if seen is not None else None
        if facts is None:
            continue
        if not facts.fio:
            lacking[planned.name] = "has no fio"
        elif _version(facts.fio) < least:
            lacking[planned.name] = f"has fio {shown(facts.fio)}, older than {'.'.join(map(str, least))}"
    if lacking:
        name, what = next(iter(lacking.items()))
        more = f"; {len(lacking) - 1} more" if len(lacking) > 1 else ""
        return Found("block", f"{shown(name)} {what}{more}.", tuple(lacking), tuple(lacking))
    return Found("ok", f"fio in {len(context.pairs)} guests.")


def disks(context: CheckContext) -> Found:
    """C13: each disk that was given is the one of the plan, and nothing speaks against writing to it."""
    problems: dict[str, str] = {}
    count = made = 0
    for planned, seen in context.pairs:
        for disk in planned.disks:
            made += disk.is_made
            count += not disk.is_made
            if problem := disk_problem(disk, seen):
                problems.setdefault(planned.name, problem)
    if problems:
        name, why = next(iter(problems.items()))
        more = f" {len(problems) - 1} more workers have such disks." if len(problems) > 1 else ""
        return Found("block", f"{shown(name)}: {why}{more}", tuple(problems), tuple(problems))
    parts = [f"{count} are what the plan says, unused and empty"] if count else []
    parts += [f"{made} are made by the run"] if made else []
    return Found("ok", f"Disks: {', '.join(parts)}.")


def disk_problem(disk: PlannedDisk, seen: WorkerSeen | None) -> str:
    """Return why a planned disk must not be written to; empty if it may."""
    if disk.is_made or seen is None or seen.facts is None:
        return ""
    if not disk.uuid:
        return f"{shown(disk.path)} has no UUID in the plan, so nobody can tell whether it is the right one."
    return identity_problem(disk, seen.facts.disks)


def identity_problem(disk: PlannedDisk, present: tuple[DiskIdentity, ...]) -> str:
    """Return how a disk differs from the plan, or what is on it; empty if it may be written to."""
    found = next((one for one in present if one.path == disk.path), None)
    if found is None:
        return f"{shown(disk.path)} is not there."
    if plain_uuid(found.uuid) != plain_uuid(disk.uuid):
        return f"{shown(disk.path)} has the UUID {shown(found.uuid) or 'none'}, not {shown(disk.uuid)}."
    if found.size_bytes != disk.size_bytes:
        return f"{shown(disk.path)} has {found.size_bytes} bytes, not {disk.size_bytes}."
    if found.in_use:
        return f"{shown(disk.path)} is in use: {shown(found.in_use[0])}"
    return ""


def clocks(context: CheckContext) -> Found:
    """C9: clocks of guests and hosts are close enough."""
    limit = context.limit("C9")
    late: dict[str, float] = {}
    for planned, seen in context.pairs:
        if seen is not None and seen.facts is not None:
            late[planned.name] = seen.facts.clock_offset_ms
    for host in (*context.hosts(), *context.around.of_kind("ServiceInstance")):
        late[host.object.name] = as_number(host.facts.get("clock_offset_ms")) or 0.0
    wrong = {name: offset for name, offset in late.items() if abs(offset) > limit}
    if wrong:
        name, offset = max(wrong.items(), key=lambda one: abs(one[1]))
        way = "ahead" if offset > 0 else "behind"
        text = f"The clock of {shown(name)} is {abs(offset) / 1000:.1f} s {way}, limit {limit / 1000:g} s."
        return Found("warn", text, tuple(wrong))
    return Found("ok", f"{len(late)} clocks within {limit / 1000:g} s.")


def _version(text: str) -> tuple[int, ...]:
    return tuple(_numbers(text))


def _numbers(text: str) -> Iterator[int]:
    for part in text.removeprefix("fio-").split("-")[0].split("."):
        if not (part.isascii() and part.isdigit()):
            return
        yield int(part)
