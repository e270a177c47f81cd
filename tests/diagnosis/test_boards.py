"""Both boards on one run of the lab count what each of them counts on a run of its own."""

from __future__ import annotations

from pathlib import Path

from benchmarks import boards, scoreboard
from benchmarks.shown import ESXTOP, VCENTER

NAME = "guest-tools-stopped"


def test_one_run_gives_what_two_give() -> None:
    task = NAME, 7
    _, (esxtop, vcenter) = boards.play(task)
    assert (esxtop, vcenter) == tuple(scoreboard.play(task, shown)[1] for shown in (ESXTOP, VCENTER))


def test_each_board_resumes_from_the_file_of_both(tmp_path: Path) -> None:
    out = tmp_path / "both.jsonl"
    first = boards.run([7], NAME, workers=1, out=out)
    lines = out.read_bytes()
    assert lines.count(b"\n") == 2
    alone = scoreboard.run([7], NAME, workers=1, shown=VCENTER, out=out)
    assert alone.problems == first[1].problems
    assert out.read_bytes() == lines
