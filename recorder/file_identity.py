"""Whether a session that is being written is still the file at its path.

Only Windows keeps others from removing, renaming or replacing a file that is open. Elsewhere everything could
be written to a file that nobody will find again.
"""

from __future__ import annotations

from pathlib import Path

from resources.failures import NotFoundError

Identity = tuple[int, int]
"""Device and number of a file."""


def identity_of(path: Path) -> Identity | None:
    """The identity of the file at ``path``; None where there is none, or where it can't be told."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def require_in_place(path: Path, identity: Identity | None) -> None:
    """Raise NotFoundError unless the file at ``path`` is the one that had ``identity``.

    An error of the disk or the network share is no proof: writing to it will tell.
    """
    try:
        status = path.stat()
    except FileNotFoundError:
        what = "removed or renamed"
    except OSError:
        return
    else:
        if identity in (None, (status.st_dev, status.st_ino)):
            return
        what = "replaced by another file"
    raise NotFoundError(
        f"{path.name} was {what} while it was recorded.",
        meaning="The recording can't go on; if the file was renamed, what came before is there.",
        advice="Leave a session where it is until its recording has ended.",
    )
