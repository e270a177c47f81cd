"""Importing a large vmkernel.log, one line in fifty of it known, beside a loop of regular expressions."""

from __future__ import annotations

import random
import re
import resource
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.measure import Row, size_of
from collectors.logs.importing import LogOptions, import_logs
from resources.log_lines import load_log_lines

_KNOWN = 0.02
_LOOPED = 150_000
"""Lines that the plain loop reads."""
_OTHERS = (
    "ScsiScan: 1059: Path 'vmhba1:C0:T0:L{n}': Vendor: 'DGC     '  Model: 'VRAID           '  Rev: '4100'",
    "World: 12075: VC opID lro-{n} maps to vmkernel opID 5b7f3a9e",
    "Vol3: 3147: Could not open device 'naa.600508b1001c577e11dd042e142a{n}' for probing: No such partition",
)
_SENSE = (
    "NMP: nmp_CompleteCommandForPath: Command 0x28 (0x41000b10f000) to NMP device "
    '"naa.600601601f70190016361881f3b4de11" failed on physical path "vmhba3:C0:T2:L{n}" H:0x0 D:0x2 P:0x0 '
    "Valid sense data: 0x2 0x4 0x3."
)


def measure(cache: Path, *, quick: bool) -> list[Row]:
    """Measure how fast a log is read, in processor time, and how much memory that takes."""
    path = _log(cache, 20_000_000 if quick else 500_000_000)
    megabytes = size_of(path) / 1e6
    out = cache / "logs.hscope"
    out.unlink(missing_ok=True)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    here = megabytes / _seconds(lambda: import_logs([path], out, LogOptions(host="esx01")))
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    loop = _looped(path)
    what = f"vmkernel.log of {megabytes:.0f} MB, 2 % of its lines known"
    return [
        Row(
            f"import of {what}",
            f"{here:.0f} MB/s of processor time",
            f"a loop of regular expressions alone {loop:.0f} MB/s",
            f"{here / loop:.1f}×",
            "≥ 1.5×",
            here >= 1.5 * loop,
        ),
        Row(f"memory for {what}", f"{grown:.0f} MB more", "–", "–", "≤ 64 MB", grown <= 64),
    ]


def _log(cache: Path, size: int) -> Path:
    path = cache / f"vmkernel-{size // 1_000_000}.log"
    if path.exists():
        return path
    chance = random.Random(1)
    written = line = 0
    with path.open("w", encoding="ascii") as file:
        while written < size:
            line += 1
            text = _SENSE if chance.random() < _KNOWN else _OTHERS[line % len(_OTHERS)]
            second = line // 50
            stamp = f"2026-03-{1 + second // 86_400:02d}T{second // 3600 % 24:02d}:{second // 60 % 60:02d}"
            stamp += f":{second % 60:02d}.{line % 50 * 20:03d}Z"
            written += file.write(f"{stamp} cpu{line % 64}:2097412){text.format(n=line % 30)}\n")
    return path


def _seconds(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def _looped(path: Path) -> float:
    """MB a second of a loop that searches each line for each pattern."""
    patterns = [re.compile(row.pattern) for row in load_log_lines().rows]
    with path.open(encoding="ascii") as file:
        lines = [line for line, _ in zip(file, range(_LOOPED), strict=False)]
    seconds = _seconds(lambda: [next((one for one in patterns if one.search(line)), None) for line in lines])
    return sum(map(len, lines)) / 1e6 / seconds
