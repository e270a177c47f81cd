"""The frozen program's entry point: the same as ``python -m app``; without arguments it opens the window."""

from __future__ import annotations

import multiprocessing
import sys

from app.__main__ import main

if __name__ == "__main__":
    multiprocessing.freeze_support()
    sys.exit(main())
