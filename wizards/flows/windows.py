"""What a worker did in a window of time, from the documents that its fio wrote."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import isnan, nan

from collectors.fio.documents import Document, Job
from collectors.fio.histogram import merged
from collectors.fio.intervals import Part, part_since, parts_together
from sessions.times import TimeRange
from wizards.flows.measured import Transfers, mean_ms

_LEVELS = ("1", "2", "4", "8", "16", "32", ">=64")
_NEAR_MS = 1500
"""A document so close to the beginning of a window begins it."""


@dataclass(frozen=True, slots=True)
class WorkDone:
    """What one job did: reads and writes in ``seconds``; ``depth_reached`` is a share (0 to 1), ``cpu``
    percent of a vCPU.
    """

    reads: Transfers
    writes: Transfers
    seconds: float
    depth_reached: float = nan
    cpu: float = nan
    error: str = ""


def work_in(documents: Sequence[Document], window: TimeRange, depth: float) -> WorkDone | None:
    """Return what a job did in a window; None if its documents tell nothing of it.

    ``documents`` are cumulative, in their order, in the environment's times. What was done before the window
    is taken off, if a document tells it. ``depth`` is the asked I/O depth.
    """
    timed = [(one.at, one) for one in documents if one.workers]
    upto = [one for at, one in timed if at <= window.end + _NEAR_MS] or [one for _, one in timed]
    if not upto:
        return None
    last = upto[-1]
    before = [one for at, one in timed if at <= window.start + _NEAR_MS and one is not last]
    reads, writes = _between(before[-1] if before else None, last)
    seconds = max(reads.runtime_ms, writes.runtime_ms) / 1000
    if seconds <= 0:
        return None
    jobs = last.workers
    return WorkDone(
        _transfers(reads),
        _transfers(writes),
        seconds,
        _depth_reached(jobs, depth),
        max((job.usr_cpu + job.sys_cpu for job in jobs), default=nan),
        _error(jobs),
    )


def together(parts: Iterable[WorkDone]) -> WorkDone | None:
    """Return several jobs of one worker, one after the other, as one."""
    done = list(parts)
    if not done:
        return None
    return WorkDone(
        _joined([one.reads for one in done]),
        _joined([one.writes for one in done]),
        sum(one.seconds for one in done),
        min((one.depth_reached for one in done if not isnan(one.depth_reached)), default=nan),
        max((one.cpu for one in done if not isnan(one.cpu)), default=nan),
        next((one.error for one in done if one.error), ""),
    )


def scaled(transfers: Transfers, seconds: float, window_s: float) -> Transfers:
    """Return the transfers of ``seconds`` as those of a window, at the same rate.

    The documents of workers end up to an interval apart from one another; rates are what is compared.
    """
    factor = window_s / seconds
    return replace(transfers, ios=round(transfers.ios * factor), bytes=round(transfers.bytes * factor))


def _between(earlier: Document | None, later: Document) -> tuple[Part, Part]:
    """Return what all jobs of a document read and wrote after ``earlier``, or since their start."""
    jobs = later.workers
    before: Sequence[Job] = earlier.workers if earlier is not None else ()
    matching = before if len(before) == len(jobs) else (Job(),) * len(jobs)
    pairs = list(zip(jobs, matching, strict=True))
    reads = parts_together([part_since(new.read, old.read) for new, old in pairs])
    return reads, parts_together([part_since(new.write, old.write) for new, old in pairs])


def _transfers(part: Part) -> Transfers:
    return Transfers(part.ios, part.bytes, part.mean_ns / 1e6, part.histogram)


def _joined(parts: Sequence[Transfers]) -> Transfers:
    return Transfers(
        sum(one.ios for one in parts),
        sum(one.bytes for one in parts),
        mean_ms(parts),
        merged(one.latencies for one in parts),
    )


def _depth_reached(jobs: Sequence[Job], depth: float) -> float:
    """Return the smallest share of the time in which a job kept the asked depth."""
    if isnan(depth) or not any(job.iodepth_level for job in jobs):
        return nan
    names = [name for name in _LEVELS if int(name.removeprefix(">=")) <= depth]
    wanted = _LEVELS[max(len(names) - 1, 0) :]
    shares = [sum(job.iodepth_level.get(name, 0.0) for name in wanted) / 100 for job in jobs]
    return min(1.0, *shares)


def _error(jobs: Sequence[Job]) -> str:
    codes = [job.error for job in jobs if job.error]
    return f"fio ended with error {codes[0]}." if codes else ""
