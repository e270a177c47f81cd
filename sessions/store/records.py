"""What is said about a session beside its samples: facts, events, marks, gaps, findings, journal, title.

``RecordReader`` and ``RecordWriter`` are the halves of SessionReader and SessionWriter that deal with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from sessions.current_records import current_events, current_facts, current_gaps
from sessions.findings import Finding
from sessions.journal import JournalEntry, TestRun, current_journal, current_runs
from sessions.model import Event, Fact, Gap, Mark
from sessions.store import documents
from sessions.store.codec import storable
from sessions.store.database import Database
from sessions.store.write_guard import WriteGuard

Record = TypeVar("Record", Fact, Event, Mark, Gap, JournalEntry, TestRun)
Appended = TypeVar("Appended", Fact, Event, Gap)

_MAX_META_ROWS = 10_000


class RecordReader:
    """Reads records as they are stored at that moment; raises DamagedError for what is not one."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def facts(self) -> Sequence[Fact]:
        """All facts, ordered by start."""
        return current_facts(self._records(Fact))

    def events(self) -> Sequence[Event]:
        """All events, ordered by time."""
        return current_events(self._records(Event))

    def marks(self) -> Sequence[Mark]:
        """All marks, ordered by time."""
        return sorted(self._records(Mark), key=lambda mark: mark.at)

    def gaps(self) -> Sequence[Gap]:
        """All gaps, ordered by start."""
        return current_gaps(self._records(Gap))

    def written(self, kind: type[Appended], after: int = 0) -> tuple[list[Appended], int]:
        """Facts, events or gaps as they were written, in that order, and the place of the last.

        For those who follow a session: they are only ever appended, so that what came after a place is all
        that is new. ``sessions.current_records`` says which of them hold.
        """
        with self._database.snapshot():
            return documents.read(self._database, kind, after)

    def findings(self) -> list[Finding]:
        """The findings of the last diagnosis that was stored, in its order."""
        with self._database.snapshot():
            return documents.read(self._database, Finding)[0]

    def journal(self) -> list[JournalEntry]:
        """The changes that tests made to their environment as they stand, in the order of their intention."""
        return current_journal(self._records(JournalEntry))

    def test_runs(self) -> list[TestRun]:
        """The test runs, in the order of their start."""
        return current_runs(self._records(TestRun))

    def meta(self) -> dict[str, str]:
        """What is said of the session as a whole: ``title``, ``created`` and what others added."""
        with self._database.snapshot():
            return dict(
                self._database.rows("SELECT key, value FROM meta LIMIT ?", (str, str), (_MAX_META_ROWS,))
            )

    def _records(self, kind: type[Record]) -> list[Record]:
        with self._database.snapshot():
            return documents.read(self._database, kind)[0]


class RecordWriter:
    """Writes records, each call in one transaction; after a failure it writes no more."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._guard = WriteGuard(database)

    def add_facts(self, facts: Iterable[Fact]) -> None:
        """Add facts; one of the same entity, name and start replaces the earlier, a later start ends it."""
        self._add_records(facts)

    def add_events(self, events: Iterable[Event]) -> None:
        """Add events; one of the same id replaces the earlier, what it lacks stays."""
        self._add_records(events)

    def add_gaps(self, gaps: Iterable[Gap]) -> None:
        """Add gaps; one of the same source, entity and start replaces the earlier, no ticks take it back."""
        self._add_records(gaps)

    def add_mark(self, mark: Mark) -> None:
        """Add a note on the time axis."""
        self._add_records((mark,))

    def change_mark(self, old: Mark, new: Mark | None) -> bool:
        """Put ``new`` in the place of a mark, or take it away; returns whether the session has ``old``.

        Of marks that are equal, one changes. Raises ValueError for a mark that can't be stored.
        """
        documents.encode((new,) if new is not None else ())
        with self._guard.transaction():
            return documents.replace(self._database, old, new)

    def add_journal(self, entries: Iterable[JournalEntry]) -> None:
        """Write changes to the journal, or how far they came; one of the same id replaces the earlier."""
        self._add_records(entries)

    def add_test_runs(self, runs: Iterable[TestRun]) -> None:
        """Add test runs; one of the same id replaces the earlier."""
        self._add_records(runs)

    def put_findings(self, findings: Sequence[Finding]) -> None:
        """Store what a diagnosis concluded, in place of what an earlier one did."""
        rows = documents.encode(findings)
        with self._guard.transaction():
            documents.clear(self._database, Finding)
            documents.insert(self._database, rows)

    def set_meta(self, key: str, value: str) -> None:
        """Say something of the session as a whole."""
        with self._guard.transaction():
            self._database.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, storable(value)))

    def _add_records(self, added: Iterable[Record]) -> None:
        rows = documents.encode(added)
        with self._guard.transaction():
            documents.insert(self._database, rows)
