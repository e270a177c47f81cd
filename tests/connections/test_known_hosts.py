"""The file of trusted hosts: shared by processes that write at the same time."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from connections.file_lock import locked
from connections.known_hosts import KnownHosts
from resources.failures import BusyError

ROOT = Path(__file__).parents[2]
THUMBPRINT = ":".join(["0A"] * 32)

_WRITER = """
import sys
from pathlib import Path
from connections.known_hosts import KnownHosts

known = KnownHosts(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
for number in range(int(sys.argv[3])):
    known.remember(f"{sys.argv[2]}-{number}", 443, sys.argv[4])
known.forget(f"{sys.argv[2]}-0", 443)
"""


def test_processes_that_write_at_once_lose_no_entry(tmp_path: Path) -> None:
    path, processes, each = tmp_path / "data" / "known_hosts", 4, 25
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(path), f"p{number}", str(each), THUMBPRINT],
            cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )
        for number in range(processes)
    ]  # fmt: skip
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline().strip() == b"ready"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write(b"go\n")
        writer.stdin.flush()
    for writer in writers:
        writer.communicate()
    assert [writer.returncode for writer in writers] == [0] * processes
    known = KnownHosts(path)
    names = [f"p{process}-{number}" for process in range(processes) for number in range(1, each)]
    assert [name for name in names if known.remembered(name, 443) != THUMBPRINT] == []
    assert [known.remembered(f"p{process}-0", 443) for process in range(processes)] == [None] * processes


_HOLDER = """
import sys, time
from pathlib import Path
from connections.file_lock import locked

with locked(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(600)
"""


def test_a_lock_that_is_held_is_waited_for_and_gone_with_its_holder(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with subprocess.Popen(
        [sys.executable, "-c", _HOLDER, str(path)], cwd=ROOT, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline().strip() == b"held"
        began = time.monotonic()
        with pytest.raises(BusyError, match="Another process has held"), locked(path, patience_s=0.2):
            pytest.fail("two hold it")
        assert time.monotonic() - began >= 0.2
        holder.kill()
    with locked(path, patience_s=5):
        assert path.exists()


def test_a_folder_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Exception, match="can't be written"):
        KnownHosts(tmp_path / "file" / "known_hosts").remember("vc01", 443, THUMBPRINT)
