"""Storage that a test acts on: shares, IOPS limits, throttled queues, caches, and guests that keep I/Os
outstanding.

A closed queueing network: each disk keeps at most so many I/Os outstanding, each (host, LUN) pair lets at
most ``window`` of them to the array at once and divides these slots among its disks by their shares, and each
LUN takes longer the more of its capacity is used. The utilisation of each LUN is solved at which it serves
what arrives; everything else follows, so that Little's law holds for each disk, pair and LUN.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lab.grouping import sums
from lab.inventory import SHARED_LUNS, Cluster
from lab.lun_work import LUN_SHARE, WRITE_COST
from lab.parameters import Index, Parameters
from lab.queueing import falling_root, water_fill
from lab.storage import LOG_ODDS, TOLERANCE, Storage
from sessions.model import FloatArray

NORMAL_DISK_SHARES = 1000.0
_NOISE = 0.05
_OVERHEAD_MS = 0.034
"""What the guest's driver and the VMkernel add to each I/O."""
_COMPLETION = 0.25
"""Of the waiting for a PCPU, what delays completions."""
CACHE_MS = 0.12
"""A read that a host's flash cache serves. Source: tests.md W8: reads become 37 times faster."""
ADAPTER_SLOTS = 128.0
"""I/Os of one virtual disk that get past its adapter. Source: tests.md W1: 256 outstanding are as fast as
128 on one block, so that no more than these were in the device's queue."""
_CLOSED = 0.999
"""A disk that does less than this share of the rate it is asked for keeps all its I/Os outstanding."""


class ActedStorage(Storage):
    """As ``Storage``, and for each disk what a test set, which the next tick reads.

    ``shares``; ``limit`` (I/Os a second, infinity for none); ``asked`` (I/Os a second that a worker asks for,
    infinity for as many as possible, NaN for a disk without a worker); ``serial_ms`` (time of one I/O where
    all go to one block, 0 otherwise); ``hits`` (share of reads that a cache serves); ``cold`` (how many times
    longer an I/O takes while the array's own caches don't know its data); ``effort`` (an I/O's work over that
    of a random one). For each pair ``window`` is how many commands may be at the array. Result for each disk:
    ``guest_ms``, the mean latency that the guest sees; ``uncached_kb``, KB a second that no cache served;
    ``slots``, its mean number of commands at the array. For each LUN: ``normalised_ms``, device latency as of
    8 KB I/Os; ``utilisation``.
    """

    def __init__(self, cluster: Cluster, index: Index, rng: np.random.Generator) -> None:
        super().__init__(cluster, index, rng)
        disks = len(index.disk_vm)
        self.shares = np.full(disks, NORMAL_DISK_SHARES)
        self.limit = np.full(disks, np.inf)
        self.asked = np.full(disks, np.nan)
        self.serial_ms = np.zeros(disks)
        self.hits = np.zeros(disks)
        self.cold = np.ones(disks)
        self.effort = np.ones(disks)
        self.guest_ms = np.zeros(disks)
        self.uncached_kb = np.zeros(disks)
        self.slots = np.zeros(disks)
        self.disk_aborts = np.zeros(disks)
        self.window = np.full(index.hosts * index.luns, np.inf)
        self.normalised_ms = np.zeros(index.luns)
        self.utilisation = np.zeros(index.luns)
        self.array_of_lun = np.array([lun.array for lun in cluster.luns])
        self.place()

    def place(self) -> None:
        """Take over where each disk lies and which host uses it: at the start, and after a change."""
        index = self._index
        self.pair_of_disk = index.disk_host * index.luns + index.disk_lun
        self._station_of_disk = self._station[self.pair_of_disk]
        self._array_of_disk = self.array_of_lun[index.disk_lun]
        order = np.argsort(self.pair_of_disk, kind="stable")
        grouped = self.pair_of_disk[order]
        first = np.searchsorted(grouped, grouped)
        self._column = np.empty(len(order), dtype=np.int64)
        self._column[order] = np.arange(len(order)) - first

    def step(
        self, parameters: Parameters, activity: FloatArray, swap_iops: FloatArray, cpu_queueing: FloatArray
    ) -> None:
        """Compute one tick; the arguments are those of ``Storage.step``."""
        usual = parameters.iops * activity + swap_iops
        load = self._load(parameters, np.where(np.isnan(self.asked), usual, self.asked), cpu_queueing)
        window = np.minimum(parameters.depth.reshape(-1), self.window)
        self.depth = parameters.depth.reshape(-1)
        odds = self._solve(parameters, load, window)
        noise = np.exp(_NOISE * self._noise.take())
        lun_ms = load.base_ms * self._slower(odds) * noise[self.pair_of_disk]
        slots = self._slots(load, lun_ms, window)
        rate = np.where(lun_ms > 0, slots / np.maximum(lun_ms, 1e-12) * 1000.0, 0.0)
        self.slots = slots
        self._show(parameters, load, rate, lun_ms)
        used = odds / (1.0 + odds)
        self.utilisation = used[np.minimum(np.arange(self._index.luns), self._stations - 1)]

    def _load(self, parameters: Parameters, asked: FloatArray, cpu_queueing: FloatArray) -> _Load:
        """What each disk asks for, and what one of its I/Os costs."""
        array, kb, reads = self._array_of_disk, parameters.io_kb, parameters.reads
        stream = self._stream[self.pair_of_disk]
        transfer = np.maximum(kb - 8.0, 0.0) / 1024.0 / stream * 1000.0
        read_ms = (parameters.read_ms[array] + transfer) * self.cold
        write_ms = (parameters.write_ms[array] + transfer) * self.cold
        missed = reads * (1.0 - self.hits)
        write_cost = np.array(WRITE_COST)[array]
        size = 1.0 + np.maximum(kb - 8.0, 0.0) / 96.0
        overhead = _OVERHEAD_MS + _COMPLETION * cpu_queueing[self._index.disk_host]
        outstanding = np.minimum(parameters.outstanding, ADAPTER_SLOTS)
        cap = np.where(self.serial_ms > 0, 1000.0 / np.maximum(self.serial_ms, 1e-9), np.inf)
        return _Load(
            asked=asked, ceiling=np.minimum(self.limit, cap), outstanding=outstanding,
            base_ms=missed * read_ms + (1.0 - reads) * write_ms,
            other_ms=reads * self.hits * CACHE_MS + overhead, overhead_ms=overhead,
            to_lun=missed + 1.0 - reads,
            read_ms=read_ms,
            write_ms=write_ms,
            cost=self.effort * size * (missed + (1.0 - reads) * write_cost), size=size,
        )  # fmt: skip

    def _solve(self, parameters: Parameters, load: _Load, window: FloatArray) -> FloatArray:
        """Odds u/(1−u) of each LUN's utilisation at which what arrives is what is served."""
        whole = (self._base_iops * parameters.capacity)[self._station_array]
        capacity = np.where(np.arange(self._stations) < SHARED_LUNS, LUN_SHARE * whole, whole)

        def excess(log_odds: FloatArray) -> FloatArray:
            odds = np.exp2(log_odds)
            lun_ms = load.base_ms * self._slower(odds)
            rate = self._slots(load, lun_ms, window) / np.maximum(lun_ms, 1e-12) * 1000.0
            arriving: FloatArray = sums(self._station_of_disk, rate * load.cost, self._stations) / capacity
            return arriving - odds / (1.0 + odds)

        last = np.exp2(self._log_odds)
        slope = -np.log(2.0) * last / (1.0 + last)
        self._log_odds = falling_root(excess, self._log_odds, slope, LOG_ODDS, TOLERANCE)
        odds: FloatArray = np.exp2(self._log_odds)
        self._remember_arrays(odds, capacity, parameters)
        return odds

    def _slower(self, odds: FloatArray) -> FloatArray:
        """How many times its idle latency each disk's I/O takes at the LUN's and its array's use."""
        used = odds / (1.0 + odds)
        factor: FloatArray = (
            1.0 + (used**3 * odds)[self._station_of_disk] + self._array_wait[self.pair_of_disk]
        )
        return factor

    def _slots(self, load: _Load, lun_ms: FloatArray, window: FloatArray) -> FloatArray:
        """Mean number of each disk's commands at the array: what it can use, or its part by shares."""
        per_second = 1000.0 * load.outstanding / (lun_ms + load.other_ms)
        rate = np.minimum(np.minimum(load.asked, load.ceiling), per_second)
        slots = rate * lun_ms / 1000.0
        full = sums(self.pair_of_disk, slots, len(window)) > window * (1.0 + 1e-9)
        if not full.any():
            return slots
        pairs = np.flatnonzero(full)
        disks = np.flatnonzero(full[self.pair_of_disk] & (slots > 0))
        row = np.searchsorted(pairs, self.pair_of_disk[disks])
        column = self._column[disks]
        table = np.zeros((2, len(pairs), int(column.max()) + 1))
        table[0, row, column], table[1, row, column] = slots[disks], self.shares[disks]
        filled = water_fill(window[pairs], table[0], table[1], np.zeros_like(table[0]))
        given = slots.copy()
        given[disks] = filled[row, column]
        return given

    def _show(self, parameters: Parameters, load: _Load, rate: FloatArray, lun_ms: FloatArray) -> None:
        """Everything that counters show of the rates and the time at the array."""
        pair, pairs, reads = self.pair_of_disk, len(self._pair_lun), parameters.reads
        slower = lun_ms / np.maximum(load.base_ms, 1e-12)
        closed = (rate < _CLOSED * load.asked) & (rate > 0)
        alone = lun_ms + load.other_ms
        full = 1000.0 * load.outstanding / np.maximum(rate, 1e-9)
        self.guest_ms = np.where(closed, np.maximum(full, alone), alone)
        waiting = self.guest_ms - alone
        serial = np.where(self.serial_ms > 0, waiting, 0.0)
        waiting = waiting - serial
        self.iops = rate
        lun_read, lun_write = load.read_ms * slower + serial, load.write_ms * slower + serial
        limited = np.isfinite(self.limit)
        in_queue = np.where(limited, 0.0, waiting / np.maximum(load.to_lun, 1e-9))
        beyond = load.overhead_ms + np.where(limited, waiting, 0.0)
        self.read_ms = self.hits * CACHE_MS + (1.0 - self.hits) * (lun_read + in_queue) + beyond
        self.write_ms = lun_write + in_queue + beyond
        missed, writes = rate * reads * (1.0 - self.hits), rate * (1.0 - reads)
        commands = missed + writes
        own = self._local
        self.commands = sums(pair, commands, pairs) + own
        safe = np.maximum(sums(pair, commands, pairs), 1e-9)
        self.read_share = np.where(safe > 1e-6, sums(pair, missed, pairs) / safe, 0.5)
        base_read = parameters.read_ms[self._pair_array]
        base_write = parameters.write_ms[self._pair_array]
        some = sums(pair, commands, pairs) > 1e-6
        self.device_read_ms = np.where(some, sums(pair, commands * lun_read, pairs) / safe, base_read)
        self.device_write_ms = np.where(some, sums(pair, commands * lun_write, pairs) / safe, base_write)
        at_array = missed * lun_read + writes * lun_write
        idle = 0.5 * (base_read + base_write)
        self.device_ms = np.where(some, sums(pair, at_array, pairs) / safe, idle)
        self.queue_ms = sums(pair, commands * in_queue, pairs) / safe
        self.kernel_ms = self.queue_ms + sums(pair, commands * load.overhead_ms, pairs) / safe
        self.uncached_kb = (missed + writes) * parameters.io_kb
        kb = parameters.io_kb / 1024.0
        self.mb_read = sums(pair, missed * kb, pairs)
        self.mb_written = sums(pair, writes * kb, pairs) + own * 8.0 / 1024.0
        self.active = self.commands * self.device_ms / 1000.0
        self.queued = self.commands * self.queue_ms / 1000.0
        self._normalise(at_array / load.size, commands)

    def _normalise(self, at_array: FloatArray, commands: FloatArray) -> None:
        """Latency of each LUN over all hosts, as if all I/Os were of 8 KB."""
        lun = self._index.disk_lun
        rate = sums(lun, commands, self._index.luns)
        total = sums(lun, at_array, self._index.luns)
        self.normalised_ms = np.where(rate > 1.0, total / np.maximum(rate, 1e-9), 0.0)


@dataclass(frozen=True, slots=True)
class _Load:
    """What disks ask for: rates a second, I/Os outstanding, and per I/O its times (ms) and cost.

    ``ceiling`` is the rate that a limit or a single block allows. ``base_ms`` is the time at an idle LUN of a
    mean I/O, which hits in a cache do not take; ``other_ms`` is spent elsewhere. ``to_lun`` is the share
    of I/Os that no cache serves: only these wait in the host's queue. ``cost`` is the LUN's work.
    """

    asked: FloatArray
    ceiling: FloatArray
    outstanding: FloatArray
    base_ms: FloatArray
    other_ms: FloatArray
    overhead_ms: FloatArray
    read_ms: FloatArray
    write_ms: FloatArray
    to_lun: FloatArray
    cost: FloatArray
    size: FloatArray
