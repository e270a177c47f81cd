"""A worker process of an import, and the pipes to it. Imports only the standard library.

A program that will need workers starts them before its own imports, because both take a while.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path

MAX_WORKERS = 2
SMALL_BYTES = 8 << 20
"""Below this many bytes the work is done before a worker process has started."""


class WorkerProcess:
    """A started worker process; ``tasks`` is the pipe to write to, ``answers`` the pipe to read from."""

    def __init__(self) -> None:
        context = get_context("spawn")
        tasks, self.tasks = context.Pipe(duplex=False)
        self.answers, answers = context.Pipe(duplex=False)
        self._process: SpawnProcess = context.Process(target=_serve, args=(tasks, answers), daemon=True)
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
    return [WorkerProcess() for _ in range(worker_count(total) if requested is None else requested)]


def _serve(tasks: Connection, answers: Connection) -> None:
    from collectors.esxtop.pool import serve  # noqa: PLC0415 - only the worker needs it

    serve(tasks, answers)
