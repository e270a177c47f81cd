"""Rows that a worker parses before it knows what they mean: the same session, whatever it got to parse."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from collectors.esxtop.fixed_point import read_hundredths
from collectors.esxtop.importing import import_captures
from collectors.esxtop.plan import Piece
from collectors.esxtop.read_ahead import RowsAhead
from collectors.worker_process import start_ahead
from sessions.store import Int32Array
from tests.esxtop.captures import START, Session, Style, Written, capture

ROWS = 300
ENOUGH = 64 << 20


def always() -> bool:
    return True


def rows_of(file: Path, begin: int = 0, end: int | None = None, *, longer: int = 0) -> Piece:
    """The file's rows as a piece; they end ``longer`` bytes after where they do."""
    data = file.read_bytes()
    ends = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n"))
    starts, ends = (ends[:-1] + 1)[begin:end], ends[1:][begin:end] + longer
    some = np.arange(len(starts))
    return Piece(1, 0, file, False, starts, ends, some, some, 0, False, None)


def parsed(piece: Piece, width: int) -> Int32Array:
    data = piece.path.read_bytes()
    values = read_hundredths(data, piece.starts.tolist(), piece.ends.tolist(), width)
    assert values is not None
    return values


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return capture(ROWS).save(tmp_path / "a.csv")


@pytest.fixture
def width() -> int:
    return len(capture(1).columns)


def test_rows_ahead_are_what_the_file_has(file: Path, width: int) -> None:
    ahead = RowsAhead()
    ahead.read(file, always, ENOUGH)
    piece = rows_of(file, 7)
    begin, parts = 0, []
    while begin < len(piece.starts):
        part = ahead.take(piece, begin, width)
        assert part is not None
        parts.append(part)
        begin += len(part)
    assert np.array_equal(np.concatenate(parts), parsed(piece, width))


def test_rows_that_are_none_of_the_file_s_are_not_there(file: Path, width: int) -> None:
    ahead = RowsAhead()
    ahead.read(file, always, ENOUGH)
    assert ahead.take(rows_of(file), 0, width + 1) is None
    assert ahead.take(rows_of(file, longer=-1), 0, width) is None
    other = capture(ROWS).save(file.with_name("b.csv"))
    assert ahead.take(rows_of(other), 0, width) is None


def test_a_row_left_out_ends_what_is_taken_at_once(file: Path, width: int) -> None:
    ahead = RowsAhead()
    ahead.read(file, always, ENOUGH)
    whole = rows_of(file)
    kept = np.delete(np.arange(ROWS), 5)
    piece = Piece(1, 0, file, False, whole.starts[kept], whole.ends[kept], kept, kept, 0, False, None)
    first, then = ahead.take(piece, 0, width), ahead.take(piece, 5, width)
    assert first is not None
    assert then is not None
    assert len(first) == 5
    assert np.array_equal(then, parsed(whole, width)[6 : 6 + len(then)])


def test_rows_that_were_passed_are_forgotten(tmp_path: Path, width: int) -> None:
    file = capture(4000).save(tmp_path / "a.csv")
    ahead = RowsAhead()
    ahead.read(file, always, ENOUGH)
    assert ahead.take(rows_of(file), 3999, width) is not None
    assert ahead.take(rows_of(file), 0, width) is None


def test_reading_stops_when_it_is_not_wanted(file: Path, width: int) -> None:
    ahead = RowsAhead()
    ahead.read(file, lambda: False, ENOUGH)
    assert ahead.take(rows_of(file), 0, width) is None


def test_reading_stops_when_memory_is_full(tmp_path: Path, width: int) -> None:
    file = capture(4000).save(tmp_path / "a.csv")
    ahead = RowsAhead()
    ahead.read(file, always, 100_000)
    assert ahead.take(rows_of(file), 0, width) is not None
    assert ahead.take(rows_of(file), 3999, width) is None


def test_what_is_not_written_by_esxtop_has_no_rows(tmp_path: Path) -> None:
    styles = [Style(quote=""), Style(delimiter=";", decimal=",")]
    for number, style in enumerate(styles):
        written = Written(capture(ROWS).columns, capture(ROWS).rows, style, START)
        file = written.save(tmp_path / f"{number}.csv")
        ahead = RowsAhead()
        ahead.read(file, always, ENOUGH)
        assert ahead.take(rows_of(file), 0, len(written.columns)) is None


def test_a_file_that_is_no_capture_has_no_rows(tmp_path: Path) -> None:
    ahead = RowsAhead()
    for name, data in (("empty", b""), ("zeros", bytes(100)), ("text", b"a\nb\nc\n")):
        file = tmp_path / name
        file.write_bytes(data)
        ahead.read(file, always, ENOUGH)
    ahead.read(tmp_path / "none", always, ENOUGH)
    assert ahead.take(rows_of(file), 0, 1) is None


def damaged(text: str) -> str:
    lines = text.splitlines(keepends=True)
    lines[50] = lines[50].replace('"12', '"1x2', 1)
    lines[120] = lines[120][:40] + "\n"
    lines[200] = "\n"
    return "".join(lines)


def twice(text: str) -> str:
    return text + text.replace("03/09/2026", "03/10/2026")


def with_returns(text: str) -> str:
    return text.replace("\n", "\r\n")


def unchanged(text: str) -> str:
    return text


@pytest.mark.parametrize("change", [unchanged, damaged, twice, with_returns])
@pytest.mark.parametrize("workers", [1, 2])
def test_an_import_with_workers_started_ahead_is_the_same(
    tmp_path: Path, change: Callable[[str], str], workers: int
) -> None:
    file = tmp_path / "a.csv"
    file.write_bytes(change(capture(4000).text()).encode())
    alone = import_captures([file], tmp_path / "alone.hscope", workers=0)
    report = import_captures(
        [file], tmp_path / "s.hscope", workers=workers, started=start_ahead([file], workers)
    )
    assert (report.rows, report.samples, report.notes) == (alone.rows, alone.samples, alone.notes)
    expected, found = Session.read(tmp_path / "alone.hscope"), Session.read(tmp_path / "s.hscope")
    assert np.array_equal(found.times, expected.times)
    assert found.values.keys() == expected.values.keys()
    for key, values in expected.values.items():
        assert np.array_equal(found.values[key], values, equal_nan=True)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no process is copied")
def test_a_process_is_copied_while_it_has_one_thread_and_no_window() -> None:
    probe = (
        "import sys, threading; from collectors.worker_process import may_fork; print(may_fork());"
        "stop = threading.Event(); thread = threading.Thread(target=stop.wait); thread.start();"
        "print(may_fork()); stop.set(); thread.join();"
        "import PySide6; print(may_fork())"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False", "False"]
