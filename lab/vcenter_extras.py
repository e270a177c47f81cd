"""What vCenter counts and esxtop does not print: means of a VM's vCPUs, lost packets, traffic by type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lab.grouping import run_sums, sums_of_ticks
from lab.inventory import NFS_LUN, SHARED_LUNS, UPLINKS, VSAN_UPLINK
from lab.lab import Lab
from lab.layout import ADAPTERS
from lab.parameters import Parameters
from lab.seen import Seen
from lab.storage import Storage
from lab.vcenter_inventory import NIC_KEY, device_uuid
from lab.worlds import NO_OWNER
from resources.catalogue import VcenterSpelling
from sessions.model import FloatArray, IntArray

_KB = 1024.0
_KBPS_PER_MBIT = 1000.0 / 8.0


class Extra(NamedTuple):
    """A series whose value is not in esxtop's tables."""

    object: str
    counter: str
    instance: str
    cell: int
    factor: float


@dataclass(frozen=True, slots=True)
class _Block:
    """Counters of one kind of thing, side by side: ``owners`` are (object, instance) of each column."""

    start: int
    owners: tuple[tuple[str, str], ...]
    counters: tuple[tuple[str, str, float], ...]


class Extras:
    """Computes the values of all extra series of ticks, as one array that is appended to
    that of the tables.
    """

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._offset = lab.esxtop_tables.held.shape[1]
        self.one = self._offset
        self._worlds, self._starts = _vcpu_worlds(lab)
        self._cpu_names = tuple(lab.esxtop_tables["Vcpu"].row)
        vms = len(lab.cluster.vms)
        first = self.one + 1
        self.vm_cpu: Mapping[str, int] = {name: first + n * vms for n, name in enumerate(self._cpu_names)}
        self._vm_rows, self._nic_rows, self._nics = _port_rows(lab)
        self._mhz = np.array([lab.cluster.hosts[vm.host].mhz for vm in lab.cluster.vms], dtype=float)
        self._depths = _path_adapters(lab)
        self._vm_groups = _vm_groups(lab)
        self._whole_cpus = _whole_cpus(lab)
        self._threads_per_core = np.array([host.pcpus / host.cores for host in lab.cluster.hosts])
        self._has_control = any(one.parameter == "device.sioc_ms" for one in lab.scenario.inject)
        self._blocks = self._layout(first + len(self._cpu_names) * vms)

    def values(self, seen: Seen) -> FloatArray:
        """Return the values of the ticks that were seen, which the lab's tables hold: the constant 1, the CPU
        times of VMs, then the blocks.
        """
        times, ticks = self._vm_times(), len(seen)
        return np.concatenate(
            [np.ones((ticks, 1)), times.reshape(ticks, -1), *self._computed(seen, times)], axis=1
        )

    def is_own(self, twin: VcenterSpelling) -> bool:
        """Return True for a counter of this module that esxtop's tables have in another meaning."""
        return not twin.instance and (twin.on, twin.name) in _REDEFINED

    def lines(self, interval_s: int) -> Iterator[Extra]:
        """Yield the series of the blocks; a counter's factor of 0 stands for the interval."""
        for block in self._blocks:
            for position, (counter, _, factor) in enumerate(block.counters):
                for number, (what, instance) in enumerate(block.owners):
                    cell = block.start + position * len(block.owners) + number
                    yield Extra(what, counter, instance, cell, factor or float(interval_s))

    def _layout(self, start: int) -> list[_Block]:
        cluster = self._lab.cluster
        vms = tuple((f"vm:{vm.name}", "") for vm in cluster.vms)
        disks = tuple((f"vm:{vm.name}", disk.slot) for vm in cluster.vms for disk in vm.disks)
        hosts = tuple((f"host:{host.name}", "") for host in cluster.hosts)
        ports = tuple((f"vm:{vm.name}", str(NIC_KEY)) for vm in cluster.vms)
        nics = tuple((f"host:{host.name}", f"vmnic{n}") for host in cluster.hosts for n in range(UPLINKS))
        adapters = tuple((f"host:{host.name}", name) for host in cluster.hosts for name in ADAPTERS)
        shared = [(host.name, lun) for host in cluster.hosts for lun in cluster.luns[:SHARED_LUNS]]
        devices = tuple((f"host:{host}", lun.name) for host, lun in shared)
        stores = tuple(
            (f"host:{host}", device_uuid(f"{cluster.worlds_seed}/{lun.name}")) for host, lun in shared
        )
        blocks = []
        for owners, counters in (
            (vms, _OF_VMS), (disks, _OF_DISKS), (hosts, _OF_HOSTS), (ports, _OF_PORTS),
            (nics, _OF_PORTS + _OF_NICS), (adapters, _OF_ADAPTERS), (devices, _OF_DEVICES),
            (stores if self._has_control else (), _OF_DATASTORES),
        ):  # fmt: skip
            blocks.append(_Block(start, owners, counters))
            start += len(owners) * len(counters)
        return blocks

    def _vm_times(self) -> FloatArray:
        """Mean over each VM's vCPUs of every counter of worlds: (ticks, counters, VMs)."""
        data = self._lab.esxtop_tables["Vcpu"].data[:, :, self._worlds]
        counts = np.diff(np.append(self._starts, len(self._worlds)))
        result: FloatArray = run_sums(data, self._starts) / counts
        return result

    def _computed(self, seen: Seen, times: FloatArray) -> Iterator[FloatArray]:
        yield from self._of_vms(seen, times)
        yield from self._of_disks(seen)
        yield from self._of_hosts(seen)
        port = self._lab.esxtop_tables["Network Port"].ticks
        for rows in (self._vm_rows, self._nic_rows):
            for drops, packets in (
                ("% Received Packets Dropped", "Packets Received/sec"),
                ("% Outbound Packets Dropped", "Packets Transmitted/sec"),
            ):
                share = np.minimum(port[drops][:, rows], 99.0)
                yield port[packets][:, rows] * share / (100.0 - share)
        yield from self._traffic(seen)
        yield from self._adapters(seen.storage)
        yield self._of_luns(seen.storage.conflicts)
        if self._has_control:
            yield 100.0 * self._of_luns(seen.storage.throttled)
            yield 1000.0 * self._of_luns(seen.storage.device_ms)

    def _of_vms(self, seen: Seen, times: FloatArray) -> Iterator[FloatArray]:
        index, memory, storage = self._lab.index, seen.memory, seen.storage
        wait, demand = (times[:, self._cpu_names.index(name)] for name in ("% Wait", "% Demand"))
        yield wait * index.vcpus
        yield demand * index.vcpus / 100.0 * self._mhz
        yield np.minimum(memory.consumed() * 1.02 + 4.0, memory.size)
        yield memory.zipped
        yield memory.zipped
        touched = self._lab.esxtop_tables["Group Memory"].ticks["Touched MBytes"]
        yield 100.0 * touched[:, self._vm_groups] / memory.size
        slowest = np.maximum(storage.read_ms, storage.write_ms)
        yield np.maximum.reduceat(np.where(storage.iops > 0.1, slowest, 0.0), index.disk_start, axis=1)

    def _of_disks(self, seen: Seen) -> Iterator[FloatArray]:
        """Reads and writes in flight of each disk (Little's law), at most what the guest lets out."""
        storage, parameters = seen.storage, seen.parameters
        reads = storage.iops * parameters.reads * storage.read_ms / 1000.0
        writes = storage.iops * (1.0 - parameters.reads) * storage.write_ms / 1000.0
        fits = np.minimum(1.0, parameters.outstanding / np.maximum(reads + writes, 1e-9))
        yield reads * fits
        yield writes * fits

    def _of_hosts(self, seen: Seen) -> Iterator[FloatArray]:
        memory, storage, index = seen.memory, seen.storage, self._lab.index
        used = memory.machine - memory.free
        active = run_sums(memory.active, index.vm_start)
        pcpu_used = self._lab.esxtop_tables["Physical Cpu"].ticks["% Processor Time"][:, self._whole_cpus]
        yield np.minimum(pcpu_used * self._threads_per_core, 100.0)
        yield used
        yield 100.0 * used / memory.machine
        yield np.tile(memory.min_free, (len(seen), 1))
        yield np.tile(run_sums(memory.reserved + memory.overhead, index.vm_start), (len(seen), 1))
        whole = np.where(storage.commands > 0.01, storage.device_ms + storage.kernel_ms, 0.0)
        yield whole.reshape(len(seen), index.hosts, index.luns).max(axis=2)
        yield active

    def _of_luns(self, of_pairs: FloatArray) -> FloatArray:
        """Of what is of all pairs what is of each host's shared LUNs."""
        shared = np.arange(self._lab.index.hosts * self._lab.index.luns) % self._lab.index.luns < SHARED_LUNS
        result: FloatArray = of_pairs[:, shared]
        return result

    def _traffic(self, seen: Seen) -> Iterator[FloatArray]:
        """What each uplink carries, by kind, both directions: VMs, NFS (on vmnic1), the rest is vMotion's."""
        network, shape = seen.network, (len(seen), -1, UPLINKS)
        vms = sums_of_ticks(network.uplink, network.tx + network.rx, self._lab.index.hosts * UPLINKS)
        yield vms
        kernel = np.maximum(network.nic_tx + network.nic_rx - vms, 0.0).reshape(shape)
        logs = np.where(network.speed > 0, self._ft_share(seen.parameters), 0.0).reshape(shape)
        files = np.zeros(kernel.shape)
        if self._lab.vsan is not None:
            carried = seen.vsan.traffic.sum(axis=2) * 8.0 * 1.04
            kernel[:, :, VSAN_UPLINK] = np.maximum(
                kernel[:, :, VSAN_UPLINK] - carried, 0.0
            )  # vCenter has no such type
        files[:, :, 1] = kernel[:, :, 1] * self._nfs_share(seen)
        for kind in (files, (kernel - files) * (1.0 - logs), (kernel - files) * logs):
            yield kind.reshape(len(seen), -1)
        yield network.nic_errors

    def _ft_share(self, parameters: Parameters) -> FloatArray:
        """How much of what the VMkernel sends through each uplink, beside NFS, is fault-tolerance logging."""
        whole = parameters.vmk_tx + parameters.vmk_rx + parameters.ft_tx
        ticks, hosts = np.indices(whole.shape)
        table = np.zeros((*whole.shape, UPLINKS))
        table[ticks, hosts, parameters.vmk_uplink.astype(int)] = parameters.ft_tx / np.maximum(whole, 1e-9)
        return table.reshape(len(whole), -1)

    def _nfs_share(self, seen: Seen) -> FloatArray:
        """How much of the VMkernel's traffic through vmnic1 is NFS."""
        parameters, storage, index = seen.parameters, seen.storage, self._lab.index
        shape = (len(seen), index.hosts, index.luns)
        moved = (storage.mb_read + storage.mb_written).reshape(shape)[:, :, NFS_LUN]
        other = np.where(parameters.vmk_uplink == 1, parameters.vmk_tx + parameters.vmk_rx, 0.0)
        share: FloatArray = moved * 8.0 / np.maximum(moved * 8.0 + other, 1e-9)
        return share

    def _adapters(self, storage: Storage) -> Iterator[FloatArray]:
        adapter, pair, share = self._depths
        count = len(self._lab.cluster.hosts) * len(ADAPTERS)
        yield sums_of_ticks(adapter, storage.active[:, pair] * share, count)
        yield sums_of_ticks(adapter, storage.queued[:, pair] * share, count)


_OF_VMS = (
    ("cpu.wait.summation", "ms", 200.0), ("cpu.demand.average", "MHz", 1.0),
    ("mem.entitlement.average", "kB", _KB), ("mem.compressed.average", "kB", _KB),
    ("mem.zipped.latest", "kB", _KB), ("mem.usage.average", "%", 100.0),
    ("disk.maxTotalLatency.latest", "ms", 1.0),
)  # fmt: skip
_OF_DISKS = (("virtualDisk.readOIO.latest", "count", 1.0), ("virtualDisk.writeOIO.latest", "count", 1.0))
_OF_HOSTS = (
    ("cpu.usage.average", "%", 100.0),
    ("mem.consumed.average", "kB", _KB), ("mem.usage.average", "%", 100.0),
    ("mem.lowfreethreshold.average", "kB", _KB), ("mem.reservedCapacity.average", "MB", 1.0),
    ("disk.maxTotalLatency.latest", "ms", 1.0), ("mem.active.average", "kB", _KB),
)  # fmt: skip
_OF_DATASTORES = (
    ("datastore.siocActiveTimePercentage.average", "%", 100.0),
    ("datastore.sizeNormalizedDatastoreLatency.average", "us", 1.0),
)
_OF_DEVICES = (("disk.scsiReservationConflicts.summation", "count", 0.0),)
_REDEFINED = frozenset({("host", "cpu.usage.average")})
"""A vCenter's usage of a host is of all its cores and ends at 100 %, esxtop's is of all PCPUs (KB 431027)."""
_OF_PORTS = (("net.droppedRx.summation", "count", 0.0), ("net.droppedTx.summation", "count", 0.0))
_OF_NICS = (
    ("net.throughput.usage.vm.average", "kBps", _KBPS_PER_MBIT),
    ("net.throughput.usage.nfs.average", "kBps", _KBPS_PER_MBIT),
    ("net.throughput.usage.vmotion.average", "kBps", _KBPS_PER_MBIT),
    ("net.throughput.usage.ft.average", "kBps", _KBPS_PER_MBIT),
    ("net.errorsRx.summation", "count", 0.0),
)
_OF_ADAPTERS = (
    ("storageAdapter.outstandingIOs.average", "count", 1.0),
    ("storageAdapter.queued.average", "count", 1.0),
)
"""Counter, unit of its value, and what to multiply with; 0 stands for the seconds of the interval."""


def _vcpu_worlds(lab: Lab) -> tuple[IntArray, IntArray]:
    """Columns of all vCPUs' worlds in the order of VMs, and where each VM's begin."""
    owner = np.array([world.vcpu for one in lab.layouts for group in one.groups for world in group.worlds])
    mine = np.flatnonzero(owner != NO_OWNER)
    return mine[np.argsort(owner[mine])], lab.index.vcpu_start


def _whole_cpus(lab: Lab) -> IntArray:
    """Columns of the hosts' own values in the table of PCPUs."""
    table = lab.esxtop_tables["Physical Cpu"]
    columns = [
        int(table.start[n]) + list(table.names[n]).index("_Total") for n in range(len(lab.cluster.hosts))
    ]
    return np.array(columns, dtype=np.int64)


def _vm_groups(lab: Lab) -> IntArray:
    groups = [group for one in lab.layouts for group in one.memory_groups]
    return np.flatnonzero([group.vm != NO_OWNER for group in groups])


def _port_rows(lab: Lab) -> tuple[IntArray, IntArray, IntArray]:
    """Rows of VMs' ports and of uplinks, both in the order of their owners."""
    ports = [(host, port) for host, one in enumerate(lab.layouts) for port in one.ports]
    vms = np.flatnonzero([port.vm != NO_OWNER for _, port in ports])
    nics = np.flatnonzero([port.uplink != NO_OWNER for _, port in ports])
    order = np.array([host * UPLINKS + port.uplink for host, port in ports if port.uplink != NO_OWNER])
    return vms, nics[np.argsort(order)], np.sort(order)


def _path_adapters(lab: Lab) -> tuple[IntArray, IntArray, FloatArray]:
    """Adapter, (host, LUN) pair and share of the pair's commands, of each path."""
    paths = [(host, path) for host, one in enumerate(lab.layouts) for path in one.paths]
    adapter = np.array([host * len(ADAPTERS) + path.adapter for host, path in paths])
    pair = np.array([host * lab.index.luns + path.lun for host, path in paths])
    return adapter, pair, np.where(adapter % len(ADAPTERS) == 0, 1.0, 0.5)
