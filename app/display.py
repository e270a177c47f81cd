"""Checks, before Qt is loaded, whether a window can be opened: a display, and Qt's system libraries."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Mapping

from resources.failures import MissingLibraryError

QT_LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
}
"""The system libraries that Qt always loads on Linux, with their package in Debian and Ubuntu."""

X11_LIBRARIES = {
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-xinerama.so.0": "libxcb-xinerama0",
}
"""The system libraries that Qt also loads on an X11 display; it aborts the process if one is missing."""


def has_display() -> bool:
    """Return True if there is a display: always on Windows and macOS, on Linux with X11 or Wayland."""
    if sys.platform in {"win32", "darwin"}:
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def require_libraries() -> None:
    """Check that Qt's system libraries are installed. Raises MissingLibraryError, naming the packages."""
    if not sys.platform.startswith("linux"):
        return  # Qt's wheels bring everything on Windows and macOS
    needed = dict(QT_LIBRARIES)
    if os.environ.get("QT_QPA_PLATFORM", "xcb").startswith("xcb") and os.environ.get("DISPLAY"):
        needed |= X11_LIBRARIES
    missing = missing_libraries(needed)
    if missing:
        raise MissingLibraryError(
            f"The window needs libraries of the system that are not here: {', '.join(missing)}.",
            meaning="Qt, which draws the window, can't start without them; the other commands work.",
            advice=f"On Debian or Ubuntu: sudo apt-get install {' '.join(needed[name] for name in missing)}",
        )


def missing_libraries(needed: Mapping[str, str]) -> list[str]:
    """Return the names among ``needed`` of libraries that can't be loaded."""
    return [name for name in needed if not _loads(name)]


def _loads(name: str) -> bool:
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True
