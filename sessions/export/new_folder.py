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

from resources.failures import AlreadyExistsError
from resources.files import write_failures
from sessions.owned_folders import owned, remove_left

_PREFIX = ".hyperscope-export-"
_NAME = re.compile(re.escape(_PREFIX) + r"\d+-\d+")
_OWNED = "unfinished"
"""A lock of this name stands in a folder while a living process writes into it."""
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
                with owned(temporary, _OWNED):  # gone before the folder gets its name: it is no export's file
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
    remove_left(folder, _NAME, _OWNED, _empty)


def _empty(folder: Path) -> None:
    for one in folder.iterdir():
        if one.suffix in _WRITTEN and stat.S_ISREG(one.lstat().st_mode):
            one.unlink()


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
