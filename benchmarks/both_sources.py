"""The scoreboard of diagnosis on sessions with both sources: esxtop of all hosts and the vCenter of the same
site.

    python -m benchmarks.both_sources --seeds 3 [--first-seed N] [--scenario GLOB] [--written-from text]
                                      [--misses]

The true problems are those that either source shows, each once: what is told twice, of the same entity as
each source calls it, is a miss that is counted apart.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from functools import cache

from benchmarks.judging import judge, judge_checks
from benchmarks.scoreboard import WRITTEN_HELP, chosen_scenarios
from benchmarks.scores import Board, Score, markdown
from benchmarks.shown import ESXTOP
from diagnosis import diagnose_session
from lab import Lab, Scenarios, load_scenarios, vcenter_document
from resources.catalogue import Catalogue, load_catalogue
from resources.problem_cards import Problems, load_problems
from sessions.findings import Finding
from tests.vcenter_lab.vcenter_session import vcenter_session

TWICE = "told twice"


def play(name: str, seed: int) -> dict[str, Score]:
    """Simulate one scenario, show it through both sources in one session, diagnose it; return its scores by
    problem.
    """
    problems, catalogue, scenarios = _knowledge()
    lab, session = ESXTOP.play(scenarios[name], seed, catalogue)
    document = vcenter_document(Lab(scenarios[name], seed=seed), catalogue=catalogue)
    diagnosis = diagnose_session(vcenter_session(document, catalogue, session), problems, catalogue)
    truth, where = lab.truth(), f"{name} seed {seed} (both sources)"
    scores = judge(truth, diagnosis.findings, lab.start_ms, where)
    judge_checks(truth, diagnosis, scores, where)
    for problem, entity in told_twice(diagnosis.findings):
        scores.setdefault(problem, Score()).misses.append(f"{where}: {TWICE}: {problem} of {entity}")
    return scores


def told_twice(findings: Sequence[Finding]) -> list[tuple[str, str]]:
    """Return problem and entity's name of what more than one finding tells."""
    told = Counter((one.problem, one.entity.kind, one.entity_name) for one in findings)
    return [(problem, name) for (problem, _, name), count in told.items() if count > 1]


@cache
def _knowledge() -> tuple[Problems, Catalogue, Scenarios]:
    return load_problems(), load_catalogue(), load_scenarios()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the board from the command line; returns exit code 1 when a goal is missed."""
    parser = argparse.ArgumentParser(prog="both_sources", description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--scenario", default="*", help="scenarios whose id matches this pattern")
    parser.add_argument("--written-from", default="*", choices=("cards", "text", "*"), help=WRITTEN_HELP)
    parser.add_argument("--misses", action="store_true", help="say what was missed, mistaken or raised")
    options = parser.parse_args(arguments)
    board = Board(options.seeds)
    for name in chosen_scenarios(options.scenario, options.written_from):
        for seed in range(options.first_seed, options.first_seed + options.seeds):
            board.add(name, play(name, seed))
    print(markdown(board))
    lines = board.overall.misses
    if options.misses:
        print("\n".join(lines))
    twice = sum(f": {TWICE}: " in line for line in lines)
    print(f"{twice} findings are told twice.")
    missed_goals = board.missed_goals()
    print("\n".join(missed_goals))
    return 1 if missed_goals or twice else 0


if __name__ == "__main__":
    sys.exit(main())
