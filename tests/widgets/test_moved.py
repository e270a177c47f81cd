"""The pane of what moved: rows with their reasons, by mouse and keys, and its states."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from sessions.model import EntityRef
from viewmodels.correlation_rows import CorrelationRow, CorrelationView
from viewmodels.text_table import as_csv
from widgets.moved.view import MovedView
from widgets.theme import Theme

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")

BACKUP = CorrelationRow(
    EntityRef("vm", "backup"), "backup-01 (vm)", "makes the load", "Written naa.600",
    "rose 5 s before (±5 s), 8.3× its normal (4.5 MB/s → 37 MB/s), same LUN, 40 % of what the busiest adds",
    "+ 3 more: Commands", 0.9, (7, 8),
)  # fmt: skip
WEB = CorrelationRow(
    EntityRef("vm", "web"), "w" * 80 + " (vm)", "feels it, too", "Device latency", "rose at the same time",
    "", 0.4, (9,),
)  # fmt: skip


def answer(*rows: CorrelationRow, empty: str = "") -> CorrelationView:
    events = tuple(f"{number} min before: vMotion" for number in range(6))
    return CorrelationView(
        "What moved with Device latency of naa.600", "14:09 – 14:39 UTC, compared with the 30 min before.",
        rows, 2, "27 more series of the same entity moved.", ("Written of backup-01: every 5 min for 20 s",),
        events, "13,328 series compared.", empty,
    )  # fmt: skip


@pytest.fixture
def view(qapp: QApplication, qtbot: QtBot) -> MovedView:
    made = MovedView(Theme(qapp, "dark"))
    qtbot.addWidget(made)
    made.resize(372, 600)
    made.show()
    return made


def test_an_answer_says_who_leads_what_they_share_rhythm_and_events(view: MovedView) -> None:
    view.show_answer(answer(BACKUP, WEB))
    said = [view.list.moved.index(row).data() for row in range(2)]
    assert said[0].startswith("1. backup-01 (vm): makes the load. Written naa.600 rose 5 s before (±5 s)")
    assert (
        view._rhythms.text().replace("\N{NO-BREAK SPACE}", " ")
        == "Written of backup-01: every 5 min for 20 s"
    )
    assert view._events.text().replace("\N{NO-BREAK SPACE}", " ").splitlines()[-1] == "• and 2 more events"
    assert view._foot.text().replace("\N{NO-BREAK SPACE}", " ").startswith("2 more entities moved.")
    assert view.list.isVisible()
    assert not view.grab().isNull()


def test_a_low_pane_has_room_for_rows(view: MovedView, qtbot: QtBot) -> None:
    view.show_answer(answer(BACKUP, WEB))
    view.resize(300, 330)
    QApplication.processEvents()
    assert view._below.height() <= 0.2 * view.height()
    assert view._below.verticalScrollBar().maximum() > 0, "what does not fit can be scrolled to"
    view.resize(372, 2000)
    QApplication.processEvents()
    assert view._below.verticalScrollBar().maximum() == 0


def test_rows_open_by_click_and_by_enter(view: MovedView, qtbot: QtBot) -> None:
    view.show_answer(answer(BACKUP, WEB))
    with qtbot.waitSignal(view.list.opened) as clicked:
        place = view.list.visualRect(view.list.moved.index(1)).center()
        qtbot.mouseClick(view.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert clicked.args == [WEB]
    qtbot.keyClick(view.list, Qt.Key.Key_Up)
    with qtbot.waitSignal(view.list.opened) as entered:
        qtbot.keyClick(view.list, Qt.Key.Key_Return)
    assert entered.args == [BACKUP]


def test_a_row_is_as_high_as_its_reason(view: MovedView, qtbot: QtBot) -> None:
    view.show_answer(answer(BACKUP, WEB))
    wide = view.list.visualRect(view.list.moved.index(0)).height()
    assert wide > view.list.visualRect(view.list.moved.index(1)).height()
    view.resize(300, 600)
    qtbot.waitUntil(lambda: view.list.visualRect(view.list.moved.index(0)).height() > wide)


def test_nothing_that_moved_is_an_answer_too(view: MovedView) -> None:
    view.show_answer(answer(empty="Nothing moved with it beyond chance."))
    assert view.empty.reason.text() == "Nothing moved with it beyond chance."
    assert not view.list.isVisible()


def test_a_search_can_be_stopped(view: MovedView, qtbot: QtBot) -> None:
    view.show_progress(0.4)
    with qtbot.waitSignal(view.cancelled):
        view.cancel.click()
    view.show_words("The search was stopped.", "Search again")
    with qtbot.waitSignal(view.again):
        view.empty.button.click()


def test_the_list_leaves_as_a_table(view: MovedView) -> None:
    view.show_answer(answer(BACKUP))
    tester = QAbstractItemModelTester(view.list.moved, QAbstractItemModelTester.FailureReportingMode.Fatal)
    assert tester.model() is view.list.moved
    lines = as_csv(view.list.table()).splitlines()
    assert lines[0] == "rank,entity,part,counter,because,others,score"
    assert lines[1].startswith("1,backup-01 (vm),makes the load,Written naa.600,")


def test_names_that_differ_at_their_end_are_told_apart(view: MovedView) -> None:
    """LUNs of one array begin alike: "Writes naa.600508b40006038600012…" may be any of them."""
    view.resize(300, 400)

    def drawn(device: str) -> bytes:
        view.show_answer(answer(replace(BACKUP, counter=f"Writes {device}", name=f"{device} (device)")))
        view.list.scrollToTop()
        picture = view.list.grab().toImage()
        return bytes(picture.constBits())

    assert drawn("naa.600508b4000603860001287dbba3") != drawn("naa.600508b4000603860001287dbba4")
