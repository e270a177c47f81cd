"""A guided run that is kept while the recorder writes: it takes it in, and no kill loses one."""

from __future__ import annotations

import time
from pathlib import Path

from sessions.model import EntityRef
from sessions.store import SessionWriter
from sessions.times import TimeRange
from sessions.troubleshooting import Note, Symptom, TroubleshootingRun
from tests.recorder.conftest import Record
from wizards.flows.troubleshooting.keeping import keep, keep_changed, noted, runs_in

RUN = TroubleshootingRun(
    1, 9_000, Symptom(EntityRef("vm", "vm-1"), "db-prod", "slow", TimeRange(0, 9_000)), 9_000, (), ()
)
LAB = ("lab:demo?fields=diagnosis", "--speed", "30", "--keep-free", "0")


def beside(session: Path) -> Path:
    return session.with_name(session.name + "-runs")


def test_the_recorder_takes_in_what_others_keep(record: Record, session_path: Path) -> None:
    recorder = record(session_path, *LAB, "--attached")
    recorder.wait_for_ticks(4)
    assert keep(session_path, RUN).number == 1
    keep_changed(session_path, 1, lambda run: noted(run, Note(1, "Saving takes 20 s.")))
    while beside(session_path).exists():
        recorder.wait_for_ticks(1)  # it looks once a second
    assert [len(one.notes) for one in runs_in(session_path)] == [1]
    keep(session_path, RUN)
    recorder.close_stdin()
    assert recorder.end()["code"] == 0
    assert [path.name for path in session_path.parent.glob("*.hscope*")] == [session_path.name]
    assert [(one.number, len(one.notes)) for one in runs_in(session_path)] == [(1, 1), (2, 0)]


def test_kills_lose_no_run(record: Record, session_path: Path) -> None:
    kept = 0
    for attempt in range(4):
        recorder = record(session_path, *LAB, "--attached")
        recorder.wait_for_ticks(2)
        for _ in range(3):
            kept = keep(session_path, RUN).number
        time.sleep(attempt * 0.4)  # before, while and after it takes them in
        recorder.process.kill()
        recorder.process.wait()
        assert [one.number for one in runs_in(session_path)] == list(range(1, kept + 1))
    SessionWriter.open(session_path).close()
    assert kept == 12
    assert [one.number for one in runs_in(session_path)] == list(range(1, 13))
    assert not beside(session_path).exists()
