"""The test vCenter's guests run real programs, as VMware Tools' documents say."""

from __future__ import annotations

import contextlib
import http.client
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from pyVmomi import vim, vmodl

from tests.vcenter.guest_peer import Auth, GuestPeer
from tests.vcenter.peers import Peer
from tests.vcenter.running import GUEST_PASSWORD, GUEST_USER, TestVCenter

Login = Callable[..., Peer]
pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="the guests of the test vCenter need /bin/bash"
)


@pytest.fixture
def guest(vcenter: TestVCenter, login: Login) -> GuestPeer:
    peer = login(vcenter)
    return GuestPeer(peer, peer.all(vim.VirtualMachine)["vm-00001"])


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with contextlib.suppress(OSError):  # a process that nobody has waited for lives no more
        return "Z" not in Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    return True


def _gone(*pids: int, within: float = 10.0) -> bool:
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        if not any(map(_lives, pids)):
            return True
        time.sleep(0.02)
    return False


def test_credentials_are_checked(guest: GuestPeer) -> None:
    guest.accounts.ValidateCredentialsInGuest(guest.vm, guest.auth)
    for user, password in ((GUEST_USER, "wrong"), ("root", GUEST_PASSWORD)):
        wrong = Auth(username=user, password=password, interactiveSession=False)
        for call in (
            lambda auth=wrong: guest.accounts.ValidateCredentialsInGuest(guest.vm, auth),
            lambda auth=wrong: guest.programs.ListProcessesInGuest(guest.vm, auth, []),
            lambda auth=wrong: guest.files.DeleteFileInGuest(guest.vm, auth, "/x"),
        ):
            with pytest.raises(vim.fault.InvalidGuestLogin, match="Failed to authenticate"):
                call()
    on_console = Auth(username=GUEST_USER, password=GUEST_PASSWORD, interactiveSession=True)
    with pytest.raises(vim.fault.GuestOperationsUnavailable):
        guest.accounts.ValidateCredentialsInGuest(guest.vm, on_console)


def test_a_program_runs_by_the_shell_and_leaves_its_exit_code(guest: GuestPeer) -> None:
    folder = guest.folder()
    pid = guest.start("-c 'echo \"a  b\"; exit 3' > out 2>&1", folder=folder)
    ended = guest.end(pid)
    assert (ended.exitCode, ended.name, ended.owner, ended.pid) == (3, "sh", GUEST_USER, pid)
    assert ended.cmdLine == "/bin/sh -c 'echo \"a  b\"; exit 3' > out 2>&1"
    assert ended.endTime >= ended.startTime
    assert guest.get(f"{folder}/out") == b"a  b\n"
    assert guest.run("-c 'exit 0'") == 0


def test_the_shell_expands_what_is_not_quoted(guest: GuestPeer) -> None:
    folder = guest.folder()
    guest.run("$((6 * 7)) '$HOME' > out", program="/bin/echo", folder=folder)
    assert guest.get(f"{folder}/out") == b"42 $HOME\n"


def test_the_environment_is_the_users_or_what_is_given_alone(guest: GuestPeer) -> None:
    folder = guest.folder()
    guest.run("> out", program="/usr/bin/env", folder=folder)
    usual = dict(line.split("=", 1) for line in guest.get(f"{folder}/out").decode().splitlines())
    assert {"PATH", "HOME", "TMPDIR", "USER"} <= set(usual)
    assert usual["USER"] == GUEST_USER
    assert folder.startswith(usual["TMPDIR"])
    guest.run("> out", program="/usr/bin/env", folder=folder, variables=["ONE=1", "TWO=a b"])
    given = dict(line.split("=", 1) for line in guest.get(f"{folder}/out").decode().splitlines())
    assert (given["ONE"], given["TWO"]) == ("1", "a b")
    assert not {"HOME", "TMPDIR", "USER"} & set(given)
    read = guest.programs.ReadEnvironmentVariableInGuest(guest.vm, guest.auth, ["HOME"])
    assert read == [f"HOME={usual['HOME']}"]


def test_without_a_folder_it_runs_at_home(guest: GuestPeer) -> None:
    folder = guest.folder()
    guest.run(f"> {folder}/out", program="/bin/pwd")
    [home] = guest.programs.ReadEnvironmentVariableInGuest(guest.vm, guest.auth, ["HOME"])
    assert f"HOME={guest.get(f'{folder}/out').decode().strip()}" == home


def test_what_is_not_there_is_not_started(guest: GuestPeer) -> None:
    folder = guest.folder()
    with pytest.raises(vim.fault.FileNotFound) as caught:
        guest.start("", program="/no/such/program")
    assert caught.value.file == "/no/such/program"
    with pytest.raises(vim.fault.FileNotFound):
        guest.start("-c true", folder=f"{folder}/nowhere")
    assert guest.put(f"{folder}/plain", b"#!/bin/sh\n") == 200
    with pytest.raises(vim.fault.GuestPermissionDenied):
        guest.start("", program=f"{folder}/plain")


def test_exit_codes_are_known_for_five_minutes(vcenter: TestVCenter, guest: GuestPeer) -> None:
    pid = guest.start("-c 'exit 7'")
    guest.end(pid)
    vcenter.jump(290)
    assert [one.exitCode for one in guest.processes(pid)] == [7]
    vcenter.jump(20)
    assert guest.processes(pid) == []
    assert guest.processes(999_999_999) == []


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="other processes of a guest are found in /proc")
def test_processes_are_those_of_the_guest(vcenter: TestVCenter, login: Login, guest: GuestPeer) -> None:
    peer = login(vcenter)
    other = GuestPeer(peer, peer.all(vim.VirtualMachine)["vm-00002"])
    folder = guest.folder()
    telling = "echo $! > told && mv told child"  # by rename: a file that is there is whole
    parent = guest.start(f"-c 'setsid sleep 60 & {telling}; wait'", folder=folder)
    while "child" not in guest.names(folder):
        pass
    child = int(guest.get(f"{folder}/child"))
    mine = {one.pid: one.name for one in guest.processes()}
    assert (mine[parent], mine[child]) == ("sh", "sleep")
    assert os.getpid() not in mine
    assert other.processes() == []
    assert other.processes(parent, child) == []
    with pytest.raises(vim.fault.GuestProcessNotFound) as caught:
        other.programs.TerminateProcessInGuest(other.vm, other.auth, parent)
    assert caught.value.pid == parent
    guest.programs.TerminateProcessInGuest(guest.vm, guest.auth, child)
    assert _gone(child)


def test_a_process_is_asked_to_end(guest: GuestPeer) -> None:
    folder = guest.folder()
    pid = guest.start(
        "-c 'trap \"echo asked > out; exit 5\" TERM; : > trapped; while :; do sleep 0.05; done'",
        folder=folder,
    )
    while "trapped" not in guest.names(folder):
        pass
    guest.programs.TerminateProcessInGuest(guest.vm, guest.auth, pid)
    assert guest.end(pid).exitCode == 5
    assert guest.get(f"{folder}/out") == b"asked\n"
    with pytest.raises(vim.fault.GuestProcessNotFound):
        guest.programs.TerminateProcessInGuest(guest.vm, guest.auth, pid)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="what left its group is found in /proc")
def test_nothing_runs_on_when_the_vm_is_off_or_the_server_gone(
    vcenter: TestVCenter, guest: GuestPeer
) -> None:
    folder = guest.folder()

    def start() -> tuple[int, int]:
        pid = guest.start(
            "-c 'setsid sleep 60 & echo $! > child.new; mv child.new child; wait'", folder=folder
        )
        while "child" not in guest.names(folder):
            pass
        child = int(guest.get(f"{folder}/child"))
        guest.files.DeleteFileInGuest(guest.vm, guest.auth, f"{folder}/child")
        assert _lives(pid)
        assert _lives(child)
        return pid, child

    before = start()
    vcenter.fault("vm_power", vm="vm-00001", on=False)
    assert _gone(*before, within=2)
    with pytest.raises(vim.fault.InvalidPowerState) as caught:
        guest.processes()
    assert caught.value.existingState == "poweredOff"
    vcenter.fault("vm_power", vm="vm-00001", on=True)
    assert guest.names(folder) == [], "its files stay"
    after = start()
    vcenter.stop()
    assert _gone(*after, within=0.1)
    assert not Path(folder).exists()


def test_tools_that_are_busy_away_or_starting(vcenter: TestVCenter, login: Login, guest: GuestPeer) -> None:
    peer = login(vcenter)
    other = GuestPeer(peer, peer.all(vim.VirtualMachine)["vm-00002"])
    pid = guest.start("-c 'exit 4'")
    vcenter.fault("guest_busy", vm="vm-00001", count=2)
    other.processes()
    for _ in range(2):
        with pytest.raises(vmodl.fault.SystemError, match=r"vix error codes = \(3016, 0\)") as busy:
            guest.processes(pid)
        assert busy.value.reason == "vix error codes = (3016, 0).\n"
    assert guest.end(pid).exitCode == 4, "it was only busy"
    vcenter.fault("guest_unavailable", vm="vm-00001", method="StartProgramInGuest", count=1)
    guest.processes()
    with pytest.raises(vim.fault.GuestOperationsUnavailable, match="could not be contacted"):
        guest.start("-c true")
    vcenter.fault("guest_starts", vm="vm-00001", seconds=30)
    vcenter.fault("vm_power", vm="vm-00001", on=False)
    vcenter.fault("vm_power", vm="vm-00001", on=True)
    assert guest.vm.guest.guestOperationsReady
    with pytest.raises(vim.fault.GuestOperationsUnavailable):
        guest.processes()
    vcenter.jump(31)
    assert guest.processes() == []
    vcenter.fault("vm_tools", vm="vm-00001", tools="notRunning")
    assert not guest.vm.guest.guestOperationsReady
    with pytest.raises(vim.fault.GuestOperationsUnavailable):
        guest.processes()


def test_a_call_hangs_for_one_guest_only(vcenter: TestVCenter, login: Login, guest: GuestPeer) -> None:
    peer = login(vcenter)
    other = GuestPeer(peer, peer.all(vim.VirtualMachine)["vm-00002"])
    pid = guest.start("-c 'exit 6'")
    vcenter.fault("hang", method="ListProcessesInGuest", vm="vm-00001", seconds=0.3, count=1)
    assert other.processes() == []
    began = time.monotonic()
    with pytest.raises(http.client.RemoteDisconnected):
        guest.processes(pid)
    assert time.monotonic() - began >= 0.3
    assert guest.end(pid).exitCode == 6


def test_who_lacks_a_privilege_is_told_which(vcenter: TestVCenter, guest: GuestPeer) -> None:
    folder = guest.folder()
    for right, call in (
        ("Query", guest.processes),
        ("Query", lambda: guest.names(folder)),
        ("Execute", lambda: guest.start("-c true")),
        ("Modify", lambda: guest.put(f"{folder}/a", b"")),
    ):
        needed = f"VirtualMachine.GuestOperations.{right}"
        vcenter.fault("deny", privileges=[needed])
        with pytest.raises(vim.fault.NoPermission) as caught:
            call()
        assert (caught.value.privilegeId, caught.value.object) == (needed, guest.vm)
        vcenter.fault("deny", privileges=[])
        call()


def test_a_hundred_programs_at_once(guest: GuestPeer) -> None:
    folder = guest.folder()
    pids = [guest.start(f"-c 'sleep 0.1; exit {n}'", folder=folder) for n in range(100)]
    assert [guest.end(pid).exitCode for pid in pids] == list(range(100))
