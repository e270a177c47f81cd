"""Marks: through the recorder while it writes, into the file afterwards, refused where another one writes."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from sessions.store import SessionReader, SessionWriter
from tests.gui.recordings import record
from tests.gui.test_recording import start_lab, stop
from tests.gui.windows import wait
from widgets.marks import MarkNote

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
HOSTILE = "<b>I changed</b> the limit \u202e"


def note(program: Program, qtbot: QtBot, text: str) -> None:
    program.window.actions_by_id["record.mark"].trigger()
    [dialog] = [one for one in program.window.findChildren(MarkNote) if one.isVisible()]
    dialog.line.setText(text)
    qtbot.keyClick(dialog.line, Qt.Key.Key_Return)


def marks(program: Program) -> list[tuple[int, str]]:
    snapshot = program.desk.session.snapshot
    assert snapshot is not None
    return [(mark.at, mark.text) for mark in snapshot.marks]


def test_a_mark_while_it_records_goes_through_the_recorder(live: Program, qtbot: QtBot) -> None:
    path = start_lab(live, qtbot)
    at = live.workbench.recordings.mark_time()
    note(live, qtbot, HOSTILE)
    wait(qtbot, lambda: marks(live))
    [(when, text)] = marks(live)
    assert text == HOSTILE
    assert 0 <= when - at <= 120_000  # lab time, at 60 times the speed
    stop(live, qtbot)
    with SessionReader.open(path) as reader:
        assert [mark.text for mark in reader.marks()] == [HOSTILE]


def test_a_mark_in_a_session_of_the_past(live: Program, qtbot: QtBot, home: Path) -> None:
    path = record(home / "demo.hscope", seconds=300)
    live.workbench.open_paths([path])
    wait(qtbot, lambda: live.desk.session.snapshot is not None)
    span = live.desk.session.snapshot.span  # type: ignore[union-attr]
    assert span is not None
    note(live, qtbot, "")
    wait(qtbot, lambda: marks(live) == [(span.end, "")])
    live.workbench.drop_mark(span.start)
    [dialog] = [one for one in live.window.findChildren(MarkNote) if one.isVisible()]
    qtbot.keyClick(dialog.line, Qt.Key.Key_Escape)
    live.workbench.drop_mark(span.start)
    [dialog] = [one for one in live.window.findChildren(MarkNote) if one.isVisible()]
    dialog.line.setText("begin")
    qtbot.keyClick(dialog.line, Qt.Key.Key_Return)
    wait(qtbot, lambda: sorted(marks(live)) == [(span.start, "begin"), (span.end, "")])


def test_a_session_that_somebody_else_writes_takes_no_mark(live: Program, qtbot: QtBot, home: Path) -> None:
    path = record(home / "demo.hscope", seconds=300)
    with SessionWriter.open(path):
        live.workbench.open_paths([path])
        wait(qtbot, lambda: live.desk.session.snapshot is not None)
        note(live, qtbot, "lost")
        wait(qtbot, lambda: "another program is writing" in live.window.messages.text)
    assert marks(live) == []
