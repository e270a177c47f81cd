"""A killed anonymiser's hidden file is removed by the next run, and a full disk names what was asked for."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from resources.failures import DiskFullError
from sessions.anonymous import write_anonymised
from sessions.store import SessionReader, SessionWriter
from sessions.store.lock import WriterLock
from tests.sessions.synthetic import capture

KILLED = """
import os, signal, sys
from pathlib import Path
from sessions.anonymous import write_anonymised
from sessions.store import SessionReader
with SessionReader.open(Path(sys.argv[1])) as reader:
    write_anonymised(reader, Path(sys.argv[2]), progress=lambda part: os.kill(os.getpid(), signal.SIGKILL))
"""


@pytest.fixture
def session(tmp_path: Path) -> Path:
    taken, path = capture(ticks=600, vms=40), tmp_path / "original" / "s.hscope"
    path.parent.mkdir()
    with SessionWriter.create(path, durable=False) as writer:
        _, _, layout = taken.declare(writer)
        for at, row in zip(taken.times.tolist(), taken.stored, strict=True):
            writer.append_ticks([(layout, at, row)])
    return path


def hidden(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir() if one.name.startswith("."))


def made_old(folder: Path) -> None:
    for one in folder.iterdir():
        os.utime(one, (time.time() - 3600,) * 2, follow_symlinks=os.utime not in os.supports_follow_symlinks)


@pytest.mark.skipif(sys.platform == "win32", reason="no signal that kills")
def test_what_a_killed_run_left_is_removed_by_the_next_one(session: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    died = subprocess.run([sys.executable, "-c", KILLED, session, folder / "a.hscope"], check=False)
    assert died.returncode == -9
    assert any(name.endswith(".hscope") for name in hidden(folder))
    with SessionReader.open(session) as reader:
        write_anonymised(reader, folder / "b.hscope")
        assert hidden(folder), "a young one may be another run's, about to get its name"
        made_old(folder)
        write_anonymised(reader, folder / "c.hscope")
    assert sorted(one.name for one in folder.iterdir()) == ["b.hscope", "c.hscope"]


def test_nothing_else_is_removed(session: Path, tmp_path: Path) -> None:
    """Not what a living run writes, no link, no file with two names, no other name."""
    folder = tmp_path / "out"
    folder.mkdir()
    written = folder / ".hyperscope-0123456789ab.hscope"
    kept = [folder / ".hyperscope-notes.hscope", folder / ".hyperscope-0123456789ac.hscope.bak"]
    for one in (written, *kept):
        one.write_bytes(b"mine")
    (tmp_path / "victim").write_bytes(b"precious")
    linked = folder / ".hyperscope-0123456789ad.hscope"
    linked.symlink_to(tmp_path / "victim")
    two = folder / ".hyperscope-0123456789ae.hscope"
    two.hardlink_to(tmp_path / "victim")
    made_old(folder)
    lock = WriterLock(written)
    try:
        with SessionReader.open(session) as reader:
            write_anonymised(reader, folder / "a.hscope")
    finally:
        lock.release()
    assert all(one.exists() for one in (written, *kept, two))
    assert linked.is_symlink()
    assert (tmp_path / "victim").read_bytes() == b"precious"


def test_a_full_disk_names_the_session_that_was_asked_for(session: Path, tiny_disk: Path) -> None:
    assert session.stat().st_size > 100_000
    (tiny_disk / "ballast").write_bytes(bytes((1 << 20) - 120_000))
    with SessionReader.open(session) as reader, pytest.raises(DiskFullError) as caught:
        write_anonymised(reader, tiny_disk / "to-support.hscope")
    assert str(caught.value) == (
        "The disk that holds to-support.hscope is full. Nothing was kept of it. "
        "Make room there, or choose another disk."
    )
    assert [one.name for one in tiny_disk.iterdir()] == ["ballast"]
