"""A session seen through another object: what that does not change is passed on as it is."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sessions.model import (
    Entity,
    EntityRef,
    Event,
    Fact,
    Frame,
    Gap,
    IntArray,
    SampleSource,
    Series,
    SeriesStats,
    Source,
)
from sessions.times import TimeRange


class PassingOn:
    """A SampleSource that answers as ``source`` does; subclasses change some of the answers."""

    def __init__(self, source: SampleSource) -> None:
        self._source = source

    def span(self) -> TimeRange | None:
        """Return the time from the first to the last sample of all sources; None without samples."""
        return self._source.span()

    def sources(self) -> Sequence[Source]:
        """Return all sources in the order in which they were added."""
        return self._source.sources()

    def entities(self) -> dict[EntityRef, Entity]:
        """Return all entities by reference."""
        return self._source.entities()

    def series(self, counters: Collection[str] | None = None) -> Sequence[Series]:
        """Return all series, or those of the given counter keys, ordered by id."""
        return self._source.series(counters)

    def facts(self) -> Sequence[Fact]:
        """Return all facts, ordered by start."""
        return self._source.facts()

    def events(self) -> Sequence[Event]:
        """Return all events, ordered by time."""
        return self._source.events()

    def gaps(self) -> Sequence[Gap]:
        """Return all gaps, ordered by start."""
        return self._source.gaps()

    def stats(self, ids: IntArray, window: TimeRange | None = None) -> SeriesStats:
        """Return statistics of each series over the window."""
        return self._source.stats(ids, window)

    def times(self, source: int, window: TimeRange | None = None) -> IntArray:
        """Return the sampling instants of a source; shape (n,), int64, ms."""
        return self._source.times(source, window)

    def read(self, ids: IntArray, window: TimeRange | None = None) -> list[Frame]:
        """Return the samples: one frame for each source that has any of the series."""
        return self._source.read(ids, window)
