"""A run in the lab that is killed while it makes its changes, or while it puts them back."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from sessions.store import SessionReader
from tests.app.dying import START
from tests.app.kills import kill_restoring
from tests.app.test_tests_command import SHORT, planned
from tests.app.typed import Typist
from wizards.flows.change_count import count_changes

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL on Windows")


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    return planned(tmp_path, "io-sweep", *SHORT)


def put_back(session: Path) -> list[str]:
    """The state of each change; that the run has an end is looked at."""
    with SessionReader.open(session) as reader:
        assert all(one.end is not None for one in reader.test_runs())
        return [one.state for one in reader.journal()]


@pytest.mark.parametrize("step", [0, 5, 9])
def test_killed_while_it_restores(plan: Path, tmp_path: Path, step: int) -> None:
    typed, session = Typist(tmp_path), tmp_path / "run.hscope"
    run = ("test", "run", plan, "-o", session, "--yes")
    assert kill_restoring(typed, step, session, "depth", *run) == ""
    again = typed.dying(3)("restore", session)
    assert again.code == -signal.SIGKILL
    done = typed("restore", session)
    assert done.code == 0, done
    assert set(put_back(session)) <= {"undone", "not needed"}
    assert "undone" in put_back(session)


def test_ctrl_c_while_it_restores_says_what_is_left(plan: Path, tmp_path: Path) -> None:
    typed, session = Typist(tmp_path), tmp_path / "run.hscope"
    assert kill_restoring(typed, 0, session, "depth", "test", "run", plan, "-o", session, "--yes") == ""
    for words in (("restore", session), ("test", "resume", session, "--yes")):
        stopped = typed.dying(2, how="SIGINT")(*words)
        assert stopped.code == 130, stopped
        with SessionReader.open(session) as reader:
            count = count_changes(reader.journal())
            assert [one.end for one in reader.test_runs()] == [None]
        assert count.open > 1
        said = f"{count.still} of {count.all} changes are not put back. Put them back: hyperscope restore"
        assert f"{said} {session}" in stopped.err
    assert typed("restore", session).code == 0
    assert set(put_back(session)) <= {"undone", "not needed"}


@pytest.mark.parametrize("step", [2, 3, 9])
def test_killed_while_it_prepares(plan: Path, tmp_path: Path, step: int) -> None:
    typed, session = Typist(tmp_path), tmp_path / "run.hscope"
    killed = typed.dying(step, START)("test", "run", plan, "-o", session, "--yes")
    assert killed.code == -signal.SIGKILL
    done = typed("restore", session)
    assert done.code == 0, done
    assert set(put_back(session)) <= {"undone", "not needed"}
