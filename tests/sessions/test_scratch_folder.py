"""Folders for a moment: private, gone when they are not needed, and after a kill with the next one."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from sessions.scratch_folder import scratch_folder

KILLED = """
import os, signal, sys, tempfile
tempfile.tempdir = sys.argv[1]
from sessions.scratch_folder import scratch_folder
with scratch_folder() as folder:
    (folder / "rows.bin").write_bytes(b"1" * 1000)
    (folder / "inner").mkdir()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no signal that kills")
def test_what_a_killed_process_left_is_removed_by_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    died = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False)
    assert died.returncode == -9
    (left,) = tmp_path.iterdir()
    assert (left / "rows.bin").is_file()
    precious = tmp_path / "precious"
    precious.mkdir()
    (tmp_path / "hyperscope-work-linked00").symlink_to(precious, target_is_directory=True)
    (tmp_path / "hyperscope-work-unlocked").mkdir()
    (precious / "in-use-lock").touch()
    with scratch_folder() as folder, scratch_folder() as other:
        assert not left.exists()
        assert {one.parent for one in (folder, other)} == {tmp_path}
        assert folder.is_dir()
        assert folder.stat().st_mode & 0o077 == 0
    names = sorted(one.name for one in tmp_path.iterdir())
    assert names == ["hyperscope-work-linked00", "hyperscope-work-unlocked", "precious"]
    assert (precious / "in-use-lock").exists()
