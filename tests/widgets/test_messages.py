"""Messages lie over the work area, push nothing, leave by themselves, and stay in the log."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QListWidget, QToolButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from widgets.messages import Message, MessageAction, MessageLog, Messages
from widgets.theme import SYMBOLS, Theme

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


@pytest.fixture
def work(qtbot: QtBot) -> QWidget:
    """A work area with a label that fills it."""
    page = QWidget()
    qtbot.addWidget(page)
    QVBoxLayout(page).addWidget(QLabel("charts"), 1)
    page.resize(700, 400)
    page.show()
    return page


def test_three_at_most_and_errors_last(theme: Theme, work: QWidget) -> None:
    label = work.findChild(QLabel)
    assert label is not None
    before = label.geometry()
    messages = Messages(theme, work)
    messages.notify("It failed.", "critical")
    for number in range(4):
        messages.notify(f"Note {number}.", "info")
    QGuiApplication.processEvents()
    assert [one.text for one in messages.shown] == ["It failed.", "Note 2.", "Note 3."]
    assert [one.text for one in messages.past] == ["It failed.", *(f"Note {n}." for n in range(4))]
    assert label.geometry() == before
    assert work.rect().contains(messages.geometry())
    assert messages.geometry().bottom() > work.height() - 30
    work.resize(420, 300)
    assert work.rect().contains(messages.geometry())


def test_no_row_lies_below_a_message(theme: Theme, work: QWidget, qtbot: QtBot) -> None:
    """The last rows of a list could not be read, nor clicked, while a message was there."""
    column, label, rows = work.layout(), work.findChild(QLabel), QListWidget()
    assert column is not None
    assert label is not None
    label.hide()
    column.addWidget(rows)
    rows.addItems([f"row {number}" for number in range(80)])
    QGuiApplication.processEvents()
    before = rows.geometry()
    messages = Messages(theme, work)
    messages.notify("Saved.", "critical")
    qtbot.waitUntil(lambda: messages.isVisible() and rows.geometry().bottom() < messages.geometry().top())
    assert rows.geometry().topLeft() == before.topLeft(), "the first rows stay where they were"
    rows.scrollToBottom()
    last = rows.visualItemRect(rows.item(79))
    assert rows.viewport().rect().contains(last), "every row can be scrolled to"
    messages.notify("Saved again.", "critical")
    qtbot.waitUntil(lambda: rows.geometry().bottom() < messages.geometry().top())
    messages.clear()
    qtbot.waitUntil(lambda: rows.geometry() == before)
    rows.clear()
    rows.addItem("one row, far from the lower edge")
    messages.notify("Saved.", "critical")
    qtbot.waitUntil(messages.isVisible)
    assert rows.geometry() == before, "nothing moves where no row is"


def test_of_a_flood_only_what_can_be_seen_gets_a_card(theme: Theme, work: QWidget) -> None:
    """A thousand cards take 21 s, in which the window stands still."""
    messages = Messages(theme, work)
    told: list[int] = []
    messages.changed.connect(lambda: told.append(len(messages.past)))
    for number in range(1_000):
        messages.notify(f"Sample {number} is late.", "critical" if number == 500 else "info")
    QGuiApplication.processEvents()
    expected = ["Sample 500 is late.", "Sample 998 is late.", "Sample 999 is late."]
    assert [one.text for one in messages.shown] == expected
    assert [one.text() for one in messages.findChildren(QLabel) if one.wordWrap()] == expected
    assert told == [200]
    assert messages.past[-1].text == "Sample 999 is late."


def test_a_sentence_has_all_its_lines(theme: Theme, work: QWidget) -> None:
    messages = Messages(theme, work)
    messages.notify("A long sentence that needs several lines. " * 8, "warning")
    QGuiApplication.processEvents()
    text = next(one for one in messages.findChildren(QLabel) if one.wordWrap())
    assert text.height() >= text.heightForWidth(text.width())


def test_what_leaves_by_itself(theme: Theme, work: QWidget, qtbot: QtBot) -> None:
    assert Message("x", "critical").shown_ms == 0
    undo = MessageAction("Undo", lambda: None)
    assert 0 < Message("x", "ok").shown_ms < Message("x", "ok", action=undo).shown_ms
    messages = Messages(theme, work)
    messages.notify("It failed.", "critical")
    messages.notify("Saved.", "ok")
    qtbot.waitUntil(lambda: messages.text == "It failed.", timeout=Message("x", "ok").shown_ms + 20_000)


def test_escape_and_the_cross_close_one_after_the_other(theme: Theme, work: QWidget, qtbot: QtBot) -> None:
    messages = Messages(theme, work)
    for text in ("one", "two", "three"):
        messages.notify(text, "critical")
    QGuiApplication.processEvents()
    work.activateWindow()
    qtbot.waitUntil(work.isActiveWindow)
    qtbot.keyClick(work, Qt.Key.Key_Escape)
    assert messages.text == "two"
    crosses = messages.findChildren(QToolButton, "close-message")
    qtbot.mouseClick(next(one for one in crosses if one.isVisible()), Qt.MouseButton.LeftButton)
    assert [one.text for one in messages.shown] == ["two"]
    qtbot.keyClick(work, Qt.Key.Key_Escape)
    assert messages.isHidden()


def test_the_action_runs_once_and_the_message_is_gone(theme: Theme, work: QWidget, qtbot: QtBot) -> None:
    done: list[str] = []
    messages = Messages(theme, work)
    messages.notify("Mark removed.", action=MessageAction("Undo", lambda: done.append("undone")))
    messages.notify("Mark removed.", action=MessageAction("Undo", lambda: done.append("again")))
    assert len(messages.shown) == 1, "the same sentence stands there once"
    button = messages.action_button
    assert button is not None
    assert (button.text(), messages.shown[0].spoken) == ("Undo", "Note: Mark removed. Button: Undo.")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert (done, messages.text) == (["again"], "")


def test_foreign_words_are_text(theme: Theme, work: QWidget) -> None:
    messages = Messages(theme, work)
    messages.notify("<b>\u202eevil</b>\nname", "info")
    QGuiApplication.processEvents()
    text = next(one for one in messages.findChildren(QLabel) if one.wordWrap())
    assert "<b>" in text.text()
    assert "\u202e" not in text.text()


def test_the_log_lists_and_copies_them(work: QWidget, qtbot: QtBot) -> None:
    past = [Message("first", "info", 1_000), Message("second\nline", "critical", 61_000)]
    log = MessageLog(past, lambda t: f"00:{t // 60_000:02.0f}", "UTC", work)
    qtbot.addWidget(log)
    log.show_over(work)
    assert [log.list.item(row).text() for row in range(2)] == [
        f"{SYMBOLS['critical']}  00:01  second line",
        f"{SYMBOLS['info']}  00:00  first",
    ]
    log.copy()
    assert QGuiApplication.clipboard().text() == "00:01  second line\n00:00  first\n"
    log.list.setCurrentRow(1)
    log.copy()
    assert QGuiApplication.clipboard().text() == "00:00  first\n"
    log.close()
