"""The sources of a recording, numbered for collectors: their attributes and their counts of samples."""

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
    """A source: its id in the file, what its collector says of it, counts of this run and those before.

    ``is_over``: its collector has ended, and another one may record it again, as a source of its own.
    """

    stored_id: int
    attributes: Attributes
    before: tuple[int, int]
    counts: tuple[int, int] = (0, 0)
    is_written: bool = True
    is_over: bool = False

    def all_attributes(self) -> Attributes:
        """What the collector says, and the counts of all runs."""
        expected, received = (old + new for old, new in zip(self.before, self.counts, strict=True))
        return (*self.attributes, (EXPECTED, str(expected)), (RECEIVED, str(received)))


class RecordedSources:
    """The sources of this run, numbered from 1 in the order in which collectors added them."""

    def __init__(self, writer: SessionWriter) -> None:
        self._writer = writer
        self._sources: list[_Source] = []
        self._names: set[tuple[str, str]] = set()

    def add(self, spec: SourceSpec) -> int:
        """Add a source, or use the session's source of that kind and name; return its number.

        Raises UsageError.
        """
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
        """Change the interval (s), clock offset (ms) or attributes of a source; None leaves one as it is."""
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
        """Return the id of a source in the present file."""
        return self._sources[number - 1].stored_id

    def count(self, number: int, health: Health) -> None:
        """Take over a source's counts of expected and received samples of this run."""
        source = self._sources[number - 1]
        if source.is_over:
            return
        counts = (health.expected, health.received)
        source.is_written = source.is_written and source.counts == counts
        source.counts = counts

    def release(self, over: Iterable[tuple[int, Health]]) -> None:
        """Take over the last counts of sources whose collector has ended; their names are free again."""
        for number, health in over:
            self.count(number, health)
            source = self._sources[number - 1]
            counted = source.all_attributes()
            self._writer.update_source(source.stored_id, attributes=counted, state="complete")
            source.is_written = source.is_over = True
            stored = self._writer.sources()[source.stored_id]
            self._names.discard((stored.kind, stored.name))

    def recover(self, number: int, samples: int) -> None:
        """Count samples as received that an earlier run had counted as lost."""
        source = self._sources[number - 1]
        expected, received = source.before
        source.before = max(received, expected - samples), received

    def store_counts(self) -> None:
        """Write changed counts into the session."""
        for source in self._sources:
            if not source.is_written and not source.is_over:
                self._writer.update_source(source.stored_id, attributes=source.all_attributes())
                source.is_written = True

    def continue_in(self, writer: SessionWriter) -> None:
        """Continue in another file, in which the counts start at 0."""
        stored = self._writer.sources()
        self._writer = writer
        latest = {source.stored_id: source for source in self._sources}  # of one that was recorded again
        renewed = {
            before: writer.add_source(replace(stored[before], attributes=source.attributes))
            for before, source in latest.items()
        }
        for source in self._sources:
            source.stored_id = renewed[source.stored_id]
            source.before = (-source.counts[0], -source.counts[1])
            source.is_written = False


def attributes_of(pairs: Iterable[tuple[str, str]] | None) -> Attributes | None:
    """Return the pairs as they are stored; None (no change) for None."""
    return None if pairs is None else tuple((str(name), str(text)) for name, text in pairs)
