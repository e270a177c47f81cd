"""Guided runs that several processes keep in one session at once: none is lost, nor a note of one."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Event

import pytest

from resources.failures import BusyError, DamagedError
from sessions.model import EntityRef
from sessions.store import SessionWriter
from sessions.times import TimeRange
from sessions.troubleshooting import Note, Symptom, TroubleshootingRun
from tests.sessions.test_killed_writer import writing
from wizards.flows.troubleshooting.keeping import keep, keep_changed, noted, runs_in

RUN = TroubleshootingRun(
    1, 9_000, Symptom(EntityRef("vm", "vm-1"), "db-prod", "slow", TimeRange(0, 9_000)), 9_000, (), ()
)


def empty(path: Path) -> Path:
    SessionWriter.create(path, durable=False).close()
    return path


def kept(session: Path, _number: int) -> int:
    while True:
        try:
            return keep(session, RUN).number
        except BusyError:
            continue


def test_two_at_once_get_numbers_of_their_own(tmp_path: Path) -> None:
    session = empty(tmp_path / "a.hscope")
    with ThreadPoolExecutor(2) as both:
        numbers = sorted(both.map(partial(kept, session), range(16)))
    assert numbers == list(range(1, 17))
    assert [one.number for one in runs_in(session)] == numbers


def test_a_note_of_somebody_else_stays(tmp_path: Path) -> None:
    session = empty(tmp_path / "a.hscope")
    keep(session, RUN)
    mine, theirs = Note(1, "Saving takes 20 s."), Note(2, "Deploy job v41 sets limits.")
    keep_changed(session, 1, lambda run: noted(run, mine))
    keep_changed(session, 1, lambda run: noted(run, theirs))
    (run,) = runs_in(session)
    assert run.notes == (mine, theirs)


def test_a_run_waits_beside_a_session_that_is_written(tmp_path: Path) -> None:
    session = empty(tmp_path / "a.hscope")
    keep(session, RUN)
    with SessionWriter.open(session) as writer:
        assert keep(session, RUN).number == 2
        keep_changed(session, 1, lambda run: noted(run, Note(1, "Saving takes 20 s.")))
        assert [(one.number, len(one.notes)) for one in runs_in(session)] == [(1, 1), (2, 0)]
        writer.take_in_waiting()
        assert [(one.number, len(one.notes)) for one in runs_in(session)] == [(1, 1), (2, 0)]
        assert not session.with_name("a.hscope-runs").exists()
    assert keep(session, RUN).number == 3
    assert [path.name for path in tmp_path.iterdir()] == ["a.hscope"]


def test_many_at_once_while_a_writer_takes_them_in(tmp_path: Path) -> None:
    session = empty(tmp_path / "a.hscope")
    done = Event()

    def write() -> None:
        while not done.is_set():
            try:
                with SessionWriter.open(session) as writer:
                    for _ in range(20):
                        writer.take_in_waiting()
            except BusyError:
                continue

    with ThreadPoolExecutor(3) as all_of_them:
        writing = all_of_them.submit(write)
        kept_by = [all_of_them.submit(lambda: [kept(session, n) for n in range(12)]) for _ in range(2)]
        numbers = sorted(number for one in kept_by for number in one.result())
        done.set()
        writing.result()
    assert numbers == list(range(1, 25))
    assert [one.number for one in runs_in(session)] == numbers


def test_a_killed_writer_loses_no_run(tmp_path: Path) -> None:
    session = tmp_path / "a.hscope"
    with writing(session, pause_s=0.01):
        keep(session, RUN)
        assert session.with_name("a.hscope-runs").exists(), "this writer never takes it in"
    assert [one.number for one in runs_in(session)] == [1]
    assert keep(session, RUN).number == 2
    assert [path.name for path in tmp_path.iterdir()] == ["a.hscope"]
    assert [one.number for one in runs_in(session)] == [1, 2]


def test_what_waits_is_of_the_session_that_is_gone(tmp_path: Path) -> None:
    session = tmp_path / "a.hscope"
    with writing(session, pause_s=0.01):
        keep(session, RUN)
    session.unlink()
    empty(session)
    assert runs_in(session) == []


def test_what_is_no_run_is_said_and_hurts_nobody_who_writes(tmp_path: Path) -> None:
    session = empty(tmp_path / "a.hscope")
    beside = tmp_path / "a.hscope-runs"
    beside.write_bytes(b"not a run")
    with pytest.raises(DamagedError, match="-runs, where guided runs wait"):
        runs_in(session)
    SessionWriter.open(session).close()
    assert beside.exists(), "it is left for whoever put it there"
    beside.unlink()
    assert keep(session, RUN).number == 1
