"""The frozen program's entry point: the same as ``python -m app``; without arguments it opens the window."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import MutableMapping

from app.__main__ import main


def give_back_library_path(environment: MutableMapping[str, str]) -> None:
    """Let programs of the system that we start (a browser, a file manager) find their own libraries.

    PyInstaller's loader points this variable at ours on Linux, and keeps what was there under another name.
    Our own libraries are found all the same: the system read the variable when this process began.
    """
    before = environment.pop("LD_LIBRARY_PATH_ORIG", None)
    environment.pop("LD_LIBRARY_PATH", None)
    if before:
        environment["LD_LIBRARY_PATH"] = before


if __name__ == "__main__":
    multiprocessing.freeze_support()
    if sys.platform.startswith("linux"):
        give_back_library_path(os.environ)
    sys.exit(main())
