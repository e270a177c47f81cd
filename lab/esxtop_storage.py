"""esxtop's view of storage: adapters, paths, devices with worlds and partitions, NFS, virtual disks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from lab.esxtop_tables import PATHS_OF_ADAPTER, EsxtopTables, Table
from lab.grouping import run_sums, sums
from lab.inventory import CDROM_LUN, NFS_LUN
from lab.layout import ADAPTERS, HostLayout
from lab.parameters import BoolArray, Index, Parameters
from lab.storage import Storage
from lab.worlds import NO_OWNER
from sessions.model import FloatArray, IntArray

LunsOf = Callable[[HostLayout], Sequence[int]]
_FAILURES = (
    "Aborts/sec",
    "Resets/sec",
    "Failed Commands/sec",
    "Failed Reads/sec",
    "Failed Writes/sec",
)
_LAYERS = ("Driver", "Kernel", "Guest", "Queue")


class StorageView:
    """Fills the disk tables."""

    def __init__(
        self,
        index: Index,
        layouts: tuple[HostLayout, ...],
        tables: EsxtopTables,
        tick_s: float,
        rng: np.random.Generator,
    ) -> None:
        self._index = index
        self._tables = tables
        self._rng = rng
        self._tick_s = tick_s
        luns = index.luns
        self._device_pair = _cells(layouts, luns, lambda one: one.devices)
        self._path_pair = _cells(layouts, luns, lambda one: [path.lun for path in one.paths])
        self._path_adapter = np.array(
            [host * len(ADAPTERS) + path.adapter for host, one in enumerate(layouts) for path in one.paths]
        )
        self._path_share = np.where(self._path_adapter % len(ADAPTERS) == 0, 1.0, 0.5)
        self._path_second = self._path_adapter % len(ADAPTERS) == 2
        users = [(host, user) for host, one in enumerate(layouts) for user in one.users]
        self._user_pair = np.array([host * luns + user.lun for host, user in users])
        self._user_vm = np.array([user.vm for _, user in users])
        self._disk_of_user = _disks_of_users(index, luns, self._user_pair, self._user_vm)
        parts = [
            (host * luns + lun, part) for host, one in enumerate(layouts) for lun, part in one.partitions
        ]
        self._part_pair = np.array([pair for pair, _ in parts])
        self._part_used = np.array([1.0 if part in (1, 8) else 0.0 for _, part in parts])
        self._part_used[[part == 1 and pair % luns >= NFS_LUN for pair, part in parts]] = 0.0
        self._nfs_pair = np.arange(index.hosts) * luns + NFS_LUN
        rows = [(vm, disk) for one in layouts for vm, disk in one.disks]
        self._total_rows = np.flatnonzero([disk < 0 for _, disk in rows])
        self._disk_rows = np.flatnonzero([disk >= 0 for _, disk in rows])
        self._vaai = rng.integers(1_000, 90_000, len(self._device_pair)).astype(float)
        self._zeros = np.zeros(len(self._device_pair))
        self._constants()

    def _constants(self) -> None:
        self._tables["Physical Disk SCSI Device"].set({"Delete": np.floor(self._vaai * 0.3)})
        self._tables["Physical Disk Per-Device-Per-World"].set({"Shares": 1000.0})

    def update(self, storage: Storage, parameters: Parameters) -> None:
        """Write the values of one tick."""
        facts = _Facts(storage)
        self._devices(storage, facts)
        self._paths(storage, facts, parameters)
        self._users(storage, facts, parameters)
        self._partitions(facts)
        self._nfs(storage, facts)
        self._virtual_disks(storage, parameters)

    def _devices(self, storage: Storage, facts: _Facts) -> None:
        table, pair = self._tables["Physical Disk SCSI Device"], self._device_pair
        depth = np.rint(storage.depth[pair])
        facts.write(table, pair, 1.0)
        self._failures(table, _Trouble.of(storage, pair, 1.0))
        full = (storage.queued[pair] > 0.5) & (storage.active[pair] > 0.8 * depth)
        active = self._snapshot(storage.active[pair], depth, full)
        queued = self._rng.poisson(storage.queued[pair]).astype(float)
        queued = np.where(active >= depth, queued, np.where(storage.queued[pair] > 0.5, queued, 0.0))
        table.set({
            "Device Q Depth": depth, "World Q Depth": 0.0, "Active Commands": active,
            "Queued Commands": queued, "% Used": 100.0 * active / depth, "Load": (active + queued) / depth,
        })  # fmt: skip
        conflicts = storage.conflicts[pair]
        met = self._rng.poisson(conflicts * self._tick_s) / self._tick_s
        table.set({"Failed Reserves/sec": met, "Conflicts/sec": met})
        zeroed = storage.zeroed[pair]
        if zeroed.any() or self._zeros.any():
            self._zeros = self._zeros + np.rint(zeroed * self._tick_s)
            table.set({"Zeros": self._zeros, "MBytes Zeroed/sec": zeroed})
        self._vaai = self._vaai + self._rng.poisson(0.4, len(self._vaai))
        table.set({"ATS": np.floor(self._vaai)})

    def _snapshot(self, mean: FloatArray, depth: FloatArray, full: BoolArray) -> FloatArray:
        """What is in flight when the sample is taken: Poisson around the mean, ``depth`` where it is full."""
        seen = np.minimum(self._rng.poisson(mean), depth)
        return np.where(full, depth, seen).astype(float)

    def _failures(self, table: Table, trouble: _Trouble) -> None:
        """Counts of rare things are whole commands within the interval, so their rates come in steps."""
        rates = np.stack([trouble.aborts, trouble.resets, trouble.failed])
        counted = self._rng.poisson(rates * self._tick_s) / self._tick_s
        values = (*counted, counted[2] * trouble.reads, counted[2] * (1.0 - trouble.reads))
        table.set(dict(zip(_FAILURES, values, strict=True)))

    def _paths(self, storage: Storage, facts: _Facts, parameters: Parameters) -> None:
        """Round robin splits I/O evenly; commands are lost on the second path, whose adapter is at fault."""
        pair = self._path_pair
        bad = np.where(self._path_second, 2.0, 0.0) * self._path_share
        lost = (parameters.loss.reshape(-1) > 0)[pair]
        second, shared = storage.second_path[pair], self._path_share < 1.0
        usual = np.where(shared, np.where(self._path_second, second, 1.0 - second), 1.0)
        share = np.where(lost, bad, usual)
        table = self._tables["Physical Disk Path"]
        self._write_paths(facts, table, storage, usual)
        self._failures(table, _Trouble.of(storage, pair, share))
        twin = self._tables[PATHS_OF_ADAPTER]
        if twin.wanted:
            self._write_paths(facts, twin, storage, usual)
            for name in _FAILURES:
                twin.row[name][...] = table.row[name]
        if self._tables["Physical Disk Adapter"].wanted:
            self._adapters(table)
        depth = np.stack(
            [np.full(self._index.hosts, 31.0), parameters.hba_depth / 2, parameters.hba_depth / 2], axis=1
        )
        self._tables["Physical Disk"].set({"Adapter Q Depth": depth.reshape(-1)})

    def _write_paths(self, facts: _Facts, table: Table, storage: Storage, share: FloatArray) -> None:
        """Rates by the paths' shares; a slow path's latencies are longer, the pair's mean being kept."""
        pair = self._path_pair
        facts.write(table, pair, share)
        slower = storage.second_ms[pair]
        if not slower.any():
            return
        mean = np.maximum(storage.device_ms[pair], 1e-9)
        more = np.where(self._path_second, 1.0 - storage.second_path[pair], -storage.second_path[pair])
        factor = np.maximum(1.0 + more * np.minimum(slower, mean) / mean, 0.05)
        for name, row in table.row.items():
            if name.startswith(("Average Driver", "Average Guest")):
                row[...] = row * np.where(self._path_share < 1.0, factor, 1.0)

    def _adapters(self, paths: Table) -> None:
        """Rates are sums over an adapter's paths, latencies their mean weighted by I/Os."""
        table = self._tables["Physical Disk Adapter"]
        commands = paths.row["Commands/sec"]
        total = sums(self._path_adapter, commands, table.size)
        for name, row in paths.row.items():
            if name.startswith("Average"):
                weighted = sums(self._path_adapter, row * commands, table.size)
                table.row[name][...] = np.where(total > 0, weighted / np.maximum(total, 1e-9), 0.0)
            else:
                table.row[name][...] = sums(self._path_adapter, row, table.size)

    def _users(self, storage: Storage, facts: _Facts, parameters: Parameters) -> None:
        """Worlds on devices: a VM's disks there; the host's own worlds get what is not a VM's."""
        table, pair = self._tables["Physical Disk Per-Device-Per-World"], self._user_pair
        user = self._disk_of_user
        rate = sums(user, storage.at_device, len(pair) + 1)[:-1]
        mine = self._user_vm != NO_OWNER
        own = np.where(
            mine, rate, storage.commands[pair] * np.where(pair % self._index.luns == CDROM_LUN, 1.0, 0.35)
        )
        share = own / np.maximum(storage.commands[pair], 1e-9)
        facts.write(table, pair, share)
        aborts = sums(user, storage.disk_aborts, len(pair) + 1)[:-1]
        lost = storage.commands[pair] * parameters.loss.reshape(-1)[pair] * share
        reads = storage.read_share[pair]
        self._failures(table, _Trouble(aborts + lost, np.zeros(len(pair)), 1.5 * lost, reads))
        depth = np.rint(storage.depth[pair])
        active = self._rng.poisson(storage.active[pair] * share).astype(float)
        queued = self._rng.poisson(storage.queued[pair] * share).astype(float)
        table.set({
            "Device Q Depth": depth, "World Q Depth": np.minimum(depth, 32.0), "Active Commands": active,
            "Queued Commands": queued, "% Used": 100.0 * active / depth, "Load": (active + queued) / depth,
        })  # fmt: skip

    def _partitions(self, facts: _Facts) -> None:
        table = self._tables["Physical Disk Partition"]
        if table.wanted:
            facts.write(table, self._part_pair, self._part_used)

    def _nfs(self, storage: Storage, facts: _Facts) -> None:
        table, pair = self._tables["Physical Disk NFS Volume"], self._nfs_pair
        facts.write(table, pair, 1.0)
        whole = (storage.active + storage.queued)[pair]
        table.set({"Active Commands": self._rng.poisson(whole).astype(float)})
        self._failures(table, _Trouble.of(storage, pair, 1.0))

    def _virtual_disks(self, storage: Storage, parameters: Parameters) -> None:
        """Each disk, and each VM's total with latencies weighted by I/Os."""
        table = self._tables["Virtual Disk"]
        reads = storage.iops * parameters.reads
        writes = storage.iops - reads
        mb = parameters.io_kb / 1024.0
        values = {
            "Commands/sec": storage.iops, "Reads/sec": reads, "Writes/sec": writes,
            "MBytes Read/sec": reads * mb, "MBytes Written/sec": writes * mb,
        }  # fmt: skip
        start = self._index.disk_start
        for name, value in values.items():
            table.row[name][self._disk_rows] = value
            table.row[name][self._total_rows] = run_sums(value, start)
        for name, rate, latency in (
            ("Average MilliSec/Read", reads, storage.read_ms),
            ("Average MilliSec/Write", writes, storage.write_ms),
        ):
            table.row[name][self._disk_rows] = np.where(rate > 0.1, latency, 0.0)
            total = run_sums(rate, start)
            mean = run_sums(rate * latency, start) / np.maximum(total, 1e-9)
            table.row[name][self._total_rows] = np.where(total > 0.1, mean, 0.0)


@dataclass(frozen=True, slots=True)
class _Trouble:
    """What goes wrong a second, per row of a table; ``reads`` is the share of reads among it."""

    aborts: FloatArray
    resets: FloatArray
    failed: FloatArray
    reads: FloatArray

    @staticmethod
    def of(storage: Storage, pair: IntArray, share: FloatArray | float) -> _Trouble:
        """The trouble of (host, LUN) pairs, or of a share of them."""
        aborts, resets, failed = (
            one[pair] * share for one in (storage.aborts, storage.resets, storage.failed)
        )
        return _Trouble(aborts, resets, failed, storage.read_share[pair])


class _Facts:
    """The I/O counters that all physical classes share, per (host, LUN) pair."""

    def __init__(self, storage: Storage) -> None:
        reads = storage.commands * storage.read_share
        kernel = storage.kernel_ms
        self.rates = {
            "Commands/sec": storage.commands, "Reads/sec": reads, "Writes/sec": storage.commands - reads,
            "MBytes Read/sec": storage.mb_read, "MBytes Written/sec": storage.mb_written,
        }  # fmt: skip
        self.latencies: dict[str, FloatArray] = {}
        for per, device in (
            ("Command", storage.device_ms),
            ("Read", storage.device_read_ms),
            ("Write", storage.device_write_ms),
        ):
            for layer, value in zip(
                _LAYERS, (device, kernel, device + kernel, storage.queue_ms), strict=True
            ):
                self.latencies[f"Average {layer} MilliSec/{per}"] = value

    def write(self, table: Table, pair: IntArray, share: FloatArray | float) -> None:
        """Write rates (scaled by ``share``) and latencies; where nothing was done the latency is 0."""
        wanted = table.wanted
        for name, value in self.rates.items():
            if name in wanted:
                table.row[name][...] = value[pair] * share
        if wanted.isdisjoint(self.latencies):
            return
        idle = table.row["Commands/sec"] <= 0.01
        for name, value in self.latencies.items():
            if name in wanted:
                row = table.row[name]
                row[...] = value[pair]
                row[idle] = 0.0


def _cells(layouts: tuple[HostLayout, ...], luns: int, of: LunsOf) -> IntArray:
    return np.array([host * luns + lun for host, one in enumerate(layouts) for lun in of(one)])


def _disks_of_users(index: Index, luns: int, pair: IntArray, vm: IntArray) -> IntArray:
    """For each disk, which row of the per-world table it counts in; one past the end for none (NFS)."""
    rows = {(int(p), int(v)): row for row, (p, v) in enumerate(zip(pair, vm, strict=True)) if v != NO_OWNER}
    disk_pair = index.disk_host * luns + index.disk_lun
    return np.array([
        rows.get((int(p), int(v)), len(pair)) for p, v in zip(disk_pair, index.disk_vm, strict=True)
    ])  # fmt: skip
