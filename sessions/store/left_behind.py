"""What an import left that was killed: nothing of it is lost when its files are imported again."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from resources.failures import AlreadyExistsError, HyperscopeError
from sessions.store import sources
from sessions.store.database import Database
from sessions.store.lock import WriterLock
from sessions.store.opening import remove_session
from sessions.store.signature import begins_like_session
from sessions.store.waiting_runs import has_waiting

_STATE = "importing"
_COUNT = (
    "SELECT (SELECT count(*) FROM document) + (SELECT count(*) FROM entities)"
    " + (SELECT count(*) FROM meta WHERE key NOT IN ('title', 'created'))"
)


def make_way(path: Path, *, replace: bool) -> None:
    """Remove what an interrupted import left at ``path`` if it may be replaced. Anything else there stays:
    whoever creates a session says so.

    Raises AlreadyExistsError, which says what it is, unless ``replace``; BusyError while it is written.
    """
    if not begins_like_session(path) or not _is_left_behind(path):
        return
    if not replace:
        raise AlreadyExistsError(
            f"{path} is what an import left that was interrupted.",
            meaning="It holds a part of its files; nothing was changed.",
            advice="Import again with --replace to put the whole in its place, or name another file.",
        )
    lock = WriterLock(path)  # nobody writes it, and nobody begins to
    try:
        if _is_left_behind(path):
            remove_session(path)
    finally:
        lock.release()


def _is_left_behind(path: Path) -> bool:
    """Return True if nobody has changed it since: who opens it for writing ends its sources, and a guided run
    that somebody keeps waits beside it.
    """
    try:
        with closing(Database(path, "ro")) as database:
            states = {state for _, state in sources.load(database).values()}
            is_untouched = states == {_STATE} or (not states and _is_bare(database))
    except HyperscopeError:
        return False
    return is_untouched and not has_waiting(path)


def _is_bare(database: Database) -> bool:
    """Return True if nothing was stored but what each session begins with: the import had just begun."""
    (found,) = next(database.rows(_COUNT, (int,)))
    return bool(found == 0)
