"""Decoding replies of the esxtop service, beside a straight split of the same text in Python."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.measure import Row
from collectors.esxtop_service.counter_info import read_counter_info
from collectors.esxtop_service.reply import decode
from tests.esxtop_service.genuine import FOLDER

_TIMES = 40


def measure(cache: Path, *, quick: bool) -> list[Row]:  # noqa: ARG001 - nothing is kept
    """Decode the genuine reply of a host of 56 LCPUs; nothing where this machine does not have it."""
    if not FOLDER.is_dir():
        return []
    info = read_counter_info((FOLDER / "counterinfo.dsv").read_text(encoding="utf-8"))
    text = (FOLDER / "fetchstats.dsv").read_bytes()
    times = 5 if quick else _TIMES
    here = _seconds(lambda: decode(text, info), times)
    split = _seconds(lambda: _split(text), times)
    what = f"decoding an esxtop reply of {len(text) / 1e3:.0f} kB"
    return [
        Row(
            what,
            f"{here * 1e3:.1f} ms, every number and name checked",
            f"line and field split, numbers by int(): {split * 1e3:.1f} ms, nothing checked",
            f"{split / here:.1f}×",
            "≥ 1×",
            here <= split,
        )
    ]


def _split(text: bytes) -> list[list[int | str]]:
    """What a script does with a reply: lines, fields, numbers."""
    lines = text.decode().split("\n")
    return [[int(part) if part.isdigit() else part for part in line.split("|")] for line in lines]


def _seconds(work: Callable[[], object], times: int) -> float:
    """The least processor time of many runs: others use this machine too."""
    taken = []
    for _ in range(times):
        begin = time.process_time()
        work()
        taken.append(time.process_time() - begin)
    return min(taken)
