"""What an export of a scope contains, and how large it can get."""

from __future__ import annotations

from dataclasses import dataclass

from sessions.export import ExportPart
from sessions.scope import Scope
from sessions.store import SessionReader
from viewmodels.scope_filter import scope_filter
from viewmodels.snapshot import Snapshot

_CSV_ROW_BYTES = 112
"""Of a line of samples.csv: 111 to 113 in exports of the lab's demo, whole and in parts (measured)."""


@dataclass(frozen=True, slots=True)
class ExportSize:
    """The size of an export: series, and at most so many samples (gaps make them fewer)."""

    series: int
    samples: int

    @property
    def csv_bytes(self) -> int:
        """About how large the CSV files get."""
        return self.samples * _CSV_ROW_BYTES


def part_of_scope(scope: Scope, snapshot: Snapshot) -> ExportPart:
    """Return what an export of this scope writes.

    Samples of the scope's entities and of all below them, over its window, from its sources; the records also
    of what they depend on (host, devices, uplinks), since findings and facts there explain them.
    """
    filter_ = scope_filter(scope, snapshot)
    sources = scope.sources or None
    if not scope.entities:
        return ExportPart(scope.window and filter_.window, None, None, sources)
    series = frozenset(one.id for one in filter_.series(snapshot.series))
    entities = frozenset(ref for ref in snapshot.entities if filter_.concerns(ref))
    return ExportPart(scope.window and filter_.window, series, entities, sources)


def export_size(reader: SessionReader, part: ExportPart) -> ExportSize:
    """Return how much an export writes at most: as if no sample were absent."""
    by_source: dict[int, int] = {}
    for one in reader.series():
        if part.has_series(one.id, one.source):
            by_source[one.source] = by_source.get(one.source, 0) + 1
    samples = sum(count * reader.times(source, part.window).size for source, count in by_source.items())
    return ExportSize(sum(by_source.values()), samples)
