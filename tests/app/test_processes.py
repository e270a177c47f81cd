"""Processes of the program are apart from its terminal; those that work for the window step back."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.processes import own_group

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has groups of its own")
def test_a_process_apart_leads_a_session_of_its_own() -> None:
    script = "import os; print(os.getsid(0) == os.getpid())"
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True, **own_group(hidden=True)
    )

    assert done.stdout == "True\n"


@pytest.mark.skipif(sys.platform == "win32", reason="on Windows who starts it sets the priority")
def test_stepping_back_lowers_the_priority() -> None:
    before = min(os.nice(0) + 5, 19)
    script = "import os; from app.processes import step_back; step_back(5); print(os.nice(0))"
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True, cwd=ROOT
    )

    assert done.stdout == f"{before}\n"
