"""Both boards of diagnosis on one run of the lab: each scenario is simulated once, and shown to both.

    python -m benchmarks.boards --seeds 100 [--scenario GLOB] [--workers N] [--out FILE.jsonl] [--misses]

The boards are those of ``benchmarks.scoreboard`` and ``benchmarks.vcenter_board``, to the letter; the lines
in ``--out`` are those that these two write, and each of them resumes from the same file.
"""

from __future__ import annotations

import argparse
import gc
import multiprocessing
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import msgspec

from benchmarks.board_log import BoardLog, Run, fingerprint, refusal_of
from benchmarks.scoreboard import (
    Progress,
    add_board_options,
    chosen_scenarios,
    knowledge,
    print_board,
    progress_printer,
    scores_of,
)
from benchmarks.scores import Board, Score
from benchmarks.shown import ESXTOP, VCENTER, play_both

BOTH = (ESXTOP, VCENTER)
_GARBAGE = (50_000, 20, 50)
"""Objects before garbage is searched for: with Python's own thresholds that is a tenth of a board's time."""
_CHUNK = 2
_BLOCK = 10
"""Seeds of which a scenario is played one after the other: a processor keeps what it is made of."""
_RUNS = 400
"""Runs after which a worker ends and another one begins: an old one is a quarter slower."""
Scores = tuple[dict[str, Score], ...]
"""The scores by problem of one run, of each board."""


def run(
    seeds: Sequence[int],
    pattern: str = "*",
    workers: int = 2,
    *,
    out: Path | None = None,
    progress: Progress | None = None,
    written_from: str = "*",
) -> tuple[Board, ...]:
    """Simulate every scenario that matches ``pattern`` once a seed, and diagnose what each board shows; see
    ``scoreboard.run`` for the parameters. What only one of the boards has in ``out`` is played again.
    """
    names = chosen_scenarios(pattern, written_from)
    blocks = [seeds[first : first + _BLOCK] for first in range(0, len(seeds), _BLOCK)]
    tasks = [(name, seed) for block in blocks for name in names for seed in block]
    boards = tuple(Board(len(seeds)) for _ in BOTH)
    begin = time.perf_counter()
    code = fingerprint() if out else ""
    logs = [BoardLog(out, f"{code} {shown.label}") for shown in BOTH] if out else []
    known = [log.known(tasks) for log in logs] or [{} for _ in BOTH]
    for board, results in zip(boards, known, strict=True):
        for task, problems in results.items():
            board.add(task[0], msgspec.convert(problems, dict[str, Score]))
    left = [task for task in tasks if any(task not in results for results in known)]
    for done, (task, found) in enumerate(_results(left, workers), start=len(tasks) - len(left) + 1):
        for number, scores in enumerate(found):
            if task in known[number]:
                continue
            boards[number].add(task[0], scores)
            if logs:
                logs[number].add(task, {problem: asdict(score) for problem, score in scores.items()})
        if progress:
            wrong = sum(len(score.misses) for board in boards for score in board.problems.values())
            progress(done, len(tasks), wrong)
    for board in boards:
        board.seconds = time.perf_counter() - begin
    return boards


def _results(tasks: Sequence[Run], workers: int) -> Iterator[tuple[Run, Scores]]:
    if workers <= 1:
        yield from map(play, tasks)
        return
    spawn = multiprocessing.get_context("spawn")
    with spawn.Pool(workers, initializer=_keep_knowledge, maxtasksperchild=_RUNS // _CHUNK) as pool:
        yield from pool.imap_unordered(play, tasks, chunksize=_CHUNK)


def _keep_knowledge() -> None:
    """Read what is known once, and leave it out of every search for garbage, of which a run leaves little."""
    knowledge()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_GARBAGE)


def play(task: Run) -> tuple[Run, Scores]:
    """Simulate one scenario with one seed; return the run with what each board counts."""
    name, seed = task
    _, catalogue, scenarios = knowledge()
    lab, *sessions = play_both(scenarios[name], seed, catalogue)
    pairs = zip(sessions, BOTH, strict=True)
    return task, tuple(scores_of(task, lab, session, shown) for session, shown in pairs)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run both boards from the command line; returns exit code 1 when a goal is missed."""
    parser = argparse.ArgumentParser(prog="boards", description=__doc__.splitlines()[0])
    add_board_options(parser, seeds=100, files=False)
    options = parser.parse_args(arguments)
    if options.out and (refused := refusal_of(options.out)):
        print(refused, file=sys.stderr)
        return 2
    boards = run(
        range(options.first_seed, options.first_seed + options.seeds),
        options.scenario,
        options.workers,
        out=options.out,
        progress=progress_printer(),
        written_from=options.written_from,
    )
    codes = []
    for board, shown in zip(boards, BOTH, strict=True):
        print(f"# {shown.label}\n")
        codes.append(print_board(board, misses=options.misses))
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
