"""A worker of the lab: a simulated VM whose fio is the simulation itself."""

from __future__ import annotations

from collections.abc import Callable

from collectors.fio.documents import Document
from lab.acted.jobs import LabJob, TickResult
from lab.acted.running import RunningJob
from lab.acted.virtual_disks import VirtualDisk
from lab.worker_vms import SYSTEM_SLOT
from resources.failures import TimedOutError, UsageError
from resources.fio_jobs import FioJobs
from sessions.journal import ChangedObject
from sessions.model import EntityRef
from workloads.environment import (
    DiskIdentity,
    TestObject,
    Work,
    WorkerFacts,
    WorkerProgress,
    WorkSample,
)
from workloads.lab.documents import FIO_VERSION, documents
from workloads.lab.load import lab_job
from workloads.lab.simulated import Simulated

_PATH = "/dev/disk/by-id/scsi-3"
_FREE_BYTES = 12 << 30
_CLOCK_ERROR_MS = 1.0


class LabWorker:
    """One of the lab's workers; ``vm_of`` tells what is known of its VM now."""

    def __init__(
        self,
        simulated: Simulated,
        vm: int,
        jobs: FioJobs,
        entity: EntityRef,
        vm_of: Callable[[int], TestObject],
    ) -> None:
        self._simulated, self._vm, self._jobs, self._entity = simulated, vm, jobs, entity
        self._vm_of = vm_of
        self._prepared: Work | None = None
        self._running: RunningJob | None = None
        self._told = 0

    @property
    def name(self) -> str:
        """The VM's name."""
        return self._simulated.lab.cluster.vms[self._vm].name

    @property
    def entity(self) -> EntityRef:
        """The worker's own entity."""
        return self._entity

    @property
    def vm(self) -> TestObject | None:
        """Its VM as it is now."""
        with self._simulated.lock:
            return self._vm_of(self._vm)

    def inspect(self) -> WorkerFacts:
        """Say what a guest would. Raises TimedOutError while the VM is off."""
        with self._simulated.lock:
            self._require_power()
            disks = tuple(identity(disk) for disk in self._simulated.lab.disks.of(self._vm))
            return WorkerFacts(
                guest="linux", fio=FIO_VERSION.removeprefix("fio-"), engines=("libaio", "io_uring"),
                cpus=self._simulated.lab.cluster.vms[self._vm].vcpus, clock_offset_ms=0.0,
                clock_error_ms=_CLOCK_ERROR_MS, disks=disks, free_bytes=_FREE_BYTES,
            )  # fmt: skip

    def place(self, run: str) -> ChangedObject:
        """Return the folder that ``prepare`` makes."""
        return ChangedObject(self._simulated.address, "guest", f"lab:{self.name}/{run}", self.name)

    def scratch(self, _run: str, /) -> ChangedObject | None:
        """Return None: asking a simulated guest leaves nothing there."""
        return None

    def prepare(self, run: str, work: Work) -> ChangedObject:
        """Take a job over; nothing begins. Raises UsageError for a disk that is not what it must be."""
        with self._simulated.lock:
            self._require_power()
            for expected in work.identities:
                self._require(expected)
            lab_job(self._jobs, work, self._disks(work), self._simulated.lab.now_ms)
            self._prepared, self._running, self._told = work, None, 0
            place = self.place(run)
            self._simulated.folders[self._vm] = place.id
            return place

    def start(self, at_ms: int) -> None:
        """Let the job begin at an instant of the lab's clock."""
        with self._simulated.lock:
            self._require_power()
            if self._prepared is None:
                raise UsageError(f"{self.name} has no job to start.")
            job: LabJob = lab_job(self._jobs, self._prepared, self._disks(self._prepared), at_ms)
            self._running = self._simulated.lab.begin(self._vm, job)
            self._told = 0

    def poll(self) -> WorkerProgress:
        """Return the state and the samples since the call before."""
        with self._simulated.lock:
            running = self._running
            if running is None:
                return WorkerProgress("ready")
            fresh = running.results[self._told :]
            self._told = len(running.results)
            samples = tuple(_sample(one) for one in fresh)
            if running.lost:
                return WorkerProgress("lost", samples, running.lost)
            if running.ended_ms is not None:
                return WorkerProgress("ended", samples)
            waits = self._simulated.lab.now_ms <= running.job.begin_ms and not running.results
            return WorkerProgress("waiting" if waits else "running", samples)

    def fetch(self) -> tuple[Document, ...]:
        """Return fio's cumulative documents of the job. Raises TimedOutError if its guest does not answer."""
        with self._simulated.lock:
            self._require_power()
            if self._running is None:
                raise UsageError(f"{self.name} has run no job.")
            return documents(self._running, self._simulated.lab.now_ms)

    def stop(self) -> None:
        """End the job now."""
        with self._simulated.lock:
            if self._running is not None:
                self._running.stop()

    def clean_up(self) -> None:
        """End the job and forget it."""
        with self._simulated.lock:
            self.stop()
            self._prepared = None
            self._simulated.folders.pop(self._vm, None)

    def _disks(self, work: Work) -> list[VirtualDisk]:
        """The disks of a job. Raises UsageError for a path that no disk has."""
        there = {disk_path(disk): disk for disk in self._simulated.lab.disks.of(self._vm)}
        missing = [one.path for one in work.disks if one.path not in there]
        if missing:
            raise UsageError(f"{self.name} has no disk {missing[0]}.", advice="Look at its disks again.")
        return [there[one.path] for one in work.disks]

    def _require(self, expected: DiskIdentity) -> None:
        for disk in self._simulated.lab.disks.of(self._vm):
            if disk_path(disk) == expected.path:
                now = identity(disk)
                if (now.uuid, now.size_bytes) != (expected.uuid, expected.size_bytes):
                    raise UsageError(f"{expected.path} of {self.name} is another disk than it was.")
                if now.in_use:
                    raise UsageError(f"{expected.path} of {self.name} is in use: {now.in_use[0]}")
                return
        raise UsageError(f"{self.name} no longer has {expected.path}.")

    def _require_power(self) -> None:
        if not self._simulated.lab.powered[self._vm]:
            raise TimedOutError(f"{self.name} does not answer.", meaning="The VM is powered off.")


def disk_path(disk: VirtualDisk) -> str:
    """Return a disk's path in its guest."""
    return f"{_PATH}{disk.uuid}"


def identity(disk: VirtualDisk) -> DiskIdentity:
    """Return a disk as its guest sees it; the guest's own disk is in use."""
    in_use = ("It has a partition table.", "/ is mounted from it.") if disk.slot == SYSTEM_SLOT else ()
    made_as = disk.name if disk.made_by else ""
    return DiskIdentity(disk_path(disk), disk.uuid, disk.size_bytes, disk.made_by, in_use, made_as)


def _sample(one: TickResult) -> WorkSample:
    return WorkSample(one.at, one.reads, one.writes, one.read_mb, one.write_mb, one.read_ms, one.write_ms)
