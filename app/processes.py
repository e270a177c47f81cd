"""How processes are started apart from ours, and how one of ours steps back, on each system. No Qt."""

from __future__ import annotations

import os
import sys
from typing import Any


def own_group(*, hidden: bool = False, low_priority: bool = False) -> dict[str, Any]:
    """Return Popen arguments for a process that Ctrl-C in the window's terminal does not reach.

    Only Windows knows ``hidden`` (no console of its own, and a process group) and ``low_priority``; elsewhere
    a process lowers its priority itself, by ``step_back``.
    """
    if sys.platform == "win32":
        import subprocess  # noqa: PLC0415 - judging does without it

        flags = subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP if hidden else 0
        if low_priority:
            flags |= subprocess.BELOW_NORMAL_PRIORITY_CLASS
        return {"creationflags": flags}
    return {"start_new_session": True}


def step_back(niceness: int) -> None:
    """Lower this process's priority by so much (0 to 19); on Windows who starts it has done that."""
    if sys.platform != "win32":
        os.nice(niceness)
