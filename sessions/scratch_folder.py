"""A folder for files that are needed only for a moment: private, and removed also after a kill."""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from resources.failures import HyperscopeError
from sessions.store.lock import WriterLock

_PREFIX = "hyperscope-work-"
_NAME = re.compile(re.escape(_PREFIX) + r"\w{8}")
_OWNED = "in-use"
"""A lock of this name stands in a folder while a living process uses it."""


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Yield a new folder in the system's folder for temporary files; it is removed when the block ends.

    It may hold as much as a session or an unpacked capture: what a killed process left, the next one removes.
    Raises OSError where it can't be made.
    """
    _remove_leftovers(Path(tempfile.gettempdir()))
    with tempfile.TemporaryDirectory(prefix=_PREFIX, ignore_cleanup_errors=True) as name:
        folder, lock = Path(name), None
        with suppress(HyperscopeError):  # where a file system knows no locks, nobody takes it for a leftover
            lock = WriterLock(folder / _OWNED)
        try:
            yield folder
        finally:
            if lock is not None:
                lock.release()


def _remove_leftovers(parent: Path) -> None:
    """Remove the folders of this user's killed processes; what can't be removed stays."""
    with suppress(OSError):
        for path in [one for one in parent.iterdir() if _NAME.fullmatch(one.name)]:
            with suppress(OSError, HyperscopeError):
                if _is_left(path):
                    _remove(path)


def _is_left(path: Path) -> bool:
    found = path.lstat()
    is_own = not hasattr(os, "getuid") or found.st_uid == os.getuid()
    return is_own and stat.S_ISDIR(found.st_mode) and (path / f"{_OWNED}-lock").is_file()


def _remove(path: Path) -> None:
    """Raises BusyError if a living process uses the folder."""
    WriterLock(path / _OWNED).release()
    shutil.rmtree(path)
