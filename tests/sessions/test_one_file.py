"""A session that nobody writes is one file once its last reader has gone, whoever closed first."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import ExitStack
from pathlib import Path

from sessions.model import Mark
from sessions.store import SessionReader, SessionWriter, check_session
from tests.sessions.synthetic import T0, capture
from tests.sessions.test_killed_writer import stored_ticks, writing
from tests.sessions.test_opening import make_read_only

ROOT = Path(__file__).resolve().parents[2]

READS = """
import sys
from pathlib import Path
from sessions.store import SessionReader
with SessionReader.open(Path(sys.argv[1])) as reader:
    print(reader.info().samples, flush=True)
    sys.stdin.read()
"""


def reading(path: Path) -> subprocess.Popen[str]:
    """A process that has read the session, and keeps it open until its stdin ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", READS, str(path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert int(process.stdout.readline()) > 0
    return process


def files(path: Path) -> list[str]:
    return sorted(file.name.removeprefix(path.name) for file in path.parent.iterdir())


def test_readers_that_outlive_the_writer(session_path: Path) -> None:
    capture(ticks=40).write(session_path)
    with ExitStack() as readers:
        with SessionWriter.open(session_path) as writer:
            for _ in range(3):
                readers.enter_context(SessionReader.open(session_path)).info()
            writer.add_mark(Mark(T0, "while they read"))
        assert "-shm" in files(session_path)  # the writer could not
    assert files(session_path) == [""]
    with SessionReader.open(session_path) as reader:
        assert [mark.text for mark in reader.marks()] == ["while they read"]
    assert check_session(session_path, thorough=True) == []
    assert files(session_path) == [""]


def test_the_last_one_is_in_another_process(session_path: Path) -> None:
    capture(ticks=40).write(session_path)
    reader = SessionReader.open(session_path)
    with SessionWriter.open(session_path):
        other = reading(session_path)
    reader.close()
    assert "-shm" in files(session_path)  # the other one still reads
    other.communicate()
    assert other.returncode == 0
    assert files(session_path) == [""]


def test_a_reader_that_lets_go_leaves_one_file_and_reads_on(session_path: Path) -> None:
    capture(ticks=40).write(session_path)
    with SessionReader.open(session_path) as reader, SessionReader.open(session_path) as other:
        samples = reader.info().samples
        with SessionWriter.open(session_path) as writer:
            other.info()
            reader.info()
            writer.add_mark(Mark(T0, "while they read"))
        with reader.let_go() as is_written:
            assert reader.has_left_log
            assert not is_written()
            other.close()
            assert files(session_path) == [""]
            assert is_written()
        assert [mark.text for mark in reader.marks()] == ["while they read"]
        assert reader.info().samples == samples
        with SessionWriter.open(session_path) as writer:
            writer.add_mark(Mark(T0, "afterwards"))
        assert reader.has_changed()
        assert len(reader.marks()) == 2
    assert files(session_path) == [""]


def test_while_somebody_writes_readers_change_nothing(session_path: Path) -> None:
    with writing(session_path, pause_s=0.001) as child:
        for _ in range(20):
            assert child.stdout is not None
            child.stdout.readline()
            with SessionReader.open(session_path) as reader:
                stored_ticks(reader, 1)
            assert files(session_path) == ["", "-lock", "-shm", "-wal"]
        assert child.poll() is None
    with SessionReader.open(session_path) as reader:
        before = stored_ticks(reader, 1)
        assert before >= 20
    with SessionReader.open(session_path) as reader:
        assert stored_ticks(reader, 1) == before  # what the log held is in the file now
    assert files(session_path) == [""]  # without the lock of the writer that was killed


def test_a_writer_that_begins_in_that_moment(session_path: Path) -> None:
    capture(ticks=40).write(session_path)
    stop = threading.Event()

    def look() -> None:
        while not stop.is_set():
            with SessionReader.open(session_path) as reader:
                reader.marks()

    threads = [threading.Thread(target=look) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for number in range(40):
            with SessionWriter.open(session_path, durable=False) as writer:
                writer.add_mark(Mark(T0 + number, str(number)))
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    with SessionReader.open(session_path) as reader:
        assert [mark.text for mark in reader.marks()] == [str(number) for number in range(40)]
    assert files(session_path) == [""]
    assert check_session(session_path, thorough=True) == []


def test_on_a_disk_that_became_read_only(tiny_disk: Path) -> None:
    path = tiny_disk / "s.hscope"
    capture(ticks=3).write(path)
    reader = SessionReader.open(path)
    with SessionWriter.open(path) as writer:
        writer.add_mark(Mark(T0, "last"))
    make_read_only(tiny_disk)
    reader.close()
    with SessionReader.open(path) as reader:
        assert [mark.text for mark in reader.marks()] == ["last"]
