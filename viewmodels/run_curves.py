"""What the workers of a test run did over time, and counters beside it, on one even grid of times. No Qt."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from sessions.model import FloatArray, IntArray, Series
from sessions.store import SessionReader
from sessions.times import TimeRange

RUN_ATTRIBUTE = "test run"
"""The attribute of a source that names the test run whose workers it has."""

MAX_TIMES = 600


@dataclass(frozen=True, slots=True)
class WorkCurve:
    """One worker: IOPS, MB/s, mean latency (ms, weighted by I/Os) and p99 (ms) at each time of the grid."""

    worker: str
    iops: FloatArray
    mb: FloatArray
    latency: FloatArray
    p99: FloatArray


@dataclass(frozen=True, slots=True)
class WorkCurves:
    """All workers of a run; ``times`` (ms) are the middles of the grid's cells."""

    times: IntArray
    workers: tuple[WorkCurve, ...]


@dataclass(frozen=True, slots=True)
class CounterCurve:
    """A counter of an object on the same grid."""

    of: str
    values: FloatArray


@dataclass(frozen=True, slots=True)
class Grid:
    """Times from ``start`` in steps of ``step`` ms."""

    start: int
    step: int
    count: int

    @classmethod
    def of(cls, window: TimeRange, interval_s: float = 1.0) -> Grid:
        """Return the grid of a window: as fine as the samples, but of at most ``MAX_TIMES`` cells."""
        length = max(1, window.end - window.start)
        step = max(round(interval_s * 1000), -(-length // MAX_TIMES))
        return cls(window.start, step, max(1, -(-length // step)))

    @property
    def times(self) -> IntArray:
        """The middle of each cell (ms)."""
        middles: IntArray = self.start + self.step // 2 + self.step * np.arange(self.count, dtype=np.int64)
        return middles

    def means(self, times: IntArray, values: FloatArray) -> FloatArray:
        """Return the mean of the samples in each cell, NaN where there is none."""
        cells = (times - self.start) // self.step
        there = np.isfinite(values) & (cells >= 0) & (cells < self.count)
        counts = np.bincount(cells[there], minlength=self.count)
        sums = np.bincount(cells[there], weights=values[there], minlength=self.count)
        with np.errstate(invalid="ignore"):
            found: FloatArray = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
        return found


def work_curves(reader: SessionReader, run: str, window: TimeRange) -> WorkCurves:
    """Return what the workers of a run did in a window."""
    grid = Grid.of(window)
    sources = {one.id for one in reader.sources() if dict(one.spec.attributes).get(RUN_ATTRIBUTE) == run}
    chosen = [one for one in reader.series() if one.source in sources and one.entity.kind == "worker"]
    values = _read(reader, chosen, window, grid)
    names = reader.entities()
    workers = dict.fromkeys(one.entity for one in chosen)
    found = []
    for ref in workers:
        mine = {one.counter: values[one.id] for one in chosen if one.entity == ref and one.id in values}
        found.append(_work_curve(names[ref].name, mine, grid.count))
    return WorkCurves(grid.times, tuple(sorted(found, key=lambda one: one.worker)))


def counter_curves(
    reader: SessionReader, counters: Iterable[str], window: TimeRange, names: Collection[str] = ()
) -> list[CounterCurve]:
    """Return a counter of all objects that have it, by the first of its keys that any has.

    With ``names`` only those of objects called so. Values are on the same grid as ``work_curves``.
    """
    grid = Grid.of(window)
    entities = reader.entities()
    for key in counters:
        chosen = [
            one
            for one in reader.series()
            if one.counter == key and (not names or entities[one.entity].name in names)
        ]
        values = _read(reader, chosen, window, grid)
        found = [
            CounterCurve(_label(entities[one.entity].name, one.spec.instance), values[one.id])
            for one in chosen
            if one.id in values and np.isfinite(values[one.id]).any()
        ]
        if found:
            return sorted(found, key=lambda one: one.of)
    return []


def _label(name: str, instance: str) -> str:
    return f"{name} {instance}" if instance else name


def _read(
    reader: SessionReader, chosen: Sequence[Series], window: TimeRange, grid: Grid
) -> dict[int, FloatArray]:
    if not chosen:
        return {}
    found = {}
    for frame in reader.read(np.array([one.id for one in chosen], np.int64), window):
        for column, series in enumerate(frame.ids.tolist()):
            found[series] = grid.means(frame.times, frame.values[:, column])
    return found


def _work_curve(name: str, mine: dict[str, FloatArray], count: int) -> WorkCurve:
    nothing = np.full(count, np.nan)

    def of(key: str) -> FloatArray:
        return mine.get(key, nothing)

    iops = _sum(of("work.reads"), of("work.writes"))
    mb = _sum(of("work.read_mb"), of("work.write_mb"))
    weighted = _sum(of("work.reads") * of("work.read_latency"), of("work.writes") * of("work.write_latency"))
    with np.errstate(invalid="ignore", divide="ignore"):
        latency = np.where(iops > 0, weighted / iops, np.nan)
    p99 = np.fmax(of("work.read_p99"), of("work.write_p99"))
    return WorkCurve(name, iops, mb, latency, p99)


def _sum(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return the sum, where at least one is there."""
    there = np.isfinite(one) | np.isfinite(other)
    total: FloatArray = np.where(there, np.nan_to_num(one) + np.nan_to_num(other), np.nan)
    return total
