"""An X display for a test: Xvfb on a free number, with a window manager."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

_NEEDED = ("Xvfb", "openbox", "xdotool")
_SIZE = "1440x900x24"
_END_S = 10.0


@contextmanager
def display() -> Iterator[str]:
    """Yield the name of the display (``:N``); skips the test if Xvfb or the window manager is not
    installed.
    """
    missing = [name for name in _NEEDED if shutil.which(name) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    there, here = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(here), "-screen", "0", _SIZE, "-nolisten", "tcp"],
        pass_fds=(here,),
        stderr=subprocess.DEVNULL,
    )
    os.close(here)
    try:
        with os.fdopen(there) as pipe:
            name = f":{pipe.readline().strip()}"
        manager = subprocess.Popen(
            ["openbox", "--sm-disable"], env={**os.environ, "DISPLAY": name}, stderr=subprocess.DEVNULL
        )
        try:
            yield name
        finally:
            manager.terminate()
            manager.wait(_END_S)
    finally:
        server.terminate()
        server.wait(_END_S)
