"""How a file begins that may be a session: nothing is decoded, only opening it can tell for sure."""

from __future__ import annotations

from pathlib import Path

_SQLITE = b"SQLite format 3\x00"


def begins_like_session(path: Path) -> bool:
    """Return True if the file's first bytes are a session's; False also for one that can't be read.

    Not for a session that this process has open: closing a file drops the locks that SQLite holds on it.
    """
    try:
        if not path.is_file():  # opening a pipe would wait for its writer
            return False
        with path.open("rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except (OSError, ValueError):
        return False
