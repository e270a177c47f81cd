"""Runs a fuzzer in several processes within a limit of memory, and reports what it found."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Protocol

if sys.platform != "win32":
    import resource

PART = 50  # mutants at a time
PARTS_OF_A_POOL = 20
"""So many parts to a pool of new processes: a mutant that spoils its process must not spoil thousands.

Not ``max_tasks_per_child``: on CPython 3.11 the pool then waits for ever when its last process has ended.
"""
MEMORY_BYTES = 3 << 30
MAX_FILE_BYTES = 64 << 20


@dataclass
class Report:
    """Results of a fuzzing run: how many commands ended in which way, the findings, the slowest mutants."""

    outcomes: Counter[str] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)
    slowest: tuple[float, int] = (0.0, -1)
    mutants: int = 0

    def attempt(self, number: int, name: str, act: Callable[[Counter[str]], Any]) -> bool:
        """Call ``act`` for mutant ``number`` and record what happened; return False if it was a finding."""
        started = time.perf_counter()
        try:
            act(self.outcomes)
        except Exception as error:  # noqa: BLE001 - the very thing that is looked for
            self.findings.append(f"{number} {name}: {type(error).__name__}: {str(error)[:300]}")
            found = True
        else:
            found = False
        self.mutants += 1
        self.slowest = max(self.slowest, (time.perf_counter() - started, number))
        return not found

    def add(self, other: Report) -> None:
        """Add the results of another process to this report."""
        self.outcomes += other.outcomes
        self.findings += other.findings
        self.slowest = max(self.slowest, other.slowest)
        self.mutants += other.mutants

    def show(self) -> None:
        """Print the report."""
        print(f"{self.mutants} mutants: {dict(sorted(self.outcomes.items()))}")
        print(f"slowest {self.slowest[0]:.2f} s (number {self.slowest[1]}), {len(self.findings)} findings")
        for finding in self.findings[:50]:
            print("FINDING", finding)


class Fuzz(Protocol):
    """A fuzzer of one kind of file; a function of a module, so that other processes can import it."""

    def __call__(self, first: int, count: int, folder: Path, *, keep: Path | None = None) -> Report:
        """Try the mutants ``first`` to ``first + count - 1`` in ``folder``; copy findings to ``keep``."""


def run_fuzzer(fuzz: Fuzz, description: str, *, default_count: int, max_megabytes: float) -> int:
    """Fuzz as the command line says; return exit code 1 for findings, or for more than ``max_megabytes``."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--count", type=int, default=default_count)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="where to keep files that are findings")
    options = parser.parse_args()
    work = partial(_in_a_process, fuzz)
    report, peak = _in_processes(work, options.first, options.count, options.processes, options.keep)
    return 1 if report.findings or peak > max_megabytes else 0


def _in_a_process(fuzz: Fuzz, first: int, count: int, keep: Path | None) -> tuple[Report, float]:
    warnings.simplefilter("error")
    _limit_memory()
    with tempfile.TemporaryDirectory() as folder:
        return fuzz(first, count, Path(folder), keep=keep), peak_megabytes()


def _in_processes(
    work: Callable[[int, int, Path | None], tuple[Report, float]],
    first: int,
    count: int,
    processes: int,
    keep: Path | None,
) -> tuple[Report, float]:
    """Return the report of all processes and the highest memory use of one of them in MB; print both."""
    report, peak, started = Report(), 0.0, time.perf_counter()
    for begin in range(first, first + count, PARTS_OF_A_POOL * PART):
        end = min(begin + PARTS_OF_A_POOL * PART, first + count)
        begins = range(begin, end, PART)
        counts = [min(PART, end - one) for one in begins]
        with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
            for found, memory in pool.map(work, begins, counts, [keep] * len(counts)):
                report.add(found)
                peak = max(peak, memory)
                for finding in found.findings:
                    print("FINDING", finding, flush=True)
                print(f"{report.mutants} of {count}, {peak:.0f} MB", flush=True)
    print(f"{time.perf_counter() - started:.0f} s, peak memory {peak:.0f} MB")
    report.show()
    return report, peak


def _limit_memory() -> None:
    """Limit this process's memory, and the size of each file that it writes, where the system has limits."""
    if sys.platform != "win32":
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_FSIZE, (MAX_FILE_BYTES, MAX_FILE_BYTES))


def peak_megabytes() -> float:
    """Return the highest memory use of this process so far, in MB."""
    if sys.platform == "win32":
        return 0.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20) if sys.platform == "darwin" else peak / 1024
