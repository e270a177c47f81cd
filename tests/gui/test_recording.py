"""Live is a growing file: the lab recorded by a child, shown, paused, stopped, killed, resumed, let go."""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QPushButton
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from app.gui.recorder_process import RecorderProcess, RecordRequest
from app.gui.source_labels import beginning, live_entries, stored_entries
from recorder.protocol import CollectorReport, Ended, SourceReport, Started, StatusReport, Warned
from sessions.store import SessionReader
from sessions.times import TimeRange
from tests.gui.recordings import record
from tests.gui.windows import WAIT, child_of, message_button, wait
from viewmodels.snapshot import Snapshot, read_snapshot
from widgets.timeline import TimelineView

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")
"""The offscreen platform says so of every dialog."""


def recorder(program: Program) -> RecorderProcess:
    found = program.workbench.recordings.process
    assert found is not None
    return found


def start_lab(program: Program, qtbot: QtBot) -> Path:
    program.window.actions_by_id["file.lab"].trigger()
    wait(qtbot, lambda: program.desk.session.snapshot is not None)
    wait(qtbot, lambda: program.desk.session.snapshot.span is not None)  # type: ignore[union-attr]
    assert program.desk.session.path is not None
    return program.desk.session.path


def stop(program: Program, qtbot: QtBot) -> None:
    program.window.actions_by_id["record.stop"].trigger()
    wait(qtbot, lambda: program.workbench.recordings.process is None)


def kill(process: RecorderProcess) -> None:
    psutil.Process(process.pid).kill()


FORGED = r"""
import sys
out = sys.stdout.buffer
out.write(b'{"event": "started", "session": "x.hscope", "news": 1}\n')
out.write(b'Segmentation fault\n{"event": "status", "sources": "none"}\n\xff\xfe\n')
out.write(b'{"event": "phase", "name": "of a newer recorder"}\n')
out.write(b'{"event": "status", "samples": 7, "seconds": 1e999}\n')
out.write(b'{"event": "status", "samples": 7}\n{"event": "ended", "code": 0, "samples": 7}\n')
"""


def test_what_the_recorder_writes_is_read_with_care(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    """Lines that are damaged, forged or of a newer program: one warning for all of them, and no crash."""
    monkeypatch.setattr("app.gui.child.program_command", lambda *_arguments: [sys.executable, "-c", FORGED])
    process = RecorderProcess(RecordRequest(("lab:demo",), str(home / "s.hscope")))
    heard: list[object] = []
    for signal_ in (process.started, process.reported, process.warned):
        signal_.connect(heard.append)
    with qtbot.waitSignal(process.ended, timeout=300_000) as ended:
        pass
    assert [type(event) for event in heard] == [Started, Warned, StatusReport]
    assert ended.args == [Ended(0, samples=7)]
    assert process.state == "ended"
    process.wait()


def test_how_sources_are_said() -> None:
    late = SourceReport("esx01", "lab", "recording", 5.0, 10, 1204, behind_s=12.0)
    good = SourceReport("vc01", "vcenter", "recording", 20.0, 10, 1204)
    lost = SourceReport("vc02", "vcenter", "reconnecting", 20.0, 10, 7, gaps=1)
    entries = live_entries(StatusReport(sources=(good, late, lost)))
    assert [entry.state for entry in entries] == ["warning", "warning", "ok"]
    assert entries[0].text == "esx01 · 5 s · 1,204 series · behind by 12 s"
    assert (entries[1].text, entries[1].gaps) == ("vc02 · 20 s · 7 series · reconnecting", "1 gap")
    assert entries[2].text == "vc01 · 20 s · 1,204 series · on time"


def test_what_a_recording_begins_with_is_said() -> None:
    nothing = StatusReport(collectors=(CollectorReport("vcenter://anna@vc01.corp"),), seconds=3.2)
    sources = ("vcenter://anna@vc01.corp",)
    assert beginning(sources, nothing) == ("Connecting to vc01.corp", "Waiting for its answer · 3 s")
    assert [entry.text for entry in live_entries(nothing)] == ["vc01.corp · connecting"]
    reads = SourceReport("vc01.corp", "vcenter", "connecting", message="Reading the inventory: 40 objects.")
    reading = StatusReport(sources=(reads,), collectors=nothing.collectors, seconds=12.0)
    title, words = beginning((*sources, "esxi://root@esx01", "esxi://root@esx02"), reading)
    assert title == "Connecting to vc01.corp and 2 others"
    assert words == "Reading the inventory: 40 objects · 12 s"
    assert [entry.text for entry in live_entries(reading)] == [
        "vc01.corp · reading the inventory: 40 objects"
    ]
    waits = StatusReport(sources=(SourceReport("vc01.corp", "vcenter", "recording", 20.0),))
    assert beginning(sources, waits)[1] == "Waiting for the first samples · 0 s"
    lab = StatusReport(collectors=(CollectorReport("lab:demo"),))
    assert beginning(("lab:demo",), lab)[0] == "Starting the lab"
    came = StatusReport(samples=4_000, seconds=7.0)
    assert beginning(("lab:demo",), came) == ("Starting the lab", "Opening what was recorded so far · 7 s")
    named = StatusReport(sources=(SourceReport("esx01", "lab", "recording"),), collectors=lab.collectors)
    assert [entry.text for entry in live_entries(named)] == ["esx01 · on time"]


def test_guests_of_a_test_that_work_are_not_called_connecting() -> None:
    work = SourceReport("test io-sweep, run 1", "fio", "recording", 1.0, 2, 28, 0, 0, 0.0, 0, None)
    guests = CollectorReport("ssh://root@w01 ssh://root@w02")
    found = live_entries(StatusReport(sources=(work,), collectors=(guests,)))
    assert not any("connecting" in entry.text for entry in found)


def test_a_recording_is_shown_followed_paused_and_stopped(live: Program, qtbot: QtBot, home: Path) -> None:
    path = start_lab(live, qtbot)
    assert path.parent == home / "recordings"
    scope, window = live.desk.scope.scope, live.window
    assert scope.follow
    assert scope.window is not None
    assert scope.window.seconds == live.desk.settings.number("live.window") * 60
    wait(qtbot, lambda: "Recording 00:00:0" in window.top.live.text())
    assert window.top.stop.isVisible()
    entries = window.status._entries
    assert len(entries) == 4
    assert all("5 s" in entry.text and "series" in entry.text for entry in entries)
    first = live.desk.session.snapshot
    assert first is not None
    wait(qtbot, lambda: live.desk.session.snapshot.samples > 2 * first.samples)  # type: ignore[union-attr]
    pause = window.actions_by_id["record.pause"]
    pause.trigger()
    wait(qtbot, lambda: "Paused" in window.top.live.text())
    assert pause.text() == "Go on recording"
    qtbot.wait(1000)  # some ticks of the lab at this speed
    pause.trigger()
    wait(qtbot, lambda: recorder(live).state == "recording")
    stop(live, qtbot)
    assert "has ended" in window.messages.text
    assert not window.top.stop.isVisible()
    with SessionReader.open(path) as reader:
        assert {source.state for source in reader.sources()} == {"complete"}
        assert reader.gaps()


def test_an_end_that_was_seen_before_it_was_heard_of_is_shown(live: Program, qtbot: QtBot) -> None:
    """The session's file may say it before the recorder's last word: then the sources stayed as they were."""
    path = start_lab(live, qtbot)
    process, session = recorder(live), live.desk.session
    process.blockSignals(True)
    process.stop()
    wait(qtbot, lambda: process.state == "ended")
    wait(qtbot, lambda: {one.state for one in session.whole.sources} == {"complete"})  # type: ignore[union-attr]
    seen: list[int] = []
    wait(qtbot, lambda: settled(session.whole, seen))
    process.blockSignals(False)
    process.ended.emit(Ended(0, str(path), samples=1))
    wait(qtbot, lambda: live.workbench.recordings.process is None)
    assert session.whole is not None
    assert live.window.status.entries == stored_entries(session.whole)


def settled(snapshot: Snapshot | None, seen: list[int]) -> bool:
    """Return True when the file is as long as when it was looked at the last twenty times."""
    seen.append(snapshot.bytes if snapshot is not None else 0)
    return len(seen) > 20 and len(set(seen[-20:])) == 1


def test_time_travel_while_it_records(live: Program, qtbot: QtBot) -> None:
    start_lab(live, qtbot)
    span = live.desk.session.snapshot.span  # type: ignore[union-attr]
    assert span is not None
    past = TimeRange(span.start, span.start + 30_000)
    live.desk.scope.set(live.desk.scope.scope.during(past))
    wait(qtbot, lambda: live.desk.session.snapshot.span.end > span.end + 60_000)  # type: ignore[union-attr]
    assert live.desk.scope.scope.window == past
    live.window.actions_by_id["go.follow"].trigger()
    assert live.desk.scope.scope.follow
    stop(live, qtbot)


def test_the_recorders_death_is_shown_and_resumed(live: Program, qtbot: QtBot) -> None:
    path = start_lab(live, qtbot)
    before = live.desk.session.snapshot.samples  # type: ignore[union-attr]
    kill(recorder(live))
    wait(qtbot, lambda: live.workbench.recordings.process is None)
    assert "died" in live.window.messages.text
    assert message_button(live.window.messages).text() == "Resume"
    live.window.actions_by_id["record.resume"].trigger()
    assert live.window.messages.isHidden(), "it does not run and have died"
    wait(qtbot, lambda: recorder(live).status.samples > 0)
    kill(recorder(live))
    wait(qtbot, lambda: live.workbench.recordings.process is None)
    message_button(live.window.messages).click()
    wait(qtbot, lambda: recorder(live).status.samples > 0)
    wait(qtbot, lambda: live.desk.session.snapshot.samples > before)  # type: ignore[union-attr]
    assert live.desk.session.path == path
    stop(live, qtbot)
    with SessionReader.open(path) as reader:
        assert len(reader.sources()) == 4
        assert {source.state for source in reader.sources()} == {"complete"}


def test_a_closed_session_is_resumed_from_what_it_was_recorded(live: Program, qtbot: QtBot) -> None:
    path = start_lab(live, qtbot)
    stop(live, qtbot)
    live.desk.session.close()
    live.workbench.open_paths([path])
    wait(qtbot, lambda: live.desk.session.path == path)
    assert live.window.actions_by_id["record.resume"].isEnabled()
    live.window.actions_by_id["record.resume"].trigger()
    assert recorder(live).request.sources == ("lab:demo?fields=diagnosis",)
    wait(qtbot, lambda: recorder(live).status.samples > 0)
    stop(live, qtbot)


def test_a_recording_that_was_let_go_is_stopped_from_the_window(live: Program, qtbot: QtBot) -> None:
    path = start_lab(live, qtbot)
    alone = psutil.Process(recorder(live).pid)
    live.window.actions_by_id["record.detach"].trigger()
    wait(qtbot, lambda: live.workbench.recordings.process is None)
    assert alone.is_running()
    wait(qtbot, lambda: "elsewhere" in live.window.top.live.text())
    before = live.desk.session.snapshot.samples  # type: ignore[union-attr]
    wait(qtbot, lambda: live.desk.session.snapshot.samples > before)  # type: ignore[union-attr]
    live.window.actions_by_id["record.stop"].trigger()
    wait(qtbot, lambda: not live.desk.session.snapshot.recording)  # type: ignore[union-attr]
    wait(qtbot, lambda: not alone.is_running() or alone.status() == psutil.STATUS_ZOMBIE)
    with SessionReader.open(path) as reader:
        assert {source.state for source in reader.sources()} == {"complete"}


@pytest.fixture
def short_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Recordings that go on in another file every few seconds."""
    whole = RecordRequest.arguments
    monkeypatch.setattr(
        RecordRequest, "arguments", lambda self: [*whole(self)[:1], "--rotate", "4s", *whole(self)[1:]]
    )


@pytest.mark.usefixtures("short_parts")
def test_a_window_goes_along_with_the_recording_that_it_shows(live: Program, qtbot: QtBot) -> None:
    first = start_lab(live, qtbot)
    second = first.with_name(f"{first.stem}-002.hscope")
    wait(qtbot, lambda: live.desk.session.path == second)
    assert live.desk.scope.scope.follow
    stop(live, qtbot)


@pytest.mark.usefixtures("short_parts")
def test_a_window_that_shows_another_session_stays_there(live: Program, qtbot: QtBot, home: Path) -> None:
    other = record(home / "other.hscope", seconds=60)
    start_lab(live, qtbot)
    live.workbench.open_paths([other])
    wait(qtbot, lambda: live.desk.session.path == other)
    parts: list[Path] = []
    recorder(live).rotated.connect(lambda event: parts.append(Path(event.session)))
    wait(qtbot, lambda: len(parts) >= 2)  # a slow window may hear of two at once
    assert live.desk.session.path == other
    assert "goes on in" in live.window.messages.text
    message_button(live.window.messages).click()
    wait(qtbot, lambda: live.desk.session.path == parts[-1])
    stop(live, qtbot)


@pytest.mark.usefixtures("short_parts")
def test_a_session_that_is_being_opened_is_not_lost_to_the_next_part(
    live: Program, qtbot: QtBot, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = record(home / "other.hscope", seconds=60)
    start_lab(live, qtbot)
    came = threading.Event()

    def read_late(reader: SessionReader, path: Path) -> Snapshot:
        if path == other:
            came.wait(WAIT / 1000)
        return read_snapshot(reader, path)

    monkeypatch.setattr("app.gui.session_model.read_snapshot", read_late)
    recorder(live).rotated.connect(lambda _event: came.set())
    live.workbench.open_paths([other])
    wait(qtbot, lambda: live.desk.session.path == other)
    stop(live, qtbot)


def test_closing_asks_what_is_to_become_of_it(live: Program, qtbot: QtBot) -> None:
    path = start_lab(live, qtbot)
    assert not live.window.close()
    box = child_of(live.window, QMessageBox, "closing")
    buttons = {button.text(): button for button in box.findChildren(QPushButton)}
    assert set(buttons) == {"Stop recording", "Go on without the window", "Cancel"}
    qtbot.mouseClick(buttons["Cancel"], Qt.MouseButton.LeftButton)
    assert live.workbench.recordings.process is not None
    assert not live.window.close()
    wait(qtbot, lambda: len(live.window.findChildren(QMessageBox, "closing")) == 1)
    box = child_of(live.window, QMessageBox, "closing")
    [button] = [one for one in box.findChildren(QPushButton) if one.text() == "Stop recording"]
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    wait(qtbot, lambda: not live.window.isVisible())
    with SessionReader.open(path) as reader:
        assert {source.state for source in reader.sources()} == {"complete"}


def test_a_window_that_is_killed_ends_its_recorder_in_good_order(live: Program, qtbot: QtBot) -> None:
    """As the recorder sees it: its stdin ends."""
    path = start_lab(live, qtbot)
    recorder(live)._child.close_stdin()
    wait(qtbot, lambda: live.workbench.recordings.process is None)
    with SessionReader.open(path) as reader:
        assert {source.state for source in reader.sources()} == {"complete"}


def test_what_can_not_be_recorded_is_said(live: Program, qtbot: QtBot, home: Path) -> None:
    session = home / "x.hscope"
    live.workbench.recordings.start(RecordRequest(("lab:no-such-scenario",), str(session)))
    wait(qtbot, lambda: live.workbench.recordings.process is None)
    assert "no-such-scenario" in live.window.messages.text
    assert "died" not in live.window.messages.text
    assert not session.exists()


def test_ctrl_c_in_the_terminal_of_the_window_is_not_for_the_recorder(live: Program, qtbot: QtBot) -> None:
    start_lab(live, qtbot)
    if hasattr(os, "getpgid"):
        assert os.getpgid(recorder(live).pid) != os.getpgid(0)
        assert signal.SIGINT
    timeline = child_of(live.window, TimelineView)
    assert timeline.isVisible()
    stop(live, qtbot)
