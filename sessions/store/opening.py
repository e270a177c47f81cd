"""Opening a session file: recognises and checks it, takes the writer's lock, migrates older versions."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from resources.failures import AccessDeniedError, AlreadyExistsError, HyperscopeError, NotFoundError
from resources.files import is_device_or_pipe
from sessions.store import schema
from sessions.store.database import Database, being_made, damaged, not_a_session, translated
from sessions.store.lock import WriterLock, is_written, real_path, remove_stale_lock, require_one_name
from sessions.store.waiting_runs import forget_waiting, remove_stale_waiting_lock

_SMALL_BYTES = 1 << 18
_SMALL_PAGE_BYTES = 512
_MODEST_BYTES = 1 << 21
"""A larger session keeps the large pages that it was made with."""
_PATIENCE_MS = 1_000
_LOG_BYTES = 4000 * schema.PAGE_BYTES


def create_file(path: Path, *, bulk: bool = False) -> tuple[Database, WriterLock]:
    """Create an empty session and take its writer's lock; ``bulk`` for a session that is written in one go.

    Raises AlreadyExistsError, NotFoundError (no such folder), AccessDeniedError, DiskFullError.
    """
    with translated(path):
        is_there, has_folder = path.exists() or path.is_symlink(), path.parent.is_dir()
    if is_there:
        raise AlreadyExistsError(
            f"{path} exists already.",
            advice="Choose another name, or remove it first; nothing is overwritten.",
        )
    if not has_folder:
        raise NotFoundError(
            f"The folder {path.parent} is not there.", advice="Make it, or name another place."
        )
    path = real_path(path)
    lock = WriterLock(path)
    try:
        forget_waiting(path)
        database = Database(path, "rwc")
        try:
            schema.create(database, page_bytes=schema.BULK_PAGE_BYTES if bulk else schema.PAGE_BYTES)
            _prepare_for_writing(database)
        except BaseException:
            database.close()
            remove_session(path)
            raise
    except BaseException:
        lock.release()
        raise
    return database, lock


def open_for_writing(path: Path) -> tuple[Database, WriterLock]:
    """Open an existing session, migrate it if it is older, and take its writer's lock."""
    _require_file(path)
    path = real_path(path)
    lock = WriterLock(path)
    try:
        with translated(path):
            require_one_name(path)
        database = Database(path, "rw")
        try:
            _migrate(database, schema.version_of(database))
            _make_roomy(database)
            _prepare_for_writing(database)
        except BaseException:
            database.close()
            raise
    except BaseException:
        lock.release()
        raise
    return database, lock


def open_for_reading(path: Path) -> Database:
    """Open an existing session read-only; migrate it first if its version can't be read directly."""
    _require_file(path)
    path = real_path(path)
    database = _connect_for_reading(path)
    try:
        version = schema.version_of(database)
        if version < schema.OLDEST_READABLE:
            database.close()
            upgraded, lock = open_for_writing(path)
            leave_one_file(upgraded)
            upgraded.close()
            lock.release()
            database = _connect_for_reading(path)
            version = schema.VERSION
        with translated(path):
            schema.verify(database, version)
        database.pragma("query_only = ON")
    except BaseException:
        database.close()
        raise
    return database


def leave_one_file(database: Database) -> None:
    """Finish writing: merge SQLite's log into the file, and release unused space if that is worth it.

    Space that compaction freed is released if it is a tenth of the file; a small file gets small pages, which
    halves its size. Raises BusyError if a reader is still there after a second, DiskFullError if the log
    doesn't fit: SQLite then reads the file together with its log, and the last reader merges it.
    """
    database.pragma(f"busy_timeout = {_PATIENCE_MS}")
    database.pragma("wal_checkpoint(TRUNCATE)")
    database.pragma("busy_timeout = 0")
    database.pragma("journal_mode = DELETE")
    pages, free = database.pragma("page_count"), database.pragma("freelist_count")
    before = database.pragma("page_size")
    size = _fitting_page(before, (pages - free) * before)
    if (free * 10 > pages or before != size) and _is_sound(database):
        _rebuild(database, size)


def _fitting_page(before: int, used: int) -> int:
    """The page size for a file of ``used`` bytes in pages of ``before``; each table takes a page at least."""
    tables = len(schema.SCHEMAS[schema.VERSION])
    if used <= _SMALL_BYTES + tables * max(0, before - schema.PAGE_BYTES):
        return _SMALL_PAGE_BYTES
    return schema.PAGE_BYTES if used <= _MODEST_BYTES else max(before, schema.PAGE_BYTES)


def close_reader(database: Database) -> None:
    """Close a session after reading; the last reader removes SQLite's extra files if nobody
    writes the session.

    A read-only connection can't remove SQLite's log and shared memory, and while one exists the writer can't
    either. SQLite itself refuses the removal while anybody else has the file open; files or folders that
    can't be written stay as they are. The lock file of a killed writer is removed, too.

    Files may remain: an archive whose last reader was killed keeps an empty log and shared memory when it is
    read by somebody who may not write it. SQLite would create none for a file declared immutable; but a
    reader that may not write a file can't promise that: another user's recorder may continue it meanwhile.
    """
    path = database.path
    database.close()
    with suppress(HyperscopeError, OSError):
        if is_written(path):
            return
        if any(path.with_name(path.name + suffix).exists() for suffix in ("-wal", "-shm")):
            _end_log(path)
        remove_stale_lock(path)
        remove_stale_waiting_lock(path)


def _end_log(path: Path) -> None:
    last = Database(path, "rw")
    try:
        last.pragma("busy_timeout = 0")
        last.pragma("journal_mode = DELETE")
    finally:
        last.close()


def _make_roomy(database: Database) -> None:
    """Undo what ``leave_one_file`` did to a small file: it is about to grow."""
    if database.pragma("page_size") >= schema.PAGE_BYTES or database.pragma("journal_mode") == "wal":
        return
    if not _is_sound(database):
        raise damaged(database.path, "its pages do not fit together")
    _rebuild(database, schema.PAGE_BYTES)


def _is_sound(database: Database) -> bool:
    """Whether its pages fit together: copying a forged file could fill the disk."""
    return bool(database.pragma("quick_check(1)") == "ok")


def _rebuild(database: Database, page_size: int) -> None:
    database.pragma(f"page_size = {page_size}")
    database.execute("VACUUM")


def remove_session(path: Path) -> None:
    """Delete a session that nobody has open, with SQLite's files beside it."""
    with translated(path):
        for suffix in ("", "-wal", "-shm", "-journal"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
    forget_waiting(path)


def _require_file(path: Path) -> None:
    # The file is never opened here: closing it would drop the locks that SQLite holds on it in this process.
    with translated(path):
        if path.is_dir():
            raise not_a_session(path, "it is a folder")
        if is_device_or_pipe(path):
            raise not_a_session(path, "it is a device, a pipe or a socket")
        if _is_empty(path) and is_written(path):
            raise being_made(path)
        if _is_empty(path):  # still: whoever was making it may just have filled it, and ended
            raise not_a_session(path, "it is empty")


def _is_empty(path: Path) -> bool:
    return path.stat().st_size == 0 and not path.with_name(path.name + "-wal").exists()


def _connect_for_reading(path: Path) -> Database:
    """Read-only; without shared memory beside the file where it can't be made, as on a read-only disk."""
    database = Database(path, "ro")
    try:
        database.pragma("schema_version")
    except AccessDeniedError as error:
        database.close()
        log = path.with_name(path.name + "-wal")
        if log.exists() and log.stat().st_size:
            raise AccessDeniedError(
                error.happened,
                meaning="It was not closed, so that part of it is in the log beside it.",
                advice=f"Copy it together with {log.name} to a folder that can be written, and open that.",
            ) from error
        return Database(path, "immutable")
    except HyperscopeError:
        database.close()
        raise
    return database


def _prepare_for_writing(database: Database) -> None:
    database.pragma("journal_mode = WAL")
    database.pragma("synchronous = FULL")
    database.pragma(f"wal_autocheckpoint = {_LOG_BYTES // database.pragma('page_size')}")


def _migrate(database: Database, version: int) -> None:
    """Bring the file to our version: a backup copy first, then all steps in one transaction."""
    with translated(database.path):
        schema.verify(database, version)
    if version == schema.VERSION:
        return
    backup = _backup_path(database.path, version)
    try:
        database.backup_to(backup)
    except BaseException:
        with suppress(OSError):
            backup.unlink(missing_ok=True)
        raise
    with database.transaction():
        for step in range(version, schema.VERSION):
            for statement in schema.MIGRATIONS[step]:
                database.execute(statement)
        database.pragma(f"user_version = {schema.VERSION}")
        with translated(database.path):
            schema.verify(database, schema.VERSION)


def _backup_path(path: Path, version: int) -> Path:
    for number in range(1000):
        suffix = f".v{version}.bak" if number == 0 else f".v{version}-{number}.bak"
        candidate = path.with_name(path.name + suffix)
        if not candidate.exists():
            return candidate
    raise damaged(path, "a thousand backup copies stand beside it")
