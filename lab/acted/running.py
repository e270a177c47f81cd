"""A job while it runs: what it asks of the physics in each tick, and what it got done."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from lab.acted.jobs import DiskLoad, DiskTally, LabJob, TickResult
from lab.acted.virtual_disks import VirtualDisks
from lab.parameters import Index, Parameters
from lab.physics import TICK_S, Physics
from sessions.model import FloatArray

_TICK_MS = round(TICK_S * 1000)
ONE_BLOCK_MS = 0.0945
"""Time of one I/O of many to a single block. Source: tests.md W1: 16/1.51 … 128/12.08 are 10.6 K IOPS."""
_CACHED_BLOCK_MS, _CACHED_EFFORT = 0.086, 0.02
"""A single block is in the array's memory: 0.12 ms with what driver and VMkernel add (tests.md W1)."""
_MOMENT_MS, _MOST_MOMENTS = 10_000, 60
_COLD, _COLD_S = 0.25, 45.0
"""While the array's caches don't know the data, I/Os take longer: by how much at first, and how long."""
_SEQUENTIAL = 0.3
"""Work of an I/O that follows the last one, over that of a random one: no seek, and the array reads ahead."""
_WORK_NOISE = 0.006


@dataclass(frozen=True, slots=True)
class Moment:
    """What a job had done by an instant (ms): by disk, as ``RunningJob.tallies``; CPU work under ""."""

    at: int
    tallies: Mapping[str, DiskTally]


class RunningJob:
    """A worker's job. ``results`` has a tick each; ``tallies`` what each disk did since the warm-up.

    ``moments`` are what it had done every 10 s, in a long job less often; a job that ends when it has
    written everything has none.
    """

    def __init__(self, job: LabJob, vcpus: int) -> None:
        self.job = job
        self.results: list[TickResult] = []
        self.tallies = {load.slot: DiskTally() for load in job.disks}
        self.work = DiskTally()
        self.moments: list[Moment] = []
        self.ended_ms: int | None = None
        self.lost = ""
        self._vcpus = vcpus
        self._last_ms = job.begin_ms
        self._busy = 1.0

    def is_active(self, now: int) -> bool:
        """Return True if the job does something in the tick that begins now."""
        if self.ended_ms is not None or self.lost or now < self.job.begin_ms:
            return False
        end = self.job.end_ms
        return end is None or now < end

    def stop(self) -> None:
        """End it where it is."""
        if self.ended_ms is None:
            self.ended_ms = self._last_ms

    def lose(self, why: str) -> None:
        """The guest no longer answers."""
        if self.ended_ms is None:
            self.lost = why

    def ask(self, now: int, vm: int, disks: VirtualDisks, parameters: Parameters, index: Index) -> None:
        """Write what the job asks for into the physics."""
        storage = disks.storage
        if self.job.cpu:
            parameters.demand[index.vcpu_vm == vm] = self.job.cpu
        cold = 1.0 + _COLD * math.exp(-(now - self.job.begin_ms) / 1000.0 / _COLD_S)
        for load in self.job.disks:
            cell = disks.number(vm, load.slot)
            done = load.to_write is not None and self.tallies[load.slot].written >= load.to_write
            storage.asked[cell] = 0.0 if done else load.rate
            storage.effort[cell] = _SEQUENTIAL if load.sequential else 1.0
            storage.serial_ms[cell] = ONE_BLOCK_MS if load.one_block else 0.0
            storage.cold[cell] = 1.0 if load.reads == 0.0 else cold
            if load.one_block:
                usual = float(parameters.read_ms[storage.array_of_lun[index.disk_lun[cell]]])
                storage.cold[cell], storage.effort[cell] = _CACHED_BLOCK_MS / usual, _CACHED_EFFORT
            parameters.outstanding[cell], parameters.io_kb[cell] = load.outstanding, load.io_kb
            parameters.reads[cell] = load.reads
            disks.working_bytes[cell] = load.working_bytes or disks.content(cell).size

    def account(
        self, now: int, vm: int, disks: VirtualDisks, physics: Physics, rng: np.random.Generator
    ) -> None:
        """Book the tick that began at ``now``."""
        self._last_ms = now + _TICK_MS
        if self.job.cpu:
            self._account_work(now, vm, physics, rng)
        else:
            self._account_io(now, vm, disks, rng)
        length = self.job.run_s
        if length is None or self.ended_ms is not None or self._last_ms <= self.job.measured_ms:
            return
        every = max(_MOMENT_MS, round(length / _MOST_MOMENTS) * 1000)
        if self._last_ms >= (self.moments[-1].at if self.moments else self.job.measured_ms) + every:
            self.moments.append(Moment(self._last_ms, {k: one.copy() for k, one in self.by_disk().items()}))

    def by_disk(self) -> Mapping[str, DiskTally]:
        """Return the tallies of all disks, of CPU work under an empty name."""
        return self.tallies or {"": self.work}

    def _account_io(self, now: int, vm: int, disks: VirtualDisks, rng: np.random.Generator) -> None:
        totals = np.zeros((2, 3))
        self._busy = 0.0
        for load in self.job.disks:
            totals += self._account_disk(now, vm, load, disks, rng)
        self._add_result(totals)
        wanted = [load for load in self.job.disks if load.to_write is not None]
        if wanted and all(self.tallies[one.slot].written >= (one.to_write or 0.0) for one in wanted):
            self.ended_ms = now + round(self._busy * _TICK_MS)
        elif self.job.end_ms is not None and self._last_ms >= self.job.end_ms:
            self.ended_ms = self.job.end_ms

    def _account_disk(
        self, now: int, vm: int, load: DiskLoad, disks: VirtualDisks, rng: np.random.Generator
    ) -> FloatArray:
        """I/Os a second, KB a second and ms × I/Os of reads (row 0) and writes (row 1)."""
        storage, cell, tally = disks.storage, disks.number(vm, load.slot), self.tallies[load.slot]
        rate = float(storage.iops[cell])
        written = rate * (1.0 - load.reads) * load.io_kb * 1024.0 * TICK_S
        left = math.inf if load.to_write is None else max(load.to_write - tally.written, 0.0)
        part_of_tick = min(1.0, left / written) if written > 0 else 1.0
        self._busy = max(self._busy, part_of_tick if written > 0 else 0.0)
        written, rate = written * part_of_tick, rate * part_of_tick
        tally.written += written
        if load.content is not None and written > 0:
            disks.content(cell).write(load.content, written)
        figures = np.zeros((2, 3))
        measured = now >= self.job.measured_ms
        for row, share, mean, part in (
            (0, load.reads, float(storage.read_ms[cell]), tally.read),
            (1, 1.0 - load.reads, float(storage.write_ms[cell]), tally.write),
        ):
            ios = (
                int(rng.poisson(rate * share * TICK_S))
                if math.isinf(load.rate)
                else round(rate * share * TICK_S)
            )
            figures[row] = ios / TICK_S, ios / TICK_S * load.io_kb, ios / TICK_S * mean
            if measured:
                part.ios += ios
                part.bytes += round(ios * load.io_kb * 1024)
                part.latencies.add(ios, mean, rng)
        return figures

    def _account_work(self, now: int, vm: int, physics: Physics, rng: np.random.Generator) -> None:
        """CPU work that was done: run time at the host's pace; each piece waits as its vCPUs did."""
        index, cpu = physics.index, physics.cpu
        mine = index.vcpu_vm == vm
        pace = float(cpu.pace[int(index.vm_host[vm])])
        cores = self.job.cpu * self._vcpus
        run = float(cpu.run[mine].sum())
        done = run * pace / cores * self.job.cpu_rate * math.exp(_WORK_NOISE * rng.standard_normal())
        waited = float((cpu.ready + cpu.costop)[mine].sum())
        mean = 1000.0 * cores / self.job.cpu_rate / pace * (1.0 + waited / max(run, 1e-6))
        ios = round(done * TICK_S)
        totals = np.zeros((2, 3))
        totals[0] = ios / TICK_S, ios / TICK_S * 4.0, ios / TICK_S * mean
        self._add_result(totals)
        if now >= self.job.measured_ms:
            self.work.read.ios += ios
            self.work.read.bytes += ios * 4096
            self.work.read.latencies.add(ios, mean, rng)
        if self.job.end_ms is not None and self._last_ms >= self.job.end_ms:
            self.ended_ms = self.job.end_ms

    def _add_result(self, totals: FloatArray) -> None:
        rates, sizes, weighted = totals[:, 0], totals[:, 1] / 1024.0, totals[:, 2]
        means = [
            float(one / rate) if rate > 0 else math.nan for one, rate in zip(weighted, rates, strict=True)
        ]
        self.results.append(
            TickResult(
                self._last_ms, float(rates[0]), float(rates[1]), float(sizes[0]), float(sizes[1]), *means
            )
        )
