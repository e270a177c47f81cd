"""Waits for a run that goes on to reach a phase, and kills it there."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

from resources.failures import HyperscopeError
from sessions.store import SessionReader
from tests.app.typed import Typist

_WITHIN_S = 120.0


def wait_for_phase(
    run: subprocess.Popen[str], session: Path, phase: str, within_s: float = _WITHIN_S
) -> None:
    """Wait until a run is in a phase, which is known by the beginning of its name."""
    until = time.monotonic() + within_s
    while not _is_in(session, phase):
        assert run.poll() is None, run.stdout.read() if run.stdout is not None else ""
        assert time.monotonic() < until, f"it did not come to {phase}"
        time.sleep(0.05)  # another process writes: there is no event to wait for


def kill_in(run: subprocess.Popen[str], session: Path, phase: str, after_s: float) -> None:
    """Kill a run some seconds after its phase began."""
    wait_for_phase(run, session, phase)
    time.sleep(after_s)
    assert run.poll() is None, "it ended before it was killed"
    run.kill()
    run.wait()
    if run.stdout is not None:
        run.stdout.close()


def kill_restoring(typed: Typist, step: int, session: Path, phase: str, *words: object) -> str:
    """Begin a run, stop it in a phase with Ctrl-C, and let it be killed before a step of restoring.

    Return why it was not killed, empty if it was.
    """
    run = typed.dying(step).begin(*words)
    try:
        wait_for_phase(run, session, phase)
        run.send_signal(signal.SIGINT)
        code = run.wait(_WITHIN_S)
    finally:
        run.kill()
        run.wait()
        if run.stdout is not None:
            run.stdout.close()
    return "" if code == -signal.SIGKILL else f"it ended with {code}"


def _is_in(session: Path, phase: str) -> bool:
    if not session.exists():
        return False
    try:
        with SessionReader.open(session) as reader:
            runs = reader.test_runs()
    except HyperscopeError:
        return False  # it is just being made
    return any(one.name.startswith(phase) and one.state == "running" for run in runs for one in run.phases)
