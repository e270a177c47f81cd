"""A guest recorded over a real sshd: what it counts, what ends, what comes back after a cut."""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable
from contextlib import suppress

import psutil
import pytest

from collectors.guest.live import GuestCollector
from collectors.guest.options import GuestOptions
from resources.catalogue import load_catalogue
from resources.failures import HyperscopeError, RefusedError, UsageError
from resources.guest_counters import load_guest_counters
from tests.connections.ssh_servers import HASTY, Sshd, by_key, yes
from tests.esxtop_ssh.cut_network import network
from tests.guest.conftest import Recording, address_of
from tests.vsphere.feeds import MemoryFeed, Stop

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the guest is this machine, and must be a Linux"),
    pytest.mark.usefixtures("no_thread_left"),
]

Start = Callable[..., Recording]


def left(server: Sshd) -> list[psutil.Process]:
    """The processes that sshd started and that still run."""
    found: list[psutil.Process] = psutil.Process(server.pid).children(recursive=True)
    return found


def wait_until_none(processes: list[psutil.Process]) -> None:
    assert psutil.wait_procs(processes, timeout=20)[1] == []


def test_every_counter_that_this_kernel_has(server: Sshd, recording: Start) -> None:
    run = recording(server)
    run.until_ticks(3)
    run.end()
    catalogue = load_catalogue()
    (source,) = run.feed.sources.values()
    assert (source.kind, source.name, source.interval_s) == ("guest", address_of(server).place, 1.0)
    told = {key[2] for key in run.feed.samples}
    assert told <= {one.key for one in load_guest_counters().counter}
    assert told >= {
        "guest.cpu_used", "guest.cpu_steal", "guest.load_1m", "guest.mem_available", "guest.mem_used",
        "guest.swap_in", "guest.major_faults", "guest.context_switches",
    }  # fmt: skip
    for key, spec in run.feed.specs.items():
        counter = catalogue.get(key[2])
        assert counter is not None
        assert (spec.unit, counter.entities) == (counter.unit, ("guest",))
    (health,) = run.feed.health.values()
    assert health.state == "ended"
    assert health.received == health.expected == run.feed.count()
    assert run.feed.gaps == []
    assert run.feed.twice == []


def test_the_numbers_are_those_of_the_kernel(server: Sshd, recording: Start) -> None:
    run = recording(server)
    run.until_ticks(2)
    memory = psutil.virtual_memory().total / (1 << 20)
    cpus = psutil.cpu_count()
    run.end()
    assert next(iter(run.values("guest.mem_total").values())) == pytest.approx(memory, abs=1)
    instances = {key[3] for key in run.feed.samples if key[2] == "guest.cpu_used"}
    assert instances == {"", *(f"cpu{number}" for number in range(cpus))}
    parts = ("guest.cpu_user", "guest.cpu_system", "guest.cpu_interrupts")
    for t_ms, used in run.values("guest.cpu_used").items():
        assert sum(run.values(part)[t_ms] for part in parts) == pytest.approx(used, abs=0.01)
        assert 0 <= used <= 100


def test_samples_lie_on_the_guests_own_grid(server: Sshd, recording: Start) -> None:
    run = recording(server)
    run.until_ticks(4)
    run.end()
    steps = [after - before for before, after in itertools.pairwise(run.ticks())]
    assert all(round(step / 1000) >= 1 for step in steps)
    assert sum(steps) / len(steps) == pytest.approx(1000 * round(sum(steps) / len(steps) / 1000), abs=300)


def test_no_process_is_left_when_it_is_stopped(server: Sshd, recording: Start) -> None:
    run = recording(server)
    run.until_ticks(1)
    started = left(server)
    assert any(one.name() == "sleep" for one in started)
    run.end()
    wait_until_none(started)


def test_no_process_is_left_when_the_session_can_t_be_written(server: Sshd) -> None:
    class Full(MemoryFeed):
        def add_ticks(self, ticks: object) -> None:
            raise HyperscopeError("There is no space.")

    with pytest.raises(HyperscopeError, match="no space"):
        GuestCollector(address_of(server), by_key(server), GuestOptions(1), ask=yes, time_outs=HASTY).run(
            Full(), Stop()
        )
    wait_until_none(left(server))


def test_a_cut_connection_is_an_exact_gap_and_nothing_comes_twice(server: Sshd, recording: Start) -> None:
    run = recording(server)
    run.until_ticks(2)
    before = run.ticks()
    sessions = left(server)
    server.stop()
    for one in sessions:
        if one.name() == "sshd":
            one.kill()
    wait_until_none(sessions)
    run.until_state("reconnecting")
    time.sleep(3)
    server.start()
    run.until_ticks(len(before) + 4)
    run.end()
    (gap,) = run.feed.gaps
    ticks = run.ticks()
    assert run.feed.twice == []
    inside = [t_ms for t_ms in ticks if gap.start <= t_ms <= gap.end]
    assert inside == []
    after = min(t_ms for t_ms in ticks if t_ms > gap.end)
    last = max(t_ms for t_ms in ticks if t_ms < gap.start)
    assert (gap.start, gap.end) == (last + 1000, after - 1000)
    assert gap.ticks == round((after - last) / 1000) - 1 >= 3
    (health,) = run.feed.health.values()
    assert health.expected - health.received == gap.ticks * len(
        [key for key in run.feed.samples if last in run.feed.samples[key]]
    )


def test_a_network_that_is_cut_without_a_word_is_an_exact_gap(server: Sshd, recording: Start) -> None:
    """sshd is not told, and keeps what it serves; the loop there ends when it hears no sign of life."""
    with network(server.host, server.port) as between:
        run = recording(server, port=between.port)
        run.until_ticks(2)
        between.cut()
        run.until_state("reconnecting")
        before = run.ticks()
        unheard = left(server)
        between.mend()
        run.until_ticks(len(before) + 3)
        run.end()
    for one in unheard:
        with suppress(psutil.NoSuchProcess):
            one.kill()
    after = run.ticks()[len(before)]
    (gap,) = run.feed.gaps
    assert (gap.start, gap.end) == (before[-1] + 1000, after - 1000)
    assert gap.ticks == round((after - before[-1]) / 1000) - 1 >= 1
    assert run.feed.twice == []


def test_a_recording_that_is_continued_has_a_gap_and_nothing_twice(server: Sshd, recording: Start) -> None:
    first = recording(server)
    first.until_ticks(2)
    first.end()
    before = first.ticks()
    time.sleep(3)
    second = recording(server, feed=first.feed)
    second.until_ticks(len(before) + 2)
    second.end()
    after = second.ticks()[len(before)]
    (gap,) = second.feed.gaps
    assert (gap.start, gap.end) == (before[-1] + 1000, after - 1000)
    assert gap.reason == "the recording was interrupted"
    assert second.feed.twice == []
    assert len(second.feed.sources) == 1


def test_nothing_runs_in_the_guest_while_it_is_paused(server: Sshd, recording: Start) -> None:
    run = recording(server)
    run.until_ticks(2)
    started = [one for one in left(server) if one.name() != "sshd"]
    run.pause(on=True)
    wait_until_none(started)
    run.until_state("paused")
    time.sleep(2.5)
    run.pause(on=False)
    run.until_ticks(len(run.ticks()) + 2)
    run.end()
    (gap,) = run.feed.gaps
    assert gap.reason == "paused"


def test_the_loop_reads_and_nothing_else(server: Sshd, recording: Start) -> None:
    """Nothing of an address, a password or a name is on its command line."""
    run = recording(server, 2)
    run.until_ticks(1)
    lines = [" ".join(one.cmdline()) for one in left(server) if one.name() != "sshd"]
    run.end()
    assert any("hyperscope-guest" in line for line in lines)
    assert not any(word in line for line in lines for word in (server.host, str(server.user_key)))


def test_a_guest_that_is_not_there_is_a_mistake(server: Sshd) -> None:
    server.stop()
    with pytest.raises(RefusedError):
        GuestCollector(address_of(server), by_key(server), GuestOptions(1), ask=yes, time_outs=HASTY).run(
            MemoryFeed(), Stop()
        )


@pytest.mark.parametrize("interval_s", [0.5, 1.5, 0])
def test_whole_seconds_alone(server: Sshd, interval_s: float) -> None:
    with pytest.raises(UsageError, match="every 1 s at most, in whole seconds"):
        GuestCollector(address_of(server), by_key(server), GuestOptions(interval_s))
