"""Checks of the workers and their guests."""

from __future__ import annotations

from collections.abc import Iterator

from resources.foreign_text import shown
from resources.units import format_bytes, format_count
from wizards.flows.checking.context import Found, Look, fact, number, some
from wizards.flows.plan import PlannedDisk, PlannedWorker
from wizards.flows.surroundings import WorkerSeen
from workloads.disk_uuid import plain_uuid
from workloads.environment import DiskIdentity

_LEAST_FIO = (3, 28)
_NO_UUIDS = (
    "its guest would not see the UUID of a new disk: power it off, set disk.EnableUUID to TRUE, power it on"
)


def answer(look: Look) -> Found:
    """C2: the workers are on, and their guests answer."""
    silent = [(one.name, _why(seen)) for one, seen in look.seen() if seen is None or seen.facts is None]
    count = len(look.plan.workers)
    if not silent:
        return Found(True, f"{format_count(count)} of {format_count(count)} workers answer")
    name, why = silent[0]
    bad = tuple(one for one, _ in silent)
    more = f"; nor do {some(bad[1:])}" if len(bad) > 1 else ""
    return Found(False, f"{shown(name, 60)} does not answer: {why}{more}", bad, bad)


def enough(look: Look) -> Found:
    """W1: as many workers as the test needs."""
    count, least = len(look.plan.workers), look.test.workers_least
    return Found(count >= least, f"{format_count(count)} workers, at least {format_count(least)}")


def no_snapshot(look: Look) -> Found:
    """C3: no snapshot, no consolidation, no task."""
    if not look.is_vcenter:
        return Found(None, "Snapshots can't be seen over ssh alone", state="note")
    for vm in look.vms():
        name = vm.object.name
        snapshots, tasks = number(vm, "snapshots"), number(vm, "running_tasks")
        if snapshots is None:
            return Found(None, f"Whether {shown(name, 60)} has snapshots could not be read", (name,), (name,))
        if snapshots:
            many = f"{format_count(int(snapshots))} snapshots" if snapshots > 1 else "a snapshot"
            return Found(False, f"{shown(name, 60)} has {many}", (name,), (name,))
        if fact(vm, "consolidation_needed"):
            return Found(False, f"The disks of {shown(name, 60)} need consolidation", (name,), (name,))
        if tasks:
            return Found(False, f"A task of {shown(name, 60)} runs", (name,), (name,))
    return Found(True, "No snapshot and no task of the workers")


def no_limit(look: Look) -> Found:
    """C4: nothing holds a worker's CPU or memory back, unless the test is about that."""
    if not look.is_vcenter:
        return Found(None, "Limits of the VMs can't be seen over ssh alone", state="note")
    for vm in look.vms():
        name, limit = vm.object.name, number(vm, "cpu_limit_mhz")
        if limit is not None and limit >= 0:
            return Found(
                False,
                f"{shown(name, 60)} has a CPU limit of {format_count(int(limit))} MHz",
                (name,),
                (name,),
            )
        memory = number(vm, "memory_limit_mb")
        if memory is not None and memory >= 0:
            return Found(
                False,
                f"{shown(name, 60)} has a memory limit of {format_count(int(memory))} MB",
                (name,),
                (name,),
            )
        if fact(vm, "has_affinity"):
            return Found(False, f"The CPUs of {shown(name, 60)} are pinned", (name,), (name,))
        if fact(vm, "pool_is_limited"):
            return Found(False, f"A resource pool above {shown(name, 60)} has a limit", (name,), (name,))
    return Found(True, "No limit and no affinity on the workers")


def clocks(look: Look) -> Found:
    """C9: the clocks of guests and hosts agree with the environment's."""
    most = look.limit("C9", 1000.0)
    offsets = [
        (abs(seen.facts.clock_offset_ms) - seen.facts.clock_error_ms, one.name)
        for one, seen in look.seen()
        if seen is not None and seen.facts is not None
    ]
    for host in look.hosts():
        offset = number(host, "clock_offset_ms")
        if offset is not None:
            offsets.append((abs(offset), host.object.name))
    if not offsets:
        return Found(None, "No clock could be read")
    worst, name = max(offsets)
    if worst > most:
        return Found(
            False,
            f"The clock of {shown(name, 60)} is {worst / 1000:.1f} s off, limit {most / 1000:g} s",
            (name,),
        )
    return Found(True, f"Clocks agree within {max(0.0, worst) / 1000:.1f} s, limit {most / 1000:g} s")


def fio(look: Look) -> Found:
    """C14: fio is there, and new enough."""
    lacking, versions = [], set()
    for one, seen in look.seen():
        if seen is None or seen.facts is None:
            continue
        versions.add(seen.facts.fio)
        if _version(seen.facts.fio) < _LEAST_FIO:
            lacking.append((one.name, seen.facts.fio or "none"))
    if lacking:
        name, version = lacking[0]
        bad = tuple(one for one, _ in lacking)
        has = "has no fio" if version == "none" else f"has fio {shown(version, 20)}"
        return Found(False, f"{shown(name, 60)} {has}; at least 3.28 is needed", bad, bad)
    if not versions:
        return Found(None, "No worker answered")
    return Found(
        True, f"fio {' and '.join(sorted(versions))} on {format_count(len(look.plan.workers))} workers"
    )


def disks(look: Look) -> Found:
    """C13: each given disk is the one that the plan names, and holds nothing."""
    problems = [found for one, seen in look.seen() if seen is not None for found in _disk_problems(one, seen)]
    if problems:
        name, text = problems[0]
        more = f"; {format_count(len(problems) - 1)} more disks" if len(problems) > 1 else ""
        return Found(
            False, f"{shown(name, 60)}: {text}{more}", (name,), tuple(dict.fromkeys(n for n, _ in problems))
        )
    unseen = [one.name for one, seen in look.seen() if seen is None or seen.facts is None]
    if unseen:
        return Found(None, f"The disks of {some(unseen)} were not seen", tuple(unseen), tuple(unseen))
    every = [disk for one in look.plan.workers for disk in one.disks]
    made = sum(disk.is_made for disk in every)
    given = len(every) - made
    parts = [f"{format_count(made)} disks are made by the run"] if made else []
    parts += [f"{format_count(given)} given disks match and are empty"] if given else []
    return Found(True, "; ".join(parts) or "No disk is written")


def _disk_problems(one: PlannedWorker, seen: WorkerSeen) -> Iterator[tuple[str, str]]:
    if seen.facts is None:
        return
    here = {plain_uuid(disk.uuid): disk for disk in seen.facts.disks if disk.uuid}
    for disk in one.disks:
        if disk.is_made:
            if not _shows_uuids(seen):
                yield one.name, _NO_UUIDS
            continue
        found = here.get(plain_uuid(disk.uuid))
        yield from ((one.name, text) for text in _given_problems(disk, found))


def _given_problems(disk: PlannedDisk, found: DiskIdentity | None) -> Iterator[str]:
    if found is None:
        yield f"no disk has the UUID …{disk.uuid[-8:]}"
    elif found.size_bytes != disk.size_bytes:
        planned = format_bytes(disk.size_bytes)
        yield f"{found.path} has {format_bytes(found.size_bytes)}, the plan says {planned}"
    elif found.path != disk.path:
        yield f"the disk is now {found.path}, the plan says {disk.path}"
    elif found.in_use:
        yield f"{found.path}: {found.in_use[0]}"


def _shows_uuids(seen: WorkerSeen) -> bool:
    return seen.vm is None or fact(seen.vm, "uuid_shown_to_guest") is not False


def _why(seen: WorkerSeen | None) -> str:
    return (
        "there is no worker of that name" if seen is None else (seen.why or "no reason is known").rstrip(".")
    )


def _version(text: str) -> tuple[int, ...]:
    parts = text.removeprefix("fio-").split("-")[0].split(".")
    return tuple(int(part) for part in parts if part.isascii() and part.isdigit()) or (0,)
