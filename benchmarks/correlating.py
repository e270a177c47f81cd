"""What moved with it: how often the culprit comes first, beside Netdata's two methods on the same samples.

The truth is twofold: cases put on top of a day of the lab (``culprit_cases``), and scenarios whose physics
makes one VM slow another (``lab_culprits``). All methods rank the same entities: a VM with all that is below
it, without the one that somebody pointed at.

    python -m benchmarks.correlating [--from SEED] [--to SEED] [--lab] [--out FILE.jsonl]

Each result is appended to a file at once. A case that the same code has already left there is not ranked
again, so that the 500 cases, which take most of an hour, can be stopped and resumed; 'run.py bench correlate'
finds them there.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import msgspec
import numpy as np

from benchmarks import netdata_methods
from benchmarks.big_session import big_session
from benchmarks.board_log import BoardLog, Run, fingerprint, refusal_of
from benchmarks.culprit_cases import Site, make_case
from benchmarks.injected_session import InjectedSession
from benchmarks.lab_culprits import KNOWN_CULPRITS, LabCase, lab_case
from benchmarks.measure import Row
from diagnosis.correlation import Question, correlate
from diagnosis.correlation.meeting import Meeting
from sessions.model import EntityRef, SampleSource, Series
from sessions.store import SessionReader
from sessions.times import TimeRange

CASES, QUICK_CASES = 500, 20
LAB_SEEDS, QUICK_LAB_SEEDS = 6, 1
LOG = "correlate.jsonl"
"""Where in the folder of the benchmarks the results are kept."""
_INJECTED = "injected"


@dataclass(frozen=True, slots=True)
class Result:
    """Where the culprit was ranked in one case, 1 for first; ``cpu_s`` is what our ranking took."""

    kind: str
    seed: int
    ours: int
    ks: int
    volume: int
    cpu_s: float
    ks_cpu_s: float


def measure(cache: Path, *, quick: bool) -> list[Row]:
    """Rank the culprits of all cases and time a whole day."""
    path = big_session(cache, hours=2 if quick else 24)
    log = cache / LOG
    injected = list(injected_results(path, range(QUICK_CASES if quick else CASES), log))
    physics = list(lab_results(range(1, 1 + (QUICK_LAB_SEEDS if quick else LAB_SEEDS)), log))
    with SessionReader.open(path) as reader:
        series = len(reader.series())
        day = whole_day(reader)
    names = (f"{len(injected)} cases over {series:,} series", f"{len(physics)} runs of the lab's own physics")
    return [
        *share_rows(names[0], injected, first=0.9, five=0.99),
        *share_rows(names[1], physics, first=0.9, five=0.99),
        speed_row(f"what moved, median of {len(injected)} cases, CPU", injected),
        day_row(f"what moved with one of {series:,} series in the whole session, CPU", day),
    ]


def share_rows(name: str, found: list[Result], *, first: float, five: float) -> list[Row]:
    """How often the culprit is first, and among the first five."""
    rows = []
    for words, limit, goal in (("first", 1, first), ("in the first five", 5, five)):
        ours, ks, volume = (
            float(np.mean([getattr(one, method) <= limit for one in found]))
            for method in ("ours", "ks", "volume")
        )
        rows.append(
            Row(
                f"the culprit {words}, {name}",
                f"{100 * ours:.1f} %",
                f"Netdata's KS2 {100 * ks:.1f} %, volume {100 * volume:.1f} %",
                f"{ours / max(ks, volume, 0.01):.1f}×",
                f"≥ {100 * goal:.0f} %",
                ours >= goal,
            )
        )
    return rows


def speed_row(name: str, found: list[Result]) -> Row:
    """The CPU time of a case, beside that of both of Netdata's methods in numpy."""
    ours = float(np.median([one.cpu_s for one in found]))
    theirs = float(np.median([one.ks_cpu_s for one in found]))
    slowest = max(one.cpu_s for one in found)
    return Row(
        name, f"{ours:.2f} s (at most {slowest:.2f} s)", f"KS2 and volume {theirs:.2f} s",
        f"{theirs / ours:.1f}×", "≤ 1 s", ours <= 1,
    )  # fmt: skip


def day_row(name: str, seconds: float) -> Row:
    """The CPU time of a window that is the whole session."""
    return Row(name, f"{seconds:.2f} s", "–", "–", "≤ 1 s", seconds <= 1)


def whole_day(reader: SessionReader) -> float:
    """Ask what moved with a latency in the whole session; the lowest CPU time of three."""
    reference = next(
        one for one in reader.series() if one.counter == "disk.guest_latency" and one.entity.kind == "vm"
    )
    taken = []
    for _ in range(3):
        begin = time.process_time()
        correlate(reader, Question(reference, reader.span()))
        taken.append(time.process_time() - begin)
    return min(taken)


def injected_results(path: Path, seeds: Iterable[int], log: Path) -> Iterator[Result]:
    """Rank the culprits of the cases on top of a recording; those in the file ``log`` only once."""
    with SessionReader.open(path) as reader:
        site = Site.of_session(reader)
        by_id = {one.id: one for one in reader.series()}

        def ranked(run: Run) -> Result:
            case = make_case(reader, site, run[1])
            return judged(
                case.kind, case.seed, case.session, by_id, case.reference, case.window, case.culprits
            )

        runs = [(f"{_INJECTED} {path.name}", seed) for seed in seeds]
        yield from (one for one in logged(runs, log, ranked) if one is not None)


def lab_results(seeds: Iterable[int], log: Path) -> Iterator[Result]:
    """Rank the culprits of scenarios whose physics makes one thing slow another; ``log`` as above.

    A run in which nothing is slow is left out.
    """
    culprits = {one.scenario: one for one in KNOWN_CULPRITS}

    def ranked(run: Run) -> Result | None:
        with lab_case(culprits[run[0]], run[1]) as case:
            return None if case is None else judged_lab(case)

    runs = [(name, seed) for seed in seeds for name in culprits]
    yield from (one for one in logged(runs, log, ranked) if one is not None)


def logged(runs: Sequence[Run], path: Path, rank: Callable[[Run], Result | None]) -> Iterator[Result | None]:
    """Yield the results of ``runs`` in their order: from the file at ``path`` where the same code has left
    them there, else from ``rank``; those are appended to the file.
    """
    log = BoardLog(path, fingerprint())
    known = log.known(runs)
    for run in runs:
        if run not in known:
            result = rank(run)
            log.add(run, {} if result is None else asdict(result))
            yield result
        else:
            yield msgspec.convert(known[run], Result) if known[run] else None


def judged_lab(case: LabCase) -> Result:
    """Rank one run of the lab by all methods."""
    by_id = {one.id: one for one in case.session.series()}
    return judged(case.kind, case.seed, case.session, by_id, case.reference, case.window, case.culprits)


def judged(
    kind: str,
    seed: int,
    session: SampleSource,
    by_id: Mapping[int, Series],
    reference: int,
    window: TimeRange,
    culprits: Collection[EntityRef],
) -> Result:
    """Rank one case by all methods."""
    begin, own = time.process_time(), _injecting(session)
    found = correlate(session, Question(by_id[reference], window))
    cpu = time.process_time() - begin - (_injecting(session) - own)
    ours = next((n for n, group in enumerate(found.groups, start=1) if group.entity in culprits), 999)
    begin, own = time.process_time(), _injecting(session)
    by_ks, by_volume = netdata_methods.scores(session, np.array(sorted(by_id)), window)
    theirs = time.process_time() - begin - (_injecting(session) - own)
    meeting = Meeting(session, window)
    ranks = [place(scores, by_id, meeting, by_id[reference], culprits) for scores in (by_ks, by_volume)]
    return Result(kind, seed, ours, ranks[0], ranks[1], cpu, theirs)


def _injecting(session: SampleSource) -> float:
    return session.cpu_s if isinstance(session, InjectedSession) else 0.0


def place(
    scores: Mapping[int, float], by_id: Mapping[int, Series], meeting: Meeting, reference: Series,
    culprits: Collection[EntityRef],
) -> int:  # fmt: skip
    """The place of the best culprit among the entities, by their best series; ties count for the culprit."""
    best: dict[EntityRef, float] = {}
    for series, score in scores.items():
        owner = meeting.owner(by_id[series].entity)
        best[owner] = max(best.get(owner, 0.0), score)
    best.pop(meeting.owner(reference.entity), None)
    right = [score for owner, score in best.items() if owner in culprits]
    return 1 + sum(score > max(right) for score in best.values()) if right else 999


def main() -> int:
    """Rank some cases and write a line of JSON for each, for those who want to look closer."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--cache", type=Path, default=Path(".cache/bench"))
    parser.add_argument("--from", dest="first", type=int, default=0)
    parser.add_argument("--to", dest="last", type=int, default=QUICK_CASES)
    parser.add_argument("--lab", action="store_true", help="the lab's physics instead; seeds, not cases")
    parser.add_argument(
        "--out", type=Path, help=f"where results are kept and found; {LOG} in the cache if not said"
    )
    options = parser.parse_args()
    seeds, log = range(options.first, options.last), options.out or options.cache / LOG
    if refused := refusal_of(log):
        print(refused, file=sys.stderr)
        return 2
    found = (
        lab_results(seeds, log)
        if options.lab
        else injected_results(big_session(options.cache, hours=24), seeds, log)
    )
    for one in found:
        print(json.dumps(asdict(one)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
