"""Stores runs and logs of fio in a session: a source for each run, an entity for each worker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path, PurePosixPath

import numpy as np

from collectors.fio.documents import Direction, Document, Job
from collectors.fio.intervals import COUNTERS, intervals
from collectors.fio.logs import TIME_LIMIT, LogLines
from collectors.fio.recognising import LogName
from resources.foreign_text import shown
from resources.units import format_count, format_value
from sessions.model import Entity, EntityRef, Event, FloatArray, IntArray, SeriesSpec, SourceSpec
from sessions.store import SessionWriter, encode_block
from sessions.times import TimeRange

_MAX_NAMED = 3
_BLOCK = 1 << 12
"""Ticks of a block: a log of single I/Os has millions."""
_LOG_OPTIONS = ("write_iops_log", "write_bw_log", "write_lat_log")
_OF_LOG: Mapping[tuple[str, str], tuple[str, float]] = {
    ("iops", "read"): ("work.reads", 1.0),
    ("iops", "write"): ("work.writes", 1.0),
    ("bw", "read"): ("work.read_mb", 1 / 1024),
    ("bw", "write"): ("work.write_mb", 1 / 1024),
    ("lat", "read"): ("work.read_latency", 1e-6),
    ("lat", "write"): ("work.write_latency", 1e-6),
}
"""The counter of each log and direction, and what turns the log's number into the counter's unit."""
_UNITS = dict(COUNTERS)


@dataclass(frozen=True, slots=True)
class Run:
    """The JSON output of one run of fio: its documents in order, at least one."""

    path: Path
    documents: Sequence[Document]

    @property
    def last(self) -> Document:
        """The document with the final figures."""
        return self.documents[-1]

    @property
    def begin(self) -> int:
        """When the jobs started, ms since 1970: as fio tells it, else its last time less the longest run."""
        return min((self.begin_of(job) for job in self.last.workers), default=self.last.at)

    def begin_of(self, job: Job) -> int:
        """When a job started, ms since 1970."""
        runtime = max(job.read.runtime, job.write.runtime, job.trim.runtime)
        return min(job.job_start or max(0, self.last.at - runtime), self.last.at)


@dataclass(frozen=True, slots=True)
class Log:
    """A log with what its name says."""

    path: Path
    name: LogName
    lines: LogLines


class Storing:
    """Writes runs and logs; keeps the logs that belong to no run for ``store_other_logs``."""

    def __init__(self, writer: SessionWriter, logs: Sequence[Log]) -> None:
        self._writer = writer
        self._waiting = list(logs)
        self.workers: set[EntityRef] = set()
        self.series = 0
        self.span: TimeRange | None = None
        self.notes: dict[str, None] = {}

    def store_run(self, run: Run) -> None:
        """Store a run's intervals, its logs, and what each job came to as an event."""
        jobs = run.last.workers
        source = self._add_source(run.path.stem, [run.path.name], run.last.version)
        refs = self._add_workers(run.path.stem, jobs)
        own = [log for log in self._waiting if _is_of(log, run.last)]
        self._waiting = [log for log in self._waiting if not _is_of(log, run.last)]
        logged = {(number, key) for log in own for number, key in _covered(log, refs)}
        for number, group in groupby(
            sorted(intervals(run.documents), key=lambda one: one.worker), lambda one: one.worker
        ):
            rows = list(group)
            times = np.array([row.at for row in rows], np.int64)
            values = np.array([row.values for row in rows], np.float64)
            # A log says the same more finely: both would be two curves of one thing.
            keep = [i for i, (key, _) in enumerate(COUNTERS) if (number, key) not in logged]
            self._store(source, refs[number], times, values[:, keep], [COUNTERS[i] for i in keep])
        for log in own:
            self._store_log(source, log, refs[_worker_of(log, refs)], run.begin)
        self._tell(run, refs)

    def store_other_logs(self) -> None:
        """Store the logs that belong to no run: each prefix is a source."""
        ordered = sorted(self._waiting, key=lambda log: (log.name.prefix, log.name.job))
        for prefix, group in groupby(ordered, lambda log: log.name.prefix):
            logs = list(group)
            source = self._add_source(prefix or "fio", [log.path.name for log in logs], "")
            for number, of_job in groupby(logs, lambda log: log.name.job):
                name = f"job {number}" if number else "all jobs"
                worker = Entity(EntityRef("worker", f"{prefix}/{number}"), name)
                self._add_entities([worker])
                for log in of_job:
                    self._store_log(source, log, worker.ref, 0)
            if not all(log.lines.is_absolute for log in logs):
                self.notes[
                    f"{shown(prefix)}: the logs tell no date, so that their times begin with 1970. "
                    "Import the JSON output of the run with them."
                ] = None

    def _add_source(self, name: str, files: Sequence[str], version: str) -> int:
        version = _storable(version)
        about = [("files", ", ".join(files[:_MAX_NAMED])), *([("version", version)] if version else [])]
        return self._writer.add_source(SourceSpec("fio", name, attributes=tuple(about)))

    def _add_workers(self, run: str, jobs: Sequence[Job]) -> dict[int, EntityRef]:
        """Add a run's workers; return their refs by number, of all together as −1."""
        names = _distinct(jobs)
        every = Entity(EntityRef("worker", f"{run}/all"), f"all workers of {run}")
        above = every.ref if len(jobs) > 1 else None
        entities = [
            Entity(EntityRef("worker", f"{run}/{number}"), name, above) for number, name in enumerate(names)
        ]
        self._add_entities([every, *entities] if above else entities)
        together = every if above else entities[0]
        return {number: one.ref for number, one in enumerate(entities)} | {-1: together.ref}

    def _add_entities(self, entities: Sequence[Entity]) -> None:
        self._writer.add_entities(entities)
        self.workers.update(one.ref for one in entities if not one.ref.key.endswith("/all"))

    def _store_log(self, source: int, log: Log, worker: EntityRef, begin: int) -> None:
        offset = 0 if log.lines.is_absolute else begin
        late = int((log.lines.times + offset >= TIME_LIMIT).sum())
        if log.lines.skipped + late:
            count = format_count(log.lines.skipped + late)
            self.notes[f"{shown(log.path.name)}: {count} lines could not be read."] = None
        for (quantity, direction), (key, factor) in _OF_LOG.items():
            if quantity != log.name.quantity:
                continue
            times, values = _in_order(*log.lines.of(direction))
            kept = times + offset < TIME_LIMIT
            times, values = times[kept] + offset, values[kept, None] * factor
            self._store(source, worker, times, values, [(key, _UNITS[key])])

    def _store(
        self,
        source: int,
        worker: EntityRef,
        times: IntArray,
        values: FloatArray,
        counters: Sequence[tuple[str, str]],
    ) -> None:
        """Store the series that have any value: ``values`` has the shape (times, counters)."""
        used = [i for i in range(len(counters)) if np.isfinite(values[:, i]).any()]
        if not used or not times.size:
            return
        ids = self._writer.add_series(source, [SeriesSpec(worker, *counters[i]) for i in used])
        layout = self._writer.add_layout(source, ids)
        for begin in range(0, times.size, _BLOCK):
            part = slice(begin, begin + _BLOCK)
            self._writer.add_block(
                layout, encode_block(times[part], np.ascontiguousarray(values[part, used]))
            )
        self.series += len(used)
        if times.size > 1:
            self._writer.update_source(source, interval_s=float(np.median(np.diff(times))) / 1000)
        span = TimeRange(int(times[0]), int(times[-1]))
        whole = self.span or span
        self.span = TimeRange(min(whole.start, span.start), max(whole.end, span.end))

    def _tell(self, run: Run, refs: Mapping[int, EntityRef]) -> None:
        """Add what each job came to as an event from its start to its end; note what makes it doubtful."""
        for number, job in enumerate(run.last.workers):
            text = "; ".join(_results(job)) or "no I/O"
            if job.error:
                text += f"; ended with error {job.error}"
                self.notes[f"{shown(job.jobname)}: fio reports error {job.error}: not a whole run."] = None
            event = Event(
                run.begin_of(job), "fio job", f"{_storable(job.jobname)}: {text}", refs[number], run.last.at
            )
            self._writer.add_events([event])
            if not (job.read.clat_ns.bins or job.write.clat_ns.bins):
                self.notes[
                    f"{run.path.name} has no histograms, so that there are no percentiles: "
                    "run fio with --output-format=json+."
                ] = None


def _worker_of(log: Log, refs: Mapping[int, EntityRef]) -> int:
    """Return the number of the worker that a log of a run is about; −1 for one of all jobs together."""
    number = log.name.job - 1
    return number if number in refs else -1


def _covered(log: Log, refs: Mapping[int, EntityRef]) -> Iterator[tuple[int, str]]:
    """Yield worker and counter of the series that a log has."""
    for (quantity, direction), (key, _) in _OF_LOG.items():
        if quantity == log.name.quantity and log.lines.of(direction)[0].size:
            yield _worker_of(log, refs), key


def _is_of(log: Log, document: Document) -> bool:
    """Whether a run wrote this log: its options name the log's prefix, or leave it to the job's name."""
    for job in document.workers:
        options = {**document.options, **job.options}
        named = [str(options[one]) for one in _LOG_OPTIONS if one in options]
        if log.name.prefix in {PurePosixPath(one.replace("\\", "/")).name or job.jobname for one in named}:
            return True
    return False


def _in_order(times: IntArray, values: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return strictly increasing times, and the mean of the values of each."""
    unique, inverse, counts = np.unique(times, return_inverse=True, return_counts=True)
    return unique, np.bincount(inverse, values, unique.size) / counts


def _distinct(jobs: Sequence[Job]) -> list[str]:
    """Return a name for each job; those of the same name get numbers: ``read``, ``read (2)``."""
    seen: dict[str, int] = {}
    names = []
    for job in jobs:
        name = job.jobname or "job"
        name = _storable(f"{job.hostname} · {name}" if job.hostname else name)
        seen[name] = seen.get(name, 0) + 1
        names.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return names


def _storable(text: str) -> str:
    """Return a text of a JSON document without the halves of characters that only an escape can write."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _results(job: Job) -> Iterator[str]:
    for name, part in (("reads", job.read), ("writes", job.write), ("trims", job.trim)):
        if part.total_ios:
            yield f"{format_value(part.iops, '/s')} {name}, {_latency(part)}"


def _latency(part: Direction) -> str:
    mean = f"mean {format_value(part.lat_ns.mean / 1e6, 'ms')}"
    histogram = part.clat_ns.histogram
    return f"{mean}, p99 {format_value(histogram.percentile(99) / 1e6, 'ms')}" if histogram.total else mean
