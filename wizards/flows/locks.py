"""The lock of a test run on the objects that it acts on: a custom attribute that others can read.

Guests that are reached alone have a file in its place, which is the same setting.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import msgspec

from resources.failures import BusyError
from resources.foreign_text import shown
from resources.units import format_duration
from sessions.journal import ChangedObject, Setting
from wizards.flows.plan import Plan
from workloads.environment import Settings, TestObject
from workloads.guests.lock_file import LOCK
from workloads.journal import Changes, Wanted
from workloads.together import THREADS, on_all, raised

__all__ = [
    "LOCK",
    "STALE_S",
    "Lock",
    "lock_all",
    "lock_of",
    "locked_objects",
    "parse_lock",
    "require_locks",
]

STALE_S = 24 * 3600
"""A lock of a run that began so long ago is probably of one that nobody ended (DESIGN)."""


@dataclass(frozen=True, slots=True)
class Lock:
    """Who holds an object: the run's id, its test, the machine, since when (ms)."""

    run: str
    test: str = ""
    by: str = ""
    since: int = 0

    def text(self) -> str:
        """Return the lock as the attribute has it."""
        return json.dumps({"run": self.run, "test": self.test, "by": self.by, "since": self.since})

    def sentence(self, name: str, now_ms: int) -> str:
        """Return who holds ``name``, and for how long."""
        for_s = max(0, now_ms - self.since) / 1000
        what = f"test {shown(self.test)} (run {shown(self.run)})" if self.test else f"run {shown(self.run)}"
        by = f" from {shown(self.by)}" if self.by else ""
        age = f" since {format_duration(for_s)}" if self.since else ""
        stale = "; it is probably not alive any more" if self.since and for_s > STALE_S else ""
        return f"{shown(name)} is held by {what}{by}{age}{stale}."


class _Written(msgspec.Struct):
    run: str
    test: str = ""
    by: str = ""
    since: int = 0


_DECODER = msgspec.json.Decoder(_Written)


def locked_objects(plan: Plan, objects: Iterable[TestObject]) -> list[ChangedObject]:
    """Return the objects that a run of the plan locks: those that were chosen, and the workers' VMs.

    ``objects`` are those of the environment; a worker without a VM is locked as the guest that it is.
    """
    wanted = {*plan.chosen.values(), *(one.vm for one in plan.workers if one.vm)}
    alone = {one.name for one in plan.workers if not one.vm}
    guests = {
        one.object.name: one.object
        for one in objects
        if one.object.kind == "guest" and one.object.name in alone
    }
    return [*(one.changed for one in plan.objects if one.id in wanted), *guests.values()]


def lock_of(settings: Settings, changed: ChangedObject) -> Lock | None:
    """Return who holds an object, None for nobody."""
    return parse_lock(settings.read(changed, LOCK))


def parse_lock(value: Setting) -> Lock | None:
    """Return the lock that an attribute's value says; a text of anybody else counts as a lock of that
    name."""
    if not isinstance(value, str) or not value.strip():
        return None
    try:
        written = _DECODER.decode(value)
    except (msgspec.DecodeError, msgspec.ValidationError):
        return Lock(value.strip())
    return Lock(written.run, written.test, written.by, written.since)


def require_locks(settings: Settings, objects: Sequence[ChangedObject], run: str, now_ms: int) -> None:
    """Raise BusyError if a run does not hold all of these objects.

    Two that begin at the same instant may both have seen an attribute without a lock: the later one's stays.
    """
    is_one_server = len({one.source for one in objects}) < len(objects)
    threads = 0 if is_one_server else THREADS
    found = raised(on_all(objects, lambda one: lock_of(settings, one), threads))
    held = list(zip(objects, found, strict=True))
    for changed, lock in sorted(held, key=lambda one: one[1] is None):  # another run's says more than none
        if lock is None or lock.run != run:
            free = f"{shown(changed.name)} is no longer locked by this run."
            raise BusyError(
                free if lock is None else lock.sentence(changed.name, now_ms),
                meaning="Another run began at the same instant, or somebody freed the lock.",
                advice="Wait until the other one has ended, then run the plan again.",
            )


def lock_all(changes: Changes, settings: Settings, objects: Sequence[ChangedObject], lock: Lock) -> set[str]:
    """Lock these objects; return the ids of the changes. Raises BusyError if another run was faster."""
    wanted = [Wanted(changed, LOCK, lock.text(), only_if_unset=True) for changed in objects]
    try:
        made = changes.make_all(wanted)
    except BusyError:
        require_locks(settings, objects, lock.run, lock.since)  # it says whose it is
        raise
    require_locks(settings, objects, lock.run, lock.since)
    return {one.id for one in made}
