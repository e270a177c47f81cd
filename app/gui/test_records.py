"""What a session says of guided tests: their runs, and what they changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sessions.journal import JournalEntry, TestRun, current_journal, current_runs
from sessions.store import SessionReader
from wizards.flows.change_count import ChangeCount, count_changes
from wizards.flows.recorded_about import RecordedAbout


@dataclass(frozen=True, slots=True)
class TestRecords:
    """What a session says of tests: their runs, the oldest first, the journal of changes, and what there is
    to look at without a test.

    A run is written again with each of its phases, 3 MB in an hour: when the session grows, only runs written
    after row ``runs_to`` and changes after row ``journal_to`` are read.
    """

    __test__ = False  # pytest: this is none of its tests

    runs: Sequence[TestRun] = ()
    journal: Sequence[JournalEntry] = ()
    recorded: RecordedAbout | None = None
    runs_to: int = field(default=0, compare=False)
    journal_to: int = field(default=0, compare=False)

    def with_new(self, reader: SessionReader) -> TestRecords:
        """Return these records with what was written since they were read."""
        runs, runs_to = reader.written(TestRun, self.runs_to)
        journal, journal_to = reader.written(JournalEntry, self.journal_to)
        return replace(
            self,
            runs=current_runs([*self.runs, *runs]),
            journal=current_journal([*self.journal, *journal]),
            runs_to=runs_to,
            journal_to=journal_to,
        )

    def changes(self, live: str) -> ChangeCount:
        """Count what runs changed, but that with the id ``live``, which goes on now."""
        return count_changes(one for one in self.journal if one.run != live)

    def run(self, identity: str) -> TestRun | None:
        """Return the run with that id."""
        return next((one for one in self.runs if one.id == identity), None)
