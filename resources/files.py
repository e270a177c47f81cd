"""Which file stands at a path, how a small file is replaced as a whole, and what the system refuses."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from resources.failures import AccessDeniedError, BadInputError, DiskFullError, NotFoundError

FileIdentity = tuple[int, int]
"""Device and number of a file: what stays the same when it is renamed."""


def identity_of(path: Path) -> FileIdentity:
    """Return the identity of the file at ``path``; raises OSError where there is none or it can't be told."""
    status = path.stat()
    return status.st_dev, status.st_ino


def replace_file(path: Path, content: str | bytes, *, durable: bool = False) -> None:
    """Put a file with this content (a text: UTF-8) in the place of ``path``: whoever reads sees the old one
    or the new.

    ``durable`` waits until the text is on disk. Raises OSError; then the old file is still there, alone.
    """
    handle, name = tempfile.mkstemp(prefix=f".{path.name}-", suffix=".part", dir=path.parent)
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


@contextmanager
def opened_for_reading(path: Path, wrong: type[BadInputError], advice: str) -> Iterator[BinaryIO]:
    """Open a file that the user named. Raises NotFoundError, AccessDeniedError, and ``wrong`` for a directory
    (with ``advice``) or anything else that is no regular file: opening a pipe would wait for its writer.
    """
    try:
        if path.is_dir():
            raise wrong(f"{path} is a directory.", advice=advice)
        if path.exists() and not path.is_file():
            raise wrong(f"{path} is not a regular file.")
        raw = path.open("rb")
    except FileNotFoundError as error:
        raise NotFoundError(f"There is no file {path}.") from error
    except PermissionError as error:
        raise AccessDeniedError(f"The operating system does not let you read {path}.") from error
    except (OSError, ValueError) as error:
        raise NotFoundError(f"{path} can't be opened: {error}.") from error
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
            f"{path} can't be written: {error.strerror or error}.", meaning="Nothing was kept."
        ) from error
