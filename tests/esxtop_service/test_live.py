"""Recording from the esxtop service of a vCenter's hosts: pace, failures, and FreeStats on every way out."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from collectors.esxtop_service.live import EsxtopCollector, EsxtopOptions
from collectors.feed import Tick
from connections.address import parse_address
from connections.vsphere.address import ESXTOP
from resources.failures import (
    DiskFullError,
    HyperscopeError,
    NoCountersError,
    NotFoundError,
    PrivilegeError,
    UsageError,
)
from sessions.model import SourceSpec
from tests.esxtop_service.conftest import Recording, collector
from tests.esxtop_service.service_files import HOSTS, write_switched_on
from tests.vcenter.running import TestVCenter
from tests.vsphere.feeds import MemoryFeed, Stop

pytestmark = pytest.mark.slow

FIRST, SECOND = HOSTS
Start = Callable[..., Recording]


def commands(server: TestVCenter, command: str, host: str = FIRST) -> int:
    """How often a host was told to."""
    return int(server.stats()["requests"].get(f"{command}:{host}", 0))


def refused(server: TestVCenter, hosts: str = FIRST) -> HyperscopeError:
    with pytest.raises(HyperscopeError) as caught:
        collector(server, hosts).run(MemoryFeed(), Stop())
    return caught.value


def test_each_host_is_a_source_with_a_captures_counters(server: TestVCenter, recording: Start) -> None:
    run = recording(server)
    run.until_ticks(2, FIRST)
    run.until_ticks(2, SECOND)
    run.end()
    assert [(spec.kind, spec.name, spec.interval_s) for spec in run.feed.sources.values()] == [
        ("esxtop", FIRST, 2.0),
        ("esxtop", SECOND, 2.0),
    ]
    counters = {key[2] for key in run.feed.samples}
    assert counters >= {
        "cpu.ready",
        "disk.kernel_latency",
        "mem.balloon",
        "net.mbits_tx",
        "vdisk.latency_read",
    }
    assert {health.state for health in run.feed.health.values()} == {"ended"}
    assert run.feed.gaps == []
    assert run.feed.twice == []
    health = run.feed.health[1]
    assert health.received == health.expected > 2 * 7000
    assert health.details[0][0] == "collection time"
    assert {fact.name for fact in run.feed.facts if fact.entity.kind == "host"} == {"moid", "uuid"}


def test_counts_that_wrap_leave_no_hole(server: TestVCenter, recording: Start) -> None:
    """The lab's switches begin just below 2^32, and pass it within the first samples."""
    run = recording(server, FIRST)
    run.until_ticks(4)
    run.end()
    ticks = len(run.ticks())
    switches = [
        times for key, times in run.feed.samples.items() if key[2] == "cpu.switches" and key[1].kind == "vcpu"
    ]
    assert switches
    assert {len(times) for times in switches} == {ticks}
    assert all(0 <= value < 100_000 for times in switches for value in times.values())


def test_the_pace_is_the_hosts_least_and_one_request_at_a_time(server: TestVCenter, recording: Start) -> None:
    server.fault("slow", method="ExecuteSimpleCommand", seconds=3, skip=2)
    run = recording(server, FIRST)
    run.until_ticks(3)
    run.end()
    steps = [after - before for before, after in itertools.pairwise(run.ticks())]
    assert all(step >= 2000 for step in steps)
    assert max(steps) >= 3000, steps  # a host that takes three seconds is not asked again meanwhile
    assert run.feed.health[1].details[0][1].startswith("3")


def test_freed_at_the_end(server: TestVCenter, recording: Start) -> None:
    run = recording(server)
    run.until_ticks(1)
    run.end()
    assert [commands(server, "FreeStats", host) for host in HOSTS] == [1, 1]


def test_freed_over_another_connection_when_a_request_hangs(server: TestVCenter, recording: Start) -> None:
    run = recording(server, FIRST)
    run.until_ticks(1)
    server.fault("hang", method="ExecuteSimpleCommand", count=1)
    asked = server.stats()["requests"]["ExecuteSimpleCommand"]
    while server.stats()["requests"]["ExecuteSimpleCommand"] == asked:
        time.sleep(0.05)
    run.end()
    assert commands(server, "FreeStats") == 1


def test_freed_when_the_session_can_t_be_written(server: TestVCenter) -> None:
    class Full(MemoryFeed):
        def add_ticks(self, ticks: Sequence[Tick]) -> None:
            raise DiskFullError(f"There is no space for {len(ticks)} ticks.")

    with pytest.raises(DiskFullError):
        collector(server, FIRST).run(Full(), Stop())
    assert commands(server, "FreeStats") == 1


def test_a_broken_reply_costs_its_sample_alone(server: TestVCenter, recording: Start) -> None:
    run = recording(server, FIRST)
    run.until_ticks(1)
    server.fault("half", method="ExecuteSimpleCommand", bytes=20_000, count=1)
    server.fault("html", method="ExecuteSimpleCommand", count=1)
    before = len(run.ticks())
    run.until_ticks(before + 3)
    run.end()
    assert run.feed.twice == []
    assert any(health.state == "reconnecting" for health in run.feed.history)
    assert run.feed.health[1].state == "ended"


def test_a_stall_that_nobody_reports_is_a_gap_and_no_mean_of_it(
    server: TestVCenter, recording: Start
) -> None:
    """The reply comes after all, as when a cable was out: its counts reach back over the stall."""
    run = recording(server, FIRST)
    run.until_ticks(2)
    server.fault("slow", method="ExecuteSimpleCommand", seconds=12, count=1)
    run.feed.until(lambda: bool(run.feed.gaps))
    run.until_ticks(len(run.ticks()) + 2)
    run.end()
    (gap,) = run.feed.gaps
    (hole,) = [(one, after) for one, after in itertools.pairwise(run.ticks()) if after - one >= 8000]
    assert hole[0] + 2000 == gap.start < gap.end < hole[1]
    assert (gap.ticks or 0) >= 3
    assert run.feed.twice == []
    health = run.feed.health[1]
    assert health.expected - health.received == (gap.ticks or 0) * (health.received // len(run.ticks()))


def test_silence_is_a_failure_that_passes(server: TestVCenter, recording: Start) -> None:
    run = recording(server, FIRST)
    run.until_ticks(1)
    server.fault("esxtop", host=FIRST, value="silent")
    run.feed.until(lambda: "has no values" in run.message())
    server.fault("esxtop", host=FIRST, value="")
    run.until_ticks(len(run.ticks()) + 2)
    run.end()
    assert run.message() == ""


def test_a_session_that_ended_is_renewed(server: TestVCenter, recording: Start) -> None:
    run = recording(server, FIRST)
    run.until_ticks(1)
    server.fault("expire")
    run.until_ticks(3)
    run.end()
    assert commands(server, "CounterInfo") == 2
    assert run.feed.gaps == []


def test_a_pause_is_a_gap_with_that_reason(server: TestVCenter, recording: Start) -> None:
    run = recording(server, FIRST)
    run.until_ticks(2)
    run.pause(on=True)
    run.feed.until(lambda: bool(run.feed.gaps))
    asked = commands(server, "FetchStats")
    run.feed.until(lambda: (run.feed.gaps[0].ticks or 0) >= 2)
    assert commands(server, "FetchStats") <= asked + 1
    run.pause(on=False)
    before = run.ticks()
    run.until_ticks(len(before) + 1)
    run.end()
    (gap,) = run.feed.gaps
    after = run.ticks()[len(before)]
    assert gap.reason == "paused"
    assert before[-1] < gap.start <= gap.end < after
    assert run.feed.health[1].expected > run.feed.health[1].received


def test_an_account_without_the_privilege_is_told_so(
    start_vcenter: Callable[..., TestVCenter], replies: object
) -> None:
    server = start_vcenter(hosts=2, vms=2, esxtop=replies, esxtop_interval=2, deny="*=Global.ServiceManagers")
    error = refused(server)
    assert isinstance(error, PrivilegeError)
    assert error.happened == f"administrator@vsphere.local may not use the esxtop service of {FIRST}."
    assert error.meaning.startswith("The account lacks Global.ServiceManagers on 127.0.0.1")
    assert f"ssh://root@{FIRST}" in error.advice


def test_a_server_without_the_service(start_vcenter: Callable[..., TestVCenter]) -> None:
    error = refused(start_vcenter(hosts=2, vms=2))
    assert isinstance(error, NoCountersError)
    assert error.happened == f"{FIRST} has no esxtop service."


def test_a_host_without_the_service(server: TestVCenter) -> None:
    server.fault("esxtop", host=FIRST, value="absent")
    error = refused(server)
    assert isinstance(error, NoCountersError)
    assert error.happened == f"{FIRST} has no esxtop service."
    assert "ssh://root@" in error.advice


def test_a_host_that_refuses(server: TestVCenter) -> None:
    server.fault("esxtop", host=FIRST, value="refuses")
    error = refused(server)
    assert error.happened.startswith(f"The esxtop service of {FIRST} does not answer: ")
    assert "not allowed in the current connection state" in error.happened
    assert "ssh://root@" in error.advice


def test_the_others_go_on_without_a_host_that_refuses(server: TestVCenter, recording: Start) -> None:
    server.fault("esxtop", host=FIRST, value="refuses")
    run = recording(server)
    run.until_ticks(2, SECOND)
    assert "does not answer" in run.message(FIRST)
    run.end()
    states = {run.feed.sources[number].name: health.state for number, health in run.feed.health.items()}
    assert states == {FIRST: "ended", SECOND: "ended"}
    assert any(health.state == "reconnecting" for health in run.feed.history)
    assert commands(server, "FreeStats", SECOND) == 1


def test_hosts_must_be_named_where_there_are_several(server: TestVCenter) -> None:
    error = refused(server, "")
    assert isinstance(error, UsageError)
    assert error.meaning.endswith(f"has {FIRST}, {SECOND}.")


def test_a_host_that_is_not_there(server: TestVCenter) -> None:
    error = refused(server, f"{FIRST},esx9*")
    assert isinstance(error, NotFoundError)
    assert "has no host 'esx9*'" in error.happened
    assert error.advice == f"It has {FIRST}, {SECOND}."


def test_nobody_is_asked_more_often_than_the_service_allows() -> None:
    address = parse_address("esxtop://root@esx01", (ESXTOP,))
    with pytest.raises(UsageError, match="every 2 s at most"):
        EsxtopCollector(address, lambda: "", EsxtopOptions(1.0))


def test_a_wrong_password_is_said(server: TestVCenter) -> None:
    with pytest.raises(HyperscopeError, match="password"):
        collector(server, FIRST, "wrong").run(MemoryFeed(), Stop())


def test_one_host_itself_needs_no_name(start_vcenter: Callable[..., TestVCenter], replies: Path) -> None:
    server = start_vcenter(esxi=True, hosts=1, vms=2, esxtop=replies, esxtop_interval=2)
    run = Recording(server, "")
    run.until_ticks(1)
    run.end()
    assert run.failure is None
    assert [spec.name for spec in run.feed.sources.values()] == [FIRST]
    assert commands(server, "FreeStats") == 1


def test_a_vm_that_is_switched_on_meanwhile_is_recorded_from_then_on(
    start_vcenter: Callable[..., TestVCenter], tmp_path: Path, recording: Start
) -> None:
    name = write_switched_on(tmp_path)
    server = start_vcenter(hosts=2, vms=2, esxtop=tmp_path, esxtop_interval=2)
    run = recording(server, FIRST)
    run.feed.until(lambda: any(entity.name == name for entity in run.feed.entities.values()))
    (vm,) = (ref for ref, entity in run.feed.entities.items() if entity.name == name)
    ready = next(times for key, times in run.feed.samples.items() if key[1] == vm and key[2] == "cpu.ready")
    run.feed.until(lambda: len(ready) >= 2)
    run.end()
    assert len(run.feed.layouts) > 1
    assert run.feed.twice == []
    assert set(ready) < set(run.ticks())


def test_a_vcenter_that_is_restarted_costs_an_exact_gap(server: TestVCenter, recording: Start) -> None:
    """Its hosts count from their boot again, as the lab's begin anew with it."""
    run = recording(server, FIRST)
    run.until_ticks(2)
    server.stop()
    run.feed.until(lambda: bool(run.feed.gaps) and (run.feed.gaps[0].ticks or 0) >= 2)
    server.start()
    before = run.ticks()
    run.until_ticks(len(before) + 2)
    run.end()
    (gap,) = run.feed.gaps
    after = run.ticks()[len(before)]
    assert before[-1] < gap.start <= gap.end < after
    assert after - gap.end <= 2 * 2000
    assert run.feed.twice == []
    health = run.feed.health[1]
    assert (health.state, health.gaps) == ("ended", 1)
    assert health.expected - health.received == (gap.ticks or 0) * (health.received // len(run.ticks()))


def test_a_recording_that_is_continued_has_a_gap_and_nothing_twice(
    server: TestVCenter, recording: Start
) -> None:
    first = recording(server, FIRST)
    first.until_ticks(2)
    first.end()
    before = first.ticks()
    time.sleep(7)
    second = recording(server, FIRST, feed=first.feed)
    second.until_ticks(len(before) + 2)
    second.end()
    (gap,) = second.feed.gaps
    after = second.ticks()[len(before)]
    assert gap.start == before[-1] + 2000
    assert gap.end < after <= gap.end + 2 * 2000
    assert (gap.ticks or 0) >= 2
    assert gap.reason == "the recording was interrupted"
    assert second.feed.twice == []


def test_an_outage_that_lasts_to_the_end_is_a_gap_up_to_there(server: TestVCenter, recording: Start) -> None:
    """A host that refuses is asked again after half a minute; the gap does not wait for that."""
    run = recording(server, FIRST)
    run.until_ticks(2)
    server.fault("esxtop", host=FIRST, value="refuses")
    run.feed.until(lambda: bool(run.feed.gaps))
    at_first = run.feed.gaps[0].end
    time.sleep(5)
    run.end()
    (gap,) = run.feed.gaps
    assert gap.end >= at_first + 4000
    assert "current connection state" in gap.reason
    assert run.feed.health[1].state == "ended"


def test_a_clock_that_is_set_back_is_said(server: TestVCenter, recording: Start) -> None:
    run = recording(server, FIRST)
    run.until_ticks(2)
    server.jump(-6)
    run.feed.until(lambda: "clock was set back" in run.message())
    run.end()
    assert run.feed.twice == []


def source_of(run: Recording, host: str = FIRST) -> SourceSpec:
    return next(spec for spec in run.feed.sources.values() if spec.name == host)


def test_samples_are_on_the_servers_time_whatever_the_hosts_clock(
    server: TestVCenter, recording: Start
) -> None:
    server.fault("host_clock", host=FIRST, seconds=90)
    server.fault("host_clock", host=SECOND, seconds=-3600)
    began = server.now()
    run = recording(server)
    run.until_ticks(2, FIRST)
    run.until_ticks(2, SECOND)
    run.end()
    for host in HOSTS:
        assert began - 10 < run.ticks(host)[-1] / 1000 < server.now() + 10
    assert dict(source_of(run).attributes)["its clock"].startswith("1 min 30 s ahead of 127.0.0.1:")
    assert "behind" in dict(source_of(run, SECOND).attributes)["its clock"]


@pytest.mark.parametrize("seconds", [-300, 300])
def test_a_hosts_clock_that_is_set_is_an_event_and_nothing_else(
    server: TestVCenter, recording: Start, seconds: int
) -> None:
    run = recording(server, FIRST)
    run.until_ticks(2)
    server.fault("host_clock", host=FIRST, seconds=seconds)
    before = len(run.ticks())
    run.until_ticks(before + 3)
    run.end()
    (event,) = [one for one in run.feed.events if one.kind == "clock"]
    way = "forward" if seconds > 0 else "back"
    assert event.text == f"The clock of {FIRST} was set {way} by 5 min"
    assert run.feed.gaps == []
    assert run.feed.twice == []
    steps = [after - before for before, after in itertools.pairwise(run.ticks())]
    assert all(1000 <= step <= 8000 for step in steps), steps
