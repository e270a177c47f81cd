"""Runs the benchmarks, each beside its peer in the same run, and writes RESULTS.md as a table of ratios.

python run.py bench                 all of them (about two hours on two cores; the scoreboard can be resumed)
python run.py bench import size     only some
python run.py bench --quick         smaller inputs: to see that they run, not to quote
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from pathlib import Path

from benchmarks import (
    comparing,
    correlating,
    diagnosing,
    eight_hosts,
    equal_runs,
    esxtop_replies,
    esxtop_stream,
    get_stat,
    guests,
    importing,
    kills,
    largest_vcenter,
    noise_of_fio,
    reading,
    reading_logs,
    recording,
    scoreboard,
    sizes,
    tasks,
    troubleshooting,
    verdict_delay,
    vsphere,
    window,
)
from benchmarks.measure import Row
from benchmarks.scores import markdown

FOLDER = Path(__file__).resolve().parent
CACHE = FOLDER.parent / ".cache" / "bench"
BENCHMARKS = {
    "import": importing.measure,
    "size": sizes.measure,
    "read": reading.measure,
    "logs": reading_logs.measure,
    "powercli": get_stat.measure,
    "diagnose": diagnosing.measure,
    "troubleshoot": troubleshooting.measure,
    "compare": comparing.measure,
    "correlate": correlating.measure,
    "verdicts": verdict_delay.measure,
    "decode": vsphere.measure,
    "replies": esxtop_replies.measure,
    "hosts": eight_hosts.measure,
    "stream": esxtop_stream.measure,
    "record": recording.measure,
    "largest": largest_vcenter.measure,
    "guests": guests.measure,
    "window": window.measure,
    "tasks": tasks.measure,
    "noise": noise_of_fio.measure,
    "equal runs": equal_runs.measure,
    "kills": kills.measure,
}


def main() -> int:
    """Run the benchmarks that the command line names (all of them without names) and write RESULTS.md.

    Returns the exit code of the process.
    """
    parser = argparse.ArgumentParser(prog="run.py bench", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", choices=[*BENCHMARKS, "scoreboard", []], metavar="NAME")
    parser.add_argument("--quick", action="store_true", help="smaller inputs; RESULTS.md is not written")
    parser.add_argument("--seeds", type=int, default=200, help="seeds a scenario on the scoreboard")
    options = parser.parse_args()
    names = options.names or [*BENCHMARKS, "scoreboard"]
    CACHE.mkdir(parents=True, exist_ok=True)
    seeds = 2 if options.quick else options.seeds
    parts: dict[str, str] = {}
    for name in names:
        print(f"== {name}", file=sys.stderr, flush=True)
        if name == "scoreboard":
            board = scoreboard.run(
                range(1, seeds + 1), out=CACHE / "scoreboard.jsonl", progress=scoreboard.progress_printer()
            )
            parts[name] = markdown(board)
        else:
            parts[name] = as_table(BENCHMARKS[name](CACHE, quick=options.quick))
        print(parts[name], flush=True)
    if not options.quick:
        write_results(parts)
    return 0


def as_table(rows: list[Row]) -> str:
    """Format rows as a Markdown table."""
    lines = ["| what | here | beside it | ratio | goal | |", "|---|---|---|---|---|---|"]
    lines += [
        f"| {row.what} | {row.here} | {row.peer} | {row.ratio} | {row.goal} | {'✓' if row.holds else '✗'} |"
        for row in rows
    ]
    return "\n".join(lines)


def write_results(parts: dict[str, str]) -> None:
    """Replace the sections of RESULTS.md that were measured; keep the text of all other sections."""
    path = FOLDER / "RESULTS.md"
    old = sections(path.read_text(encoding="utf-8")) if path.exists() else {}
    machine = f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"
    stamp = f"Measured {time.strftime('%Y-%m-%d', time.gmtime())} on {machine}."
    merged = {**old, **{name: f"{stamp}\n\n{text}" for name, text in parts.items()}}
    order = [*BENCHMARKS, "scoreboard", "three ways", "monkey", "windows"]
    body = "\n\n".join(f"## {name}\n\n{merged[name]}" for name in order if name in merged)
    head = (
        "# Results\n\nWritten by `python run.py bench`. Ratios count, not absolute numbers: "
        "whatever is compared ran in the same run on the same data.\n\n"
    )
    path.write_text(head + body + "\n", encoding="utf-8")


def sections(text: str) -> dict[str, str]:
    """Split the text of an earlier RESULTS.md into its sections: heading → text."""
    chunks = text.split("\n## ")[1:]
    return {chunk.split("\n", 1)[0].strip(): chunk.split("\n", 1)[1].strip() for chunk in chunks}


if __name__ == "__main__":
    sys.exit(main())
