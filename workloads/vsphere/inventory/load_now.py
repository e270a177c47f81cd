"""What load there is now: the newest samples of hosts and of VMs' disks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from collectors.vsphere.counters.reply import decode
from collectors.vsphere.counters.request import MetricList, QuerySpec, metric_list, query_perf
from collectors.vsphere.counters.server import PerfServer
from connections.vsphere.faults import SoapFault
from connections.vsphere.session import VSphere
from resources.failures import PrivilegeError
from resources.vcenter_acting import Reading

_USED = "cpu.usage.average"
_READS, _WRITES = "virtualDisk.numberReadAveraged.average", "virtualDisk.numberWriteAveraged.average"
_READ_MS, _WRITE_MS = "virtualDisk.totalReadLatency.average", "virtualDisk.totalWriteLatency.average"


@dataclass(frozen=True, slots=True)
class DiskLoad:
    """The load of a virtual disk over the newest sample: I/Os a second, and their mean latency in ms."""

    iops: float
    latency_ms: float


@dataclass(slots=True)
class _Sums:
    reads: float = math.nan
    writes: float = math.nan
    read_ms: float = math.nan
    write_ms: float = math.nan

    def load(self) -> DiskLoad:
        """The latency of reads and writes, each weighted by its I/Os."""
        parts = [(n, ms) for n, ms in ((self.reads, self.read_ms), (self.writes, self.write_ms)) if n > 0]
        iops = sum(n for n, _ in parts)
        known = [(n, ms) for n, ms in parts if not math.isnan(ms)]
        weight = sum(n for n, _ in known)
        return DiskLoad(iops, sum(n * ms for n, ms in known) / weight if weight else math.nan)


class LoadNow:
    """Reads the newest samples. The server's counters are asked for once."""

    def __init__(self, vsphere: VSphere, known: Reading) -> None:
        self._vsphere = vsphere
        self._known = known
        self._server = PerfServer(vsphere)
        self._ids: dict[str, int] = {}
        self._manager = ""
        self._interval_s = 0

    def sample_ages_s(self, hosts: Sequence[str], now_ms: int) -> dict[str, float]:
        """Return the age in seconds of the newest sample of each host (moid) that has one."""
        found: dict[str, float] = {}
        for moid, _, _, times, _ in self._samples("HostSystem", hosts, (_USED,), "", now_ms):
            found[moid] = (now_ms - times[-1]) / 1000
        return found

    def disk_loads(self, vms: Sequence[str], now_ms: int) -> dict[tuple[str, str], DiskLoad]:
        """Return the load of each virtual disk, by the VM's moid and the disk's slot."""
        wanted = (_READS, _WRITES, _READ_MS, _WRITE_MS)
        sums: dict[tuple[str, str], _Sums] = {}
        for moid, counter, instance, _, value in self._samples("VirtualMachine", vms, wanted, "*", now_ms):
            if not instance:
                continue
            into = sums.setdefault((moid, instance), _Sums())
            setattr(into, ("reads", "writes", "read_ms", "write_ms")[wanted.index(counter)], value)
        return {key: found.load() for key, found in sums.items()}

    def _samples(
        self, kind: str, moids: Sequence[str], counters: tuple[str, ...], instance: str, now_ms: int
    ) -> Iterator[tuple[str, str, str, Sequence[int], float]]:
        """Yield moid, counter, instance, times (ms) and newest value of each series that has one."""
        metrics = self._metrics(kind, moids, counters, instance)
        if metrics is None:
            return
        names = {str(self._ids[name]): name for name in counters if name in self._ids}
        begin = now_ms - round(self._known.sample_s * 1000)
        for start in range(0, len(moids), self._known.entities):
            batch = moids[start : start + self._known.entities]
            specs = [QuerySpec(moid, kind, metrics, begin, now_ms) for moid in batch]
            try:
                raw = self._vsphere.post(query_perf(self._manager, specs, self._interval_s))
            except (SoapFault, PrivilegeError):
                continue  # what can't be read is not known; the checks say so
            for block in decode(raw).blocks:
                for entity in block.entities:
                    for row in range(entity.first, entity.last):
                        values = block.values[row]
                        at = [n for n in range(len(values)) if not math.isnan(values[n])]
                        name = names.get(entity.counters[row - entity.first])
                        if at and name:
                            times = [int(entity.times[n]) for n in at]
                            one = entity.instances[row - entity.first]
                            yield entity.moid, name, one, times, float(values[at[-1]])

    def _metrics(
        self, kind: str, moids: Sequence[str], counters: tuple[str, ...], instance: str
    ) -> MetricList | None:
        if not moids:
            return None
        if not self._ids:
            self._ids = {one.name: one.id for one in self._server.definitions()}
            self._manager = self._server.manager()
        if not self._interval_s:
            self._interval_s = self._server.refresh_s(kind, moids[0]) or 0
        ids = [(self._ids[name], instance) for name in counters if name in self._ids]
        return metric_list(ids) if ids and self._interval_s else None


def by_datastore(
    loads: Mapping[tuple[str, str], DiskLoad], places: Mapping[tuple[str, str], str]
) -> dict[str, dict[str, DiskLoad]]:
    """Return datastore → VM → the load of its disks there; ``places``: (VM, slot) → datastore."""
    found: dict[str, dict[str, list[DiskLoad]]] = {}
    for (vm, slot), load in loads.items():
        if store := places.get((vm, slot)):
            found.setdefault(store, {}).setdefault(vm, []).append(load)
    return {store: {vm: _joined(parts) for vm, parts in vms.items()} for store, vms in found.items()}


def _joined(loads: Sequence[DiskLoad]) -> DiskLoad:
    known = [one for one in loads if not math.isnan(one.latency_ms)]
    weight = sum(one.iops for one in known)
    latency = sum(one.iops * one.latency_ms for one in known) / weight if weight else math.nan
    return DiskLoad(sum(one.iops for one in loads), latency)
