"""Runs the everyday tasks in a process of their own, on a display of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.e2e.display import display
from tests.e2e.tasks import Deed
from tests.gui.recordings import capture, record

_PATIENCE_S = 900.0
_ROOT = Path(__file__).resolve().parents[2]


def do_tasks(home: Path) -> Sequence[Deed]:
    """Do all tasks on a recorded night and a capture of it; return what each of them took.

    ``home`` holds settings and files; pictures of failed tasks are put there.
    """
    session = record(home / "night.hscope", seconds=2700)
    dropped = capture(home / "esx night.csv", seconds=900)
    folders = dict.fromkeys(("XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"), str(home))
    keyring = {"PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring", "LC_ALL": "C.UTF-8"}
    with display() as name:
        done = subprocess.run(
            [sys.executable, "-m", "tests.e2e.tasks", str(home), str(dropped), str(session)],
            cwd=_ROOT,
            env={**os.environ, **folders, **keyring, "DISPLAY": name, "QT_QPA_PLATFORM": "xcb"},
            capture_output=True,
            text=True,
            timeout=_PATIENCE_S,
            check=False,
        )
    assert done.returncode == 0, f"{done.stderr}\nsee {home}"
    return [Deed(**one) for one in json.loads(done.stdout.splitlines()[-1])]
