"""The hidden file that becomes an anonymised session, and those that killed runs left beside it."""

from __future__ import annotations

import os
import re
import stat
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from resources.failures import DiskFullError, HyperscopeError
from sessions.store.lock import WriterLock
from sessions.store.opening import remove_session

_NAME = re.compile(r"\.hyperscope-[0-9a-f]{12}\.hscope")
_LEAST_AGE_S = 60
"""A younger one may just have been written by another run, which is about to give it its name."""


def unfinished_name(out: Path) -> Path:
    """Return where the session ``out`` is written until it is whole."""
    return out.with_name(f".hyperscope-{uuid.uuid4().hex[:12]}.hscope")


def remove_leftovers(folder: Path) -> None:
    """Remove the unfinished files of this user's runs that were killed; whatever can't be removed stays.

    One that a living run writes is locked, and no other file has such a name.
    """
    with suppress(OSError):
        for path in [one for one in folder.iterdir() if _NAME.fullmatch(one.name)]:
            if _is_left(path):
                with suppress(OSError, HyperscopeError):
                    _remove(path)


def _is_left(path: Path) -> bool:
    try:
        found = path.lstat()
    except OSError:
        return False
    is_own = not hasattr(os, "getuid") or found.st_uid == os.getuid()
    is_plain = stat.S_ISREG(found.st_mode) and found.st_nlink == 1
    return is_own and is_plain and time.time() - found.st_mtime > _LEAST_AGE_S


def _remove(path: Path) -> None:
    """Raises BusyError if a living run writes it."""
    lock = WriterLock(path)
    try:
        remove_session(path)
    finally:
        lock.release()


@contextmanager
def told_of(out: Path, unfinished: Path) -> Iterator[None]:
    """Let failures name the session that was asked for, not the hidden file that it is until it is whole."""
    try:
        yield
    except HyperscopeError as error:
        texts = [error.happened, error.meaning, error.advice]
        if not any(unfinished.name in text for text in texts):
            raise
        happened = error.happened.replace(str(unfinished), str(out)).replace(unfinished.name, out.name)
        advice = (
            "Make room there, or choose another disk." if isinstance(error, DiskFullError) else error.advice
        )
        raise type(error)(happened, meaning="Nothing was kept of it.", advice=advice) from error
