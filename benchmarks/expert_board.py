"""How the product's verdicts stand against an expert's, over the scenarios of tests/diagnosis/expert.

    python -m benchmarks.expert_board [--scenario GLOB] [--family GLOB] [--view VIEW] [--seeds N]
                                      [--misses] [--read GLOB] [--goals] [--mended]

Prints, for each family, recall (problems found, with severity), precision (against warnings of what is fine),
first cause, right time, right verdicts (of all claims), and with ``--misses`` each claim that is not met with
the expert's text. ``--read`` prints what an admin reads of each finding of the scenarios that match.
``--mended`` takes known misses that are right now off tests/diagnosis/expert/known_misses.toml.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from fnmatch import fnmatch

from benchmarks.scores import GOAL_CAUSE, GOAL_PRECISION, GOAL_RECALL, GOAL_VERDICTS
from diagnosis import Diagnosis
from tests.diagnosis.expert.judging import Claim, claims
from tests.diagnosis.expert.known_misses import known_misses, take_off
from tests.diagnosis.expert.scenarios import Scenario, View, diagnosed, scenarios, views

GOAL = {
    "recall": GOAL_RECALL,
    "precision": GOAL_PRECISION,
    "first cause": GOAL_CAUSE,
    "verdicts": GOAL_VERDICTS,
}


class Family:
    """Claims of one family of scenarios, by kind."""

    def __init__(self) -> None:
        self.right: Counter[str] = Counter()
        self.all: Counter[str] = Counter()

    def add(self, claim: Claim) -> None:
        """Count one claim."""
        self.all[claim.kind] += 1
        self.right[claim.kind] += claim.is_right

    def share(self, *kinds: str) -> float:
        """The share of right claims of these kinds, 0 to 1; of all without a kind."""
        chosen = kinds or tuple(self.all)
        total = sum(self.all[kind] for kind in chosen)
        return sum(self.right[kind] for kind in chosen) / total if total else 1.0

    def scores(self) -> dict[str, float]:
        """The numbers of the board; a false alarm is a finding of nothing."""
        found = self.right["found"]
        alarms = self.all["alarm"] + self.all["absent"] - self.right["absent"]
        return {
            "recall": self.share("found"),
            "precision": found / (found + alarms) if found + alarms else 1.0,
            "first cause": self.share("cause"),
            "verdicts": self.share(),
        }


class Board:
    """Plays scenarios and counts their claims by family."""

    def __init__(self, prints_misses: bool, read_glob: str) -> None:
        self.families: dict[str, Family] = {}
        self.mended: list[tuple[str, str, str]] = []
        self._prints_misses, self._read_glob = prints_misses, read_glob

    def play(self, name: str, view: View, seed: int) -> None:
        """Diagnose one scenario and count its claims."""
        one = scenarios()[name]
        diagnosis = diagnosed(one, view, seed)
        told = list(claims(one.only.get(view, one.reading), diagnosis))
        for family in (one.family, "all"):
            for claim in told:
                self.families.setdefault(family, Family()).add(claim)
        if seed == 1:
            wrong = {claim.key for claim in told if not claim.is_right}
            known = known_misses().get((name, view), {})
            self.mended += [(name, view, key) for key in known if key not in wrong]
        if self._prints_misses:
            _print_misses(one, view, seed, told)
        if self._read_glob and fnmatch(name, self._read_glob):
            read(one, view, diagnosis)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the board; returns 1 where a goal is missed and goals were asked for."""
    parser = argparse.ArgumentParser(prog="expert_board", description=__doc__.splitlines()[0])
    parser.add_argument("--scenario", default="*")
    parser.add_argument("--family", default="*", help="of these files of cases (without .toml) alone")
    parser.add_argument("--view", default="*")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--read", default="", help="print the findings of scenarios whose id matches")
    parser.add_argument("--goals", action="store_true", help="exit with 1 where a goal is missed")
    parser.add_argument(
        "--mended", action="store_true", help="take mended claims off the list of known misses"
    )
    options = parser.parse_args(arguments)
    board = Board(options.misses, options.read)
    for name, view in views():
        is_of_family = fnmatch(scenarios()[name].family, options.family)
        if is_of_family and fnmatch(name, options.scenario) and fnmatch(view, options.view):
            for seed in range(1, options.seeds + 1):
                board.play(name, view, seed)
    print(table(board.families))
    for mended in board.mended:
        print("mended: {} ({}): {}".format(*mended))
    if options.mended:
        take_off(board.mended)
    scores = board.families["all"].scores() if board.families else {}
    missed = [
        f"{what} {scores[what]:.3f}, goal {goal}" for what, goal in GOAL.items() if scores.get(what, 1) < goal
    ]
    print("\n".join(missed))
    return 1 if missed and options.goals else 0


def _print_misses(one: Scenario, view: View, seed: int, told: Sequence[Claim]) -> None:
    known = known_misses().get((one.id, view), {})
    wrong = [claim for claim in told if not claim.is_right]
    if wrong:
        print(f"\n{one.id} ({view}, seed {seed}): {one.what.strip()}")
    for claim in wrong:
        why = f"  [known: {known[claim.key]}]" if claim.key in known else ""
        print(f"  - {claim.key}{why}\n      expert: {claim.text}\n      product: {claim.instead[:600]}")


def read(one: Scenario, view: View, diagnosis: Diagnosis) -> None:
    """Print every finding as an admin reads it."""
    start = diagnosis.window.start if diagnosis.window else 0
    print(f"\n===== {one.id} ({view}): {one.what.strip()}")
    for finding in diagnosis.findings:
        when = ", ".join(
            f"{(w.start - start) / 1000:.0f}-{(w.end - start) / 1000:.0f}" for w in finding.windows[:4]
        )
        print(
            f"* {finding.severity} {finding.problem} of {finding.entity_name} [{when} s]:", finding.conclusion
        )
        for cause in finding.causes:
            print(f"    {cause.verdict} <{cause.cause}> {cause.title}. {cause.because}")
        for remedy in finding.remedies:
            print(f"    > {remedy}")
        for note in finding.notes:
            print(f"    note: {note}")
        if finding.consequence_of:
            print(f"    consequence of {finding.consequence_of[0]}")


def table(families: dict[str, Family]) -> str:
    """The board as a Markdown table."""
    lines = [
        "| family | claims | recall | precision | first cause | in time | verdicts right |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name, one in sorted(families.items(), key=lambda item: (item[0] == "all", item[0])):
        score = one.scores()
        lines.append(
            f"| {name} | {sum(one.all.values())} | {score['recall']:.3f} | {score['precision']:.3f} | "
            f"{score['first cause']:.3f} | {one.share('when'):.3f} | {score['verdicts']:.3f} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
