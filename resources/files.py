"""Which file stands at a path, and how a small file is replaced as a whole."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

FileIdentity = tuple[int, int]
"""Device and number of a file: what stays the same when it is renamed."""


def identity_of(path: Path) -> FileIdentity:
    """Return the identity of the file at ``path``; raises OSError where there is none or it can't be told."""
    status = path.stat()
    return status.st_dev, status.st_ino


def replace_file(path: Path, text: str, *, durable: bool = False) -> None:
    """Put a file with this text (UTF-8) in the place of ``path``: whoever reads sees the old one or the new.

    ``durable`` waits until the text is on disk. Raises OSError; then the old file is still there, alone.
    """
    handle, name = tempfile.mkstemp(prefix=f".{path.name}-", suffix=".part", dir=path.parent)
    try:
        with open(handle, "w", encoding="utf-8", newline="\n") as file:  # noqa: PTH123 - a descriptor
            file.write(text)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        Path(name).replace(path)
    finally:
        with suppress(OSError):
            Path(name).unlink(missing_ok=True)  # it is still there only after a failure
