"""Folders that belong to a living process: what killed ones left can be told apart, and removed."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from resources.failures import HyperscopeError
from sessions.store.lock import WriterLock


@contextmanager
def owned(folder: Path, lock_name: str) -> Iterator[None]:
    """Hold a lock in a folder while the block runs, on whatever machine that is: a process id would tell
    nothing on a share, and may be another program's by now. Where a file system knows no locks, nobody takes
    the folder for a leftover.
    """
    lock = None
    with suppress(HyperscopeError):
        lock = WriterLock(folder / lock_name)
    try:
        yield
    finally:
        if lock is not None:
            lock.release()


def remove_left(parent: Path, name: re.Pattern[str], lock_name: str, empty: Callable[[Path], None]) -> None:
    """Remove the folders of such names that this user's killed processes left in ``parent``: those with the
    lock of a process that is gone. ``empty`` removes what is in one, without the file of the lock. What can't
    be removed stays.
    """
    with suppress(OSError):
        for path in [one for one in parent.iterdir() if name.fullmatch(one.name)]:
            with suppress(OSError, HyperscopeError):
                if _has_own_lock(path, lock_name):
                    _remove(path, lock_name, empty)


def _remove(path: Path, lock_name: str, empty: Callable[[Path], None]) -> None:
    """Raises BusyError if a living process uses the folder."""
    lock = WriterLock(path / lock_name)
    try:
        empty(path)
    finally:
        lock.release()
    path.rmdir()


def _has_own_lock(path: Path, lock_name: str) -> bool:
    found = path.lstat()
    is_own = not hasattr(os, "getuid") or found.st_uid == os.getuid()
    return is_own and stat.S_ISDIR(found.st_mode) and (path / f"{lock_name}-lock").is_file()
