"""Whether a session that is being written is still the file at its path, with all that was written to it.

Only Windows keeps others from removing, renaming, replacing or cutting a file that is open. Elsewhere
everything could be written to a file that nobody will find again, or that nobody can read.
"""

from __future__ import annotations

from pathlib import Path

from resources.failures import DamagedError, NotFoundError
from resources.files import FileIdentity, identity_of


class FileInPlace:
    """The file of a session that is being written. It and SQLite's log beside it never get smaller before
    they are closed: SQLite begins its log again from the front, and keeps its length.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._identity = path, _identity_if_known(path)
        self._parts = (path, path.with_name(path.name + "-wal"))
        self._sizes = list(map(_size_if_known, self._parts))

    def require(self) -> None:
        """Raise NotFoundError if the file was removed, renamed or replaced, DamagedError if it or its log was
        cut or removed.
        """
        require_in_place(self._path, self._identity)
        for number, part in enumerate(self._parts):
            size = _size_if_known(part)
            if size is None:
                continue
            if size < (self._sizes[number] or 0):
                raise _cut(self._path, part)
            self._sizes[number] = size


def _size_if_known(path: Path) -> int | None:
    """The size of a file in bytes, 0 where there is none; None if it can't be told."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
    except OSError:
        return None


def _cut(path: Path, part: Path) -> DamagedError:
    what = path.name if part == path else f"{part.name}, the log of {path.name},"
    return DamagedError(
        f"{what} was cut or written over while it was recorded.",
        meaning="The recording can't go on; what came before may be lost.",
        advice="Let nothing else write to a session and the files beside it until its recording has ended.",
    )


def _identity_if_known(path: Path) -> FileIdentity | None:
    """The identity of the file at ``path``; None where there is none, or where it can't be told."""
    try:
        return identity_of(path)
    except OSError:
        return None


def require_in_place(path: Path, identity: FileIdentity | None) -> None:
    """Raise NotFoundError unless the file at ``path`` is the one that had ``identity``.

    An error of the disk or the network share is no proof: writing to it will tell.
    """
    try:
        found = identity_of(path)
    except FileNotFoundError:
        what = "removed or renamed"
    except OSError:
        return
    else:
        if identity in (None, found):
            return
        what = "replaced by another file"
    raise NotFoundError(
        f"{path.name} was {what} while it was recorded.",
        meaning="The recording can't go on; if the file was renamed, what came before is there.",
        advice="Leave a session where it is until its recording has ended.",
    )
