"""An environment in memory with a clock of its own: a datastore, hosts, VMs, workers that do I/O by a rule.

It stands for none of the real ones (those have tests of their own): it is what can be brought into any state
at any step of a test run.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from collectors.feed import Controls, Feed
from collectors.fio.documents import Document, read_documents
from resources.failures import DisconnectedError, NotFoundError
from sessions.journal import ChangedObject, Setting
from sessions.model import EntityRef
from sessions.times import TimeRange
from workloads.environment import (
    DiskIdentity,
    Disturbance,
    TestObject,
    Work,
    WorkerFacts,
    WorkerProgress,
    WorkSample,
)

T0 = 1_760_000_000_000
ADDRESS = "vcenter://anna@vc01.corp"
STORE = ChangedObject(ADDRESS, "Datastore", "datastore-7", "perf-lun-02")
CLUSTER = ChangedObject(ADDRESS, "ClusterComputeResource", "domain-c1", "Perf")
SERVER = ChangedObject(ADDRESS, "ServiceInstance", "ServiceInstance", "vc01.corp")
STEP_MS = 1000


def vm_object(number: int) -> ChangedObject:
    """The VM of worker ``number``."""
    return ChangedObject(ADDRESS, "VirtualMachine", f"vm-{number}", f"perf-w{number:02}")


def host_object(number: int) -> ChangedObject:
    """Host ``number``."""
    return ChangedObject(ADDRESS, "HostSystem", f"host-{number}", f"esx{number:02}.corp")


Rate = Callable[["MemoryWorker", "MemoryEnvironment"], tuple[float, float]]
"""The I/Os a second and their mean latency (ms) that a busy worker has now."""


def steady(_worker: MemoryWorker, _around: MemoryEnvironment) -> tuple[float, float]:
    """1,000 I/Os a second of 4 ms each."""
    return 1000.0, 4.0


@dataclass
class MemoryWorker:
    """A worker whose guest is a dictionary."""

    around: MemoryEnvironment
    number: int
    disk: DiskIdentity
    alive: bool = True
    folder: str | None = None
    work: Work | None = None
    starts_at: int | None = None
    ended_at: int | None = None
    told: int = 0
    ios: float = 0.0
    polls: int = 0
    documents: list[str] = field(default_factory=list)
    inputs: list[Work] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The VM's name."""
        return vm_object(self.number).name

    @property
    def entity(self) -> EntityRef:
        """The worker's own entity."""
        return EntityRef("worker", self.name)

    @property
    def vm(self) -> TestObject:
        """Its VM."""
        return self.around.vm(self.number)

    def inspect(self) -> WorkerFacts:
        """What the guest says."""
        self.answer()
        disks = [self.disk, *self.around.made_disks(self.number)]
        return WorkerFacts("linux", "3.36", ("libaio",), 4, 0.0, 5.0, tuple(disks), 10 << 30)

    def place(self, run: str) -> ChangedObject:
        """Where its job will be."""
        return ChangedObject(ADDRESS, "guest", f"/var/tmp/hyperscope-{run}-{self.number}", self.name)

    def scratch(self, run: str, /) -> ChangedObject | None:
        """What a script leaves while it runs."""
        return ChangedObject(ADDRESS, "guest", f"/var/tmp/hyperscope-{run}-{self.number}5c", self.name)

    def prepare(self, run: str, work: Work) -> ChangedObject:
        """Make the folder."""
        self.answer()
        self.folder, self.work, self.starts_at, self.ended_at = self.place(run).id, work, None, None
        self.ios, self.told, self.documents = 0.0, self.around.clock, []
        self.inputs.append(work)
        return self.place(run)

    def start(self, at_ms: int) -> None:
        """Begin then."""
        self.answer()
        self.starts_at = self.told = at_ms

    def poll(self) -> WorkerProgress:
        """The samples since the last call."""
        self.polls += 1
        if not self.alive:
            return WorkerProgress("lost", (), "It does not answer any more.")
        if self.starts_at is None or self.around.clock < self.starts_at:
            return WorkerProgress("waiting")
        samples = []
        end = self.ended_at if self.ended_at is not None else self.around.clock
        while self.told + STEP_MS <= end:
            self.told += STEP_MS
            samples.append(self._sample(self.told))
        assert self.work is not None
        if self.work.seconds is not None and end >= self.starts_at + self.work.seconds * 1000:
            self.ended_at = end
        if self.work.seconds is None and end >= self.starts_at + 5000:
            self.ended_at = end
        return WorkerProgress("ended" if self.ended_at is not None else "running", tuple(samples))

    def fetch(self) -> tuple[Document, ...]:
        """fio's documents."""
        self.answer()
        return tuple(one for text in self.documents for one in read_documents(text, self.name))

    def stop(self) -> None:
        """End it."""
        if self.alive and self.ended_at is None and self.starts_at is not None:
            self.ended_at = self.around.clock

    def clean_up(self) -> None:
        """Remove the folder."""
        self.answer()
        self.folder = None
        self.work = None

    @property
    def is_busy(self) -> bool:
        """True while it does I/O."""
        began = self.starts_at is not None and self.around.clock >= self.starts_at
        return began and self.ended_at is None and self.work is not None and self.alive

    def answer(self) -> None:
        """Raise DisconnectedError if it is dead."""
        if not self.alive:
            raise DisconnectedError(f"{self.name} does not answer.")

    def _sample(self, at: int) -> WorkSample:
        iops, latency = self.around.rate(self, self.around)
        self.ios += iops * STEP_MS / 1000
        reads, writes = iops * 0.7, iops * 0.3
        assert self.starts_at is not None
        if (at - self.starts_at) % 5000 == 0:
            self.documents.append(_document(at, at - self.starts_at, self.ios, latency))
        nothing = math.nan if not iops else latency
        return WorkSample(at, reads, writes, reads * 4 / 1024, writes * 4 / 1024, nothing, nothing)


def _document(at: int, runtime: int, ios: float, latency_ms: float) -> str:
    def side(share: float) -> dict[str, object]:
        count = round(ios * share)
        nanoseconds = round(latency_ms * 1e6)
        latency = {
            "min": nanoseconds,
            "max": nanoseconds,
            "mean": float(nanoseconds),
            "stddev": 0.0,
            "N": count,
        }
        bins = {str(nanoseconds): count} if count else {}
        return {
            "io_bytes": count * 4096,
            "total_ios": count,
            "runtime": runtime,
            "iops": count * 1000 / runtime if runtime else 0.0,
            "lat_ns": latency,
            "clat_ns": {**latency, "bins": bins},
        }

    job = {"jobname": "disk1", "error": 0, "elapsed": runtime // 1000, "read": side(0.7), "write": side(0.3)}
    return json.dumps({"fio version": "fio-3.36", "timestamp_ms": at, "timestamp": at // 1000, "jobs": [job]})


@dataclass
class MemoryEnvironment:
    """Hosts 1 and 2, worker ``n`` on host ``1 + n % 2``, one datastore; ``clock`` is ms since 1970.

    ``before_wait`` is called before each step of time: a test may break anything then.
    """

    count: int = 3
    rate: Rate = steady
    clock: int = T0
    values: dict[tuple[ChangedObject, str], Setting] = field(default_factory=dict)
    facts: dict[str, dict[str, Setting]] = field(default_factory=dict)
    happened: list[Disturbance] = field(default_factory=list)
    lacking: dict[str, list[ChangedObject]] = field(default_factory=dict)
    before_wait: Callable[[MemoryEnvironment], None] = lambda _around: None
    before_write: Callable[[ChangedObject, str, Setting], None] = lambda _changed, _setting, _value: None
    writes: list[tuple[str, str, Setting]] = field(default_factory=list)
    closed: bool = False

    def __post_init__(self) -> None:
        sizes = 1 << 30
        self.all_workers = [
            MemoryWorker(self, n, DiskIdentity(f"/dev/disk/by-id/wwn-{n}", f"6000c29f-{n:04}", sizes))
            for n in range(1, self.count + 1)
        ]
        defaults: dict[tuple[ChangedObject, str], Setting] = {
            (STORE, "iorm.enabled"): False,
            (STORE, "iorm.threshold_ms"): 30.0,
            (CLUSTER, "drs.behaviour"): "fullyAutomated",
            (CLUSTER, "drs.rate"): 3.0,
        }
        for n in range(1, self.count + 1):
            defaults[vm_object(n), "disk.shares:Hard disk 2"] = 1000.0
            defaults[vm_object(n), "disk.iops_limit:Hard disk 2"] = -1.0
            defaults[vm_object(n), "host"] = host_object(1 + n % 2).id
        self.values = {**defaults, **self.values}

    @property
    def address(self) -> str:
        """Its address."""
        return ADDRESS

    @property
    def settings(self) -> MemoryEnvironment:
        """Itself."""
        return self

    def snapshot(self) -> dict[tuple[ChangedObject, str], Setting]:
        """Everything that can be changed, and the folders in the guests."""
        folders: dict[tuple[ChangedObject, str], Setting] = {
            (vm_object(one.number), "folder"): one.folder for one in self.all_workers
        }
        kept = {key: value for key, value in self.values.items() if value is not None}
        return {**kept, **folders}

    def read(self, changed: ChangedObject, setting: str) -> Setting:
        """The present value."""
        if setting == "folder":
            worker = next(one for one in self.all_workers if changed.name == one.name)
            worker.answer()
            return worker.folder
        if setting.startswith(("disk:", "attribute:")):
            return self.values.get((changed, setting))
        try:
            return self.values[changed, setting]
        except KeyError:
            raise NotFoundError(f"{changed.name} has no {setting}.") from None

    def write(self, changed: ChangedObject, setting: str, value: Setting) -> None:
        """Set it."""
        self.before_write(changed, setting, value)
        self.writes.append((changed.name, setting, value))
        if setting == "folder":
            worker = next(one for one in self.all_workers if changed.name == one.name)
            worker.answer()
            worker.stop()
            worker.folder = None
            return
        self.values[changed, setting] = value

    def vm(self, number: int) -> TestObject:
        """The VM of a worker as it is now."""
        disk = self.all_workers[number - 1].disk
        listed = [
            {"name": "Hard disk 2", "uuid": disk.uuid, "size_bytes": disk.size_bytes, "datastore": STORE.id}
        ]
        facts: dict[str, Setting] = {
            "powered_on": True,
            "is_worker": True,
            "tools_running": True,
            "guest_operations_ready": True,
            "snapshots": 0.0,
            "consolidation_needed": False,
            "running_tasks": 0.0,
            "vcpus": 4.0,
            "cpu_limit_mhz": -1.0,
            "memory_limit_mb": -1.0,
            "has_affinity": False,
            "pool_is_limited": False,
            "drs_behaviour": "fullyAutomated",
            "uuid_shown_to_guest": True,
            "disks": json.dumps(listed),
        }
        vm = vm_object(number)
        host = str(self.values[vm, "host"])
        return TestObject(vm, EntityRef("vm", vm.id), host, {**facts, **self.facts.get(vm.id, {})})

    def made_disks(self, number: int) -> list[DiskIdentity]:
        """The disks that a run made on a VM."""
        found = []
        for (changed, setting), value in self.values.items():
            if changed == vm_object(number) and setting.startswith("disk:") and isinstance(value, str):
                made = json.loads(value)
                name = setting[5:]
                path = f"/dev/disk/by-id/{name}-{number}"
                uuid = f"made-{name}-{number}"
                found.append(DiskIdentity(path, uuid, made["size_bytes"], made["run"], made_as=name))
        return found

    def objects(self) -> Sequence[TestObject]:
        """Everything there is."""
        server: dict[str, Setting] = {"version": "8.0.2", "build": "22617221", "clock_offset_ms": 20.0}
        host: dict[str, Setting] = {
            "connected": True,
            "in_maintenance": False,
            "version": "8.0.2",
            "build": "22380479",
            "cpu_model": "Xeon",
            "cores": 16.0,
            "cpu_mhz": 2600.0,
            "power_policy": "static",
            "clock_offset_ms": 10.0,
            "sample_age_s": 14.0,
            "vmotion": True,
        }
        store: dict[str, Setting] = {
            "type": "VMFS",
            "free_bytes": float(3 << 40),
            "capacity_bytes": float(4 << 40),
            "extents": 1.0,
            "hosts": "host-1 host-2",
            "iorm_supported": True,
            "iops": 210.0,
            "other_iops": 12.0,
            "bystanders": 11.0,
            "bystander_ms": 2.0,
            "rdm_workers": 0.0,
            "running_tasks": 0.0,
        }
        cluster: dict[str, Setting] = {"drs_enabled": True, "drs_behaviour": "manual", "drs_rate": 3.0}
        hosts = [
            self._object(host_object(n), EntityRef("host", f"esx{n:02}"), CLUSTER.id, host) for n in (1, 2)
        ]
        return [
            self._object(SERVER, EntityRef("vcenter", "vc01"), "", server),
            self._object(CLUSTER, EntityRef("cluster", "Perf"), "", cluster),
            *hosts,
            self._object(STORE, EntityRef("datastore", "perf-lun-02"), "", store),
            *(self.vm(n) for n in range(1, self.count + 1)),
        ]

    def _object(
        self, changed: ChangedObject, entity: EntityRef, parent: str, facts: Mapping[str, Setting]
    ) -> TestObject:
        return TestObject(changed, entity, parent, {**facts, **self.facts.get(changed.id, {})})

    def workers(self) -> Sequence[MemoryWorker]:
        """All workers."""
        return self.all_workers

    def privileges(
        self, needed: Mapping[str, Sequence[ChangedObject]]
    ) -> Mapping[str, Sequence[ChangedObject]]:
        """What was said to be lacking, of what is needed."""
        return {name: objects for name, objects in self.lacking.items() if name in needed}

    def now_ms(self) -> int:
        """Its clock."""
        return self.clock

    def begin(self, feed: Feed) -> None:
        """It has no counters of its own."""

    def wait(self, seconds: float, controls: Controls) -> bool:
        """Let time pass."""
        self.before_wait(self)
        self.clock += round(seconds * 1000)
        return controls.is_set()

    def disturbances(self, window: TimeRange) -> Sequence[Disturbance]:
        """What happened in that time."""
        return [one for one in self.happened if window.start <= one.at <= window.end]

    def close(self) -> None:
        """Log out."""
        self.closed = True


def disk_in_use(worker: MemoryWorker, why: str) -> None:
    """Let something speak against a worker's disk."""
    worker.disk = replace(worker.disk, in_use=(why,))
