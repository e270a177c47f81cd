"""A full disk: one clear failure, and a file that holds everything that was stored before."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from resources.failures import DiskFullError
from sessions.export import export_session
from sessions.store import SessionReader, SessionWriter, check_session, encode_block
from tests.sessions.synthetic import Capture, capture


def append_all(writer: SessionWriter, taken: Capture, layout: int, stored: list[int]) -> None:
    for at, row in zip(taken.times.tolist(), taken.stored, strict=True):
        writer.append_ticks([(layout, at, row)])
        stored.append(at)


def fill(writer: SessionWriter, taken: Capture, layout: int) -> int:
    """Append ticks until the disk is full; returns how many were stored."""
    stored: list[int] = []
    with pytest.raises(DiskFullError, match="full") as caught:
        append_all(writer, taken, layout, stored)
    assert caught.value.advice
    return len(stored)


def assert_intact(path: Path, taken: Capture, ticks: int) -> None:
    assert check_session(path, thorough=True) == []
    with SessionReader.open(path) as reader:
        ids = np.array([series.id for series in reader.series()])
        (frame,) = reader.read(ids)
        assert frame.times.tolist() == taken.times[:ticks].tolist()
        assert np.array_equal(frame.values, taken.canonical[:ticks], equal_nan=True)


def test_ticks_fill_a_real_disk(tiny_disk: Path) -> None:
    taken, path = capture(ticks=3000, vms=40), tiny_disk / "s.hscope"
    writer = SessionWriter.create(path)
    _, _, layout = taken.declare(writer)
    stored = fill(writer, taken, layout)
    assert stored > 100
    with pytest.raises(ValueError, match="failed"):
        writer.append_ticks([(layout, int(taken.times[stored]), taken.stored[stored])])
    writer.close()
    assert_intact(path, taken, stored)


def test_a_block_that_does_not_fit_a_real_disk(tiny_disk: Path) -> None:
    taken, path = capture(ticks=2000, vms=60), tiny_disk / "s.hscope"
    writer = SessionWriter.create(path)
    _, _, layout = taken.declare(writer)
    writer.add_block(layout, encode_block(taken.times[:100], taken.stored[:100]))
    with pytest.raises(DiskFullError):
        writer.add_block(layout, encode_block(taken.times[100:], taken.stored[100:]))
    writer.close()
    assert_intact(path, taken, 100)


def test_a_failed_import_leaves_nothing_on_a_full_disk(tiny_disk: Path) -> None:
    taken, path = capture(ticks=3000, vms=40), tiny_disk / "s.hscope"
    writer = SessionWriter.create(path)
    _, _, layout = taken.declare(writer)
    fill(writer, taken, layout)
    writer.discard()
    assert list(tiny_disk.iterdir()) == []


def test_no_room_for_a_session_at_all(tiny_disk: Path) -> None:
    (tiny_disk / "ballast").write_bytes(bytes((1 << 20) - 8192))
    with pytest.raises(DiskFullError):
        SessionWriter.create(tiny_disk / "s.hscope")
    assert [path.name for path in tiny_disk.iterdir()] == ["ballast"]


@pytest.mark.parametrize("pages", [40, 90, 200])
def test_a_file_that_may_not_grow(session_path: Path, pages: int) -> None:
    """Everywhere, and without a disk: SQLite itself says that the database is full."""
    taken = capture(ticks=3000, vms=40)
    writer = SessionWriter.create(session_path, durable=False)
    _, _, layout = taken.declare(writer)
    writer._database.pragma(f"max_page_count = {pages}")
    stored = fill(writer, taken, layout)
    writer.close()
    assert [path.name for path in session_path.parent.iterdir()] == [session_path.name]
    assert_intact(session_path, taken, stored)


def test_recording_goes_on_once_there_is_room(session_path: Path) -> None:
    taken = capture(ticks=600, vms=40)
    writer = SessionWriter.create(session_path, durable=False)
    _, _, layout = taken.declare(writer)
    writer._database.pragma("max_page_count = 90")
    stored = fill(writer, taken, layout)
    writer.close()
    with SessionWriter.open(session_path, durable=False) as again:
        for at, row in zip(taken.times[stored:].tolist(), taken.stored[stored:], strict=True):
            again.append_ticks([(layout, at, row)])
    assert_intact(session_path, taken, taken.times.size)


def test_an_export_that_does_not_fit_leaves_nothing(tiny_disk: Path, tmp_path: Path) -> None:
    capture(ticks=2000, vms=40).write(tmp_path / "s.hscope")
    with SessionReader.open(tmp_path / "s.hscope") as reader, pytest.raises(DiskFullError) as caught:
        export_session(reader, tiny_disk / "out", kind="csv")
    assert str(caught.value).endswith("Nothing was kept. Make room there.")
    assert list(tiny_disk.iterdir()) == []
