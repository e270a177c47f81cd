"""Whether there is a display to open a window on; asked before anything of Qt is loaded."""

from __future__ import annotations

import os
import sys


def has_display() -> bool:
    """Always on Windows and macOS, on Linux with X11 or Wayland."""
    if sys.platform in {"win32", "darwin"}:
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
