"""How long diagnosis takes with all problem cards: 24 hours × 20,000 series, and many VMs with many gaps."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.big_session import big_session
from benchmarks.measure import Row
from diagnosis import diagnose_session
from resources.catalogue import load_catalogue
from resources.problem_cards import load_problems
from sessions.store import SessionReader
from tests.diagnosis.recordings import Recording
from tests.sessions.memory_session import MemorySession

AT_ONCE = 500  # series; reading all at once would not fit into memory
MAX_FOR_GAPS = 1.3


def measure(cache: Path, *, quick: bool) -> list[Row]:
    """Measure three sessions: a day without problems, a day with many
    problems, and ten minutes with many gaps.
    """
    hours = 1 if quick else 24
    names = ("healthy-normal", "demo")
    rows = [
        row for name in names for row in diagnose_file(big_session(cache, hours=hours, scenario=name), name)
    ]
    return [*rows, measure_gaps(vms=400, gaps=200) if quick else measure_gaps(vms=4000, gaps=2000)]


def diagnose_file(path: Path, scenario: str) -> list[Row]:
    """Measure the diagnosis of the session at ``path`` with all problem
    cards; ``scenario`` names it in the table.
    """
    problems, catalogue = load_problems(), load_catalogue()
    with SessionReader.open(path) as reader:
        found = len(diagnose_session(reader, problems, catalogue).findings)
        seconds = least_cpu_seconds(lambda: diagnose_session(reader, problems, catalogue))
        ids = np.array([series.id for series in reader.series()], dtype=np.int64)
        begin = time.process_time()
        for first in range(0, len(ids), AT_ONCE):
            reader.read(ids[first : first + AT_ONCE])
        everything = time.process_time() - begin
        span = reader.span()
        hours = span.seconds / 3600 if span else 0
    return [
        Row(
            f"all problems over {scenario}, {len(ids):,} series × {hours:.0f} h ({found} findings), CPU",
            f"{seconds:.2f} s",
            f"reading every sample once {everything:.1f} s",
            f"{everything / seconds:.1f}×",
            "≤ 2 s",
            seconds <= 2,
        )
    ]


def measure_gaps(*, vms: int, gaps: int) -> Row:
    """Compare the diagnosis of VMs that have gaps of their own with that of
    the same VMs without gaps, in CPU seconds.
    """
    clean, broken = vms_with_gaps(vms, 0), vms_with_gaps(vms, gaps)
    diagnosis_cpu_seconds(clean)  # cards are read and compiled once
    alone, together = diagnosis_cpu_seconds(clean), diagnosis_cpu_seconds(broken)
    return Row(
        f"all problems over {vms:,} VMs with {gaps:,} gaps, CPU",
        f"{together:.2f} s",
        f"without the gaps {alone:.2f} s",
        f"{together / alone:.2f}×",
        f"≤ {MAX_FOR_GAPS}×",
        together <= MAX_FOR_GAPS * alone,
    )


def vms_with_gaps(vms: int, gaps: int) -> MemorySession:
    """Make ten minutes of the VMs of one host as vCenter records
    them; ``gaps`` gaps are spread over the VMs.
    """
    recording = Recording(source="vcenter", seconds=600, interval=20)
    recording.on_host({"cpu.pcpu_util": 40.0})
    refs = [recording.vm(f"vm{number:04}", {"cpu.ready": 1.0}) for number in range(vms)]
    for number in range(gaps):
        recording.gap(200, 300, refs[number % vms])
    return recording.into(MemorySession())


def diagnosis_cpu_seconds(session: MemorySession) -> float:
    """Diagnose the session three times and return the lowest CPU time, in seconds."""
    problems, catalogue = load_problems(), load_catalogue()
    return least_cpu_seconds(lambda: diagnose_session(session, problems, catalogue))


def least_cpu_seconds(work: Callable[[], object]) -> float:
    """Return the least CPU time of three runs, in seconds: it depends little on what else runs."""
    taken = []
    for _ in range(3):
        begin = time.process_time()
        work()
        taken.append(time.process_time() - begin)
    return min(taken)
