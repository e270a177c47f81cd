"""How the window starts this program again as a child process: recorder and import."""

from __future__ import annotations

import sys
from pathlib import Path

import app

CONSOLE_TWIN = "hyperscope-cli"
"""The console executable beside the windowed one in a frozen program."""


def program_command(*arguments: str) -> list[str]:
    """Return the command line of ``hyperscope ARGUMENTS…``."""
    here = Path(sys.executable)
    if getattr(sys, "frozen", False):
        return [str(here.with_name(CONSOLE_TWIN + here.suffix)), *arguments]
    # pythonw.exe has no stdout to write events to.
    console = here.with_name("python.exe") if here.name.lower() == "pythonw.exe" else here
    return [str(console), "-m", "app", *arguments]


def program_folder() -> Path | None:
    """Return the working folder in which that command line works; None if any folder does."""
    if getattr(sys, "frozen", False):
        return None
    return Path(app.__file__).resolve().parents[1]
