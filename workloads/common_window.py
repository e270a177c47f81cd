"""What each worker did while all of them worked: cut out of fio's cumulative documents.

A worker that starts late or ends early would make the others' time beside it count as if all had worked.
fio's documents tell everything since the start, so the difference of two of them is what lies between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from collectors.fio.documents import Direction, Document, Job
from collectors.fio.intervals import Part, part_since, parts_together
from resources.guest_limits import guest_limits
from sessions.times import TimeRange

_NOTHING = Job()


@dataclass(frozen=True, slots=True)
class Portion:
    """What a worker did between two of its documents: all of its jobs together, by direction.

    ``start`` and ``end`` are ms of the documents' clock. I/Os and bytes are those of that time, which may
    be a little shorter than the common window: ``of_window`` scales them to it.
    """

    start: int
    end: int
    reads: Part
    writes: Part

    @property
    def seconds(self) -> float:
        """How long it is."""
        return (self.end - self.start) / 1000

    def of_window(self, window: TimeRange) -> Portion:
        """Return the same rates over all of ``window``: I/Os and bytes scaled, latencies as they are."""
        factor = window.seconds / self.seconds if self.seconds > 0 else 0.0
        return Portion(window.start, window.end, _scaled(self.reads, factor), _scaled(self.writes, factor))


def _scaled(part: Part, factor: float) -> Part:
    return replace(part, ios=round(part.ios * factor), bytes=round(part.bytes * factor))


def common_window(workers: Sequence[Sequence[Document]]) -> TimeRange | None:
    """Return the time in which all workers measured, warm-up excluded; None if there is none.

    The documents are those of one job of each worker, in order, their times all of one clock.
    """
    spans = [_span(documents) for documents in workers]
    if not spans or any(span is None for span in spans):
        return None
    start = max(span.start for span in spans if span is not None)
    end = min(span.end for span in spans if span is not None)
    return TimeRange(start, end) if start < end else None


def portion(documents: Sequence[Document], window: TimeRange) -> Portion | None:
    """Return what a worker did in ``window``; None if it has no documents that tell so."""
    counted = _counted(documents)
    span = _span(documents)
    if span is None:
        return None
    slack = guest_limits().window_tolerance * (window.end - window.start)
    first: Document | None = None  # what was counted before the portion; None for nothing
    begin = span.start
    if span.start < window.start - slack:
        first = next((one for one in counted if one.at >= window.start), None)
        if first is None:
            return None
        begin = first.at
    last = next((one for one in reversed(counted) if one.at <= window.end + slack), None)
    if last is None or last.at <= begin:
        return None
    return Portion(begin, last.at, _together(first, last, "read"), _together(first, last, "write"))


def _span(documents: Sequence[Document]) -> TimeRange | None:
    """Return the time of which the last document tells: fio counts from zero after its warm-up."""
    counted = _counted(documents)
    if not counted:
        return None
    last = counted[-1]
    runtime = max(_runtime(job) for job in last.workers)
    return TimeRange(last.at - runtime, last.at) if runtime else None


def _counted(documents: Sequence[Document]) -> list[Document]:
    """Return the documents since fio counted from zero for the last time."""
    since: list[Document] = []
    for document in documents:
        if not document.at or not document.workers:
            continue
        if since and _went_back(document.workers, since[-1].workers):
            since = []
        since.append(document)
    return since


def _went_back(new: Sequence[Job], old: Sequence[Job]) -> bool:
    return len(new) != len(old) or any(
        _runtime(one) < _runtime(other) for one, other in zip(new, old, strict=True)
    )


def _runtime(job: Job) -> int:
    return max(job.read.runtime, job.write.runtime)


def _together(first: Document | None, last: Document, way: str) -> Part:
    new = last.workers
    old = first.workers if first is not None else (_NOTHING,) * len(new)
    return parts_together(
        [part_since(_way(one, way), _way(other, way)) for one, other in zip(new, old, strict=True)]
    )


def _way(job: Job, way: str) -> Direction:
    return job.read if way == "read" else job.write
