"""Test files that take long to make and are only read: made once in a run by the first process that needs
them.

The files of a run are in a folder that ``tests/conftest.py`` creates and deletes, so that none is older than
the code that made it. Every caller gets its own copy.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

FOLDER = "HYPERSCOPE_TESTS_MADE_ONCE"
"""The environment variable that names the run's folder to all of its processes."""

_PATIENCE_S = 240.0
_LOOK_S = 0.05


def copy_of(key: str, target: Path, make: Callable[[Path], object]) -> Path:
    """Copy to ``target`` the file that ``make(path)`` writes; ``key`` identifies its content.

    If another process is making the same file, this waits for it. Outside a test run the file is made every
    time.
    """
    if FOLDER in os.environ:
        shutil.copyfile(_made(key, make), target)
    else:
        make(target)
    return target


def _made(key: str, make: Callable[[Path], object]) -> Path:
    there = Path(os.environ[FOLDER]) / sha256(key.encode()).hexdigest()[:24]
    begun = there.with_suffix(".begun")
    deadline = time.monotonic() + _PATIENCE_S
    while not there.exists():
        try:
            begun.touch(exist_ok=False)
        except FileExistsError:
            assert time.monotonic() < deadline, f"{key} does not come into being"
            time.sleep(_LOOK_S)  # of another process nothing tells when it is done
            continue
        try:
            if not there.exists():
                _make(make, there)
        finally:
            begun.unlink()
    return there


def _make(make: Callable[[Path], object], there: Path) -> None:
    with tempfile.TemporaryDirectory(dir=there.parent) as work:
        fresh = Path(work) / "made"
        make(fresh)
        fresh.replace(there)
