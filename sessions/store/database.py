"""The only module that calls SQLite: connections, transactions, typed rows; translates its errors to ours."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import Any, Literal
from urllib.parse import quote

from resources.failures import (
    AccessDeniedError,
    BusyError,
    DamagedError,
    DiskFullError,
    HyperscopeError,
    NotASessionError,
    NotFoundError,
)
from sessions.store.codec import BlobError

MAX_BLOB_BYTES = 1 << 28

_BUSY_SECONDS = 10.0
_PRIMARY = 0xFF
_STEPS = 1_000_000
_MAX_STEPS = 50_000_000
_STEPS_A_BYTE = 4
"""Instructions of SQLite's machine that a statement may take: about ten a row, and a row has ten bytes."""


class Database:
    """A connection to a session file, for use from one thread at a time."""

    def __init__(self, path: Path, mode: Literal["ro", "rw", "rwc", "immutable"]) -> None:
        self.path = path
        self._looked = 0
        self._reading: set[sqlite3.Cursor] = set()
        query = "mode=ro&immutable=1" if mode == "immutable" else f"mode={mode}"
        with translated(path):
            self._connection = sqlite3.connect(
                f"{uri_of(path)}?{query}",
                uri=True,
                timeout=_BUSY_SECONDS,
                isolation_level=None,
                check_same_thread=False,
            )
            self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_BLOB_BYTES)
            self._connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 1)  # VACUUM's own
            self._connection.set_progress_handler(self._watch, _STEPS)
            for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0"):
                self._connection.execute(f"PRAGMA {pragma}")

    def close(self) -> None:
        """Close the connection; an open transaction is rolled back.

        Queries that were not read to their end are ended first: one that is open keeps the file open and
        locked behind a closed connection, for as long as an error's traceback refers to it.
        """
        with translated(self.path):
            while self._reading:
                self._reading.pop().close()
            self._connection.close()

    def pragma(self, text: str) -> Any:
        """Run a pragma and return its first value, or None."""
        self._looked = 0
        with translated(self.path), _readable():
            row = self._connection.execute(f"PRAGMA {text}").fetchone()
        return row[0] if row else None

    def execute(self, sql: str, values: Sequence[object] = ()) -> int:
        """Run a statement; return the id of the inserted row, if any."""
        self._looked = 0
        with translated(self.path), _readable():
            return self._connection.execute(sql, values).lastrowid or 0

    def execute_many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        """Run a statement for each row of values."""
        self._looked = 0
        with translated(self.path), _readable():
            self._connection.executemany(sql, rows)

    def rows(
        self, sql: str, types: tuple[type, ...], values: Sequence[object] = ()
    ) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query, whose columns must have exactly these types; ``object`` accepts any.

        Raises DamagedError for another type, which only a damaged or forged file has.
        """
        self._looked = 0
        with translated(self.path), _readable(), self._query(sql, values) as cursor:
            for row in cursor:
                if tuple(map(type, row)) != types and not _fits(row, types):
                    raise BlobError("a row with a value of the wrong type")
                yield row

    @contextmanager
    def _query(self, sql: str, values: Sequence[object]) -> Iterator[sqlite3.Cursor]:
        """Run a query; it ends with the block, or with the connection if that is closed first."""
        cursor = self._connection.cursor()
        self._reading.add(cursor)
        try:
            yield cursor.execute(sql, values)
        finally:
            if cursor in self._reading:  # else the connection is closed, and a cursor refuses to be, again
                self._reading.remove(cursor)
                cursor.close()

    def ordered(
        self, sql: str, types: tuple[type, ...], values: Sequence[object] = ()
    ) -> Iterator[tuple[Any, ...]]:
        """Yield rows as ``rows`` does, of a query whose first column increases; raises BlobError
        where it does not.

        The pages of a forged file may refer to each other so that a small table has endless rows.
        """
        last = None
        for row in self.rows(sql, types, values):
            if last is not None and row[0] <= last:
                raise BlobError("rows out of order")
            last = row[0]
            yield row

    def _watch(self) -> bool:
        """Whether to break off: a table that SQLite looks through without an end, though nothing comes."""
        self._looked += _STEPS
        return self._looked > _MAX_STEPS and self._looked > _STEPS_A_BYTE * bytes_of(self.path)

    def backup_to(self, target: Path) -> None:
        """Copy the database in a consistent state, also while others write."""
        with translated(target):
            copy = sqlite3.connect(target)
            try:
                self._connection.backup(copy)
            finally:
                copy.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run the block as one transaction: commit at its end, roll back when it raises."""
        self.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self.execute("ROLLBACK")
            raise

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all queries of the block see the same state of the file, also while others write. May nest."""
        outermost = not self._connection.in_transaction
        if outermost:
            self.execute("BEGIN")
        try:
            with translated(self.path):
                yield
        finally:
            if outermost:
                self.execute("ROLLBACK")  # nothing was written, and unlike COMMIT it can't be refused


def bytes_of(path: Path) -> int:
    """Return the bytes on disk of a session and its write-ahead log."""
    files = (path, path.with_name(path.name + "-wal"))
    return sum(file.stat().st_size for file in files if file.exists())


def state_on_disk(path: Path) -> tuple[tuple[int, int, int], ...]:
    """Return what differs once a session or its write-ahead log is written, replaced or removed."""
    files = (path, path.with_name(path.name + "-wal"))
    return tuple(_stamp(file) for file in files)


def _stamp(file: Path) -> tuple[int, int, int]:
    try:
        found = file.stat()
    except OSError:
        return 0, 0, -1
    return found.st_ino, found.st_mtime_ns, found.st_size


def uri_of(path: Path) -> str:
    """Return the path as a URI for SQLite."""
    return uri_of_absolute(path.absolute())


def uri_of_absolute(path: PurePath) -> str:
    """Return an absolute path as a URI for SQLite: file:///home/…, file:///C:/…, file:////server/…
    (``as_uri`` would give a host name, which SQLite refuses).
    """
    text = quote(os.fsencode(path.as_posix()), safe="/:")  # any name, also one that is no UTF-8
    return f"file://{text}" if text.startswith("/") else f"file:///{text}"


def _fits(row: tuple[Any, ...], types: tuple[type, ...]) -> bool:
    return all(kind is object or type(value) is kind for value, kind in zip(row, types, strict=True))


@contextmanager
def _readable() -> Iterator[None]:
    """What CPython 3.11 raises when SQLite's message is not UTF-8, because it quotes a damaged schema."""
    try:
        yield
    except (MemoryError, UnicodeDecodeError) as error:
        raise BlobError("SQLite can't read it") from error


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Translate errors of SQLite, the operating system and blobs to our errors about the
    session at ``path``.
    """
    try:
        yield
    except BlobError as error:
        raise damaged(path, str(error)) from error
    except sqlite3.Error as error:
        raise _expected(path, error) from error
    except OSError as error:
        raise _refused(path, error) from error
    except OverflowError as error:
        raise damaged(path, f"a value that does not fit ({error})") from error


def damaged(path: Path, detail: str) -> DamagedError:
    """Return the error for a session whose content is inconsistent."""
    return DamagedError(
        f"{path.name} is damaged: {detail}.",
        meaning="Part of it can't be trusted.",
        advice="Use a backup copy, or import the original capture again.",
    )


def not_a_session(path: Path, detail: str) -> NotASessionError:
    """Return the error for a file that is no session."""
    return NotASessionError(
        f"{path.name or path} is not a Hyperscope session: {detail}.",
        advice="Sessions end in .hscope; a capture is made into one with `hyperscope import`.",
    )


def disk_full(path: Path) -> DiskFullError:
    """Return the error for a session whose disk is full."""
    return DiskFullError(
        f"The disk that holds {path.name} is full.",
        meaning="What was stored before is intact; the last data was not stored.",
        advice="Free some space, or record to another disk.",
    )


def _refused(path: Path, error: OSError) -> HyperscopeError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return disk_full(path)
    if isinstance(error, FileNotFoundError):
        return NotFoundError(f"{path} is not there.", advice="Check the spelling of its name and folder.")
    is_name = error.errno in (errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG)
    return AccessDeniedError(
        f"{path} can't be opened: {error.strerror or error}.",
        advice=f"Check {'its name' if is_name else 'the permissions of file and folder'}.",
    )


def _expected(path: Path, error: sqlite3.Error) -> HyperscopeError:
    code = getattr(error, "sqlite_errorcode", 0) & _PRIMARY
    if code == sqlite3.SQLITE_FULL:
        return disk_full(path)
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return busy(path)
    if code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH):
        return AccessDeniedError(
            f"{path} can't be opened or written ({error}).",
            advice="Check the permissions of file and folder.",
        )
    if code == sqlite3.SQLITE_NOTADB:
        return not_a_session(path, "it is no SQLite database")
    if code == sqlite3.SQLITE_IOERR:
        return AccessDeniedError(
            f"{path} can't be read or written: the operating system reports an error ({error}).",
            advice="Check the disk or the network share that it is on.",
        )
    return damaged(path, "a table has no end" if code == sqlite3.SQLITE_INTERRUPT else str(error))


def being_made(path: Path) -> BusyError:
    """Return the error for a session that another process is just making: nothing is in it yet."""
    return BusyError(
        f"{path.name} is just being made by another Hyperscope.",
        meaning="Nothing is in it yet.",
        advice="Try again in a moment.",
    )


def busy(path: Path) -> BusyError:
    """Return the error for a session that another process writes."""
    return BusyError(
        f"{path.name} is being written by another Hyperscope.",
        meaning="A session has one writer; reading it meanwhile is fine.",
        advice="Wait until it ends, or write to another file.",
    )
