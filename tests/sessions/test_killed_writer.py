"""A writer that is killed at any moment costs at most the tick in flight; a reader can follow a live one."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pytest

from sessions.store import SessionReader, SessionWriter, check_session
from tests.sessions.writing_child import BLOCK, SERIES, T0, stored

ROOT = Path(__file__).resolve().parents[2]
KILLS = 8


@contextmanager
def writing(path: Path, pause_s: float = 0.0) -> Iterator[subprocess.Popen[str]]:
    """A process that writes the session; it is killed at the end of the block."""
    child = Path(__file__).with_name("writing_child.py")
    process = subprocess.Popen(
        [sys.executable, str(child), str(path), str(pause_s)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "ready\n"
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def acknowledged(lines: str) -> tuple[int, int]:
    """How many ticks and how many ticks in blocks the child has said to be stored."""
    whole = lines[: lines.rfind("\n") + 1]
    return whole.count("tick "), whole.count("block ") * BLOCK


def stored_ticks(reader: SessionReader, source: int) -> int:
    """How many ticks the source has; every value of them is compared with what was written."""
    ids = np.array([series.id for series in reader.series() if series.source == source])
    assert ids.size == SERIES
    (frame,) = reader.read(ids)
    assert frame.times.tolist() == list(range(T0, T0 + frame.times.size))
    assert np.array_equal(frame.values, stored(frame.times - T0))
    return int(frame.times.size)


def kill_once(folder: Path, attempt: int) -> None:
    """Kill a writer at a random moment, and see that what it said to be stored is there; sometimes go on."""
    path = folder / f"killed {attempt}.hscope"
    with writing(path) as process:
        time.sleep(random.expovariate(12))  # the moment is what the test is about
        process.kill()
        assert process.stdout is not None
        ticks, in_blocks = acknowledged(process.stdout.read())
    assert check_session(path, thorough=True) == []
    with SessionReader.open(path) as reader:
        assert ticks <= stored_ticks(reader, 1) <= ticks + 1
        assert in_blocks <= stored_ticks(reader, 2) <= in_blocks + BLOCK
        assert {source.state for source in reader.sources()} == {"interrupted"}
    if attempt % 10 == 0:
        SessionWriter.open(path).close()
        assert sorted(folder.iterdir()) == [path]
        with SessionReader.open(path) as reader:
            assert ticks <= stored_ticks(reader, 1) <= ticks + 1
            assert {source.state for source in reader.sources()} == {"interrupted"}
    for left in folder.iterdir():
        left.unlink()


@pytest.mark.slow
def test_killed_at_many_moments(tmp_path: Path) -> None:
    """A hundred and more: ``python -m benchmarks.killed_writer``."""
    random.seed(20)
    for attempt in range(KILLS):
        kill_once(tmp_path, attempt)


def test_a_reader_follows_a_writer_in_another_process(session_path: Path) -> None:
    with (
        writing(session_path, pause_s=0.001) as process,
        SessionReader.open(session_path) as reader,
        closing(sqlite3.connect(session_path)) as database,
    ):

        def data_version() -> int:
            """A number that changes when a writer has stored something."""
            return int(database.execute("PRAGMA data_version").fetchone()[0])

        assert process.stdout is not None
        seen, version, changes = 0, data_version(), 0
        while seen < 25:  # not every change is a tick: the writer compacts and stores blocks as well
            told = process.stdout.readline()
            assert told, "the writer ended"
            if data_version() == version:
                continue
            version, changes = data_version(), changes + 1
            ticks = stored_ticks(reader, 1)
            assert ticks >= seen
            if told.startswith("tick"):
                assert ticks > int(told.split()[1])
            stored_ticks(reader, 2)
            seen = ticks
        assert changes > 1
