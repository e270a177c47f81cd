"""Whether a session that is being written is still the file at its path.

Only Windows keeps others from removing, renaming or replacing a file that is open. Elsewhere everything could
be written to a file that nobody will find again.
"""

from __future__ import annotations

from pathlib import Path

from resources.failures import NotFoundError
from resources.files import FileIdentity, identity_of


def identity_if_known(path: Path) -> FileIdentity | None:
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
