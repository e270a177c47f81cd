"""The sources of a recording, by the numbers that collectors know: what is said of them, and their counts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from collectors.feed import Health
from resources.failures import UsageError
from sessions.model import EXPECTED, RECEIVED, SourceSpec
from sessions.store import SessionWriter

Attributes = tuple[tuple[str, str], ...]


@dataclass(slots=True)
class _Source:
    """A source: its id in the file, what its collector says of it, counts of this run and those before."""

    stored_id: int
    attributes: Attributes
    before: tuple[int, int]
    counts: tuple[int, int] = (0, 0)
    is_written: bool = True

    def all_attributes(self) -> Attributes:
        """What the collector says, and the counts of all runs."""
        expected, received = (old + new for old, new in zip(self.before, self.counts, strict=True))
        return (*self.attributes, (EXPECTED, str(expected)), (RECEIVED, str(received)))


class RecordedSources:
    """The sources of this run, numbered from 1 in the order in which collectors named them."""

    def __init__(self, writer: SessionWriter) -> None:
        self._writer = writer
        self._sources: list[_Source] = []
        self._names: set[tuple[str, str]] = set()

    def add(self, spec: SourceSpec) -> int:
        """Add a source, or take up the one of that kind and name that the session has. Raises UsageError."""
        before, attributes = (0, 0), spec.attributes
        if (spec.kind, spec.name) in self._names:
            raise UsageError(f"Two sources give the same name, {spec.name}.", advice="Record them apart.")
        self._names.add((spec.kind, spec.name))
        for stored_id, stored in self._writer.sources().items():
            if (stored.kind, stored.name) == (spec.kind, spec.name):
                self._writer.update_source(
                    stored_id,
                    interval_s=spec.interval_s,
                    clock_offset_ms=spec.clock_offset_ms,
                    state="recording",
                )
                before = stored.counted or (0, 0)
                break
        else:
            stored_id = self._writer.add_source(spec)
        self._sources.append(_Source(stored_id, attributes, before, is_written=False))
        return len(self._sources)

    def update(
        self,
        number: int,
        interval_s: float | None,
        clock_offset_ms: int | None,
        attributes: Attributes | None,
    ) -> None:
        """Change what is said of a source; None leaves it as it is."""
        source = self._sources[number - 1]
        if attributes is not None:
            source.attributes = attributes
        self._writer.update_source(
            source.stored_id,
            interval_s=interval_s,
            clock_offset_ms=clock_offset_ms,
            attributes=source.all_attributes(),
        )

    def stored_id(self, number: int) -> int:
        """The id of a source in the file that is written now."""
        return self._sources[number - 1].stored_id

    def count(self, number: int, health: Health) -> None:
        """Take note of how many samples a source should have given and gave in this run."""
        source = self._sources[number - 1]
        counts = (health.expected, health.received)
        source.is_written = source.is_written and source.counts == counts
        source.counts = counts

    def recover(self, number: int, samples: int) -> None:
        """Take note that samples came after all that an earlier run counted as lost."""
        source = self._sources[number - 1]
        expected, received = source.before
        source.before = max(received, expected - samples), received

    def store_counts(self) -> None:
        """Write the counts that changed into the session."""
        for source in self._sources:
            if not source.is_written:
                self._writer.update_source(source.stored_id, attributes=source.all_attributes())
                source.is_written = True

    def continue_in(self, writer: SessionWriter) -> None:
        """Go on in another file, where counting begins anew."""
        stored = self._writer.sources()
        self._writer = writer
        for source in self._sources:
            spec = replace(stored[source.stored_id], attributes=source.attributes)
            source.stored_id = writer.add_source(spec)
            source.before = (-source.counts[0], -source.counts[1])
            source.is_written = False


def attributes_of(pairs: Iterable[tuple[str, str]] | None) -> Attributes | None:
    """The pairs as they are stored; None is not to change them."""
    return None if pairs is None else tuple((str(name), str(text)) for name, text in pairs)
