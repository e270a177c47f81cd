"""Whatever ends a recording, no esxtop is left on the host; whatever interrupts it costs an exact gap."""

from __future__ import annotations

import itertools
import shutil
import signal
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import psutil
import pytest

from collectors.esxtop.over_ssh.collector import EsxtopSshCollector
from collectors.feed import Tick
from connections.address import Address
from connections.known_hosts import KnownHosts
from connections.ssh.login import SshLogin
from resources.failures import DiskFullError
from sessions.model import Gap
from tests.connections.ssh_servers import keygen_fingerprint, says
from tests.esxtop_ssh.conftest import Recording, collector
from tests.esxtop_ssh.cut_network import network
from tests.esxtop_ssh.fake_hosts import FakeHost
from tests.recorder.conftest import record
from tests.recorder.running import Recorder
from tests.vsphere.feeds import MemoryFeed, Stop

__all__ = ["record"]

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("no_thread_left")]
Start = Callable[..., Recording]


def sessions(host: FakeHost) -> list[psutil.Process]:
    """The processes of sshd that serve a connection."""
    children = psutil.Process(host.server.pid).children(recursive=True)
    return [one for one in children if one.name().startswith("sshd")]


def playing(host: FakeHost, capture: Path, **words: object) -> None:
    host.plan(capture, **{"every_s": 2, "stamps": "now", "then": "repeat", **words})


def check_gap(run: Recording, before: list[int]) -> int:
    """The one gap reaches from the last sample before it to the first after it; return its missed samples.

    On a busy machine samples of before it may still come after ``before`` was looked at.
    """
    run.feed.until(lambda: any(gap.end + 2000 in run.ticks() for gap in gaps_of_all(run)))
    (gap,) = gaps_of_all(run)
    ticks = run.ticks()
    last = ticks.index(gap.start - 2000)
    assert last >= len(before) - 1
    after = ticks[last + 1]
    assert gap.end == after - 2000
    assert gap.ticks == round((after - ticks[last]) / 2000) - 1
    health = run.feed.health[1]
    assert health.gaps >= 1
    assert health.expected > health.received
    assert run.feed.twice == []
    return gap.ticks


def gaps_of_all(run: Recording) -> list[Gap]:
    return [gap for gap in run.feed.gaps if gap.entity is None]


def test_stopping_ends_it(host: FakeHost, recording: Start, capture: Path) -> None:
    playing(host, capture)
    run = recording(host)
    run.until_ticks(1)
    (esxtop,) = host.running()
    run.end()
    assert not psutil.wait_procs([esxtop], timeout=10)[1]
    assert run.feed.health[1].state == "ended"
    assert run.message() == ""


def test_a_session_that_can_t_be_written_ends_it(host: FakeHost, known: KnownHosts, capture: Path) -> None:
    class Full(MemoryFeed):
        def add_ticks(self, ticks: Sequence[Tick]) -> None:
            raise DiskFullError(f"There is no space for {len(ticks)} ticks.")

    playing(host, capture)
    with pytest.raises(DiskFullError):
        collector(host, known).run(Full(), Stop())
    assert host.starts() == 1
    assert host.all_ended()


def test_an_esxtop_that_ignores_signals_ends_too(host: FakeHost, recording: Start, capture: Path) -> None:
    """As one that hangs: it gets KILL after two seconds."""
    path = host.programs / "esxtop"
    script = path.read_text(encoding="utf-8").partition("\n")[2]
    host.program("esxtop", f"trap '' TERM HUP INT PIPE\n{script}")
    playing(host, capture)
    run = recording(host)
    run.until_ticks(1)
    run.end()
    assert host.all_ended()


@pytest.mark.parametrize("how", ["killed", "terminated", "its window died"])
def test_a_recorder_that_is_gone_leaves_none(
    host: FakeHost, record: Callable[..., Recorder], capture: Path, tmp_path: Path, how: str
) -> None:
    playing(host, capture)
    home = tmp_path / "home" / ".ssh"
    home.mkdir(parents=True)
    shutil.copy(host.server.user_key, home / "id_ed25519")
    recorder = record(
        tmp_path / "S.hscope", str(host.server.address), "--interval", "2s", "--attached", "--keep-free", "0",
        "--thumbprint", keygen_fingerprint(host.server.host_keys[0]),
    )  # fmt: skip
    recorder.wait_for(lambda event: bool(event["event"] == "status" and event["samples"] > 10_000), ever=True)
    assert len(host.running()) == 1
    if how == "killed":
        recorder.signal(signal.SIGKILL)
    elif how == "terminated":
        recorder.signal(signal.SIGTERM)
    else:
        recorder.close_stdin()
    assert host.all_ended()


def test_a_network_that_is_cut_without_a_word(host: FakeHost, recording: Start, capture: Path) -> None:
    """sshd is not told, and keeps the connection: esxtop ends since nobody gives signs of life."""
    playing(host, capture)
    with network(host.server.host, host.server.port) as between:
        run = recording(host, between.port)
        run.until_ticks(2)
        (esxtop,) = host.running()
        between.cut()
        run.feed.until(lambda: any(health.state == "reconnecting" for health in run.feed.history))
        assert not psutil.wait_procs([esxtop], timeout=30)[1]
        assert sessions(host)  # it is still there, and knows nothing
        before = run.ticks()
        between.mend()
        run.until_ticks(len(before) + 2)
        assert len(host.running()) == 1
        check_gap(run, before)
        run.end()
        assert run.message() == ""


def test_an_sshd_that_is_restarted(host: FakeHost, recording: Start, capture: Path) -> None:
    playing(host, capture)
    run = recording(host)
    run.until_ticks(2)
    host.server.stop()
    for one in sessions_of(host):
        one.kill()
    run.feed.until(lambda: bool(run.feed.gaps) and (run.feed.gaps[0].ticks or 0) >= 2)
    assert "refuses ssh" in run.message() or "broke" in run.message()
    before = run.ticks()
    host.server.start()
    run.until_ticks(len(before) + 2)
    run.end()
    assert check_gap(run, before) >= 1


def sessions_of(host: FakeHost) -> list[psutil.Process]:
    """What still serves our connection after sshd itself has ended: the parents of its esxtop."""
    found = [parent for one in host.running() for parent in one.parents()]
    return [one for one in found if one.name().startswith("sshd")]


def test_an_esxtop_that_ends_is_started_anew(host: FakeHost, recording: Start, capture: Path) -> None:
    playing(host, capture, rows=2, then="end", code=1, stderr="")
    run = recording(host)
    run.until_ticks(4)
    run.end()
    assert host.starts() >= 2
    assert any("esxtop on" in health.message and "ended" in health.message for health in run.feed.history)
    assert run.feed.twice == []
    assert all(after > before for before, after in itertools.pairwise(run.ticks()))


def test_an_esxtop_that_ends_within_a_row_costs_that_row_alone(
    host: FakeHost, recording: Start, capture: Path
) -> None:
    playing(host, capture, rows=2, then="half", code=1)
    run = recording(host)
    run.until_ticks(4)
    run.end()
    assert host.starts() >= 2
    assert run.feed.twice == []
    series = [times for key, times in run.feed.samples.items() if key[2] == "cpu.run" and key[1].kind == "vm"]
    assert series
    assert {tuple(sorted(times)) for times in series} == {tuple(run.ticks())}


def test_an_esxtop_that_hangs_is_started_anew(host: FakeHost, recording: Start, capture: Path) -> None:
    playing(host, capture, rows=2, then="hang")
    run = recording(host)
    run.until_ticks(4)
    run.end()
    assert host.starts() >= 2
    assert any("has written nothing for" in health.message for health in run.feed.history)
    assert host.all_ended()


def test_a_pause_costs_a_host_nothing(host: FakeHost, recording: Start, capture: Path) -> None:
    playing(host, capture)
    run = recording(host)
    run.until_ticks(2)
    run.pause(on=True)
    run.feed.until(lambda: bool(run.feed.gaps) and (run.feed.gaps[0].ticks or 0) >= 2)
    assert host.all_ended()
    before = run.ticks()
    run.pause(on=False)
    run.until_ticks(len(before) + 1)
    run.end()
    (gap,) = run.feed.gaps
    assert gap.reason == "paused"
    check_gap(run, before)


def test_a_recording_that_is_continued_has_a_gap_and_nothing_twice(
    host: FakeHost, recording: Start, capture: Path, known: KnownHosts
) -> None:
    playing(host, capture)
    first = recording(host)
    first.until_ticks(2)
    first.end()
    before = first.ticks()
    host.set_clock(20)  # as if it was continued 20 s later
    second = recording(host, None, first.feed)
    second.until_ticks(len(before) + 2)
    second.end()
    assert second.ticks()[: len(before)] == before
    assert second.feed.twice == []
    after = second.ticks()[len(before)]
    assert after - before[-1] >= 20_000
    gaps = [(gap.start, gap.end) for gap in second.feed.gaps if gap.entity is None]
    assert gaps == [(before[-1] + 2000, after - 2000)]
    assert len(second.feed.sources) == 1


def test_stopping_does_not_wait_for_a_host_that_says_nothing(known: KnownHosts) -> None:
    """Its ssh listens and is stuck: connecting would take as long as the time-outs allow."""
    with says(b"") as port:
        address = Address("ssh", "root", "127.0.0.1", port, usual_port=22)
        stuck = EsxtopSshCollector(address, SshLogin(lambda: "secret"), known=known)
        stop = Stop()
        threading.Timer(0.5, stop.set).start()
        began = time.monotonic()
        stuck.run(MemoryFeed(), stop)
        assert time.monotonic() - began < 10
