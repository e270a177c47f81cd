"""What a window needs of the system, and what is said where it is missing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from app.display import QT_LIBRARIES, X11_LIBRARIES, missing_libraries

ROOT = Path(__file__).resolve().parents[2]
CURSOR = Path("/usr/lib/x86_64-linux-gnu/libxcb-cursor.so.0")


def test_what_can_not_be_loaded_is_missing() -> None:
    assert missing_libraries({"libnobody-has-this.so.7": "nobody"}) == ["libnobody-has-this.so.7"]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Qt's wheels bring everything elsewhere")
def test_nothing_is_missing_where_the_tests_run() -> None:
    assert missing_libraries({**QT_LIBRARIES, **X11_LIBRARIES}) == []


def _without_cursor_library(*words: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """The program in a mount namespace of its own, in which an empty file hides the library."""
    if not (shutil.which("unshare") and CURSOR.exists() and os.geteuid() == 0):
        pytest.skip("only root can hide a library of the system")
    empty = tmp_path / "empty"
    empty.touch()
    line = f"mount --bind {empty} {CURSOR.resolve()} && exec {sys.executable} -m app {' '.join(words)}"
    return subprocess.run(
        ["unshare", "-m", "sh", "-c", line],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "DISPLAY": ":999", "QT_QPA_PLATFORM": "xcb"},
    )


@pytest.mark.parametrize("words", [("gui",), ("gui", "none.hscope"), ("selftest",), ("demo",)])
def test_a_missing_library_is_named_with_its_package(words: tuple[str, ...], tmp_path: Path) -> None:
    done = _without_cursor_library(*words, tmp_path=tmp_path)
    if "mount:" in done.stderr:
        pytest.skip(f"mounting is not allowed here: {done.stderr}")
    assert done.returncode == 14, done.stderr
    assert done.stderr == (
        "hyperscope: The window needs libraries of the system that are not here: libxcb-cursor.so.0. "
        "Qt, which draws the window, can't start without them; the other commands work. "
        "On Debian or Ubuntu: sudo apt-get install libxcb-cursor0\n"
    )
