"""Guests through VMware Tools: real loops in the guests of the test vCenter, of which nothing stays."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import msgspec
import psutil
import pytest

from collectors.guest import tools, tools_guest, tools_sampler
from collectors.guest.frames import Frame, FrameReader
from collectors.guest.options import GuestOptions
from collectors.guest.tools import ToolsCollector
from collectors.guest.watching import GuestWatching, Watched
from connections.vsphere.address import parse_address, parse_guests_address
from connections.vsphere.guest_vms import GuestVm, guest_vms
from connections.vsphere.session import VSphere
from resources.failures import LoginError, NotFoundError, SourceError
from resources.guest_counters import GuestCounters, load_guest_counters
from resources.guest_scripts import guest_script
from tests.left_threads import no_thread_left
from tests.vcenter.conftest import start_vcenter, vcenter
from tests.vcenter.running import GUEST_PASSWORD, GUEST_USER, PASSWORD, USER, TestVCenter
from tests.vsphere.feeds import MemoryFeed
from tests.vsphere.running_collector import RunningCollector

__all__ = ["no_thread_left", "start_vcenter", "vcenter"]

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the guest is this machine, and must be a Linux"),
    pytest.mark.usefixtures("no_thread_left"),
]

Start = Callable[..., "Recording"]
_KNOWN = load_guest_counters()
QUICK = msgspec.structs.replace(
    _KNOWN,
    tools=msgspec.structs.replace(_KNOWN.tools, part_s=1.0, first_poll_s=0.2, ready_s=8.0, grace_s=2.0),
)
_SCRIPT = "./tools_watch.sh"
LATE = "the guest did not get to it in time"
BASE = Path("/var/tmp")


@pytest.fixture(autouse=True)
def prefix(monkeypatch: pytest.MonkeyPatch) -> str:
    """How folders of this test begin: others are recorded on this machine at the same time."""
    name = f"hyperscope-watch-{secrets.token_hex(6)}-"
    monkeypatch.setattr(tools_sampler, "_NAME", name)
    monkeypatch.setattr(tools_sampler, "_PATTERN", f"^{name}[0-9a-f]{{24}}$")
    return name


def until(holds: Callable[[], bool], timeout: float = 60.0) -> None:
    deadline = time.monotonic() + timeout
    while not holds():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)  # nothing tells of folders and processes


class Recording(RunningCollector):
    """A collector at work in a thread; ``feed`` has what it got, ``failure`` what it raised."""

    def __init__(self, server: TestVCenter, vms: str, password: str, counters: GuestCounters) -> None:
        self._prefix = tools_sampler._NAME
        super().__init__(
            ToolsCollector(
                parse_guests_address(f"tools://{GUEST_USER}@{server.place.host}:{server.place.port}/{vms}"),
                USER,
                lambda: PASSWORD,
                lambda: password,
                GuestOptions(1),
                thumbprint=server.thumbprint,
                counters=counters,
            )
        )

    def ticks(self, source: int = 1) -> list[int]:
        wanted = [key for key in self.feed.samples if key[0] == source and key[2:] == ("guest.load_1m", "")]
        return sorted(self.feed.samples[wanted[0]]) if wanted else []

    def until_ticks(self, count: int, source: int = 1) -> None:
        self.feed.until(lambda: len(self.ticks(source)) >= count or not self._thread.is_alive())
        assert self.failure is None, self.failure

    def until_state(self, state: str) -> None:
        self.feed.until(lambda: any(health.state == state for health in self.feed.history))

    def folders(self) -> set[Path]:
        return set(BASE.glob(f"{self._prefix}*"))

    def loops(self) -> list[psutil.Process]:
        """The processes of loops, and of what they have just forked."""
        found = []
        for one in psutil.process_iter(["cmdline", "cwd"]):
            is_loop = _SCRIPT in (one.info["cmdline"] or [])
            if is_loop and (one.info["cwd"] or "").startswith(f"{BASE}/{self._prefix}"):
                found.append(one)
        return found

    def loop(self) -> psutil.Process:
        found: list[psutil.Process] = []

        def is_alone() -> bool:
            found[:] = self.loops()
            return len(found) == 1

        until(is_alone)
        return found[0]

    def end(self) -> None:
        self._stop.set()
        self._thread.join()

    def join(self) -> None:
        """Wait until it ends by itself."""
        self._thread.join(300)
        assert not self._thread.is_alive()

    def leaves_nothing(self) -> None:
        until(lambda: not self.folders() and not self.loops())


def inventory(server: TestVCenter) -> list[GuestVm]:
    with VSphere(parse_address(server.address), lambda: PASSWORD, thumbprint=server.thumbprint) as vsphere:
        return guest_vms(vsphere)


def uuid_of(server: TestVCenter, name: str) -> str:
    return next(vm.uuid for vm in inventory(server) if vm.name == name)


@pytest.fixture
def recording() -> Iterator[Callable[..., Recording]]:
    """Start recordings: ``recording(vcenter)``; they are ended at last."""
    with ExitStack() as running:

        def start(
            server: TestVCenter,
            vms: str = "vm-00001",
            password: str = GUEST_PASSWORD,
            counters: GuestCounters = QUICK,
        ) -> Recording:
            found = Recording(server, vms, password, counters)
            running.callback(found.end)
            return found

        yield start


def has_exact_gap(run: Recording) -> None:
    """What is missing is a gap from the sample after the last one to that before the next one."""
    cut = [gap for gap in run.feed.gaps if gap.reason != LATE]
    assert cut
    ticks = run.ticks()
    for gap in cut:
        last = max(t_ms for t_ms in ticks if t_ms < gap.start)
        after = min(t_ms for t_ms in ticks if t_ms > gap.end)
        assert (gap.start, gap.end) == (last + 1000, after - 1000)
        assert gap.ticks == round((after - last) / 1000) - 1


def ends_with_exact_gap(run: Recording) -> None:
    """It ends in good order, and has neither lost more than its gaps nor anything twice."""
    run.end()
    run.leaves_nothing()
    assert (run.failure, run.feed.twice) == (None, [])
    has_exact_gap(run)


def lost_nothing(run: Recording) -> None:
    assert (run.failure, run.feed.twice) == (None, [])
    assert {gap.reason for gap in run.feed.gaps} <= {LATE}, "a busy machine may be late"


def fake_programs(folder: Path) -> dict[str, str]:
    """An environment in which time stands still, and each sample is another one."""
    folder.mkdir()
    programs = {
        "date": "echo 1790000000000000000",
        "sleep": 'n=$(cat "$COUNT"); [ "$n" -lt 5 ] || exec "$SLEEP" 60',
        "grep": """case $1 in
-s) exec /bin/grep "$@" ;;
esac
n=$(($(cat "$COUNT") + 1)); echo $n > "$COUNT"
echo "/proc/uptime:$((100 + n)).00 0"
echo "/proc/sys/kernel/random/boot_id:one"
echo "/proc/stat:cpu $((n * 30)) 0 $((n * n)) $((n * 50)) 0 0 0 $((n * 10)) 0 0"
echo "/proc/loadavg:$n.25 1.0 1.0 1/1 1" """,
    }
    for name, text in programs.items():
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)
    count = folder / "count"
    count.write_text("0\n")
    sleep = shutil.which("sleep") or "sleep"
    return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "COUNT": str(count), "SLEEP": sleep}


def stored(printed: bytes) -> dict[tuple[str, str], dict[int, float]]:
    feed = MemoryFeed()
    watching = GuestWatching(feed, Watched("app01", "app01"), _KNOWN, 1)
    for number, frame in enumerate(FrameReader("app01", 1 << 20).feed(printed)):
        watching.take(replace_clock(frame, number))
    return {key[2:]: times for key, times in feed.samples.items()}


def replace_clock(frame: Frame, number: int) -> Frame:
    """The clock of a sample goes on with its number: programs that stand still can't tell it."""
    lines = tuple(
        f"clock:{1790000000 + number}001000000" if one.startswith("clock:") else one for one in frame.lines
    )
    return Frame(frame.kind, lines)


def test_the_parts_are_what_ssh_carries(tmp_path: Path) -> None:
    environment = fake_programs(tmp_path / "ssh")
    words = ["sh", "-c", guest_script("watch.sh"), "sh", "1"]
    over_ssh = subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, start_new_session=True)
    assert over_ssh.stdout is not None
    printed = b""
    while printed.count(b"hyperscope-guest end\n") < 5:
        printed += os.read(over_ssh.stdout.fileno(), 1 << 16)
    os.killpg(over_ssh.pid, 9)
    over_ssh.communicate()
    folder = tmp_path / "hyperscope-watch-0"
    folder.mkdir()
    for name in ("tools_watch.sh", "watch.sh"):
        (folder / name).write_text(guest_script(name))
    (folder / "settings").write_text("1 3 9\n")
    through_tools = subprocess.Popen(
        ["sh", "./tools_watch.sh"], cwd=folder, env=fake_programs(tmp_path / "tools"), start_new_session=True
    )
    until((folder / "part.3").exists)
    parts = [(folder / f"part.{number}").read_bytes() for number in (1, 2, 3)]
    through_tools.terminate()
    assert through_tools.wait(30) == 0
    assert not folder.exists()
    assert [part.count(b"hyperscope-guest end\n") for part in parts] == [1, 1, 3]
    assert b"".join(parts) == printed
    samples = stored(printed)
    assert len(samples["guest.load_1m", ""]) == 4
    assert stored(b"".join(parts)) == samples


def test_a_guest_is_recorded_and_nothing_stays_in_it(vcenter: TestVCenter, recording: Start) -> None:
    run = recording(vcenter)
    run.until_ticks(2)
    loop = run.loop()
    assert [*loop.cmdline()][1:] == ["./tools_watch.sh"]
    words = " ".join([*loop.cmdline(), *loop.environ().values()])
    assert not any(secret in words for secret in (PASSWORD, GUEST_PASSWORD, USER))
    for host in ("esx0002.lab", "esx0001.lab"):
        vcenter.fault("vm_moved", vm="vm-00001", host=host)
    run.until_ticks(5)
    run.end()
    run.leaves_nothing()
    lost_nothing(run)
    (source,) = run.feed.sources.values()
    assert (source.kind, source.name, source.interval_s) == ("guest", "vm-00001 (VMware Tools)", 1.0)
    (uuid,) = {str(fact.value) for fact in run.feed.facts if fact.name == "bios_uuid"}
    assert uuid == uuid_of(vcenter, "vm-00001"), "by which it is joined to its VM"
    (health,) = run.feed.health.values()
    assert health.state == "ended"


def test_a_stop_fetches_what_is_still_in_the_guest(vcenter: TestVCenter, recording: Start) -> None:
    run = recording(
        vcenter,
        counters=msgspec.structs.replace(QUICK, tools=msgspec.structs.replace(QUICK.tools, part_s=60.0)),
    )
    run.until_ticks(1)
    (folder,) = run.folders()
    kept = folder / "part.new"
    until(lambda: kept.exists() and kept.read_bytes().count(b"hyperscope-guest end\n") >= 2)
    run.end()
    run.leaves_nothing()
    assert len(run.ticks()) >= 3
    lost_nothing(run)


def test_nothing_is_lost_by_a_short_cut(vcenter: TestVCenter, recording: Start) -> None:
    run = recording(vcenter)
    run.until_ticks(2)
    vcenter.fault("disconnect", method="*InGuest", count=2)
    run.until_state("reconnecting")
    vcenter.fault("guest_unavailable", method="*InGuest", count=1)  # as while VMware Tools are started again
    run.until_ticks(4)
    for method in ("DeleteFileInGuest", "InitiateFileTransferFromGuest", "ListFilesInGuest"):
        vcenter.fault("lost", method=method, count=1)
    run.until_ticks(8)
    run.end()
    run.leaves_nothing()
    lost_nothing(run)
    assert vcenter.stats()["requests"]["StartProgramInGuest"] == 1


def test_an_expired_session_is_renewed_and_nothing_is_lost(vcenter: TestVCenter, recording: Start) -> None:
    """As after half an hour of silence, or when an administrator ended it."""
    run = recording(vcenter)
    run.until_ticks(2)
    for count in (5, 8):
        assert vcenter.fault("expire")["sessions"] >= 1
        run.until_ticks(count)
    run.end()
    run.leaves_nothing()
    lost_nothing(run)
    assert vcenter.stats()["requests"]["StartProgramInGuest"] == 1, "the loop in the guest went on"


def test_a_vcenter_that_is_restarted_is_found_again(
    vcenter: TestVCenter, recording: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unlike a real one it takes the guests' processes with it, as if the guests had restarted, too."""
    monkeypatch.setattr(tools_guest, "MAX_BACKOFF_S", 1.0)
    run = recording(vcenter)
    run.until_ticks(2)
    (folder,) = run.folders()
    vcenter.stop()
    run.until_state("reconnecting")
    assert not run.loops()
    vcenter.start()
    run.until_ticks(len(run.ticks()) + 3)
    assert not folder.exists()
    ends_with_exact_gap(run)


def test_after_a_long_cut_the_loop_has_ended_by_itself(
    vcenter: TestVCenter, recording: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when the recorder was killed: nobody fetches any more."""
    monkeypatch.setattr(tools_guest, "MAX_BACKOFF_S", 1.0)
    limits = msgspec.structs.replace(QUICK.limits, deaf_s=5)
    run = recording(vcenter, counters=msgspec.structs.replace(QUICK, limits=limits))
    run.until_ticks(2)
    vcenter.fault("status", method="*")
    run.until_state("reconnecting")
    run.leaves_nothing()
    vcenter.clear()
    run.until_ticks(len(run.ticks()) + 2)
    ends_with_exact_gap(run)


def test_a_loop_that_was_killed_is_started_again(vcenter: TestVCenter, recording: Start) -> None:
    """As when VMware Tools, or the guest, were started again: its folder stays behind."""
    run = recording(vcenter)
    run.until_ticks(2)
    loop = run.loop()
    (folder,) = run.folders()
    loop.kill()
    run.feed.until(lambda: bool(run.feed.gaps))
    run.until_ticks(len(run.ticks()) + 2)
    assert not folder.exists()
    ends_with_exact_gap(run)


def test_a_stop_while_the_vcenter_hangs(
    vcenter: TestVCenter, recording: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tools, "_GRACE_S", 1.0)
    run = recording(vcenter)
    run.until_ticks(2)
    vcenter.fault("hang", method="*InGuest", count=1)
    until(lambda: any(fault["hits"] for fault in vcenter.faults()) or not vcenter.faults())
    run.end()
    run.leaves_nothing()
    assert run.failure is None


def test_a_wrong_password_is_the_guests_and_is_not_repeated(vcenter: TestVCenter, recording: Start) -> None:
    run = recording(vcenter, password="wr0ng")
    run.join()
    assert isinstance(run.failure, LoginError)
    assert run.failure.happened == "vm-00001 does not let the user in: wrong user name or password."
    assert "wr0ng" not in str(run.failure)
    assert sum(count for name, count in vcenter.stats()["requests"].items() if "InGuest" in name) == 1
    assert not run.folders()


def test_a_vm_without_tools_fails_alone_and_ssh_is_offered(vcenter: TestVCenter, recording: Start) -> None:
    vcenter.fault("vm_tools", vm="vm-00001", tools="notRunning")
    alone = recording(vcenter)
    alone.join()
    assert type(alone.failure) is SourceError
    assert alone.failure.happened == "VMware Tools do not run in vm-00001."
    assert f"guest://{GUEST_USER}@… records it over ssh" in alone.failure.advice
    both = recording(vcenter, "vm-00001,vm-00002")
    both.until_ticks(1, source=2)
    assert {health.state for health in both.feed.health.values()} == {"failed", "recording"}
    both.end()
    both.leaves_nothing()
    assert both.failure is None
    nobody = recording(vcenter, "db-*")
    nobody.join()
    assert isinstance(nobody.failure, NotFoundError)
