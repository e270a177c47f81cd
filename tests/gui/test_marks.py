"""Marks: through the recorder while it writes, into the file afterwards, refused where another one writes."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QPushButton
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from app.gui.undoing import Undoing
from sessions.model import Mark
from sessions.store import SessionReader, SessionWriter
from tests.gui.recordings import record
from tests.gui.test_recording import start_lab, stop
from tests.gui.windows import child_of, wait
from widgets.marks import MarkNote
from widgets.timeline import TimelineView
from widgets.timeline.geometry import Scale
from widgets.timeline.lane import BOTTOM, TOP

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
HOSTILE = "<b>I changed</b> the limit \u202e"


def note(program: Program, qtbot: QtBot, text: str) -> str:
    """Drop a mark with a note; returns what the line asks."""
    program.window.actions_by_id["record.mark"].trigger()
    [dialog] = [one for one in program.window.findChildren(MarkNote) if one.isVisible()]
    asked = dialog.line.placeholderText()
    dialog.line.setText(text)
    qtbot.keyClick(dialog.line, Qt.Key.Key_Return)
    return asked


def marks(program: Program) -> list[tuple[int, str]]:
    snapshot = program.desk.session.snapshot
    assert snapshot is not None
    return [(mark.at, mark.text) for mark in snapshot.marks]


def test_a_mark_while_it_records_goes_through_the_recorder(live: Program, qtbot: QtBot) -> None:
    path = start_lab(live, qtbot)
    at = live.workbench.recordings.mark_time()
    assert note(live, qtbot, HOSTILE) == "What happens now?"
    wait(qtbot, lambda: marks(live))
    [(when, text)] = marks(live)
    assert text == HOSTILE
    assert 0 <= when - at <= 120_000  # lab time, at 20 times the speed
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


def undoing(program: Program) -> Undoing:
    found = program.workbench.findChild(Undoing)
    assert found is not None
    return found


def timeline(program: Program) -> TimelineView:
    return child_of(program.window, TimelineView)


def place_of(program: Program, at: int) -> QPoint:
    """Where in the timeline a mark's line is."""
    panel = timeline(program)
    assert panel.content.span is not None
    x = Scale(panel.content.span, panel.width()).x(at)
    return QPoint(round(x), (TOP + BOTTOM) // 2)


def open_with_marks(program: Program, qtbot: QtBot, home: Path, *texts: str) -> tuple[Path, list[Mark]]:
    """A session of the past with marks a minute apart."""
    path = record(home / "demo.hscope", seconds=300)
    with SessionReader.open(path) as reader:
        span = reader.span()
    assert span is not None
    noted = [Mark(span.start + 60_000 * (number + 1), text) for number, text in enumerate(texts)]
    with SessionWriter.open(path) as writer:
        for mark in noted:
            writer.add_mark(mark)
    program.workbench.open_paths([path])
    wait(qtbot, lambda: len(marks(program)) == len(texts) if program.desk.session.snapshot else False)
    wait(qtbot, lambda: timeline(program).isVisible() and timeline(program).content.marks)
    return path, noted


def texts(program: Program) -> list[str]:
    return [text for _, text in marks(program)]


def _has_texts(program: Program, wanted: list[str]) -> bool:
    return texts(program) == wanted


def stored(path: Path) -> list[str]:
    with SessionReader.open(path) as reader:
        return [mark.text for mark in reader.marks()]


def test_a_mark_is_removed_with_the_keys_and_comes_back(live: Program, qtbot: QtBot, home: Path) -> None:
    path, _ = open_with_marks(live, qtbot, home, "one", "two", "three")
    panel = timeline(live)
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down):
        qtbot.keyClick(panel, key)
    assert "two" in panel.accessibleDescription()
    qtbot.keyClick(panel, Qt.Key.Key_Delete)
    wait(qtbot, lambda: texts(live) == ["one", "three"])
    assert panel.chosen is None
    wait(qtbot, lambda: "Mark removed: “two”" in live.window.messages.text)
    undoing(live).undo()
    wait(qtbot, lambda: texts(live) == ["one", "two", "three"])
    undoing(live).redo()
    wait(qtbot, lambda: texts(live) == ["one", "three"])
    undoing(live).undo()
    wait(qtbot, lambda: stored(path) == ["one", "two", "three"])


def test_the_bar_offers_to_undo(live: Program, qtbot: QtBot, home: Path) -> None:
    _, noted = open_with_marks(live, qtbot, home, HOSTILE)
    live.desk.marks.remove.emit(noted[0])
    wait(qtbot, lambda: not marks(live))
    wait(qtbot, lambda: "Mark removed" in live.window.messages.text)
    assert "\u202e" not in live.window.messages.text
    [button] = [one for one in live.window.messages.findChildren(QPushButton) if one.text() == "Undo"]
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    wait(qtbot, lambda: texts(live) == [HOSTILE])


def test_only_the_last_step_is_offered_to_be_undone(live: Program, qtbot: QtBot, home: Path) -> None:
    _, noted = open_with_marks(live, qtbot, home, "first", "second")
    for mark, left in zip(noted, (["second"], []), strict=True):
        live.desk.marks.remove.emit(mark)
        wait(qtbot, partial(_has_texts, live, left))
    offers = [one.text for one in live.window.messages.shown if one.action is not None]
    assert offers == ["Mark removed: “second”."]


def test_a_note_is_changed_where_the_mark_stands(live: Program, qtbot: QtBot, home: Path) -> None:
    path, noted = open_with_marks(live, qtbot, home, "one", "two")
    panel = timeline(live)
    qtbot.mouseDClick(panel, Qt.MouseButton.LeftButton, pos=place_of(live, noted[1].at))
    [dialog] = [one for one in live.window.findChildren(MarkNote) if one.isVisible()]
    assert dialog.line.text() == "two"
    dialog.line.setText("zwei")
    qtbot.keyClick(dialog.line, Qt.Key.Key_Return)
    wait(qtbot, lambda: stored(path) == ["one", "zwei"])
    wait(qtbot, lambda: [one.text for one in panel.content.marks] == ["one", "zwei"])
    press_undo(live, qtbot)
    wait(qtbot, lambda: stored(path) == ["one", "two"])
    wait(qtbot, lambda: [one.text for one in panel.content.marks] == ["one", "two"])


def press_undo(program: Program, qtbot: QtBot) -> None:
    assert program.window.actions_by_id["edit.undo"].isEnabled()
    program.window.activateWindow()  # after a popup this platform leaves no window active
    qtbot.waitUntil(program.window.isActiveWindow)
    qtbot.keyClick(timeline(program), Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)


def test_undo_and_redo_have_keys_and_say_when_they_can(live: Program, qtbot: QtBot, home: Path) -> None:
    _, noted = open_with_marks(live, qtbot, home, "one", "two")
    undo, redo = (live.window.actions_by_id[name] for name in ("edit.undo", "edit.redo"))
    assert (undo.isEnabled(), redo.isEnabled()) == (False, False)
    live.desk.marks.remove.emit(noted[0])
    assert (undo.isEnabled(), redo.isEnabled()) == (True, False)
    wait(qtbot, lambda: texts(live) == ["two"])
    press_undo(live, qtbot)
    wait(qtbot, lambda: texts(live) == ["one", "two"])
    assert (undo.isEnabled(), redo.isEnabled()) == (False, True)
    qtbot.keyClick(
        timeline(live),
        Qt.Key.Key_Z,
        Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier,
    )
    wait(qtbot, lambda: texts(live) == ["two"])
    live.desk.session.close()
    assert (undo.isEnabled(), redo.isEnabled()) == (False, False)


def test_the_menu_of_a_mark(live: Program, qtbot: QtBot, home: Path) -> None:
    _, noted = open_with_marks(live, qtbot, home, "one", "two")
    panel = timeline(live)
    place = place_of(live, noted[0].at)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, panel.mapToGlobal(place))
    QApplication.sendEvent(panel, event)
    [menu] = [one for one in panel.findChildren(QMenu) if one.isVisible()]
    offered = [one.text() for one in menu.actions() if one.text()]
    assert offered[:3] == ["Change the note…", "Remove the mark", "Copy the note"]
    assert offered[3:] == ["Copy all events and marks", "Save as CSV…"]
    menu.actions()[1].trigger()
    menu.close()
    wait(qtbot, lambda: texts(live) == ["two"])


def test_while_it_records_the_recorder_changes_marks(live: Program, qtbot: QtBot) -> None:
    path = start_lab(live, qtbot)
    for text in ("one", "two"):
        note(live, qtbot, text)
    wait(qtbot, lambda: len(marks(live)) == 2)
    by_text = {text: at for at, text in marks(live)}
    live.desk.marks.remove.emit(Mark(by_text["one"], "one"))
    wait(qtbot, lambda: texts(live) == ["two"])
    undoing(live).undo()
    wait(qtbot, lambda: sorted(texts(live)) == ["one", "two"])
    live.desk.marks.remove.emit(Mark(by_text["one"] + 1, "never"))
    wait(qtbot, lambda: "no such mark" in live.window.messages.text)
    live.desk.marks.edit.emit(Mark(by_text["two"], "two"), None)
    [dialog] = [one for one in live.window.findChildren(MarkNote) if one.isVisible()]
    dialog.line.setText("deux")
    qtbot.keyClick(dialog.line, Qt.Key.Key_Return)
    wait(qtbot, lambda: sorted(stored(path)) == ["deux", "one"])
    stop(live, qtbot)
    undoing(live).undo()  # the file is ours now: the same step goes there
    wait(qtbot, lambda: sorted(stored(path)) == ["one", "two"])
    live.desk.session.close()
    wait(qtbot, lambda: [file.name for file in path.parent.glob("*.hscope*")] == [path.name])


def test_a_mark_that_is_gone_already(live: Program, qtbot: QtBot, home: Path) -> None:
    path, noted = open_with_marks(live, qtbot, home, "one", "two")
    with SessionWriter.open(path) as writer:
        assert writer.change_mark(noted[0], None)
    live.desk.marks.remove.emit(noted[0])
    wait(qtbot, lambda: "not in the session any more" in live.window.messages.text)
    wait(qtbot, lambda: texts(live) == ["two"])
    undoing(live).undo()  # there is nothing to undo
    assert texts(live) == ["two"]


def test_a_session_that_can_not_be_written_says_that_the_mark_is_lost(
    live: Program, qtbot: QtBot, home: Path
) -> None:
    """It can be opened, and is: what can't be done must be named."""
    path, _ = open_with_marks(live, qtbot, home, "one")
    path.with_name(path.name + "-lock").mkdir()
    note(live, qtbot, "lost")
    wait(qtbot, lambda: "The mark was not stored. " in live.window.messages.text)
    assert stored(path) == ["one"]


def test_a_session_that_somebody_else_writes_takes_no_mark(live: Program, qtbot: QtBot, home: Path) -> None:
    path = record(home / "demo.hscope", seconds=300)
    with SessionWriter.open(path):
        live.workbench.open_paths([path])
        wait(qtbot, lambda: live.desk.session.snapshot is not None)
        note(live, qtbot, "lost")
        wait(qtbot, lambda: "another program is writing" in live.window.messages.text)
    assert marks(live) == []


def test_the_log_of_a_writer_that_has_gone_is_merged_though_the_session_is_judged(
    live: Program, qtbot: QtBot, home: Path
) -> None:
    """The process that judges keeps the session open, too, and has read the log."""
    path = record(home / "ended.hscope", seconds=300)
    live.workbench.open_paths([path])
    wait(qtbot, lambda: live.desk.judging.diagnosis is not None)
    pid, whole = live.desk.judging.pid, live.desk.session.whole
    assert whole is not None
    assert whole.span is not None
    with SessionWriter.open(path) as writer:
        writer.add_mark(Mark(whole.span.end, "by somebody else"))
        wait(qtbot, lambda: marks(live))
        qtbot.wait(2_500)  # by then the process that judges has looked, too
    wait(qtbot, lambda: [one.name for one in home.glob("ended.hscope*")] == ["ended.hscope"])
    assert (live.desk.judging.pid, live.desk.judging.trouble) == (pid, None)


def test_a_mark_leaves_an_ended_session_as_it_was(live: Program, qtbot: QtBot, home: Path) -> None:
    path = record(home / "ended.hscope", seconds=300)
    live.workbench.open_paths([path])
    wait(qtbot, lambda: live.desk.session.whole is not None)
    before = live.desk.session.whole
    assert before is not None
    with SessionReader.open(path) as other:  # as a diagnosis in another process would have it open
        assert other.span() == before.span
        assert note(live, qtbot, "users call") == "What happened?"
        wait(qtbot, lambda: marks(live) and not live.desk.jobs.busy("marks.store"))
    wait(qtbot, lambda: [one.name for one in home.glob("ended.hscope*")] == ["ended.hscope"])
    whole = live.desk.session.whole
    assert whole is not None
    assert not whole.recording
    assert (whole.span, [one.state for one in whole.sources]) == (before.span, ["complete"] * 4)
    shown = [one.text() for one in live.window.top.findChildren(QLabel) if one.isVisible()]
    assert not [text for text in shown if "ecord" in text], shown
    with SessionReader.open(path) as reader:
        assert [mark.text for mark in reader.marks()] == ["users call"]
