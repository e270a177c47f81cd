"""A lock between processes, held while a file is read, changed and written back."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from resources.failures import BusyError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

PATIENCE_S = 10.0
"""Holders need milliseconds; one that takes longer is stopped or stuck."""

_BETWEEN_TRIES_S = 0.01


@contextmanager
def locked(path: Path, patience_s: float = PATIENCE_S) -> Iterator[None]:
    """Hold a lock file at ``path`` (created if missing) against other processes and threads.

    The operating system releases the lock when its holder dies. The empty file stays: deleting it could take
    it away from a process that waits for the lock. Raises BusyError after ``patience_s`` seconds, OSError for
    the file.
    """
    with path.open("ab") as file:
        deadline = time.monotonic() + patience_s
        while not _taken(file):
            if time.monotonic() >= deadline:
                raise BusyError(
                    f"Another process has held {path} for {patience_s:.0f} s.",
                    meaning="It is stopped, or its disk does not answer.",
                    advice="End it, then try again.",
                )
            time.sleep(_BETWEEN_TRIES_S)  # no system has a bounded wait for a file's lock
        yield  # closing the file lets go


def _taken(file: BinaryIO) -> bool:
    try:
        if sys.platform == "win32":
            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True
