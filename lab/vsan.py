"""vSAN: what hosts and disks of a cluster do for the I/O of its VMs, and how long VMs wait for it.

Every object is mirrored over two hosts: a read is served by one of them, a write by both. What one host's
disks do not do in time holds up the VMs of all hosts. Kinds of cluster: ``hybrid`` (a flash device before
disks, for reads and writes) and ``flash`` (a flash device that takes writes before flash) of the original
architecture, and ``express``, where all flash devices do everything.

A fluid model of one tick, from the rates of the last one. Each kind of device is a queue of one server
(M/M/1). Writes fill a buffer, which is destaged the faster the fuller it is; what comes in faster than it
goes out is throttled by congestion, 0 to 255, until both are equal. A lost packet is sent again after some
round trips, a tenth of them after TCP's shortest timeout. Sources: problems.md P48 to P52 and modern.md §7;
rates and sizes are those of usual devices (DESIGN).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lab.grouping import between, sums
from lab.inventory import UPLINKS, VSAN_ARRAY, VSAN_LUN, VSAN_UPLINK, Cluster, VsanKind
from lab.network import Network
from lab.parameters import Index, Parameters
from lab.storage import Storage
from sessions.model import FloatArray

CAPACITY_DISKS = 4
MOST_CONGESTION = 255.0

_REPLICAS = 2.0
_ABSORBED = 0.25
"""Share of written data that is written over before it is destaged."""
_HOT_READ_MS = 0.05
"""What each read of one block takes, one after another: 12.7 ms at 256 outstanding (problems.md P52)."""
_MOST_USED = 0.96
_MOST_HOT = 0.992
_CONGESTED_MS = 45.0
_LOG_KB = 6.0
"""What the log keeps of a write until it is in its place."""
_LOG_GB = 16.0
"""Size at which hosts begin to complain about it (KB 400669)."""
_LOG_DRAIN_MB = 80.0
_ROUND_TRIP_MS = 0.12
_RESENT_MS, _TIMED_OUT_MS, _TIMED_OUT = 1.5, 210.0, 0.1
_PACKET = 1448.0
_SMOOTHING = 0.4


@dataclass(frozen=True, slots=True)
class _Devices:
    """What one host has: GB of read cache and write buffer, and of each capacity disk its times and rates.

    ``front_ms`` are read and write of the device that takes writes; ``read_ms`` is a read of a capacity disk,
    ``reads_per_s`` and ``mb_per_s`` what it does at most; ``destage_mb`` of all of them together.
    """

    cache_gb: float
    buffer_gb: float
    front_ms: tuple[float, float]
    read_ms: float
    reads_per_s: float
    mb_per_s: float
    destage_mb: float


DEVICES: dict[VsanKind, _Devices] = {
    "hybrid": _Devices(280.0, 120.0, (0.18, 0.12), 7.5, 133.0, 110.0, 220.0),
    "flash": _Devices(0.0, 200.0, (0.12, 0.08), 0.14, 40_000.0, 450.0, 800.0),
    "express": _Devices(0.0, 30.0, (0.09, 0.03), 0.09, 200_000.0, 2500.0, 2400.0),
}


class Vsan:
    """State and results, arrays over hosts unless noted.

    As VMs see it, by their hosts: ``reads`` and ``writes`` a second, ``mb_read``, ``mb_written``. At the
    disks: ``back_reads``, ``back_writes``, ``back_mb_read``, ``back_mb_written``, ``hit`` (share of reads
    found in the cache), ``filled`` and ``log`` (shares), ``congestion`` by kind (SSD, log, IOPS),
    ``group_read_ms``, ``group_write_ms``, ``front_read_ms``, ``front_write_ms``; (hosts, disks):
    ``disk_reads``, ``disk_writes``, ``disk_read_ms``, ``disk_write_ms``. ``resync`` MB/s written, and as
    much read. ``lost`` is the share of packets that each host does not receive, ``damaged`` and ``dropped``
    of it damaged frames, and frames without a buffer; ``traffic`` (hosts, 2) MB/s that it receives and
    sends.
    """

    def __init__(self, cluster: Cluster, index: Index, rng: np.random.Generator) -> None:
        assert cluster.vsan is not None
        self.kind: VsanKind = cluster.vsan
        self.devices = DEVICES[self.kind]
        hosts = index.hosts
        self._index = index
        self._mine = np.flatnonzero(index.disk_lun == VSAN_LUN)
        self._host = index.disk_host[self._mine]
        weight = rng.uniform(0.85, 1.15, hosts)
        self.weight: FloatArray = weight / weight.sum()
        self.hit, self.filled, self.log = np.full(hosts, 0.98), np.full(hosts, 0.1), np.full(hosts, 0.05)
        for name in (
            "reads", "writes", "mb_read", "mb_written", "back_reads", "back_writes", "back_mb_read",
            "back_mb_written", "group_read_ms", "group_write_ms", "front_read_ms", "front_write_ms", "resync",
            "lost", "damaged", "dropped", "dropped_tx",
        ):  # fmt: skip
            setattr(self, name, np.zeros(hosts))
        for name in ("disk_reads", "disk_writes", "disk_read_ms", "disk_write_ms", "disk_mb_written"):
            setattr(self, name, np.zeros((hosts, CAPACITY_DISKS)))
        self.traffic = np.zeros((hosts, 2))
        self.ssd_congestion, self.log_congestion, self.iops_congestion = (np.zeros(hosts) for _ in range(3))
        self._last = np.array([1.0, 1.0])

    reads: FloatArray
    writes: FloatArray
    mb_read: FloatArray
    mb_written: FloatArray
    back_reads: FloatArray
    back_writes: FloatArray
    back_mb_read: FloatArray
    back_mb_written: FloatArray
    group_read_ms: FloatArray
    group_write_ms: FloatArray
    front_read_ms: FloatArray
    front_write_ms: FloatArray
    resync: FloatArray
    lost: FloatArray
    damaged: FloatArray
    dropped: FloatArray
    dropped_tx: FloatArray
    disk_reads: FloatArray
    disk_writes: FloatArray
    disk_read_ms: FloatArray
    disk_write_ms: FloatArray
    disk_mb_written: FloatArray

    @property
    def congestion(self) -> dict[str, FloatArray]:
        """Return each kind of congestion of each host."""
        return {"ssd": self.ssd_congestion, "log": self.log_congestion, "iops": self.iops_congestion}

    @property
    def worst_congestion(self) -> FloatArray:
        """Return the worst kind of congestion of each host."""
        worst: FloatArray = np.stack(list(self.congestion.values())).max(axis=0)
        return worst

    def step(self, parameters: Parameters, storage: Storage, network: Network, tick_s: float) -> None:
        """Compute one tick, and write into ``parameters`` what a read and a write take now."""
        self._ask(parameters, storage)
        self._fill(parameters, tick_s)
        self._serve(parameters)
        self._carry(parameters, network)
        self._answer(parameters)

    def _ask(self, parameters: Parameters, storage: Storage) -> None:
        """What VMs did in the last tick, and what that is for the hosts that have their data."""
        rate, share = storage.iops[self._mine], parameters.reads[self._mine]
        kb, hosts = parameters.io_kb[self._mine], self._index.hosts
        self.reads = sums(self._host, rate * share, hosts)
        self.writes = sums(self._host, rate * (1.0 - share), hosts)
        self.mb_read = sums(self._host, rate * share * kb, hosts) / 1024.0
        self.mb_written = sums(self._host, rate * (1.0 - share) * kb, hosts) / 1024.0
        self.resync = parameters.vsan_resync[0] * self.weight
        self.back_reads = self.reads.sum() * self.weight
        self.back_writes = _REPLICAS * self.writes.sum() * self.weight
        self.back_mb_read = self.mb_read.sum() * self.weight
        self.back_mb_written = _REPLICAS * self.mb_written.sum() * self.weight

    def _fill(self, parameters: Parameters, tick_s: float) -> None:
        """Write buffer and log: what comes in, what goes out, and how hard vSAN holds writes back."""
        devices = self.devices
        arriving = (1.0 - _ABSORBED) * self.back_mb_written + self.resync
        ready = between((self.filled - 0.05) / 0.6, 0.0, 1.0)
        self.destaged = devices.destage_mb * parameters.vsan_destage * ready
        self.filled = between(
            self.filled + (arriving - self.destaged) * tick_s / 1024.0 / devices.buffer_gb, 0.0, 1.0
        )
        logged = self.back_writes * _LOG_KB / 1024.0
        drained = _LOG_DRAIN_MB * parameters.vsan_log_drain * between(self.log / 0.5, 0.0, 1.0)
        self.log = between(self.log + (logged - drained) * tick_s / 1024.0 / _LOG_GB, 0.0, 1.0)
        self.ssd_congestion = MOST_CONGESTION * between((self.filled - 0.78) / 0.2, 0.0, 1.0)
        self.log_congestion = MOST_CONGESTION * between((self.log - 0.7) / 0.28, 0.0, 1.0)

    def _serve(self, parameters: Parameters) -> None:
        """How long cache and capacity disks take."""
        devices, disks = self.devices, CAPACITY_DISKS
        if self.kind == "hybrid":
            fits = len(self.hit) * devices.cache_gb / max(float(parameters.vsan_working_set[0]), 1.0)
            self.hit = np.full(len(self.hit), 0.98 * min(1.0, fits))
        else:
            self.hit = np.full(len(self.hit), 0.05)  # what is still in the write buffer
        missed = self.back_reads * (1.0 - self.hit)
        hot = parameters.vsan_hot
        part = np.repeat(((1.0 - hot) / disks)[:, None], disks, axis=1)
        part[:, 0] += hot
        self.disk_reads = missed[:, None] * part + (self.resync * 4.0 / disks)[:, None]
        self.disk_mb_written = np.repeat((self.destaged / disks)[:, None], disks, axis=1)
        self.disk_writes = self.disk_mb_written * 4.0
        moved = self.disk_mb_written + (self.resync / disks)[:, None]
        asked = self.disk_reads / devices.reads_per_s + moved / devices.mb_per_s
        slower = 1.0 / (1.0 - np.minimum(asked, _MOST_USED))
        self.disk_read_ms = devices.read_ms * slower
        self.disk_write_ms = np.full(slower.shape, 0.6 * devices.read_ms) * slower
        self._one_block(missed, hot, part)
        self.disk_read_ms[:, 0] += parameters.vsan_slow_ms
        self.disk_write_ms[:, 0] += parameters.vsan_slow_ms
        if self.kind == "hybrid":
            overdue = asked.mean(axis=1) - 1.0
            self.iops_congestion = MOST_CONGESTION * between(overdue / 0.6, 0.0, 1.0)
        busy = np.minimum((self.back_reads * self.hit + self.back_writes) / 90_000.0, _MOST_USED)
        self.front_read_ms = devices.front_ms[0] / (1.0 - busy)
        self.front_write_ms = devices.front_ms[1] / (1.0 - busy)
        from_disks = (self.disk_read_ms * part).sum(axis=1)
        self.group_read_ms = self.hit * self.front_read_ms + (1.0 - self.hit) * from_disks
        held = _CONGESTED_MS * (self.worst_congestion / MOST_CONGESTION) ** 2
        striped = parameters.vsan_slow_ms / disks if self.kind == "express" else 0.0
        self.group_write_ms = self.front_write_ms + held + striped

    def _one_block(self, missed: FloatArray, hot: FloatArray, part: FloatArray) -> None:
        """Reads of one block of deduplicated data: one disk has it, which serves them one after another."""
        used = np.minimum(missed * hot * _HOT_READ_MS / 1000.0, _MOST_HOT)
        waits = np.where(hot > 0, _HOT_READ_MS / (1.0 - used), 0.0)
        self.disk_read_ms[:, 0] += waits * hot / part[:, 0]

    def _carry(self, parameters: Parameters, network: Network) -> None:
        """What goes over the network, and what of it is lost on the way."""
        at = np.arange(self._index.hosts) * UPLINKS + VSAN_UPLINK
        self.damaged = parameters.frame_errors[at]
        self.dropped = parameters.rx_loss[at] + network.overflow_rx[at]
        self.dropped_tx = network.overflow_tx[at]
        self.lost = between(parameters.vsan_loss + self.damaged + self.dropped + self.dropped_tx, 0.0, 0.6)
        remote = 1.0 - self.weight
        received = (self.mb_read + self.back_mb_written) * remote + self.resync
        sent = (self.back_mb_read + _REPLICAS * self.mb_written) * remote + self.resync
        self.traffic = np.stack([received, sent], axis=1)

    def resent(self) -> FloatArray:
        """Return the share of each host's packets that do not arrive at the others."""
        everywhere = (self.weight * self.lost).sum(axis=-1, keepdims=True)
        result: FloatArray = (everywhere - self.weight * self.lost) / np.maximum(1.0 - self.weight, 1e-9)
        return result

    def _answer(self, parameters: Parameters) -> None:
        """What VMs wait for: the same for all hosts, and what each host's network adds."""
        took = np.array([
            float((self.weight * self.group_read_ms).sum()),
            1.15 * float((self.weight * self.group_write_ms).sum()),
        ])  # fmt: skip
        self._last = (1.0 - _SMOOTHING) * self._last + _SMOOTHING * took
        parameters.read_ms[VSAN_ARRAY] = self._last[0] + _ROUND_TRIP_MS
        parameters.write_ms[VSAN_ARRAY] = self._last[1] + _ROUND_TRIP_MS
        moved = float((self.mb_read + self.mb_written).sum())
        bytes_each = moved * 1024.0**2 / max(float((self.reads + self.writes).sum()), 1e-9)
        lost = 1.0 - (1.0 - between(self.lost + self.resent(), 0.0, 0.9)) ** max(bytes_each / _PACKET, 1.0)
        again = (1.0 - _TIMED_OUT) * _RESENT_MS + _TIMED_OUT * _TIMED_OUT_MS
        parameters.network_ms[:, VSAN_LUN] = lost * again
