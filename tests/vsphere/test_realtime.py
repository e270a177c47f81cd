"""Realtime counters from the test vCenter, which has the same samples as it said, and its faults."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from collectors.vsphere.options import VSphereOptions
from collectors.vsphere.selection import parse_selection
from resources.failures import NoCountersError
from sessions.model import EntityRef
from tests.vcenter.query_faults import QUERY_FAULTS
from tests.vcenter.running import TestVCenter
from tests.vsphere.feeds import MemoryFeed
from tests.vsphere.recording import Recording, differences, hasty, stored

Start = Callable[..., TestVCenter]


pytestmark = pytest.mark.slow


@pytest.fixture
def server(start_vcenter: Start) -> TestVCenter:
    return start_vcenter(hosts=2, vms=4, interval=1, history=60, rollup=10, rollup_days=0)


@pytest.fixture
def options(tmp_path: Path) -> VSphereOptions:
    return VSphereOptions(extra_dirs=hasty(tmp_path))


def vm(feed: MemoryFeed, name: str) -> EntityRef:
    return next(ref for ref, entity in feed.entities.items() if ref.kind == "vm" and entity.name == name)


def test_every_sample_once_and_the_hour_before(server: TestVCenter, options: VSphereOptions) -> None:
    began = round(server.now() * 1000)
    with Recording(server, options) as recording:
        recording.rounds(4)
        end = recording.last()
    feed = recording.feed
    assert differences(feed, server, began - 50_000, end) == []
    health = feed.health[1]
    assert health.state == "ended"
    assert health.expected == health.received == feed.count()
    assert feed.gaps == []
    assert min(min(there) for there in stored(feed).values()) < began - 50_000


def test_without_the_hour(server: TestVCenter, options: VSphereOptions) -> None:
    began = round(server.now() * 1000)
    with Recording(server, VSphereOptions(backfill=False, extra_dirs=options.extra_dirs)) as recording:
        recording.rounds(3)
    feed = recording.feed
    assert min(min(there) for there in stored(feed).values()) > began - 3_000
    assert feed.health[1].expected == feed.health[1].received == feed.count()


def test_late_samples_fill_in(server: TestVCenter, options: VSphereOptions) -> None:
    with Recording(server, options) as recording:
        recording.rounds(1)
        start = recording.last()
        server.fault("late", entity="vm-00001", for_=3, seconds=2)
        recording.rounds(7)
        end = recording.last() - 3_000
    feed = recording.feed
    assert differences(feed, server, start - 20_000, end) == []
    late = [health for health in feed.history if health.expected > health.received]
    assert late
    assert [gap for gap in feed.gaps if gap.start <= end] == []


def test_what_never_was_is_a_gap_to_the_sample(server: TestVCenter, options: VSphereOptions) -> None:
    with Recording(server, options) as recording:
        recording.rounds(1)
        now = recording.last() // 1000
        server.fault("missing", entity="vm-00002", **{"from": now + 2, "to": now + 5})
        recording.until(lambda: recording.feed.gaps)
        recording.rounds(3)
    feed = recording.feed
    assert [(gap.entity, gap.start, gap.end, gap.ticks) for gap in feed.gaps] == [
        (vm(feed, "vm-00002"), (now + 3) * 1000, (now + 5) * 1000, 3)
    ]
    lost = sum(1 for key in stored(feed) if key[:2] == ("vm", "vm-00002")) * 3
    assert feed.health[1].expected - feed.health[1].received == lost


def test_minus_one_is_absent(server: TestVCenter, options: VSphereOptions) -> None:
    with Recording(server, options) as recording:
        recording.rounds(1)
        now = recording.last() // 1000
        server.fault("absent", entity="vm-00003", counter="cpu.ready.*", **{"from": now + 1, "to": now + 3})
        recording.rounds(6)
        end = recording.last()
    feed = recording.feed
    ready = stored(feed)["vm", "vm-00003", "cpu.ready.summation", ""]
    assert not {(now + 2) * 1000, (now + 3) * 1000} & ready.keys()
    assert differences(feed, server, now * 1000, end) == []
    assert {gap.entity.kind for gap in feed.gaps if gap.entity} <= {"vcpu"}


FAULTS: list[tuple[str, dict[str, object]]] = [
    *QUERY_FAULTS,
    ("fault", {"method": "QueryPerf", "type": "SystemError", "text": "database", "count": 3}),
]


@pytest.mark.parametrize("part", [0, 1])
def test_it_goes_on_and_nothing_is_lost(server: TestVCenter, options: VSphereOptions, part: int) -> None:
    with Recording(server, options) as recording:
        recording.rounds(1)
        start = recording.last()
        for kind, how in FAULTS[part::2]:
            server.fault(kind, **how)
            recording.rounds(1)
        server.clear()
        recording.rounds(2)
        end = recording.last() - 1_000
    assert differences(recording.feed, server, start - 5_000, end) == []
    assert recording.feed.gaps == []


def test_what_was_refused_alone_is_asked_again(server: TestVCenter, options: VSphereOptions) -> None:
    with Recording(server, options) as recording:
        recording.rounds(1)
        start = recording.last()
        server.fault("fault", method="QueryPerf", type="SystemError", text="database", count=9)
        recording.rounds(2)
        server.clear()
        recording.rounds(3)
        end = recording.last() - 1_000
    assert differences(recording.feed, server, start - 5_000, end) == []
    assert recording.feed.gaps == []


def test_a_server_that_restarts(server: TestVCenter, options: VSphereOptions) -> None:
    with Recording(server, options) as recording:
        recording.rounds(1)
        start = recording.last()
        server.stop()
        recording.until(lambda: recording.feed.health[1].state == "reconnecting")
        assert recording.feed.health[1].message
        server.start()
        recording.until(lambda: recording.feed.health[1].state == "recording")
        recording.rounds(2)
        end = recording.last()
    assert differences(recording.feed, server, start - 5_000, end) == []
    assert recording.feed.gaps == []
    assert recording.feed.health[1].message == ""


def test_vms_that_come_move_stop_and_go(server: TestVCenter, options: VSphereOptions) -> None:
    with Recording(server, options) as recording:
        recording.rounds(1)
        start = recording.last()
        server.fault("vm_created", name="new", host="esx0001.lab", vcpus=2)
        server.fault("vm_moved", vm="vm-00001", host="esx0002.lab")
        server.fault("vm_power", vm="vm-00002", on=False)
        server.fault("vm_destroyed", vm="vm-00003")
        recording.until(lambda: any(key[1] == "new" for key in stored(recording.feed)))
        recording.rounds(3)
        server.fault("vm_power", vm="vm-00002", on=True)
        recording.rounds(5)
        end = recording.last() - 1_000
    wrong = [
        text for text in differences(recording.feed, server, start - 5_000, end) if "vm-00003" not in text
    ]
    assert wrong == []
    assert recording.feed.gaps == []


def test_a_vm_that_was_off_for_long_loses_nothing_until_it_is_seen_to_run(
    server: TestVCenter, tmp_path: Path
) -> None:
    late = VSphereOptions(extra_dirs=hasty(tmp_path, join_s=6))
    with Recording(server, late) as recording:
        recording.rounds(1)
        start = recording.last()
        server.fault("vm_power", vm="vm-00002", on=False)
        recording.rounds(5)  # beyond its last late samples
        server.fault("vm_moved", vm="vm-00001", host="esx0002.lab")
        recording.rounds(9)  # it is not asked for any more
        server.fault("vm_power", vm="vm-00002", on=True)
        woken = round(server.now() * 1000)
        recording.until(
            lambda: any(
                max(there) > woken for key, there in stored(recording.feed).items() if key[1] == "vm-00002"
            )
        )
        recording.rounds(3)
        end = recording.last() - 1_000
    assert differences(recording.feed, server, start - 5_000, end) == []
    assert recording.feed.gaps == []


def test_a_pause_is_a_gap(server: TestVCenter, options: VSphereOptions) -> None:
    with Recording(server, options) as recording:
        recording.rounds(1)
        recording.stop.paused = True
        recording.until(lambda: recording.feed.health[1].state == "paused")
        before = recording.last()
        wait_until(server, before / 1000 + 3)
        recording.stop.paused = False
        recording.rounds(3)
    (gap,) = recording.feed.gaps
    assert gap.reason == "paused"
    assert gap.entity is None
    times = sorted({t for there in stored(recording.feed).values() for t in there})
    assert [t for t in times if gap.start <= t <= gap.end] == []
    assert gap.start == before + 1_000
    assert gap.end + 1_000 in times
    assert gap.ticks == (gap.end - gap.start) // 1000 + 1


def wait_until(server: TestVCenter, when: float) -> None:
    """Until the server's clock shows ``when``."""
    while server.now() < when:
        server.samples(when - 1, when)


def test_a_second_run_goes_on_where_the_first_ended(server: TestVCenter, options: VSphereOptions) -> None:
    with Recording(server, options) as first:
        first.rounds(2)
        start = first.last()
    count = first.feed.count()
    with Recording(server, options, first.feed) as second:
        second.until(lambda: second.last() > start + 2_000)
        end = second.last()
    assert second.feed.count() > count
    assert second.feed.gaps == []
    assert differences(second.feed, server, start - 5_000, end) == []


def test_a_selection(server: TestVCenter, tmp_path: Path) -> None:
    chosen = VSphereOptions(selection=parse_selection(["vm:vm-0000[12]"]), extra_dirs=hasty(tmp_path))
    with Recording(server, chosen) as recording:
        recording.rounds(1)
    assert {key[1] for key in stored(recording.feed) if key[0] == "vm"} == {"vm-00001", "vm-00002"}
    assert {key[0] for key in stored(recording.feed)} == {"vm", "host"}


def test_no_performance_data(server: TestVCenter, options: VSphereOptions) -> None:
    server.fault("no_data", on=True)
    recording = Recording(server, options)
    with recording:
        recording.feed.until(lambda: recording.failure is not None)
        failure, recording.failure = recording.failure, None
    assert isinstance(failure, NoCountersError)


def test_more_than_the_server_takes_at_once(start_vcenter: Start, tmp_path: Path) -> None:
    server = start_vcenter(
        hosts=4, vms=40, interval=1, history=10, rollup=10, rollup_days=0, element_limit=1500
    )
    with Recording(server, VSphereOptions(extra_dirs=hasty(tmp_path))) as recording:
        recording.rounds(3)
        end = recording.last()
    assert differences(recording.feed, server, end - 3_000, end) == []
    assert recording.feed.gaps == []


def test_a_server_that_limits_calls_hears_few(server: TestVCenter, options: VSphereOptions) -> None:
    begun = server.now()
    with Recording(server, options) as recording:
        recording.rounds(4)
    seconds = server.now() - begun  # on a busy machine these are more than four rounds
    assert server.stats()["requests"]["QueryPerf"] < 20 + 3 * seconds


def test_the_servers_clock_jumps(server: TestVCenter, options: VSphereOptions) -> None:
    with Recording(server, options) as recording:
        recording.rounds(1)
        start = recording.last()
        server.jump(30)
        recording.rounds(31)
        server.jump(-5)
        recording.rounds(2)
        end = recording.last() - 1_000
    feed = recording.feed
    assert differences(feed, server, start - 5_000, end) == []
    (gap,) = [gap for gap in feed.gaps if gap.entity is None and gap.source == 1]
    assert 29 <= (gap.ticks or 0) <= 31
    times = sorted({t for there in stored(feed).values() for t in there})
    assert {gap.start - 1_000, gap.end + 1_000} <= set(times)
    assert [t for t in times if gap.start <= t <= gap.end] == []
    place = f"The clock of {server.place.host}:{server.place.port} was set"
    forward, back = [event for event in feed.events if event.kind == "clock"]
    assert forward.text == gap.reason == f"{place} forward by 30 s"
    assert back.text.startswith(f"{place} back by 5 s; it is recorded again from 20")
    assert not feed.twice


def test_stopping_does_not_wait_for_what_hangs(server: TestVCenter, options: VSphereOptions) -> None:
    with Recording(server, options) as recording:
        recording.rounds(1)
        server.fault("hang", method="QueryPerf")
        while not any(fault["hits"] for fault in server.faults()):
            pass
        began = server.now()
        recording.end()
        assert server.now() - began < 30
        server.clear()


def test_threads_and_memory_stay_as_they_are(server: TestVCenter, options: VSphereOptions) -> None:
    with Recording(server, options) as recording:
        recording.rounds(1)
        before = threading.active_count()
        for _ in range(10):
            server.fault("expire")
            server.fault("disconnect", count=1)
        recording.rounds(2)
        assert threading.active_count() <= before + 1


def test_a_server_that_samples_within_the_interval(start_vcenter: Start, options: VSphereOptions) -> None:
    """Samples at odd seconds, every two."""
    epoch = int(time.time()) // 2 * 2 - 59
    server = start_vcenter(hosts=1, vms=2, interval=2, epoch=epoch, rollup=10, rollup_days=0)
    with Recording(server, options) as recording:
        recording.rounds(2)
        end = recording.last()
    assert end // 1000 % 2 == 1
    assert differences(recording.feed, server, end - 30_000, end) == []
    assert recording.feed.gaps == []
    health = recording.feed.health[1]
    assert health.expected == health.received == recording.feed.count()


@pytest.mark.parametrize("fault", ["NoPermission", "InvalidArgument"])
def test_an_object_that_is_refused_costs_no_other_a_sample(
    server: TestVCenter, options: VSphereOptions, fault: str
) -> None:
    """A host whose state is in flux, or one that the account may not read, fails every call that names it."""
    with Recording(server, options) as recording:
        recording.rounds(1)
        start = recording.last()
        server.fault("refuse", entity="esx0001*", type=fault)
        recording.until(lambda: "gives no counters of" in recording.feed.health[1].message)
        said = recording.feed.health[1]
        recording.rounds(4)
        others = recording.last() - 1_000
        lacking = differences(recording.feed, server, start, others)
        server.clear()
        recording.rounds(6)
        end = recording.last() - 2_000
    assert (said.state, said.details) == ("recording", (("refused objects", f"esx0001.lab ({fault})"),))
    assert fault in said.message
    assert lacking
    assert all("'esx0001.lab'" in one for one in lacking)
    assert differences(recording.feed, server, start, end) == []
    assert recording.feed.gaps == []


def test_a_host_that_was_taken_out_and_put_in_again_goes_on(
    server: TestVCenter, options: VSphereOptions
) -> None:
    """It and its VMs have new ids in the vCenter, and are what they were: their series go on."""
    host = EntityRef("host", "esx0001.lab")
    with Recording(server, options) as recording:
        recording.rounds(2)
        feed = recording.feed
        before = {ref for ref in feed.entities if ref.kind in ("host", "vm")}
        series = len(feed.specs)
        server.fault("host_removed", host="esx0001.lab")
        recording.until(lambda: any(fact.entity == host and fact.end is not None for fact in feed.facts))
        gone = recording.last()
        server.fault("host_added", host="esx0001.lab")
        key = next(key for key in feed.specs if key[1] == host)
        recording.until(lambda: max(feed.samples[key]) > gone + 2_000)
    assert {ref for ref in feed.entities if ref.kind in ("host", "vm")} == before
    assert len(feed.specs) == series
