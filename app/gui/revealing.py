"""How a file is shown in the system's file manager: command lines for each platform. No Qt."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from app.processes import own_group

_PATIENCE_S = 6.0
"""Seconds after which a command that still runs has worked: some keep running with the file manager."""


@dataclass(frozen=True, slots=True)
class RevealCommand:
    """A command line: a list of arguments, or on Windows one string, since Explorer parses it in its own way.

    ``tells`` is False for a program whose exit code does not say whether it worked (Explorer's is always 1).
    """

    line: Sequence[str] | str
    tells: bool = True


def reveal_commands(path: Path, platform: str = sys.platform) -> list[RevealCommand]:
    """Return the commands that open the folder of ``path`` with it selected, the best first.

    Linux: the file manager's own interface (org.freedesktop.FileManager1), and xdg-open with the folder for
    file managers without it.
    """
    if platform == "win32":
        return [RevealCommand(f'explorer.exe /select,"{path}"', tells=False)]
    if platform == "darwin":
        return [RevealCommand(("open", "-R", str(path)))]
    uri = "file://" + quote(str(path), safe="/")  # also the commas, at which dbus-send parts its arrays
    return [
        RevealCommand(
            (
                "dbus-send",
                "--session",
                "--print-reply",
                "--reply-timeout=5000",
                "--dest=org.freedesktop.FileManager1",
                "/org/freedesktop/FileManager1",
                "org.freedesktop.FileManager1.ShowItems",
                f"array:string:{uri}",
                "string:",
            )
        ),
        RevealCommand(("xdg-open", str(path.parent))),
    ]


def reveal(path: Path) -> bool:
    """Show a file or folder in the file manager; returns False if no command worked. Takes
    seconds at worst."""
    return any(_works(command) for command in reveal_commands(path))


def _works(command: RevealCommand) -> bool:
    nothing = subprocess.DEVNULL
    try:
        # The program is fixed; the path is one argument, and Windows allows no quotation mark in a name.
        process = subprocess.Popen(  # noqa: S603 - see above
            command.line, stdin=nothing, stdout=nothing, stderr=nothing, **own_group()
        )
    except OSError:
        return False
    try:
        return process.wait(_PATIENCE_S) == 0 or not command.tells
    except subprocess.TimeoutExpired:
        threading.Thread(target=process.wait, name="hyperscope-file-manager", daemon=True).start()
        return True
