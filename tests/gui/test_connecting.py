"""Connecting to a simulated vCenter from the dialog: certificate, password, profile, and what goes wrong."""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QLabel
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from app.gui.profile_check import address_of, kinds_offered, parsed, refused_login, trouble_of
from app.gui.profiles import Profiles
from app.recording.schemes import SCHEMES
from connections.address import Address
from connections.known_hosts import KnownHosts
from resources.esxtop_records import load_esxtop_records
from resources.source_kinds import load_source_kinds
from tests.esxtop_service.conftest import replies
from tests.esxtop_service.service_files import HOSTS
from tests.gui.windows import child_of, wait
from tests.vcenter.conftest import start_vcenter, vcenter
from tests.vcenter.running import GUEST_PASSWORD, GUEST_USER, PASSWORD, USER, TestVCenter
from widgets.connect import ConnectDialog, PasswordDialog, Place, Profile, TrustDialog, Wanted
from widgets.marks import MarkNote
from widgets.sources import SourceCard, SourceFacts, SourcesView
from widgets.theme import Theme

__all__ = ["replies", "start_vcenter", "vcenter"]

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
Dialog = TypeVar("Dialog", bound=QDialog)
PRESETS = (("troubleshooting", "What problems need"), ("everything", "Everything"))


def click(qtbot: QtBot, button: object) -> None:
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def shown(program: Program, qtbot: QtBot, kind: type[Dialog]) -> Dialog:
    """A dialog that came up."""

    def those() -> list[Dialog]:
        return [one for one in program.window.findChildren(kind) if one.isVisible()]

    wait(qtbot, those)
    return those()[0]


def ask(program: Program, qtbot: QtBot) -> ConnectDialog:
    click(qtbot, program.workbench.start_page.choices["connect"])
    return shown(program, qtbot, ConnectDialog)


def fill(dialog: ConnectDialog, server: TestVCenter, password: str = PASSWORD) -> None:
    row = dialog.rows[0]
    row.host.setText(f"{server.place.host}:{server.place.port}")
    row.user.setText(USER)
    row.password.setText(password)


def trust(program: Program, qtbot: QtBot, server: TestVCenter) -> None:
    dialog = shown(program, qtbot, TrustDialog)
    assert server.thumbprint.replace(":", "") in _figures(dialog)
    click(qtbot, dialog.yes)


def _figures(dialog: QDialog) -> str:
    return "".join(label.text() for label in dialog.findChildren(QLabel)).replace(":", "").replace("\n", "")


def recording(program: Program, qtbot: QtBot) -> None:
    process = program.workbench.recordings.process
    assert process is not None
    wait(qtbot, lambda: process.status.samples > 0 and program.desk.session.snapshot is not None)


def stop(program: Program, qtbot: QtBot) -> None:
    program.window.actions_by_id["record.stop"].trigger()
    wait(qtbot, lambda: program.workbench.recordings.process is None)


def test_an_address_that_is_pasted_whole_fills_its_parts(theme: Theme, qtbot: QtBot) -> None:
    dialog = ConnectDialog(theme, (), PRESETS, Profile(), trouble_of)
    qtbot.addWidget(dialog)
    dialog.rows[0].host.setText("esxi://root@esx01.lab:8443")
    assert dialog.page.kind.id == "esxi"
    assert dialog.rows[0].place == Place("esxi", "esx01.lab:8443", "root")
    dialog.show_kind("vcenter").rows[0].host.setText("https://vc01.lab/ui")
    assert dialog.rows[0].place.host == "vc01.lab"
    dialog.rows[0].host.setText("vcenter://DOMAIN\\anna@vc02.lab")
    assert dialog.rows[0].place == Place("vcenter", "vc02.lab", "DOMAIN\\anna")
    dialog.rows[0].host.setText("esxtop://anna@vc03.lab/esx01.lab,esx02.lab")
    assert dialog.rows[0].place == Place("esxtop", "vc03.lab", "anna", "esx01.lab,esx02.lab")
    dialog.rows[0].host.setText("tools://root@vc04.lab/app01,app02?as=anna@corp.lab")
    assert dialog.rows[0].place == Place("tools", "vc04.lab", "root", "app01,app02", "anna@corp.lab")


def test_of_two_logins_the_refused_one_is_asked_for_again() -> None:
    guests = "tools://root@vc01.lab/app01?as=anna@corp.lab"
    by_guest = "app01 does not let the user in: wrong user name or password. It is the guest's own account."
    assert refused_login(guests, by_guest) == guests
    by_vcenter = "vc01.lab does not let anna@corp.lab in: wrong user name or password."
    assert refused_login(guests, by_vcenter) == "vcenter://anna@corp.lab@vc01.lab"
    assert refused_login("esxtop://anna@vc01.lab/esx01", by_vcenter) == "esxtop://anna@vc01.lab/esx01"


def test_a_page_is_made_when_it_is_first_shown(theme: Theme, qtbot: QtBot) -> None:
    """Made all at once they held the window up for a second on a busy machine."""
    dialog = ConnectDialog(theme, (), PRESETS, Profile(), trouble_of)
    qtbot.addWidget(dialog)
    assert [one.kind.id for one in dialog.pages] == ["vcenter"]
    dialog.show_kind("ssh").every.setValue(7)
    assert dialog.show_kind("guest").every.value() == 7
    assert [one.kind.id for one in dialog.pages] == ["vcenter", "ssh", "guest"]
    dialog.show()
    dialog.kinds.setFocus()
    for field in ("host", "user", "password"):
        qtbot.keyClick(dialog.focusWidget(), Qt.Key.Key_Tab)
        assert dialog.focusWidget() is getattr(dialog.rows[0], field), "Tab goes through the page next"


def test_tab_goes_through_a_second_server_field_by_field(theme: Theme, qtbot: QtBot) -> None:
    """It left out user and password: what was typed there went nowhere."""
    dialog = ConnectDialog(theme, (), PRESETS, Profile(), trouble_of)
    qtbot.addWidget(dialog)
    dialog.show()
    click(qtbot, dialog.add)
    one, two = dialog.rows
    wait(qtbot, two.host.isVisible)
    one.host.setFocus()
    second = (two.host, two.user, two.password, two.remove)
    for field in (one.user, one.password, one.remove, *second, dialog.add):
        qtbot.keyClick(dialog.focusWidget(), Qt.Key.Key_Tab)
        assert dialog.focusWidget() is field


def test_what_is_wrong_is_said_in_the_dialog(theme: Theme, qtbot: QtBot) -> None:
    dialog = ConnectDialog(theme, (), PRESETS, Profile(), trouble_of)
    qtbot.addWidget(dialog)
    said: list[Wanted] = []
    dialog.wanted.connect(said.append)
    dialog.show()
    click(qtbot, dialog.connect_button)
    assert "address is missing" in dialog.rows[0].trouble.text()
    dialog.rows[0].host.setText("vc01.lab")
    assert not dialog.rows[0].trouble.isVisible()
    dialog.counters.select.setText("vm:SQL*, nonsense")
    click(qtbot, dialog.connect_button)
    assert "'nonsense'" in dialog.trouble.text()
    dialog.counters.select.setText("vm:SQL*, host:esx0*")
    click(qtbot, dialog.add)
    dialog.rows[1].host.setText("vc01.lab")
    click(qtbot, dialog.connect_button)
    assert "twice" in dialog.rows[1].trouble.text()
    click(qtbot, dialog.rows[1].remove)
    dialog.rows[0].password.setText("geheim")
    click(qtbot, dialog.connect_button)
    [wanted] = said
    assert wanted.profile.select == ("vm:SQL*", "host:esx0*")
    assert wanted.passwords == {0: "geheim"}
    assert "geheim" not in repr(wanted)
    assert dialog.rows[0].password.text() == ""


def test_each_kind_says_what_it_gives_needs_and_costs(theme: Theme, qtbot: QtBot) -> None:
    """By the keyboard alone: down the list, and each page says it; nothing there is chosen by looking."""
    dialog = ConnectDialog(theme, (), PRESETS, Profile(), trouble_of, scenarios=(("demo", "Demo"),))
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.kinds.setFocus()
    for kind in load_source_kinds():
        assert dialog.page.kind == kind
        texts = {label.text() for label in dialog.page.findChildren(QLabel) if label.isVisible()}
        assert {kind.title, kind.gives, kind.needs, kind.costs} <= texts
        qtbot.keyClick(dialog.kinds, Qt.Key.Key_Down)
    dialog.show_kind("vcenter").rows[0].host.setText("vc01.lab")
    dialog.rows[0].user.setText("anna")
    row = dialog.show_kind("esxtop").rows[0]
    assert (row.host.text(), row.user.text()) == ("vc01.lab", "anna")  # offered: mostly it is that one
    assert [place.kind for place in dialog.profile.places] == ["vcenter"]
    qtbot.keyClicks(row.path, "esx01.lab, esx0*")
    dialog.page.every.setValue(1)
    assert dialog.profile.places[1] == Place("esxtop", "vc01.lab", "anna", "esx01.lab,esx0*")
    assert dialog.profile.interval_s == 2.0  # the service's own least
    guests = dialog.show_kind("tools").rows[0]
    assert (guests.host.text(), guests.account.text(), guests.user.text()) == ("vc01.lab", "anna", "")
    qtbot.keyClicks(guests.path, "SQL 1, 50% off?")
    place = dialog.profile.places[2]
    assert place == Place("tools", "vc01.lab", "root", "SQL 1,50% off?", "anna")
    address = parsed(place.address)
    assert isinstance(address, Address)
    assert (address.user, address.path, address.account) == ("root", "SQL 1,50% off?", "anna")
    assert address_of(place.address) == address_of("tools://root@vc01.lab"), "one password for all its guests"
    guests.path.clear()
    dialog.show_kind("lab").rows[0].scenario.setCurrentIndex(1)
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    assert "a time of its own" in dialog.rows[0].trouble.text()
    dialog.rows[0].scenario.setCurrentIndex(0)
    said: list[Wanted] = []
    dialog.wanted.connect(said.append)
    asked: list[bool] = []
    dialog.help_wanted.connect(lambda: asked.append(True))
    dialog.activateWindow()
    qtbot.keyClick(dialog, Qt.Key.Key_F1)
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    assert [one.label for one in said[0].profile.places] == ["vc01.lab", "esx01.lab,esx0*"]
    assert asked == [True]


def test_the_window_and_the_help_stay_usable_beside_it(live: Program, qtbot: QtBot) -> None:
    """A modal dialog would block the help that its F1 opens; another one takes its place."""
    assert not ask(live, qtbot).isModal()
    again = ask(live, qtbot)
    assert [one for one in live.window.findChildren(ConnectDialog) if one.isVisible()] == [again]
    qtbot.keyClick(again, Qt.Key.Key_Escape)
    assert not again.isVisible()


def test_the_intervals_are_those_of_the_collectors() -> None:
    kinds = {kind.id: kind for kind in load_source_kinds()}
    service = load_esxtop_records().polling
    assert (kinds["esxtop"].usual_s, kinds["esxtop"].least_s) == (service.usual_s, service.least_s)
    offered = [kind.id for kind in kinds_offered()]
    assert offered == [kind for kind in kinds if kind in {row.prefix.partition(":")[0] for row in SCHEMES}]
    assert "lab" not in [kind.id for kind in kinds_offered(adds=True)]


@pytest.mark.slow
def test_a_vcenter_and_the_esxtop_of_its_hosts_in_one_recording(
    live: Program, qtbot: QtBot, start_vcenter: Callable[..., TestVCenter], replies: Path
) -> None:
    """The password is typed once; a second host is added while it runs, from the menu Record, and a guest
    through VMware Tools, whose own password is typed there.
    """
    server = start_vcenter(
        hosts=2, vms=2, interval=1, history=30, rollup=10, rollup_days=0, esxtop=replies, esxtop_interval=2
    )
    KnownHosts().remember(server.place.host, server.place.port, server.thumbprint)
    dialog = ask(live, qtbot)
    fill(dialog, server)
    dialog.show_kind("esxtop").rows[0].path.setText(HOSTS[0])
    dialog.page.every.setValue(2)
    click(qtbot, dialog.connect_button)
    wait(qtbot, lambda: live.workbench.recordings.process is not None)
    recording(live, qtbot)

    def watched() -> dict[str, float | None]:
        process = live.workbench.recordings.process
        sources = process.status.sources if process is not None else ()
        return {one.name: one.interval_s for one in sources if one.kind == "esxtop" and one.received}

    wait(qtbot, lambda: watched() == {HOSTS[0]: 2.0})
    live.window.actions_by_id["record.add"].trigger()
    more = shown(live, qtbot, ConnectDialog)
    assert more.windowTitle() == "Add to the recording"
    row = more.show_kind("esxtop").rows[0]
    row.path.setText(HOSTS[1])
    row.host.setText(f"{server.place.host}:{server.place.port}")
    row.user.setText(USER)
    if sys.platform == "linux":  # the guest is this machine
        row = more.show_kind("tools").rows[0]
        row.path.setText("vm-00001")
        row.host.setText(f"{server.place.host}:{server.place.port}")
        row.account.setText(USER)
        row.user.setText(GUEST_USER)
        row.password.setText(GUEST_PASSWORD)
    qtbot.keyClick(more, Qt.Key.Key_Return)
    wait(qtbot, lambda: set(watched()) == set(HOSTS))
    process = live.workbench.recordings.process
    assert process is not None
    if sys.platform == "linux":
        wait(qtbot, lambda: any(one.kind == "guest" and one.received for one in process.status.sources))
    assert not [one for one in live.window.findChildren(PasswordDialog) if one.isVisible()]
    stop(live, qtbot)


def test_profiles_are_kept_without_secrets(tmp_path: Path) -> None:
    profiles = Profiles(tmp_path)
    first = Profile("", (Place("vcenter", "vc01.lab", "anna"),), select=("vm:*",))
    profiles.used(first)
    profiles.used(Profile("Lab", (Place("esxi", "esx01", "root"),), backfill=False))
    assert [one.name for one in profiles.entries()] == ["Lab", "vc01.lab"]
    profiles.used(Profile("vc01.lab", first.places))
    assert [one.name for one in profiles.entries()] == ["vc01.lab", "Lab"]
    assert set(json.loads((tmp_path / "profiles.json").read_text())["profiles"][0]) == {
        "name", "places", "preset", "select", "backfill", "interval_s",
    }  # fmt: skip
    profiles.forget("Lab")
    (tmp_path / "profiles.json").write_text('{"profiles": [{"places": 7}]}')
    assert profiles.entries() == []


def test_connect_trust_record_and_again_in_two_clicks(
    live: Program, qtbot: QtBot, vcenter: TestVCenter
) -> None:
    dialog = ask(live, qtbot)
    fill(dialog, vcenter)
    dialog.name.setText("Test")
    dialog.keep_profile.setChecked(True)
    click(qtbot, dialog.connect_button)
    trust(live, qtbot, vcenter)
    recording(live, qtbot)
    wait(qtbot, lambda: any("on time" in entry.text for entry in live.window.status._entries))
    assert live.desk.scope.scope.follow
    kinds = {ref.kind for ref in live.desk.session.snapshot.entities}  # type: ignore[union-attr]
    assert {"host", "vm", "cluster"} <= kinds
    stop(live, qtbot)
    live.desk.session.close()
    # The second time: the profile is there, the certificate known, the password still in this window.
    again = ask(live, qtbot)
    assert again.list.currentItem().text() == "Test"
    click(qtbot, again.connect_button)
    recording(live, qtbot)
    stop(live, qtbot)


def test_how_far_it_is_and_a_way_out(live: Program, qtbot: QtBot, vcenter: TestVCenter, home: Path) -> None:
    KnownHosts().remember(vcenter.place.host, vcenter.place.port, vcenter.thumbprint)
    vcenter.fault("hang", method="WaitForUpdatesEx", seconds=60)
    dialog = ask(live, qtbot)
    fill(dialog, vcenter)
    click(qtbot, dialog.connect_button)
    card = live.workbench.start_page.progress
    wait(qtbot, lambda: "Reading the inventory" in card.text)
    assert card.isVisible()
    assert f"Connecting to 127.0.0.1:{vcenter.place.port}" in card.text
    assert "Connecting…" in live.window.top.live.text()
    assert "reading the inventory" in live.window.status._entries[0].text
    click(qtbot, card.stop)
    wait(qtbot, lambda: live.workbench.recordings.process is None)
    assert not card.isVisible()
    assert not list((home / "recordings").glob("*.hscope"))


def test_a_wrong_password_is_asked_for_again(live: Program, qtbot: QtBot, vcenter: TestVCenter) -> None:
    dialog = ask(live, qtbot)
    fill(dialog, vcenter, "wrong")
    click(qtbot, dialog.connect_button)
    trust(live, qtbot, vcenter)
    question = shown(live, qtbot, PasswordDialog)
    assert question.trouble.isVisible()
    assert not question.ok.isEnabled()
    question.line.setText(PASSWORD)
    click(qtbot, question.ok)
    wait(qtbot, lambda: live.workbench.recordings.process is not None)
    recording(live, qtbot)
    stop(live, qtbot)


def test_a_password_that_nobody_has_is_asked_for_and_not_given(
    live: Program, qtbot: QtBot, vcenter: TestVCenter, home: Path
) -> None:
    dialog = ask(live, qtbot)
    fill(dialog, vcenter, "")
    click(qtbot, dialog.connect_button)
    trust(live, qtbot, vcenter)
    question = shown(live, qtbot, PasswordDialog)
    question.reject()
    wait(qtbot, lambda: live.workbench.recordings.process is None)
    assert not list((home / "recordings").glob("*.hscope"))
    assert live.desk.session.snapshot is None


def test_an_untrusted_certificate_ends_it(live: Program, qtbot: QtBot, vcenter: TestVCenter) -> None:
    dialog = ask(live, qtbot)
    fill(dialog, vcenter)
    click(qtbot, dialog.connect_button)
    question = shown(live, qtbot, TrustDialog)
    assert question.no.isDefault()
    click(qtbot, question.no)
    wait(qtbot, lambda: live.workbench.recordings.process is None)
    assert "certificate" in live.window.messages.text
    assert "--thumbprint" not in live.window.messages.text  # that is for a terminal


def test_what_was_typed_in_vain_need_not_be_typed_again(live: Program, qtbot: QtBot) -> None:
    dialog = ask(live, qtbot)
    dialog.rows[0].host.setText("vc01.invalid")
    dialog.rows[0].user.setText(USER)
    dialog.rows[0].password.setText(PASSWORD)
    dialog.counters.select.setText("vm:SQL*")
    click(qtbot, dialog.connect_button)
    wait(qtbot, lambda: "vc01.invalid" in live.window.messages.text)
    assert live.window.status._entries == []  # the start page says nothing of what is over
    again = ask(live, qtbot)
    assert again.rows[0].place == Place("vcenter", "vc01.invalid", USER)
    assert again.counters.select.text() == "vm:SQL*"
    assert again.rows[0].password.text() == ""
    assert not again.keep_profile.isChecked()
    again.reject()


def test_a_mark_stands_where_the_servers_clock_is(live: Program, qtbot: QtBot, vcenter: TestVCenter) -> None:
    """Samples have the server's times: a mark of this computer's clock stood an hour from what it told of."""
    vcenter.jump(3600)
    KnownHosts().remember(vcenter.place.host, vcenter.place.port, vcenter.thumbprint)
    dialog = ask(live, qtbot)
    fill(dialog, vcenter)
    click(qtbot, dialog.connect_button)
    wait(qtbot, lambda: live.workbench.recordings.process is not None)
    recording(live, qtbot)
    live.window.actions_by_id["record.mark"].trigger()
    [note] = [one for one in live.window.findChildren(MarkNote) if one.isVisible()]
    qtbot.keyClick(note.line, Qt.Key.Key_Return)
    wait(qtbot, lambda: live.desk.session.snapshot.marks)  # type: ignore[union-attr]
    [mark] = live.desk.session.snapshot.marks  # type: ignore[union-attr]
    assert abs(mark.at / 1000 - vcenter.now()) < 60
    stop(live, qtbot)


def test_a_changed_certificate_shows_both_thumbprints(
    live: Program, qtbot: QtBot, vcenter: TestVCenter
) -> None:
    old = ":".join(["AB"] * 32)
    KnownHosts().remember(vcenter.place.host, vcenter.place.port, old)
    dialog = ask(live, qtbot)
    fill(dialog, vcenter)
    click(qtbot, dialog.connect_button)
    question = shown(live, qtbot, TrustDialog)
    figures = _figures(question)
    assert old.replace(":", "") in figures
    assert vcenter.thumbprint.replace(":", "") in figures
    click(qtbot, question.yes)
    wait(qtbot, lambda: live.workbench.recordings.process is not None)
    recording(live, qtbot)
    assert KnownHosts().remembered(vcenter.place.host, vcenter.place.port) == vcenter.thumbprint
    stop(live, qtbot)


def test_a_certificate_that_changes_while_recording_is_asked_about_and_recording_goes_on(
    live: Program, qtbot: QtBot, start_vcenter: Callable[..., TestVCenter]
) -> None:
    server = start_vcenter(hosts=1, vms=2, interval=1, history=30, rollup=10, rollup_days=0)
    old = server.thumbprint
    KnownHosts().remember(server.place.host, server.place.port, old)
    dialog = ask(live, qtbot)
    fill(dialog, server)
    click(qtbot, dialog.connect_button)
    wait(qtbot, lambda: live.workbench.recordings.process is not None)
    recording(live, qtbot)
    server.stop()
    for file in ("cert.pem", "key.pem"):
        (server.folder / file).unlink()
    server.start()  # with a certificate of its own
    assert server.thumbprint != old

    def changed() -> list[SourceFacts]:
        return [one for one in live.desk.sources.facts if one.certificate]

    wait(qtbot, changed)
    facts = changed()[0]
    assert (facts.health, facts.state) == ("critical", "certificate changed")
    assert "--thumbprint" not in facts.message
    assert "compare the thumbprints" in facts.message
    assert "shows another certificate" in live.window.messages.text
    click(qtbot, live.window.messages.action_button)
    question = shown(live, qtbot, TrustDialog)
    figures = _figures(question)
    assert old.replace(":", "") in figures
    assert server.thumbprint.replace(":", "") in figures
    process = live.workbench.recordings.process
    click(qtbot, question.yes)
    wait(qtbot, lambda: not changed() and _is_recording(live))
    assert live.workbench.recordings.process is process
    assert not any("another certificate" in one.text for one in live.window.messages.shown)
    stop(live, qtbot)


def _is_recording(program: Program) -> bool:
    process = program.workbench.recordings.process
    return process is not None and {one.state for one in process.status.sources} == {"recording"}


def test_who_stops_connecting_is_told_no_error(live: Program, qtbot: QtBot) -> None:
    """To an address that takes the connection and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        place = f"127.0.0.1:{silent.getsockname()[1]}"
        dialog = ask(live, qtbot)
        row = dialog.rows[0]
        row.host.setText(place)
        row.user.setText(USER)
        row.password.setText(PASSWORD)
        click(qtbot, dialog.connect_button)
        wait(qtbot, lambda: live.workbench.recordings.process is not None)
        process = live.workbench.recordings.process
        assert process is not None
        wait(qtbot, lambda: process.state == "recording")
        stop(live, qtbot)
    [said] = live.window.messages.shown
    assert (said.text, said.level) == (f"Connecting to {place} was stopped: nothing is recorded.", "info")
    assert not Path(process.request.session).exists()


def two_of_which_one_refuses(
    live: Program, qtbot: QtBot, start_vcenter: Callable[..., TestVCenter]
) -> tuple[PasswordDialog, list[TestVCenter]]:
    """Record two servers; return the question for the password of the second one, and both."""
    servers = [start_vcenter(hosts=1, vms=2, interval=1, history=30, rollup=10, rollup_days=0) for _ in "ab"]
    for server in servers:
        KnownHosts().remember(server.place.host, server.place.port, server.thumbprint)
    dialog = ask(live, qtbot)
    fill(dialog, servers[0])
    click(qtbot, dialog.add)
    row = dialog.rows[1]
    row.host.setText(f"{servers[1].place.host}:{servers[1].place.port}")
    row.user.setText(USER)
    row.password.setText("wrong")
    click(qtbot, dialog.connect_button)
    question = shown(live, qtbot, PasswordDialog)
    recording(live, qtbot)
    return question, servers


def test_a_question_for_a_password_ends_with_its_recording(
    live: Program, qtbot: QtBot, start_vcenter: Callable[..., TestVCenter]
) -> None:
    """The answer began the recording anew that had been stopped."""
    two_of_which_one_refuses(live, qtbot, start_vcenter)
    stop(live, qtbot)
    wait(qtbot, lambda: not any(one.isVisible() for one in live.window.findChildren(PasswordDialog)))
    assert live.workbench.recordings.process is None


def test_one_of_two_that_refuses_does_not_hold_up_the_other(
    live: Program, qtbot: QtBot, start_vcenter: Callable[..., TestVCenter]
) -> None:
    question, servers = two_of_which_one_refuses(live, qtbot, start_vcenter)
    process = live.workbench.recordings.process
    assert process is not None
    session = process.request.session
    assert str(servers[1].place.port) in question.windowTitle()
    wait(qtbot, lambda: live.window.status._entries[0].state == "critical")
    qtbot.keyClick(question, Qt.Key.Key_Escape)
    wait(qtbot, lambda: not question.isVisible())

    live.window.show_panel("sources")
    sources = child_of(live.window, SourcesView)

    def refused() -> list[SourceCard]:
        return [card for card in sources.cards if card.log_in.isVisible()]

    def give(password: str) -> None:
        wait(qtbot, refused)
        [card] = refused()
        assert card.facts.title == f"127.0.0.1:{servers[1].place.port}"
        click(qtbot, card.log_in)
        question = shown(live, qtbot, PasswordDialog)
        question.line.setText(password)
        click(qtbot, question.ok)
        wait(qtbot, lambda: not question.isVisible())

    give("wrong again")
    again = shown(live, qtbot, PasswordDialog)
    qtbot.keyClick(again, Qt.Key.Key_Escape)
    wait(qtbot, lambda: not again.isVisible())
    give(PASSWORD)

    def both() -> bool:
        names = {one.name for one in process.status.sources if one.state == "recording"}
        return {f"127.0.0.1:{server.place.port}" for server in servers} <= names

    wait(qtbot, both)
    assert live.workbench.recordings.process is process, "the other one was recorded all the time"
    assert process.request.session == session
    assert not refused()
    stop(live, qtbot)
    assert not any("nothing came" in one.text for one in live.window.messages.shown)
