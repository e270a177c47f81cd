"""The writer's lock: a session has one writer, on every system, and a killed one leaves no lock behind.

The lock is SQLite's own exclusive lock on an empty database beside the session, which the operating system
releases when the process ends. (Locking the session itself would keep its readers out.) The empty file is
removed by whoever holds the lock, so that a clean close leaves one file.

It stands for the file, not for one of its names: symbolic links, and short names on Windows, are followed
first, as SQLite does for its log. A file with several hard links has no one place where lock and log could
stand, and is not written at all. What is left is a file that is renamed while it is written: SQLite can't
cope with that either, and Windows refuses it.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import sys
from contextlib import closing, suppress
from pathlib import Path

from resources.failures import AccessDeniedError
from resources.files import FileIdentity, identity_of
from sessions.store.database import busy, translated, uri_of

_ATTEMPTS = 20
_PATIENCE_S = 0.5
"""For those who only look whether somebody writes (``is_written``): they hold the lock for a moment."""
_GARBAGE = (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)
_PRIMARY = 0xFF


def real_path(session: Path) -> Path:
    """Return the path of a session, or of what is made into one, with all symbolic links resolved.

    Those that lead in a circle stay; before Python 3.13 ``Path.resolve`` raises for them.
    """
    return Path(os.path.realpath(session))


def require_one_name(session: Path) -> None:
    """Raise AccessDeniedError for a file with several hard links: SQLite's log can lie beside only one."""
    names = session.stat().st_nlink
    if names > 1:
        raise AccessDeniedError(
            f"{session.name} has {names} names (hard links), so that it is not written.",
            meaning="Its log would stand beside one name only, and a second writer beside the other.",
            advice="Remove the other names, or copy the file and use the copy.",
        )


def is_written(session: Path) -> bool:
    """Return True if a process writes the session now, as far as can be found out (not a killed one)."""
    path = _lock_file(real_path(session))
    if not _is_file(path):
        return False
    try:
        with closing(sqlite3.connect(f"{uri_of(path)}?mode=ro", timeout=0, uri=True)) as connection:
            connection.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.DatabaseError as error:
        return _primary_code(error) not in _GARBAGE and path.exists()
    return False


def _lock_file(session: Path) -> Path:
    return session.with_name(session.name + "-lock")


def _is_file(path: Path) -> bool:
    """Whether a file is there, and nothing that would have to be followed or waited for."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _primary_code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & _PRIMARY


def remove_stale_lock(session: Path) -> None:
    """Delete the lock file of a killed writer; raises BusyError if a writer holds the lock."""
    if _is_file(_lock_file(session)):
        WriterLock(session).release()


class WriterLock:
    """The lock, held from construction to ``release``; the constructor raises BusyError if another
    process holds it.

    ``session`` is the ``real_path``.
    """

    def __init__(self, session: Path) -> None:
        self._path = _lock_file(session)
        with translated(session):
            for _ in range(_ATTEMPTS):
                if self._acquire(session):
                    return
        raise busy(session)

    def release(self) -> None:
        """Release the lock for the next writer."""
        if (
            sys.platform == "win32"
        ):  # where a file that is open stays; if the next writer's, that one removes it
            self._connection.close()
        with suppress(OSError):
            self._path.unlink(missing_ok=True)
        self._connection.close()

    def _acquire(self, session: Path) -> bool:
        """Whether the lock is ours: False when its file was replaced while we took it, so try again."""
        self._make_way()
        self._path.touch()
        before = self._identity()
        connection = sqlite3.connect(
            self._path, timeout=_PATIENCE_S, isolation_level=None, check_same_thread=False
        )
        try:
            connection.execute(
                "PRAGMA journal_mode = OFF"
            )  # nothing is ever written, so nothing to roll back
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.DatabaseError as error:
            connection.close()
            if _primary_code(error) == sqlite3.SQLITE_BUSY:
                raise busy(session) from error
            if _primary_code(error) not in _GARBAGE:
                raise
            self._remove(before)  # nobody can hold a lock on it
            return False
        if before is None or self._identity() != before:
            connection.close()
            return False
        self._connection = connection
        return True

    def _make_way(self) -> None:
        """Remove a link that somebody put where the lock should be; raises AccessDeniedError for a folder."""
        if self._path.is_symlink():
            self._path.unlink(missing_ok=True)
        elif self._path.exists() and not _is_file(self._path):
            raise AccessDeniedError(
                f"{self._path} is in the way: it is no file.",
                advice="Remove it; the session's lock stands there.",
            )

    def _remove(self, seen: FileIdentity | None) -> None:
        """Remove the file, if it is still the one that was seen."""
        if self._identity() == seen:
            with suppress(OSError):
                self._path.unlink(missing_ok=True)

    def _identity(self) -> FileIdentity | None:
        try:
            return identity_of(self._path)
        except FileNotFoundError:
            return None
