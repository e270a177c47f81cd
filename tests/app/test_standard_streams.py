"""Commands whose stdin, stdout or stderr was closed, is full, or has nobody at its other end."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from resources.failures import DiskFullError
from sessions.model import Entity, EntityRef
from sessions.store import SessionWriter

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/dev/full, and a shell that closes streams")

ROOT = Path(__file__).resolve().parents[2]
NOBODY_READS = 1


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("streams") / "some.hscope"
    with SessionWriter.create(path, title="Some") as writer:
        writer.add_entities([Entity(EntityRef("host", "esx01"), "esx01")])
    return path


def commands(session: Path) -> list[list[str]]:
    return [["--help"], ["--version"], ["query", "--help"], ["info", str(session)], ["lab", "list"]]


def redirected(
    words: Sequence[str], redirections: str, home: Path, stdout: int = subprocess.PIPE
) -> tuple[int, str, str]:
    """Run a command with redirections as a shell writes them; its exit code, stdout, stderr."""
    shell = ["sh", "-c", f'exec "$@" {redirections}', "sh", sys.executable, "-m", "app", *words]
    done = subprocess.run(
        shell, cwd=ROOT, env={**os.environ, "XDG_STATE_HOME": str(home)}, text=True, timeout=300, check=False,
        stdout=stdout, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert list(home.rglob("crash*")) == []
    return done.returncode, done.stdout or "", done.stderr or ""


@pytest.mark.parametrize("number", range(5))
def test_results_that_do_not_fit_on_the_disk_are_said_in_one_line(
    session: Path, tmp_path: Path, number: int
) -> None:
    code, _, complaint = redirected(commands(session)[number], ">/dev/full", tmp_path)
    assert code == DiskFullError.exit_code
    assert complaint.count("\n") == 1
    assert "standard output" in complaint


@pytest.mark.parametrize("number", range(5))
def test_a_stderr_that_is_full_is_no_failure(session: Path, tmp_path: Path, number: int) -> None:
    code, out, _ = redirected(commands(session)[number], "2>/dev/full", tmp_path)
    assert code == 0
    assert out


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_streams_that_were_closed_lead_nowhere(session: Path, tmp_path: Path, closed: str) -> None:
    for words in commands(session):
        code, _, complaint = redirected(words, closed, tmp_path)
        assert (code, complaint) == (0, "")


@pytest.mark.parametrize("number", range(5))
def test_nobody_who_reads_is_no_reason_to_complain(session: Path, tmp_path: Path, number: int) -> None:
    reads, writes = os.pipe()
    os.close(reads)
    code, _, complaint = redirected(commands(session)[number], "", tmp_path, stdout=writes)
    os.close(writes)
    assert (code, complaint) == (NOBODY_READS, "")
