"""A process that is killed in the middle of its changes: the session that it leaves undoes them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sessions.store import SessionReader, check_session
from tests.workloads.changing_child import AS_IT_WAS, restore

ROOT = Path(__file__).resolve().parents[2]


def changed_and_killed(session: Path, folder: Path, step: int) -> int:
    folder.mkdir()
    for name, value in AS_IT_WAS.items():
        (folder / name).write_text(json.dumps(value), encoding="utf-8")
    words = [sys.executable, "-m", "tests.workloads.changing_child", str(session), str(folder), str(step)]
    return subprocess.run(words, cwd=ROOT, check=False).returncode


def settings(folder: Path) -> dict[str, object]:
    return {name: json.loads((folder / name).read_text(encoding="utf-8")) for name in AS_IT_WAS}


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL on Windows")
@pytest.mark.parametrize("step", [2, 4, 5, 6, 10, 11, 16, 21, 22, 27])
def test_a_killed_process_leaves_nothing_that_can_not_be_undone(tmp_path: Path, step: int) -> None:
    session, folder = tmp_path / "run.hscope", tmp_path / "settings"
    assert changed_and_killed(session, folder, step) == -signal.SIGKILL
    restore(session, folder)
    assert settings(folder) == AS_IT_WAS
    with SessionReader.open(session) as reader:
        assert not any(entry.is_open for entry in reader.journal())
    assert check_session(session, thorough=True) == []


def test_a_process_that_lives_puts_everything_back_itself(tmp_path: Path) -> None:
    session, folder = tmp_path / "run.hscope", tmp_path / "settings"
    assert changed_and_killed(session, folder, -1) == 0
    assert settings(folder) == AS_IT_WAS
    with SessionReader.open(session) as reader:
        states = [entry.state for entry in reader.journal()]
    assert "undone" in states
    assert not {"intended", "applied", "failed", "left"} & set(states)
