"""Whether the disk has room for the recording to continue: it ends cleanly before the disk is full."""

from __future__ import annotations

import shutil
from pathlib import Path

from resources.failures import AccessDeniedError, DiskFullError, NotFoundError
from resources.units import format_bytes


def require_space(session: Path, keep_free: int) -> None:
    """Raise DiskFullError when fewer than ``keep_free`` bytes are free on the session's disk.

    Raises NotFoundError if the session's folder does not exist, AccessDeniedError if the disk can't be
    queried.
    """
    try:
        has_folder = session.parent.is_dir()
        session.exists()
    except OSError as error:  # its name is too long, its links lead in a circle, its folder is closed
        raise AccessDeniedError(
            f"{session} can't be opened: {error.strerror}.",
            advice="Check its name and the folder's permissions.",
        ) from error
    if not has_folder:
        raise NotFoundError(
            f"{session.name} has no place: there is no folder {session.parent}.",
            advice="Check its spelling, and whether the disk or the network share is still there.",
        )
    try:
        free = shutil.disk_usage(session.parent).free
    except OSError as error:
        raise AccessDeniedError(
            f"The disk that holds {session.name} can't be asked for its space: {error.strerror}.",
            advice="Check whether the folder or the network share is still there.",
        ) from error
    if free < keep_free:
        stored = "What was recorded is stored; the recording does not go on."
        raise DiskFullError(
            f"The disk that holds {session.name} has {format_bytes(free)} left, "
            f"less than the {format_bytes(keep_free)} that a recording leaves free.",
            meaning=stored if session.exists() else "Nothing is recorded.",
            advice="Free some space or record to another disk; a command may also ask for less: --keep-free.",
        )


def size_on_disk(session: Path) -> int:
    """Return the bytes of the session file and the SQLite log (WAL) beside it."""
    total = 0
    for path in (session, session.with_name(session.name + "-wal")):
        try:
            total += path.stat().st_size
        except OSError:  # not there: SQLite makes and removes the log as it sees fit
            continue
    return total
