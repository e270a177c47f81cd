"""A folder for files that are needed only for a moment: private, and removed also after a kill."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sessions.owned_folders import owned, remove_left

_PREFIX = "hyperscope-work-"
_NAME = re.compile(re.escape(_PREFIX) + r"\w{8}")
_OWNED = "in-use"
"""A lock of this name stands in a folder while a living process uses it."""


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Yield a new folder in the system's folder for temporary files; it is removed when the block ends.

    It may hold as much as a session or an unpacked capture: what a killed process left, the next one removes.
    Raises OSError where it can't be made.
    """
    remove_left(Path(tempfile.gettempdir()), _NAME, _OWNED, _empty)
    with tempfile.TemporaryDirectory(prefix=_PREFIX, ignore_cleanup_errors=True) as name:
        folder = Path(name)
        with owned(folder, _OWNED):
            yield folder


def _empty(folder: Path) -> None:
    for one in folder.iterdir():
        if one.is_dir() and not one.is_symlink():
            shutil.rmtree(one)
        elif one.name != f"{_OWNED}-lock":
            one.unlink()
