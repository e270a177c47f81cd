"""Guests through VMware Tools: real programs and files in the guests of the test vCenter."""

from __future__ import annotations

import os
import shutil
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import msgspec
import pytest

from connections.vsphere.address import parse_address
from connections.vsphere.tools.calls import GuestLogin
from connections.vsphere.tools.faults import GuestBusyError
from resources.failures import (
    ChangedCertificateError,
    LoginError,
    NotFoundError,
    SourceError,
    TimedOutError,
    UsageError,
)
from resources.vcenter_acting import load_acting
from sessions.journal import ChangedObject
from tests.vcenter.running import GUEST_PASSWORD, GUEST_USER, PASSWORD, TestVCenter
from workloads.environment import Work, WorkerProgress
from workloads.guests.transport import GuestTransport, News
from workloads.guests.worker import GuestWorker
from workloads.job_file import Disk
from workloads.vsphere.environment import Access, VSphereChoice, VSphereEnvironment
from workloads.vsphere.guests import GuestAccess, through_tools

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the launcher's scripts are for Linux")

QUICK = msgspec.structs.replace(
    load_acting().guests, first_poll_s=0.1, max_poll_s=1.0, exchange_s=0.4, ready_s=6.0, begin_s=1.5
)
Open = Callable[..., VSphereEnvironment]


@dataclass(frozen=True)
class Inside:
    """A guest of an environment, and the VM that it runs in."""

    environment: VSphereEnvironment
    vm: ChangedObject
    guest: GuestTransport


@pytest.fixture
def opened() -> Iterator[Open]:
    with ExitStack() as closing:

        def make(server: TestVCenter, password: str = GUEST_PASSWORD) -> VSphereEnvironment:
            access = GuestAccess(through_tools(lambda _vm: GuestLogin(GUEST_USER, lambda: password), QUICK))
            choice = VSphereChoice(is_worker=lambda name: name in ("vm-00001", "vm-00002"), guests=access)
            made = VSphereEnvironment(
                Access(parse_address(server.address), lambda: PASSWORD, server.thumbprint), choice
            )
            closing.callback(made.close)
            made.open()
            return made

        yield make


@pytest.fixture
def inside(vcenter: TestVCenter, opened: Open) -> Inside:
    return enter(opened(vcenter))


def enter(environment: VSphereEnvironment) -> Inside:
    worker = environment.workers()[0]
    assert isinstance(worker, GuestWorker)
    assert worker.vm is not None
    return Inside(environment, worker.vm.object, worker.transport)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder of a guest, under a name as the launcher's are."""
    path = Path("/var/tmp") / f"hyperscope-{uuid4().hex[:20]}"
    path.mkdir(mode=0o700)
    yield path
    shutil.rmtree(path, ignore_errors=True)


def test_a_script_runs_with_its_input_and_leaves_nothing(vcenter: TestVCenter, inside: Inside) -> None:
    hostile = '\'; touch /tmp/x "$(id)" `id` \n\\ $PATH \u202e ü\n'
    output = inside.guest.run("cat; echo oh >&2; pwd >&2; exit 7", hostile, 20)
    assert (output.exit_code, output.out) == (7, hostile.encode())
    said, where = output.err.splitlines()
    assert said == "oh"
    assert not Path(where).exists()
    asked = vcenter.stats()["requests"]
    assert asked["MakeDirectoryInGuest"] == asked["DeleteDirectoryInGuest"]
    assert inside.guest.run("exit 0", "", 20).out == b""
    big = inside.guest.run("head -c 3000000 /dev/zero", "", 20)
    assert len(big.out) == 3_000_000


def test_a_script_that_does_not_end_is_an_error_in_time(inside: Inside) -> None:
    with pytest.raises(TimedOutError, match="vm-00001 did not do what it was told in time"):
        inside.guest.run("sleep 5", "", 1.5)


def test_scripts_of_a_run_work_in_the_folder_that_its_journal_names(
    vcenter: TestVCenter, opened: Open
) -> None:
    worker = opened(vcenter).workers()[0]
    assert isinstance(worker, GuestWorker)
    place = worker.scratch("run-9")
    assert place is not None
    folder = Path(place.id.partition(":")[2])
    assert worker.place("run-9").id + "5c" == place.id
    assert worker.transport.run("pwd", "", 20).out.decode().strip() == str(folder)
    assert not folder.exists()
    folder.mkdir()
    (folder / "job").touch()  # what a program leaves that is killed now
    other = opened(vcenter)
    assert other.settings.read(place, "folder") == place.id
    other.settings.write(place, "folder", None)
    assert other.settings.read(place, "folder") is None
    assert not folder.exists()


def test_a_script_that_was_left_is_no_result_of_the_next_one(inside: Inside, folder: Path) -> None:
    assert inside.guest.keep_in(str(folder))
    for name in ("begun", "result"):
        (folder / name).write_text("0 6\nstale\n")
    assert inside.guest.run("echo fresh", "", 20).out == b"fresh\n"
    assert not folder.exists()


def aged(name: str, seconds: float) -> Path:
    """A folder of a guest with a file in it, in which nothing was done for so long."""
    path = Path("/var/tmp") / name
    path.mkdir()
    (path / "job").touch()
    then = time.time() - seconds
    os.utime(path, (then, then))
    return path


def test_what_a_killed_program_left_goes_with_the_next_script(vcenter: TestVCenter, inside: Inside) -> None:
    left, young, of_a_job, theirs = (
        aged(f"hyperscope-{uuid4().hex[:24]}", 400),
        aged(f"hyperscope-{uuid4().hex[:24]}", 200),
        aged(f"hyperscope-{uuid4().hex[:20]}", 400),
        aged(f"hyperscope-{uuid4().hex[:24]}.bak", 400),
    )
    link = Path("/var/tmp") / f"hyperscope-{uuid4().hex[:24]}"
    link.symlink_to(theirs)
    os.utime(link, (0, 0), follow_symlinks=False)
    try:
        assert inside.guest.run("echo on", "", 20).out == b"on\n"
        assert not left.exists()
        for path in (young, of_a_job, theirs, link):
            assert (path / "job").exists(), path
        asked = vcenter.stats()["requests"]["DeleteDirectoryInGuest"]
        assert inside.guest.run("echo on", "", 20).out == b"on\n"
        assert vcenter.stats()["requests"]["DeleteDirectoryInGuest"] == asked + 1, (
            "its own folder, and no more"
        )
    finally:
        link.unlink()
        for path in (left, young, of_a_job, theirs):
            shutil.rmtree(path, ignore_errors=True)


def test_files_arrive_whole_and_only_for_their_owner(inside: Inside, folder: Path) -> None:
    path = folder / "a 'b' $(c)"
    inside.guest.put(str(path), b"\0\xff content")
    assert inside.guest.get(str(path), 100) == b"\0\xff content"
    assert inside.guest.get(str(path), 3) == b"\0\xff "
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    inside.guest.put(str(path), b"", executable=True)
    assert inside.guest.get(str(path), 100) == b""
    assert stat.S_IMODE(path.stat().st_mode) == 0o700
    assert [one.name for one in folder.iterdir()] == [path.name]
    assert inside.guest.get(str(folder / "nothing"), 100) is None


@pytest.mark.parametrize("fault", ["guest_busy", "guest_unavailable"])
def test_a_busy_guest_is_asked_again(vcenter: TestVCenter, inside: Inside, folder: Path, fault: str) -> None:
    vcenter.fault(fault, method="*InGuest", count=4)
    log = folder / "log"
    output = inside.guest.run(f"echo once >> {log}; echo done", "", 20)
    assert output.out == b"done\n"
    assert log.read_text() == "once\n"
    vcenter.fault(fault, method="*Guest")
    with pytest.raises(GuestBusyError, match=r"VMware Tools in vm-00001 do not answer now"):
        inside.guest.get(str(log), 10)
    assert inside.guest.exchange(str(folder), 0) is None


@pytest.mark.parametrize("fault", ["lost", "disconnect"])
@pytest.mark.parametrize(
    "method",
    ["StartProgramInGuest", "InitiateFileTransferToGuest", "MakeDirectoryInGuest", "ListFilesInGuest"],
)
def test_a_script_whose_replies_get_lost_runs_once(
    vcenter: TestVCenter, inside: Inside, folder: Path, fault: str, method: str
) -> None:
    log = folder / "log"
    vcenter.fault(fault, method=method, count=1)
    assert inside.guest.run(f"echo once >> {log}; echo done", "", 20).out == b"done\n"
    assert log.read_text() == "once\n"


def test_a_guest_that_starts_is_waited_for(vcenter: TestVCenter, inside: Inside) -> None:
    vcenter.fault("guest_starts", vm=inside.vm.name, seconds=2)
    vcenter.fault("vm_power", vm=inside.vm.name, on=False)
    with pytest.raises(SourceError, match="is not running"):
        inside.guest.run("exit 0", "", 5)
    vcenter.fault("vm_power", vm=inside.vm.name, on=True)
    assert inside.guest.run("echo up", "", 20).out == b"up\n"


def test_a_wrong_password_is_the_guests_and_is_not_repeated(vcenter: TestVCenter, opened: Open) -> None:
    guest = enter(opened(vcenter, "wr0ng")).guest
    with pytest.raises(LoginError, match="vm-00001 does not let the user in") as caught:
        guest.run("exit 0", "", 5)
    assert "wr0ng" not in repr(caught.value)
    assert sum(count for name, count in vcenter.stats()["requests"].items() if "InGuest" in name) == 1


def test_a_host_with_another_certificate_gets_no_file(
    vcenter: TestVCenter, inside: Inside, folder: Path
) -> None:
    host = next(
        one.object.name
        for one in inside.environment.objects()
        if one.object.id == inside.environment.settings.read(inside.vm, "host")
    )
    inside.guest.put(str(folder / "a"), b"1")
    vcenter.fault("host_certificate", host=host, on=True)
    with pytest.raises(ChangedCertificateError, match="Nothing was sent"):
        inside.guest.put(str(folder / "b"), b"2")
    assert not (folder / "b").exists()
    vcenter.fault("host_certificate", host=host, on=False)
    inside.guest.put(str(folder / "b"), b"2")


def test_after_a_vmotion_files_go_through_the_new_host(inside: Inside, folder: Path) -> None:
    inside.guest.put(str(folder / "a"), b"1")
    settings = inside.environment.settings
    hosts = [one.object.id for one in inside.environment.objects() if one.object.kind == "HostSystem"]
    settings.write(inside.vm, "host", next(one for one in hosts if one != settings.read(inside.vm, "host")))
    inside.guest.put(str(folder / "a"), b"2")
    assert inside.guest.get(str(folder / "a"), 9) == b"2"


def test_the_guests_clock_is_measured_against_the_vcenters(
    vcenter: TestVCenter, inside: Inside, opened: Open
) -> None:
    read = inside.guest.clock()
    assert abs(read.offset_ms) <= read.error_ms + 10
    assert read.error_ms < 1000
    vcenter.jump(100)  # the vCenter is ahead of the guest, and of this machine, from now on
    later = enter(opened(vcenter)).guest.clock()
    assert later.offset_ms == pytest.approx(-100_000, abs=later.error_ms + 50)


def test_a_folder_that_is_gone_is_told(inside: Inside, folder: Path) -> None:
    (folder / "state").write_text("running\n")
    first = inside.guest.exchange(str(folder), 0)
    assert first is not None
    assert (first.state, first.ending, first.parts) == ("running", "", ())
    assert inside.guest.exchange(str(folder), 0) is None  # Tools are not asked so often
    alive = (folder / "alive").read_text()
    for number in range(1, 13):
        (folder / f"part.{number}").write_bytes(f"part {number}".encode())
    (folder / "rc").write_text("0 ended\n")
    second = polled(inside.guest, folder, 2)
    assert second.parts == tuple(f"part {number}".encode() for number in range(3, 11))
    assert second.ending == ""  # there is more to come
    third = polled(inside.guest, folder, 10)
    assert (third.parts, third.ending) == ((b"part 11", b"part 12"), "0 ended")
    assert (folder / "alive").read_text() != alive
    shutil.rmtree(folder)
    assert polled(inside.guest, folder, 12).state == "gone"


def polled(guest: GuestTransport, folder: Path, have: int) -> News:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        if (news := guest.exchange(str(folder), have)) is not None:
            return news
        time.sleep(0.05)
    raise AssertionError("no answer")


def test_the_guest_of_a_vm_that_was_deleted_has_nothing_to_be_put_back(
    vcenter: TestVCenter, opened: Open
) -> None:
    worker = opened(vcenter).workers()[1]
    places = [worker.place("run-3"), worker.scratch("run-3")]
    vcenter.fault("vm_destroyed", vm=worker.name)
    settings = opened(vcenter).settings
    for place in places:
        assert place is not None
        with pytest.raises(NotFoundError, match="vm-00002 is no longer there"):
            settings.read(place, "folder")
        with pytest.raises(NotFoundError, match="vm-00002 is no longer there"):
            settings.write(place, "folder", None)


@pytest.mark.skipif(shutil.which("fio") is None, reason="no fio")
def test_two_guests_do_real_work_and_are_left_as_they_were(
    vcenter: TestVCenter, opened: Open, tmp_path: Path
) -> None:
    environment = opened(vcenter)
    workers = environment.workers()
    assert [worker.name for worker in workers] == ["vm-00001", "vm-00002"]
    places = []
    for number, worker in enumerate(workers):
        image = tmp_path / f"disk{number}"
        image.write_bytes(b"\0" * (8 << 20))
        work = Work("random-read", {"warm_up": 0, "runtime": 4}, (Disk("data", str(image)),), seconds=4)
        places.append(worker.prepare("run-1", work))
    assert [place.kind for place in places] == ["guest", "guest"]
    assert all(environment.settings.read(place, "folder") == place.id for place in places)
    at = environment.now_ms() + 2500
    for worker in workers:
        worker.start(at)
    ends = [followed(worker) for worker in workers]
    assert [end.state for end in ends] == ["ended", "ended"], ends
    for worker in workers:
        (document, *_) = worker.fetch()
        assert document
        worker.clean_up()
    assert all(environment.settings.read(place, "folder") is None for place in places)


@pytest.mark.skipif(shutil.which("fio") is None, reason="no fio")
def test_a_job_is_ended_and_removed_by_what_the_journal_names(
    vcenter: TestVCenter, opened: Open, tmp_path: Path
) -> None:
    worker = opened(vcenter).workers()[0]
    image = tmp_path / "disk"
    image.write_bytes(b"\0" * (8 << 20))
    work = Work("random-read", {"warm_up": 0, "runtime": 600}, (Disk("data", str(image)),), seconds=600)
    place = worker.prepare("run-2", work)
    other = opened(vcenter)  # another program, after ours died
    worker.start(other.now_ms())
    deadline = time.monotonic() + 20
    while other.settings.read(place, "process") is None and time.monotonic() < deadline:
        time.sleep(0.2)
    assert other.settings.read(place, "process") is not None
    other.settings.write(place, "process", None)
    assert other.settings.read(place, "process") is None
    assert other.settings.read(place, "folder") == place.id
    other.settings.write(place, "folder", None)
    assert other.settings.read(place, "folder") is None


def followed(worker: object) -> WorkerProgress:
    assert isinstance(worker, GuestWorker)
    deadline = time.monotonic() + 40
    while time.monotonic() < deadline:
        progress = worker.poll()
        if progress.state not in ("waiting", "running", "lost"):
            return progress
        time.sleep(0.2)
    return progress


def test_without_an_account_of_the_guests_there_is_no_load(vcenter: TestVCenter) -> None:
    access = Access(parse_address(vcenter.address), lambda: PASSWORD, vcenter.thumbprint)
    environment = VSphereEnvironment(access, VSphereChoice(is_worker=lambda _name: True))
    environment.open()
    try:
        with pytest.raises(UsageError, match="No way into the guests"):
            environment.workers()
    finally:
        environment.close()
