"""The pinned moment: one instant that all views share, until Escape or the end of the session."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from sessions.times import TimeRange
from tests.gui.recordings import record
from tests.gui.windows import wait
from widgets.marks import MarkNote

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def opened(program: Program, qtbot: QtBot, path: Path) -> TimeRange:
    """Open a session; returns its span."""
    program.workbench.open_paths([path])
    wait(qtbot, lambda: program.desk.session.path == path)
    snapshot = program.desk.session.snapshot
    assert snapshot is not None
    assert snapshot.span is not None
    return snapshot.span


def test_a_moment_is_kept_within_the_session(live: Program, qtbot: QtBot, home: Path) -> None:
    moment = live.desk.moment
    moment.pin(1)
    assert moment.at is None  # there is nothing to pin yet
    span = opened(live, qtbot, record(home / "demo.hscope", seconds=300))
    told: list[int | None] = []
    moment.changed.connect(told.append)
    for at in (span.start + 7_000, span.start + 7_000, span.start - 1, span.end + 1):
        moment.pin(at)
    moment.release()
    moment.release()
    assert told == [span.start + 7_000, span.start, span.end, None]
    moment.pin(span.start)
    live.desk.session.close()
    assert moment.at is None


def test_escape_lets_go_of_the_moment_first(live: Program, qtbot: QtBot, home: Path) -> None:
    span = opened(live, qtbot, record(home / "demo.hscope", seconds=300))
    release = live.window.actions_by_id["go.release"]
    assert not release.isEnabled()
    live.desk.moment.pin(span.start)
    assert release.isEnabled()
    live.window.activateWindow()
    qtbot.waitUntil(live.window.isActiveWindow)
    live.desk.notify("Something went wrong.", "critical")
    qtbot.keyClick(live.window, Qt.Key.Key_Escape)
    assert (live.desk.moment.at, live.window.messages.isVisible()) == (None, True)
    qtbot.keyClick(live.window, Qt.Key.Key_Escape)
    assert not live.window.messages.isVisible()


def test_a_mark_is_dropped_at_the_pinned_moment(live: Program, qtbot: QtBot, home: Path) -> None:
    span = opened(live, qtbot, record(home / "demo.hscope", seconds=300))
    live.desk.moment.pin(span.start + 60_000)
    live.window.actions_by_id["record.mark"].trigger()
    [dialog] = [one for one in live.window.findChildren(MarkNote) if one.isVisible()]
    dialog.line.setText("deploy")
    qtbot.keyClick(dialog.line, Qt.Key.Key_Return)
    snapshot = live.desk.session
    wait(qtbot, lambda: snapshot.snapshot is not None and snapshot.snapshot.marks)
    assert snapshot.snapshot is not None
    assert [(mark.at, mark.text) for mark in snapshot.snapshot.marks] == [(span.start + 60_000, "deploy")]


def test_a_moment_comes_back_with_its_session(live: Program, qtbot: QtBot, home: Path) -> None:
    first, second = record(home / "a.hscope", seconds=300), record(home / "b.hscope", seconds=120)
    span = opened(live, qtbot, first)
    live.desk.moment.pin(span.start + 90_000)
    seen: list[int | None] = []
    for path in (second, first):
        opened(live, qtbot, path)
        seen.append(live.desk.moment.at)
    live.desk.moment.release()
    for path in (second, first):
        opened(live, qtbot, path)
        seen.append(live.desk.moment.at)
    assert seen == [None, span.start + 90_000, None, None]


def test_back_and_forward_and_pages_leave_the_moment_alone(live: Program, qtbot: QtBot, home: Path) -> None:
    span = opened(live, qtbot, record(home / "demo.hscope", seconds=300))
    live.desk.scope.set(live.desk.scope.scope.during(TimeRange(span.start, span.start + 60_000)))
    live.desk.moment.pin(span.end)
    live.window.show_panel("esxtop")
    live.desk.scope.back()
    live.desk.scope.forward()
    live.window.show_panel("charts")
    assert live.desk.moment.at == span.end
