"""How good diagnosis is: recall, precision and first cause right, per problem, over the lab's scenarios.

    python -m benchmarks.scoreboard --seeds 200 [--scenario GLOB] [--interval SECONDS] [--capture all|plain]
                                    [--out FILE.jsonl] [--json FILE] [--markdown FILE] [--misses]

With ``--out`` the result of every run is appended to a file at once. A run whose result the same code has
already left there is not repeated, so that a long board can be stopped and resumed; boards that show the lab
otherwise (``--interval``, ``--capture``, the vCenter's) may share the file.

``benchmarks.judging`` says what counts as found and as a false alarm, ``benchmarks.asked`` what a coarse or
plain recording is asked for.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from fnmatch import fnmatch
from functools import cache, partial
from pathlib import Path

import msgspec

from benchmarks.asked import Hidden, ask
from benchmarks.board_log import BoardLog, Run, fingerprint, refusal_of
from benchmarks.judging import judge, judge_checks
from benchmarks.scores import Board, Score, markdown
from benchmarks.shown import CAPTURES, ESXTOP, ESXTOP_INTERVALS, Shown
from diagnosis import diagnose_session
from lab import GroundTruth, Lab, Scenarios, Truth, load_scenarios
from resources.catalogue import Catalogue, load_catalogue
from resources.problem_cards import Problems, load_problems
from sessions.model import SampleSource
from sessions.verdicts import CheckReach
from tests.diagnosis.supported_orders import unsupported_orders
from tests.sessions.memory_session import MemorySession

_PRINT_EVERY_S = 30.0
WRITTEN_HELP = "only scenarios whose author had read the cards, or only the expert's text"

Progress = Callable[[int, int, int], None]
"""Told how many runs are done, of how many, and what went wrong in them."""


def run(
    seeds: Sequence[int],
    pattern: str = "*",
    workers: int = 2,
    *,
    shown: Shown = ESXTOP,
    out: Path | None = None,
    progress: Progress | None = None,
    written_from: str = "*",
) -> Board:
    """Simulate and diagnose every scenario that matches ``pattern``, once a
    seed, as ``shown``; reuse the results in the file ``out``. ``written_from`` text leaves only the scenarios
    of those who had not read the cards, cards only the others.
    """
    chosen = chosen_scenarios(pattern, written_from)
    tasks = [(name, seed) for seed in seeds for name in chosen]
    board = Board(len(seeds))
    begin = time.perf_counter()
    log = BoardLog(out, f"{fingerprint()} {shown.label}") if out else None
    known = log.known(tasks) if log else {}
    for task, problems in known.items():
        board.add(task[0], msgspec.convert(problems, dict[str, Score]))
    left = [task for task in tasks if task not in known]
    wrong = sum(len(score.misses) for score in board.problems.values())
    for done, (task, scores) in enumerate(_results(left, workers, shown), start=len(known) + 1):
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


def _results(tasks: Sequence[Run], workers: int, shown: Shown) -> Iterator[tuple[Run, dict[str, Score]]]:
    play_one = partial(play, shown=shown)
    if workers <= 1:
        yield from map(play_one, tasks)
        return
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        yield from pool.imap_unordered(play_one, tasks, chunksize=2)


@cache
def knowledge() -> tuple[Problems, Catalogue, Scenarios]:
    """Return what is known, read once a process."""
    return load_problems(), load_catalogue(), load_scenarios()


def play(task: Run, shown: Shown = ESXTOP) -> tuple[Run, dict[str, Score]]:
    """Simulate and diagnose one scenario with one seed; return the run with its scores by problem."""
    name, seed = task
    _, catalogue, scenarios = knowledge()
    lab, session = shown.play(scenarios[name], seed, catalogue)
    return task, scores_of(task, lab, session, shown)


def scores_of(task: Run, lab: Lab, session: MemorySession, shown: Shown) -> dict[str, Score]:
    """Diagnose what a scenario shows; return the scores by problem."""
    name, seed = task
    problems, catalogue, scenarios = knowledge()
    diagnosis = diagnose_session(session, problems, catalogue)
    truth = lab.truth().seen_in(shown.source)
    if shown.source == "vcenter":
        there = () if scenarios[name].not_in_vcenter else seen_by_vcenter(truth.truth, session)
        truth = GroundTruth(tuple(there), truth.also)
    where = f"{name} seed {seed}" + ("" if shown == ESXTOP else f" ({shown.label})")
    asked = ask(truth, shown, session, problems, diagnosis, lab.start_ms)
    scores = judge(
        asked.truth, diagnosis.findings, lab.start_ms, where, float(shown.interval_s),
        lacks_counters=not shown.has_all_counters,
    )  # fmt: skip
    judge_checks(asked.truth, diagnosis, scores, where, _what_hidden_ones_must_say(asked.hidden))
    for one in asked.hidden:
        scores.setdefault(one.truth.problem, Score()).unasked += 1
    for order in unsupported_orders(diagnosis.findings, problems):
        score = scores.setdefault(order.partition(" ")[0], Score())
        score.orders += 1
        score.misses.append(f"{where}: ordered without support: {order}")
    return scores


def seen_by_vcenter(truths: Sequence[Truth], session: SampleSource) -> list[Truth]:
    """Return the true problems as a vCenter session names them, each once.

    Where the host is the entity of "too few samples" in esxtop, the entity here is the vCenter.
    """
    name = session.sources()[0].spec.name
    return list(
        dict.fromkeys(
            replace(truth, kind="vcenter", name=name) if truth.problem == "data.insufficient" else truth
            for truth in truths
        )
    )


def _what_hidden_ones_must_say(hidden: Sequence[Hidden]) -> dict[str, Callable[[CheckReach], bool]]:
    """By problem, whether a check is what it must be beside the true problems that are not asked for."""
    problems = {one.truth.problem for one in hidden}
    return {problem: partial(_all_said, [one for one in hidden if one.truth.problem == problem])
            for problem in problems}  # fmt: skip


def _all_said(hidden: Sequence[Hidden], check: CheckReach) -> bool:
    return all(one.is_said(check) for one in hidden)


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
    add_board_options(parser, seeds=200)
    parser.add_argument("--interval", type=int, default=ESXTOP.interval_s, choices=ESXTOP_INTERVALS)
    parser.add_argument(
        "--capture", default="default", choices=tuple(CAPTURES),
        help="the counters of -b -a, of plain -b, or (default) those of -a that cards read",
    )  # fmt: skip
    options = parser.parse_args(arguments)
    return run_and_print(options, Shown("esxtop", options.interval, options.capture))


def add_board_options(parser: argparse.ArgumentParser, *, seeds: int, files: bool = True) -> None:
    """Add the options of every board to a command line; ``seeds`` is how many it plays by itself, ``files``
    whether one board may be written as a file.
    """
    parser.add_argument("--seeds", type=int, default=seeds)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--scenario", default="*", help="scenarios whose id matches this pattern")
    parser.add_argument("--written-from", default="*", choices=("cards", "text", "*"), help=WRITTEN_HELP)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, help="JSON lines: append every run, don't repeat what is there")
    if files:
        parser.add_argument("--json", type=Path)
        parser.add_argument("--markdown", type=Path)
    parser.add_argument("--misses", action="store_true", help="say what was missed, mistaken or raised")


def run_and_print(options: argparse.Namespace, shown: Shown) -> int:
    """Run a board as the command line asks and print it; return exit code 1 when a goal is missed."""
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    if options.out and (refused := refusal_of(options.out)):
        print(refused, file=sys.stderr)  # before the first run, not behind it
        return 2
    board = run(
        seeds, options.scenario, options.workers, shown=shown, out=options.out,
        progress=progress_printer(), written_from=options.written_from,
    )  # fmt: skip
    if options.json:
        options.json.write_text(json.dumps(board.document(), indent=1) + "\n", encoding="utf-8")
    if options.markdown:
        options.markdown.write_text(markdown(board), encoding="utf-8")
    return print_board(board, misses=options.misses)


def print_board(board: Board, *, misses: bool) -> int:
    """Print a board, with its misses if these are asked for; return exit code 1 when a goal is missed."""
    print(markdown(board))
    if misses:
        print("\n".join(line for score in board.problems.values() for line in score.misses))
    missed_goals = board.missed_goals()
    print("\n".join(missed_goals))
    return 1 if missed_goals else 0


if __name__ == "__main__":
    sys.exit(main())
