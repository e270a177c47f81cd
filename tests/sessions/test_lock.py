"""One writer a session: by whatever name it is opened, and whatever lies where its lock should be."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from resources.failures import AccessDeniedError, BusyError, NotASessionError
from sessions.model import Mark
from sessions.store import SessionReader, SessionWriter, check_session
from sessions.store.lock import WriterLock
from tests.sessions.synthetic import T0, capture
from tests.sessions.test_killed_writer import writing


def lock_of(session: Path) -> Path:
    return session.with_name(session.name + "-lock")


def noise(lock: Path) -> None:
    lock.write_bytes(np.random.default_rng(1).bytes(5000))


def text(lock: Path) -> None:
    lock.write_text("garbage")


def half_a_database(lock: Path) -> None:
    lock.write_bytes(b"SQLite format 3\0" + bytes(range(200)))


def another_database(lock: Path) -> None:
    capture(ticks=2).write(lock.with_name("other.hscope"))
    lock.with_name("other.hscope").rename(lock)


@pytest.mark.parametrize("put", [noise, text, half_a_database, another_database])
def test_garbage_where_the_lock_should_be_stops_nobody(
    session_path: Path, put: Callable[[Path], None]
) -> None:
    capture(ticks=3).write(session_path)
    put(lock_of(session_path))
    with SessionReader.open(session_path) as reader:
        assert reader.info().sources[0].state == "complete"
    put(lock_of(session_path))
    with SessionWriter.open(session_path) as writer:
        writer.add_mark(Mark(T0, "here"))
        with pytest.raises(BusyError):
            SessionWriter.open(session_path)
    assert [path.name for path in session_path.parent.iterdir()] == [session_path.name]


def test_garbage_written_over_a_lock_that_is_held_lets_nobody_in(session_path: Path) -> None:
    with writing(session_path, pause_s=0.001) as child:
        assert child.stdout is not None
        child.stdout.readline()
        try:
            lock_of(session_path).write_text("garbage")
        except PermissionError:
            pytest.skip("a file that is locked can't be written here")
        with pytest.raises(BusyError):
            SessionWriter.open(session_path)
        with SessionReader.open(session_path) as reader:
            assert {source.state for source in reader.sources()} == {"recording"}
        child.kill()


def test_a_session_that_is_just_being_made_is_not_called_none(session_path: Path) -> None:
    lock = WriterLock(session_path)
    session_path.touch()
    with pytest.raises(BusyError, match="is just being made by another Hyperscope"):
        SessionReader.open(session_path)
    lock.release()
    with pytest.raises(NotASessionError, match="it is empty"):
        SessionReader.open(session_path)


def test_a_folder_where_the_lock_should_be_is_named(session_path: Path) -> None:
    capture(ticks=3).write(session_path)
    lock_of(session_path).mkdir()
    with SessionReader.open(session_path) as reader:
        assert reader.info().sources[0].state == "complete"
    with pytest.raises(AccessDeniedError, match="-lock"):
        SessionWriter.open(session_path)


@pytest.mark.skipif(sys.platform == "win32", reason="named pipes in the file system")
def test_a_pipe_where_the_lock_should_be_holds_nobody_up(session_path: Path) -> None:
    capture(ticks=3).write(session_path)
    os.mkfifo(lock_of(session_path))
    with SessionReader.open(session_path) as reader:
        assert reader.info().samples
    with pytest.raises(AccessDeniedError, match="-lock"):
        SessionWriter.open(session_path)


def link(name: Path, target: Path) -> None:
    try:
        name.symlink_to(target)
    except OSError:
        pytest.skip("symbolic links need a right that we lack")


def test_a_lock_that_is_a_link_leaves_its_target_alone(session_path: Path, tmp_path: Path) -> None:
    capture(ticks=3).write(session_path)
    target = tmp_path / "precious"
    target.write_text("keep")
    link(lock_of(session_path), target)
    with SessionReader.open(session_path) as reader:
        assert reader.info().samples
    with SessionWriter.open(session_path) as writer:
        writer.add_mark(Mark(T0, "here"))
    assert target.read_text() == "keep"
    assert not lock_of(session_path).is_symlink()


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    return folder / "other name.hscope"


def test_a_symbolic_link_is_no_second_session(session_path: Path, elsewhere: Path) -> None:
    capture(ticks=3).write(session_path)
    link(elsewhere, session_path)
    with SessionWriter.open(session_path) as writer:
        with pytest.raises(BusyError):
            SessionWriter.open(elsewhere)
        writer.add_mark(Mark(T0, "by its own name"))
        with SessionReader.open(elsewhere) as reader:
            assert [mark.text for mark in reader.marks()] == ["by its own name"]
            writer.add_mark(Mark(T0 + 1, "while it is read"))
            assert len(reader.marks()) == 2
    with SessionWriter.open(elsewhere) as writer:
        writer.add_mark(Mark(T0 + 2, "by the link"))
        with pytest.raises(BusyError):
            SessionWriter.open(session_path)
    with SessionReader.open(session_path) as reader:
        assert len(reader.marks()) == 3
    assert check_session(session_path, thorough=True) == []
    assert [path.name for path in elsewhere.parent.iterdir()] == [elsewhere.name]
    assert sorted(path.name for path in session_path.parent.iterdir()) == sorted(
        [session_path.name, "elsewhere"]
    )


def test_a_hard_link_lets_no_second_writer_in(session_path: Path, elsewhere: Path) -> None:
    one = capture(ticks=40)
    one.write(session_path)
    with SessionWriter.open(session_path) as writer:
        try:
            os.link(session_path, elsewhere)
        except OSError:
            pytest.skip("no hard links here")
        with pytest.raises(AccessDeniedError, match="2 names"):
            SessionWriter.open(elsewhere)
        for number in range(50):
            writer.add_mark(Mark(T0 + number, "on it goes"))
    with pytest.raises(AccessDeniedError, match="2 names"):  # nor with nobody there: the log has one name
        SessionWriter.open(session_path)
    with SessionReader.open(elsewhere) as reader:
        assert len(reader.marks()) == 50
    assert check_session(session_path, thorough=True) == []
    elsewhere.unlink()
    with SessionWriter.open(session_path) as writer:
        writer.add_mark(Mark(T0, "alone again"))
