"""A launcher that somebody kills: its job does not outlive it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.workloads.guests.running import SHELLS, fios, launch, make_folder, needs_fio, shell, wait_until


@pytest.mark.skipif(sys.platform != "linux", reason="the launcher is for guests with Linux")
@pytest.mark.parametrize("name", SHELLS)
def test_a_killed_launcher_takes_its_job_along(name: str, tmp_path: Path) -> None:
    needs_fio()
    folder = make_folder(tmp_path / "run", runtime=300)
    process = launch(shell(name), folder)
    wait_until(lambda: (folder / "pid").exists() and len(fios(folder)) == 1)
    process.kill()
    process.wait()
    wait_until(lambda: not fios(folder), 20)
