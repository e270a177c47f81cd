"""Storage: guests' outstanding I/Os, kernel queues, adapters and arrays; latencies follow from queueing.

Each (host, LUN) pair may have as many commands at the array as its device queue is deep; the rest wait in the
kernel. Each LUN serves commands from all hosts; the more of its capacity is used, the longer they take.
Guests request a rate of I/O, but keep only so many I/Os outstanding, so that a slow LUN slows them down: a
closed network, solved for the utilisation of each LUN at which arrival rate and service rate are equal.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lab.activity import NormalNoise
from lab.grouping import sums
from lab.inventory import CDROM_LUN, LOCAL_LUN, NFS_LUN, SHARED_LUNS, VSAN_LUN, Cluster
from lab.lun_work import LUN_SHARE, WRITE_COST, io_cost
from lab.parameters import BoolArray, Index, Parameters
from lab.queueing import falling_root, wait_ratio
from sessions.model import FloatArray, IntArray

LOG_ODDS = (-14.0, 14.0)
TOLERANCE = 2e-4
_BURSTINESS = 4.0
_RETRY_MS = 5000.0
"""After this the VMkernel aborts a command that a path lost, and sends it again."""
_NFS_LINK_KB = 0.94 * 1000.0 / 8.0 * 1024.0
"""What a link of 1 Gbit/s carries in a second, KB, in each direction."""
_HICCUPS = 4e-4
_HICCUP_S = 1.5
"""One command in 2,500 meets a hiccup of fabric or controller, of a second or two."""
_LATENCY_NOISE = 0.07
_CONFLICT_MS = 18.0
"""How long a command waits until it tries again after a reservation conflict."""
_DEAD_ABORT_S = 40.0
"""How long a command waits, on average, on a device that does not answer before somebody gives it up."""
_CHAIN_READS, _CHAIN_WRITES = 0.3, 0.15
"""I/Os of the device for each guest's I/O and file of the snapshot chain: blocks that say where data lies."""
_CHAIN_READ_TIME, _CHAIN_WRITE_TIME = 0.55, 0.4
"""How much longer a guest's I/O takes for each file of the chain: the look-ups come one after another."""
_NEW_BLOCK_MB = 1.0
"""A block of VMFS, which is filled with zeros before a thin or lazily zeroed disk writes into it."""
_NEW_BLOCK_WRITES = 2.0
"""Metadata writes for each new block: the block is taken, and the disk's pointer to it is written."""
_MOST_ZEROING = 0.97
_SIOC_GAIN, _SIOC_STEP, _SIOC_LEAST = 0.4, 6.0, 4.0
"""How fast Storage I/O Control follows the latency (PARDA), what it gives back, and its shortest queue."""
_SIOC_IDLE = 20.0
"""Fewer I/Os a second than this are no reason to throttle."""


class Storage:
    """Results of a tick. For each disk: ``iops``, ``read_ms``, ``write_ms``.

    For each (host, LUN) pair, in flat arrays of hosts × LUNs: ``commands`` (I/Os a second), ``reads``
    (fraction), ``mb_read``, ``mb_written``, ``device_ms``, ``kernel_ms``, ``queue_ms``, ``device_read_ms``,
    ``device_write_ms``, ``active`` and ``queued`` (mean numbers of commands), ``aborts``, ``resets``,
    ``failed`` and ``conflicts`` (a second), ``depth`` of the queue and ``second_path``, the share of its
    commands and ``second_ms``, how much longer they take there. ``at_device`` is what each disk's I/Os are at
    the device, which may be more than its guest sees; ``zeroed`` is how many MB/s of new blocks the array
    zeroes; ``throttled`` is the share of time in which Storage I/O Control acts on each pair.
    """

    def __init__(self, cluster: Cluster, index: Index, rng: np.random.Generator) -> None:
        self._index = index
        pairs = index.hosts * index.luns
        self.pair_of_disk = index.disk_host * index.luns + index.disk_lun
        self._pair_lun = np.tile(np.arange(index.luns), index.hosts)
        self._pair_host = np.repeat(np.arange(index.hosts), index.luns)
        self._pair_array = np.array([lun.array for lun in cluster.luns])[self._pair_lun]
        self._station = _stations(index, self._pair_lun, self._pair_host)
        self._stations = int(self._station.max()) + 1
        first = np.unique(self._station, return_index=True)[1]
        self._station_array = self._pair_array[first]
        self._base_iops = np.array([array.iops for array in cluster.arrays])
        self._stream = np.array([array.stream_mbps for array in cluster.arrays])[self._pair_array]
        self._write_cost = np.array(WRITE_COST)[self._pair_array]
        self._is_shared = self._pair_lun < SHARED_LUNS
        self._is_nfs = self._pair_lun == NFS_LUN
        self._noise = NormalNoise(rng, pairs)
        self._array_busy = np.zeros(len(cluster.arrays))
        self._array_wait = np.zeros(pairs)
        self._log_odds = np.full(self._stations, -2.0)
        self._local = np.where(self._pair_lun == LOCAL_LUN, rng.uniform(4, 20, pairs), 0.0)
        self._local += np.where(self._pair_lun == CDROM_LUN, rng.uniform(0.2, 0.7, pairs), 0.0)
        self.iops = np.zeros(len(index.disk_vm))
        self.read_ms = np.zeros(len(index.disk_vm))
        self.write_ms = np.zeros(len(index.disk_vm))
        for name in (
            "commands", "read_share", "mb_read", "mb_written", "device_ms", "kernel_ms", "queue_ms",
            "device_read_ms", "device_write_ms", "active", "queued", "aborts", "resets", "failed",
            "conflicts", "throttled", "second_ms", "zeroed",
        ):  # fmt: skip
            setattr(self, name, np.zeros(pairs))
        self.at_device = self.iops
        self.second_path = np.full(pairs, 0.5)
        self.depth = np.full(pairs, np.inf)
        self._sioc_window = np.full(pairs, np.inf)

    commands: FloatArray
    read_share: FloatArray
    mb_read: FloatArray
    mb_written: FloatArray
    device_ms: FloatArray
    kernel_ms: FloatArray
    queue_ms: FloatArray
    device_read_ms: FloatArray
    device_write_ms: FloatArray
    active: FloatArray
    queued: FloatArray
    aborts: FloatArray
    resets: FloatArray
    failed: FloatArray
    disk_aborts: FloatArray
    conflicts: FloatArray
    throttled: FloatArray
    second_ms: FloatArray
    zeroed: FloatArray

    def step(
        self, parameters: Parameters, activity: FloatArray, swap_iops: FloatArray, cpu_queueing: FloatArray
    ) -> None:
        """Compute one tick.

        ``activity`` scales each disk's rate; ``swap_iops`` (disks) is added; ``cpu_queueing`` (hosts),
        waiting time over run time of the host's PCPUs, delays I/O completions in the kernel.
        """
        asked = parameters.iops * activity + swap_iops
        amplified = _amplified(parameters)
        dead = parameters.dead.reshape(-1)
        offered = np.minimum(asked, parameters.iops_limit) * amplified * (1.0 - dead[self.pair_of_disk])
        mix = self._mix(parameters, offered)
        depth = np.minimum(parameters.depth.reshape(-1), self._sioc_window)
        self.depth = depth
        self.second_path = parameters.second_path.reshape(-1)
        self.second_ms = parameters.path_ms.reshape(-1)
        base = (
            mix.read_ms * mix.reads
            + mix.write_ms * (1.0 - mix.reads)
            + parameters.loss.reshape(-1) * _RETRY_MS
            + parameters.conflicts.reshape(-1) * _CONFLICT_MS
            + self.second_path * self.second_ms
        )
        busy = self._balance(parameters, offered, mix, base, depth)
        self.device_ms = self._at_array(base, busy) * np.exp(_LATENCY_NOISE * self._noise.take())
        served, waiting_ms = self._queue(parameters, offered, mix, depth)
        slower = self.device_ms / np.maximum(base, 1e-9)
        self.device_read_ms = mix.read_ms * slower
        self.device_write_ms = mix.write_ms * slower
        self.queue_ms = waiting_ms
        completion = 0.014 * np.exp(0.5 * self._noise.take()) + 0.25 * cpu_queueing[self._pair_host]
        self.kernel_ms = waiting_ms + completion
        self._results(parameters, served, mix)
        self._as_guests_see(parameters, served, asked, amplified)
        self._hold(parameters, dead)
        self._throttle(parameters)

    def _as_guests_see(
        self, parameters: Parameters, served: FloatArray, asked: FloatArray, amplified: FloatArray
    ) -> None:
        """Rates and latencies of disks whose snapshots are searched or whose rate is limited.

        A guest that wants more than its limit keeps all its I/Os outstanding (Little's law).
        """
        self.iops = served / amplified
        self.read_ms = self.read_ms * (1.0 + _CHAIN_READ_TIME * parameters.chain)
        self.write_ms = self.write_ms * (1.0 + _CHAIN_WRITE_TIME * parameters.chain)
        self._zero_new_blocks(parameters)
        held = asked > parameters.iops_limit
        if held.any():
            whole = parameters.outstanding * 1000.0 / np.maximum(self.iops, 1e-9)
            self.read_ms = np.where(held, np.maximum(self.read_ms, whole), self.read_ms)
            self.write_ms = np.where(held, np.maximum(self.write_ms, whole), self.write_ms)

    def _zero_new_blocks(self, parameters: Parameters) -> None:
        """A write to a new block waits until it is zeroed and entered in the metadata (problems.md P35).

        The array zeroes by itself (VAAI), as fast as one stream of it writes; blocks that wait for their turn
        make a queue of one server (M/M/1). Reads, and writes to blocks written before, wait for nothing.
        """
        if not parameters.first_writes.any():
            self.zeroed = np.zeros(len(self._pair_lun))
            return
        pair, pairs = self.pair_of_disk, len(self._pair_lun)
        new = self.iops * (1.0 - parameters.reads) * parameters.first_writes * _NEW_BLOCK_MB
        stations = sums(self._station[pair], new, self._stations)[self._station]
        used = np.minimum(stations / self._stream, _MOST_ZEROING)
        zeroing_ms = 1000.0 * _NEW_BLOCK_MB / self._stream / (1.0 - used)
        waits_ms = (zeroing_ms + _NEW_BLOCK_WRITES * self.device_write_ms)[pair]
        self.write_ms = self.write_ms + parameters.first_writes * waits_ms
        whole = parameters.reads * self.read_ms + (1.0 - parameters.reads) * self.write_ms
        held = parameters.first_writes > 0
        self.iops = np.where(held, np.minimum(self.iops, parameters.outstanding * 1000.0 / whole), self.iops)
        self.zeroed = sums(pair, np.where(held, new, 0.0), pairs)

    def _hold(self, parameters: Parameters, dead: FloatArray) -> None:
        """What a device that does not answer holds: as many commands as its queue takes, the rest waits."""
        self.conflicts = self.commands * parameters.conflicts.reshape(-1)
        if not dead.any():
            return
        waiting = sums(self.pair_of_disk, parameters.outstanding, len(dead)) * dead
        sent = np.minimum(waiting, self.depth)
        self.active = np.where(dead > 0, self.active * (1.0 - dead) + sent, self.active)
        self.queued = np.where(dead > 0, self.queued * (1.0 - dead) + waiting - sent, self.queued)
        given_up = waiting / _DEAD_ABORT_S
        self.aborts = self.aborts + given_up
        self.failed = self.failed + given_up
        of_disk = dead[self.pair_of_disk] * parameters.outstanding / _DEAD_ABORT_S
        self.disk_aborts = self.disk_aborts + of_disk

    def _throttle(self, parameters: Parameters) -> None:
        """Storage I/O Control: the hosts' queues to a LUN follow the latency that all see together."""
        threshold = parameters.sioc_ms[self._pair_lun]
        if not threshold.any():
            self._sioc_window[:], self.throttled[:] = np.inf, 0.0
            return
        usual = parameters.depth.reshape(-1)
        rate = sums(self._pair_lun, self.commands, self._index.luns)
        seen = sums(self._pair_lun, self.commands * self.device_ms, self._index.luns) / np.maximum(rate, 1e-9)
        over = threshold / np.maximum(seen[self._pair_lun], 1e-3)
        last = np.minimum(self._sioc_window, usual)
        window = (1.0 - _SIOC_GAIN) * last + _SIOC_GAIN * (over * last + _SIOC_STEP)
        on = (threshold > 0) & (rate[self._pair_lun] > _SIOC_IDLE)
        self._sioc_window = np.where(on, np.clip(window, _SIOC_LEAST, usual), np.inf)
        self.throttled = (on & (self._sioc_window < 0.98 * usual)).astype(float)

    def _mix(self, parameters: Parameters, offered: FloatArray) -> _Mix:
        """What each pair is asked: size and kind of I/Os, and the idle latency of them."""
        pair, pairs = self.pair_of_disk, len(self._pair_lun)
        rate = sums(pair, offered, pairs) + self._local
        safe = np.maximum(rate, 1e-9)
        reads = np.where(rate > 0, sums(pair, offered * parameters.reads, pairs) / safe, 0.5)
        size = np.where(rate > 0, sums(pair, offered * parameters.io_kb, pairs) / safe, 8.0)
        read_kb = sums(pair, offered * parameters.reads * parameters.io_kb, pairs)
        one_way = np.where(rate > 0, np.maximum(read_kb, size * rate - read_kb) / safe, 8.0)
        transfer = np.maximum(size - 8.0, 0.0) / 1024.0 / self._stream * 1000.0
        transfer = transfer + parameters.network_ms.reshape(-1)
        return _Mix(
            reads=reads, size_kb=size, read_ms=parameters.read_ms[self._pair_array] + transfer,
            write_ms=parameters.write_ms[self._pair_array] + transfer,
            cost=io_cost(size, reads, self._write_cost),
            link=np.where(self._is_nfs, _NFS_LINK_KB / np.maximum(one_way, 0.5), np.inf),
        )  # fmt: skip

    def _balance(
        self, parameters: Parameters, offered: FloatArray, mix: _Mix, base: FloatArray, depth: FloatArray
    ) -> FloatArray:
        """Odds u/(1−u) of each LUN's utilisation u at which what arrives is what is served."""
        capacity = (self._base_iops * parameters.capacity)[self._station_array]
        capacity = np.where(np.arange(self._stations) < SHARED_LUNS, LUN_SHARE * capacity, capacity)

        def excess(log_odds: FloatArray) -> FloatArray:
            odds = np.exp2(log_odds)
            rate = self._arrivals(parameters, offered, self._at_array(base, odds), mix, depth)
            load: FloatArray = sums(self._station, rate * mix.cost, self._stations) / capacity
            return load - odds / (1.0 + odds)

        last = np.exp2(self._log_odds)
        self._log_odds = falling_root(
            excess, self._log_odds, -np.log(2.0) * last / (1.0 + last), LOG_ODDS, TOLERANCE
        )
        odds: FloatArray = np.exp2(self._log_odds)
        self._remember_arrays(odds, capacity, parameters)
        return odds

    def _remember_arrays(self, odds: FloatArray, capacity: FloatArray, parameters: Parameters) -> None:
        """How busy the arrays are, and how much longer that makes I/Os of the next tick."""
        used = odds / (1.0 + odds) * capacity
        total = sums(self._station_array, used, len(self._base_iops))
        shared = total / np.maximum(self._base_iops * parameters.capacity, 1e-9)
        self._array_busy = 0.6 * self._array_busy + 0.4 * np.minimum(shared, 0.97)
        longer = self._array_busy**4 / (1.0 - self._array_busy)
        self._array_wait = np.where(self._is_shared, longer[self._pair_array], 0.0)

    def _at_array(self, base: FloatArray, odds: FloatArray) -> FloatArray:
        """Latency of each pair's commands: idle latency, longer the more LUN and array are used."""
        used = odds / (1.0 + odds)
        latency: FloatArray = base * (1.0 + (used**3 * odds)[self._station] + self._array_wait)
        return latency

    def _arrivals(
        self, parameters: Parameters, offered: FloatArray, device_ms: FloatArray, mix: _Mix, depth: FloatArray
    ) -> FloatArray:
        """I/Os per second of each pair when the array takes ``device_ms``: no more than guests keep
        outstanding, than the queues are deep, than the link carries."""
        per_second = 1000.0 / device_ms
        rate = np.minimum(offered, parameters.outstanding * per_second[self.pair_of_disk])
        total = sums(self.pair_of_disk, rate, len(depth)) + self._local
        most = np.minimum(total, self._most(device_ms, mix, depth))
        used = self._on_adapters(most, device_ms)
        if (used <= parameters.hba_depth).all():
            return most
        squeeze = np.minimum(1.0, parameters.hba_depth / np.maximum(used, 1e-9))
        return np.where(self._is_shared, most * squeeze[self._pair_host], most)

    def _on_adapters(self, rate: FloatArray, device_ms: FloatArray) -> FloatArray:
        """Commands that each host has at the array through its adapters, at these rates of the pairs."""
        slots = rate * device_ms / 1000.0 * self._is_shared
        result: FloatArray = slots.reshape(self._index.hosts, self._index.luns).sum(axis=1)
        return result

    def _most(self, device_ms: FloatArray, mix: _Mix, depth: FloatArray) -> FloatArray:
        """The most I/Os per second that each pair can have: device queue, NFS link."""
        result: FloatArray = np.minimum(depth * 1000.0 / device_ms, mix.link)
        return result

    def _queue(
        self, parameters: Parameters, offered: FloatArray, mix: _Mix, depth: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Rate of each disk, and how long commands of each pair wait in the kernel (on NFS: for the link)."""
        pair, pairs = self.pair_of_disk, len(depth)
        per_second = 1000.0 / self.device_ms[pair]
        free = np.minimum(offered, parameters.outstanding * per_second)
        wanted = sums(pair, free, pairs) + self._local
        most = self._most(self.device_ms, mix, depth)
        full = wanted > most
        slots = np.minimum(wanted, most) * self.device_ms / 1000.0
        steady = wait_ratio(slots / depth, depth, np.full(pairs, _BURSTINESS))
        waiting = self.device_ms * np.minimum(steady, 0.5) * ~full
        if full.any():
            total = self._longest(parameters, offered, most, full)
            waiting = np.where(full, np.maximum(total - self.device_ms, waiting), waiting)
        waiting = self._at_adapters(parameters, offered, waiting)
        return self._served(parameters, offered, waiting), waiting

    def _served(self, parameters: Parameters, offered: FloatArray, waiting: FloatArray) -> FloatArray:
        """Rate of each disk when commands of each pair wait so long in the kernel."""
        total = (self.device_ms + waiting)[self.pair_of_disk]
        result: FloatArray = np.minimum(offered, parameters.outstanding * 1000.0 / total)
        return result

    def _at_adapters(self, parameters: Parameters, offered: FloatArray, waiting: FloatArray) -> FloatArray:
        """Waiting of each pair, no shorter than for its host's adapters, which is the same for all LUNs."""
        pair, pairs = self.pair_of_disk, len(waiting)

        def over(least: FloatArray) -> tuple[BoolArray, FloatArray]:
            longer = np.where(self._is_shared, np.maximum(waiting, least[self._pair_host]), waiting)
            rate = sums(pair, self._served(parameters, offered, longer), pairs)
            return self._on_adapters(rate, self.device_ms) > parameters.hba_depth, longer

        low, high = np.zeros(self._index.hosts), np.full(self._index.hosts, _RETRY_MS)
        crowded = over(low)[0]
        if not crowded.any():
            return waiting
        for _ in range(16):
            middle = 0.5 * (low + high)
            above = over(middle)[0]
            low, high = np.where(above, middle, low), np.where(above, high, middle)
        return over(np.where(crowded, high, 0.0))[1]

    def _longest(
        self, parameters: Parameters, offered: FloatArray, most: FloatArray, full: BoolArray
    ) -> FloatArray:
        """Whole latency of the pairs whose queue is full: that at which guests ask for ``most`` a second."""
        pair, pairs = self.pair_of_disk, len(most)
        slots = sums(pair, parameters.outstanding, pairs)
        high = np.log(np.maximum(slots / np.maximum(most, 1e-9) * 1000.0, self.device_ms))
        low = np.log(self.device_ms)
        for _ in range(12):
            middle = 0.5 * (low + high)
            rate = np.minimum(offered, parameters.outstanding * 1000.0 / np.exp(middle)[pair])
            above = sums(pair, rate, pairs) > most
            low = np.where(above, middle, low)
            high = np.where(above, high, middle)
        total: FloatArray = np.where(full, np.exp(0.5 * (low + high)), 0.0)
        return total

    def _results(self, parameters: Parameters, served: FloatArray, mix: _Mix) -> None:
        """Everything that counters show of what was served."""
        pair, pairs = self.pair_of_disk, len(self._pair_lun)
        self.iops = served
        self.at_device = served
        self.commands = sums(pair, served, pairs) + self._local
        self.read_share = np.where(self._pair_lun == CDROM_LUN, 0.0, mix.reads)
        mb = sums(pair, served * parameters.io_kb, pairs) / 1024.0 + self._local * 8.0 / 1024.0
        mb = np.where(self._pair_lun == CDROM_LUN, 0.0, mb)
        self.mb_read, self.mb_written = mb * mix.reads, mb * (1.0 - mix.reads)
        self.active = self.commands * self.device_ms / 1000.0
        self.queued = self.commands * self.queue_ms / 1000.0
        extra = self.kernel_ms[pair] + 0.02
        self.read_ms = self.device_read_ms[pair] + extra
        self.write_ms = self.device_write_ms[pair] + extra
        whole_s = (self.device_ms + self.kernel_ms)[pair] / 1000.0
        slow = np.exp(-parameters.timeout / np.maximum(whole_s, 1e-6))
        stuck = _HICCUPS * np.exp(-parameters.timeout / _HICCUP_S)
        self.disk_aborts = served * np.maximum(slow, stuck)
        lost = self.commands * parameters.loss.reshape(-1)
        self.aborts = sums(pair, self.disk_aborts, pairs) + lost
        self.failed = 1.5 * lost
        self.resets = 0.05 * lost


def _amplified(parameters: Parameters) -> FloatArray:
    """I/Os of the device for each I/O of a disk's guest."""
    reads = parameters.reads
    more: FloatArray = 1.0 + parameters.chain * (reads * _CHAIN_READS + (1.0 - reads) * _CHAIN_WRITES)
    new_blocks: FloatArray = _NEW_BLOCK_WRITES * (1.0 - reads) * parameters.first_writes
    return more + new_blocks


@dataclass(frozen=True, slots=True)
class _Mix:
    """What a tick's I/O is made of, by pair; ``link`` is the most I/Os a second that a network carries."""

    reads: FloatArray
    size_kb: FloatArray
    read_ms: FloatArray
    write_ms: FloatArray
    cost: FloatArray
    link: FloatArray


def _stations(index: Index, lun: IntArray, host: IntArray) -> IntArray:
    """Which queue serves each pair: one a shared LUN, one a host for what is local, one for vSAN."""
    local = NFS_LUN + 1 + host + np.where(lun == CDROM_LUN, index.hosts, 0)
    local = np.where(lun == VSAN_LUN, NFS_LUN + 1 + 2 * index.hosts, local)
    return np.where(lun <= NFS_LUN, lun, local)
