"""Diagnosis of 24 hours × 20,000 series with all problems, against reading every sample once."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from benchmarks.big_session import big_session
from benchmarks.measure import Row, median_seconds
from diagnosis import diagnose_session
from resources.catalogue import load_catalogue
from resources.problem_cards import load_problems
from sessions.store import SessionReader

AT_ONCE = 500  # series; reading all at once would not fit into memory


def measure(cache: Path, *, quick: bool) -> list[Row]:
    """All problems over a day with nothing wrong, and over one with plenty."""
    hours = 1 if quick else 24
    names = ("healthy-normal", "demo")
    return [row for name in names for row in over(big_session(cache, hours=hours, scenario=name), name)]


def over(path: Path, scenario: str) -> list[Row]:
    """All problems over one session."""
    problems, catalogue = load_problems(), load_catalogue()
    with SessionReader.open(path) as reader:
        seconds = median_seconds(lambda: diagnose_session(reader, problems, catalogue), times=3)
        found = len(diagnose_session(reader, problems, catalogue).findings)
        ids = np.array([series.id for series in reader.series()], dtype=np.int64)
        begin = time.perf_counter()
        for first in range(0, len(ids), AT_ONCE):
            reader.read(ids[first : first + AT_ONCE])
        everything = time.perf_counter() - begin
        span = reader.span()
        hours = span.seconds / 3600 if span else 0
    return [
        Row(
            f"all problems over {scenario}, {len(ids):,} series × {hours:.0f} h ({found} findings)",
            f"{seconds:.2f} s",
            f"reading every sample once {everything:.1f} s",
            f"{everything / seconds:.1f}×",
            "≤ 2 s",
            seconds <= 2,
        )
    ]
