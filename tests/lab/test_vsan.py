"""vSAN in the lab: what its performance service tells, and that VMs wait for what it tells of."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest

from lab import Lab, vcenter_document
from lab.inventory import VSAN_LUN
from resources.catalogue import load_catalogue
from resources.vsan_service import load_vsan_service
from sessions.model import FloatArray
from tests.lab.runs import SCENARIOS
from tests.sessions.memory_session import MemorySession
from tests.vcenter_lab.vcenter_session import vcenter_session

KINDS = ("hybrid", "flash", "express")
SEED = 4


@cache
def document(scenario: str) -> dict[str, Any]:
    return dict(vcenter_document(Lab(SCENARIOS[scenario], seed=SEED), catalogue=load_catalogue()))


@cache
def lab(scenario: str) -> Lab:
    """The lab of a scenario, not run: its cast."""
    return Lab(SCENARIOS[scenario], seed=SEED)


@cache
def session(scenario: str) -> MemorySession:
    return vcenter_session(document(scenario), load_catalogue())


def told(scenario: str, kind: str, label: str) -> dict[str, FloatArray]:
    """A label of all entities of a type, by the host that has them; the cluster's under its UUID."""
    vsan = document(scenario)["vsan"]
    where = {**vsan["nodes"], **{disk["uuid"]: disk["host"] for disk in vsan["disks"]}}
    where |= {disk["group"]: disk["host"] for disk in vsan["disks"]}
    found: dict[str, list[list[int]]] = {}
    for one in vsan["entities"]:
        if one["type"] == kind and label in one["values"]:
            uuid = one["id"].partition("|")[0]
            found.setdefault(where.get(uuid, uuid), []).append(one["values"][label])
    return {host: np.array(rows, dtype=float) for host, rows in found.items()}


def highest(values: Mapping[str, FloatArray]) -> dict[str, float]:
    return {host: float(rows.max()) for host, rows in values.items()}


def host_of(scenario: str, role: str = "stage") -> str:
    (member,) = lab(scenario).cluster.cast[role].members
    return lab(scenario).hosts[member]


@pytest.mark.parametrize("kind", KINDS)
def test_it_tells_all_that_a_recording_asks_for(kind: str) -> None:
    """The types and labels that collectors.vsphere.vsan records; a read cache only hybrid clusters have."""
    service, vsan = load_vsan_service(), document(f"healthy-vsan-{kind}")["vsan"]
    assert vsan["architecture"] == ("ESA" if kind == "express" else "OSA")
    there = {one["type"]: set(one["values"]) for one in vsan["entities"]}
    asked = {
        one.id: set(service.metrics(one, vsan["architecture"])) for one in service.types(vsan["architecture"])
    }
    if kind == "flash":
        asked["disk-group"].discard("rcHitRate")
    assert there == asked


@pytest.mark.parametrize("kind", KINDS)
def test_samples_are_of_whole_five_minutes_and_whole_numbers(kind: str) -> None:
    found = document(f"healthy-vsan-{kind}")
    vsan, start = found["vsan"], found["start_ms"]
    times = np.array(vsan["times_ms"])
    assert (times % 300_000 == 0).all()
    assert (np.diff(times) == 300_000).all()
    assert times[0] - 300_000 >= start - 5_000
    assert times[-1] <= start + found["ticks"] * 20_000
    assert len(times) >= 5
    for one in vsan["entities"]:
        for values in one["values"].values():
            assert len(values) == len(times)
            assert all(type(value) is int and value >= 0 for value in values)


@pytest.mark.parametrize("kind", KINDS)
def test_neither_io_nor_replicas_are_made_or_lost(kind: str) -> None:
    """The cluster is the sum of its hosts; each write is done by two of them, each read by one."""
    name = f"healthy-vsan-{kind}"
    for label, copies in (("iopsRead", 1.0), ("iopsWrite", 2.0), ("throughputWrite", 2.0)):
        clients = sum(told(name, "host-domclient", label).values())
        (whole,) = told(name, "cluster-domclient", label).values()
        (behind,) = told(name, "cluster-domcompmgr", label).values()
        np.testing.assert_allclose(np.asarray(clients), whole, atol=3)
        np.testing.assert_allclose(behind, copies * whole, rtol=0.01, atol=3)


def test_reads_that_the_cache_does_not_have_are_done_by_the_disks() -> None:
    name = "vsan-cache-miss"
    for host, rows in told(name, "disk-group", "iopsRead").items():
        missed = rows[0] * (1.0 - told(name, "disk-group", "rcHitRate")[host][0] / 100.0)
        done = told(name, "capacity-disk", "iopsDevRead")[host].sum(axis=0)
        np.testing.assert_allclose(done, missed, rtol=0.05)


def test_a_recording_of_it_is_a_source_of_its_own() -> None:
    """Stored as the recorder's own book of vSAN stores it: parts, units, and what the datastore shows."""
    found = session("healthy-vsan-hybrid")
    one, other = found.sources()
    assert (one.spec.name, other.spec.name) == ("vc01.lab", "vc01.lab vSAN")
    assert other.spec.interval_s == 300.0
    series = [one for one in found.series() if one.source == other.id]
    kinds = {one.entity.kind for one in series}
    assert kinds == {"vsan", "datastore"}
    (frame,) = found.read(
        np.array([
            one.id for one in series
            if one.spec.counter == "vsan.write_buffer_free" and one.entity.kind == "datastore"
        ])
    )  # fmt: skip
    assert 80 < np.nanmean(frame.values) < 100
    parents = {found.entities()[one.entity].parent for one in series if one.entity.kind == "vsan"}
    assert {parent.kind for parent in parents if parent} == {"host", "cluster"}


@pytest.mark.parametrize(
    ("scenario", "kind"),
    [("vsan-congestion-write-buffer", "ssdCongestion"), ("vsan-congestion-log", "logCongestion")],
)
def test_congestion_is_of_the_group_that_falls_behind(scenario: str, kind: str) -> None:
    highest_of = highest(told(scenario, "disk-group", kind))
    behind = host_of(scenario)
    assert highest_of.pop(behind) >= 200
    assert max(highest_of.values()) == 0


def test_a_full_write_buffer_holds_back_the_writes_of_all_hosts() -> None:
    name = "vsan-congestion-write-buffer"
    free = told(name, "disk-group", "wbFreePct")[host_of(name)][0]
    assert free[0] > 60
    assert free[-1] < 5
    for rows in told(name, "host-domclient", "latencyAvgWrite").values():
        assert rows[0][-1] > 10 * rows[0][0]


def test_express_hosts_tell_of_congestion_as_their_vms_meet_it() -> None:
    name = "vsan-congestion-express"
    held = told(name, "host-domclient", "writeCongestion")
    assert min(highest(held).values()) > 30
    assert not told(name, "disk-group", "ssdCongestion")


def test_damaged_frames_are_counted_at_their_uplink_and_slow_its_host_most() -> None:
    name = "vsan-network-damaged-frames"
    bad = highest(told(name, "vsan-pnic-net", "rxCrcErr"))
    assert bad.pop(host_of(name)) >= 9
    assert max(bad.values()) == 0
    late = {host: float(rows[0][-1]) for host, rows in told(name, "host-domclient", "latencyAvgRead").items()}
    assert max(late, key=lambda host: late[host]) == host_of(name)


def test_what_is_lost_on_the_way_no_uplink_counts() -> None:
    name = "vsan-network-lost-on-the-way"
    assert highest(told(name, "vsan-host-net", "rxPacketsLossRate"))[host_of(name)] >= 17
    assert max(highest(told(name, "vsan-pnic-net", "rxCrcErr")).values()) == 0
    assert max(highest(told(name, "vsan-pnic-net", "portRxDrops")).values()) == 0


def test_a_rebuild_is_in_the_uplinks_and_in_what_vms_wait_for() -> None:
    name = "vsan-resync-rebuild"
    (copied,) = told(name, "cluster-domcompmgr", "throughputRecWrite").values()
    assert copied[0][0] == 0
    assert copied[0][-1] / (1 << 20) == pytest.approx(210, abs=15)
    (late,) = told(name, "cluster-domclient", "latencyAvgRead").values()
    assert late[0][-1] > 2.5 * late[0][0]


def test_reads_of_one_block_are_slow_on_the_disk_that_has_it() -> None:
    name = "vsan-dedup-hot-block"
    by_disk = told(name, "capacity-disk", "latencyDevRead")[host_of(name)][:, -1]
    assert by_disk[0] > 3000
    assert by_disk[1:].max() < 250
    even = told("lookalike-vsan-disks-busy-evenly", "capacity-disk", "latencyDevRead")
    assert max(highest(even).values()) < 300


def test_a_vms_disk_takes_as_long_as_vsan_tells() -> None:
    """The virtual disk's latency is that of its host's vSAN client, and what the VMkernel adds."""
    name = "vsan-congestion-log"
    whole = document(name)
    host = host_of(name, "second")
    mine = {f"vm:{vm['name']}" for vm in whole["vms"] if vm["host"] == host}
    rows = [
        one["values"][-45:-15] for one in whole["series"]
        if one["counter"] == "virtualDisk.totalWriteLatency.average" and one["object"] in mine
    ]  # fmt: skip
    (client,) = told(name, "host-domclient", "latencyAvgWrite")[host]
    assert float(np.mean(rows)) == pytest.approx(client[-2] / 1000.0, rel=0.1)


def test_esxtop_has_no_device_for_vsan_but_the_vms_disks() -> None:
    found = Lab(SCENARIOS["healthy-vsan-flash"], seed=SEED, fields="diagnosis")
    assert all(disk.lun == VSAN_LUN for vm in found.cluster.vms for disk in vm.disks)
    paths = [path for paths in found.columns() for path in paths]
    assert not [path for path in paths if "vsan" in path.instance.lower()]
    assert [path for path in paths if path.cls == "Virtual Disk"]
