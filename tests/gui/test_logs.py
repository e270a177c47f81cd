"""Logs of ESXi dropped on the window: a session of their own, or events of the open one."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QInputDialog, QMessageBox, QPushButton
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from sessions.model import EntityRef
from sessions.store import SessionReader
from tests.gui.recordings import record
from tests.gui.windows import child_of, drop, wait
from tests.logs.writing_logs import LATENCY, LINK_DOWN, SLOW, vmkernel
from widgets.timeline.view import TimelineView

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")
"""The offscreen platform says so of every dialog."""


def stamped(at_ms: int, text: str) -> str:
    at = datetime.fromtimestamp(at_ms / 1000, UTC)
    return f"{at:%Y-%m-%dT%H:%M:%S}.000Z cpu4:2758489){text}\n"


def button(box: QMessageBox, words: str) -> QPushButton:
    [found] = [one for one in box.findChildren(QPushButton) if one.text().startswith(words)]
    return found


def test_a_log_becomes_a_session_of_events(live: Program, qtbot: QtBot, home: Path) -> None:
    log = home / "vmkernel.log"
    log.write_text(vmkernel(0, LATENCY) + vmkernel(300, LINK_DOWN), encoding="utf-8")
    drop(live.window, log)
    wait(qtbot, lambda: live.desk.session.path == home / "vmkernel.hscope")
    wait(qtbot, lambda: "Imported 2 events into vmkernel.hscope." in live.window.messages.text)
    snapshot = live.desk.session.snapshot
    assert snapshot is not None
    assert [event.log for event in snapshot.events] == ["vmkernel.log"] * 2
    wait(qtbot, lambda: live.desk.judging.diagnosis is not None)
    verdict = live.desk.judging.verdict
    assert (verdict.is_judged, verdict.is_clear) == (False, False)
    assert "logs tell what happened" in verdict.reason


class TestBesideAnOpenSession:
    @pytest.fixture
    def night(self, live: Program, qtbot: QtBot, home: Path) -> Path:
        session = record(home / "night.hscope", seconds=300)
        live.desk.session.open(session)
        wait(
            qtbot, lambda: live.desk.session.snapshot is not None and live.desk.judging.diagnosis is not None
        )
        return session

    def dropped(self, live: Program, qtbot: QtBot, home: Path) -> tuple[QMessageBox, EntityRef]:
        assert live.desk.session.snapshot is not None
        span = live.desk.session.snapshot.span
        assert span is not None
        lun = next(ref for ref in live.desk.session.snapshot.entities if ref.key.startswith("naa."))
        text = stamped(span.start + 60_000, LATENCY.replace(SLOW, lun.key))
        (home / "vmkernel.log").write_text(text + stamped(span.start + 90_000, LINK_DOWN), encoding="utf-8")
        drop(live.window, home / "vmkernel.log")
        wait(qtbot, lambda: live.window.findChild(QMessageBox, "logs"))
        return child_of(live.window, QMessageBox, "logs"), lun

    def test_its_events_join_the_session(self, live: Program, qtbot: QtBot, home: Path, night: Path) -> None:
        box, lun = self.dropped(live, qtbot, home)
        button(box, "Add to night.hscope").click()
        wait(qtbot, lambda: live.window.findChild(QInputDialog, "logs host"))
        asked = child_of(live.window, QInputDialog, "logs host")
        asked.setTextValue("esx01.lab.local")
        asked.accept()
        wait(qtbot, lambda: "Added 2 events to night.hscope." in live.window.messages.text)
        wait(
            qtbot, lambda: live.desk.session.whole and any(one.log for one in live.desk.session.whole.events)
        )
        assert live.desk.session.path == night
        with SessionReader.open(night) as reader:
            slow, down = [event for event in reader.events() if event.log]
        assert slow.entity == lun
        assert down.entity == EntityRef("nic", "esx01.lab.local/vmnic0")
        wait(qtbot, lambda: live.desk.judging.diagnosis is not None)

    def test_or_get_one_of_their_own(self, live: Program, qtbot: QtBot, home: Path, night: Path) -> None:
        before = night.stat().st_size
        box, _ = self.dropped(live, qtbot, home)
        button(box, "A session of their own").click()
        wait(qtbot, lambda: live.desk.session.path == home / "vmkernel.hscope")
        assert night.stat().st_size == before

    def test_or_nothing_happens(self, live: Program, qtbot: QtBot, home: Path, night: Path) -> None:
        box, _ = self.dropped(live, qtbot, home)
        box.reject()
        qtbot.wait(50)
        assert not live.workbench.importing.is_running
        assert live.desk.session.path == night


def test_a_kind_of_events_is_hidden_on_the_timeline(live: Program, qtbot: QtBot, home: Path) -> None:
    log = home / "vmkernel.log"
    log.write_text(vmkernel(0, LATENCY) + vmkernel(300, LINK_DOWN), encoding="utf-8")
    drop(live.window, log)
    view = child_of(live.window, TimelineView)
    wait(qtbot, lambda: len(view.content.events) == 2)

    def shown() -> list[str]:
        return [event.kind for event in view.content.events]

    [storage] = [one for one in view.menu.choices() if one.name == "storage"]
    notes = list[str]()
    view.note_changed.connect(notes.append)
    view.menu.toggled.emit(storage)
    assert notes[-1].endswith(" shown\n1 event hidden")
    assert shown() == ["network"]
    assert len(view.menu.table().rows) == 1
    [storage] = [one for one in view.menu.choices() if one.name == "storage"]
    assert not storage.is_shown
    view.menu.toggled.emit(storage)
    assert "hidden" not in notes[-1]
    assert shown() == ["storage", "network"]


def test_what_is_wrong_with_a_log_is_said(live: Program, qtbot: QtBot, home: Path) -> None:
    (home / "vmkernel.0.gz").write_bytes(b"\x1f\x8b" + b"\0" * 40)
    drop(live.window, home / "vmkernel.0.gz")
    wait(qtbot, lambda: "can't be unpacked" in live.window.messages.text)
    assert not list(home.glob("*.hscope"))
    assert QApplication.activeModalWidget() is None
