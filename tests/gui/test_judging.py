"""The process that judges the open session: what it says, that it keeps up, and that it may die."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from app.gui.child import Child
from diagnosis import diagnose_session
from sessions.model import Entity, EntityRef, SeriesSpec, SourceSpec
from sessions.store import SessionReader, SessionWriter
from tests.diagnosis.recordings import catalogue, problems
from tests.gui.windows import wait

START = 1_790_000_000_000
VM = EntityRef("vm", "esx01/vm/1")


def opened(program: Program, qtbot: QtBot, path: Path) -> None:
    program.workbench.open_paths([path])
    wait(qtbot, lambda: program.desk.session.path == path)


def judged_to(program: Program, qtbot: QtBot, end: int) -> None:
    wait(qtbot, lambda: program.desk.judging.verdict.judged_to == end)


class Growing:
    """A session that a test records: one VM that waits 20 % of its time."""

    def __init__(self, path: Path) -> None:
        self.path, self.ticks = path, 0
        self._writer = SessionWriter.create(path, durable=False)
        source = self._writer.add_source(SourceSpec("esxtop", "esx01", 20.0))
        self._writer.add_entities([Entity(VM, "web01")])
        specs = [SeriesSpec(VM, name, "%") for name in ("cpu.ready", "cpu.max_limited")]
        self._layout = self._writer.ticks.add_layout(source, self._writer.add_series(source, specs))

    def grow(self, ticks: int, ready: float) -> int:
        """Add samples; returns the time of the last one."""
        for _ in range(ticks):
            at = START + 20_000 * self.ticks
            self._writer.ticks.append_ticks([(self._layout, at, np.array([ready, 0.0]))])
            self.ticks += 1
        return START + 20_000 * (self.ticks - 1)

    def close(self) -> None:
        self._writer.close()


@pytest.fixture
def growing(home: Path) -> Growing:
    return Growing(home / "growing.hscope")


def test_it_keeps_up_with_a_session_that_grows(live: Program, qtbot: QtBot, growing: Growing) -> None:
    judging = live.desk.judging
    growing.grow(1, 0.5)
    opened(live, qtbot, growing.path)
    assert (judging.diagnosis, judging.verdict.state) == (None, "not judged yet")
    wait(qtbot, lambda: judging.diagnosis is not None)
    assert judging.verdict.state == "not judged yet"
    assert judging.pid not in (None, os.getpid())
    for ready, ticks in ((0.5, 20), (20.0, 20)):
        end = growing.grow(ticks, ready)
        judged_to(live, qtbot, end)
        with SessionReader.open(growing.path) as reader:
            assert judging.diagnosis == diagnose_session(reader, problems(), catalogue())
    assert [one.problem for one in live.desk.findings.findings] == ["cpu.ready_high"]
    assert judging.diagnosis is not None
    assert judging.diagnosis.reach[VM].to == end
    growing.close()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
def test_it_may_die_and_is_started_again(live: Program, qtbot: QtBot, growing: Growing) -> None:
    judging = live.desk.judging
    end = growing.grow(20, 20.0)
    opened(live, qtbot, growing.path)
    judged_to(live, qtbot, end)
    first = judging.pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    wait(qtbot, lambda: judging.trouble is not None)
    assert "ended unexpectedly" in str(judging.trouble)
    assert judging.verdict.judged_to == end  # what was judged stays judged, up to then
    later = growing.grow(3, 20.0)
    judged_to(live, qtbot, later)
    assert judging.trouble is None
    assert judging.pid not in (None, first)
    growing.close()


def test_it_ends_with_its_session_and_the_file_is_one_again(
    live: Program, qtbot: QtBot, growing: Growing
) -> None:
    judging = live.desk.judging
    end = growing.grow(20, 0.5)
    growing.close()
    opened(live, qtbot, growing.path)
    judged_to(live, qtbot, end)
    live.desk.session.close()
    assert (judging.pid, judging.diagnosis, judging.verdict.state) == (None, None, "not judged yet")
    judging.shutdown()
    assert [one.name for one in growing.path.parent.glob("growing.hscope*")] == ["growing.hscope"]


def test_processes_that_ended_leave_nothing_in_the_window(
    live: Program, qtbot: QtBot, growing: Growing
) -> None:
    """Whoever looks through 200 sessions does not keep 200 processes' remains."""
    growing.grow(20, 0.5)
    growing.close()
    for _ in range(3):
        opened(live, qtbot, growing.path)
        wait(qtbot, lambda: live.desk.judging.diagnosis is not None)
        live.desk.session.close()
    wait(qtbot, lambda: not live.desk.judging.findChildren(Child))
