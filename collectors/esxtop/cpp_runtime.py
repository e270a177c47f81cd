"""The C++ runtime of Microsoft, which simdjson needs on Windows and neither brings nor finds by itself.

A Windows that never had the Visual C++ redistributable has no ``msvcp140.dll``. PySide6 brings one, in the
folder of shiboken6, for itself. A library that is loaded once is found by its name from then on.
"""

from __future__ import annotations

import ctypes
import sys
from importlib.util import find_spec
from pathlib import Path

LIBRARY = "msvcp140.dll"


def load_cpp_runtime() -> None:
    """Load the runtime that PySide6 brings, if there is one; do nothing on other systems."""
    if sys.platform == "win32" and (there := brought_runtime()) is not None:
        ctypes.WinDLL(str(there))


def brought_runtime() -> Path | None:
    """Return the path of the runtime in the folder of shiboken6, None if it is not there."""
    spec = find_spec("shiboken6")
    folders = list(spec.submodule_search_locations or ()) if spec else []
    return next((path for folder in folders if (path := Path(folder) / LIBRARY).is_file()), None)
