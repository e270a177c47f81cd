"""What must hold on Windows, with a Windows Python under Wine: how many steps hold, into RESULTS.md.

    .venv/bin/python -m benchmarks.under_wine

It is ``python run.py windows --long``, whose lines it prints; that program says what it needs.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.measure import Row

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    """Run it and write the section; return its exit code."""
    from benchmarks.__main__ import as_table, write_results  # noqa: PLC0415 - with all peers, for a row

    command = [sys.executable, str(ROOT / "packaging" / "windows.py"), "--long"]
    begun, lines = time.monotonic(), []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line)
    minutes = (time.monotonic() - begun) / 60
    write_results({"windows": as_table([row(lines, minutes)])})
    return process.returncode


def row(lines: Sequence[str], minutes: float) -> Row:
    """Make the line of RESULTS.md from what the run printed: how many steps, and those that do not hold."""
    passed = [line for line in lines if line.startswith("ok ")]
    failed = [line.removeprefix("FAILED ").partition(":")[0] for line in lines if line.startswith("FAILED ")]
    steps = f"{len(passed) + len(failed)} steps in {minutes:.0f} minutes"
    return Row(
        f"CPython 3.13 for Windows under Wine, {steps}: hold",
        f"{len(passed)}",
        f"not: {', '.join(failed)}" if failed else "–",
        "–",
        "all",
        not failed and bool(passed),
    )


if __name__ == "__main__":
    sys.exit(main())
