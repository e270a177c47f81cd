"""Guided tests of guests over ssh, set up in the window without any session: real sshds."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from app.gui.plan_files import PlanFiles
from connections.fingerprints import HOST_KEY
from connections.known_hosts import KnownHosts
from tests.app.typed import shorten
from tests.gui.test_connecting import click, shown
from tests.gui.windows import child_of, wait
from tests.wizards.recorded_placements import write
from tests.workloads.guests.running import needs_fio
from tests.workloads.guests.separate import Guest, separate_guests
from widgets.connect import TrustDialog
from wizards.flows.confirmation import TYPED
from wizards.pages.check_plan import CheckPlanPage
from wizards.pages.choose import ChoosePage
from wizards.pages.gallery import GalleryView
from wizards.pages.overwrite_dialog import OverwriteDialog

pytestmark = [pytest.mark.slow, pytest.mark.qt_log_ignore("This plugin does not support")]


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Guest]]:
    needs_fio()
    with separate_guests(tmp_path / "guests", 2) as made:
        home = tmp_path / "home"
        (home / ".ssh").mkdir(parents=True, mode=0o700)
        key = home / ".ssh" / "id_ed25519"
        key.write_bytes(Path(made[0].server.user_key).read_bytes())
        key.chmod(0o600)
        monkeypatch.setenv("HOME", str(home))
        yield made


def test_guests_over_ssh_are_named_in_the_window(
    live: Program, qtbot: QtBot, two: list[Guest], tmp_path: Path
) -> None:
    live.workbench.open_paths([write(tmp_path / "old.hscope", {"Perf": ("4H", "4L")})])
    wait(qtbot, lambda: live.desk.session.whole is not None)
    live.window.show_panel("tests")
    gallery = child_of(live.window, GalleryView)
    wait(qtbot, lambda: bool(gallery.cards))
    card = next(one for one in gallery.cards if one.card.id == "io-sweep")
    qtbot.mouseClick(card.button, Qt.MouseButton.LeftButton)
    page = child_of(live.window, ChoosePage)
    wait(qtbot, page.isVisible)
    page.where.setCurrentIndex(page.where.findData("ssh"))
    wait(qtbot, lambda: page.machines is not None)
    assert page.machines is not None
    for one in two:
        qtbot.keyClicks(page.machines.text, one.address)
        qtbot.keyClick(page.machines.text, Qt.Key.Key_Return)
    assert page.machines.enter.text() == "Connect to 2"
    click(qtbot, page.machines.enter)
    seen = set()
    for _guest in two:
        wait(qtbot, lambda: shown(live, qtbot, TrustDialog).windowTitle() not in seen)
        dialog = shown(live, qtbot, TrustDialog)
        assert dialog.windowTitle().startswith("Host key of ")
        seen.add(dialog.windowTitle())
        click(qtbot, dialog.yes)
    wait(qtbot, page.next.isEnabled)
    assert len(page.chosen.workers) == 2
    click(qtbot, page.next)
    checks = child_of(live.window, CheckPlanPage)
    setup = live.desk.tests.setup
    wait(qtbot, lambda: bool(checks.checks.rows) and not setup.is_checking)
    assert not [one.check for one in checks.checks.rows if one.check.state in ("block", "unknown")]
    assert checks.start.isEnabled()


def started_over_ssh(live: Program, qtbot: QtBot, two: list[Guest], tmp_path: Path) -> None:
    """Start a short sweep of two guests, whose disks are typed."""
    for one in two:
        KnownHosts().for_proof(HOST_KEY).remember(
            one.server.address.host, one.server.address.port, f"ssh-ed25519 {one.host_key}"
        )
    plan = tmp_path / "sweep.toml"
    choice = ["--length", "quick", "--set", "depths=1,4", "-o", str(plan)]
    words = ["test", "plan", "io-sweep", *(one.address for one in two), *choice]
    subprocess.run([sys.executable, "-m", "app", *words], check=True, stdin=subprocess.DEVNULL, timeout=120)
    shorten(plan, warm_up=2.0, measure=6.0, settle=1.0)
    PlanFiles(live.desk, live.window).run(plan)
    type_disks(live, qtbot)


def test_a_run_over_ssh_that_was_killed_goes_on_to_its_verdict(
    live: Program, qtbot: QtBot, two: list[Guest], tmp_path: Path
) -> None:
    """Resume asked nobody for the disks that it overwrites, so it was refused."""
    started_over_ssh(live, qtbot, two, tmp_path)
    wait(qtbot, lambda: any(one.is_open for one in live.desk.tests.records.journal))
    wait(qtbot, lambda: sum(one.state == "done" for one in live.desk.tests.records.runs[-1].phases) > 1)
    process = live.workbench.recordings.process
    assert process is not None
    psutil.Process(process.pid).kill()
    wait(qtbot, lambda: live.workbench.recordings.process is None)
    live.desk.recording.act_on_run("resume")
    type_disks(live, qtbot)
    wait(qtbot, lambda: live.workbench.recordings.process is not None)
    wait(qtbot, lambda: live.workbench.recordings.process is None)
    wait(qtbot, lambda: live.desk.tests.records.runs[-1].end is not None)
    (run,) = live.desk.tests.records.runs
    assert {one.state for one in run.phases} == {"done"}
    assert run.verdict
    assert not any(one.is_open for one in live.desk.tests.records.journal)
    assert all(not one.fios() and not one.files() for one in two)


def test_a_guest_that_dies_leaves_a_change_that_is_told_and_put_back(
    live: Program, qtbot: QtBot, two: list[Guest], tmp_path: Path
) -> None:
    """The message was green, and said how many samples there are."""
    started_over_ssh(live, qtbot, two, tmp_path)
    wait(qtbot, lambda: all(one.is_loaded() for one in two))
    two[1].die()
    wait(qtbot, lambda: live.workbench.recordings.process is None)
    offers = [
        one for one in live.window.messages.past if "Restore now" in [each.title for each in one.actions]
    ]
    (said,) = offers
    assert said.level == "critical"
    assert "Folder in the guest of " in said.text
    assert "not put back" in said.text
    assert said.actions[0].title == "Restore now"
    wait(qtbot, lambda: live.window.status.entries[0].link == "tests")
    two[1].restart()
    said.actions[0].run()
    wait(qtbot, lambda: "changes are put back" in live.window.messages.text)
    wait(qtbot, lambda: not any(one.is_open for one in live.desk.tests.records.journal))
    wait(qtbot, lambda: not any(one.link for one in live.window.status.entries))
    assert not any(
        "Restore now" in [each.title for each in one.actions] for one in live.window.messages.shown
    )


def type_disks(program: Program, qtbot: QtBot) -> None:
    """Type the ends of the UUIDs of the disks that are overwritten, and confirm."""
    dialog = shown(program, qtbot, OverwriteDialog)
    for uuid, field in dialog.fields.items():
        qtbot.keyClicks(field, uuid[-TYPED:])
    click(qtbot, dialog.confirm)
