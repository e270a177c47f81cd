"""How good diagnosis is: recall, precision and first cause right, per problem, over the lab's scenarios.

    python -m benchmarks.scoreboard --seeds 200 [--scenario GLOB] [--out FILE.jsonl] [--json FILE]
                                    [--markdown FILE] [--misses]

With ``--out`` the result of every run is appended to a file at once. A run whose result the same code has
already left there is not repeated, so that a long board can be stopped and resumed.

A true problem of the scenario counts as found when a finding names the same problem and entity, overlaps its
time and has its severity (above info, or info where the scenario says so). A finding above info is a false
alarm when it is neither a true problem, nor allowed by the scenario (``also``), nor a consequence of a true
problem.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import msgspec

from benchmarks.board_log import BoardLog, Run, fingerprint
from diagnosis import Diagnosis, diagnose_session
from lab import GroundTruth, Lab, Scenarios, Truth, load_scenarios
from resources.catalogue import Catalogue, load_catalogue
from resources.problem_cards import Problems, load_problems
from sessions.findings import Finding
from sessions.model import EntityRef
from tests.diagnosis.supported_orders import unsupported_orders
from tests.lab.in_memory import lab_session

GOAL_RECALL = 0.97
GOAL_PRECISION = 0.97
GOAL_CAUSE = 0.9
_QUIET = ("healthy", "lookalike")
_PRINT_EVERY_S = 30.0
WRITTEN_HELP = "only scenarios whose author had read the cards, or only the expert's text"

Progress = Callable[[int, int, int], None]
"""Told how many runs are done, of how many, and what went wrong in them."""


@dataclass(slots=True)
class Score:
    """Counts of true problems, findings and false alarms of one problem (or of one scenario).

    ``orders`` counts the steps that findings ask for without a cause that the numbers support. ``any_cause``
    counts the found problems whose scenario asks for no certain first cause, ``checks`` the verdicts.
    """

    truths: int = 0
    found: int = 0
    cause_right: int = 0
    alarms: int = 0
    orders: int = 0
    any_cause: int = 0
    checks: int = 0
    checks_right: int = 0
    misses: list[str] = field(default_factory=list)

    def add(self, other: Score) -> None:
        """Add the counts of another score."""
        self.truths += other.truths
        self.found += other.found
        self.cause_right += other.cause_right
        self.alarms += other.alarms
        self.orders += other.orders
        self.any_cause += other.any_cause
        self.checks += other.checks
        self.checks_right += other.checks_right
        self.misses += other.misses

    @property
    def recall(self) -> float:
        """Fraction of the true problems that were found, 0 to 1."""
        return self.found / self.truths if self.truths else 1.0

    @property
    def precision(self) -> float:
        """Fraction of the findings that are true, 0 to 1."""
        raised = self.found + self.alarms
        return self.found / raised if raised else 1.0

    @property
    def cause(self) -> float:
        """Fraction of the found problems whose first cause is the one that the scenario injected, 0 to 1."""
        asked = self.found - self.any_cause
        return self.cause_right / asked if asked else 1.0

    @property
    def verdicts(self) -> float:
        """Fraction of the checks whose verdict is right, 0 to 1."""
        return self.checks_right / self.checks if self.checks else 1.0

    def document(self) -> dict[str, float | int]:
        """Return the counts and fractions as a JSON-ready dict."""
        return {
            "truths": self.truths,
            "found": self.found,
            "false_alarms": self.alarms,
            "unsupported_orders": self.orders,
            "recall": round(self.recall, 4),
            "precision": round(self.precision, 4),
            "first_cause": round(self.cause, 4),
            "verdicts": round(self.verdicts, 4),
        }


@dataclass(slots=True)
class Board:
    """Scores by problem and by scenario."""

    seeds: int
    problems: dict[str, Score] = field(default_factory=dict)
    scenarios: dict[str, Score] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def overall(self) -> Score:
        """Return the score of all problems together."""
        total = Score()
        for score in self.problems.values():
            total.add(score)
        return total

    def missed_goals(self) -> list[str]:
        """List the missed goals: problems whose recall or precision is
        below 1, quiet scenarios with false alarms.
        """
        below = [
            f"{name}: recall {score.recall:.3f}, precision {score.precision:.3f}, cause {score.cause:.3f}"
            for name, score in sorted(self.problems.items())
            if score.recall < GOAL_RECALL or score.precision < GOAL_PRECISION or score.cause < GOAL_CAUSE
        ]
        loud = [
            f"{name}: {score.alarms} false alarms"
            for name, score in sorted(self.scenarios.items())
            if score.alarms and name.startswith(_QUIET)
        ]
        ordered = [
            f"{name}: {score.orders} steps ordered without a cause that the numbers support"
            for name, score in sorted(self.problems.items())
            if score.orders
        ]
        return below + loud + ordered

    def add(self, scenario: str, scores: Mapping[str, Score]) -> None:
        """Add the scores of one run of a scenario."""
        row = self.scenarios.setdefault(scenario, Score())
        for problem, score in scores.items():
            self.problems.setdefault(problem, Score()).add(score)
            row.add(score)

    def document(self) -> dict[str, object]:
        """Return the board as a JSON-ready dict."""
        return {
            "seeds": self.seeds,
            "overall": self.overall.document(),
            "problems": {name: score.document() for name, score in sorted(self.problems.items())},
            "scenarios": {name: score.document() for name, score in sorted(self.scenarios.items())},
        }


def run(
    seeds: Sequence[int],
    pattern: str = "*",
    workers: int = 2,
    *,
    out: Path | None = None,
    progress: Progress | None = None,
    written_from: str = "*",
) -> Board:
    """Simulate and diagnose every scenario that matches ``pattern``, once a
    seed; reuse the results in the file ``out``. ``written_from`` text leaves only the scenarios of those who
    had not read the cards, cards only the others.
    """
    chosen = chosen_scenarios(pattern, written_from)
    tasks = [(name, seed) for seed in seeds for name in chosen]
    board = Board(len(seeds))
    begin = time.perf_counter()
    log = BoardLog(out, fingerprint()) if out else None
    known = log.known(tasks) if log else {}
    for task, problems in known.items():
        board.add(task[0], msgspec.convert(problems, dict[str, Score]))
    left = [task for task in tasks if task not in known]
    wrong = sum(len(score.misses) for score in board.problems.values())
    for done, (task, scores) in enumerate(_results(left, workers), start=len(known) + 1):
        board.add(task[0], scores)
        wrong += sum(len(score.misses) for score in scores.values())
        if log:
            log.add(task, {problem: asdict(score) for problem, score in scores.items()})
        if progress:
            progress(done, len(tasks), wrong)
    board.seconds = time.perf_counter() - begin
    return board


def chosen_scenarios(pattern: str, written_from: str) -> list[str]:
    """Return the ids of the scenarios that a board plays."""
    return [
        name
        for name, one in load_scenarios().items()
        if one.kind not in ("demo", "test")
        and fnmatch(name, pattern)
        and fnmatch(one.written_from, written_from)
    ]


def _results(tasks: Sequence[Run], workers: int) -> Iterator[tuple[Run, dict[str, Score]]]:
    if workers <= 1:
        yield from map(play, tasks)
        return
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        yield from pool.imap_unordered(play, tasks, chunksize=2)


@cache
def _knowledge() -> tuple[Problems, Catalogue, Scenarios]:
    return load_problems(), load_catalogue(), load_scenarios()


def play(task: Run) -> tuple[Run, dict[str, Score]]:
    """Simulate and diagnose one scenario with one seed; return the run with its scores by problem."""
    name, seed = task
    problems, catalogue, scenarios = _knowledge()
    lab = Lab(scenarios[name], seed=seed, fields="diagnosis")
    session = lab_session(lab, catalogue=catalogue)
    start = session.span()
    diagnosis = diagnose_session(session, problems, catalogue)
    findings, truth = diagnosis.findings, lab.truth().seen_in("esxtop")
    where = f"{name} seed {seed}"
    scores = judge(truth, findings, start.start if start else 0, where)
    judge_checks(truth, diagnosis, scores, where)
    for order in unsupported_orders(findings, problems):
        score = scores.setdefault(order.partition(" ")[0], Score())
        score.orders += 1
        score.misses.append(f"{where}: ordered without support: {order}")
    return task, scores


def judge(truth: GroundTruth, findings: Sequence[Finding], origin_ms: int, where: str) -> dict[str, Score]:
    """Compare the findings of one run with the scenario's true problems; return scores by problem.

    ``origin_ms`` is the session time of the scenario's start; ``where`` begins the lines that explain misses.
    """
    scores: dict[str, Score] = {}
    right: set[tuple[str, EntityRef]] = set()
    for one in truth.truth:
        score = scores.setdefault(one.problem, Score())
        score.truths += 1
        match = next((finding for finding in findings if _matches(one, finding, origin_ms)), None)
        if match is None:
            score.misses.append(f"{where}: missed {one.problem} of {one.name}")
            continue
        right.add((match.problem, match.entity))
        score.found += 1
        first = match.causes[0].cause if match.causes else ""
        score.any_cause += not one.cause
        score.cause_right += bool(one.cause) and one.has_first(first)
        if not one.has_first(first):
            score.misses.append(f"{where}: {one.problem} of {one.name}: {first} instead of {one.cause}")
    for finding in _alarms(truth, findings, right):
        score = scores.setdefault(finding.problem, Score())
        score.alarms += 1
        score.misses.append(
            f"{where}: false alarm {finding.severity} {finding.problem} of {finding.entity_name}: "
            f"{finding.conclusion}"
        )
    return scores


def judge_checks(truth: GroundTruth, diagnosis: Diagnosis, scores: dict[str, Score], where: str) -> None:
    """Count the verdicts of all checks into ``scores``, which ``judge`` has made of the same diagnosis.

    A check is right that says "problem" or "suspected" where there is one, and nothing of the kind where
    there is none; a finding that the scenario allows is right either way.
    """
    there = {one.problem for one in truth.truth if one.severity != "info" and not one.instead}
    found = {one.problem for one in diagnosis.findings} | {one.problem for one in truth.also}
    for check in diagnosis.verdict.checks:
        score = scores.setdefault(check.problem, Score())
        says = check.verdict in ("problem", "suspected")
        allowed = not score.alarms if check.problem in found else not says
        right = says if check.problem in there else allowed
        score.checks += 1
        score.checks_right += right
        if not right:
            score.misses.append(f"{where}: verdict on {check.problem}: {check.verdict}")


def _matches(truth: Truth, finding: Finding, origin_ms: int) -> bool:
    named = (finding.entity.kind, finding.entity_name) == (truth.kind, truth.name)
    if (
        finding.problem not in truth.problems
        or not named
        or (finding.severity == "info") != (truth.severity == "info")
    ):
        return False
    start, end = origin_ms + truth.start_s * 1000, origin_ms + truth.end_s * 1000
    return any(window.start <= end and window.end >= start for window in finding.windows)


def _alarms(
    truth: GroundTruth, findings: Sequence[Finding], right: set[tuple[str, EntityRef]]
) -> Iterable[Finding]:
    by_key = {(finding.problem, finding.entity): finding for finding in findings}
    allowed = {
        (finding.problem, finding.entity)
        for finding in findings
        for also in truth.also
        if also.problem == finding.problem and (not also.names or finding.entity_name in also.names)
    }
    fine = right | allowed
    for key, finding in by_key.items():
        above = finding.consequence_of
        while above in by_key and above not in fine:
            above = by_key[above].consequence_of
        if finding.severity != "info" and key not in fine and above not in fine:
            yield finding


def markdown(board: Board) -> str:
    """Format the board as a Markdown table, problems first."""
    lines = [
        f"{board.seeds} seeds a scenario, {len(board.scenarios)} scenarios.",
        "",
        "| problem | truths | recall | precision | first cause right | false alarms | verdicts right |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    rows = [*sorted(board.problems.items()), ("**all**", board.overall)]
    lines += [_row(name, score) for name, score in rows]
    lines += ["", "| scenario | truths | recall | first cause right | false alarms |"]
    lines.append("|---|---:|---:|---:|---:|")
    lines += [
        f"| {name} | {score.truths} | {score.recall:.3f} | {score.cause:.3f} | {score.alarms} |"
        for name, score in sorted(board.scenarios.items())
    ]
    return "\n".join(lines) + "\n"


def _row(name: str, score: Score) -> str:
    numbers = f"{score.recall:.3f} | {score.precision:.3f} | {score.cause:.3f}"
    return f"| {name} | {score.truths} | {numbers} | {score.alarms} | {score.verdicts:.4f} |"


def progress_printer() -> Progress:
    """Return a progress callback that prints to stderr, at most every 30 s, how far the board is."""
    begin = printed_at = time.monotonic()
    first: int | None = None

    def say(done: int, total: int, wrong: int) -> None:
        nonlocal printed_at, first
        first = done - 1 if first is None else first
        now = time.monotonic()
        if now - printed_at < _PRINT_EVERY_S and done < total:
            return
        printed_at = now
        pace = (done - first) / max(now - begin, 1e-9)
        left = (total - done) / pace / 60
        print(
            f"{done:,} of {total:,} runs, {pace:.1f} a second, {left:.0f} min left, {wrong} misses",
            file=sys.stderr,
            flush=True,
        )

    return say


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the scoreboard from the command line; returns exit code 1 when a goal is missed."""
    parser = argparse.ArgumentParser(prog="scoreboard", description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--scenario", default="*", help="scenarios whose id matches this pattern")
    parser.add_argument("--written-from", default="*", choices=("cards", "text", "*"), help=WRITTEN_HELP)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, help="JSON lines: append every run, don't repeat what is there")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--markdown", type=Path)
    parser.add_argument("--misses", action="store_true", help="say what was missed, mistaken or raised")
    options = parser.parse_args(arguments)
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    board = run(
        seeds, options.scenario, options.workers, out=options.out, progress=progress_printer(),
        written_from=options.written_from,
    )  # fmt: skip
    text = markdown(board)
    print(text)
    if options.misses:
        print("\n".join(line for score in board.problems.values() for line in score.misses))
    if options.json:
        options.json.write_text(json.dumps(board.document(), indent=1) + "\n", encoding="utf-8")
    if options.markdown:
        options.markdown.write_text(text, encoding="utf-8")
    missed_goals = board.missed_goals()
    print("\n".join(missed_goals))
    return 1 if missed_goals else 0


if __name__ == "__main__":
    sys.exit(main())
