"""The scoreboard's file of outcomes: what is there is not played again, what is damaged is."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchmarks.scoreboard
from benchmarks.board_log import BoardLog, fingerprint
from benchmarks.scoreboard import run
from benchmarks.scores import Score
from benchmarks.shown import Shown

RUNS = [("a", 1), ("a", 2), ("b", 1)]


def test_outcomes_come_back_and_those_of_other_code_do_not(tmp_path: Path) -> None:
    log, other = BoardLog(tmp_path / "board.jsonl", "one"), BoardLog(tmp_path / "board.jsonl", "two")
    assert log.known(RUNS) == {}
    log.add(("a", 1), {"cpu.limit": {"truths": 1}})
    other.add(("a", 2), {})
    assert log.known(RUNS) == {("a", 1): {"cpu.limit": {"truths": 1}}}
    assert other.known(RUNS) == {("a", 2): {}}
    assert log.known([("b", 1)]) == {}


@pytest.mark.parametrize("damage", [b'{"scen', b"\xff\xfe\n", b'{"scenario": 1}\n', b'"\xc3'])
def test_a_line_that_was_cut_off_is_passed_over(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "board.jsonl"
    log = BoardLog(path, "one")
    log.add(("a", 1), {})
    with path.open("ab") as file:
        file.write(damage)
    log.add(("b", 1), {})
    assert log.known(RUNS) == {("a", 1): {}, ("b", 1): {}}


def test_a_file_that_cannot_be_written_is_refused_before_anything_is_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "nowhere" / "board.jsonl"
    assert benchmarks.scoreboard.main(["--scenario", "cpu-*", "--seeds", "100", "--out", str(out)]) == 2
    said = capsys.readouterr()
    assert said.err == (
        f"{out} can't be written: No such file or directory. Nothing was played; choose another file.\n"
    )
    assert said.out == ""


def test_a_board_is_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[tuple[str, int]] = []

    def play(task: tuple[str, int], shown: Shown) -> tuple[tuple[str, int], dict[str, Score]]:
        played.append(task)
        return task, {"cpu.limit": Score(truths=1, found=1, cause_right=task[1] % 2, misses=[str(task)])}

    monkeypatch.setattr(benchmarks.scoreboard, "play", play)
    told: list[tuple[int, int, int]] = []
    some = "healthy-[hlm]*"  # three of them
    first = run([1, 2], some, 1, out=tmp_path / "b.jsonl")
    again = run(
        [1, 2, 3], "healthy-[hlm]*", 1, out=tmp_path / "b.jsonl", progress=lambda *one: told.append(one)
    )
    assert [seed for _, seed in played] == [1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert told == [(7, 9, 7), (8, 9, 8), (9, 9, 9)]
    assert (first.overall.truths, again.overall.truths) == (6, 9)
    assert again.overall.cause_right == 6
    assert len(again.scenarios) == 3


def test_the_fingerprint_is_the_same_until_code_changes() -> None:
    assert fingerprint() == fingerprint()
