"""The test vCenter's samples: what is asked for, in order, within its limits, and what tests take away."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyVmomi import vim, vmodl

from tests.vcenter.peers import Peer, moment
from tests.vcenter.running import TestVCenter

READY = "cpu.ready.summation"
USAGE = "cpu.usage.average"
Start = Callable[..., TestVCenter]
Login = Callable[..., Peer]


_HOST = {
    "name": "h1", "cluster": "c1", "cores": 4, "threads": 8, "mhz": 2400, "memory_mb": 65536,
    "numa_nodes": 2, "power_policy": "static", "nics": [{"name": "vmnic0", "speed_mbps": 10000}],
    "devices": [{"name": "naa.1", "queue_depth": 32, "local": False}], "adapters": ["vmhba0"],
}  # fmt: skip
_STORE = {
    "name": "ds1", "type": "VMFS", "url": "ds:///vmfs/volumes/u-1/", "uuid": "u-1", "capacity_mb": 1024.0,
    "free_mb": 512.0, "device": "naa.1", "hosts": ["h1"],
}  # fmt: skip
_VM = {
    "name": "one & only", "uuid": "502a0000-0000-4000-8000-000000000001", "host": "h1", "pool": "p1",
    "vcpus": 2, "memory_mb": 4096, "power": "on", "datastore": "ds1", "cpu_limit_mhz": 1000,
    "cpu_shares": 2000, "cpu_reservation_mhz": 0, "cpu_affinity": [0, 1], "mem_limit_mb": None,
    "mem_reservation_mb": 0, "tools": "notRunning", "snapshots": 2,
    "disks": [{"unit": "scsi0:0", "size_mb": 1024}],
    "nics": [{"key": 4000, "label": "Network adapter 1", "network": "lab"}],
}  # fmt: skip
_POOL = {"name": "p1", "parent": None, "cluster": "c1", "cpu_limit_mhz": 2000, "cpu_shares": 4000}
_SERIES = [
    {"object": "vm:one & only", "counter": READY, "instance": "", "values": [10, -1, 30]},
    {"object": "vm:one & only", "counter": "made.up.latest", "instance": "a<b", "values": [1, 2, 3]},
]
_EVENT = {"tick": 1, "type": "VmReconfiguredEvent", "vm": "one & only", "text": "Limit"}
TINY = {
    "format": 1, "scenario": "tiny", "seed": 1, "interval_s": 1, "ticks": 3,
    "clusters": [{"name": "c1", "drs": True}],
    "hosts": [_HOST], "datastores": [_STORE], "pools": [_POOL], "vms": [_VM], "events": [_EVENT],
    "series": _SERIES,
}  # fmt: skip


def test_realtime_is_ascending_after_start_up_to_end(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    vm = peer.all(vim.VirtualMachine)["vm-00001"]
    start, end = vcenter.epoch + 10, vcenter.epoch + 20
    found = peer.query(vm, [READY], 1, startTime=moment(start), endTime=moment(end))
    assert list(found[READY, ""]) == list(range(start + 1, end + 1))
    newest = peer.query(vm, [READY], 1, endTime=moment(end), maxSample=3)
    assert list(newest[READY, ""]) == [end - 2, end - 1, end]
    plain = peer.query(vm, [READY], 1, startTime=moment(start), endTime=moment(end), format="normal")
    assert plain == found


def test_a_star_is_every_instance_and_the_entity_itself(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    vm = peer.all(vim.VirtualMachine)["vm-00002"]
    found = peer.query(vm, [(READY, "*"), (USAGE, "")], 1, maxSample=1)
    assert set(found) == {(READY, ""), (READY, "0"), (READY, "1"), (USAGE, "")}
    disks = peer.query(vm, [("virtualDisk.totalReadLatency.average", "*")], 1, maxSample=1)
    assert [instance for _, instance in disks] == ["scsi0:0"]


def test_what_is_available_is_what_can_be_asked(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    names = {number: name for name, number in peer.ids.items()}
    host = peer.all(vim.HostSystem)["esx0001.lab"]
    available = [
        (names[one.counterId], one.instance)
        for one in peer.perf.QueryAvailablePerfMetric(host, None, None, 1)
    ]
    assert sorted(peer.query(host, available, 1, maxSample=1)) == sorted(available)
    assert len(available) > 300
    known = vcenter.samples(vcenter.epoch, vcenter.epoch + 1, kinds=["host"], entity="esx0001.lab")
    assert known["samples"] == known["series"] == len(available)


def test_samples_are_the_same_after_a_restart(vcenter: TestVCenter, login: Login) -> None:
    span = vcenter.epoch, vcenter.epoch + 30
    before, port = vcenter.samples(*span, values=True), vcenter.place
    vcenter.restart()
    assert vcenter.place == port
    assert vcenter.samples(*span, values=True) == before
    login(vcenter)


def test_the_control_port_tells_what_was_served(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    vm = peer.all(vim.VirtualMachine)["vm-00003"]
    start, end = vcenter.epoch + 10, vcenter.epoch + 40
    served = peer.query(vm, [(READY, "*")], 1, startTime=moment(start), endTime=moment(end))
    told = vcenter.samples(start, end, entity="vm-00003", counters=[READY], values=True)
    assert {
        (one["counter"], one["instance"]): dict(zip(one["t"], one["v"], strict=True))
        for one in told["listed"]
    } == served
    assert vcenter.stats()["totals"]["values"] == told["samples"]


def test_rollups_are_the_means_and_sums_of_their_ticks(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    host = peer.all(vim.HostSystem)["esx0001.lab"]
    start = vcenter.epoch - vcenter.epoch % 10 + 10
    rolled = peer.query(host, [USAGE], 10, startTime=moment(start), endTime=moment(start + 20))[USAGE, ""]
    assert list(rolled) == [start + 10, start + 20]
    ticks = peer.query(host, [USAGE], 1, startTime=moment(start), endTime=moment(start + 20))[USAGE, ""]
    for end, value in rolled.items():
        own = [ticks[at] for at in range(end - 9, end + 1)]
        assert value == (sum(own) + 5) // 10


def test_clusters_and_datastores_have_rollups_only(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    cluster = peer.all(vim.ClusterComputeResource)["cluster-01"]
    store = next(iter(peer.all(vim.Datastore).values()))
    assert peer.query(cluster, [USAGE], 10)[USAGE, ""]
    assert peer.query(store, ["datastore.numberReadAveraged.average"], 10)
    for entity in (cluster, store):
        assert not peer.perf.QueryPerfProviderSummary(entity).currentSupported
        with pytest.raises(vmodl.fault.InvalidArgument, match=r"querySpec\.interval"):
            peer.query(entity, [USAGE], 1)


@pytest.mark.parametrize(("level", "archived"), [(1, {""}), (3, {"", "0"})])
def test_below_their_level_instances_are_not_archived(
    start_vcenter: Start, login: Login, level: int, archived: set[str]
) -> None:
    server = start_vcenter(hosts=1, vms=1, interval=1, history=60, rollup=10, level=level)
    peer = login(server)
    vm = peer.all(vim.VirtualMachine)["vm-00001"]
    found = peer.query(vm, [(READY, "*"), ("mem.zipped.latest", "")], 10)
    assert {instance for _, instance in found} == archived
    available = peer.perf.QueryAvailablePerfMetric(vm, None, None, 10)
    assert {one.instance for one in available if one.counterId == peer.ids[READY]} == archived


def test_unknown_counters_and_intervals_and_entities_are_refused(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    vm = peer.all(vim.VirtualMachine)["vm-00001"]
    peer.ids["no.such.counter"] = 99_999
    with pytest.raises(vmodl.fault.InvalidArgument, match=r"querySpec\.metricId"):
        peer.query(vm, ["no.such.counter"], 1)
    with pytest.raises(vmodl.fault.InvalidArgument, match=r"querySpec\.interval"):
        peer.query(vm, [READY], 20)
    vcenter.fault("vm_destroyed", vm="vm-00001")
    with pytest.raises(vmodl.fault.ManagedObjectNotFound, match="has already been deleted"):
        peer.query(vm, [READY], 1)


def test_the_limit_of_metrics_is_said_and_kept(start_vcenter: Start, login: Login) -> None:
    server = start_vcenter(hosts=3, vms=3, interval=1, history=60, rollup=10, max_query_metrics=6)
    peer = login(server)
    limit = peer.content.setting.QueryOptions("config.vpxd.stats.maxQueryMetrics")
    assert limit[0].value == "6"
    host, cluster = (
        peer.all(vim.HostSystem)["esx0001.lab"],
        peer.all(vim.ClusterComputeResource)["cluster-01"],
    )
    names = [name for name in peer.ids if name.startswith("cpu.")]
    assert len(peer.query(host, names[:30], 1, maxSample=1)) > 6, "realtime is not limited"
    peer.query(host, names[:6], 10)
    peer.query(cluster, names[:2], 10)
    for entity, too_many in ((host, 7), (cluster, 3)):  # the cluster's count once for each of its hosts
        with pytest.raises(vim.fault.RestrictedByAdministrator, match=r"vpxd\.stats\.maxQueryMetrics"):
            peer.query(entity, names[:too_many], 10)


def test_too_many_elements_are_refused(start_vcenter: Start, login: Login) -> None:
    server = start_vcenter(hosts=1, vms=1, interval=1, element_limit=300)
    peer = login(server)
    vm = peer.all(vim.VirtualMachine)["vm-00001"]
    peer.query(vm, [READY] * 90, 1, maxSample=1)
    with pytest.raises(
        vmodl.fault.InvalidRequest, match="document element count exceeds configured maximum 300"
    ):
        peer.query(vm, [READY] * 100, 1, maxSample=1)


def test_missing_late_and_absent_samples(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    vms = peer.all(vim.VirtualMachine)
    start = vcenter.epoch + 10
    vcenter.fault("missing", entity="vm-00001", from_=start, to=start + 2)
    vcenter.fault("late", entity="vm-00002", from_=start, to=start + 3, seconds=600)
    vcenter.fault("absent", entity="vm-00003", counter="cpu.*", from_=start, to=start + 1)
    span = {"startTime": moment(start), "endTime": moment(start + 5)}

    def offsets(name: str) -> list[int]:
        return [at - start for at in peer.query(vms[name], [READY], 1, **span)[READY, ""]]

    assert offsets("vm-00001") == [3, 4, 5]
    assert offsets("vm-00002") == [4, 5]
    read = peer.query(vms["vm-00003"], [READY, "mem.consumed.average"], 1, **span)
    assert [value == -1 for value in read[READY, ""].values()] == [True, False, False, False, False]
    assert -1 not in read["mem.consumed.average", ""].values()
    assert offsets("vm-00004") == [1, 2, 3, 4, 5]
    counted = vcenter.samples(start, start + 5, counters=[READY], instances="own", kinds=["vm"])
    assert counted["entities"] == {"vm:vm-00001": 3, "vm:vm-00002": 5, "vm:vm-00003": 4, "vm:vm-00004": 5}
    vcenter.jump(600)  # what was late can be read now
    assert offsets("vm-00002") == [1, 2, 3, 4, 5]


def test_a_jump_of_the_clock_leaves_a_hole(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    vm = peer.all(vim.VirtualMachine)["vm-00001"]
    before = int(vcenter.now())
    after = vcenter.jump(300)
    assert 299 < after - before < 310
    assert abs(peer.instance.CurrentTime().timestamp() - after) < 10
    times = list(peer.query(vm, [READY], 1, startTime=moment(before - 5))[READY, ""])
    assert times[:5] == list(range(before - 4, before + 1))
    assert all(at > before + 299 for at in times[5:])


def test_a_vm_that_is_off_has_no_samples(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    vm = peer.all(vim.VirtualMachine)["vm-00001"]
    vcenter.fault("vm_power", vm="vm-00001", on=False)
    at = int(vcenter.now())
    vcenter.fault("missing", from_=at, to=at + 100)
    vcenter.jump(-1)
    assert max(peer.query(vm, [READY], 1)[READY, ""]) <= at
    vcenter.fault("no_data")
    assert peer.query(vm, [READY], 1) == {}
    assert len(peer.perf.QueryAvailablePerfMetric(vm, None, None, 1)) == 0


def test_a_scenario_is_shown_tick_by_tick_and_begins_again(
    start_vcenter: Start, login: Login, tmp_path: Path
) -> None:
    path = tmp_path / "scenario.json.gz"
    path.write_bytes(gzip.compress(json.dumps(TINY).encode()))
    server = start_vcenter(path, interval=1, history=4)
    peer = login(server)
    found = peer.all(vim.VirtualMachine)["one & only"]
    read = peer.query(found, [(READY, ""), ("made.up.latest", "*")], 1, endTime=moment(server.epoch + 3))
    assert [value for _, value in sorted(read[READY, ""].items())] == [10, -1, 30, 10]
    assert list(read["made.up.latest", "a<b"].values()) == [1, 2, 3, 1]
    assert found.config.cpuAllocation.limit == 1000
    assert list(found.config.cpuAffinity.affinitySet) == [0, 1]
    assert found.guest.toolsRunningStatus == "guestToolsNotRunning"
    assert found.snapshot.rootSnapshotList[0].childSnapshotList[0].name == "snapshot 2"
    assert found.resourcePool.name == "p1"
    assert found.resourcePool.config.cpuAllocation.limit == 2000
    lun = peer.all(vim.HostSystem)["h1"].config.storageDevice.scsiLun[0]
    assert (lun.canonicalName, lun.queueDepth) == ("naa.1", 32)
    told = peer.content.eventManager.QueryEvents(vim.event.EventFilterSpec())
    limits = [one for one in told if one.fullFormattedMessage == "Limit"]
    assert [one.createdTime.timestamp() - server.epoch for one in limits][-1] == 1
    assert limits[0].vm.vm == found


def test_what_a_scenario_knows_is_told_in_the_apis_form(
    start_vcenter: Start, login: Login, tmp_path: Path
) -> None:
    known = {
        "vm:one & only": [
            ("nic.4000.type", "e1000", 0), ("vdisk.scsi0:0.controller", "lsisas1068", 0),
            ("vdisk.scsi0:0.limit_iops", 500.0, 2), ("ft.latency_status", "red", 0),
            ("ft.secondary_latency_ms", 7200, 0), ("tier.nvme.read_mbps", 0.0, 0),
            ("tier.nvme.read_mbps", 40.0, 2), ("tier.nvme.read_mbps", 90.0, 1000),
        ],
        "host:h1": [
            ("mem.tiering", "softwareTiering", 0), ("tier.nvme_mb", 32768.0, 0), ("tier.dram_mb", 16384.0, 0)
        ],
    }  # fmt: skip
    facts = [
        {"object": what, "name": name, "value": value, "from_s": start}
        for what, those in known.items()
        for name, value, start in those
    ]
    path = tmp_path / "scenario.json"
    path.write_text(json.dumps({**TINY, "facts": facts}), encoding="utf-8")
    server = start_vcenter(path, interval=1, history=4)
    peer = login(server)
    vm, host = peer.all(vim.VirtualMachine)["one & only"], peer.all(vim.HostSystem)["h1"]
    device = vim.vm.device
    for kind in (device.VirtualE1000, device.VirtualLsiLogicSASController):
        assert len([one for one in vm.config.hardware.device if type(one) is kind]) == 1, kind
    (disk,) = [one for one in vm.config.hardware.device if isinstance(one, device.VirtualDisk)]
    allocation: Any = disk.storageIOAllocation
    assert allocation.limit == 500
    quick = vm.summary.quickStats
    assert (quick.ftLatencyStatus, quick.ftSecondaryLatency) == ("red", 7200)
    assert host.hardware.memoryTieringType == "softwareTiering"
    tiers = [(one.type, one.size >> 20) for one in host.hardware.memoryTierInfo]
    assert tiers == [("DRAM", 16384), ("NVMe", 32768)]

    def reads() -> list[tuple[str, int]]:
        return [(one.memoryTierType, one.readBandwidth) for one in vm.summary.quickStats.memoryTierStats]

    assert reads() == [("NVMe", 40)], "the third comes at second 1000"
    server.jump(1000)
    deadline = time.monotonic() + 30
    while reads() != [("NVMe", 90)] and time.monotonic() < deadline:
        time.sleep(0.05)
    assert reads() == [("NVMe", 90)], "a scenario's facts do not begin again with its samples"


@pytest.mark.usefixtures("start_vcenter")
def test_a_device_that_nobody_knows_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "scenario.json"
    told = {"object": "vm:one & only", "name": "nic.4000.type", "value": "ne2000", "from_s": 0}
    path.write_text(json.dumps({**TINY, "facts": [told]}), encoding="utf-8")
    server = TestVCenter(path)
    try:
        with pytest.raises(AssertionError, match='"one & only" has the network adapter ne2000'):
            server.start()
    finally:
        server.close()
