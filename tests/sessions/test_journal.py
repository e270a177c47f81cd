"""The journal of changes and the test runs: kept, replaced by what comes later, carried to the next part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from collectors.feed import Controls, Feed, Layout, Tick
from recorder.session_file import SessionFile
from recorder.writing import SpaceRules
from sessions.journal import (
    ChangedObject,
    ChangeState,
    Figure,
    JournalEntry,
    Phase,
    TestRun,
    current_journal,
)
from sessions.store import SessionReader, SessionWriter, check_session
from tests.recorder.scripted import SERIES, T0, Scripted, play

VM = ChangedObject("vcenter://anna@vc01.corp", "VirtualMachine", "vm-42", "db-prod <b>\x1b[31m")
LIMIT = JournalEntry(
    "run-1/1", "run-1", VM, "cpu.limit_mhz", 2000.0, None, '{"limit": 2000}', "intended", T0, T0
)
SHARES = replace(LIMIT, id="run-1/2", setting="cpu.shares", before="normal", after="high", undo="normal")
RUN = TestRun(
    "run-1",
    "host-shares",
    'test = "host-shares"\n',
    T0,
    phases=(
        Phase("baseline", "done", T0, T0 + 60_000),
        Phase("load", "running", T0 + 60_000),
        Phase("back", "planned"),
    ),
    figures=(Figure("p99", "db-prod", 4.5, "ms", (4.1, 5.0), 1000), Figure("iops", "db-prod", None, "")),
)


@pytest.fixture
def writer(session_path: Path) -> Iterator[SessionWriter]:
    with SessionWriter.create(session_path) as made:
        yield made


def test_entries_come_back_as_they_stand(writer: SessionWriter, session_path: Path) -> None:
    writer.add_journal([LIMIT])
    writer.add_journal([SHARES])
    writer.add_journal([replace(LIMIT, state="applied", at=T0 + 1000)])
    with SessionReader.open(session_path) as reader:
        assert reader.journal() == [replace(LIMIT, state="applied", at=T0 + 1000), SHARES]
        assert [entry.is_open for entry in reader.journal()] == [True, True]
        writer.add_journal([replace(SHARES, state="left", at=T0 + 2000, why="Somebody set it to low.")])
        assert [entry.state for entry in reader.journal()] == ["applied", "left"]
        assert not reader.journal()[1].is_open
    assert check_session(session_path, thorough=True) == []


def test_runs_come_back_as_they_stand(writer: SessionWriter, session_path: Path) -> None:
    writer.add_test_runs([RUN, replace(RUN, id="run-0", start=T0 - 5)])
    ended = replace(RUN, end=T0 + 120_000, valid=False, why="The host was rebooted.", verdict="Nothing.")
    writer.add_test_runs([ended])
    with SessionReader.open(session_path) as reader:
        assert reader.test_runs() == [replace(RUN, id="run-0", start=T0 - 5), ended]


def test_a_run_keeps_its_plan_and_details_without_writing_them_again(
    writer: SessionWriter, session_path: Path
) -> None:
    writer.add_test_runs([replace(RUN, plan="the plan", details="round 1")])
    writer.add_test_runs([replace(RUN, plan="", details="", verdict="so far")])
    with SessionReader.open(session_path) as reader:
        (run,) = reader.test_runs()
    assert (run.plan, run.details, run.verdict) == ("the plan", "round 1", "so far")
    writer.add_test_runs([replace(RUN, plan="", details="rounds 1 and 2")])
    with SessionReader.open(session_path) as reader:
        (run,) = reader.test_runs()
    assert (run.plan, run.details) == ("the plan", "rounds 1 and 2")


def test_what_can_not_be_stored_is_refused(writer: SessionWriter, session_path: Path) -> None:
    for wrong in (
        replace(LIMIT, at=1 << 60),
        replace(LIMIT, state="perhaps"),  # type: ignore[arg-type]
        replace(LIMIT, before=[1]),  # type: ignore[arg-type]
    ):
        with pytest.raises(ValueError, match="can't be stored"):
            writer.add_journal([wrong])
    with pytest.raises(ValueError, match="can't be stored"):
        writer.add_test_runs([replace(RUN, phases=(Phase("x", "done", 1 << 60),))])
    writer.add_journal([LIMIT])
    with SessionReader.open(session_path) as reader:
        assert reader.journal() == [LIMIT]


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from(get_args(ChangeState)))))
def test_the_last_word_counts_and_the_order_stays(said: list[tuple[str, ChangeState]]) -> None:
    settled = current_journal(replace(LIMIT, id=name, state=state) for name, state in said)
    assert [entry.id for entry in settled] == list(dict(said))
    assert {entry.id: entry.state for entry in settled} == dict(said)


def test_a_collector_writes_them_and_the_next_part_has_them(session_path: Path) -> None:
    """What a test changed can be undone from the newest part alone."""

    def run_test(feed: Feed, controls: Controls, _source: int, layout: Layout) -> None:
        feed.add_test_runs([RUN])
        feed.add_journal([LIMIT, SHARES])
        feed.flush()
        feed.add_journal([replace(LIMIT, state="applied", at=T0 + 1000)])
        for at in range(400):
            feed.add_ticks([Tick(layout.id, T0 + 20_000 * at, np.random.default_rng(at).random(SERIES))])
            controls.wait(0.005)
        feed.add_journal([replace(SHARES, state="not needed", at=T0 + 3000)])
        feed.add_test_runs([replace(RUN, end=T0 + 5000, verdict="Shares decide.")])

    small = SpaceRules(keep_free=0, rotate_after_s=0, rotate_after_bytes=90_000)
    outcome = play(session_path, Scripted("test", run_test), rules=small, stop=False)
    assert outcome.error is None
    assert outcome.session is not None
    assert outcome.session != session_path
    with SessionReader.open(session_path) as reader:
        assert [entry.state for entry in reader.journal()] == ["applied", "intended"]
        assert [run.verdict for run in reader.test_runs()] == [""]
    with SessionReader.open(outcome.session) as reader:
        assert [entry.state for entry in reader.journal()] == ["applied", "not needed"]
        assert [run.verdict for run in reader.test_runs()] == ["Shares decide."]


def test_a_resumed_recording_still_has_them(session_path: Path) -> None:
    def add(feed: Feed, _controls: Controls, _source: int, layout: Layout) -> None:
        feed.add_journal([LIMIT])
        feed.add_ticks([Tick(layout.id, T0, np.ones(SERIES))])

    play(session_path, Scripted("test", add), stop=False)
    file = SessionFile.open(session_path)
    file.records.add_journal([replace(LIMIT, state="undone", at=T0 + 9)])
    file.close()
    with SessionReader.open(session_path) as reader:
        assert [(entry.state, entry.at) for entry in reader.journal()] == [("undone", T0 + 9)]
