"""A session whose test left changes behind says so wherever it is met: status bar, page, recents, start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from app.gui.recent import RecentSessions
from recorder.protocol import Ended, EndOfTest
from sessions.journal import ChangedObject, ChangeState, JournalEntry, Phase, TestRun
from sessions.store import SessionWriter
from tests.gui.recordings import record
from tests.gui.windows import child_of, running, wait
from widgets.start import RecentEntry, StartPage
from wizards.pages.gallery import GalleryView
from wizards.pages.rail_pane import RailPane
from wizards.pages.result_page import ResultPage

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")

DONE = (Phase("prepare", "done", 1, 2), Phase("depth 1", "done", 2, 3), Phase("restore", "failed", 3, 4))
RUN = TestRun("r1", "io-sweep", "", 1_000, 4_000, True, "", "The knee is at 8", DONE)
HOST = ChangedObject("lab:default", "Datastore", "datastore-1", "perf-lun-02")


def change(number: int, state: ChangeState) -> JournalEntry:
    of = replace(HOST, id=f"datastore-{number}")
    return JournalEntry(str(number), "r1", of, "iorm.enabled", False, True, "lab", state, 1_000, 2_000)


def session_with(path: Path, *states: ChangeState) -> Path:
    record(path, seconds=40.0)
    with SessionWriter.open(path) as writer:
        writer.add_test_runs([RUN])
        writer.add_journal([change(number, state) for number, state in enumerate(states, 1)])
    return path


def opened(program: Program, qtbot: QtBot, path: Path) -> None:
    program.workbench.open_paths([path])
    wait(qtbot, lambda: program.desk.session.whole is not None and bool(program.desk.tests.records.runs))


def source_texts(program: Program) -> Sequence[str]:
    return [one.text for one in program.window.status.entries]


def test_status_bar_message_card_steps_and_page_say_what_is_left(
    live: Program, qtbot: QtBot, tmp_path: Path
) -> None:
    opened(live, qtbot, session_with(tmp_path / "left.hscope", "undone", "failed"))
    wait(qtbot, lambda: bool(source_texts(live)))
    first = live.window.status.entries[0]
    assert (first.state, first.text) == ("critical", "1 of 2 changes is not put back")
    said = live.window.messages.shown[-1]
    assert said.level == "critical"
    assert said.text.startswith("I/O sweep has ended, and left changes behind. ")
    assert [one.title for one in said.actions] == ["Restore now", "Details"]
    live.window.status.panel_clicked.emit(first.link)
    gallery = child_of(live.window, GalleryView)
    wait(qtbot, lambda: gallery.isVisible() and bool(gallery.cards))
    assert gallery.bar.isVisible()
    assert gallery.bar.property("state") == "critical"
    assert not gallery.bar.resume.isVisible()
    card = next(one for one in gallery.cards if one.card.id == "io-sweep")
    assert card.card.last is not None
    assert (card.card.last.outcome, card.card.last.text.partition(";")[0]) == ("bad", first.text)
    live.desk.tests.look_at("r1")
    page, rail = child_of(live.window, ResultPage), child_of(live.window, RailPane)
    wait(qtbot, lambda: page.isVisible() and page.head.line.text().startswith("1 of 2 changes"))
    assert "Try again" in [one.text() for one in page.findChildren(QPushButton)]
    assert "Run, blocked" in rail.steps.accessibleDescription()


def test_what_somebody_else_changed_is_left_and_nothing_offers_to_put_it_back(
    live: Program, qtbot: QtBot, tmp_path: Path
) -> None:
    opened(live, qtbot, session_with(tmp_path / "left.hscope", "undone", "left"))
    wait(qtbot, lambda: bool(source_texts(live)))
    first = live.window.status.entries[0]
    assert (first.state, first.text) == ("warning", "1 of 2 changes is left as somebody else set it")
    live.window.show_panel("tests")
    live.desk.tests.look_at("r1")
    page = child_of(live.window, ResultPage)
    wait(qtbot, lambda: page.isVisible() and page.head.line.text().startswith("1 of 2 changes is left"))
    assert "Try again" not in [one.text() for one in page.findChildren(QPushButton) if one.isVisible()]
    assert not any(
        "Restore now" in [each.title for each in one.actions] for one in live.window.messages.shown
    )


def test_recent_sessions_keep_what_is_left_until_it_is_put_back(
    qapp: QApplication, home: Path, qtbot: QtBot, tmp_path: Path
) -> None:
    path = session_with(tmp_path / "left.hscope", "failed")
    with running(qapp, home) as program:
        opened(program, qtbot, path)
        recent = RecentSessions(program.desk.settings.folder)
        wait(qtbot, lambda: recent.entries()[0].left == "1 of 1 change is not put back")
    with running(qapp, home) as program:
        model = child_of(program.window, StartPage).recent.model()
        entry = model.index(0, 0).data(Qt.ItemDataRole.UserRole)
        assert isinstance(entry, RecentEntry)
        assert entry.worst == "critical"
        assert entry.summary.startswith("1 of 1 change is not put back · ")
        with SessionWriter.open(path) as writer:
            writer.add_journal([change(1, "undone")])
        opened(program, qtbot, path)
        wait(qtbot, lambda: recent.entries()[0].left == "")


def test_the_start_tells_of_a_test_that_ended_and_left_changes(
    qapp: QApplication, home: Path, qtbot: QtBot, tmp_path: Path
) -> None:
    folder = home / "settings" / "unfinished-tests"
    folder.mkdir(parents=True)
    path = session_with(tmp_path / "left.hscope", "failed")
    (folder / "one.txt").write_text(str(path), encoding="utf-8")
    with running(qapp, home) as program:
        wait(qtbot, lambda: bool(program.window.messages.text))
        assert program.window.messages.text == (
            "A test has ended and left changes behind: left.hscope. They still hold."
        )


@pytest.mark.parametrize(
    ("state", "still_open", "titles"),
    [
        ("critical", 2, ["Restore now", "Show the result"]),
        ("warning", 0, ["Show the result"]),
        ("ok", 0, []),
        ("a state of a later version", 0, ["Show the result"]),
    ],
)
def test_the_end_of_a_test_is_coloured_by_what_it_left(
    live: Program, state: str, still_open: int, titles: list[str], tmp_path: Path
) -> None:
    ended = Ended(samples=1_200, seconds=60.0, test=EndOfTest("I/O sweep has ended.", state, still_open))
    live.workbench.recordings.test_ended.emit(tmp_path / "s.hscope", ended)
    said = live.window.messages.shown[-1]
    assert said.text == "I/O sweep has ended. 1,200 samples in 1 min."
    assert said.level == (state if state in ("ok", "critical") else "warning")
    assert [one.title for one in said.actions] == titles
