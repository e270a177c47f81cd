"""The scoreboard of diagnosis on vCenter sessions: the lab's scenarios as vCenter's counters show them.

    python -m benchmarks.vcenter_board --seeds 3 [--first-seed N] [--scenario GLOB] [--misses]

The true problems are those of the esxtop board with two differences. "Too few samples" is a problem of the
vCenter, not of a host. A scenario may say that vCenter does not show its problem (``not_in_vcenter``): then
only false alarms count. A cause that needs esxtop by its card counts as right when it comes first, even with
the verdict "unknown".
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from benchmarks.scoreboard import (
    WRITTEN_HELP,
    Board,
    Score,
    chosen_scenarios,
    judge,
    judge_checks,
    markdown,
)
from diagnosis import diagnose_session
from lab import GroundTruth, Lab, Truth, load_scenarios, vcenter_document
from resources.catalogue import Catalogue, load_catalogue
from resources.problem_cards import Problems, load_problems
from sessions.model import SampleSource
from tests.sessions.memory_session import MemorySession
from tests.vcenter_lab.vcenter_session import vcenter_session


def play(
    scenario: str, seed: int, problems: Problems, catalogue: Catalogue
) -> tuple[MemorySession, dict[str, Score]]:
    """Simulate one scenario, show it through vCenter's counters, diagnose
    it: its session and its scores by problem.
    """
    chosen = load_scenarios()[scenario]
    lab = Lab(chosen, seed=seed)
    session = vcenter_session(vcenter_document(lab, catalogue=catalogue), catalogue)
    diagnosis = diagnose_session(session, problems, catalogue)
    truth = lab.truth().seen_in("vcenter")
    there = () if chosen.not_in_vcenter else tuple(dict.fromkeys(seen_by_vcenter(truth.truth, session)))
    seen = GroundTruth(there, truth.also)
    where = f"{scenario} seed {seed}"
    scores = judge(seen, diagnosis.findings, lab.start_ms, where)
    judge_checks(seen, diagnosis, scores, where)
    return session, scores


def seen_by_vcenter(truths: Sequence[Truth], session: SampleSource) -> Iterator[Truth]:
    """Yield the true problems as a vCenter session names them.

    Where the host is the entity of "too few samples" in esxtop, the entity here is the vCenter.
    """
    source = session.sources()[0]
    for truth in truths:
        if truth.problem == "data.insufficient":
            yield replace(truth, kind="vcenter", name=source.spec.name)
        else:
            yield truth


def run(seeds: Sequence[int], pattern: str = "*", written_from: str = "*") -> Board:
    """Simulate and diagnose every scenario that matches ``pattern``, once a seed."""
    problems, catalogue = load_problems(), load_catalogue()
    board = Board(len(seeds))
    begin = time.perf_counter()
    for name in chosen_scenarios(pattern, written_from):
        for seed in seeds:
            board.add(name, play(name, seed, problems, catalogue)[1])
    board.seconds = time.perf_counter() - begin
    return board


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the board from the command line; returns exit code 1 when a goal is missed."""
    parser = argparse.ArgumentParser(prog="vcenter_board", description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--scenario", default="*", help="scenarios whose id matches this pattern")
    parser.add_argument("--written-from", default="*", choices=("cards", "text", "*"), help=WRITTEN_HELP)
    parser.add_argument("--misses", action="store_true", help="say what was missed, mistaken or raised")
    options = parser.parse_args(arguments)
    board = run(
        range(options.first_seed, options.first_seed + options.seeds), options.scenario,
        options.written_from,
    )  # fmt: skip
    print(markdown(board))
    if options.misses:
        print("\n".join(line for score in board.problems.values() for line in score.misses))
    missed_goals = board.missed_goals()
    print("\n".join(missed_goals))
    return 1 if missed_goals else 0


if __name__ == "__main__":
    sys.exit(main())
