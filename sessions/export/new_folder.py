"""Creates a folder that appears only when its contents are complete."""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from resources.failures import AlreadyExistsError, HyperscopeError
from resources.files import write_failures
from sessions.store.lock import WriterLock

_PREFIX = ".hyperscope-export-"
_NAME = re.compile(re.escape(_PREFIX) + r"\d+-\d+")
_OWNED = "unfinished"
"""A lock of this name stands in a folder while a living process writes into it, on whatever machine that is:
a process id would tell nothing on a share, and may be another program's by now."""
_WRITTEN = (".csv", ".parquet")
_RENAME_ATTEMPTS, _RENAME_PAUSE_S = 20, 0.1  # a virus scanner on Windows holds new files for a moment


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Yield a temporary folder beside ``path`` to write into; rename it to ``path`` when the block ends.

    When the block raises, the folder and any parent folders created for it are deleted. A process that is
    killed leaves a folder whose name starts with ``.hyperscope-export-``, which the next one removes.
    Raises AlreadyExistsError if ``path`` exists (also if it appears meanwhile), AccessDeniedError,
    DiskFullError.
    """
    missing: list[Path] = []
    try:
        with write_failures(path):
            if _is_there(path):
                raise _exists(path)
            missing = [parent for parent in path.parents if not parent.exists()]
            temporary = _make_beside(path)
            remove_leftovers(path.parent)
            try:
                with _owned(temporary):
                    yield temporary
                _rename(temporary, path)
            except BaseException:
                shutil.rmtree(temporary, ignore_errors=True)
                raise
    except BaseException:
        for parent in missing:
            with suppress(OSError):
                parent.rmdir()
        raise


def remove_leftovers(folder: Path) -> None:
    """Remove the folders that this user's killed exports left in ``folder``; what can't be removed stays.

    Only a folder with such a name and with the lock of a process that is gone, and in it only what an export
    writes: anything else that somebody put there stays, and with it the folder.
    """
    with suppress(OSError):
        for path in [one for one in folder.iterdir() if _NAME.fullmatch(one.name)]:
            with suppress(OSError, HyperscopeError):
                if _is_left(path):
                    _remove(path)


def _is_left(path: Path) -> bool:
    found = path.lstat()
    is_own = not hasattr(os, "getuid") or found.st_uid == os.getuid()
    return is_own and stat.S_ISDIR(found.st_mode) and (path / f"{_OWNED}-lock").is_file()


def _remove(path: Path) -> None:
    """Raises BusyError if a living process writes into the folder."""
    lock = WriterLock(path / _OWNED)
    try:
        for one in path.iterdir():
            if one.suffix in _WRITTEN and stat.S_ISREG(one.lstat().st_mode):
                one.unlink()
    finally:
        lock.release()
    path.rmdir()


@contextmanager
def _owned(temporary: Path) -> Iterator[None]:
    """Hold the folder's lock. Where a file system knows no locks, nobody takes the folder for a leftover.

    It is gone before the folder gets its name: its file must not be exported, and would be in Windows' way.
    """
    lock = None
    with suppress(HyperscopeError):
        lock = WriterLock(temporary / _OWNED)
    try:
        yield
    finally:
        if lock is not None:
            lock.release()


def _make_beside(path: Path) -> Path:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise NotADirectoryError(errno.ENOTDIR, "a file stands where a folder should be") from error
    number = 0
    while True:
        temporary = path.parent / f"{_PREFIX}{os.getpid()}-{number}"
        try:
            temporary.mkdir()
        except FileExistsError:
            number += 1
        else:
            return temporary


def _rename(temporary: Path, path: Path) -> None:
    for attempt in range(_RENAME_ATTEMPTS):
        if _is_there(path):  # where it is an empty folder, renaming would replace it
            raise _exists(path)
        try:
            temporary.rename(path)
        except PermissionError:
            if attempt == _RENAME_ATTEMPTS - 1:
                raise
            time.sleep(_RENAME_PAUSE_S)
        else:
            return


def _is_there(path: Path) -> bool:
    return path.exists() or path.is_symlink()


def _exists(path: Path) -> AlreadyExistsError:
    return AlreadyExistsError(f"{path} exists.", advice="Name a folder that does not exist yet.")
