"""What workers did in each interval: from fio's cumulative documents, as values for series.

Each document tells everything since the job's start; the difference of two neighbours is an interval. Several
workers together get the sums of their rates, and percentiles of their merged I/Os.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from collectors.fio.documents import Direction, Document, Job
from collectors.fio.histogram import Histogram, merged

_PERCENTILES = ((50.0, "p50"), (95.0, "p95"), (99.0, "p99"), (99.9, "p999"))
_MB = float(1 << 20)
_NS_PER_MS = 1e6

COUNTERS: tuple[tuple[str, str], ...] = tuple(
    (f"work.{name}", unit)
    for one, several in (("read", "reads"), ("write", "writes"))
    for name, unit in (
        (several, "/s"),
        (f"{one}_mb", "MB/s"),
        (f"{one}_latency", "ms"),
        *((f"{one}_{percentile}", "ms") for _, percentile in _PERCENTILES),
    )
)
"""The counters of a worker with their units, in the order of ``Interval.values``."""


@dataclass(frozen=True, slots=True)
class Part:
    """What one worker did in one direction: I/Os, bytes, run time in ms, latencies in ns.

    ``mean_ns`` is from submission to completion, NaN without I/Os.
    """

    ios: int
    bytes: int
    runtime_ms: int
    mean_ns: float
    histogram: Histogram


@dataclass(frozen=True, slots=True)
class Interval:
    """The values of one worker (``worker`` is its number in its document) until ``at`` (ms), as in
    COUNTERS.
    """

    worker: int
    at: int
    values: tuple[float, ...]


def intervals(documents: Sequence[Document]) -> Iterator[Interval]:
    """Yield the intervals of each worker, and of all together as worker −1 if there are several.

    ``documents`` are those of one run, in order. A document without a time, or one that tells less than the
    one before (another run's), begins anew: its figures are those since its jobs' start.
    """
    before: Sequence[Job] = ()
    for document in documents:
        jobs = document.workers
        if not document.at or not jobs:
            continue
        matching = before if len(before) == len(jobs) else (Job(),) * len(jobs)
        each = [
            [part_since(new.read, old.read), part_since(new.write, old.write)]
            for new, old in zip(jobs, matching, strict=True)
        ]
        for number, parts in enumerate(each):
            if any(part.runtime_ms for part in parts):
                yield Interval(number, document.at, tuple(_values(parts)))
        if len(jobs) > 1:
            together = [parts_together([parts[way] for parts in each]) for way in range(2)]
            yield Interval(-1, document.at, tuple(_values(together)))
        before = jobs


def part_since(new: Direction, old: Direction) -> Part:
    """Return what came after ``old``; all of ``new`` if that is no continuation of ``old``."""
    try:
        histogram = new.clat_ns.histogram.since(old.clat_ns.histogram)
    except ValueError:
        return part_since(new, Direction())
    ios, runtime = new.total_ios - old.total_ios, new.runtime - old.runtime
    if ios < 0 or runtime < 0 or new.io_bytes < old.io_bytes:
        return part_since(new, Direction())
    count = new.lat_ns.count - old.lat_ns.count
    total = new.lat_ns.mean * new.lat_ns.count - old.lat_ns.mean * old.lat_ns.count
    mean = max(0.0, total / count) if count > 0 else math.nan
    return Part(ios, new.io_bytes - old.io_bytes, runtime, mean, histogram)


def parts_together(parts: Sequence[Part]) -> Part:
    """Return several workers as one: their I/Os add up, their time is the same time."""
    ios = sum(part.ios for part in parts)
    weighted = [part.mean_ns * part.ios for part in parts if part.ios and not math.isnan(part.mean_ns)]
    return Part(
        ios,
        sum(part.bytes for part in parts),
        max(part.runtime_ms for part in parts),
        sum(weighted) / ios if weighted else math.nan,
        merged(part.histogram for part in parts),
    )


def _values(parts: Sequence[Part]) -> Iterator[float]:
    for part in parts:
        seconds = part.runtime_ms / 1000
        yield part.ios / seconds if seconds else math.nan
        yield part.bytes / _MB / seconds if seconds else math.nan
        yield part.mean_ns / _NS_PER_MS
        for percent, _ in _PERCENTILES:
            yield part.histogram.percentile(percent) / _NS_PER_MS
