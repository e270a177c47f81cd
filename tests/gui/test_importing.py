"""Captures dropped on the window: imported by a child process while the session is looked at already."""

from __future__ import annotations

import os
import sys
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from app.gui.recent import RecentSessions
from sessions.store import SessionReader, check_session
from tests.gui.recordings import capture, record
from tests.gui.windows import child_of, drop, has_charts, message_button, running, wait
from widgets.jobs import JobsView

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")
"""The offscreen platform says so of every dialog."""

HOSTS = [f"esx0{number}.lab.local" for number in range(1, 5)]


@pytest.fixture(scope="module")
def captures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A quarter of an hour of the lab, and its first minutes as a file a host."""
    folder = tmp_path_factory.mktemp("captures")
    capture(folder / "all.csv", seconds=900)
    for host in HOSTS:
        capture(folder / f"host-{host}.csv", seconds=300, host=host)
    return folder


def states(program: Program) -> list[str]:
    return [job.state for job in program.desk.jobs.visible_jobs()]


def test_a_dropped_capture_becomes_a_session(live: Program, qtbot: QtBot, captures: Path, home: Path) -> None:
    dropped = home / "esx night.csv"
    dropped.write_bytes((captures / "all.csv").read_bytes())
    live.window.show_panel("charts")
    drop(live.window, dropped)
    wait(qtbot, lambda: live.desk.session.path == home / "esx night.hscope")
    wait(qtbot, lambda: states(live) == ["done"])
    wait(qtbot, lambda: has_charts(live))
    wait(qtbot, lambda: live.desk.session.snapshot is not None and not live.desk.session.snapshot.recording)
    assert "Imported" in live.window.messages.text
    assert check_session(home / "esx night.hscope", thorough=True) == []
    wait(qtbot, lambda: live.desk.findings.findings)
    assert live.workbench.start_page.choices  # and the window is still there


def test_files_of_one_drop_are_one_import(live: Program, qtbot: QtBot, captures: Path, home: Path) -> None:
    files = sorted(captures.glob("host-*.csv"))
    assert len(files) == 4
    mine = [home / file.name for file in files]
    for source, target in zip(files, mine, strict=True):
        target.write_bytes(source.read_bytes())
    drop(live.window, *mine)
    wait(qtbot, lambda: states(live) == ["done"])
    [session] = home.glob("*.hscope")
    assert session.name == "host-esx01.lab.local to host-esx04.lab.local.hscope"
    with SessionReader.open(session) as reader:
        assert len(reader.sources()) == 4


def test_a_cancelled_import_leaves_nothing(live: Program, qtbot: QtBot, captures: Path, home: Path) -> None:
    dropped = home / "esx.csv"
    dropped.write_bytes((captures / "all.csv").read_bytes())
    drop(live.window, dropped)
    wait(qtbot, lambda: live.workbench.importing.is_running)
    live.window.show_panel("jobs")
    panel = child_of(live.window, JobsView)
    wait(qtbot, lambda: panel.cards)
    [card] = panel.cards.values()
    card.stop.click()
    wait(qtbot, lambda: not live.workbench.importing.is_running)
    assert states(live) == ["cancelled"]
    assert live.desk.session.snapshot is None
    assert sorted(path.name for path in home.glob("esx*")) == ["esx.csv"]


def test_a_session_that_was_not_left_is_no_recent_one(
    live: Program, qtbot: QtBot, captures: Path, home: Path
) -> None:
    dropped = home / "esx.csv"
    dropped.write_bytes((captures / "all.csv").read_bytes())
    importing = live.workbench.importing
    live.desk.session.opened.connect(lambda _snapshot: importing.cancel())
    drop(live.window, dropped)
    wait(qtbot, lambda: states(live) == ["cancelled"])
    listed = RecentSessions(live.desk.settings.folder).entries()
    assert [one.path for one in listed if not Path(one.path).exists()] == []


def test_a_window_that_is_gone_hears_nothing_of_its_import(
    qapp: QApplication, qtbot: QtBot, captures: Path, home: Path
) -> None:
    """The import's process tells its end while the window waits for it: that came when all was deleted."""
    dropped = home / "esx.csv"
    dropped.write_bytes((captures / "all.csv").read_bytes())
    heard: list[str] = []
    with running(qapp, home) as program:
        importing = program.workbench.importing
        importing.finished.connect(lambda: heard.append("finished"))
        drop(program.window, dropped)
        wait(qtbot, lambda: importing.is_running)
    assert not importing.is_running
    qapp.processEvents()
    assert heard == []
    assert sorted(path.name for path in home.glob("esx*")) == ["esx.csv"]


def test_the_order_of_dates_is_chosen_by_a_button(live: Program, qtbot: QtBot, home: Path) -> None:
    """What PowerCLI exported on one day in March, or in April: 4/3/2026."""
    rows = "".join(
        f"cpu.ready.summation,4/3/2026 2:{minute}:00 PM,6000,millisecond,db1,VirtualMachine-vm-7,300,0\r\n"
        for minute in ("10", "05", "00")
    )
    header = "MetricId,Timestamp,Value,Unit,Entity,EntityId,IntervalSecs,Instance\r\n"
    (home / "stats.csv").write_text(header + rows, encoding="utf-8", newline="")
    drop(live.window, home / "stats.csv")
    wait(qtbot, lambda: states(live) == ["failed"])
    assert live.window.messages.text == (
        "stats.csv: nothing in it tells which number of 4/3/2026 2:10:00 PM is the day."
    )
    assert not list(home.glob("*.hscope"))
    texts = [one.text() for one in live.window.messages.findChildren(QPushButton) if one.isVisible()]
    assert {"Day first", "Month first"} <= set(texts)
    message_button(live.window.messages).click()
    wait(qtbot, lambda: live.desk.session.path == home / "stats.hscope")
    wait(qtbot, lambda: "done" in states(live))
    with SessionReader.open(home / "stats.hscope") as reader:
        (source,) = reader.sources()
    assert source.end is not None
    assert datetime.fromtimestamp(source.end / 1000, UTC).date() == date(2026, 3, 4)


def test_what_is_no_capture_is_said(live: Program, qtbot: QtBot, home: Path) -> None:
    page = home / "page.csv"
    page.write_text("<!DOCTYPE html><html><body>Log in</body></html>\n", encoding="utf-8")
    drop(live.window, page)
    wait(qtbot, lambda: states(live) == ["failed"])
    assert live.window.messages.isVisible()
    assert "HTML" in live.window.messages.text or "web page" in live.window.messages.text
    assert not list(home.glob("*.hscope"))


def test_a_folder_for_sessions_that_can_not_be_made_is_said(live: Program, qtbot: QtBot, home: Path) -> None:
    """It was reported as a bug of the program."""
    (home / "file").write_text("x")
    live.desk.settings.set("record.folder", str(home / "file" / "folder"))
    drop(live.window, home / "gone" / "esx.csv")
    wait(qtbot, live.window.messages.isVisible)
    assert "can't be started" in live.window.messages.text
    assert str(home / "file") in live.window.messages.text
    assert "Errno" not in live.window.messages.text
    assert not live.workbench.importing.is_running
    live.workbench.try_lab()
    assert "Errno" not in live.window.messages.text


def test_the_good_are_imported_and_the_bad_are_named(
    live: Program, qtbot: QtBot, captures: Path, home: Path
) -> None:
    good, page, gone = home / "night.csv", home / "a page.csv", home / "a.txt"
    good.write_bytes((captures / "host-esx01.lab.local.csv").read_bytes())
    page.write_text("<!DOCTYPE html><html><body>Log in</body></html>\n", encoding="utf-8")
    gone.write_text("notes of mine", encoding="utf-8")
    (home / "again.csv").symlink_to(good)
    drop(live.window, page, gone, good, home / "again.csv", good)
    wait(qtbot, lambda: states(live) == ["done"])
    text = live.window.messages.text
    assert "Imported 60 rows into" in text
    assert "a page.csv was left out: " in text
    assert "a.txt was left out: " in text
    assert "night.csv" not in text.replace("night.hscope", "")
    [session] = home.glob("*.hscope")
    with SessionReader.open(session) as reader:
        assert [source.spec.name for source in reader.sources()] == ["esx01.lab.local"]
        assert dict(reader.sources()[0].spec.attributes)["rows"] == "60"


def test_a_damaged_session_keeps_no_good_file_away(
    live: Program, qtbot: QtBot, captures: Path, home: Path
) -> None:
    damaged, good = home / "a.hscope", home / "night.csv"
    damaged.write_bytes(b"SQLite format 3\x00 and then nothing")
    good.write_bytes((captures / "host-esx01.lab.local.csv").read_bytes())
    drop(live.window, damaged, good)
    wait(qtbot, lambda: live.desk.session.path == home / "night.hscope")
    assert any("a.hscope" in one.text and one.level == "critical" for one in live.window.messages.shown)


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="nothing is closed to this user")
def test_a_folder_that_is_closed_is_said(live: Program, qtbot: QtBot, home: Path) -> None:
    (home / "closed").mkdir(mode=0)
    drop(live.window, home / "closed")
    wait(qtbot, lambda: "can't be read" in live.window.messages.text)
    (home / "closed").chmod(0o700)


def test_a_session_among_captures_is_opened_and_the_rest_offered(
    live: Program, qtbot: QtBot, captures: Path, home: Path
) -> None:
    session, dropped = record(home / "demo.hscope", seconds=60), home / "esx.csv"
    dropped.write_bytes((captures / "all.csv").read_bytes())
    drop(live.window, session, dropped)
    wait(qtbot, lambda: live.desk.session.path == session)
    assert "can be imported" in live.window.messages.text
    assert not live.workbench.importing.is_running
    message_button(live.window.messages).click()
    wait(qtbot, lambda: states(live) == ["done"])
    wait(qtbot, lambda: live.desk.session.path == home / "esx.hscope")


def test_what_was_dropped_beside_a_session_is_said_while_another_is_open(
    live: Program, qtbot: QtBot, captures: Path, home: Path
) -> None:
    """Closing the one before took the message with it: the capture was ignored without a word."""
    first, second = (record(home / f"{name}.hscope", seconds=60) for name in ("first", "second"))
    live.workbench.open_paths([first])
    wait(qtbot, lambda: live.desk.session.path == first)
    drop(live.window, second, first, captures / "all.csv")
    wait(qtbot, lambda: live.desk.session.path == second)
    wait(qtbot, live.window.messages.isVisible)
    assert "One session at a time: second.hscope was opened, first.hscope not" in live.window.messages.text
    assert "all.csv can be imported" in live.window.messages.text


def test_links_in_a_circle_are_left_out_like_any_other_file(
    live: Program, qtbot: QtBot, captures: Path, home: Path
) -> None:
    there, back, good = home / "there.csv", home / "back.csv", home / "night.csv"
    there.symlink_to(back)
    back.symlink_to(there)
    good.write_bytes((captures / "host-esx01.lab.local.csv").read_bytes())
    drop(live.window, there, good)
    wait(qtbot, lambda: states(live) == ["done"])
    assert "there.csv was left out: " in live.window.messages.text


def test_an_empty_folder_is_said(live: Program, qtbot: QtBot, home: Path) -> None:
    (home / "empty").mkdir()
    drop(live.window, home / "empty")
    wait(qtbot, lambda: "neither a session, a capture nor a log" in live.window.messages.text)


def test_closing_while_it_runs_waits_for_an_answer(live: Program, home: Path, captures: Path) -> None:
    live.workbench.importing.start([captures / "all.csv"])
    assert not live.window.guard()
    live.workbench.importing.shutdown()
