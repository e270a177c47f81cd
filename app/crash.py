"""The crash hook: a bug is written to a file and named in one line; no traceback in the user's face."""

from __future__ import annotations

import platform
import sys
import time
import traceback
from importlib import metadata
from pathlib import Path

import platformdirs

from app.terminal import complain

EXIT_CODE = 70  # EX_SOFTWARE of sysexits.h


def report_crash(error: BaseException) -> int:
    """Write what is needed to mend the bug (never values of variables) and say where it is."""
    text = "\n".join(
        (
            f"Hyperscope {version()}, Python {platform.python_version()}, {platform.platform()}",
            f"Command: {sys.argv[1] if len(sys.argv) > 1 else '(none)'}",
            "",
            *traceback.format_exception(error),
        )
    )
    try:
        path = crash_folder() / time.strftime("crash-%Y%m%d-%H%M%S.txt", time.gmtime())
        path.write_text(text, encoding="utf-8")
        where = f"The details are in {path}; please send that file to us."
    except OSError:
        where = f"Its details: {type(error).__name__}: {error}"
    complain(f"This is a bug in Hyperscope ({type(error).__name__}), not a mistake of yours. {where}")
    return EXIT_CODE


def crash_folder() -> Path:
    """Where crash reports go, made if need be."""
    folder = platformdirs.user_log_path("hyperscope", appauthor=False)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def version() -> str:
    """The program's version; a clone that is not installed says so."""
    try:
        return metadata.version("hyperscope")
    except metadata.PackageNotFoundError:
        return "(from source)"
