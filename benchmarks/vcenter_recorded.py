"""The scoreboard end to end: test vCenter, ``hyperscope record``, diagnosis of the session file.

    python -m benchmarks.vcenter_recorded [--seed N] [--scenario GLOB] [--duration 8s]

The test vCenter serves each scenario as its last hour; the recorder fetches it over TLS as from any other
vCenter. Needs the test vCenter (``python run.py test`` builds it).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path

from benchmarks.judging import judge
from benchmarks.scoreboard import seen_by_vcenter
from benchmarks.scores import Board, Score, markdown
from diagnosis import diagnose_session
from lab import GroundTruth, Lab, export_vcenter, load_scenarios, read_vcenter
from resources.catalogue import load_catalogue
from resources.problem_cards import load_problems
from sessions.store import SessionReader
from tests.vcenter.running import PASSWORD, TestVCenter

DIFFERENT = {"data-few-samples": "the recorder adds to the few samples what comes while it runs"}
"""Scenarios whose truth does not hold of a recording that goes on."""


def play(name: str, seed: int, duration: str, folder: Path) -> dict[str, Score]:
    """Export one scenario, serve it, record it and diagnose the session; return the scores by problem."""
    scenario = load_scenarios()[name]
    lab = Lab(scenario, seed=seed)
    document = folder / "scenario.json.gz"
    export_vcenter(lab, document)
    session = folder / "recorded.hscope"
    with TestVCenter(document, history=read_vcenter(document)["ticks"], interval=20) as vcenter:
        arguments = [sys.executable, "-m", "app", "record", vcenter.place.address, "-o", str(session)]
        arguments += ["--duration", duration, "--thumbprint", vcenter.place.thumbprint, "--password-stdin"]
        done = subprocess.run(arguments, input=PASSWORD + "\n", text=True, capture_output=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{name}: record ended with {done.returncode}: {done.stderr}")
    with SessionReader.open(session) as reader:
        findings = diagnose_session(reader, load_problems(), load_catalogue()).findings
        truth = lab.truth().seen_in("vcenter")
        there = () if scenario.not_in_vcenter else tuple(seen_by_vcenter(truth.truth, reader))
        span = reader.span()
        assert span is not None
        start = span.start
    return judge(GroundTruth(there, truth.also), findings, start, f"{name} seed {seed}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run every scenario that matches; returns exit code 1 when a goal is missed."""
    parser = argparse.ArgumentParser(prog="vcenter_recorded", description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--scenario", default="*", help="scenarios whose id matches this pattern")
    parser.add_argument(
        "--duration", default="8s", help="how long to record: the hour before is fetched at once"
    )
    options = parser.parse_args(arguments)
    board = Board(1)
    for name, scenario in load_scenarios().items():
        if scenario.kind == "demo" or name in DIFFERENT or not fnmatch(name, options.scenario):
            continue
        with tempfile.TemporaryDirectory() as folder:
            scores = play(name, options.seed, options.duration, Path(folder))
        board.add(name, scores)
        misses = [line for score in scores.values() for line in score.misses]
        print(f"{name}: {'; '.join(misses) or 'all found'}", flush=True)
    print(markdown(board))
    return 1 if board.missed_goals() else 0


if __name__ == "__main__":
    sys.exit(main())
