"""How the benchmarks measure: wall time, CPU time, memory of a whole process tree, and rows of the table."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil


@dataclass(frozen=True, slots=True)
class Row:
    """One line of RESULTS.md."""

    what: str
    here: str
    peer: str
    ratio: str
    goal: str
    holds: bool


@dataclass(frozen=True, slots=True)
class Run:
    """Measurements of a process that has ended: wall time in seconds,
    and the peak memory of its process tree.

    ``cpu_seconds`` is the processor time of the whole tree, 0 on Windows.

    ``peak_bytes`` is the private memory (USS) of all processes plus, once, the shared pages of the largest
    process: what the machine has to provide for all of them. ``peak_rss`` is the plain sum of resident sizes.
    """

    seconds: float
    peak_bytes: int
    peak_rss: int
    output: str
    cpu_seconds: float = 0.0


def run(arguments: Sequence[str], *, watch: bool = True) -> Run:
    """Run Python with these command-line arguments and, if
    ``watch``, measure the memory of its process tree.
    """
    begin, cpu = time.perf_counter(), _cpu_of_children()
    with subprocess.Popen(
        [sys.executable, *arguments],
        env=as_installed(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    ) as child:
        watcher = Watcher(child.pid)
        if watch:
            watcher.start()
        output = child.communicate()[0]
        watcher.stop.set()
    seconds = time.perf_counter() - begin
    if child.returncode:
        raise RuntimeError(f"{' '.join(arguments)} ended with {child.returncode}:\n{output}")
    return Run(seconds, watcher.peak, watcher.peak_rss, output, _cpu_of_children() - cpu)


def as_installed() -> dict[str, str]:
    """Return the environment for a measured program: Python may keep
    compiled modules, as it does for the peers.

    A developer's shell may forbid that (PYTHONDONTWRITEBYTECODE), which costs each of our processes 0.1 s.
    """
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _cpu_of_children() -> float:
    times = os.times()
    return times.children_user + times.children_system


class Watcher(threading.Thread):
    """A thread that samples the memory of a process tree every 50 ms."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.stop = threading.Event()
        self.peak = 0
        self.peak_rss = 0
        self._pid = pid

    def run(self) -> None:
        """Sample until the event ``stop`` is set."""
        while not self.stop.wait(0.05):
            own, resident = tree_memory(self._pid)
            self.peak = max(self.peak, own)
            self.peak_rss = max(self.peak_rss, resident)


def tree_memory(pid: int) -> tuple[int, int]:
    """Return the memory of a process tree in bytes: (private memory plus
    largest shared part, sum of resident sizes).
    """
    private, shared, resident = 0, 0, 0
    try:
        top = psutil.Process(pid)
        for process in (top, *top.children(recursive=True)):
            memory = process.memory_full_info()
            private += memory.uss
            shared = max(shared, memory.rss - memory.uss)
            resident += memory.rss
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        pass
    return private + shared, resident


def median_seconds(work: Callable[[], object], times: int = 9) -> float:
    """Call ``work`` once to warm up, then ``times`` times; return the median wall time in seconds."""
    work()
    taken = []
    for _ in range(times):
        begin = time.perf_counter()
        work()
        taken.append(time.perf_counter() - begin)
    return statistics.median(taken)


def megabytes(count: float) -> str:
    """Format a number of bytes as MB, for the table."""
    return f"{count / 1e6:,.1f} MB"


def size_of(path: Path) -> int:
    """Return the size of a file in bytes."""
    return path.stat().st_size
