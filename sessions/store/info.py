"""A summary of a session, also as the JSON of ``hyperscope info``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sessions.model import Gap, Source
from sessions.times import TimeRange, iso


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """Sources with their gaps, counts of entities by kind, series, samples, time range and bytes on disk.

    ``events`` are their numbers by kind. ``intervals`` are the seconds between samples of each source by id,
    measured where the source does not give them.
    """

    title: str
    sources: tuple[Source, ...]
    gaps: tuple[Gap, ...]
    intervals: Mapping[int, float | None]
    entities: Mapping[str, int]
    columns: Mapping[int, int]
    series: int
    samples: int
    span: TimeRange | None
    bytes: int
    findings: int
    marks: int
    events: Mapping[str, int]

    def to_json(self) -> dict[str, object]:
        """Return the document of ``info --json``; times are ISO 8601 UTC."""
        return {
            "title": self.title,
            "sources": [self._source(source) for source in self.sources],
            "entities": dict(self.entities),
            "series": self.series,
            "samples": self.samples,
            "start": iso(self.span.start) if self.span else None,
            "end": iso(self.span.end) if self.span else None,
            "bytes": self.bytes,
            "findings": self.findings,
            "marks": self.marks,
            "events": dict(self.events),
        }

    def _source(self, source: Source) -> dict[str, object]:
        counted = source.spec.counted
        return {
            "kind": source.spec.kind,
            "name": source.spec.name,
            "start": None if source.start is None else iso(source.start),
            "end": None if source.end is None else iso(source.end),
            "interval_s": self.intervals.get(source.id),
            "ticks": source.ticks,
            "columns": self.columns.get(source.id, 0),
            "samples": source.samples,
            "gaps": [[iso(gap.start), iso(gap.end)] for gap in self.gaps if gap.source == source.id],
            "missing": [_gap(gap) for gap in self.gaps if gap.source == source.id],
            "expected": counted[0] if counted else None,
            "received": counted[1] if counted else None,
            "clock_offset_ms": source.spec.clock_offset_ms,
            "state": source.state,
            "notes": dict(source.spec.attributes),
        }


def _gap(gap: Gap) -> dict[str, object]:
    return {
        "from": iso(gap.start),
        "to": iso(gap.end),
        "entity": {"kind": gap.entity.kind, "key": gap.entity.key} if gap.entity else None,
        "reason": gap.reason,
        "ticks": gap.ticks,
    }
