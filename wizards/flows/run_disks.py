"""The disks of a run: those that it makes, and the identity of each just before load begins."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence

from resources.failures import HyperscopeError, UsageError
from resources.foreign_text import shown
from wizards.flows.plan import Plan, PlannedDisk, PlannedWorker
from workloads.disk_uuid import plain_uuid
from workloads.environment import DiskIdentity, WorkerFacts
from workloads.journal import Wanted
from workloads.together import on_all

SEEN_WITHIN_S = 20.0
"""How long a guest may take to find a disk that its VM has got."""


def disks_to_make(plan: Plan, run: str) -> Iterator[Wanted]:
    """Yield the changes that make the disks of a plan."""
    for worker in plan.workers:
        for disk in worker.disks:
            if disk.is_made:
                size = -(-disk.size_bytes // (1 << 20)) << 20  # whole MiB
                value = {
                    "run": run,
                    "size_bytes": size,
                    "datastore": disk.datastore,
                    "provisioning": "eager",
                }
                text = json.dumps(value, sort_keys=True, separators=(",", ":"))
                yield Wanted(plan.object(worker.vm).changed, f"disk:{disk.name}", text)


def identities(planned: PlannedWorker, facts: WorkerFacts, run: str) -> list[DiskIdentity]:
    """Return what each of a worker's disks must be in its guest, as it is now, in the plan's order.

    Raises UsageError for a disk that is not what the plan says, or that is in use.
    """
    found: list[DiskIdentity] = []
    for disk in planned.disks:
        if not disk.is_made:
            if problem := identity_problem(disk, facts.disks):
                raise UsageError(
                    f"{shown(planned.name)}: {problem}", advice="Nothing was written. Check the plan."
                )
            found.append(next(one for one in facts.disks if one.path == disk.path))
            continue
        made = _made(disk, facts, run)
        if made is None:
            raise UsageError(
                f"{shown(planned.name)} does not see the disk that was made for it.",
                meaning="Its guest has no empty disk with the UUID and the size of that one.",
                advice="See whether disk.EnableUUID was set before the VM was powered on, and whether the "
                "guest finds new disks by itself.",
            )
        found.append(made)
    return found


def look_for_disks(
    planned: Sequence[PlannedWorker],
    inspect: Callable[[PlannedWorker], WorkerFacts],
    run: str,
    pause: Callable[[], None],
) -> dict[str, WorkerFacts]:
    """Inspect workers together until each sees the disks that were made for it; return what each said last.

    Linux needs a second or two for a disk that is plugged in. Workers that see none after ``SEEN_WITHIN_S``
    are returned as they are. Raises what ``inspect`` and ``pause`` raise.
    """
    found: dict[str, WorkerFacts] = {}
    waiting, until = list(planned), time.monotonic() + SEEN_WITHIN_S
    while waiting:
        for one, facts in zip(waiting, on_all(waiting, inspect), strict=True):
            if isinstance(facts, HyperscopeError):
                raise facts
            found[one.name] = facts
        waiting = [one for one in waiting if not _sees_made(one, found[one.name], run)]
        if time.monotonic() >= until:
            break
        if waiting:
            pause()
    return found


def _sees_made(planned: PlannedWorker, facts: WorkerFacts, run: str) -> bool:
    return all(_made(disk, facts, run) is not None for disk in planned.disks if disk.is_made)


def _made(disk: PlannedDisk, facts: WorkerFacts, run: str) -> DiskIdentity | None:
    """The disk that the run made by that name; None if its guest does not see it, or if it is in use."""
    own = [one for one in facts.disks if (one.made_by, one.made_as) == (run, disk.name)]
    return next((one for one in own if one.size_bytes >= disk.size_bytes and not one.in_use), None)


def identity_problem(disk: PlannedDisk, present: Sequence[DiskIdentity]) -> str:
    """Return how a disk differs from the plan, or what is on it; empty if it may be written to."""
    found = next((one for one in present if one.path == disk.path), None)
    if not disk.uuid:
        return f"{shown(disk.path)} has no UUID in the plan, so nobody can tell whether it is the right one."
    if found is None:
        return f"{shown(disk.path)} is not there."
    if plain_uuid(found.uuid) != plain_uuid(disk.uuid):
        return f"{shown(disk.path)} has the UUID {shown(found.uuid) or 'none'}, not {shown(disk.uuid)}."
    if found.size_bytes != disk.size_bytes:
        return f"{shown(disk.path)} has {found.size_bytes} bytes, not {disk.size_bytes}."
    if found.in_use:
        return f"{shown(disk.path)} is in use: {shown(found.in_use[0])}"
    return ""
