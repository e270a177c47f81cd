"""fio's documents of a simulated job: the same figures, counted from the simulated I/Os."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from collectors.fio.documents import Direction, Document, Job, Latency
from collectors.fio.histogram import middle_of
from lab.acted.jobs import DirectionTally, DiskTally, LabJob
from lab.acted.running import Moment, RunningJob

FIO_VERSION = "fio-3.36"
_USR_CPU, _SYS_CPU = 4.0, 11.0
_DEPTHS = ("1", "2", "4", "8", "16", "32", ">=64")


def documents(running: RunningJob, now_ms: int) -> tuple[Document, ...]:
    """Return what a job had done by several moments since its warm-up's end, the last one by ``now_ms``."""
    end = min(now_ms, running.ended_ms or now_ms)
    moments = [moment for moment in running.moments if moment.at < end]
    last = Moment(end, running.by_disk())
    return tuple(_document(running, moment) for moment in (*moments, last))


def _document(running: RunningJob, moment: Moment) -> Document:
    return Document(
        version=FIO_VERSION,
        timestamp_ms=moment.at,
        timestamp=moment.at // 1000,
        jobs=tuple(_jobs(running, moment)),
    )


def _jobs(running: RunningJob, moment: Moment) -> Iterator[Job]:
    job = running.job
    length = max(moment.at - job.measured_ms, 0)
    loads = {load.slot: load for load in job.disks}
    for number, (slot, tally) in enumerate(moment.tallies.items()):
        outstanding = loads[slot].outstanding if slot in loads else 1.0
        usr, sys = _processors(job, tally, length)
        yield Job(
            jobname=f"disk{number + 1}",
            groupid=number,
            elapsed=length // 1000,
            job_start=job.begin_ms,
            read=_direction(tally.read, length),
            write=_direction(tally.write, length),
            usr_cpu=usr,
            sys_cpu=sys,
            iodepth_level=_levels(tally, outstanding),
        )


def _processors(job: LabJob, tally: DiskTally, length: int) -> tuple[float, float]:
    """Return the percent of its threads' time that a job spent computing, and in the kernel."""
    if not job.cpu:
        return _USR_CPU, _SYS_CPU
    done = tally.read.ios / (length / 1000) if length else 0.0
    return 100.0 * job.cpu * done / job.cpu_rate, 0.0


def _direction(tally: DirectionTally, length: int) -> Direction:
    if not tally.ios:
        return Direction()
    counts = tally.latencies.counts
    used = np.flatnonzero(counts)
    middles = middle_of(used)
    mean = tally.latencies.total_ns / tally.ios
    spread = float(np.sqrt((counts[used] * (middles - mean) ** 2).sum() / tally.ios))
    bins = {str(ns): int(count) for ns, count in zip(middles.tolist(), counts[used].tolist(), strict=True)}
    latency = Latency(
        min=float(middles[0]), max=float(middles[-1]), mean=mean, stddev=spread, count=tally.ios, bins=bins
    )
    return Direction(
        io_bytes=tally.bytes,
        total_ios=tally.ios,
        runtime=length,
        iops=tally.ios / (length / 1000.0) if length else 0.0,
        slat_ns=Latency(),
        clat_ns=latency,
        lat_ns=latency,
    )


def _levels(tally: DiskTally, outstanding: float) -> dict[str, float]:
    """All of the time in the level of the depth that the job keeps: the lab's guests never starve it."""
    if not tally.read.ios and not tally.write.ios:
        return dict.fromkeys(_DEPTHS, 0.0)
    reached = [name for name in _DEPTHS if int(name.removeprefix(">=")) <= outstanding][-1]
    return {name: 100.0 if name == reached else 0.0 for name in _DEPTHS}
