"""What must be typed before disks are overwritten."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from resources.failures import UsageError
from resources.fio_jobs import FioJobs
from resources.foreign_text import shown
from wizards.flows.plan import Plan
from workloads.disk_uuid import plain_uuid

TYPED = 8
MAX_TYPED = 8
"""More disks that were given must be made by the run instead: nobody types so many with care (WIZARDS §3)."""


@dataclass(frozen=True, slots=True)
class DiskToConfirm:
    """A disk that was given and will be overwritten; ``end`` is what must be typed of its UUID."""

    worker: str
    vm: str
    path: str
    size_bytes: int
    uuid: str

    @property
    def end(self) -> str:
        """The last characters of its UUID."""
        return plain_uuid(self.uuid)[-TYPED:]


def disks_to_confirm(plan: Plan, jobs: FioJobs) -> tuple[DiskToConfirm, ...]:
    """Return the disks that the plan overwrites and did not make; none in the lab, where nothing is real."""
    if all(one.startswith("lab:") for one in plan.environment):
        return ()
    writers = {
        name
        for phase in plan.phases
        for work in phase.work
        if jobs.jobs[work.job].writes != "nothing"
        for name in work.workers
    }
    return tuple(
        DiskToConfirm(one.name, one.vm, disk.path, disk.size_bytes, disk.uuid)
        for one in plan.workers
        if one.name in writers
        for disk in one.disks
        if not disk.is_made
    )


def require_confirmed(disks: Sequence[DiskToConfirm], typed: Collection[str]) -> None:
    """Raise UsageError unless the end of each disk's UUID was typed."""
    if len(disks) > MAX_TYPED:
        raise UsageError(
            f"{len(disks)} disks that were given would be overwritten, at most {MAX_TYPED} can be confirmed.",
            advice="Let the run make its own disks, or use fewer workers.",
        )
    given = {plain_uuid(one)[-TYPED:] for one in typed if len(plain_uuid(one)) >= TYPED}
    missing = [one for one in disks if one.end not in given or not one.end]
    if missing:
        first = missing[0]
        raise UsageError(
            f"{shown(first.path)} of {shown(first.worker)} (UUID {shown(first.uuid)}) would be overwritten.",
            meaning=f"{len(missing)} disks were not confirmed.",
            advice=f"Look at them in the plan, then name each: --confirm {shown(first.end)}",
        )
