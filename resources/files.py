"""Which file stands at a path, how a small file is replaced as a whole, and what the system refuses."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from resources.failures import AccessDeniedError, DiskFullError

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
