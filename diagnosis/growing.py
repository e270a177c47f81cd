"""A session that grows while it is judged: what was read of it is kept, and only what is new is read."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from sessions.current_records import current_events, current_facts, current_gaps
from sessions.distinct import distinct
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
    SeriesStats,
    Source,
)
from sessions.store import SessionReader
from sessions.store.growth import Growth
from sessions.times import TimeRange


@dataclass(frozen=True, slots=True)
class News:
    """What differs from the look before. ``inventory``: entities, series, facts or sources; ``rewritten``:
    sources whose earlier samples may differ.
    """

    inventory: bool
    samples: bool
    records: bool
    rewritten: frozenset[int]


class GrowingSession:
    """A SampleSource over a session's reader, which gives the same answers as the reader itself.

    Between two calls of ``refresh`` it keeps to what it saw at the first. Statistics over the whole session
    are kept and completed with the samples that are new.
    """

    def __init__(self, reader: SessionReader) -> None:
        self._reader = reader
        self._growth = Growth()
        self._facts: list[Fact] = []
        self._events: list[Event] = []
        self._gaps: list[Gap] = []
        self._facts_to = self._events_to = self._gaps_to = 0
        self._current: tuple[list[Fact], list[Event], list[Gap]] = ([], [], [])
        self._series: dict[frozenset[str] | None, Sequence[Series]] = {}
        self._entities: dict[EntityRef, Entity] = {}
        self._axes: dict[int, IntArray] = {}
        self._owners = np.zeros(1, np.int64)
        self._known = np.zeros(1, np.bool_)
        self._stats = _empty(1)
        self._tails: dict[int, tuple[TimeRange, Frame]] = {}

    def refresh(self) -> News:
        """Look at the session again; returns what is new. Call it, and what follows, within one state."""
        before, self._growth = self._growth, self._reader.growth(self._growth)
        facts, self._facts_to = self._reader.written(Fact, self._facts_to)
        events, self._events_to = self._reader.written(Event, self._events_to)
        gaps, self._gaps_to = self._reader.written(Gap, self._gaps_to)
        self._facts += facts
        self._events += events
        self._gaps += gaps
        inventory = self._renew_inventory(before) or bool(facts)
        if facts or events or gaps:
            self._current = current_facts(self._facts), current_events(self._events), current_gaps(self._gaps)
        self._tails.clear()
        for number, now in self._growth.sources.items():
            was = before.sources.get(number)
            if number in self._growth.rewritten or was is None or was.end is None:
                self._axes.pop(number, None)
                self._known[self._owners == number] = False
            elif now.end is not None and now.end > was.end:
                self._append(number, TimeRange(was.end + 1, now.end))
        return News(
            inventory=inventory,
            samples=self._growth.newest != before.newest,
            records=bool(events or gaps) or self._growth.sources != before.sources,
            rewritten=self._growth.rewritten,
        )

    def _renew_inventory(self, before: Growth) -> bool:
        now = self._growth
        same = (now.entities, now.series, list(now.sources)) == (
            before.entities,
            before.series,
            list(before.sources),
        )
        if same:
            return False
        self._entities = self._reader.entities()
        self._series.clear()
        if now.series != before.series:
            self._owners = np.zeros(now.series + 1, np.int64)
            for series in self._reader.series():
                self._owners[series.id] = series.source
            grown = _empty(now.series + 1)
            known = np.zeros(now.series + 1, np.bool_)
            known[: self._known.size] = self._known
            for new, old in zip(grown, self._stats, strict=True):
                new[: old.size] = old
            self._known, self._stats = known, grown
        return True

    def _append(self, source: int, tail: TimeRange) -> None:
        if source in self._axes:
            self._axes[source] = np.concatenate([self._axes[source], self._reader.times(source, tail)])
        ids = np.flatnonzero(self._known & (self._owners == source))
        if not ids.size:
            return
        (frame,) = self._reader.read(ids, tail)
        self._tails[source] = tail, frame
        present = ~np.isnan(frame.values)
        count, low, high = self._stats
        count[ids] += present.sum(axis=0)
        # There is no instant where all of these series have ended and others of the source go on.
        low[ids] = np.fmin(low[ids], np.fmin.reduce(frame.values, axis=0, initial=np.nan))
        high[ids] = np.fmax(high[ids], np.fmax.reduce(frame.values, axis=0, initial=np.nan))

    @property
    def is_growing(self) -> bool:
        """True while somebody records or imports the session."""
        return any(one.is_growing for one in self._growth.sources.values())

    def span(self) -> TimeRange | None:
        """Return the time from the first to the last sample of all sources; None without samples."""
        axes = [axis for number in self._growth.sources if (axis := self.times(number)).size]
        if not axes:
            return None
        return TimeRange(min(int(axis[0]) for axis in axes), max(int(axis[-1]) for axis in axes))

    def sources(self) -> Sequence[Source]:
        """Return all sources in the order in which they were added."""
        found = []
        for number, one in self._growth.sources.items():
            axis = self.times(number)
            start, end = (int(axis[0]), int(axis[-1])) if axis.size else (None, None)
            found.append(Source(number, one.spec, start, end, axis.size, one.samples, one.state))
        return found

    def entities(self) -> dict[EntityRef, Entity]:
        """Return all entities by reference."""
        return self._entities

    def series(self, counters: Collection[str] | None = None) -> Sequence[Series]:
        """Return all series, or those of the given counter keys, ordered by id."""
        key = None if counters is None else frozenset(counters)
        if key not in self._series:
            self._series[key] = self._reader.series(counters)
        return self._series[key]

    def facts(self) -> Sequence[Fact]:
        """Return all facts, ordered by start."""
        return self._current[0]

    def events(self) -> Sequence[Event]:
        """Return all events, ordered by time."""
        return self._current[1]

    def gaps(self) -> Sequence[Gap]:
        """Return all gaps, ordered by start."""
        return self._current[2]

    def times(self, source: int, window: TimeRange | None = None) -> IntArray:
        """Return the sampling instants of a source; shape (n,), int64, ms."""
        if source not in self._axes:
            self._axes[source] = self._reader.times(source)
        axis = self._axes[source]
        if window is None:
            return axis
        first, end = np.searchsorted(axis, (window.start, window.end + 1))
        return axis[first:end]

    def stats(self, ids: IntArray, window: TimeRange | None = None) -> SeriesStats:
        """Return count and bounds of each series; means only for a part of the time."""
        span = self.span()
        ids = np.asarray(ids, np.int64)
        if span is None or (window is not None and (window.start > span.start or window.end < span.end)):
            return self._stats_of_tail(ids, window) or self._reader.stats(ids, window)
        missing = distinct(ids[~self._known[ids]])
        if missing.size:
            found = self._reader.stats(missing)
            count, low, high = self._stats
            count[missing], low[missing], high[missing] = found.count, found.minimum, found.maximum
            self._known[missing] = True
        count, low, high = self._stats
        return SeriesStats(count[ids], low[ids], high[ids], np.full(ids.size, np.nan))

    def _stats_of_tail(self, ids: IntArray, window: TimeRange | None) -> SeriesStats | None:
        """Statistics out of the samples that ``refresh`` read; None if these are not all of them."""
        sources = distinct(self._owners[ids])
        frame = self._from_tail(int(sources[0]), ids, window) if sources.size == 1 else None
        if frame is None or window is None:
            return None
        values = frame.values
        low, high = (how.reduce(values, axis=0, initial=np.nan) for how in (np.fmin, np.fmax))
        nothing = np.full(ids.size, np.nan)
        return SeriesStats((~np.isnan(values)).sum(axis=0), low, high, nothing)

    def read(self, ids: IntArray, window: TimeRange | None = None) -> list[Frame]:
        """Return the samples: one frame for each source that has any of the series."""
        frames = []
        owners = self._owners[ids]
        for source in distinct(owners).tolist():
            mine = ids[owners == source]
            frames.append(self._from_tail(source, mine, window) or self._reader.read(mine, window)[0])
        return frames

    def _from_tail(self, source: int, ids: IntArray, window: TimeRange | None) -> Frame | None:
        """The samples out of those that ``refresh`` read already; None if these are not all of them."""
        if window is None or source not in self._tails:
            return None
        tail, frame = self._tails[source]
        if window.start < tail.start or window.end < tail.end:
            return None
        place = np.minimum(np.searchsorted(frame.ids, ids), frame.ids.size - 1)
        if not np.array_equal(frame.ids[place], ids):
            return None
        first = int(np.searchsorted(frame.times, window.start))
        return Frame(source, ids, frame.times[first:], frame.values[first:, place])


def _empty(size: int) -> tuple[IntArray, FloatArray, FloatArray]:
    """Count, lowest and highest sample of each series by id."""
    return np.zeros(size, np.int64), np.full(size, np.nan), np.full(size, np.nan)
