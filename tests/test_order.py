"""Tests of the tests' own tools: the order that workers take them in, and files that are made once a run."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.made_once import FOLDER, copy_of
from tests.order import long_ones_first

ROOT = Path(__file__).resolve().parents[1]


def test_long_tests_begin_two_of_three_shares() -> None:
    tests = [*range(1, 7), *range(-1, -7, -1)]
    dealt = long_ones_first(tests, 3, lambda test: test < 0)
    assert sorted(dealt) == sorted(tests)
    shares = [dealt[at : at + 4] for at in range(0, 12, 4)]
    assert shares == [[-1, -3, -5, 1], [-2, -4, -6, 2], [3, 4, 5, 6]]


def test_windows_are_one_after_another() -> None:
    tests = [*range(1, 9), *range(-1, -9, -1)]
    dealt = long_ones_first(tests, 4, lambda test: test < 0, lambda test: test in {-2, -5})
    shares = [dealt[at : at + 4] for at in range(0, 16, 4)]
    assert shares == [[-2, -5, 1, 2], [-1, -3, -4, -6], [-7, -8, 3, 4], [5, 6, 7, 8]]


@pytest.mark.parametrize("workers", range(2, 9))
@pytest.mark.parametrize("long", [0, 1, 7, 30, 60])
@pytest.mark.parametrize("windows", [0, 1, 5])
def test_no_test_is_lost_or_dealt_twice(workers: int, long: int, windows: int) -> None:
    dealt = long_ones_first(range(60), workers, lambda test: test < long, lambda test: test < windows)
    assert sorted(dealt) == list(range(60))
    short = [test for test in dealt if test >= long]
    assert short == sorted(short)
    assert not long or dealt[0] == 0


def test_processes_make_a_file_once(tmp_path: Path) -> None:
    program = f"""
import os, sys, time
from pathlib import Path
from tests.made_once import copy_of
def make(path):
    with open({str(tmp_path / "makers")!r}, "a") as makers:
        makers.write("x")
    time.sleep(0.3)
    path.write_text("made")
copy_of("a thing", Path(sys.argv[1]), make)
"""
    children = [
        subprocess.Popen([sys.executable, "-c", program, str(tmp_path / name)], cwd=ROOT) for name in "abc"
    ]
    assert [child.wait(300) for child in children] == [0, 0, 0]
    assert [(tmp_path / name).read_text() for name in "abc"] == ["made"] * 3
    assert (tmp_path / "makers").read_text() == "x"


def test_what_could_not_be_made_is_tried_again(tmp_path: Path) -> None:
    def fail(_path: Path) -> None:
        raise OSError("no room")

    with pytest.raises(OSError, match="no room"):
        copy_of("a thing that fails", tmp_path / "a", fail)
    copy_of("a thing that fails", tmp_path / "a", lambda path: path.write_text("now"))
    assert (tmp_path / "a").read_text() == "now"


def test_a_copy_is_the_callers_own(tmp_path: Path) -> None:
    for name in ("a", "b"):
        copy_of("a thing to change", tmp_path / name, lambda path: path.write_text("as it was"))
        (tmp_path / name).write_text("changed")
    copy_of("a thing to change", tmp_path / "c", lambda _path: None)
    assert (tmp_path / "c").read_text() == "as it was"


def test_outside_a_run_everybody_makes_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(FOLDER)
    with ThreadPoolExecutor() as pool:
        done = pool.map(lambda name: copy_of("x", tmp_path / name, lambda path: path.write_text(name)), "ab")
        assert [path.read_text() for path in done] == ["a", "b"]
