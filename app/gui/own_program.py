"""How the window starts the program again, as a child without a window: recorder, import."""

from __future__ import annotations

import sys
from pathlib import Path

import app

CONSOLE_TWIN = "hyperscope-cli"
"""The console executable beside the windowed one in a frozen program."""


def own_command(*arguments: str) -> list[str]:
    """The command line of ``hyperscope WORDS…``."""
    here = Path(sys.executable)
    if getattr(sys, "frozen", False):
        return [str(here.with_name(CONSOLE_TWIN + here.suffix)), *arguments]
    # pythonw.exe has no stdout to write events to.
    console = here.with_name("python.exe") if here.name.lower() == "pythonw.exe" else here
    return [str(console), "-m", "app", *arguments]


def own_folder() -> Path | None:
    """The working folder in which that finds this very program; None where any will do."""
    if getattr(sys, "frozen", False):
        return None
    return Path(app.__file__).resolve().parents[1]
