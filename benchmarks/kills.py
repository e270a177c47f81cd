"""Kills the controller of every guided test in every moment: in the lab, over ssh, through VMware Tools.

It takes some three hours. What was killed stands in ``.cache/bench/kills.jsonl`` at once, and is not killed
again until that file is removed: the whole can be done in parts. What was done so far as a section of
RESULTS.md:

    .venv/bin/python -m benchmarks.kills
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks import killed_tests, tools_kills
from benchmarks.kill_log import Outcome, read_outcomes, rows
from benchmarks.measure import Row
from tests.app.tools_runs import WIZARDS


def measure(cache: Path, *, quick: bool) -> list[Row]:
    """Kill what was not killed yet; return a row for each place."""
    if shutil.which("fio") is None or sys.platform != "linux" or os.geteuid() != 0:
        return []
    log = cache / ("kills-quick.jsonl" if quick else "kills.jsonl")
    for one in _missing(read_outcomes(log), quick=quick):
        print(one.line, file=sys.stderr, flush=True)
        with log.open("a", encoding="utf-8") as file:
            file.write(one.line + "\n")
    return rows(read_outcomes(log))


def _missing(done: Sequence[Outcome], *, quick: bool) -> Iterator[Outcome]:
    """Kill what is not among ``done``; of a test in the lab or over ssh all, if its last kill is not."""
    ended = {(one.where, one.test) for one in done if one.moment == killed_tests.LAST}
    for where, tests in (("lab", list(killed_tests.LAB_TESTS)), ("ssh", list(killed_tests.SSH_TESTS))):
        wanted = [one for one in tests[: 1 if quick else None] if (where, one) not in ended]
        if wanted:
            yield from killed_tests.killed(where, wanted)
    known = {(one.test, one.moment) for one in done if one.where == "tools"}
    for name in list(WIZARDS)[: 1 if quick else None]:
        if moments := [one for one in tools_kills.moments_of(name) if (name, one) not in known]:
            yield from tools_kills.killed([name], moments)


def main() -> int:
    """Write the section of RESULTS.md from what was killed so far; kill nothing more."""
    from benchmarks.__main__ import CACHE, as_table, write_results  # noqa: PLC0415 - it imports this module

    found = read_outcomes(CACHE / "kills.jsonl")
    table = as_table(rows(found))
    write_results({"kills": table})
    print(table)
    print(*(one.line for one in found if one.wrong), sep="\n")
    return 1 if any(one.wrong for one in found if one.is_killed) else 0


if __name__ == "__main__":
    sys.exit(main())
