"""The jobs pane: what runs, how far, how it ended; children beside worker threads."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from app.gui.jobs import Job
from app.gui.jobs_pane import AFTER_MS, LONG_MS
from tests.gui.recordings import record
from tests.gui.windows import child_of, running, wait
from widgets.jobs import JobRow, JobsView
from widgets.theme import Theme

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")


def test_rows_keep_their_place_and_are_stopped_and_cleared(theme: Theme, qtbot: QtBot) -> None:
    view = JobsView(theme)
    qtbot.addWidget(view)
    view.show()
    stopped: list[int] = []
    view.cancelled.connect(stopped.append)
    view.show_jobs([JobRow(1, "<b>Import</b>\nnight", part=0.25, text="180 MB/s"), JobRow(2, "Other")])
    card = view.cards[1]
    assert card._title.text() == "<b>Import</b> night"
    assert (card.bar.value(), card._percent.text()) == (250, "25%")
    assert view.cards[2].bar.maximum() == 0
    assert not view.clear.isVisible()
    qtbot.mouseClick(card.stop, Qt.MouseButton.LeftButton)
    assert stopped == [1]
    assert (card._status.text(), card.stop.isEnabled()) == ("Stopping…", False), "it was heard"
    view.show_jobs([JobRow(1, "Import", part=0.3, text="2 s left"), JobRow(2, "Other")])
    assert (card._status.text(), card.stop.isEnabled()) == ("Stopping…", False)
    view.show_jobs([JobRow(1, "Import", "failed", text="No space left."), JobRow(2, "Other", "done")])
    assert view.cards[1] is card
    assert card._status.text() == "Failed · No space left."
    assert not card.bar.isVisible()
    with qtbot.waitSignal(view.cleared):
        qtbot.mouseClick(view.clear, Qt.MouseButton.LeftButton)
    view.show_jobs([])
    assert view._none.isVisible()


def test_a_job_that_begins_is_in_sight_above_many_that_have_ended(theme: Theme, qtbot: QtBot) -> None:
    view = JobsView(theme)
    qtbot.addWidget(view)
    view.resize(300, 400)
    view.show()
    ended = [JobRow(number, f"Job {number}", "done") for number in range(20)]
    view.show_jobs(ended)
    QApplication.processEvents()
    view.show_jobs([*ended, JobRow(20, "Import", part=0.1)])
    QApplication.processEvents()
    assert not view.cards[20].stop.visibleRegion().isEmpty()
    assert view.cards[20].y() < view.cards[19].y() < view.cards[0].y()


def test_jobs_of_threads_and_of_children(live: Program, qtbot: QtBot) -> None:
    jobs, go = live.desk.jobs, threading.Event()
    live.window.show_session(open_=True)
    live.window.show_panel("jobs")
    panel = child_of(live.window, JobsView)

    def work(job: Job) -> None:
        job.progress(0.5, "half")
        go.wait(300)

    jobs.start("x", "In a thread", work, lambda _none: None, visible=True)
    cancelled: list[bool] = []
    child = jobs.add_external("In a child", lambda: cancelled.append(True))
    wait(
        qtbot,
        lambda: len(panel.cards) == 2 and any(one._percent.text() == "50%" for one in panel.cards.values()),
    )
    [card] = [one for one in panel.cards.values() if one._title.text() == "In a child"]
    qtbot.mouseClick(card.stop, Qt.MouseButton.LeftButton)
    assert cancelled == [True]
    jobs.end(child, "cancelled")
    go.set()
    wait(qtbot, lambda: all(job.state != "running" for job in jobs.visible_jobs()))
    qtbot.mouseClick(panel.clear, Qt.MouseButton.LeftButton)
    wait(qtbot, lambda: not panel.cards)


def test_the_pane_comes_for_long_work_and_goes_when_it_has_ended(
    live: Program, qtbot: QtBot, home: Path
) -> None:
    dock = live.window.dock("jobs")
    live.workbench.open_paths([record(home / "a.hscope", seconds=60)])
    wait(qtbot, lambda: live.desk.session.snapshot is not None)
    wait(qtbot, lambda: live.desk.findings.diagnosis is not None and not live.desk.jobs.busy("overview"))
    wait(qtbot, dock.isHidden)  # on a busy machine opening the session takes long, too
    begun = time.monotonic()
    quick = live.desk.jobs.add_external("Exporting a VM", lambda: None)
    qtbot.wait(100)
    live.desk.jobs.end(quick, "done")
    was_quick = time.monotonic() - begun < LONG_MS / 1000
    long = live.desk.jobs.add_external("Exporting the session", lambda: None)
    assert dock.isHidden() or not was_quick
    wait(qtbot, dock.isVisible)
    live.desk.jobs.end(long, "done")
    wait(qtbot, dock.isHidden)
    failing = live.desk.jobs.add_external("Exporting again", lambda: None)
    wait(qtbot, dock.isVisible)
    live.desk.jobs.end(failing, "failed", "No space left.")
    qtbot.wait(AFTER_MS + 1_000)
    assert dock.isVisible(), "an error stays until somebody has seen it"
    live.desk.jobs.clear_ended()
    wait(qtbot, dock.isHidden)


def test_a_pane_that_was_closed_stays_closed_and_none_is_opened_at_the_next_start(
    live: Program, qtbot: QtBot, home: Path, qapp: QApplication
) -> None:
    dock = live.window.dock("jobs")
    live.workbench.open_paths([record(home / "a.hscope", seconds=60)])
    wait(qtbot, lambda: live.desk.session.snapshot is not None)
    job = live.desk.jobs.add_external("Exporting the session", lambda: None)
    wait(qtbot, dock.isVisible)
    dock.toggleViewAction().trigger()
    qtbot.wait(LONG_MS + 1_000)
    assert dock.isHidden()
    live.desk.jobs.end(job, "done")
    live.window.show_panel("jobs")
    assert dock.isVisible()
    live.window.close()
    with running(qapp, home) as again:
        again.workbench.open_paths([home / "a.hscope"])
        wait(qtbot, lambda: again.desk.session.snapshot is not None)
        assert again.window.dock("jobs").isHidden()
        assert again.window.dock("findings").isVisible()
