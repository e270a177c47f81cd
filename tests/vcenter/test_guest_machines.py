"""Guests of the test vCenter that have a system of their own: processes, block devices, /var/tmp."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest
from pyVmomi import vim

from tests.vcenter.guest_peer import GuestPeer
from tests.vcenter.load_site import LoadSite, needs_own_systems, scenario
from tests.vcenter.peers import Peer
from tests.vcenter.running import TestVCenter

Login = Callable[..., Peer]
Disk = vim.vm.device.VirtualDisk
Spec = vim.vm.device.VirtualDeviceSpec


@dataclass(frozen=True)
class Inside:
    """A guest with a folder in which its programs run."""

    peer: Peer
    guest: GuestPeer
    folder: str = "/var/tmp/here"

    def __call__(self, line: str) -> str:
        """What a line of the shell prints."""
        self.guest.run(f"-c '{line}' > out 2>&1", folder=self.folder)
        return self.guest.get(f"{self.folder}/out").decode()

    def disks(self) -> list[str]:
        return self("echo /sys/block/*").split()


@pytest.fixture
def site(start_vcenter: Callable[..., TestVCenter], tmp_path: Path) -> LoadSite:
    needs_own_systems()
    server = start_vcenter(scenario(tmp_path), rollup_days=0, guest_machines=True, disk_uuids=True)
    return LoadSite(server)


def enter(site: LoadSite, login: Login, name: str = "perf-w01") -> Inside:
    peer = login(site.server)
    guest = GuestPeer(peer, peer.all(vim.VirtualMachine)[name])
    guest.files.MakeDirectoryInGuest(guest.vm, guest.auth, "/var/tmp/here", False)
    return Inside(peer, guest)


def disks_of(vm: Any) -> list[Any]:
    return [one for one in vm.config.hardware.device if isinstance(one, Disk)]


def hexadecimal(disk: Any) -> str:
    return str(disk.backing.uuid).replace("-", "").lower()


def test_a_guest_sees_its_own_processes_files_and_disks_only(site: LoadSite, login: Login) -> None:
    one, other = enter(site, login), enter(site, login, "perf-w02")
    sleeper = one.guest.start("300", program="/bin/sleep")
    while "sleep" not in one("cat /proc/[0-9]*/comm"):
        pass  # until it has begun, its process bears its parent's name
    assert "sleep" not in other("cat /proc/[0-9]*/comm")
    assert [process.name for process in one.guest.processes(sleeper)] == ["sleep"]
    one("touch /var/tmp/mine")
    assert "mine" in one.guest.names("/var/tmp")
    assert "mine" not in other.guest.names("/var/tmp")
    assert one.disks() == ["/sys/block/sda", "/sys/block/sdb"]
    system, data = (hexadecimal(disk) for disk in disks_of(one.guest.vm))
    assert one("cat /sys/block/*/device/wwid").split() == [f"naa.{system}", f"naa.{data}"]
    assert one(f"readlink -f /dev/disk/by-id/wwn-0x{data}").strip() == "/dev/sdb"
    assert int(one("cat /sys/class/block/sdb/size")) * 512 == 16 << 20
    one.guest.programs.TerminateProcessInGuest(one.guest.vm, one.guest.auth, sleeper)
    assert one.guest.end(sleeper).exitCode == -1
    assert one.guest.run("-c 'exit 3'") == 3


def test_the_first_disk_has_the_system_and_what_is_written_stays(site: LoadSite, login: Login) -> None:
    inside = enter(site, login)
    assert inside("head -c 512 /dev/sda | tail -c 2 | od -An -tx1").split() == ["55", "aa"]
    assert not inside('head -c 4096 /dev/sdb | tr -d "\\0"')
    inside("echo kept > /dev/sdb; touch /var/tmp/kept")
    sleeper = inside.guest.start("300", program="/bin/sleep")
    site.server.fault("vm_power", vm="perf-w01", on=False)
    site.server.fault("vm_power", vm="perf-w01", on=True)
    assert inside("head -c 4 /dev/sdb") == "kept"
    assert inside.guest.names("/var/tmp") == ["here", "kept"]
    assert inside.guest.processes(sleeper) == []


def test_a_disk_is_found_soon_after_it_was_plugged_in_and_goes_with_its_file(
    site: LoadSite, login: Login
) -> None:
    inside = enter(site, login)
    vm, peer = inside.guest.vm, inside.peer
    backing = Disk.FlatVer2BackingInfo(fileName="", diskMode="persistent")
    disk = Disk(key=-1, controllerKey=1000, unitNumber=5, capacityInKB=8 << 10, backing=backing)
    add = Spec(operation="add", fileOperation="create", device=disk)
    peer.finish(vm.ReconfigVM_Task(vim.vm.ConfigSpec(deviceChange=[add])))
    assert len(inside.disks()) == 2  # the guest's kernel needs a moment
    peer.until(lambda: len(inside.disks()) == 3)
    made = disks_of(vm)[-1]
    assert inside(f"readlink -f /dev/disk/by-id/wwn-0x{hexadecimal(made)}").strip() == "/dev/sdc"
    remove = Spec(operation="remove", fileOperation="destroy", device=made)
    peer.finish(vm.ReconfigVM_Task(vim.vm.ConfigSpec(deviceChange=[remove])))
    assert len(inside.disks()) == 2
    assert hexadecimal(made) not in site.images()[vm._moId]


@pytest.mark.parametrize(
    "change",
    [
        {"extraConfig": [vim.option.OptionValue(key="disk.enableUUID", value="1")]},
        {"flags": vim.vm.FlagInfo(diskUuidEnabled=True)},
    ],
)
def test_a_guest_is_told_uuids_from_the_power_on_after_they_were_enabled(
    start_vcenter: Callable[..., TestVCenter], tmp_path: Path, login: Login, change: dict[str, Any]
) -> None:
    needs_own_systems()
    site = LoadSite(start_vcenter(scenario(tmp_path), rollup_days=0, guest_machines=True))
    inside = enter(site, login)
    vm = inside.guest.vm
    known = "cat /sys/block/*/device/wwid 2>/dev/null; ls /dev/disk/by-id"
    assert not inside(known)
    inside.peer.finish(vm.ReconfigVM_Task(vim.vm.ConfigSpec(**change)))
    assert vm.config.flags.diskUuidEnabled
    assert not inside(known)
    for on in (False, True):
        site.server.fault("vm_power", vm="perf-w01", on=on)
    assert hexadecimal(disks_of(vm)[0]) in inside(known)


def test_a_killed_server_leaves_no_process_no_device_and_no_file(
    start_vcenter: Callable[..., TestVCenter], tmp_path: Path, login: Login
) -> None:
    needs_own_systems()
    site = LoadSite(start_vcenter(scenario(tmp_path), rollup_days=0, guest_machines=True))
    inside = enter(site, login)
    inside.guest.start("-c 'setsid sleep 300 & sleep 300'")
    inside.peer.until(lambda: len([one for one in site.processes() if one.name() == "sleep"]) == 2)
    processes, folder = site.processes(), site.server.folder
    site.server.stop()
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and any(_lives(one) for one in processes):
        time.sleep(0.02)  # the kernel ends them after the warden has told it to
    assert not [one for one in processes if _lives(one)]
    assert not list(folder.glob("testvc-guests-*"))
    while time.monotonic() < deadline and _loops(folder):
        time.sleep(0.02)
    assert not _loops(folder)


def _lives(process: psutil.Process) -> bool:
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


def _loops(folder: Path) -> list[str]:
    names = Path("/sys/block").glob("loop*/loop/backing_file")
    return [text for one in names if str(folder) in (text := one.read_text())]
