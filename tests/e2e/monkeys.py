"""Lets a monkey loose on a display of its own, without a network, and reads what it found."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.e2e.display import display

ROOT = Path(__file__).resolve().parents[2]


def let_loose(home: Path, *words: str, files: Sequence[Path] = (), patience_s: float) -> dict[str, Any]:
    """Run one; returns its report. What it wrote on stderr is in ``home``/monkey.log."""
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
        done = subprocess.run(
            [*_without_network(), *command],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            timeout=patience_s,
            check=False,
        )
    if done.returncode not in (0, 1) or not done.stdout.strip():
        said = (home / "monkey.log").read_text(encoding="utf-8", errors="replace")[-4000:]
        return {
            "findings": {f"the window ended with {done.returncode}\n{said}": 1},
            "events": {},
            "lives": [],
        }
    report: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return report


def _without_network() -> list[str]:
    """What it types into the connect dialog reaches nobody, where this system lets us shut the door."""
    if shutil.which("unshare") is None:
        return []
    door = ["unshare", "-n", "--"]
    return door if subprocess.run([*door, "true"], check=False, capture_output=True).returncode == 0 else []
