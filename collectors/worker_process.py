"""A worker process of an import, and the pipes to it. Imports only the standard library.

A program that will need workers starts them before its own imports, because both take a while. On Linux it
first imports what the workers need and then forks: they are ready at once, and nothing is loaded twice.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiprocessing.context import ForkContext, SpawnContext  # Windows has no ForkContext

MAX_WORKERS = 2
SMALL_BYTES = 8 << 20
"""Below this many bytes the work is done before a worker process has started."""
_MAX_AHEAD_BYTES = 64 << 20
"""With one worker; several leave less room to each (see ``importing``)."""


@dataclass(frozen=True, slots=True)
class ReadAhead:
    """The first task of a worker: to read this file's first rows until it is told what to do with them.

    They may take ``max_bytes`` of its memory.
    """

    path: Path
    max_bytes: int


class WorkerProcess:
    """A started worker process; ``tasks`` is the pipe to write to, ``answers`` the pipe to read from.

    With ``forked_after``, all workers that run already, it is a copy of this process: see ``may_fork``.
    """

    def __init__(self, *, forked_after: Sequence[WorkerProcess] | None = None) -> None:
        context: SpawnContext | ForkContext
        context = get_context("spawn") if forked_after is None else get_context("fork")
        tasks, self.tasks = context.Pipe(duplex=False)
        self.answers, answers = context.Pipe(duplex=False)
        # A copy has this process's ends of all pipes, too: while it holds them open, no worker would notice
        # that this process is gone.
        copies = [] if forked_after is None else [self, *forked_after]
        ends = [end for one in copies for end in (one.tasks, one.answers)]
        self._process: BaseProcess = context.Process(target=_serve, args=(tasks, answers, ends), daemon=True)
        self._process.start()
        tasks.close()
        answers.close()

    def stop(self) -> None:
        """End the process at once; unfinished work is lost."""
        self.tasks.close()
        self.answers.close()
        self._process.terminate()
        self._process.join()
        self._process.close()


def worker_count(total_bytes: int) -> int:
    """Return how many workers an import of ``total_bytes`` needs: one for each other core, if the
    memory suffices.
    """
    return 0 if total_bytes < SMALL_BYTES else min((os.cpu_count() or 1) - 1, MAX_WORKERS)


def start_ahead(files: Sequence[Path], requested: int | None) -> list[WorkerProcess]:
    """Start the workers that an import of ``files`` will need (``requested`` if the user gave a number)
    and return them.
    """
    try:
        total = sum(file.stat().st_size for file in files)
    except (OSError, ValueError):
        return []  # the import itself will say what is wrong
    count = worker_count(total) if requested is None else requested
    started = list(_started(count)) if count else []
    if started and files:
        with suppress(OSError):  # a worker that is gone is noticed when it gets rows
            started[0].tasks.send(ReadAhead(files[0], _MAX_AHEAD_BYTES // len(started) ** 2))
    return started


def may_fork() -> bool:
    """Return True if a copy of this process is safe: on Linux, with no thread but this one, without Qt."""
    if sys.platform != "linux" or "PySide6" in sys.modules:
        return False
    try:
        return sum(1 for _ in Path("/proc/self/task").iterdir()) == 1
    except OSError:
        return False


def _started(count: int) -> Iterator[WorkerProcess]:
    forked: list[WorkerProcess] | None = None
    if may_fork():
        import collectors.esxtop.pool  # noqa: F401, PLC0415 - what all workers need is loaded once

        forked = [] if may_fork() else None
    for _ in range(count):
        process = WorkerProcess(forked_after=forked)
        if forked is not None:
            forked.append(process)
        yield process


def _serve(tasks: Connection, answers: Connection, parents_ends: Sequence[Connection]) -> None:
    for end in parents_ends:
        end.close()
    from collectors.esxtop.pool import serve  # noqa: PLC0415 - only the worker needs it

    serve(tasks, answers)
