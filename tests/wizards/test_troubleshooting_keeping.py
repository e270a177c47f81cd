"""Guided runs that several processes keep in one session at once: none is lost, nor a note of one."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from resources.failures import BusyError
from sessions.model import EntityRef
from sessions.store import SessionWriter
from sessions.times import TimeRange
from sessions.troubleshooting import Note, Symptom, TroubleshootingRun
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
