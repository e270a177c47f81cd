"""The test vCenter's guests have files of their own, and their hosts move them, as the documents say."""

from __future__ import annotations

import os
import ssl
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from pyVmomi import vim, vmodl

from tests.vcenter.guest_peer import GuestPeer, Posix
from tests.vcenter.peers import Peer
from tests.vcenter.running import TestVCenter

Start = Callable[..., TestVCenter]
Login = Callable[..., Peer]
pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="the guests of the test vCenter are as on Unix"
)


@pytest.fixture
def guest(vcenter: TestVCenter, login: Login) -> GuestPeer:
    peer = login(vcenter)
    return GuestPeer(peer, peer.all(vim.VirtualMachine)["vm-00001"])


def test_files_come_back_as_they_went(guest: GuestPeer) -> None:
    folder = guest.folder()
    data = os.urandom(300_000)
    path = f"{folder}/a 'file' & so"
    assert guest.put(path, data) == 200
    assert guest.get(path) == data
    [info] = guest.files.ListFilesInGuest(guest.vm, guest.auth, path, None, None, None).files
    assert (info.size, info.type, info.path) == (len(data), "file", path)
    assert info.attributes.permissions & 0o7777 == 0o644
    with pytest.raises(vim.fault.FileAlreadyExists):
        guest.put(path, b"more")
    assert guest.put(path, b"#!/bin/sh\nexit 9\n", 0o755, overwrite=True) == 200
    assert guest.run("", program=path) == 9


def test_a_transfer_goes_to_a_file_only(guest: GuestPeer) -> None:
    folder = guest.folder()
    guest.run("-s target link", program="/bin/ln", folder=folder)
    with pytest.raises(vim.fault.NotAFile):
        guest.put(folder, b"", overwrite=True)
    with pytest.raises(vmodl.fault.InvalidArgument):
        guest.put(f"{folder}/link", b"", overwrite=True)
    with pytest.raises(vim.fault.NotAFile):
        guest.get(folder)
    with pytest.raises(vim.fault.FileNotFound):
        guest.put(f"{folder}/none/file", b"")
    with pytest.raises(vim.fault.FileNotFound):
        guest.get(f"{folder}/nothing")


def test_an_address_is_the_hosts_and_good_once(vcenter: TestVCenter, guest: GuestPeer) -> None:
    path = f"{guest.folder()}/file"
    guest.put(path, b"content")
    url = guest.files.InitiateFileTransferFromGuest(guest.vm, guest.auth, path).url
    place = urlsplit(url)
    [nic] = guest.vm.runtime.host.config.network.vnic
    assert place.hostname in (nic.spec.ip.ipAddress, "127.0.0.1")
    assert place.path == "/guestFile"
    assert "443" in place.query
    assert guest.exchange("PUT", url, b"x")[0] == 404, "it is no address to put something"
    assert guest.exchange("GET", url) == (200, b"content")
    assert guest.exchange("GET", url)[0] == 404
    for end in (
        lambda: vcenter.jump(601),
        lambda: vcenter.fault("transfers_expire"),
        lambda: vcenter.fault("vm_moved", vm="vm-00001", host="esx0002.lab"),
    ):
        there = guest.vm.runtime.host
        late = guest.files.InitiateFileTransferFromGuest(guest.vm, guest.auth, path).url
        end()
        assert guest.exchange("GET", late, host=there)[0] == 404
    assert guest.get(path) == b"content", "from its new host"


def test_power_off_ends_an_address(vcenter: TestVCenter, guest: GuestPeer) -> None:
    path = f"{guest.folder()}/file"
    url = guest.files.InitiateFileTransferToGuest(guest.vm, guest.auth, path, Posix(), 4, False)
    vcenter.fault("vm_power", vm="vm-00001", on=False)
    vcenter.fault("vm_power", vm="vm-00001", on=True)
    assert guest.exchange("PUT", url, b"data")[0] == 404


def test_each_host_has_its_certificate(vcenter: TestVCenter, login: Login, guest: GuestPeer) -> None:
    hosts = login(vcenter).all(vim.HostSystem).values()
    prints = {host.summary.config.sslThumbprint for host in hosts}
    assert len(prints) == 2
    assert all(len(one) == 59 for one in prints), "SHA-1, as AB:CD:…"
    path = f"{guest.folder()}/file"
    guest.put(path, b"content")
    vcenter.fault("host_certificate", host="esx0001.lab", on=True)
    with pytest.raises(ssl.SSLCertVerificationError):
        guest.get(path)
    vcenter.fault("host_certificate", host="esx0001.lab", on=False)
    assert guest.get(path) == b"content"


def test_a_file_of_another_size_than_was_said_is_not_kept(guest: GuestPeer) -> None:
    folder = guest.folder()
    url = guest.files.InitiateFileTransferToGuest(guest.vm, guest.auth, f"{folder}/a", Posix(), 100, False)
    assert guest.exchange("PUT", url, b"short")[0] == 500
    assert guest.names(folder) == []


def test_an_address_by_the_hosts_name(start_vcenter: Start, login: Login) -> None:
    server = start_vcenter(hosts=2, vms=2, interval=1, history=60, transfer_host="name")
    peer = login(server)
    guest = GuestPeer(peer, peer.all(vim.VirtualMachine)["vm-00002"])
    url = guest.files.InitiateFileTransferToGuest(
        guest.vm, guest.auth, f"{guest.folder()}/a", Posix(), 1, False
    )
    assert urlsplit(url).hostname == guest.vm.runtime.host.name == "esx0002.lab"
    managed = [
        nic.spec.ip.ipAddress
        for one in guest.vm.runtime.host.config.virtualNicManagerInfo.netConfig
        if one.nicType == "management"
        for nic in one.candidateVnic
    ]
    assert managed == ["127.66.0.2"]


def test_a_host_asked_itself_leaves_its_name_to_the_client(start_vcenter: Start, login: Login) -> None:
    server = start_vcenter(esxi=True, hosts=1, vms=1, interval=1, history=60)
    peer = login(server)
    guest = GuestPeer(peer, peer.all(vim.VirtualMachine)["vm-00001"])
    url = guest.files.InitiateFileTransferToGuest(
        guest.vm, guest.auth, f"{guest.folder()}/a", Posix(), 1, False
    )
    assert urlsplit(url).netloc == "*"


def test_folders_are_made_listed_and_deleted(guest: GuestPeer) -> None:
    folder = guest.folder()

    def make(path: str, above: bool = False) -> None:
        guest.files.MakeDirectoryInGuest(guest.vm, guest.auth, path, above)

    def delete(path: str, recursive: bool = False) -> None:
        guest.files.DeleteDirectoryInGuest(guest.vm, guest.auth, path, recursive)

    with pytest.raises(vim.fault.FileNotFound):
        make(f"{folder}/a/b")
    make(f"{folder}/a/b", above=True)
    with pytest.raises(vim.fault.FileAlreadyExists):
        make(f"{folder}/a")
    for n in range(60):
        make(f"{folder}/a/b/{n:02}")
    first = guest.files.ListFilesInGuest(guest.vm, guest.auth, f"{folder}/a/b", None, None, None)
    assert (len(first.files), first.remaining) == (50, 12), ". and .. among them"
    rest = guest.files.ListFilesInGuest(guest.vm, guest.auth, f"{folder}/a/b", 50, 100, None)
    assert (len(rest.files), rest.remaining) == (12, 0)
    some = guest.files.ListFilesInGuest(guest.vm, guest.auth, f"{folder}/a/b", 0, 100, "^0[0-4]$")
    assert [(one.path, one.type) for one in some.files] == [(f"0{n}", "directory") for n in range(5)]
    with pytest.raises(vim.fault.DirectoryNotEmpty):
        delete(f"{folder}/a")
    delete(f"{folder}/a", recursive=True)
    with pytest.raises(vim.fault.FileNotFound):
        delete(f"{folder}/a")
    assert guest.names(folder) == []


def test_files_are_moved_and_deleted(guest: GuestPeer) -> None:
    folder = guest.folder()
    guest.put(f"{folder}/a", b"a")
    guest.put(f"{folder}/b", b"b")
    move = guest.files.MoveFileInGuest
    with pytest.raises(vim.fault.FileAlreadyExists):
        move(guest.vm, guest.auth, f"{folder}/a", f"{folder}/b", False)
    move(guest.vm, guest.auth, f"{folder}/a", f"{folder}/b", True)
    assert (guest.names(folder), guest.get(f"{folder}/b")) == (["b"], b"a")
    with pytest.raises(vim.fault.FileNotFound):
        move(guest.vm, guest.auth, f"{folder}/a", f"{folder}/c", False)
    with pytest.raises(vim.fault.NotAFile):
        guest.files.DeleteFileInGuest(guest.vm, guest.auth, folder)
    guest.files.MoveDirectoryInGuest(guest.vm, guest.auth, folder, f"{folder}-2")
    guest.files.DeleteFileInGuest(guest.vm, guest.auth, f"{folder}-2/b")
    with pytest.raises(vim.fault.FileNotFound):
        guest.files.DeleteFileInGuest(guest.vm, guest.auth, f"{folder}-2/b")


def test_a_guest_reaches_neither_anothers_files_nor_writes_elsewhere(
    vcenter: TestVCenter, login: Login, guest: GuestPeer, tmp_path: Path
) -> None:
    peer = login(vcenter)
    other = GuestPeer(peer, peer.all(vim.VirtualMachine)["vm-00002"])
    path = f"{other.folder()}/secret"
    other.put(path, b"theirs")
    with pytest.raises(vim.fault.FileNotFound):
        guest.get(path)
    (tmp_path / "here").touch()
    guest.run(f"-s {tmp_path} out", program="/bin/ln", folder=(folder := guest.folder()))
    for place in (str(tmp_path), f"{folder}/out", f"{folder}/../../../.."):
        with pytest.raises((vim.fault.GuestPermissionDenied, vim.fault.FileNotFound)):
            guest.put(f"{place}/made", b"")
        with pytest.raises((vim.fault.GuestPermissionDenied, vim.fault.FileNotFound)):
            guest.files.DeleteFileInGuest(guest.vm, guest.auth, f"{place}/here")
    assert [one.name for one in tmp_path.iterdir()] == ["here"]


def test_a_disk_that_is_added_comes_up_in_the_guest(
    guest: GuestPeer, login: Login, vcenter: TestVCenter
) -> None:
    peer = login(vcenter)
    [home] = guest.programs.ReadEnvironmentVariableInGuest(guest.vm, guest.auth, ["HOME"])
    disks = f"{Path(home.removeprefix('HOME=')).parent}/dev/disk/by-id"
    before = guest.names(disks)
    assert len(before) == 1
    disk = vim.vm.device.VirtualDisk(
        key=-1,
        controllerKey=1000,
        unitNumber=1,
        capacityInKB=64 << 10,
        backing=vim.vm.device.VirtualDisk.FlatVer2BackingInfo(fileName="", diskMode="persistent"),
    )
    added = vim.vm.device.VirtualDeviceSpec(operation="add", fileOperation="create", device=disk)
    peer.finish(guest.vm.ReconfigVM_Task(vim.vm.ConfigSpec(deviceChange=[added])))
    [device] = [one for one in guest.vm.config.hardware.device if one.key == 2001]
    [name] = set(guest.names(disks)) - set(before)
    assert name == f"wwn-0x{device.backing.uuid.replace('-', '').lower()}"
    [info] = guest.files.ListFilesInGuest(guest.vm, guest.auth, f"{disks}/{name}", None, None, None).files
    assert info.size == 64 << 20
    removed = vim.vm.device.VirtualDeviceSpec(operation="remove", fileOperation="destroy", device=device)
    peer.finish(guest.vm.ReconfigVM_Task(vim.vm.ConfigSpec(deviceChange=[removed])))
    assert guest.names(disks) == before
