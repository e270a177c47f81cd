"""Records lab scenarios by vCenter counters, esxtop service and esxtop over ssh: alone, in twos, all three.

    python -m benchmarks.three_ways [--scenario GLOB …] [--ways all|alone|several|ends] [--seed N]

Without ``--scenario`` those of a list, else any of the lab's. ``ends``: each source alone, and all three at
once. Each way must find the scenario's truth, same entity and first cause, each finding once. It needs the
test vCenter (``run.py test tests/vcenter`` builds it).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from fnmatch import fnmatchcase
from itertools import combinations
from pathlib import Path

from benchmarks.both_sources import told_twice
from benchmarks.judging import judge
from diagnosis import diagnose_session
from lab import load_scenarios
from resources.catalogue import load_catalogue
from resources.problem_cards import load_problems
from sessions.store import SessionReader
from tests.esxtop_service.one_site import COUNTERS, SEED, SOURCES, Site, Way
from tests.vcenter.running import TestVCenter

SCENARIOS = (
    "cpu-ready-low-shares", "cpu-ready-numa", "cpu-limit-vm", "cpu-costop-oversized",
    "cpu-saturated-too-many", "mem-balloon-overcommit", "mem-swapping-vm-limit",
    "mem-compressing-overcommit", "storage-queue-device-slow", "storage-latency-array-rebuild",
    "storage-nfs-server-slow", "storage-aborts-path-fault", "net-tx-drops-uplink-saturated",
    "net-rx-drops-ring-burst",
)  # fmt: skip
_FINE_S, _COARSE_S = 5.0, 20.0


def judged(site: Site, way: Way) -> list[str]:
    """Record a site in one way; return what its findings miss, mistake or tell twice."""
    with SessionReader.open(site.record(way)) as reader:
        found = list(diagnose_session(reader, load_problems(), load_catalogue()).findings)
    lab = site.lab
    step_s = _COARSE_S if COUNTERS in way else _FINE_S
    truth = lab.truth()
    if COUNTERS not in way:
        truth = truth.seen_in("esxtop")
    elif len(way) == 1:
        truth = truth.seen_in("vcenter")
    where = f"{site.scenario} ({' + '.join(sorted(way))})"
    scores = judge(truth, found, site.start_ms, where, step_s, lacks_counters=way == {COUNTERS})
    misses = [miss for score in scores.values() for miss in score.misses]
    misses += [f"{where}: {problem} of {name} is told twice" for problem, name in told_twice(found)]
    if truth.seen_in("esxtop").truth and len(way) > 1 and COUNTERS in way:
        notes = [note for one in found for note in one.notes if note.startswith("Judged from ")]
        if not any(note.startswith("Judged from esxtop at 5 s.") for note in notes):
            misses.append(f"{where}: no finding is judged from the finer source: {notes}")
    return misses


def _matching(patterns: Sequence[str] | None) -> list[str]:
    if patterns is None:
        return list(SCENARIOS)
    return [one for one in load_scenarios() if any(fnmatchcase(one, pattern) for pattern in patterns)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it from the command line; returns 1 if a way misses anything."""
    parser = argparse.ArgumentParser(prog="three_ways", description=__doc__.splitlines()[0])
    parser.add_argument("--scenario", nargs="+", metavar="GLOB", help="scenarios whose id matches a pattern")
    parser.add_argument("--ways", choices=("all", "alone", "several", "ends"), default="all")
    parser.add_argument("--seed", type=int, default=SEED, help="which of the scenario's draws (%(default)s)")
    options = parser.parse_args(arguments)
    ways = [frozenset(some) for count in (1, 2, 3) for some in combinations(SOURCES, count)]
    counts = {"all": (1, 2, 3), "alone": (1,), "several": (2, 3), "ends": (1, 3)}[options.ways]
    ways = [one for one in ways if len(one) in counts]
    missed = 0
    for scenario in _matching(options.scenario):
        with ExitStack() as running, tempfile.TemporaryDirectory() as folder:

            def start(document: Path, **flags: object) -> TestVCenter:
                return running.enter_context(TestVCenter(document, **flags))  # type: ignore[arg-type]

            site = Site(scenario, Path(folder), start, options.seed)
            for way in ways:
                begun = time.process_time()
                misses = judged(site, way)
                missed += len(misses)
                took = f"{time.process_time() - begun:.0f} s"
                print(f"{scenario}  {' + '.join(sorted(way))}  {took}  {misses or 'as it is'}", flush=True)
    print(f"{missed} misses.")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
