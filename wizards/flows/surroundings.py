"""What an environment has, asked once: objects with their facts, and workers with what their guests said."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from resources.failures import HyperscopeError
from resources.foreign_text import shown
from sessions.journal import Setting
from workloads.disk_uuid import plain_uuid
from workloads.environment import DiskIdentity, Environment, TestObject, Worker, WorkerFacts
from workloads.together import on_all

EnvironmentKind = Literal["vcenter", "ssh", "lab"]


@dataclass(frozen=True, slots=True)
class VirtualDisk:
    """A virtual disk as its VM has it: ``name`` is what settings call it, ``uuid`` what its guest sees."""

    name: str
    uuid: str
    size_bytes: int
    datastore: str


@dataclass(frozen=True, slots=True)
class WorkerSeen:
    """A worker as it is now. ``facts`` are None where its guest did not answer; ``why`` then says why."""

    name: str
    vm: TestObject | None
    facts: WorkerFacts | None
    why: str = ""

    @property
    def virtual_disks(self) -> tuple[VirtualDisk, ...]:
        """The disks of its VM; empty where no vCenter is known."""
        return virtual_disks(self.vm.facts.get("disks")) if self.vm is not None else ()

    def usable_disks(self, datastore: str = "") -> list[tuple[str, DiskIdentity]]:
        """Return the disks that nothing speaks against, with the name that settings have for them.

        With ``datastore`` (an id) only those that are known to be on it.
        """
        if self.facts is None:
            return []
        by_uuid = {plain_uuid(one.uuid): one for one in self.virtual_disks}
        found = []
        for disk in self.facts.disks:
            virtual = by_uuid.get(plain_uuid(disk.uuid)) if disk.uuid else None
            is_there = not datastore or (virtual is not None and virtual.datastore == datastore)
            if not disk.in_use and disk.uuid and is_there:
                found.append((virtual.name if virtual is not None else _last_part(disk.path), disk))
        return found


@dataclass(frozen=True, slots=True)
class Surroundings:
    """An environment at one instant (``now_ms``, its own clock)."""

    address: tuple[str, ...]
    kind: EnvironmentKind
    objects: tuple[TestObject, ...]
    workers: tuple[WorkerSeen, ...]
    now_ms: int

    def of_kind(self, kind: str) -> list[TestObject]:
        """Return the objects of a kind, such as ``Datastore``."""
        return [one for one in self.objects if one.object.kind == kind]

    def object(self, of: str) -> TestObject | None:
        """Return the object with that id."""
        return next((one for one in self.objects if one.object.id == of), None)

    def worker(self, name: str) -> WorkerSeen | None:
        """Return the worker of that name."""
        return next((one for one in self.workers if one.name == name), None)

    def host_of(self, worker: WorkerSeen) -> TestObject | None:
        """Return the host on which a worker's VM runs."""
        return self.object(worker.vm.parent) if worker.vm is not None else None


def look(environment: Environment) -> Surroundings:
    """Ask an environment for everything that planning and checking need; it changes nothing.

    A worker that does not answer is one without facts. Raises SourceError if the environment itself does not.
    """
    objects, workers = tuple(environment.objects()), environment.workers()
    facts = on_all(workers, lambda one: one.inspect())
    seen = [_seen(worker, found) for worker, found in zip(workers, facts, strict=True)]
    return Surroundings(
        (environment.address,), kind_of(environment.address), objects, tuple(seen), environment.now_ms()
    )


def kind_of(address: str) -> EnvironmentKind:
    """Return what kind of environment an address is of."""
    scheme = address.strip().partition(":")[0].lower()
    if scheme == "lab":
        return "lab"
    return "ssh" if scheme == "ssh" else "vcenter"


def virtual_disks(text: Setting | None) -> tuple[VirtualDisk, ...]:
    """Return the disks that the fact ``disks`` of a VM tells; what is malformed is left out."""
    try:
        listed = json.loads(text) if isinstance(text, str) else []
    except (ValueError, RecursionError):
        return ()
    entries: Sequence[object] = listed if isinstance(listed, list) else []
    return tuple(_virtual_disk(one) for one in entries if isinstance(one, dict))


def _virtual_disk(one: Mapping[str, object]) -> VirtualDisk:
    size = one.get("size_bytes")
    name, uuid, datastore = (str(one.get(key) or "") for key in ("name", "uuid", "datastore"))
    return VirtualDisk(name, uuid, int(size) if isinstance(size, int | float) else 0, datastore)


def _seen(worker: Worker, found: WorkerFacts | HyperscopeError) -> WorkerSeen:
    if isinstance(found, HyperscopeError):
        return WorkerSeen(worker.name, worker.vm, None, shown(str(found)))
    return WorkerSeen(worker.name, worker.vm, found)


def _last_part(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2] or path
