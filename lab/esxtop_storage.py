"""esxtop's view of storage: adapters, paths, devices with worlds and partitions, NFS, virtual disks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lab.esxtop_tables import PATHS_OF_ADAPTER, EsxtopTables, Table
from lab.grouping import run_sums, sums_of_ticks
from lab.inventory import CDROM_LUN, NFS_LUN
from lab.layout import ADAPTERS, HostLayout
from lab.parameters import Index, Parameters
from lab.seen import Seen
from lab.storage import Storage
from lab.worlds import NO_OWNER
from sessions.model import FloatArray, IntArray

_Count = tuple[str, str]
"""What is counted: object class, and what of it."""
LunsOf = Callable[[HostLayout], Sequence[int]]
_FAILURES = (
    "Aborts/sec",
    "Resets/sec",
    "Failed Commands/sec",
    "Failed Reads/sec",
    "Failed Writes/sec",
)
_DEVICE, _PATH, _USER, _VOLUME = (
    "Physical Disk SCSI Device", "Physical Disk Path", "Physical Disk Per-Device-Per-World",
    "Physical Disk NFS Volume",
)  # fmt: skip
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

    def update(self, seen: Seen) -> None:
        """Write the values of the ticks that were seen."""
        storage, parameters = seen.storage, seen.parameters
        facts, share = _Facts(storage), self._user_share(storage)
        troubles = self._troubles(storage, parameters, share)
        counted = self._count(dict(self._means(storage, troubles, share)))
        self._devices(storage, facts, counted)
        self._users(storage, facts, share, counted)
        self._partitions(facts)
        facts.write(self._tables[_VOLUME], self._nfs_pair, 1.0)
        self._tables[_VOLUME].set({"Active Commands": counted[_VOLUME, "active"]})
        for cls, trouble in troubles.items():
            self._failures(cls, trouble.reads, counted)
        self._paths(storage, facts, parameters)
        self._virtual_disks(storage, parameters)

    def _troubles(
        self, storage: Storage, parameters: Parameters, user_share: FloatArray
    ) -> dict[str, _Trouble]:
        """What goes wrong on average, by object class. Commands that a path loses are lost on the second one,
        whose adapter is at fault.
        """
        pair = self._user_pair
        loss = parameters.loss.reshape(len(user_share), -1)
        bad = np.where(self._path_second, 2.0, 0.0) * self._path_share
        share = np.where((loss > 0)[:, self._path_pair], bad, self._usual(storage))
        aborts = sums_of_ticks(self._disk_of_user, storage.disk_aborts, len(pair) + 1)[:, :-1]
        lost = storage.commands[:, pair] * loss[:, pair] * user_share
        return {
            _DEVICE: _Trouble.of(storage, self._device_pair, 1.0),
            _PATH: _Trouble.of(storage, self._path_pair, share),
            _USER: _Trouble(aborts + lost, 0.0 * lost, 1.5 * lost, storage.read_share[:, pair]),
            _VOLUME: _Trouble.of(storage, self._nfs_pair, 1.0),
        }

    def _means(
        self, storage: Storage, troubles: Mapping[str, _Trouble], user_share: FloatArray
    ) -> Iterator[tuple[_Count, FloatArray]]:
        """What is counted in whole commands, with its mean, in the order in which it is drawn."""
        device, user, volume = self._device_pair, self._user_pair, self._nfs_pair
        yield from self._rare(_DEVICE, troubles)
        yield (_DEVICE, "active"), storage.active[:, device]
        yield (_DEVICE, "queued"), storage.queued[:, device]
        yield (_DEVICE, "conflicts"), storage.conflicts[:, device] * self._tick_s
        yield (_DEVICE, "vaai"), np.full((len(user_share), len(device)), 0.4)
        yield from self._rare(_PATH, troubles)
        yield from self._rare(_USER, troubles)
        yield (_USER, "active"), storage.active[:, user] * user_share
        yield (_USER, "queued"), storage.queued[:, user] * user_share
        yield (_VOLUME, "active"), (storage.active + storage.queued)[:, volume]
        yield from self._rare(_VOLUME, troubles)

    def _rare(self, cls: str, troubles: Mapping[str, _Trouble]) -> Iterator[tuple[_Count, FloatArray]]:
        trouble = troubles[cls]
        yield (cls, "aborts"), trouble.aborts * self._tick_s
        yield (cls, "resets"), trouble.resets * self._tick_s
        yield (cls, "failed"), trouble.failed * self._tick_s

    def _count(self, means: Mapping[_Count, FloatArray]) -> dict[_Count, FloatArray]:
        """Draw all counts, one tick after another: Poisson around their means."""
        drawn = self._rng.poisson(np.concatenate(list(means.values()), axis=1)).astype(float)
        ends = np.cumsum([one.shape[1] for one in means.values()])
        return dict(zip(means, np.split(drawn, ends[:-1], axis=1), strict=True))

    def _devices(self, storage: Storage, facts: _Facts, counted: Mapping[_Count, FloatArray]) -> None:
        """What is in flight when the sample is taken is all that fits where a queue is full."""
        table, pair = self._tables[_DEVICE], self._device_pair
        depth, waiting = np.rint(storage.depth[:, pair]), storage.queued[:, pair] > 0.5
        facts.write(table, pair, 1.0)
        full = waiting & (storage.active[:, pair] > 0.8 * depth)
        active = np.where(full, depth, np.minimum(counted[_DEVICE, "active"], depth))
        queued = counted[_DEVICE, "queued"]
        queued = np.where(active >= depth, queued, np.where(waiting, queued, 0.0))
        met = counted[_DEVICE, "conflicts"] / self._tick_s
        table.set({
            "Device Q Depth": depth, "World Q Depth": 0.0, "Active Commands": active,
            "Queued Commands": queued, "% Used": 100.0 * active / depth, "Load": (active + queued) / depth,
            "Failed Reserves/sec": met, "Conflicts/sec": met,
        })  # fmt: skip
        zeroed = storage.zeroed[:, pair]
        if zeroed.any() or self._zeros.any():
            zeros = self._zeros + np.cumsum(np.rint(zeroed * self._tick_s), axis=0)
            self._zeros = zeros[-1]
            table.set({"Zeros": zeros, "MBytes Zeroed/sec": zeroed})
        vaai = self._vaai + np.cumsum(counted[_DEVICE, "vaai"], axis=0)
        self._vaai = vaai[-1]
        table.set({"ATS": np.floor(vaai)})

    def _failures(self, cls: str, reads: FloatArray, counted: Mapping[_Count, FloatArray]) -> None:
        """Counts of rare things are whole commands within the interval, so their rates come in steps."""
        aborts, resets, failed = (
            counted[cls, what] / self._tick_s for what in ("aborts", "resets", "failed")
        )
        values = (aborts, resets, failed, failed * reads, failed * (1.0 - reads))
        self._tables[cls].set(dict(zip(_FAILURES, values, strict=True)))

    def _usual(self, storage: Storage) -> FloatArray:
        """The share of its pair's commands that each path takes: round robin splits them evenly."""
        second, shared = storage.second_path[:, self._path_pair], self._path_share < 1.0
        usual: FloatArray = np.where(shared, np.where(self._path_second, second, 1.0 - second), 1.0)
        return usual

    def _paths(self, storage: Storage, facts: _Facts, parameters: Parameters) -> None:
        table, twin, usual = self._tables[_PATH], self._tables[PATHS_OF_ADAPTER], self._usual(storage)
        self._write_paths(facts, table, storage, usual)
        if twin.wanted:
            self._write_paths(facts, twin, storage, usual)
            twin.set({name: table.ticks[name] for name in _FAILURES})
        if self._tables["Physical Disk Adapter"].wanted:
            self._adapters(table)
        half = parameters.hba_depth / 2
        depth = np.stack([np.full(half.shape, 31.0), half, half], axis=2)
        self._tables["Physical Disk"].set({"Adapter Q Depth": depth.reshape(len(depth), -1)})

    def _write_paths(self, facts: _Facts, table: Table, storage: Storage, share: FloatArray) -> None:
        """Rates by the paths' shares; a slow path's latencies are longer, the pair's mean being kept."""
        pair = self._path_pair
        facts.write(table, pair, share)
        slower = storage.second_ms[:, pair]
        if not slower.any():
            return
        mean = np.maximum(storage.device_ms[:, pair], 1e-9)
        second = storage.second_path[:, pair]
        more = np.where(self._path_second, 1.0 - second, -second)
        factor = np.maximum(1.0 + more * np.minimum(slower, mean) / mean, 0.05)
        for name, row in table.ticks.items():
            if name.startswith(("Average Driver", "Average Guest")):
                row[...] = row * np.where(self._path_share < 1.0, factor, 1.0)

    def _adapters(self, paths: Table) -> None:
        """Rates are sums over an adapter's paths, latencies their mean weighted by I/Os."""
        table = self._tables["Physical Disk Adapter"]
        commands = paths.ticks["Commands/sec"]
        total = sums_of_ticks(self._path_adapter, commands, table.size)
        for name, row in paths.ticks.items():
            if name.startswith("Average"):
                weighted = sums_of_ticks(self._path_adapter, row * commands, table.size)
                table.ticks[name][...] = np.where(total > 0, weighted / np.maximum(total, 1e-9), 0.0)
            else:
                table.ticks[name][...] = sums_of_ticks(self._path_adapter, row, table.size)

    def _user_share(self, storage: Storage) -> FloatArray:
        """Which share of a device's commands each world on it has: a VM's disks there; the host's own worlds
        get what is not a VM's.
        """
        pair = self._user_pair
        rate = sums_of_ticks(self._disk_of_user, storage.at_device, len(pair) + 1)[:, :-1]
        commands = storage.commands[:, pair]
        of_host = commands * np.where(pair % self._index.luns == CDROM_LUN, 1.0, 0.35)
        share: FloatArray = np.where(self._user_vm != NO_OWNER, rate, of_host) / np.maximum(commands, 1e-9)
        return share

    def _users(
        self, storage: Storage, facts: _Facts, share: FloatArray, counted: Mapping[_Count, FloatArray]
    ) -> None:
        table, pair = self._tables[_USER], self._user_pair
        facts.write(table, pair, share)
        depth = np.rint(storage.depth[:, pair])
        active, queued = counted[_USER, "active"], counted[_USER, "queued"]
        table.set({
            "Device Q Depth": depth, "World Q Depth": np.minimum(depth, 32.0), "Active Commands": active,
            "Queued Commands": queued, "% Used": 100.0 * active / depth, "Load": (active + queued) / depth,
        })  # fmt: skip

    def _partitions(self, facts: _Facts) -> None:
        table = self._tables["Physical Disk Partition"]
        if table.wanted:
            facts.write(table, self._part_pair, self._part_used)

    def _virtual_disks(self, storage: Storage, parameters: Parameters) -> None:
        """Each disk, and each VM's total with latencies weighted by I/Os."""
        row = self._tables["Virtual Disk"].ticks
        reads = storage.iops * parameters.reads
        writes = storage.iops - reads
        mb = parameters.io_kb / 1024.0
        values = {
            "Commands/sec": storage.iops, "Reads/sec": reads, "Writes/sec": writes,
            "MBytes Read/sec": reads * mb, "MBytes Written/sec": writes * mb,
        }  # fmt: skip
        start = self._index.disk_start
        for name, value in values.items():
            row[name][:, self._disk_rows] = value
            row[name][:, self._total_rows] = run_sums(value, start)
        for name, rate, latency in (
            ("Average MilliSec/Read", reads, storage.read_ms),
            ("Average MilliSec/Write", writes, storage.write_ms),
        ):
            row[name][:, self._disk_rows] = np.where(rate > 0.1, latency, 0.0)
            total = run_sums(rate, start)
            mean = run_sums(rate * latency, start) / np.maximum(total, 1e-9)
            row[name][:, self._total_rows] = np.where(total > 0.1, mean, 0.0)


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
            one[:, pair] * share for one in (storage.aborts, storage.resets, storage.failed)
        )
        return _Trouble(aborts, resets, failed, storage.read_share[:, pair])


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
                table.ticks[name][...] = value[:, pair] * share
        if wanted.isdisjoint(self.latencies):
            return
        idle = table.ticks["Commands/sec"] <= 0.01
        for name, value in self.latencies.items():
            if name in wanted:
                table.ticks[name][...] = np.where(idle, 0.0, value[:, pair])


def _cells(layouts: tuple[HostLayout, ...], luns: int, of: LunsOf) -> IntArray:
    return np.array([host * luns + lun for host, one in enumerate(layouts) for lun in of(one)])


def _disks_of_users(index: Index, luns: int, pair: IntArray, vm: IntArray) -> IntArray:
    """For each disk, which row of the per-world table it counts in; one past the end for none (NFS)."""
    rows = {(int(p), int(v)): row for row, (p, v) in enumerate(zip(pair, vm, strict=True)) if v != NO_OWNER}
    disk_pair = index.disk_host * luns + index.disk_lun
    return np.array([
        rows.get((int(p), int(v)), len(pair)) for p, v in zip(disk_pair, index.disk_vm, strict=True)
    ])  # fmt: skip
