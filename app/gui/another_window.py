"""Opens another window of this program, which is a process of its own, on a session."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

from app.gui.jobs import JobRunner
from app.gui.own_program import program_command, program_folder
from app.processes import own_group
from resources.failures import HyperscopeError

_LOOK_S = 3.0
"""A window that could not open has ended after this time."""


def window_command(session: Path | None) -> list[str]:
    """Return the command line of a window; a frozen program opens it without a console."""
    words = ["gui", *([str(session)] if session is not None else [])]
    if getattr(sys, "frozen", False):
        return [sys.executable, *words]
    return [sys.executable, *program_command(*words)[1:]]


def open_another(jobs: JobRunner, session: Path | None) -> None:
    """Start the other window; if it ends at once, the job fails with a sentence."""
    jobs.start("window.another", "Opening another window", lambda _job: _start(session), lambda _none: None)


def _start(session: Path | None) -> None:
    nothing = subprocess.DEVNULL
    try:
        process = subprocess.Popen(  # noqa: S603 - our own program
            window_command(session),
            cwd=program_folder(),
            stdin=nothing,
            stdout=nothing,
            stderr=nothing,
            **own_group(),  # it outlives this one, and Ctrl-C in a terminal
        )
    except OSError as error:
        raise _failed(error.strerror or str(error)) from error
    try:
        code = process.wait(_LOOK_S)
    except subprocess.TimeoutExpired:
        threading.Thread(target=process.wait, name="hyperscope-window", daemon=True).start()
        return
    if code:
        raise _failed(f"it ended with code {code}")


def _failed(why: str) -> HyperscopeError:
    return HyperscopeError(
        f"Another window could not be opened: {why}.",
        advice="Start the program once more by hand, and open the session there.",
    )
