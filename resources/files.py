"""Which file stands at a path, how a small file is replaced as a whole, and what the system refuses."""

from __future__ import annotations

import errno
import os
import re
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from resources.failures import AccessDeniedError, BadInputError, DiskFullError, NotFoundError

FileIdentity = tuple[int, int]
"""Device and number of a file: what stays the same when it is renamed."""
_UNFINISHED = (".hyperscope-", ".part")
"""How the name of a file begins and ends that is not whole yet; the file's own may be too long."""
_UNFINISHED_NAME = re.compile(r"\.hyperscope-[a-z0-9_]{8}\.part")
_LEAST_AGE_S = 60
_NO_FILE = "it is a device, a pipe or a socket, not a file"


def identity_of(path: Path) -> FileIdentity:
    """Return the identity of the file at ``path``; raises OSError where there is none or it can't be told."""
    status = path.stat()
    return status.st_dev, status.st_ino


def is_device_or_pipe(path: Path) -> bool:
    """Return True if a device, a pipe or a socket stands at ``path``, or where a link there leads.

    Opening one may wait for ever, and replacing it would take it from all programs of the system.
    """
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def replaceable_file(path: Path) -> Path:
    """Return the file that is replaced when ``path`` is written: a symbolic link stays, what it names is not.

    Raises OSError for a device, a pipe, a socket, a folder, and for links that lead in a circle.
    """
    if is_device_or_pipe(path):
        raise OSError(errno.EINVAL, _NO_FILE)
    if path.is_dir():
        raise OSError(errno.EISDIR, "it is a folder")
    if not path.is_symlink():
        return path
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise OSError(errno.ELOOP, "its symbolic links lead in a circle")
    return target


def replace_file(path: Path, content: str | bytes, *, durable: bool = False) -> None:
    """Put a file with this content (a text: UTF-8) in the place of ``path``: whoever reads sees the old one
    or the new. What stands there and is no file stays (``replaceable_file``).

    ``durable`` waits until the text is on disk. Raises OSError; then the old file is still there, alone.
    """
    path = replaceable_file(path)
    handle, name = tempfile.mkstemp(prefix=_UNFINISHED[0], suffix=_UNFINISHED[1], dir=path.parent)
    try:
        with open(handle, "wb") as file:  # noqa: PTH123 - a descriptor
            file.write(content.encode("utf-8") if isinstance(content, str) else content)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        Path(name).replace(path)
    finally:
        with suppress(OSError):
            Path(name).unlink(missing_ok=True)  # it is still there only after a failure
    _remove_leftovers(path.parent)


def _remove_leftovers(folder: Path) -> None:
    """Remove the unfinished files that killed processes of this user left; whatever can't be removed stays.

    One that is younger than a minute may just be written by a living process.
    """
    with suppress(OSError), os.scandir(folder) as found:
        for one in [entry for entry in found if _UNFINISHED_NAME.fullmatch(entry.name)]:
            status = one.stat(follow_symlinks=False)
            is_own = not hasattr(os, "getuid") or status.st_uid == os.getuid()
            is_old = time.time() - status.st_mtime > _LEAST_AGE_S
            if is_own and is_old and stat.S_ISREG(status.st_mode):
                Path(one.path).unlink(missing_ok=True)


@contextmanager
def opened_for_reading(path: Path, wrong: type[BadInputError], advice: str) -> Iterator[BinaryIO]:
    """Open a file that the user named. Raises NotFoundError, AccessDeniedError, and ``wrong`` for a directory
    (with ``advice``) or anything else that is no regular file: opening a pipe would wait for its writer.
    """
    try:
        if path.is_dir():
            raise wrong(f"{path} is a directory.", advice=advice)
        if is_device_or_pipe(path):
            raise wrong(f"{path} is not a regular file.", advice="Copy what it holds into a file first.")
        raw = path.open("rb")
    except FileNotFoundError as error:
        raise NotFoundError(
            f"There is no file {path}.", advice="Check the spelling of its name and folder."
        ) from error
    except PermissionError as error:
        raise AccessDeniedError(
            f"The operating system does not let you read {path}.",
            advice="Check the permissions of file and folder.",
        ) from error
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else ""
        raise NotFoundError(f"{path} can't be opened: {why or error}.", advice="Check its name.") from error
    with raw:
        yield raw


@contextmanager
def write_failures(path: Path) -> Iterator[None]:
    """Translate what the system refuses while ``path`` is written: DiskFullError, AccessDeniedError."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFullError(
                f"The disk that holds {path} is full.", meaning="Nothing was kept.", advice="Make room there."
            ) from error
        raise AccessDeniedError(
            f"{path} can't be written: {error.strerror or error}.",
            meaning="Nothing was kept.",
            advice="Name a file in a folder that you may write.",
        ) from error
    except ValueError as error:  # a null character in its name
        if "null" not in str(error):
            raise
        raise AccessDeniedError(
            f"{path} can't be written: a null character is in its name.",
            meaning="Nothing was kept.",
            advice="Name another file.",
        ) from error
