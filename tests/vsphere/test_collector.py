"""The whole collector: against plain vcsim, which no one here wrote, and what it says when it can't."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from collectors.vsphere.collector import VSphereCollector
from collectors.vsphere.options import VSphereOptions
from collectors.vsphere.selection import parse_selection
from connections.vsphere.address import parse_address
from resources.failures import (
    HyperscopeError,
    LoginError,
    NotFoundError,
    RefusedError,
    UsageError,
)
from tests.vcenter.running import PASSWORD, PlainVcsim, TestVCenter, free_port
from tests.vsphere.feeds import MemoryFeed, Stop
from tests.vsphere.recording import Recording, hasty, stored

Start = Callable[..., TestVCenter]


@pytest.mark.slow
def test_plain_vcsim_gives_every_expected_sample(vcsim: PlainVcsim) -> None:
    """It gives ``*`` back, sorts the newest first and lists a counter that it does not define."""
    with Recording(vcsim, VSphereOptions()) as recording:
        recording.until(lambda: recording.last() > 0)
        recording.rounds(1)
    health = recording.feed.health[1]
    assert health.expected == health.received == recording.feed.count()
    assert recording.feed.gaps == []
    assert ("undefined counters", "10042") in health.details
    instances = {key[3] for key in stored(recording.feed)}
    assert "*" not in instances
    assert {"", "0"} <= instances
    assert min(len(samples) for key, samples in recording.feed.samples.items() if key[0] == 1) > 170


def failure(collector: VSphereCollector) -> HyperscopeError:
    with pytest.raises(HyperscopeError) as caught:
        collector.run(MemoryFeed(), Stop())
    return caught.value


def test_a_wrong_password_is_said_at_once(vcenter: TestVCenter) -> None:
    collector = VSphereCollector(
        parse_address(vcenter.address), lambda: "x", VSphereOptions(), thumbprint=vcenter.thumbprint
    )
    assert isinstance(failure(collector), LoginError)


def test_a_refused_port_is_said_at_once() -> None:
    address = parse_address(f"vcenter://root@127.0.0.1:{free_port()}")
    assert isinstance(failure(VSphereCollector(address, lambda: "x", VSphereOptions())), RefusedError)


def test_it_says_how_far_the_inventory_is(start_vcenter: Start) -> None:
    with Recording(start_vcenter(hosts=4, vms=40, rollup_days=0), VSphereOptions(rollups=False)) as recording:
        recording.until(lambda: recording.last() > 0)
    said = [health.message for health in recording.feed.history if health.state == "connecting"]
    assert said[0] == "Reading the inventory."
    assert said[1] == "Reading the inventory: 20 objects so far."
    assert len(said) > 2


def test_who_has_not_begun_is_stopped_at_once(vcenter: TestVCenter) -> None:
    vcenter.fault("hang", method="WaitForUpdatesEx", seconds=300)
    with Recording(vcenter, VSphereOptions()) as recording:
        while vcenter.faults()[0]["hits"] == 0:
            recording.stop.wait(0.05)
    assert recording.feed.layouts == []
    assert [fault["kind"] for fault in vcenter.faults()] == ["hang"]


def test_a_selection_of_nothing_is_said(vcenter: TestVCenter) -> None:
    options = VSphereOptions(selection=parse_selection(["vm:no-such"]))
    collector = VSphereCollector(
        parse_address(vcenter.address), lambda: PASSWORD, options, thumbprint=vcenter.thumbprint
    )
    error = failure(collector)
    assert isinstance(error, NotFoundError)
    assert "vm:no-such" in error.happened


def test_an_unknown_preset_is_refused() -> None:
    with pytest.raises(UsageError, match="no preset"):
        VSphereCollector(parse_address("vcenter://a@b"), lambda: "x", VSphereOptions(preset="none"))


def test_vcpus_that_change_keep_the_scale(start_vcenter: Start, tmp_path: Path) -> None:
    """Milliseconds are stored as if the VM still had the vCPUs that the series' scale was made for."""
    server = start_vcenter(hosts=1, vms=1, interval=1, history=5, rollup=10, rollup_days=0)
    options = VSphereOptions(extra_dirs=hasty(tmp_path), rollups=False)
    with Recording(server, options) as recording:
        recording.rounds(1)
        before = vcpus(recording)
        server.fault("vm_reconfigured", vm="vm-00001", vcpus=2 * before)
        recording.until(lambda: vcpus(recording) == before * 2)
        recording.rounds(3)
        end = recording.last()
    rows = server.samples((end - 1_000) / 1000, end / 1000, values=True)["listed"]
    theirs = next(
        row["v"][0]
        for row in rows
        if (row["entity"], row["counter"], row["instance"]) == ("vm-00001", "cpu.run.summation", "")
    )
    mine = stored(recording.feed)["vm", "vm-00001", "cpu.run.summation", ""][end]
    assert mine == pytest.approx(theirs / 2)


def test_tools_that_are_not_installed_are_a_fact(start_vcenter: Start, tmp_path: Path) -> None:
    server = start_vcenter(hosts=1, vms=2, interval=1, history=5, rollup=10, rollup_days=0)
    with Recording(server, VSphereOptions(extra_dirs=hasty(tmp_path), rollups=False)) as recording:
        recording.rounds(1)
        server.fault("vm_tools", vm="vm-00001", tools="notInstalled")
        recording.until(lambda: "guestToolsNotInstalled" in told(recording, "tools_status"))
    assert told(recording, "tools_status") == ["guestToolsCurrent", "guestToolsNotInstalled"]
    assert told(recording, "tools")[-1] == "guestToolsNotRunning"


def told(recording: Recording, name: str) -> list[object]:
    """The values of a fact of the first VM, in order of time."""
    vm = next(ref for ref, entity in recording.feed.entities.items() if entity.name == "vm-00001")
    return [fact.value for fact in recording.feed.facts if fact.name == name and fact.entity == vm]


def vcpus(recording: Recording) -> int:
    told = [fact.value for fact in recording.feed.facts if fact.name == "vcpus"]
    return int(told[-1]) if told else 0


def test_a_host_that_does_not_respond(start_vcenter: Start, tmp_path: Path) -> None:
    server = start_vcenter(hosts=2, vms=2, interval=1, history=5, rollup=10, rollup_days=0)
    with Recording(server, VSphereOptions(extra_dirs=hasty(tmp_path), rollups=False)) as recording:
        recording.rounds(1)
        server.fault("host_connection", host="esx0001.lab", on=False)
        recording.rounds(3)
        server.fault("host_connection", host="esx0001.lab", on=True)
        recording.until(
            lambda: any(gap.entity and gap.entity.key == "esx0001.lab" for gap in recording.feed.gaps)
        )
    feed = recording.feed
    (gap,) = [gap for gap in feed.gaps if gap.entity and gap.entity.key == "esx0001.lab"]
    samples = stored(feed)["host", "esx0001.lab", "cpu.usage.average", ""]
    assert gap.start - 1_000 in samples
    assert gap.end + 1_000 in samples
    assert [t for t in samples if gap.start <= t <= gap.end] == []
    assert gap.ticks == (gap.end - gap.start) // 1_000 + 1


def test_a_host_alone(start_vcenter: Start, tmp_path: Path) -> None:
    server = start_vcenter(esxi=True, vms=2, interval=1, history=5)
    with Recording(server, VSphereOptions(extra_dirs=hasty(tmp_path)), scheme="esxi") as recording:
        recording.rounds(2)
    assert recording.feed.sources[1].kind == "esxi"
    assert {key[0] for key in stored(recording.feed)} == {"host", "vm"}
    assert len(recording.feed.sources) == 1


def test_a_right_that_is_taken_away_is_waited_for(start_vcenter: Start, tmp_path: Path) -> None:
    """By everything that records, not only by the realtime counters: rollups must not end them."""
    server = start_vcenter(hosts=1, vms=2, interval=1, history=10, rollup=3, rollup_days=0)
    with Recording(server, VSphereOptions(extra_dirs=hasty(tmp_path))) as recording:
        feed = recording.feed
        recording.rounds(1)
        recording.rounds(1, source=2)
        server.fault("fault", method="CurrentTime", type="NoPermission", text="Permission denied")
        recording.until(lambda: all(one.state == "reconnecting" for one in feed.health.values()))
        server.clear()
        recording.until(lambda: all(one.state == "recording" for one in feed.health.values()))
