"""A scenario as vCenter shows it: whole numbers in vCenter's units, the inventory as the lab is set up."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.program import run
from lab import Lab, export_vcenter, load_scenarios, read_vcenter, vcenter_document
from resources.catalogue import load_catalogue
from resources.conversions import scale_of
from resources.failures import AlreadyExistsError, CancelledError, NotFoundError

SCENARIOS = load_scenarios()
Json = dict[str, Any]


@cache
def document(scenario: str = "cpu-limit-vm", seed: int = 6, seconds: float = 300) -> Json:
    return vcenter_document(Lab(SCENARIOS[scenario], seed=seed), duration_s=seconds)


def one(found: Json, what: str, counter: str, instance: str = "") -> list[int]:
    (series,) = [
        series
        for series in found["series"]
        if (series["object"], series["counter"], series["instance"]) == (what, counter, instance)
    ]
    values: list[int] = series["values"]
    return values


def named(found: Json, kind: str, name: str) -> Json:
    (entry,) = [entry for entry in found[kind] if entry["name"] == name]
    result: Json = entry
    return result


def test_every_series_is_whole_numbers_one_for_each_interval() -> None:
    found = document()
    assert (found["format"], found["interval_s"], found["ticks"]) == (1, 20, 15)
    objects = {f"host:{host['name']}" for host in found["hosts"]} | {
        f"vm:{vm['name']}" for vm in found["vms"]
    }
    for series in found["series"]:
        assert len(series["values"]) == 15
        assert all(type(value) is int and value >= 0 for value in series["values"])
        assert series["object"] in objects
    keys = [(series["object"], series["counter"], series["instance"]) for series in found["series"]]
    assert len(keys) == len(set(keys))


def test_it_has_each_twin_that_the_lab_can_show() -> None:
    there = {series["counter"] for series in document()["series"]}
    twins = {twin.name for counter in load_catalogue().counters() for twin in counter.vcenter}
    never_in_the_lab = {
        "rescpu.maxLimited1.latest", "net.throughput.usage.iscsi.average",
        "net.throughput.usage.hbr.average", "net.errorsTx.summation",
        # Storage I/O Control: the lab of tests (lab/acted) shows these, that of scenarios has none.
        "datastore.sizeNormalizedDatastoreLatency.average", "datastore.datastoreVMObservedLatency.latest",
        "datastore.siocActiveTimePercentage.average",
    }  # fmt: skip
    assert twins - there == never_in_the_lab


def test_the_times_of_a_vcpu_make_up_its_interval() -> None:
    found = document()
    for vm in found["vms"]:
        times = np.array([
            one(found, f"vm:{vm['name']}", f"cpu.{name}.summation", "0")
            for name in ("run", "ready", "costop", "wait")
        ])  # fmt: skip
        assert times.sum(axis=0) == pytest.approx(20_000, rel=0.02)


def test_a_vm_s_own_times_are_those_of_its_vcpus() -> None:
    found = document()
    for vm in found["vms"]:
        what = f"vm:{vm['name']}"
        for counter in ("cpu.ready.summation", "cpu.run.summation"):
            vcpus = np.sum([one(found, what, counter, str(n)) for n in range(vm["vcpus"])], axis=0)
            assert np.abs(vcpus - one(found, what, counter)).max() <= vm["vcpus"]
        ready = np.array(one(found, what, "cpu.ready.summation"))
        readiness = np.array(one(found, what, "cpu.readiness.average"))
        assert np.abs(ready / (200 * vm["vcpus"]) - readiness / 100).max() < 0.01


def test_values_are_esxtop_s_through_the_inverse_of_the_conversions() -> None:
    """The means of four ticks, converted back, are what esxtop printed in the same 20 seconds."""
    lab, found = (
        Lab(SCENARIOS["storage-latency-own-load"], seed=3),
        document("storage-latency-own-load", 3, 120),
    )
    columns = {(path.cls, path.counter, path.instance): n for n, path in enumerate(lab.columns()[0])}
    rows = np.stack([tick.rows[0] for _ in range(24) if (tick := lab.tick())])
    means = rows.reshape(6, 4, -1).mean(axis=1)
    device, host = lab.cluster.luns[0].name, f"host:{lab.hosts[0]}"
    scale = scale_of("kbps_to_mbps", 20.0) or 0.0
    written = np.array(one(found, host, "disk.write.average", device)) * scale
    printed = means[1:, columns["Physical Disk SCSI Device", "MBytes Written/sec", device]]
    assert written[1:] == pytest.approx(printed, abs=0.01)
    usage = np.array(one(found, host, "cpu.utilization.average")) / 100
    assert usage == pytest.approx(means[:, columns["Physical Cpu", "% Util Time", "_Total"]], abs=0.02)


def test_latencies_are_weighed_by_ios_and_whole_milliseconds() -> None:
    lab, found = (
        Lab(SCENARIOS["storage-latency-own-load"], seed=3),
        document("storage-latency-own-load", 3, 120),
    )
    device, host = lab.cluster.luns[0].name, f"host:{lab.hosts[0]}"
    tables = lab.esxtop_tables["Physical Disk SCSI Device"]
    place = tables.names[0].index(device)
    ticks = []
    for _ in range(4):
        lab.tick()
        ticks.append(
            (tables.row["Commands/sec"][place], tables.row["Average Driver MilliSec/Command"][place])
        )
    rates, latencies = np.array(ticks).T
    expected = round(float((rates * latencies).sum() / rates.sum()))
    assert one(found, host, "disk.deviceLatency.average", device)[0] == expected


def test_shared_devices_are_seen_by_every_host_and_local_ones_say_so() -> None:
    found = document()
    for host in found["hosts"]:
        shared = [device["name"] for device in host["devices"] if not device["local"]]
        assert len(shared) == 7
        for device in shared:
            assert one(found, f"host:{host['name']}", "disk.commandsAveraged.average", device)
    assert {store["type"] for store in found["datastores"]} == {"VMFS", "NFS"}
    for store in found["datastores"]:
        host = f"host:{found['hosts'][0]['name']}"
        assert one(found, host, "datastore.totalReadLatency.average", store["uuid"])


def test_a_limit_is_in_the_inventory_because_the_lab_has_it() -> None:
    lab = Lab(SCENARIOS["cpu-limit-vm"], seed=6)
    victims = {lab.cluster.vms[one].name for one in lab.cluster.cast["victim"].members}
    limited = {vm["name"] for vm in document()["vms"] if vm["cpu_limit_mhz"] is not None}
    assert limited == victims
    assert all(pool["cpu_limit_mhz"] is None for pool in document()["pools"])


def test_a_pool_s_limit_is_on_a_pool_of_those_that_it_holds() -> None:
    lab, found = Lab(SCENARIOS["cpu-limit-pool"], seed=1), document("cpu-limit-pool", 1, 600)
    (pool,) = [pool for pool in found["pools"] if pool["cpu_limit_mhz"] is not None]
    assert pool["parent"] == "Test"
    held = {vm["name"] for vm in found["vms"] if vm["pool"] == pool["name"]}
    assert held == {lab.cluster.vms[one].name for one in lab.cluster.cast["test"].members}
    assert all(vm["cpu_limit_mhz"] is None for vm in found["vms"])


@pytest.mark.parametrize(
    ("scenario", "role", "fact", "value"),
    [
        ("cpu-costop-snapshot", "victim", "snapshots", 1),
        ("mem-swapping-tools-missing", "", "tools", "notRunning"),
        ("cpu-ready-affinity", "pinned", "cpu_affinity", None),
    ],
)
def test_what_a_cause_needs_is_the_lab_s_own_state(
    scenario: str, role: str, fact: str, value: object
) -> None:
    lab, found = Lab(SCENARIOS[scenario], seed=2), document(scenario, 2, 60)
    odd = {vm["name"] for vm in found["vms"] if vm[fact] not in (0, "running", [])}
    if role:
        assert odd == {lab.cluster.vms[one].name for one in lab.cluster.cast[role].members}
    else:
        assert odd == {vm.name for vm in lab.cluster.vms if not vm.tools}
    assert odd
    if value is not None:
        assert {vm[fact] for vm in found["vms"] if vm["name"] in odd} == {value}


def test_a_limit_that_comes_in_the_run_is_an_event() -> None:
    found = document("mem-swapping-vm-limit", 1, 600)
    limited = [vm for vm in found["vms"] if vm["mem_limit_mb"] is not None]
    assert limited
    for event in found["events"]:
        assert event["type"] == "VmReconfiguredEvent"
        assert 0 <= event["tick"] < found["ticks"]
        assert named(found, "vms", event["vm"])


def test_a_sleeping_collector_leaves_absent_samples() -> None:
    found = document("data-gaps", 3, 600)
    values = np.array([series["values"] for series in found["series"]])
    absent = (values == -1).all(axis=0)
    assert ((values == -1).any(axis=0) == absent).all()
    assert absent.sum() < found["ticks"] / 2


def test_the_file_is_the_document_and_only_a_whole_one_appears(tmp_path: Path) -> None:
    out = tmp_path / "limit.json.gz"
    assert export_vcenter(Lab(SCENARIOS["cpu-limit-vm"], seed=6), out, duration_s=300) == out
    assert read_vcenter(out) == document()
    assert json.loads(gzip.decompress(out.read_bytes()))["scenario"] == "cpu-limit-vm"
    with pytest.raises(AlreadyExistsError):
        export_vcenter(Lab(SCENARIOS["cpu-limit-vm"], seed=6), out, duration_s=60)
    with pytest.raises(NotFoundError):
        export_vcenter(Lab(SCENARIOS["cpu-limit-vm"], seed=6), tmp_path / "no" / "x.json.gz", duration_s=60)
    assert [file.name for file in tmp_path.iterdir()] == [out.name]


class _Stopped:
    def is_set(self) -> bool:
        return True

    def wait(self, timeout: float | None = None) -> bool:
        return timeout != 0


def test_stopped_it_leaves_nothing(tmp_path: Path) -> None:
    lab = Lab(SCENARIOS["cpu-limit-vm"], seed=6)
    with pytest.raises(CancelledError):
        export_vcenter(lab, tmp_path / "x.json.gz", duration_s=60, cancel=_Stopped())
    assert not list(tmp_path.iterdir())


def test_the_command_writes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "limit.json.gz"
    words = ["lab", "export", "cpu-limit-vm", "--vcenter", "-o", str(out), "--duration", "60", "--json"]
    assert run(words) == 0
    assert json.loads(capsys.readouterr().out)["files"] == [str(out)]
    assert read_vcenter(out)["ticks"] == 3


def test_the_command_refuses_what_only_captures_have(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["lab", "export", "cpu-limit-vm", "--vcenter", "--split", "-o", "x.json.gz"]) != 0
    assert "--vcenter" in capsys.readouterr().err
