"""Kills writers at random moments and checks that no tick is lost that the writer had reported as stored.

    .venv/bin/python -m benchmarks.killed_writer --count 1000 --seed 3

The run stops at the first loss, with the assertion that failed.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from pathlib import Path

from tests.sessions.test_killed_writer import kill_once


def main() -> None:
    """Kill ``--count`` writers, one after the other."""
    parser = argparse.ArgumentParser(prog="killed_writer", description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    random.seed(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        for attempt in range(options.count):
            kill_once(Path(folder), attempt)
    print(f"{options.count} writers were killed: nothing was lost")


if __name__ == "__main__":
    main()
