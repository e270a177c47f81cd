"""The records of a session besides samples: facts, events, marks, gaps, findings, journal, title.

``RecordReader`` and ``RecordWriter`` are the parts of SessionReader and SessionWriter that handle them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, suppress
from typing import TypeVar

from resources.failures import AccessDeniedError, BusyError, DamagedError
from sessions.current_records import current_events, current_facts, current_gaps
from sessions.findings import Finding
from sessions.journal import JournalEntry, TestRun, current_journal, current_runs
from sessions.model import Event, Fact, Gap, Mark
from sessions.store import documents
from sessions.store.codec import storable
from sessions.store.database import Database
from sessions.store.waiting_runs import WaitingRuns, has_waiting, runs_waiting
from sessions.store.write_guard import WriteGuard
from sessions.troubleshooting import TroubleshootingRun, current_runs_of
from sessions.verdicts import NOT_JUDGED, Verdict

Record = TypeVar("Record", Fact, Event, Mark, Gap, JournalEntry, TestRun, TroubleshootingRun)
Appended = TypeVar("Appended", Fact, Event, Gap, JournalEntry, TestRun)

_MAX_META_ROWS = 10_000


class RecordReader:
    """Reads the records as stored at that moment; raises DamagedError for one that can't be decoded."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def facts(self) -> Sequence[Fact]:
        """Return all facts, ordered by start."""
        return current_facts(self._records(Fact))

    def events(self) -> Sequence[Event]:
        """Return all events, ordered by time."""
        return current_events(self._records(Event))

    def marks(self) -> Sequence[Mark]:
        """Return all marks, ordered by time."""
        return sorted(self._records(Mark), key=lambda mark: mark.at)

    def gaps(self) -> Sequence[Gap]:
        """Return all gaps, ordered by start."""
        return current_gaps(self._records(Gap))

    def written(self, kind: type[Appended], after: int = 0) -> tuple[list[Appended], int]:
        """Return facts, events, gaps, changes or test runs in the order of writing, and the row number of
        the last.

        To follow a session: records are only ever appended, so that the rows after a number are all that is
        new. ``sessions.current_records`` and ``sessions.journal`` compute which of them hold.
        """
        with self._database.snapshot():
            return documents.read(self._database, kind, after)

    def findings(self) -> list[Finding]:
        """Return the findings of the last stored diagnosis, in its order."""
        with self._database.snapshot():
            return documents.read(self._database, Finding)[0]

    def verdict(self) -> Verdict:
        """Return how far the last stored diagnosis reaches; NOT_JUDGED where the session does not say.

        Findings of a version that stored no verdict beside them, or which do not fit it, say nothing about
        what was judged.
        """
        with self._database.snapshot():
            stored = documents.read(self._database, Verdict)[0]
            found = documents.read(self._database, Finding)[0]
        if len(stored) != 1 or not stored[0].fits(found):
            return NOT_JUDGED
        return stored[0]

    def journal(self) -> list[JournalEntry]:
        """Return the changes that tests made to their environment, in the order of their intention."""
        return current_journal(self._records(JournalEntry))

    def test_runs(self) -> list[TestRun]:
        """Return the test runs in the order of their start."""
        return current_runs(self._records(TestRun))

    def troubleshooting(self) -> list[TroubleshootingRun]:
        """Return the runs of the guided troubleshooting, in the order of their numbers, with those that wait
        beside a session that is being written.
        """
        waiting = runs_waiting(self._database.path)  # first: what is taken in meanwhile is in the session
        return current_runs_of([*self._records(TroubleshootingRun), *waiting])

    def meta(self) -> dict[str, str]:
        """Return texts about the whole session by key: ``title``, ``created`` and others."""
        with self._database.snapshot():
            return dict(
                self._database.rows("SELECT key, value FROM meta LIMIT ?", (str, str), (_MAX_META_ROWS,))
            )

    def _records(self, kind: type[Record]) -> list[Record]:
        with self._database.snapshot():
            return documents.read(self._database, kind)[0]


class RecordWriter:
    """Writes records, each call in one transaction; after a failure it accepts no more."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._guard = WriteGuard(database)

    def together(self) -> AbstractContextManager[None]:
        """Store everything that the block stores in one transaction: all of it, or nothing."""
        return self._guard.together()

    def add_facts(self, facts: Iterable[Fact]) -> None:
        """Add facts; one with the same entity, name and start replaces the earlier one, a
        later start ends it.
        """
        self._add_records(facts)

    def add_events(self, events: Iterable[Event]) -> None:
        """Add events; one with the same id replaces the earlier one, whose end, entity and user
        stay if it has none.
        """
        self._add_records(events)

    def add_gaps(self, gaps: Iterable[Gap]) -> None:
        """Add gaps; one with the same source, entity and start replaces the earlier one,
        ``ticks=0`` removes it.
        """
        self._add_records(gaps)

    def add_mark(self, mark: Mark) -> None:
        """Add a mark (a note on the time axis)."""
        self._add_records((mark,))

    def change_mark(self, old: Mark, new: Mark | None) -> bool:
        """Replace the mark ``old`` by ``new``, or remove it (None); return False if the session does
        not have ``old``.

        Of several equal marks one is changed. Raises ValueError for a mark that can't be stored.
        """
        documents.encode((new,) if new is not None else ())
        with self._guard.transaction():
            return documents.replace(self._database, old, new)

    def add_journal(self, entries: Iterable[JournalEntry]) -> None:
        """Write changes of the environment to the journal; an entry with the same id replaces
        the earlier one.
        """
        self._add_records(entries)

    def add_test_runs(self, runs: Iterable[TestRun]) -> None:
        """Add test runs; a run with the same id replaces the earlier one."""
        self._add_records(runs)

    def add_troubleshooting(self, runs: Iterable[TroubleshootingRun]) -> None:
        """Add runs of the guided troubleshooting; a run with the same number replaces the earlier one."""
        self._add_records(runs)

    def take_in_waiting(self, waiting: WaitingRuns | None = None) -> None:
        """Store the guided runs that wait beside the session; not now, if somebody is adding one.

        ``waiting`` is given by a caller that has it open. What can't be read stays where it is.
        """
        if waiting is not None:
            self._take_in(waiting)
        elif has_waiting(self._database.path):
            with (
                suppress(BusyError, AccessDeniedError, DamagedError),
                WaitingRuns(self._database.path) as own,
            ):
                self._take_in(own)

    def _take_in(self, waiting: WaitingRuns) -> None:
        runs = waiting.runs()
        if runs:
            self.add_troubleshooting(runs)
            waiting.clear()

    def put_findings(self, findings: Sequence[Finding], verdict: Verdict = NOT_JUDGED) -> None:
        """Store the findings of a diagnosis and how far it reaches; they replace those of an earlier one.

        Raises ValueError for a verdict on other findings than these.
        """
        if verdict != NOT_JUDGED and not verdict.fits(findings):
            raise ValueError("a verdict that counts other findings")
        rows = documents.encode(findings)
        if verdict != NOT_JUDGED:
            rows += documents.encode((verdict,))
        with self._guard.transaction():
            documents.clear(self._database, Finding)
            documents.clear(self._database, Verdict)
            documents.insert(self._database, rows)

    def set_meta(self, key: str, value: str) -> None:
        """Set a text about the whole session."""
        with self._guard.transaction():
            self._database.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, storable(value)))

    def _add_records(self, added: Iterable[Record]) -> None:
        rows = documents.encode(added)
        with self._guard.transaction():
            documents.insert(self._database, rows)
