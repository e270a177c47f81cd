"""Importing a large table of PowerCLI's Get-Stat end to end, beside pandas.read_csv alone on the same file.

Where the time goes (cProfile, 260,000 rows, 2026-11-23): the csv module's rows half, their numbers, series
and stamps a third, writing the session a tenth.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.importing import PANDAS
from benchmarks.measure import Row, megabytes, run, size_of
from tests.get_stat.exports import COLUMNS, Form

TURNS = 3
MOST_TIMES_PANDAS = 4.0
MAX_MEGABYTES = 500
_COUNTERS = (
    ("cpu.ready.summation", "millisecond"),
    ("cpu.costop.summation", "millisecond"),
    ("cpu.run.summation", "millisecond"),
    ("cpu.usage.average", "%"),
    ("mem.consumed.average", "KB"),
    ("mem.vmmemctl.average", "KB"),
    ("mem.swapinRate.average", "KBps"),
    ("net.usage.average", "KBps"),
)
_SAMPLES = 180
"""An hour of real time."""


def measure(cache: Path, *, quick: bool) -> list[Row]:
    """Measure the import of an hour of some hundred VMs, and how much memory it takes."""
    path = _table(cache, 30 if quick else 1000)
    size, session = size_of(path), cache / "get_stat.hscope"
    ours, theirs = [], []
    for turn in range(TURNS + 1):
        session.unlink(missing_ok=True)
        watch = turn == TURNS  # by itself: watching takes time from the import
        ours.append(
            run(["-m", "app", "import", str(path), "-o", str(session), "--times", "utc"], watch=watch)
        )
        if not watch:
            theirs.append(run(["-c", PANDAS, str(path)]))
    own, peer = min(one.seconds for one in ours[:TURNS]), min(one.seconds for one in theirs)
    peak = ours[TURNS].peak_bytes
    what = f"import of a table of Get-Stat of {megabytes(size)}"
    return [
        Row(
            what,
            f"{own:.2f} s, {size / own / 1e6:.0f} MB/s",
            f"pandas.read_csv alone {peer:.2f} s, {size / peer / 1e6:.0f} MB/s",
            f"{own / peer:.2f}×",
            f"≤ {MOST_TIMES_PANDAS:g}×",
            own <= MOST_TIMES_PANDAS * peer,
        ),
        Row("memory for it", megabytes(peak), "–", "–", f"≤ {MAX_MEGABYTES} MB", peak <= MAX_MEGABYTES * 1e6),
    ]


def _table(cache: Path, vms: int) -> Path:
    """An hour of VMs as Get-Stat returns it in the culture en-US, newest sample first."""
    path = cache / f"get-stat-{vms}.csv"
    if path.exists():
        return path
    form, begin = Form(), datetime(2026, 11, 21, 13, tzinfo=UTC)
    stamps = [form.stamp(begin + timedelta(seconds=20 * number)) for number in range(_SAMPLES)]
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(",".join(f'"{name}"' for name in COLUMNS) + "\r\n")
        for vm in range(vms):
            for at, (counter, unit) in enumerate(_COUNTERS):
                rest = f'"{counter}","{unit}","What it counts","vm{vm}","VirtualMachine-vm-{vm}","20",""'
                for number in reversed(range(_SAMPLES)):
                    value = (vm * 7919 + at * 104_729 + number * 31) % 2000
                    file.write(f'"{value / 100 if unit == "%" else value}","{stamps[number]}",{rest}\r\n')
    return path
