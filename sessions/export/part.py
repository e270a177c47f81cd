"""What of a session an export writes: all of it, or some entities, series, sources and a window."""

from __future__ import annotations

from dataclasses import dataclass

from sessions.model import EntityRef
from sessions.times import TimeRange


@dataclass(frozen=True, slots=True)
class ExportPart:
    """A filter; None means all.

    ``series`` are the ids of the series whose samples are written. ``entities`` are those whose records
    (facts, events, gaps, findings) are written; events and gaps of no entity always are. ``sources`` are ids.
    """

    window: TimeRange | None = None
    series: frozenset[int] | None = None
    entities: frozenset[EntityRef] | None = None
    sources: frozenset[int] | None = None

    def has_series(self, series: int, source: int) -> bool:
        """Return True if the series' samples are exported."""
        return self.has_source(source) and (self.series is None or series in self.series)

    def has_source(self, source: int) -> bool:
        """Return True if what this source recorded is exported."""
        return self.sources is None or source in self.sources

    def has(self, entity: EntityRef | None) -> bool:
        """Return True if the records of this entity are exported; also for None, that is of none."""
        return self.entities is None or entity is None or entity in self.entities

    def touches(self, start: int, end: int | None) -> bool:
        """Return True if what lasts from ``start`` to ``end`` (None: on and on) touches the window."""
        window = self.window
        return window is None or (start <= window.end and (end is None or end >= window.start))


WHOLE = ExportPart()
