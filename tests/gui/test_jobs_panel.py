"""The jobs pane: what runs, how far, how it ended; children beside worker threads."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from app.gui.jobs import Job
from tests.gui.windows import child_of, wait
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
    view.show_jobs([JobRow(1, "Import", "failed", text="No space left."), JobRow(2, "Other", "done")])
    assert view.cards[1] is card
    assert card._status.text() == "Failed · No space left."
    assert not card.bar.isVisible()
    with qtbot.waitSignal(view.cleared):
        qtbot.mouseClick(view.clear, Qt.MouseButton.LeftButton)
    view.show_jobs([])
    assert view._none.isVisible()


def test_jobs_of_threads_and_of_children(live: Program, qtbot: QtBot) -> None:
    jobs, go = live.desk.jobs, threading.Event()
    live.window.show_session(open_=True)
    live.window.show_panel("jobs")
    panel = child_of(live.window, JobsView)

    def work(job: Job) -> None:
        job.progress(0.5, "half")
        go.wait(60)

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
