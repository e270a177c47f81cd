"""A host's menu watches it with esxtop while its vCenter is recorded: by mouse; refusals are said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMenu, QTreeView
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from app.gui.watched_hosts import hosts_around, is_watched, watched_host
from connections.address import parse_address
from connections.known_hosts import KnownHosts
from connections.vsphere.address import ESXTOP
from recorder.protocol import SourceReport
from sessions.model import Entity, EntityRef, Fact, SeriesSpec, SourceSpec
from sessions.store import SessionReader, SessionWriter
from tests.esxtop_service.conftest import replies
from tests.esxtop_service.service_files import HOSTS
from tests.gui.test_connecting import ask, click, fill, recording, shown, stop
from tests.gui.windows import child_of, message_button, wait
from tests.vcenter.conftest import start_vcenter
from tests.vcenter.running import USER, TestVCenter
from viewmodels.snapshot import Snapshot, read_snapshot
from widgets.connect import ConnectDialog, Place
from widgets.esxtop import EsxtopModel, EsxtopView
from widgets.inventory import InventoryView
from widgets.inventory.model import REF

__all__ = ["replies", "start_vcenter"]

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
FIRST = EntityRef("host", HOSTS[0])


def session_of_a_vcenter(path: Path) -> Snapshot:
    """Two hosts of vc01, one with a name full of wildcards, a VM on the first, and a device of nobody."""
    odd, vm, device = EntityRef("host", "esx[1]*"), EntityRef("vm", "db"), EntityRef("device", "naa.1")
    with SessionWriter.create(path, title="S", durable=False) as writer:
        writer.add_entities(
            [Entity(FIRST, HOSTS[0]), Entity(odd, "esx[1]*"), Entity(vm, "db"), Entity(device, "d")]
        )
        writer.add_facts([Fact(vm, "host", HOSTS[0], 1)])
        source = writer.add_source(SourceSpec("vcenter", "vc01:8443", 20.0))
        writer.add_series(source, [SeriesSpec(ref, "cpu.ready", "") for ref in (FIRST, odd, vm)])
    with SessionReader.open(path) as reader:
        return read_snapshot(reader, path)


def test_which_hosts_are_meant_and_how_they_are_asked(tmp_path: Path) -> None:
    snapshot = session_of_a_vcenter(tmp_path / "S.hscope")
    vm, odd, device = EntityRef("vm", "db"), EntityRef("host", "esx[1]*"), EntityRef("device", "naa.1")
    assert hosts_around([vm, FIRST, odd, device], snapshot) == [FIRST, odd]
    recorded = ("lab:demo", "vcenter://anna@vc02", "vcenter://anna@vc01:8443")
    found = watched_host(FIRST, snapshot, recorded)
    assert found is not None
    assert (found.name, found.server) == (HOSTS[0], "vc01:8443")
    assert found.address == f"esxtop://anna@vc01:8443/{HOSTS[0]}"
    hostile = watched_host(odd, snapshot, recorded)
    assert hostile is not None
    assert parse_address(hostile.address, (ESXTOP,)).path == "esx[[]1][*]"  # this host, and no other
    assert watched_host(FIRST, snapshot, ("lab:demo", "vcenter://anna@vc02")) is None
    running = SourceReport(name=HOSTS[0].upper(), kind="esxtop", state="reconnecting")
    assert is_watched(found, [running])
    assert not is_watched(found, [SourceReport(name=HOSTS[0], kind="esxtop", state="ended")])
    assert not is_watched(found, [SourceReport(name=HOSTS[0], kind="vcenter", state="recording")])


def connect(live: Program, qtbot: QtBot, server: TestVCenter) -> None:
    KnownHosts().remember(server.place.host, server.place.port, server.thumbprint)
    dialog = ask(live, qtbot)
    fill(dialog, server)
    click(qtbot, dialog.connect_button)
    wait(qtbot, lambda: live.workbench.recordings.process is not None)
    recording(live, qtbot)


def open_menu(live: Program, qtbot: QtBot, ref: EntityRef) -> QMenu:
    """The menu of an entity in the inventory, opened by a right click."""
    tree = child_of(live.window, InventoryView).findChild(QTreeView)
    assert tree is not None
    wait(qtbot, lambda: _index(tree, ref).isValid())
    index = _index(tree, ref)
    tree.scrollTo(index)
    at = tree.visualRect(index).center()
    qtbot.mouseMove(tree.viewport(), at)
    QApplication.sendEvent(
        tree.viewport(),
        QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, tree.viewport().mapToGlobal(at)),
    )
    wait(qtbot, lambda: QApplication.activePopupWidget() is not None)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


def open_menu_with(live: Program, qtbot: QtBot, ref: EntityRef, entry: str) -> QMenu:
    """Open the menu of an entity, and open it again as long as it has no such entry: the tree may just have
    been filled anew, with another row under the mouse.
    """
    opened: list[QMenu] = []

    def has_entry() -> bool:
        if opened:
            opened.pop().close()
        opened.append(open_menu(live, qtbot, ref))
        return entry in texts(opened[0])

    wait(qtbot, has_entry)
    return opened[0]


def _index(tree: QTreeView, ref: EntityRef) -> QModelIndex:
    """The row of an entity, whatever is folded around it."""
    tree.expandAll()
    index = tree.model().index(0, 0)
    while index.isValid() and index.data(REF) != ref:
        index = tree.indexBelow(index)
    return index


def texts(menu: QMenu) -> list[str]:
    return [action.text() for action in menu.actions()]


def choose(qtbot: QtBot, menu: QMenu, text: str) -> None:
    """Click an entry of the menu with the mouse."""
    [action] = [one for one in menu.actions() if one.text() == text]
    qtbot.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(action).center())


def esxtop_sources(live: Program) -> list[SourceReport]:
    process = live.workbench.recordings.process
    return [one for one in process.status.sources if one.kind == "esxtop"] if process is not None else []


@pytest.mark.slow
def test_a_host_is_watched_and_left_again(
    live: Program, qtbot: QtBot, start_vcenter: Callable[..., TestVCenter], replies: Path
) -> None:
    server = start_vcenter(
        hosts=2, vms=2, interval=1, history=30, rollup=10, rollup_days=0, esxtop=replies, esxtop_interval=2
    )
    connect(live, qtbot, server)
    choose(qtbot, open_menu(live, qtbot, FIRST), f"Watch {HOSTS[0]} with esxtop")
    wait(qtbot, lambda: f"{HOSTS[0]} is watched with esxtop every 5 s" in live.window.messages.text)
    click(qtbot, message_button(live.window.messages))
    assert live.window.pages.currentWidget().objectName() == "panel-esxtop"
    assert [one.name for one in esxtop_sources(live)] == [HOSTS[0]]
    wait(qtbot, lambda: {s.spec.kind for s in live.desk.session.whole.sources} >= {"vcenter", "esxtop"})  # type: ignore[union-attr]
    menu = open_menu(live, qtbot, FIRST)
    assert f"Watch {HOSTS[0]} with esxtop" not in texts(menu)
    choose(qtbot, menu, f"Stop watching {HOSTS[0]} with esxtop")
    wait(qtbot, lambda: [one.state for one in esxtop_sources(live)] == ["ended"])
    assert server.stats()["requests"][f"FreeStats:{HOSTS[0]}"] == 1
    menu = open_menu(live, qtbot, FIRST)
    assert f"Watch {HOSTS[0]} with esxtop" in texts(menu)
    menu.close()
    process = live.workbench.recordings.process
    assert process is not None
    assert process.state == "recording"
    stop(live, qtbot)


@pytest.mark.slow
def test_a_missing_privilege_is_said_with_the_way_that_is_left(
    live: Program, qtbot: QtBot, start_vcenter: Callable[..., TestVCenter], replies: Path
) -> None:
    server = start_vcenter(
        hosts=2, vms=2, interval=1, history=30, rollup=10, rollup_days=0, esxtop=replies, esxtop_interval=2,
        deny=f"{USER}=Global.ServiceManagers",
    )  # fmt: skip
    connect(live, qtbot, server)
    choose(qtbot, open_menu(live, qtbot, FIRST), f"Watch {HOSTS[0]} with esxtop")
    wait(qtbot, lambda: "may not use the esxtop service" in live.window.messages.text)
    button = message_button(live.window.messages)
    assert button.text() == "Over ssh…"
    click(qtbot, button)
    dialog = shown(live, qtbot, ConnectDialog)
    assert dialog.rows[0].place == Place("ssh", HOSTS[0], "root")
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    menu = open_menu(live, qtbot, FIRST)
    assert f"Watch {HOSTS[0]} with esxtop" in texts(menu)
    menu.close()
    process = live.workbench.recordings.process
    assert process is not None
    assert process.state == "recording"
    stop(live, qtbot)


@pytest.mark.slow
def test_two_hosts_are_watched_beside_each_other(
    live: Program, qtbot: QtBot, start_vcenter: Callable[..., TestVCenter], replies: Path
) -> None:
    """Rows of both hosts stand in the esxtop page, and all of them move at esxtop's pace."""
    server = start_vcenter(
        hosts=2, vms=2, interval=1, history=30, rollup=10, rollup_days=0, esxtop=replies, esxtop_interval=2
    )
    connect(live, qtbot, server)
    for name in HOSTS[:2]:
        entry = f"Watch {name} with esxtop"
        choose(qtbot, open_menu_with(live, qtbot, EntityRef("host", name), entry), entry)
        wait(qtbot, lambda name=name: f"{name} is watched with esxtop" in live.window.messages.text)  # type: ignore[misc]
    live.window.show_panel("esxtop")
    view, model = child_of(live.window, EsxtopView), child_of(live.window, EsxtopModel)
    qtbot.keyClick(view.table, Qt.Key.Key_P)
    short = {name.partition(".")[0] for name in HOSTS[:2]}

    def have_both_numbers() -> bool:
        shown_now = shown_by_host(model)
        return shown_now.keys() == short and all(set(one) - {"", "–"} for one in shown_now.values())

    wait(qtbot, have_both_numbers)
    first = shown_by_host(model)

    def have_both_moved() -> bool:
        now = shown_by_host(model)
        return all(now.get(name) not in (None, numbers) for name, numbers in first.items())

    wait(qtbot, have_both_moved)
    stop(live, qtbot)


def shown_by_host(model: EsxtopModel) -> dict[str, list[str]]:
    """What the esxtop page has in the rows of each host, by the name that it gives the host."""
    found: dict[str, list[str]] = {}
    for row in range(model.rowCount()):
        cells = [str(model.index(row, column).data()) for column in range(model.columnCount())]
        found.setdefault(cells[1], []).extend(cells[EsxtopModel.FIXED :])
    return found
