"""What the window knows of a session's test runs while they are written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from app.gui.test_records import TestRecords
from sessions.journal import ChangedObject, JournalEntry, TestRun
from sessions.store import SessionReader, SessionWriter

T0 = 1_700_000_000_000
RUN = TestRun("run-1", "io-sweep", "the plan", T0, details="round 1")
CHANGE = JournalEntry(
    "1", "run-1", ChangedObject("lab:default", "Datastore", "datastore-7", "lun"), "iorm.enabled", False,
    True, "lab", "intended", T0, T0,
)  # fmt: skip


def test_what_is_written_later_is_added_to_what_is_known(tmp_path: Path) -> None:
    path = tmp_path / "s.hscope"
    with SessionWriter.create(path) as writer, SessionReader.open(path) as reader:
        nothing = TestRecords().with_new(reader)
        assert not nothing.runs
        writer.add_test_runs([RUN])
        writer.add_journal([CHANGE])
        begun = nothing.with_new(reader)
        assert list(begun.runs) == [RUN]
        assert list(begun.journal) == [CHANGE]
        writer.add_test_runs([replace(RUN, plan="", details="", verdict="so far")])
        writer.add_journal([replace(CHANGE, state="applied", at=T0 + 5)])
        later = begun.with_new(reader)
        assert list(later.runs) == [replace(RUN, verdict="so far")] == reader.test_runs()
        assert list(later.journal) == [replace(CHANGE, state="applied", at=T0 + 5)] == reader.journal()
        assert later != begun
        assert later.with_new(reader) == later


def test_what_is_known_is_not_read_again(tmp_path: Path) -> None:
    path = tmp_path / "s.hscope"
    with SessionWriter.create(path) as writer, SessionReader.open(path) as reader:
        writer.add_test_runs([RUN])
        known = TestRecords().with_new(reader)
        elsewhere = replace(known, runs=(replace(RUN, verdict="as it is known"),))
        assert [one.verdict for one in elsewhere.with_new(reader).runs] == ["as it is known"]
