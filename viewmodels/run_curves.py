"""What the workers of a test run did over time, and counters beside it, on one even grid of times. No Qt."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from sessions.model import Entity, EntityRef, FloatArray, IntArray, Series
from sessions.store import SessionReader
from sessions.times import TimeRange

RUN_ATTRIBUTE = "test run"
"""The attribute of a source that names the test run whose workers it has."""

MAX_TIMES = 600
_SHOWN = frozenset(
    f"work.{side}{what}"
    for side, what in (
        *(("reads", ""), ("writes", "")),
        *((side, what) for side in ("read_", "write_") for what in ("mb", "latency", "p99")),
    )
)
_MAX_HELD = 60
_TELLING = 4
"""From so many samples on it is known how far apart they are."""


@dataclass(frozen=True, slots=True)
class WorkCurve:
    """One worker: IOPS, MB/s, mean latency (ms, weighted by I/Os) and p99 (ms) at each time of the grid.

    ``heard`` is when its newest sample was (ms), None if there is none.
    """

    worker: str
    iops: FloatArray
    mb: FloatArray
    latency: FloatArray
    p99: FloatArray
    heard: int | None = None


@dataclass(frozen=True, slots=True)
class WorkCurves:
    """All workers of a run; ``times`` (ms) are the middles of the grid's cells."""

    times: IntArray
    workers: tuple[WorkCurve, ...]


@dataclass(frozen=True, slots=True)
class CounterCurve:
    """A counter of an object on the same grid; ``of`` is what the curve is called."""

    entity: EntityRef
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
    sources = _sources(reader, run)
    chosen = [
        one
        for one in reader.series()
        if one.source in sources and one.entity.kind == "worker" and one.counter in _SHOWN
    ]
    values, heard = _read(reader, chosen, window, grid)
    names = reader.entities()
    workers = dict.fromkeys(one.entity for one in chosen)
    found = []
    for ref in workers:
        mine = {one.counter: values[one.id] for one in chosen if one.entity == ref and one.id in values}
        newest = max((heard[one.id] for one in chosen if one.entity == ref and one.id in heard), default=None)
        found.append(_work_curve(names[ref].name, mine, grid.count, newest))
    return WorkCurves(grid.times, tuple(sorted(found, key=lambda one: one.worker)))


def devices_below(reader: SessionReader, datastores: Collection[str]) -> set[EntityRef]:
    """Return the devices that datastores of these names are on, where the session knows them."""
    keys = {
        ref.key
        for ref, one in reader.entities().items()
        if ref.kind == "datastore" and one.name in datastores
    }
    return {one.entity for one in reader.facts() if one.name == "device.datastore" and one.value in keys}


def of_most_moved(curves: Sequence[CounterCurve]) -> list[CounterCurve]:
    """Return the curves of the one object whose values moved most; those of the first if none moved."""
    moved: dict[EntityRef, float] = {}
    for one in curves:
        known = one.values[np.isfinite(one.values)]
        moved[one.entity] = max(moved.get(one.entity, 0.0), float(np.ptp(known)) if known.size else 0.0)
    chosen = max(moved, key=moved.__getitem__, default=None)
    return [one for one in curves if one.entity == chosen]


def _sources(reader: SessionReader, run: str) -> set[int]:
    return {one.id for one in reader.sources() if dict(one.spec.attributes).get(RUN_ATTRIBUTE) == run}


def counter_curves(
    reader: SessionReader,
    counters: Iterable[str],
    window: TimeRange,
    names: Collection[str] = (),
    devices: Collection[EntityRef] = (),
) -> list[CounterCurve]:
    """Return a counter of all objects that have it, by the first of its keys that any has.

    With ``names`` only those of objects called so, with ``devices`` only of these. Values are on the same
    grid as ``work_curves``.
    """
    grid = Grid.of(window)
    entities = reader.entities()
    for key in counters:
        chosen = [
            one
            for one in reader.series()
            if one.counter == key
            and (not names or entities[one.entity].name in names)
            and (not devices or one.entity in devices)
        ]
        values, _ = _read(reader, chosen, window, grid)
        found = [
            CounterCurve(one.entity, _label(entities[one.entity], one.spec.instance), values[one.id])
            for one in chosen
            if one.id in values and np.isfinite(values[one.id]).any()
        ]
        if found:
            return sorted(found, key=lambda one: one.of)
    return []


def _label(entity: Entity, instance: str) -> str:
    """Return what a curve is called: of a device that hosts share, the host that sees it."""
    if instance and entity.ref.kind in ("device", "datastore"):
        return instance
    return f"{entity.name} {instance}" if instance else entity.name


def _read(
    reader: SessionReader, chosen: Sequence[Series], window: TimeRange, grid: Grid
) -> tuple[dict[int, FloatArray], dict[int, int]]:
    """Return the values of series on the grid, and the time of the newest sample of each, by their ids."""
    found: dict[int, FloatArray] = {}
    newest: dict[int, int] = {}
    if not chosen:
        return found, newest
    for frame in reader.read(np.array([one.id for one in chosen], np.int64), window):
        for column, series in enumerate(frame.ids.tolist()):
            values = frame.values[:, column]
            found[series] = _held_back(grid.means(frame.times, values))
            there = np.flatnonzero(np.isfinite(values))
            if there.size:
                newest[series] = int(frame.times[there[-1]])
    return found, newest


def _work_curve(name: str, mine: dict[str, FloatArray], count: int, heard: int | None) -> WorkCurve:
    nothing = np.full(count, np.nan)

    def of(key: str) -> FloatArray:
        return mine.get(key, nothing)

    iops = _sum(of("work.reads"), of("work.writes"))
    mb = _sum(of("work.read_mb"), of("work.write_mb"))
    weighted = _sum(of("work.reads") * of("work.read_latency"), of("work.writes") * of("work.write_latency"))
    with np.errstate(invalid="ignore", divide="ignore"):
        latency = np.where(iops > 0, weighted / iops, np.nan)
    p99 = np.fmax(of("work.read_p99"), of("work.write_p99"))
    return WorkCurve(name, iops, mb, latency, p99, heard)


def _held_back(values: FloatArray) -> FloatArray:
    """Return values that are told once an interval in every cell of the interval that they tell of.

    A gap that is longer than the usual interval stays one.
    """
    there = np.flatnonzero(np.isfinite(values))
    if there.size < _TELLING:
        return values
    every = min(int(np.median(np.diff(there))), _MAX_HELD)
    cells = np.arange(values.size)
    at = np.searchsorted(there, cells)  # of the next sample at or after each cell
    following = there[np.minimum(at, there.size - 1)]
    before = np.where(at > 0, there[np.maximum(at - 1, 0)], -1 - 2 * every)
    # An interval is now and then a little longer; after a gap only the usual one is told of.
    holds = (following - before <= every + 1) | (following - cells < every)
    filled: FloatArray = np.where(holds & (at < there.size), values[following], values)
    return filled


def _sum(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return the sum, where at least one is there."""
    there = np.isfinite(one) | np.isfinite(other)
    total: FloatArray = np.where(there, np.nan_to_num(one) + np.nan_to_num(other), np.nan)
    return total
