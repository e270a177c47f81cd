"""Lets a monkey loose on a display of its own, without a network, and reads what it found."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from tests.e2e.display import display

ROOT = Path(__file__).resolve().parents[2]


def let_loose(home: Path, *words: str, files: Sequence[Path] = (), patience_s: float) -> dict[str, Any]:
    """Run one monkey; returns its report. Its stderr is in ``home``/monkey.log."""
    folders = {key: str(home / key.lower()) for key in ("XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")}
    home.mkdir(parents=True, exist_ok=True)
    command = [
        sys.executable,
        "-X",
        "faulthandler",
        "-m",
        "tests.e2e.monkey",
        str(home),
        *map(str, files),
        *words,
    ]
    with display() as name, (home / "monkey.log").open("w", encoding="utf-8") as log:
        environment = {
            **os.environ,
            **folders,
            "DISPLAY": name,
            "QT_QPA_PLATFORM": "xcb",
            "LC_ALL": "C.UTF-8",
            "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
        }
        code, output = _run([*_without_network(), *command], environment, log, patience_s)
    if code not in (0, 1) or not output.strip():
        ended = f"was still at it after {patience_s:.0f} s" if code is None else f"ended with {code}"
        last_lines = (home / "monkey.log").read_text(encoding="utf-8", errors="replace")[-6000:]
        return {"findings": {f"the window {ended}\n{last_lines}": 1}, "events": {}, "lives": []}
    report: dict[str, Any] = json.loads(output.splitlines()[-1])
    return report


def _run(
    command: Sequence[str], environment: Mapping[str, str], log: IO[str], patience_s: float
) -> tuple[int | None, str]:
    """Return the exit code and the output of a command; None if it had to be ended after ``patience_s``.

    It is ended by a signal at which Python's faulthandler writes to ``log`` what each thread was doing.
    """
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=log, text=True
    ) as process:
        try:
            output, _nothing = process.communicate(timeout=patience_s)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGABRT)
            return None, process.communicate()[0]
        return process.returncode, output


def _without_network() -> list[str]:
    """Return a command prefix that cuts off the network, if this system can do that."""
    if shutil.which("unshare") is None:
        return []
    door = ["unshare", "-n", "--"]
    return door if subprocess.run([*door, "true"], check=False, capture_output=True).returncode == 0 else []
