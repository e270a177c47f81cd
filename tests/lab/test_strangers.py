"""Scenarios of a stranger to the cards: what they claim is what counters show, and the physics behind it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lab import Lab, Truth, vcenter_document
from lab.inventory import FLASH_ARRAY, HYBRID_ARRAY
from resources.catalogue import load_catalogue
from sessions.model import FloatArray
from tests.lab.runs import SCENARIOS, Run
from tests.lab.test_scenarios import CHECKS, Check, as_numbers, memory_above, vcpu_above
from tests.some_of_many import one_in

STRANGE = {name: one for name, one in SCENARIOS.items() if one.written_from == "text"}
SHOWN_BY = {
    name: tuple(expect.problem for expect in one.truth if "esxtop" in expect.views)
    for name, one in STRANGE.items()
}


def power(run: Run, truth: Truth) -> FloatArray:
    clock = run.all("PCPU Power State", "% of aperf/mperf", run.host(truth.name))
    return as_numbers(np.mean(list(clock.values()), axis=0) < 90)


def remote(run: Run, truth: Truth) -> FloatArray:
    return as_numbers(run.group("Group Memory", "Numa % Local", truth.name) < 80)


def rebalances(run: Run, truth: Truth) -> FloatArray:
    moved = run.all("Group Memory", "Numa Rebalance Count Delta", run.host(truth.name))
    return as_numbers(np.sum(list(moved.values()), axis=0) > 0)


def system_time(run: Run, truth: Truth) -> FloatArray:
    ran = run.vcpus("% Run", truth.name).sum(axis=0)
    return as_numbers(run.vcpus("% System", truth.name).sum(axis=0) > 0.1 * ran)


def host_demand(run: Run, truth: Truth) -> FloatArray:
    host = run.host(truth.name)
    active = np.sum(list(run.all("Group Memory", "Touched MBytes", host).values()), axis=0)
    return as_numbers(active > 0.8 * run.one("Memory", "Machine MBytes", host))


def guest_demand(run: Run, truth: Truth) -> FloatArray:
    size = run.group("Group Memory", "Memory Size MBytes", truth.name)
    return as_numbers(run.group("Group Memory", "Touched MBytes", truth.name) > 0.9 * size)


def of_hosts(run: Run, counter: str, device: str, cls: str = "Physical Disk SCSI Device") -> FloatArray:
    """A counter of a device, a row for each host."""
    return np.stack([run.one(cls, counter, host, device) for host in range(len(run.lab.hosts))])


def unanswered(run: Run, truth: Truth) -> FloatArray:
    active = of_hosts(run, "Active Commands", truth.name).max(axis=0)
    return as_numbers((active > 0) & (of_hosts(run, "Commands/sec", truth.name).max(axis=0) < 1))


def paths(run: Run, truth: Truth) -> FloatArray:
    """One path carries next to nothing, or takes far longer than the other."""
    lun = [one.name for one in run.lab.cluster.luns].index(truth.name)
    rows = {
        counter: [
            of_hosts(run, counter, f"vmhba{adapter}:C0:T0:L{lun}", "Physical Disk Path") for adapter in (1, 2)
        ]
        for counter in ("Commands/sec", "Average Driver MilliSec/Command")
    }
    first, second = rows["Commands/sec"]
    quick, slow = rows["Average Driver MilliSec/Command"]
    alone = (second < 0.05 * first) & (first > 5)
    return as_numbers((alone | (slow > 3 * np.maximum(quick, 0.1)) & (second > 5)).any(axis=0))


def conflicts(run: Run, truth: Truth) -> FloatArray:
    return as_numbers(of_hosts(run, "Failed Reserves/sec", truth.name).max(axis=0) > 0)


def virtual_disk(run: Run, truth: Truth) -> FloatArray:
    host, _, _ = run.vm(truth.name)
    return as_numbers(run.one("Virtual Disk", "Average MilliSec/Read", host, f"{truth.name}:scsi0:1") > 10)


def slow_link(run: Run, truth: Truth) -> FloatArray:
    name, _, nic = truth.name.rpartition("/")
    host = run.host(name)
    speeds = run.all("Network Port", "Link Speed (Mb/s)", host)
    mine = next(values for port, values in speeds.items() if port.endswith(f":{nic}") and values.any())
    twins = [values for port, values in speeds.items() if port.startswith("vSwitch1") and values.any()]
    return as_numbers(mine < np.max(twins, axis=0))


def device_slow(limit: float) -> Check:
    return lambda run, truth: as_numbers(
        of_hosts(run, "Average Driver MilliSec/Command", truth.name).max(axis=0) > limit
    )


def first_write(run: Run, truth: Truth) -> FloatArray:
    """Writes of one disk take far longer than its reads, while its device answers at once."""
    host, _, _ = run.vm(truth.name)
    disk = f"{truth.name}:scsi0:1"
    late = run.one("Virtual Disk", "Average MilliSec/Write", host, disk)
    return as_numbers(late > 3 * run.one("Virtual Disk", "Average MilliSec/Read", host, disk))


STRANGE_CHECKS: dict[str, tuple[Check, int]] = {
    **CHECKS,
    "cpu.vmwait": (vcpu_above("% VmWait", 5.0), 12),
    "cpu.power_management": (power, 40),
    "numa.remote_memory": (remote, 40),
    "numa.migrations": (rebalances, 30),
    "cpu.system_time": (system_time, 12),
    "mem.host_demand": (host_demand, 40),
    "mem.guest_demand": (guest_demand, 360),
    "mem.latency": (vcpu_above("% Memory Latency", 1.0), 12),
    "mem.host_cache": (memory_above(0.02, "Llswap Read MBytes/sec"), 12),
    "mem.limit": (memory_above(1.0, "Memctl MBytes", "Swapped MBytes"), 12),
    "storage.aborts": (unanswered, 12),
    "storage.path": (paths, 12),
    "storage.reservation_conflicts": (conflicts, 12),
    "storage.vm_latency": (virtual_disk, 12),
    "storage.first_write": (first_write, 30),
    "net.errors": (slow_link, 12),
}
"""Per problem: the check, and how many samples of 5 s must show it in the truth's window."""


@pytest.mark.parametrize("name", one_in(3, (name for name, shown in SHOWN_BY.items() if shown)))
def test_what_a_stranger_injects_shows_in_the_counters(name: str) -> None:
    run = Run(name, seed=5)
    checks = dict(STRANGE_CHECKS)
    if name == "storage-latency-nvme":
        checks["storage.device_latency"] = (device_slow(2.0), 12)
    truths = run.lab.truth().seen_in("esxtop").truth
    assert truths
    for truth in truths:
        check, enough = checks[truth.problem]
        inside = (run.seconds >= truth.start_s) & (run.seconds <= truth.end_s)
        shown = int(check(run, truth)[inside].sum())
        assert shown >= enough, f"{truth.problem} of {truth.name}: {shown} samples, {enough} needed"


def played(name: str, seconds: float = 300.0) -> Run:
    return Run(name, 5, fields="all", seconds=seconds)


def member(run: Run, role: str) -> str:
    """The first VM or LUN of a role."""
    cluster = run.lab.cluster
    cast = cluster.cast[role]
    return cluster.vms[cast.members[0]].name if cast.role.kind == "vm" else cluster.luns[cast.members[0]].name


@pytest.mark.parametrize("name", ["storage-path-slow", "storage-path-lost", "storage-snapshot-chain"])
def test_a_devices_commands_are_those_of_its_paths(name: str) -> None:
    """Commands and the time they take are neither made nor lost between a device and its paths."""
    run = played(name)
    device = member(run, "lun")
    lun = [one.name for one in run.lab.cluster.luns].index(device)
    for host in range(len(run.lab.hosts)):
        rate = run.one("Physical Disk SCSI Device", "Commands/sec", host, device)
        taken = rate * run.one("Physical Disk SCSI Device", "Average Driver MilliSec/Command", host, device)
        by_path = [
            (
                run.one("Physical Disk Path", "Commands/sec", host, path),
                run.one("Physical Disk Path", "Average Driver MilliSec/Command", host, path),
            )
            for path in (f"vmhba{adapter}:C0:T0:L{lun}" for adapter in (1, 2))
        ]
        np.testing.assert_allclose(sum(rates for rates, _ in by_path), rate, atol=0.03)
        np.testing.assert_allclose(
            sum(rates * each for rates, each in by_path), taken, atol=0.05 + 0.02 * float(rate.max())
        )


def test_an_iops_limit_holds_and_its_disk_obeys_littles_law() -> None:
    run = played("storage-iops-limit")
    name = member(run, "victim")
    host, _, _ = run.vm(name)
    disk = f"{name}:scsi0:1"
    rate = run.one("Virtual Disk", "Commands/sec", host, disk)
    late = run.one("Virtual Disk", "Average MilliSec/Read", host, disk)
    assert (rate[24:] <= 500.01).all()
    outstanding = rate[24:] * late[24:] / 1000
    assert outstanding.min() > 29
    assert outstanding.max() < 33


def test_a_snapshot_chain_makes_more_of_each_read_below_the_disk() -> None:
    run = played("storage-snapshot-chain")
    name, device = member(run, "victim"), member(run, "lun")
    host, _, _ = run.vm(name)
    cartel = next(vm.cartel for vm in run.lab.cluster.vms if vm.name == name)
    guest = run.one("Virtual Disk", "Commands/sec", host, f"{name}:scsi0:1")
    below = run.one("Physical Disk Per-Device-Per-World", "Commands/sec", host, f"{device}-{cartel}")
    assert (below[1:] > 1.5 * guest[1:]).all()


def test_a_device_that_does_not_answer_holds_what_guests_have_outstanding() -> None:
    run = played("storage-device-dead", 400.0)
    device, late = member(run, "lun"), slice(40, None)
    active = of_hosts(run, "Active Commands", device)[:, late]
    depth = of_hosts(run, "Device Q Depth", device)[:, late]
    assert (active <= depth).all()
    assert active.max() > 10
    done = of_hosts(run, "Commands/sec", device)[:, late]
    assert done.max() < 1.0


def test_storage_io_control_shortens_the_queue_and_lets_go() -> None:
    run = played("storage-sioc-throttles", 400.0)
    device = member(run, "lun")
    depth = of_hosts(run, "Device Q Depth", device)
    assert depth[:, :10].min() == depth[:, :10].max()
    assert depth[:, 40:].max() < 0.6 * depth[0, 0]
    short = played("lookalike-sioc-short", 400.0)
    depth = of_hosts(short, "Device Q Depth", member(short, "lun"))
    assert depth[:, -1].min() == depth[0, 0]


def shown_by_vcenter(lab: Lab, seconds: float) -> dict[str, Any]:
    return dict(vcenter_document(lab, duration_s=seconds, catalogue=load_catalogue()))


def test_vcenter_says_what_the_scenario_knows_and_tells() -> None:
    lab = Lab(SCENARIOS["storage-iops-limit"], seed=5)
    (victim,) = lab.cluster.cast["victim"].members
    document = shown_by_vcenter(lab, 60)
    (fact,) = document["facts"]
    assert fact["object"] == f"vm:{lab.cluster.vms[victim].name}"
    assert (fact["name"], fact["value"]) == ("vdisk.scsi0:1.limit_iops", 500)
    moved = Lab(SCENARIOS["vmotion-slow"], seed=5)
    (event,) = shown_by_vcenter(moved, 60)["happened"]
    assert 409 < event["lasted_s"] < 431
    assert "Migrate virtual machine" in event["text"]


def test_conflicts_end_with_what_makes_them() -> None:
    met = of_hosts(
        Run("lookalike-conflicts-once", 2), "Conflicts/sec", "naa.600508b4000ec8ee0000ac8e66e6"
    ).max(axis=0)
    assert 1 <= np.count_nonzero(met) <= 2
    assert met[-1] == 0


def test_vcenter_knows_of_link_speeds_storage_control_and_conflicts() -> None:
    lab = Lab(SCENARIOS["net-link-renegotiated"], seed=5)
    document = shown_by_vcenter(lab, 60)
    (change,) = document["facts"]
    assert (change["name"], change["value"]) == ("nic.speed_mbps", 1000)
    assert all(nic["speed_mbps"] == 10_000 for host in document["hosts"] for nic in host["nics"][2:])
    for scenario, counter in (
        ("storage-sioc-throttles", "datastore.siocActiveTimePercentage.average"),
        ("storage-reservation-conflicts", "disk.scsiReservationConflicts.summation"),
        ("net-frame-errors", "net.errorsRx.summation"),
    ):
        shown = shown_by_vcenter(Lab(SCENARIOS[scenario], seed=5), 240)
        series = [one["values"] for one in shown["series"] if one["counter"] == counter]
        assert max(map(max, series)) > 0, counter
        assert min(map(min, series)) == 0, counter


@pytest.mark.parametrize(
    ("name", "hosts"), [("healthy-two-hosts", 2), ("healthy-sixteen-hosts", 16), ("healthy-monsters", 2)]
)
def test_sites_have_other_shapes(name: str, hosts: int) -> None:
    lab = Lab(SCENARIOS[name], seed=5)
    assert len(lab.hosts) == hosts
    assert {vm.host for vm in lab.cluster.vms} == set(range(hosts))
    if name == "healthy-monsters":
        assert min(vm.vcpus for vm in lab.cluster.vms) >= 16


def test_sites_have_other_storage() -> None:
    nvme = Lab(SCENARIOS["healthy-nvme"], seed=5).cluster
    shared = [lun for lun in nvme.luns if lun.array in (HYBRID_ARRAY, FLASH_ARRAY)]
    assert len({lun.name for lun in shared}) == 7
    assert all(lun.name.startswith("eui.") for lun in shared)
    nfs = Lab(SCENARIOS["healthy-nfs"], seed=5).cluster
    assert all(nfs.luns[disk.lun].nfs for vm in nfs.vms for disk in vm.disks)
