"""The sources pane: how each source is doing while a vCenter and a host's esxtop are recorded, and after."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from app.gui.source_labels import live_entries
from app.gui.sources_model import live_facts
from recorder.protocol import AddSource, CollectorReport, SourceReport, StatusReport
from tests.esxtop_service.conftest import replies
from tests.esxtop_service.service_files import HOSTS
from tests.gui.test_connecting import shown, stop
from tests.gui.test_watching import choose, connect, texts
from tests.gui.windows import child_of, wait
from tests.vcenter.conftest import start_vcenter
from tests.vcenter.running import TestVCenter
from widgets.connect import ConnectDialog
from widgets.sources import SourceCard, SourcesView
from widgets.theme import Theme

__all__ = ["replies", "start_vcenter"]

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
VCENTER, ESXTOP, SSH = "vcenter://a@vc01", "esxtop://a@vc01/esx01", "ssh://root@esx02"


def status() -> StatusReport:
    return StatusReport(
        sources=(
            SourceReport("vc01", "vcenter", "recording", 20.0, 40, 1204, 5000, 5000, 4.0, last_ms=1, source=1,
                         collector=VCENTER),
            SourceReport("esx01", "esxtop", "reconnecting", 5.0, 300, 17_431, 1000, 900, 41.0, 2, 1,
                         "esx01 does not answer.", 2, {"collection time": "1.2 s"}, ESXTOP),
        ),
        collectors=(
            CollectorReport(VCENTER),
            CollectorReport(ESXTOP),
            CollectorReport(SSH, is_over=True, code=27, message="Wrong password."),
        ),
    )  # fmt: skip


def test_each_source_says_how_it_is_doing() -> None:
    vcenter, esxtop, ssh = live_facts(status(), can_remove=True)
    assert (vcenter.title, vcenter.kind, vcenter.health, vcenter.state) == (
        "vc01",
        "vCenter",
        "ok",
        "on time",
    )
    assert vcenter.facts == (
        ("Every", "20 s"), ("Newest sample", "4 s old"), ("Samples", "all that were due"), ("Gaps", "none"),
        ("Covers", "40 entities, 1,204 series"),
    )  # fmt: skip
    assert (esxtop.kind, esxtop.health, esxtop.state) == ("esxtop service", "warning", "reconnecting")
    assert dict(esxtop.facts)["Collection time"] == "1.2 s"
    assert dict(esxtop.facts)["Samples"] == "90.0% of what was due, 100 lost"
    assert (esxtop.message, esxtop.address) == ("esx01 does not answer.", ESXTOP)
    assert (ssh.title, ssh.kind, ssh.state, ssh.message) == (
        "esx02", "esxtop over ssh", "failed", "Wrong password.",
    )  # fmt: skip
    assert ssh.address == ""  # it has ended


def test_a_connection_that_has_its_source_is_not_connecting_any_more() -> None:
    """The address of an esxtop service is no name of a source."""
    entries = live_entries(status())
    texts = [entry.text for entry in entries]
    unmade = [entry for entry in entries if not entry.source]
    assert unmade
    assert {entry.link for entry in unmade} == {"sources"}, "a click on it shows why, and what can be done"
    assert texts == [
        "esx02 · failed",
        "esx01 esxtop · 5 s · 17,431 series · reconnecting",
        "vc01 · 20 s · 1,204 series · on time",
    ]  # fmt: skip


def test_the_only_source_can_not_be_taken_out() -> None:
    alone = StatusReport(sources=status().sources[:1], collectors=status().collectors[:1])
    assert [one.address for one in live_facts(alone, can_remove=True)] == [""]
    assert [one.address for one in live_facts(status(), can_remove=False)] == ["", "", ""]


def test_cards_stay_and_the_menu_is_the_cards(theme: Theme, qtbot: QtBot) -> None:
    view = SourcesView(theme)
    qtbot.addWidget(view)
    view.resize(340, 600)
    view.show_sources(live_facts(status(), can_remove=True), can_add=True)
    view.show()
    first = view.cards[0]
    view.show_sources(live_facts(status(), can_remove=True)[:2], can_add=False)
    assert view.cards[0] is first
    assert len(view.cards) == 2
    assert view.add.isHidden()
    said: list[str] = []
    view.removed.connect(said.append)
    menu = menu_of(view, view.cards[1], qtbot)
    assert texts(menu)[:3] == ["Show only esx01", "Show its gaps", "Record esx01 no longer"]
    choose(qtbot, menu, "Record esx01 no longer")
    assert said == [ESXTOP]


def menu_of(view: SourcesView, card: SourceCard, qtbot: QtBot) -> QMenu:
    """The menu of a card, opened by a right click on it, once it has its place."""
    wait(qtbot, lambda: view._card_at(card.mapTo(view, card.rect().center())) is card)
    at = card.mapTo(view, card.rect().center())
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, view.mapToGlobal(at))
    QApplication.sendEvent(view, event)
    wait(qtbot, lambda: QApplication.activePopupWidget() is not None)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


@pytest.mark.slow
def test_a_source_is_taken_out_by_its_card(
    live: Program, qtbot: QtBot, start_vcenter: Callable[..., TestVCenter], replies: Path
) -> None:
    server = start_vcenter(
        hosts=2, vms=2, interval=1, history=30, rollup=10, rollup_days=0, esxtop=replies, esxtop_interval=2
    )
    connect(live, qtbot, server)
    process = live.workbench.recordings.process
    assert process is not None
    process.change_sources(AddSource(f"{server.address.replace('vcenter', 'esxtop', 1)}/{HOSTS[0]}", 2.0))
    live.window.status.panel_clicked.emit("sources")
    view = child_of(live.window, SourcesView)
    wait(qtbot, view.isVisible)
    assert live.window.dock("findings").isHidden()

    def esxtop() -> SourceCard | None:
        return next((card for card in view.cards if card.facts.kind == "esxtop service"), None)

    wait(qtbot, lambda: (card := esxtop()) is not None and "Collection time" in dict(card.facts.facts))
    card = esxtop()
    assert card is not None
    assert (card.facts.title, card.facts.state) == (HOSTS[0], "on time")
    assert dict(card.facts.facts)["Every"] == "2 s"
    choose(qtbot, menu_of(view, card, qtbot), f"Record {HOSTS[0]} no longer")
    wait(qtbot, lambda: card.facts.state == "ended")
    qtbot.keyClick(view.add, Qt.Key.Key_Space)
    dialog = shown(live, qtbot, ConnectDialog)
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
    stop(live, qtbot)
    wait(qtbot, lambda: {one.facts.state for one in view.cards} == {"complete"})
