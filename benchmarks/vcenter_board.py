"""The scoreboard of diagnosis on vCenter sessions: the lab's scenarios as vCenter's counters show them.

    python -m benchmarks.vcenter_board --seeds 3 [--scenario GLOB] [--interval 20|300] [--workers N]
                                       [--out FILE.jsonl] [--misses]

The true problems are those of the esxtop board with two differences. "Too few samples" is a problem of the
vCenter, not of a host. A scenario may say that vCenter does not show its problem (``not_in_vcenter``): then
only false alarms count. A cause that needs esxtop by its card counts as right when it comes first, even with
the verdict "unknown". 20 s are the samples of real time, 300 s the rollups that a vCenter keeps at statistics
level 1. ``--out`` resumes as the scoreboard's does, and may name the same file.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from benchmarks.scoreboard import add_board_options, run_and_print
from benchmarks.shown import REALTIME_S, ROLLUP_S, Shown


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the board from the command line; returns exit code 1 when a goal is missed."""
    parser = argparse.ArgumentParser(prog="vcenter_board", description=__doc__.splitlines()[0])
    add_board_options(parser, seeds=3)
    parser.add_argument("--interval", type=int, default=REALTIME_S, choices=(REALTIME_S, ROLLUP_S))
    options = parser.parse_args(arguments)
    return run_and_print(options, Shown("vcenter", options.interval))


if __name__ == "__main__":
    sys.exit(main())
