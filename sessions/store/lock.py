"""The writer's lock: a session has one writer, on every system, and a killed one leaves no lock behind.

The lock is SQLite's own exclusive lock on an empty database beside the session, which the operating system
releases when the process ends. (Locking the session itself would keep its readers out.) The empty file is
removed by whoever holds the lock, so that a clean close leaves one file.
"""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing, suppress
from pathlib import Path

from sessions.store.database import busy, translated

_ATTEMPTS = 20
_PATIENCE_S = 0.5
"""For those who only look whether somebody writes (``is_written``): they hold the lock for a moment."""


def is_written(session: Path) -> bool:
    """Whether somebody writes the session now, as far as can be told: a killed writer does not."""
    path = _lock_file(session)
    if not path.exists():
        return False
    try:
        with closing(
            sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", timeout=0, uri=True)
        ) as connection:
            connection.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.OperationalError:
        return path.exists()
    return False


def _lock_file(session: Path) -> Path:
    return session.with_name(session.name + "-lock")


def remove_stale_lock(session: Path) -> None:
    """Remove the lock file of a writer that was killed; raises BusyError where one holds it."""
    if _lock_file(session).exists():
        WriterLock(session).release()


class WriterLock:
    """Held from construction to ``release``; raises BusyError when another holds it."""

    def __init__(self, session: Path) -> None:
        self._path = _lock_file(session)
        with translated(session):
            for _ in range(_ATTEMPTS):
                if self._acquire(session):
                    return
        raise busy(session)

    def release(self) -> None:
        """Let the next writer in."""
        if (
            sys.platform == "win32"
        ):  # where a file that is open stays; if the next writer's, that one removes it
            self._connection.close()
        with suppress(OSError):
            self._path.unlink(missing_ok=True)
        self._connection.close()

    def _acquire(self, session: Path) -> bool:
        """Whether the lock is ours: False when its file was replaced while we took it, so try again."""
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
        except sqlite3.OperationalError as error:
            connection.close()
            if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY:
                raise busy(session) from error
            raise
        if before is None or self._identity() != before:
            connection.close()
            return False
        self._connection = connection
        return True

    def _identity(self) -> tuple[int, int] | None:
        try:
            status = self._path.stat()
        except FileNotFoundError:
            return None
        return status.st_dev, status.st_ino
