"""Guided tests of a vCenter and of guests over ssh, set up and run in the window, on the test vCenter."""

from __future__ import annotations

from collections.abc import Iterator

import psutil
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from sessions.findings import Finding
from sessions.store import SessionReader
from tests.gui.test_connecting import ask, click, fill, recording, shown, stop, trust
from tests.gui.windows import child_of, message_button, wait
from tests.vcenter.conftest import start_vcenter
from tests.vcenter.load_site import needs_own_systems
from tests.vcenter.running import GUEST_PASSWORD, GUEST_USER, TestVCenter
from widgets.connect import PasswordDialog
from widgets.findings import FindingsView
from wizards.pages.check_plan import CheckPlanPage
from wizards.pages.choose import ChoosePage
from wizards.pages.gallery import GalleryView
from wizards.pages.guests_choice import VmsChoice
from wizards.pages.overwrite_dialog import OverwriteDialog
from wizards.pages.result_page import ResultPage
from wizards.pages.run_page import RunPage

__all__ = ["start_vcenter"]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.qt_log_ignore("This plugin does not support"),
]


@pytest.fixture
def server(start_vcenter: type[TestVCenter]) -> TestVCenter:
    needs_own_systems()
    return start_vcenter(
        hosts=2, vms=4, interval=1, history=60, rollup_days=0, guest_machines=True, disk_uuids=True
    )


@pytest.fixture
def connected(live: Program, qtbot: QtBot, server: TestVCenter) -> Iterator[Program]:
    """A window that records the test vCenter."""
    dialog = ask(live, qtbot)
    fill(dialog, server)
    click(qtbot, dialog.connect_button)
    trust(live, qtbot, server)
    recording(live, qtbot)
    yield live
    if live.workbench.recordings.process is not None:
        stop(live, qtbot)


def tick(qtbot: QtBot, vms: VmsChoice, name: str) -> None:
    """Click into the check box of a VM."""
    table = vms.table
    model = table.model()
    index = next(model.index(row, 0) for row in range(model.rowCount()) if model.index(row, 0).data() == name)
    option = QStyleOptionViewItem()
    option.rect = table.visualRect(index)
    option.features |= QStyleOptionViewItem.ViewItemFeature.HasCheckIndicator
    box = table.style().subElementRect(QStyle.SubElement.SE_ItemViewItemCheckIndicator, option, table)
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=box.center())


def set_up(program: Program, qtbot: QtBot, test: str) -> ChoosePage:
    program.window.show_panel("tests")
    gallery = child_of(program.window, GalleryView)
    wait(qtbot, lambda: bool(gallery.cards))
    card = next(one for one in gallery.cards if one.card.id == test)
    assert (card.card.readiness, card.button.text()) == ("ready", "Set up…")
    click(qtbot, card.button)
    page = child_of(program.window, ChoosePage)
    wait(qtbot, lambda: page.vms is not None and page.vms.table.model().rowCount() > 0)
    return page


def log_in(program: Program, qtbot: QtBot, page: ChoosePage, password: str = GUEST_PASSWORD) -> None:
    assert page.vms is not None
    page.vms.user.setText(GUEST_USER)
    click(qtbot, page.vms.enter)
    dialog = shown(program, qtbot, PasswordDialog)
    assert "guests of" in dialog.windowTitle()
    dialog.line.setText(password)
    click(qtbot, dialog.ok)


def names(page: ChoosePage) -> list[str]:
    assert page.vms is not None
    model = page.vms.table.model()
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def started(connected: Program, qtbot: QtBot) -> RunPage:
    """Set a sweep of one VM up, and start it."""
    page = set_up(connected, qtbot, "io-sweep")
    assert page.vms is not None
    assert not page.next.isEnabled()
    assert "Tick the VMs" in page.problem.text()
    first, _second, *_others = sorted(names(page))
    tick(qtbot, page.vms, first)
    assert page.vms.ticked == (first,)
    log_in(connected, qtbot, page)
    wait(qtbot, page.next.isEnabled)
    assert page.chosen.workers == (first,)
    setup = connected.desk.tests.setup
    assert setup.now is not None
    assert setup.now.plan is not None
    assert setup.now.plan.guest_user == GUEST_USER
    click(qtbot, page.next)
    checks = child_of(connected.window, CheckPlanPage)
    wait(qtbot, lambda: bool(checks.checks.rows) and not setup.is_checking)
    blocks = [one.check for one in checks.checks.rows if one.check.state in ("block", "unknown")]
    assert not blocks, blocks
    assert checks.start.isEnabled(), checks.reason.text()
    click(qtbot, checks.start)
    typed = shown(connected, qtbot, OverwriteDialog)
    store = next(one.name for one in setup.now.plan.objects if one.kind == "Datastore")
    qtbot.keyClicks(typed.phrase, store)
    click(qtbot, typed.confirm)
    assert "records already" in connected.window.messages.text
    click(qtbot, message_button(connected.window.messages))
    run = child_of(connected.window, RunPage)
    wait(qtbot, lambda: run.isVisible() and run.head.stop.isVisible())
    return run


def test_a_test_of_a_vcenter_is_set_up_and_run_in_the_window(connected: Program, qtbot: QtBot) -> None:
    run = started(connected, qtbot)
    click(qtbot, run.head.stop)
    result = child_of(connected.window, ResultPage)
    wait(qtbot, lambda: result.isVisible() and connected.workbench.recordings.process is None)
    path = connected.desk.session.path
    assert path is not None
    with SessionReader.open(path) as reader:
        assert reader.journal()
        assert not any(one.is_open for one in reader.journal())
        assert reader.test_runs()[-1].test == "io-sweep"
    assert GUEST_PASSWORD.encode() not in path.read_bytes()


def test_a_run_on_a_vcenter_that_was_cut_off_is_put_back(connected: Program, qtbot: QtBot) -> None:
    """No keyring has the passwords: the process that restores asks the window for them."""
    started(connected, qtbot)
    wait(qtbot, lambda: any(one.is_open for one in connected.desk.tests.records.journal))
    process = connected.workbench.recordings.process
    assert process is not None
    psutil.Process(process.pid).kill()
    result = child_of(connected.window, ResultPage)
    wait(qtbot, lambda: result.isVisible() and connected.workbench.recordings.process is None)
    connected.desk.recording.act_on_run("restore")
    wait(qtbot, lambda: "changes are put back." in connected.window.messages.text)
    wait(qtbot, lambda: not any(one.is_open for one in connected.desk.tests.records.journal))


def test_a_wrong_password_of_the_guests_can_be_given_anew(connected: Program, qtbot: QtBot) -> None:
    page = set_up(connected, qtbot, "io-sweep")
    assert page.vms is not None
    first = min(names(page))
    tick(qtbot, page.vms, first)
    log_in(connected, qtbot, page, "wrong")
    wait(qtbot, lambda: first in page.problem.text())
    assert not page.next.isEnabled()
    assert page.problem.text().count(first) == 1, "its name stands there once"
    click(qtbot, page.vms.again)
    shown(connected, qtbot, PasswordDialog).reject()
    wait(qtbot, lambda: page.problem.text() == "No password was given, so nothing was done. Try again.")
    click(qtbot, page.vms.enter)
    dialog = shown(connected, qtbot, PasswordDialog)
    dialog.line.setText(GUEST_PASSWORD)
    click(qtbot, dialog.ok)
    wait(qtbot, page.next.isEnabled)


def test_a_finding_leads_to_a_test_of_its_object(connected: Program, qtbot: QtBot) -> None:
    snapshot = connected.desk.session.whole
    assert snapshot is not None
    vm = next(one for one in snapshot.entities.values() if one.ref.kind == "vm")
    finding = Finding("storage.device_latency", "Slow", "critical", vm.ref, vm.name, (), 1.0, "", (), (), ())
    panel = child_of(connected.window, FindingsView)
    assert ("io-sweep", "I/O sweep") in panel.menu.tests(finding)
    panel.menu.test_wanted.emit("io-sweep", finding)
    page = child_of(connected.window, ChoosePage)
    wait(qtbot, lambda: page.vms is not None and bool(page.vms.ticked))
    assert page.isVisible()
    assert page.vms is not None
    assert page.vms.ticked == (vm.name,)
    log_in(connected, qtbot, page)
    wait(qtbot, page.next.isEnabled)
    assert page.chosen.workers == (vm.name,)


def test_another_place_can_be_chosen(connected: Program, qtbot: QtBot) -> None:
    page = set_up(connected, qtbot, "io-sweep")
    reaches = [page.where.itemData(n) for n in range(page.where.count())]
    assert reaches == ["vcenter", "ssh", "lab"]
    page.where.setCurrentIndex(1)
    wait(qtbot, lambda: page.machines is not None)
    assert page.machines is not None
    assert not page.machines.enter.isEnabled()
    assert "one address a line" in page.problem.text()
    page.where.setCurrentIndex(page.where.findData("lab"))
    wait(qtbot, page.next.isEnabled)
    assert page.chosen.workers
