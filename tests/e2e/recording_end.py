"""Ends the recording of a scene, so that closing its window asks nothing."""

from __future__ import annotations

from contextlib import suppress

from app.gui.application import Program
from tests.e2e.hands import WaitTimeoutError, click, until


def stop_recording(program: Program) -> None:
    """Press Stop, and wait until the recorder's process is gone.

    On a slow machine the lab's day may be over meanwhile, and its button with it: that is an end, too.
    Raises WaitTimeoutError if the recording goes on.
    """
    recordings = program.workbench.recordings
    if recordings.process is not None:
        with suppress(WaitTimeoutError):
            click(program.window.top.stop)
    until("the end of the recording", lambda: recordings.process is None)
