"""The session that is being recorded: what collectors call their sources and layouts, and where that is.

Only the writer's thread touches it. Sources and layouts have numbers of their own here: a long recording goes
on in another file (``rotate``), where everything is stored under other ids.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from collectors.feed import Health, Layout, Tick
from recorder.earlier_gaps import EarlierGaps
from recorder.parts import MADE, PART, next_part, open_part
from recorder.taken_up import TakenUp
from resources.failures import UsageError
from sessions.journal import JournalEntry, TestRun
from sessions.model import (
    EXPECTED,
    RECEIVED,
    Entity,
    EntityRef,
    Event,
    Fact,
    Gap,
    IntArray,
    Kind,
    Mark,
    SeriesSpec,
    SourceSpec,
)
from sessions.store import SessionReader, SessionWriter

Attributes = tuple[tuple[str, str], ...]


@dataclass(slots=True)
class _Source:
    """A source: its id in the file, what its collector says of it, counts of this run and those before."""

    stored: int
    attributes: Attributes
    before: tuple[int, int]
    counts: tuple[int, int] = (0, 0)
    is_written: bool = True

    def all_attributes(self) -> Attributes:
        """What the collector says, and the counts of all runs."""
        expected, received = (old + new for old, new in zip(self.before, self.counts, strict=True))
        return (*self.attributes, (EXPECTED, str(expected)), (RECEIVED, str(received)))


@dataclass(slots=True)
class _StoredLayout:
    source: int
    id: int
    ids: IntArray


class SessionFile:
    """The file that is written now, behind the numbers that collectors know."""

    def __init__(self, writer: SessionWriter, path: Path, *, part: int, resumed: bool) -> None:
        self._writer = writer
        self._sources: list[_Source] = []
        self._layouts: list[_StoredLayout] = []
        self._names: set[tuple[str, str]] = set()
        self._last = writer.last_samples() if resumed else np.zeros(1, np.int64)
        self._taken_up = TakenUp.of(path) if resumed else TakenUp({})
        self._samples_of_closed = 0
        self.path, self.part, self.resumed = path, part, resumed
        self.began = time.monotonic()

    @classmethod
    def open(cls, path: Path, *, title: str = "") -> SessionFile:
        """A new session, or the newest part of one that ``record`` made.

        Raises AlreadyExistsError for another kind of file, and what SessionWriter.create and open raise.
        """
        writer, path, part, resumed = open_part(path, title)
        try:
            return cls(writer, path, part=part, resumed=resumed)
        except BaseException:
            writer.close()
            raise

    @property
    def is_usable(self) -> bool:
        """Whether more can be stored."""
        return self._writer.is_usable

    @property
    def samples(self) -> int:
        """How many samples are in the file, counting one that came again again."""
        return self._writer.samples

    @property
    def samples_in_all(self) -> int:
        """The same in all files of this run."""
        return self._samples_of_closed + self._writer.samples

    @property
    def is_worth_keeping(self) -> bool:
        """Whether there is more in it than what was to be recorded."""
        return self.resumed or self.part > 1 or self._writer.samples > 0

    def add_source(self, spec: SourceSpec) -> int:
        """A source, or the one of that kind and name that the session has. Raises UsageError."""
        before, attributes = (0, 0), spec.attributes
        if (spec.kind, spec.name) in self._names:
            raise UsageError(f"Two sources give the same name, {spec.name}.", advice="Record them apart.")
        self._names.add((spec.kind, spec.name))
        for stored, known in self._writer.sources().items():
            if (known.kind, known.name) == (spec.kind, spec.name):
                self._writer.update_source(
                    stored,
                    interval_s=spec.interval_s,
                    clock_offset_ms=spec.clock_offset_ms,
                    state="recording",
                )
                before = known.counted or (0, 0)
                break
        else:
            stored = self._writer.add_source(spec)
        self._sources.append(_Source(stored, attributes, before, is_written=False))
        return len(self._sources)

    def update_source(
        self,
        source: int,
        interval_s: float | None,
        clock_offset_ms: int | None,
        attributes: Attributes | None,
    ) -> None:
        """Change what is said of a source."""
        known = self._sources[source - 1]
        if attributes is not None:
            known.attributes = attributes
        self._writer.update_source(
            known.stored,
            interval_s=interval_s,
            clock_offset_ms=clock_offset_ms,
            attributes=known.all_attributes(),
        )

    def count(self, source: int, health: Health) -> None:
        """Take note of how many samples a source should have given and gave in this run."""
        known = self._sources[source - 1]
        counts = (health.expected, health.received)
        known.is_written = known.is_written and known.counts == counts
        known.counts = counts

    def store_counts(self) -> None:
        """Write the counts that changed into the session."""
        for known in self._sources:
            if not known.is_written:
                self._writer.update_source(known.stored, attributes=known.all_attributes())
                known.is_written = True

    def identify(self, kind: Kind, identities: Sequence[str], name: str) -> EntityRef:
        """The entity of an object that its source knows by lasting identities."""
        return self._taken_up.identities.identify(kind, identities, name)

    def add_entities(self, entities: Sequence[Entity]) -> None:
        """Add entities; known ones are left as they are."""
        self._writer.add_entities(entities)
        self._taken_up.meet(entities)

    def add_facts(self, facts: Sequence[Fact]) -> None:
        """Add facts; what the session says already is not said again."""
        names, renamings = self._taken_up.renamings(facts)
        self._writer.add_facts([*self._taken_up.news(facts), *names])
        if renamings:
            self._writer.add_events(renamings)

    def end_other_facts(self, now_ms: int) -> None:
        """End the facts of an earlier run that nobody has said again in this one."""
        self._writer.add_facts(self._taken_up.leftovers(now_ms))

    def add_events(self, events: Sequence[Event]) -> None:
        """Add events; what an earlier run told is not told again."""
        if new := self._taken_up.new_events(events):
            self._writer.add_events(new)

    def add_gaps(self, gaps: Sequence[Gap]) -> None:
        """Add gaps; what an earlier run told of the same time is not told again."""
        stored = (replace(gap, source=self._sources[gap.source - 1].stored) for gap in gaps)
        new = (self._taken_up.gaps.beyond(gap) for gap in stored)
        self._writer.add_gaps([gap for gap in new if gap is not None])

    def add_journal(self, entries: Sequence[JournalEntry]) -> None:
        """Write changes to the journal, or how far they came."""
        self._writer.add_journal(entries)

    def add_test_runs(self, runs: Sequence[TestRun]) -> None:
        """Add test runs."""
        self._writer.add_test_runs(runs)

    def add_mark(self, mark: Mark) -> None:
        """Add a mark."""
        self._writer.add_mark(mark)

    def change_mark(self, old: Mark, new: Mark | None) -> bool:
        """Put another mark in the place of one, or take it away; is it there?"""
        return self._writer.change_mark(old, new)

    def add_layout(self, source: int, specs: Sequence[SeriesSpec]) -> Layout:
        """Series that arrive together, each with the time of its last sample."""
        layout = self._declare(source, specs)
        self._layouts.append(layout)
        return Layout(len(self._layouts), self._last[layout.ids], self._writer.scales(layout.ids))

    def add_ticks(self, ticks: Sequence[Tick]) -> None:
        """Store ticks in one transaction."""
        layouts = [self._layouts[tick.layout - 1] for tick in ticks]
        self._writer.append_ticks(
            ((layout.id, tick.t_ms, tick.stored) for layout, tick in zip(layouts, ticks, strict=True)),
            compact=False,
        )
        for layout, tick in zip(layouts, ticks, strict=True):
            given = layout.ids[~np.isnan(tick.stored)]
            self._last[given] = np.maximum(self._last[given], tick.t_ms)
            self._recover(layout.source, tick.t_ms, given.size)

    def _recover(self, number: int, t_ms: int, samples: int) -> None:
        """Samples have come after all that an earlier run counted as lost."""
        source = self._sources[number - 1]
        if not samples or not self._taken_up.gaps.was_lost(source.stored, t_ms):
            return
        expected, received = source.before
        source.before = max(received, expected - samples), received
        if left := self._taken_up.gaps.shortened(source.stored, t_ms):
            self._writer.add_gaps([left])

    def require_on_disk(self) -> None:
        """Raise ValueError unless all that was stored is on disk: a durable writer syncs each call."""
        if not (self._writer.is_usable and self._writer.is_durable):
            raise ValueError("a writer that does not keep what it is given")

    def compact_one(self, *, overdue: bool) -> bool:
        """Make a block where one is due; with ``overdue`` only where it can't wait. Was there one?"""
        return self._writer.compact_one(overdue=overdue)

    def rotate(self) -> None:
        """Go on in a new file, with the same sources, entities, layouts and what holds of them."""
        old, old_path = self._writer, self.path
        self.store_counts()
        path, part = next_part(old_path, self.part)
        with SessionReader.open(old_path, check=False) as reader:
            title = reader.meta().get("title", "")
            writer = SessionWriter.create(path, title=title)
            try:
                self._continue_in(writer, reader, part)
            except BaseException:
                writer.discard()
                raise
        self.path, self.part, self.began = path, part, time.monotonic()
        self._samples_of_closed += old.samples
        old.close()

    def close(self) -> None:
        """Store what is left, and close; the sources are complete."""
        try:
            self.store_counts()
        finally:
            self._writer.close()

    def abandon(self) -> None:
        """Close after a failure: what was stored before it is in the file."""
        self._writer.close()

    def discard(self) -> None:
        """Remove a file in which nothing was recorded."""
        self._writer.discard()

    def _continue_in(self, writer: SessionWriter, reader: SessionReader, part: int) -> None:
        writer.set_meta(MADE, "record")
        writer.set_meta(PART, str(part))
        writer.set_meta("continues", self.path.name)
        writer.add_entities(reader.entities().values())
        writer.add_facts([fact for fact in reader.facts() if fact.end is None])
        writer.add_journal(reader.journal())
        writer.add_test_runs(reader.test_runs())
        specs = {series.id: series.spec for series in reader.series()}
        columns = [[specs[number] for number in layout.ids.tolist()] for layout in self._layouts]
        known = self._writer.sources()
        old_last = [self._last[layout.ids] for layout in self._layouts]
        self._writer = writer
        self._taken_up.gaps = EarlierGaps()
        self._last = np.zeros(1, np.int64)
        for source in self._sources:
            source.stored = writer.add_source(replace(known[source.stored], attributes=source.attributes))
            source.before = (-source.counts[0], -source.counts[1])
        for layout, own, last in zip(self._layouts, columns, old_last, strict=True):
            renewed = self._declare(layout.source, own)
            layout.id, layout.ids = renewed.id, renewed.ids
            self._last[layout.ids] = last

    def _declare(self, source: int, specs: Sequence[SeriesSpec]) -> _StoredLayout:
        stored = self._sources[source - 1].stored
        ids = self._writer.add_series(stored, specs)
        layout = self._writer.add_layout(stored, ids)
        short = int(ids.max(initial=0)) + 1 - self._last.size
        if short > 0:
            self._last = np.concatenate([self._last, np.zeros(short, np.int64)])
        return _StoredLayout(source, layout, ids)


def attributes_of(pairs: Iterable[tuple[str, str]] | None) -> Attributes | None:
    """The pairs as they are stored; None is not to change them."""
    return None if pairs is None else tuple((str(name), str(text)) for name, text in pairs)
