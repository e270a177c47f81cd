"""The disks of a run: those that it makes, and the identity of each just before load begins."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from resources.failures import UsageError
from resources.foreign_text import shown
from wizards.flows.plan import Plan, PlannedDisk, PlannedWorker
from wizards.flows.surroundings import plain_uuid
from workloads.environment import DiskIdentity, WorkerFacts
from workloads.journal import Wanted


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
        used = {plain_uuid(one.uuid) for one in found}
        own = [one for one in facts.disks if one.made_by == run and plain_uuid(one.uuid) not in used]
        fitting = [one for one in own if one.size_bytes >= disk.size_bytes and not one.in_use]
        if not fitting:
            raise UsageError(
                f"{shown(planned.name)} does not see the disk that was made for it.",
                meaning="Its guest has no new disk of that size, with the run's mark.",
                advice="See whether disk.EnableUUID is set for the VM.",
            )
        found.append(fitting[0])
    return found


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
