"""An hour of random mouse and keyboard input: every page, both themes, several sizes, live and offline.

    .venv/bin/python -m benchmarks.monkey --minutes 60

It prints each finding as it occurs and writes a line into RESULTS.md. Each seed is one run; ``--seed N
--minutes 2`` repeats a run.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from benchmarks.__main__ import as_table, write_results
from benchmarks.measure import Row
from tests.e2e.monkeys import let_loose
from tests.gui.recordings import capture, record

_LOOKS = [(size, theme) for size in ("1280x720", "1440x860", "1024x680") for theme in ("dark", "light")]
_RUN_S, _LIFE_S = 240.0, 120.0


def main() -> int:
    """Run one seed after the other until the time is over; returns exit code 1 if there were findings."""
    parser = argparse.ArgumentParser(prog="monkey", description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quiet", action="store_true", help="RESULTS.md is not written")
    options = parser.parse_args()
    findings: Counter[str] = Counter()
    events: Counter[str] = Counter()
    longest, seed, begun = 0.0, options.seed, time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = [record(folder / "night.hscope", seconds=3600), capture(folder / "esx.csv", seconds=900)]
        while time.monotonic() - begun < options.minutes * 60:
            size, theme = _LOOKS[seed % len(_LOOKS)]
            left = options.minutes * 60 - (time.monotonic() - begun)
            arguments = ["--seed", str(seed), "--size", size, "--theme", theme]
            arguments += ["--seconds", f"{min(_RUN_S, left):.0f}", "--round-s", f"{_LIFE_S:.0f}"]
            report = let_loose(folder / f"home{seed}", *arguments, files=files, patience_s=_RUN_S * 3)
            findings.update(report["findings"])
            events.update(report["events"])
            longest = max(longest, report.get("longest_s", 0.0))
            print(f"seed {seed} {size} {theme}: {sum(report['events'].values())} events", file=sys.stderr)
            for text in report["findings"]:
                print(f"FINDING with seed {seed}: {text}", file=sys.stderr, flush=True)
            seed += 1
    minutes = (time.monotonic() - begun) / 60
    if not options.quiet:
        write_results({"monkey": as_table([row(minutes, events, findings, longest)])})
    total = sum(events.values())
    print(f"{minutes:.0f} minutes, {total} events, {len(findings)} findings, longest stall {longest:.1f} s")
    return 1 if findings else 0


def row(minutes: float, events: Counter[str], findings: Counter[str], longest: float) -> Row:
    """Make the line of RESULTS.md from the counts of events and findings and the ``longest`` stall."""
    return Row(
        f"{sum(events.values()):,} random mouse and key events in {minutes:.0f} minutes: findings",
        str(len(findings)),
        f"longest stall {longest:.1f} s" if longest else "no stall over 1 s",
        "–",
        "0",
        not findings,
    )


if __name__ == "__main__":
    sys.exit(main())
