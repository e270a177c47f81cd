"""A session in memory: the same reading as a session file gives, for tests and for scoring without a disk."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sessions.current_records import current_events, current_facts, current_gaps
from sessions.model import (
    Entity,
    EntityRef,
    Event,
    Fact,
    FloatArray,
    Frame,
    Gap,
    IntArray,
    Series,
    SeriesSpec,
    SeriesStats,
    Source,
    SourceSpec,
)
from sessions.times import TimeRange


@dataclass(frozen=True, slots=True)
class _Table:
    """A source with its samples: canonical values (len(times), number of series), NaN where absent."""

    source: Source
    first: int
    times: IntArray
    values: FloatArray

    def rows(self, window: TimeRange | None) -> slice:
        """The ticks in the window."""
        if window is None:
            return slice(0, self.times.size)
        start, end = np.searchsorted(self.times, (window.start, window.end + 1))
        return slice(int(start), int(end))


class MemorySession:
    """A SampleSource of whole arrays, added a source at a time. Ids count from 1, as in a session file."""

    def __init__(self) -> None:
        self._tables: list[_Table] = []
        self._series: list[Series] = []
        self._entities: dict[EntityRef, Entity] = {}
        self._facts: list[Fact] = []
        self._events: list[Event] = []
        self._gaps: list[Gap] = []

    def add_source(
        self,
        spec: SourceSpec,
        times: IntArray,
        specs: Sequence[SeriesSpec],
        values: FloatArray,
        *,
        entities: Iterable[Entity] = (),
        facts: Iterable[Fact] = (),
        events: Iterable[Event] = (),
        gaps: Iterable[Gap] = (),
        state: str = "complete",
    ) -> IntArray:
        """Add a source with all its samples; returns the ids of its series, in the order of ``specs``.

        ``times`` strictly increasing, milliseconds; ``values`` stored values (len(times), len(specs)), NaN
        where absent: what is read is value × scale. A gap's ``source`` becomes the new source's id. Raises
        ValueError for shapes that do not fit or a series of an entity that was not added.
        """
        times = np.asarray(times, np.int64)
        if values.shape != (times.size, len(specs)) or not (np.diff(times) > 0).all():
            raise ValueError(f"{times.size} times and {len(specs)} series with values of {values.shape}")
        for entity in entities:
            self._entities.setdefault(entity.ref, entity)
        if missing := {one.entity for one in specs} - self._entities.keys():
            raise ValueError(f"series of entities that were not added: {sorted(missing)[:3]}")
        canonical = values * np.array([one.scale for one in specs])
        first, number = len(self._series) + 1, len(self._tables) + 1
        source = Source(
            id=number,
            spec=spec,
            start=int(times[0]) if times.size else None,
            end=int(times[-1]) if times.size else None,
            ticks=times.size,
            samples=int(np.count_nonzero(~np.isnan(canonical))),
            state=state,
        )
        self._tables.append(_Table(source, first, times, canonical))
        self._series += [Series(first + i, number, one) for i, one in enumerate(specs)]
        self._facts += facts
        self._events += events
        self._gaps += [replace(gap, source=number) for gap in gaps]
        return np.arange(first, first + len(specs))

    def span(self) -> TimeRange | None:
        """First to last sample of all sources, None when there is none."""
        sampled = [table.times for table in self._tables if table.times.size]
        if not sampled:
            return None
        return TimeRange(int(min(times[0] for times in sampled)), int(max(times[-1] for times in sampled)))

    def sources(self) -> Sequence[Source]:
        """All sources, in the order in which they were added."""
        return [table.source for table in self._tables]

    def entities(self) -> dict[EntityRef, Entity]:
        """All entities by ref."""
        return dict(self._entities)

    def series(self, counters: Collection[str] | None = None) -> Sequence[Series]:
        """All series, or those of the given counter keys, ordered by id."""
        if counters is None:
            return list(self._series)
        wanted = frozenset(counters)
        return [series for series in self._series if series.spec.counter in wanted]

    def facts(self) -> Sequence[Fact]:
        """All facts, ordered by start."""
        return current_facts(self._facts)

    def events(self) -> Sequence[Event]:
        """All events, ordered by time."""
        return current_events(self._events)

    def gaps(self) -> Sequence[Gap]:
        """All gaps, ordered by start."""
        return current_gaps(self._gaps)

    def stats(self, ids: IntArray, window: TimeRange | None = None) -> SeriesStats:
        """Statistics of each series over the window."""
        ids = np.asarray(ids, np.int64)
        count = np.zeros(ids.size, np.int64)
        low, high, mean = (np.full(ids.size, np.nan) for _ in range(3))
        for table, where in self._owners(ids):
            values = table.values[table.rows(window)][:, ids[where] - table.first]
            present = ~np.isnan(values)
            count[where] = present.sum(axis=0)
            low[where] = np.fmin.reduce(values, axis=0, initial=np.nan)
            high[where] = np.fmax.reduce(values, axis=0, initial=np.nan)
            with np.errstate(over="ignore"):  # a forged 1e308, twice
                total = np.where(present, values, 0.0).sum(axis=0)
            some = where[count[where] > 0]
            mean[some] = np.clip(total[count[where] > 0] / count[some], low[some], high[some])
        return SeriesStats(count, low, high, mean)

    def times(self, source: int, window: TimeRange | None = None) -> IntArray:
        """Sampling instants of a source; none for a source that is not there."""
        if not 0 < source <= len(self._tables):
            return np.zeros(0, np.int64)
        table = self._tables[source - 1]
        return table.times[table.rows(window)]

    def read(self, ids: IntArray, window: TimeRange | None = None) -> list[Frame]:
        """Samples: one frame for each source that has any of the series, in the order of ``sources``."""
        ids = np.asarray(ids, np.int64)
        frames = []
        for table, where in self._owners(ids):
            rows = table.rows(window)
            values = table.values[rows][:, ids[where] - table.first]
            frames.append(Frame(table.source.id, ids[where], table.times[rows], values))
        return frames

    def _owners(self, ids: IntArray) -> list[tuple[_Table, IntArray]]:
        """Each source that has any of the series, and which of ``ids`` those are."""
        if ids.size and not 0 < ids.min() <= ids.max() <= len(self._series):
            raise ValueError("a series id that does not exist")
        ends = ((table, table.first + table.values.shape[1]) for table in self._tables)
        owners = ((table, np.flatnonzero((ids >= table.first) & (ids < end))) for table, end in ends)
        return [(table, where) for table, where in owners if where.size]
