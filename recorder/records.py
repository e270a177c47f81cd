"""What a recording stores besides samples: entities, facts, events, gaps, marks, test runs
and their journal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from recorder.earlier_gaps import EarlierGaps
from recorder.earlier_run import EarlierRun
from recorder.recorded_sources import RecordedSources
from sessions.journal import JournalEntry, TestRun
from sessions.model import Entity, EntityRef, Event, Fact, Gap, Kind, Mark
from sessions.store import SessionReader, SessionWriter


class Records:
    """Stores records of collectors and users, without repeating what an earlier run already stored.

    ``has_journal`` is True once a change of an environment was written.
    """

    def __init__(self, writer: SessionWriter, earlier: EarlierRun, sources: RecordedSources) -> None:
        self._writer, self._earlier, self._sources = writer, earlier, sources
        self.has_journal = False

    def identify(self, kind: Kind, identities: Sequence[str], name: str) -> EntityRef:
        """Return the entity of an object that its source knows by lasting identities (UUID, moid)."""
        return self._earlier.identities.identify(kind, identities, name)

    def add_entities(self, entities: Sequence[Entity]) -> None:
        """Add entities; those that the session has stay as they are."""
        self._writer.add_entities(entities)
        self._earlier.compare_names(entities)

    def add_facts(self, facts: Sequence[Fact]) -> None:
        """Add those facts that the session does not have yet."""
        names, renamings = self._earlier.renamings(facts)
        self._writer.add_facts([*self._earlier.new_facts(facts), *names])
        if renamings:
            self._writer.add_events(renamings)

    def end_unconfirmed_facts(self, now_ms: int) -> None:
        """End the facts of an earlier run that this run has not confirmed."""
        self._writer.add_facts(self._earlier.unconfirmed_facts(now_ms))

    def add_events(self, events: Sequence[Event]) -> None:
        """Add those events that no earlier run added."""
        if new := self._earlier.new_events(events):
            self._writer.add_events(new)

    def add_gaps(self, gaps: Sequence[Gap]) -> None:
        """Add gaps, without the time that the gaps of an earlier run already cover."""
        stored = (replace(gap, source=self._sources.stored_id(gap.source)) for gap in gaps)
        new = (self._earlier.gaps.beyond(gap) for gap in stored)
        self._writer.add_gaps([gap for gap in new if gap is not None])

    def add_journal(self, entries: Sequence[JournalEntry]) -> None:
        """Write changes of the environment to the journal, or update their state."""
        self.has_journal = self.has_journal or bool(entries)
        self._writer.add_journal(entries)

    def add_test_runs(self, runs: Sequence[TestRun]) -> None:
        """Add test runs."""
        self._writer.add_test_runs(runs)

    def add_mark(self, mark: Mark) -> None:
        """Add a mark."""
        self._writer.add_mark(mark)

    def change_mark(self, old: Mark, new: Mark | None) -> bool:
        """Replace a mark by ``new``, or remove it (None); return False if there is no such mark."""
        return self._writer.change_mark(old, new)

    def continue_in(self, writer: SessionWriter, reader: SessionReader) -> None:
        """Continue in another file, with the facts that still hold in the file before."""
        self._writer = writer
        self._earlier.gaps = EarlierGaps()
        writer.add_entities(reader.entities().values())
        writer.add_facts([fact for fact in reader.facts() if fact.end is None])
        writer.add_journal(reader.journal())
        writer.add_test_runs(reader.test_runs())
