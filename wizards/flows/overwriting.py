"""What somebody must type before disks are overwritten, and whether it was typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wizards.flows.confirmation import MAX_TYPED, TYPED
from wizards.flows.plan import Plan
from workloads.disk_uuid import plain_uuid


@dataclass(frozen=True, slots=True)
class OverwrittenDisk:
    """A disk that a run overwrites: its worker, name, path, UUID and size; made by the run, or given."""

    worker: str
    name: str
    path: str
    uuid: str
    size_bytes: int
    is_made: bool

    @property
    def key(self) -> str:
        """What is typed for it: the end of its UUID without dashes, in lower case."""
        return plain_uuid(self.uuid)[-TYPED:]

    @property
    def parts(self) -> tuple[str, str]:
        """Its UUID in two parts as it is written: what is not typed, and what is."""
        left, at = TYPED, len(self.uuid)
        while at and left:
            at -= 1
            left -= self.uuid[at] not in "- "
        return self.uuid[:at], self.uuid[at:]


@dataclass(frozen=True, slots=True)
class Overwriting:
    """What a plan overwrites. ``phrase`` is typed once if all disks are made by the run: the datastore's
    name.
    """

    disks: tuple[OverwrittenDisk, ...]
    phrase: str = ""

    @property
    def given(self) -> tuple[OverwrittenDisk, ...]:
        """The disks that were given, and hold whatever they hold."""
        return tuple(one for one in self.disks if not one.is_made)

    @property
    def problem(self) -> str:
        """Why this can't be confirmed by typing, empty if it can."""
        count = len(self.given)
        if count > MAX_TYPED:
            most = f"at most {MAX_TYPED} can be"
            return f"{count} given disks are too many to type, {most}: let the run make the disks."
        return ""

    def is_confirmed(self, typed: Mapping[str, str], phrase: str) -> bool:
        """Return True if everything was typed: for each given disk its key, by UUID; else the phrase."""
        if self.problem or not self.disks:
            return not self.disks
        if self.given:
            return all(plain_uuid(typed.get(one.uuid, "")) == one.key for one in self.given)
        return bool(self.phrase) and phrase.strip() == self.phrase


def overwriting_of(plan: Plan, writing_jobs: Sequence[str]) -> Overwriting:
    """Return what a plan overwrites; ``writing_jobs`` are the jobs that write to disks."""
    workers = {
        name
        for phase in plan.phases
        for work in phase.work
        if work.job in writing_jobs
        for name in work.workers
    }
    disks = tuple(
        OverwrittenDisk(one.name, disk.name, disk.path, disk.uuid, disk.size_bytes, disk.is_made)
        for one in plan.workers
        if one.name in workers
        for disk in one.disks
    )
    stores = {disk.datastore for one in plan.workers for disk in one.disks if disk.is_made}
    names = [one.name for one in plan.objects if one.id in stores]
    return Overwriting(disks, names[0] if names else "")
