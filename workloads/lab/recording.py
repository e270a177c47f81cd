"""Records the simulation while a test acts on it: hosts, devices, datastores, VMs and disks, every 5 s.

The keys are those of the catalogue, and the entities those that a vCenter would name. A VM keeps its series
when it moves; where it runs is a fact.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from collectors.feed import Feed, Health, Tick
from lab.acted import ActedLab
from lab.grouping import run_sums, sums
from lab.inventory import NFS_LUN
from lab.physics import TICK_S
from sessions.model import Event, Fact, FloatArray, SeriesSpec, SourceSpec
from workloads.lab.objects import VERSION, LabObjects

_PERCENT = 100.0


@dataclass(frozen=True, slots=True)
class _Block:
    """One counter of several entities; ``values`` gives them at the present tick."""

    specs: tuple[SeriesSpec, ...]
    values: Callable[[], FloatArray]


class LabRecording:
    """One source of kind lab. ``tick`` hands over what holds after a tick of the simulation."""

    def __init__(self, lab: ActedLab, objects: LabObjects, address: str, feed: Feed) -> None:
        self._lab, self._objects, self._feed = lab, objects, feed
        about = (
            ("scenario", lab.scenario.id), ("title", lab.scenario.title), ("seed", str(lab.seed)),
            ("simulated", "yes"), ("version", VERSION),
        )  # fmt: skip
        self._source = feed.add_source(SourceSpec("lab", address, TICK_S, attributes=about))
        entities = list(objects.entities())
        feed.add_entities(entities)
        self._luns = [lun for lun in lab.datastores if lun != NFS_LUN]
        self._stores = list(lab.datastores)
        self._blocks = [*self._of_hosts(), *self._of_vms(), *self._of_devices(), *self._of_stores()]
        specs = [spec for block in self._blocks for spec in block.specs]
        self._layout = feed.add_layout(self._source, specs)
        self._hosts: dict[int, int] = {}
        self._told = len(lab.happenings)
        self._ticks = 0
        self._health = Health("recording", interval_s=TICK_S, entities=len(entities), series=len(specs))
        self._tell_facts(lab.now_ms)
        self._place(lab.now_ms)

    def tick(self) -> None:
        """Hand over the samples of the tick that has just passed, moves and events."""
        now = self._lab.now_ms
        values = np.concatenate([block.values() for block in self._blocks])
        self._feed.add_ticks([Tick(self._layout.id, now, values)])
        self._place(now)
        fresh = self._lab.happenings[self._told :]
        self._told += len(fresh)
        if fresh:
            self._feed.add_events([
                Event(one.at, one.kind, one.text, self._objects.vm(one.vm), one.end, by=one.by)
                for one in fresh
            ])  # fmt: skip
        self._ticks += 1
        count = values.size * self._ticks
        self._report("recording", count, now)

    def end(self) -> None:
        """Report the source as ended."""
        self._report("ended", self._health.received, self._health.last_ms)

    def _report(self, state: str, count: int, last_ms: int | None) -> None:
        self._health = Health(
            "ended" if state == "ended" else "recording", interval_s=TICK_S, entities=self._health.entities,
            series=self._health.series, expected=count, received=count, last_ms=last_ms,
        )  # fmt: skip
        self._feed.report(self._source, self._health)

    def _tell_facts(self, now: int) -> None:
        cluster = self._lab.cluster
        facts = [
            fact
            for number, vm in enumerate(cluster.vms)
            for fact in (
                Fact(self._objects.vm(number), "vcpus", float(vm.vcpus), now),
                Fact(self._objects.vm(number), "mem.size_mb", vm.mem_mb, now),
            )
        ]
        for number, host in enumerate(cluster.hosts):
            facts.append(Fact(self._objects.host(number), "cpu.cores", float(host.cores), now))
            facts.append(Fact(self._objects.host(number), "cpu.threads", float(host.pcpus), now))
            facts.append(Fact(self._objects.host(number), "cpu.mhz", float(host.mhz), now))
        self._feed.add_facts(facts)

    def _place(self, now: int) -> None:
        """Say where VMs run, as far as that has changed."""
        where = self._lab.index.vm_host.tolist()
        moved = [vm for vm, host in enumerate(where) if self._hosts.get(vm) != host]
        if moved:
            self._feed.add_facts([
                Fact(self._objects.vm(vm), "host", self._objects.host(where[vm]).key, now) for vm in moved
            ])  # fmt: skip
            self._hosts.update((vm, where[vm]) for vm in moved)

    def _of_hosts(self) -> list[_Block]:
        lab, refs = self._lab, [self._objects.host(n) for n in range(len(self._lab.cluster.hosts))]
        cluster = self._objects.cluster
        return [
            _Block(
                tuple(SeriesSpec(ref, "cpu.pcpu_util", "%") for ref in refs),
                lambda: lab.physics.cpu.busy * _PERCENT,
            ),
            _Block(
                (
                    SeriesSpec(cluster, "cluster.imbalance", "%"),
                    SeriesSpec(cluster, "cluster.drs_score", "%"),
                ),
                lambda: np.array([lab.imbalance() * _PERCENT, lab.drs_score()]),
            ),
        ]

    def _of_vms(self) -> list[_Block]:
        """CPU of VMs per vCPU, and their disks."""
        lab, objects = self._lab, self._objects
        refs = [objects.vm(n) for n in range(lab.index.vms)]
        blocks = [
            _Block(
                tuple(SeriesSpec(ref, key, "%") for ref in refs),
                partial(self._per_vcpu, name),
            )
            for key, name in (
                ("cpu.used", "used"), ("cpu.run", "run"), ("cpu.ready", "ready"), ("cpu.costop", "costop"),
                ("cpu.demand", "demand"),
            )
        ]  # fmt: skip
        disks = [objects.vdisk(n, disk.slot) for n, vm in enumerate(lab.cluster.vms) for disk in vm.disks]
        storage, parameters = lab.storage, lab.physics.parameters
        values: tuple[tuple[str, str, Callable[[], FloatArray]], ...] = (
            ("vdisk.commands", "/s", lambda: storage.iops),
            ("vdisk.reads", "/s", lambda: storage.iops * parameters.reads),
            ("vdisk.writes", "/s", lambda: storage.iops * (1.0 - parameters.reads)),
            ("vdisk.read_mb", "MB/s", lambda: storage.iops * parameters.reads * parameters.io_kb / 1024.0),
            (
                "vdisk.write_mb",
                "MB/s",
                lambda: storage.iops * (1 - parameters.reads) * parameters.io_kb / 1024.0,
            ),
            ("vdisk.latency_read", "ms", lambda: np.where(storage.iops > 0.1, storage.read_ms, 0.0)),
            ("vdisk.latency_write", "ms", lambda: np.where(storage.iops > 0.1, storage.write_ms, 0.0)),
        )
        blocks += [_Block(tuple(SeriesSpec(ref, key, unit) for ref in disks), of) for key, unit, of in values]
        return blocks

    def _per_vcpu(self, name: str) -> FloatArray:
        """One of the scheduler's shares of time of each VM, in percent per vCPU."""
        index, shares = self._lab.index, getattr(self._lab.physics.cpu, name)
        result: FloatArray = run_sums(shares, index.vcpu_start) / index.vcpus * _PERCENT
        return result

    def _of_devices(self) -> list[_Block]:
        """What each host does to each LUN."""
        lab, objects = self._lab, self._objects
        storage, hosts = lab.storage, range(lab.index.hosts)
        cells = np.array([host * lab.index.luns + lun for host in hosts for lun in self._luns])
        places = [(objects.device(lun), objects.host(host).key) for host in hosts for lun in self._luns]

        def shown(values: FloatArray) -> FloatArray:
            return np.where(storage.commands[cells] > 0.01, values[cells], 0.0)

        values: tuple[tuple[str, str, Callable[[], FloatArray]], ...] = (
            ("disk.queue_depth", "count", lambda: lab.sioc.queue_depths().reshape(-1)[cells]),
            ("disk.active", "count", lambda: storage.active[cells]),
            ("disk.queued", "count", lambda: storage.queued[cells]),
            ("disk.commands", "/s", lambda: storage.commands[cells]),
            ("disk.reads", "/s", lambda: (storage.commands * storage.read_share)[cells]),
            ("disk.writes", "/s", lambda: (storage.commands * (1.0 - storage.read_share))[cells]),
            ("disk.read_mb", "MB/s", lambda: storage.mb_read[cells]),
            ("disk.write_mb", "MB/s", lambda: storage.mb_written[cells]),
            ("disk.device_latency", "ms", lambda: shown(storage.device_ms)),
            ("disk.kernel_latency", "ms", lambda: shown(storage.kernel_ms)),
            ("disk.queue_latency", "ms", lambda: shown(storage.queue_ms)),
            ("disk.guest_latency", "ms", lambda: shown(storage.device_ms + storage.kernel_ms)),
        )
        return [
            _Block(tuple(SeriesSpec(ref, key, unit, host) for ref, host in places), of)
            for key, unit, of in values
        ]

    def _of_stores(self) -> list[_Block]:
        """What vCenter would tell of Storage I/O Control, of each host."""
        lab, objects = self._lab, self._objects
        hosts, stores = lab.index.hosts, np.array(self._stores)
        places = [
            (objects.datastore(lun), objects.host(host).key) for host in range(hosts) for lun in self._stores
        ]

        def observed() -> FloatArray:
            """Latency of a host's VMs on each datastore."""
            index, storage = lab.index, lab.storage
            pairs = hosts * index.luns
            rate = sums(storage.pair_of_disk, storage.iops, pairs)
            total = sums(storage.pair_of_disk, storage.iops * storage.guest_ms, pairs)
            mean = np.where(rate > 0.1, total / np.maximum(rate, 1e-9), 0.0)
            result: FloatArray = mean.reshape(hosts, index.luns)[:, stores].reshape(-1)
            return result

        values: tuple[tuple[str, str, Callable[[], FloatArray]], ...] = (
            ("datastore.sioc_active", "%", lambda: np.tile(lab.sioc.active[stores] * _PERCENT, hosts)),
            ("datastore.size_normalized_latency", "ms", lambda: np.tile(lab.sioc.latency_ms[stores], hosts)),
            ("datastore.latency", "ms", observed),
        )
        return [
            _Block(tuple(SeriesSpec(ref, key, unit, host) for ref, host in places), of)
            for key, unit, of in values
        ]
