"""Scenarios: what they claim is what the counters show, and what is healthy stays below every threshold."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from benchmarks.shown import VCENTER
from lab import Truth, find_scenario
from lab.controls import CONTROLS
from lab.inventory import UPLINKS
from lab.scenario import load_workloads
from resources.catalogue import load_catalogue
from resources.failures import NotFoundError
from sessions.model import FloatArray, Kind
from tests.lab.runs import SCENARIOS, Run
from tests.sessions.memory_session import MemorySession
from tests.some_of_many import one_in

PROBLEMS = {
    *("cpu.host_saturated", "cpu.guest_saturated", "cpu.ready_high", "cpu.limit", "cpu.costop"),
    *("cpu.single_vcpu", "mem.host_state", "mem.ballooning", "mem.compressing", "mem.swapping"),
    *("mem.swap_wait", "mem.swapped_past", "storage.device_latency", "storage.queueing", "storage.aborts"),
    *("storage.nfs_latency", "net.rx_drops", "net.tx_drops", "net.saturated", "data.insufficient"),
}
CAUSES = {
    "cpu.host_saturated": {"few_heavy_vms", "too_many_vms", "kernel_overhead", "power_capped"},
    "cpu.guest_saturated": {"undersized", "spinning_process"},
    "cpu.ready_high": {"affinity", "numa_imbalance", "low_shares", "power_management", "synchronised_bursts"},
    "cpu.limit": {"vm_limit", "pool_limit"},
    "cpu.costop": {"oversized_vcpus", "sibling_ready", "io_blocked"},
    "cpu.single_vcpu": {"single_threaded", "interrupt_pinned"},
    "mem.host_state": {"overcommit", "power_on_burst", "large_reservations"},
    "mem.ballooning": {"host_overcommit", "vm_limit", "pool_limit"},
    "mem.compressing": {"host_overcommit", "vm_limit", "balloon_missing"},
    "mem.swapping": {
        "host_overcommit",
        "tools_missing",
        "vm_limit",
        "pool_limit",
        "balloon_lag",
        "recovering",
    },
    "mem.swap_wait": {"swap_in", "decompression", "host_cache"},
    "mem.swapped_past": {"past_pressure"},
    "data.insufficient": {"few_samples", "gaps"},
}
"""Causes that esxtop's counters tell apart: each has a scenario."""

OF_CARDS = {name: one for name, one in SCENARIOS.items() if one.written_from == "cards"}
"""The scenarios of the cards' author; those of a stranger have tests/lab/test_strangers.py."""
PLAYED = [
    name
    for name, one in OF_CARDS.items()
    if one.kind == "problem" and (not one.truth or any("esxtop" in each.views for each in one.truth))
]
ONLY_IN_VCENTER = sorted({name for name, one in OF_CARDS.items() if one.kind == "problem"} - set(PLAYED))
"""Problems that esxtop has no counter for, such as those of vSAN's performance service."""
QUIET = [name for name, one in OF_CARDS.items() if one.kind in ("healthy", "lookalike")]

Check = Callable[[Run, Truth], FloatArray]
"""Which samples (as 0 and 1) show a problem on an entity beyond its published threshold."""


def as_numbers(shown: object) -> FloatArray:
    return np.asarray(shown, dtype=np.float64)


def host_saturated(run: Run, truth: Truth) -> FloatArray:
    host = run.host(truth.name)
    ready = np.max(list(run.all("Group Cpu", "% Ready", host).values())[5:], axis=0)
    busy = run.one("Physical Cpu", "% Util Time", host, "_Total")
    return as_numbers((busy > 75) & (ready > 5))


def guest_saturated(run: Run, truth: Truth) -> FloatArray:
    return as_numbers(run.vcpus("% Run", truth.name).mean(axis=0) > 75)


def ready_high(run: Run, truth: Truth) -> FloatArray:
    waited = run.vcpus("% Ready", truth.name) - run.vcpus("% Max Limited", truth.name)
    return as_numbers(waited.max(axis=0) > 5)


def vcpu_above(counter: str, limit: float) -> Check:
    return lambda run, truth: as_numbers(run.vcpus(counter, truth.name).max(axis=0) > limit)


def single_vcpu(run: Run, truth: Truth) -> FloatArray:
    ordered = np.sort(run.vcpus("% Run", truth.name), axis=0)
    return as_numbers((ordered[-1] > 75) & (ordered[-2] < 15))


def host_state(run: Run, truth: Truth) -> FloatArray:
    return as_numbers(run.one("Memory", "Kernel State", run.host(truth.name)) >= 2)


def memory_above(limit: float, *counters: str) -> Check:
    def check(run: Run, truth: Truth) -> FloatArray:
        return as_numbers(
            np.max([run.group("Group Memory", one, truth.name) for one in counters], axis=0) > limit
        )

    return check


def device_above(counter: str, limit: float, fewest: float = 20.0) -> Check:
    def check(run: Run, truth: Truth) -> FloatArray:
        shown = [
            (run.one("Physical Disk SCSI Device", counter, host, truth.name) > limit)
            & (run.one("Physical Disk SCSI Device", "Commands/sec", host, truth.name) >= fewest)
            for host in range(len(run.lab.hosts))
        ]
        return as_numbers(np.any(shown, axis=0))

    return check


def nfs_latency(run: Run, truth: Truth) -> FloatArray:
    volume = "Physical Disk NFS Volume"
    shown = [
        (run.one(volume, "Average Guest MilliSec/Command", host, truth.name) > 20)
        & (run.one(volume, "Commands/sec", host, truth.name) >= 20)
        for host in range(len(run.lab.hosts))
    ]
    return as_numbers(np.any(shown, axis=0))


def port_of(run: Run, truth: Truth) -> tuple[int, str]:
    """Host and port instance of a VM, or of an uplink."""
    if truth.kind == "nic":
        name, _, client = truth.name.rpartition("/")
        host = run.host(name)
    else:
        (host, _, _), client = run.vm(truth.name), truth.name
    ports = run.all("Network Port", "MBits Received/sec", host)
    return host, next(port for port in ports if port.endswith(f":{client}"))


def drops(way: str, packets: str) -> Check:
    def check(run: Run, truth: Truth) -> FloatArray:
        host, port = port_of(run, truth)
        lost = run.one("Network Port", way, host, port) > 0.05
        return as_numbers(lost & (run.one("Network Port", packets, host, port) >= 100))

    return check


def saturated(run: Run, truth: Truth) -> FloatArray:
    host, port = port_of(run, truth)
    speed = run.one("Network Port", "Link Speed (Mb/s)", host, port)
    ways = [run.one("Network Port", f"MBits {way}/sec", host, port) for way in ("Transmitted", "Received")]
    return as_numbers(np.max(ways, axis=0) > 0.75 * speed)


def insufficient(run: Run, _truth: Truth) -> FloatArray:
    few = run.expected * 5 < 60 or len(run.seconds) < 0.8 * run.expected
    return np.full(len(run.seconds), float(few))


CHECKS: dict[str, tuple[Check, int]] = {
    "cpu.host_saturated": (host_saturated, 12),
    "cpu.guest_saturated": (guest_saturated, 60),
    "cpu.ready_high": (ready_high, 12),
    "cpu.limit": (vcpu_above("% Max Limited", 1.0), 12),
    "cpu.costop": (vcpu_above("% CoStop", 3.0), 12),
    "cpu.single_vcpu": (single_vcpu, 120),
    "mem.host_state": (host_state, 12),
    "mem.ballooning": (memory_above(1.0, "Memctl MBytes"), 12),
    "mem.compressing": (memory_above(0.02, "Compression MBytes/sec", "Decompression MBytes/sec"), 2),
    "mem.swapping": (memory_above(0.02, "Swap Read MBytes/sec", "Swap Written MBytes/sec"), 2),
    "mem.swap_wait": (vcpu_above("% Swap Wait", 0.5), 12),
    "mem.swapped_past": (memory_above(1.0, "Swapped MBytes"), 12),
    "storage.device_latency": (device_above("Average Driver MilliSec/Command", 10.0), 12),
    "storage.queueing": (device_above("Average Kernel MilliSec/Command", 2.0), 12),
    "storage.aborts": (device_above("Aborts/sec", 0.0, fewest=0.0), 2),
    "storage.nfs_latency": (nfs_latency, 12),
    "net.rx_drops": (drops("% Received Packets Dropped", "Packets Received/sec"), 12),
    "net.tx_drops": (drops("% Outbound Packets Dropped", "Packets Transmitted/sec"), 12),
    "net.saturated": (saturated, 12),
    "data.insufficient": (insufficient, 1),
}
CHECKS["storage.noisy_neighbour"] = CHECKS["storage.device_latency"]
CHECKS["net.noisy_neighbour"] = CHECKS["net.saturated"]
"""Per problem: the check, and how many samples of 5 s must show it in the truth's window."""


def assert_truths_show(run: Run) -> None:
    truths = run.lab.truth().seen_in("esxtop").truth
    assert truths
    for truth in truths:
        check, enough = CHECKS[truth.problem]
        inside = (run.seconds >= truth.start_s) & (run.seconds <= truth.end_s)
        shown = int(check(run, truth)[inside].sum())
        assert shown >= enough, f"{truth.problem} of {truth.name}: {shown} samples, {enough} needed"


@pytest.mark.parametrize("name", one_in(3, PLAYED))
def test_what_is_injected_crosses_its_threshold(name: str) -> None:
    """The scoreboards, which ask for more, play two seeds besides: one for esxtop and one for vCenter."""
    assert_truths_show(Run(name, seed=11))


def vsan_disk_above_siblings(session: MemorySession, truth: Truth) -> FloatArray:
    """Five times as long as the median of the capacity disks of all hosts, which is more than 1 ms."""
    names = {one.ref: one.name for one in session.entities().values()}
    disks = {
        names[one.spec.entity]: one.id
        for one in session.series()
        if one.spec.counter == "vsan.latency_device" and "capacity disk" in names[one.spec.entity]
    }
    (frame,) = session.read(np.array(list(disks.values()), np.int64))
    own = list(disks).index(truth.name)
    median = np.median(frame.values, axis=1)
    return as_numbers((frame.values[:, own] > 5 * median) & (frame.values[:, own] > 1.0))


def slow_short_tasks(session: MemorySession, _truth: Truth) -> FloatArray:
    """Reconfigurations and power changes that take a minute or more, at each of their beginnings."""
    slow = [
        one
        for one in session.events()
        if one.kind in ("reconfigure", "power") and one.until - one.at >= 60_000
    ]
    return as_numbers([sum(one.at <= start.at <= one.until for one in slow) >= 3 for start in slow])


VCENTER_CHECKS: dict[str, tuple[Callable[[MemorySession, Truth], FloatArray], int]] = {
    "vsan.slow_disk": (vsan_disk_above_siblings, 2),
    "vcenter.slow": (slow_short_tasks, 2),
}
"""Per problem: the check of a vCenter's session, and how many samples or events must show it."""


@pytest.mark.parametrize("name", ONLY_IN_VCENTER)
def test_what_only_a_vcenter_shows_crosses_its_threshold(name: str) -> None:
    lab, session = VCENTER.play(SCENARIOS[name], 11, load_catalogue())
    truths = lab.truth().seen_in("vcenter").truth
    assert truths
    for truth in truths:
        check, enough = VCENTER_CHECKS[truth.problem]
        assert check(session, truth).sum() >= enough, truth


def test_the_demo_shows_all_of_its_problems() -> None:
    run = Run("demo", seed=1)
    assert_truths_show(run)
    assert len({truth.problem for truth in run.lab.truth().truth}) >= 5


def sustained(shown: FloatArray, samples: int) -> bool:
    """Whether ``samples`` of any window of five thirds as many show it (60 of 100 s)."""
    window = round(samples * 5 / 3)
    return bool((np.convolve(shown, np.ones(min(window, len(shown))), "valid") >= samples).any())


@pytest.mark.parametrize("name", [name for name in QUIET if SCENARIOS[name].kind == "healthy"])
def test_healthy_days_stay_below_every_threshold(name: str) -> None:
    run = Run(name, seed=17)
    cluster = run.lab.cluster
    named: list[tuple[Kind, str]] = [
        *(("vm", vm.name) for vm in cluster.vms),
        *(("host", host.name) for host in cluster.hosts),
        *(("datastore" if lun.nfs else "device", lun.name) for lun in cluster.luns),
        *(("nic", f"{host.name}/vmnic{n}") for host in cluster.hosts for n in range(UPLINKS)),
    ]  # fmt: skip
    entities = [Truth("", kind, name, "", 0, 0, "") for kind, name in named]
    of_kind = {
        "vm": {"cpu.guest_saturated", "cpu.ready_high", "cpu.limit", "cpu.costop", "mem.ballooning",
               "mem.compressing", "mem.swapping", "mem.swap_wait", "net.rx_drops", "net.tx_drops"},
        "host": {"cpu.host_saturated", "mem.host_state"},
        "device": {"storage.device_latency", "storage.queueing", "storage.aborts"},
        "datastore": {"storage.nfs_latency"},
        "nic": {"net.saturated", "net.rx_drops"},
    }  # fmt: skip
    for entity in entities:
        for problem in of_kind[entity.kind]:
            check, enough = CHECKS[problem]
            assert not sustained(check(run, entity), enough), (problem, entity.name)


def test_lookalikes_do_what_they_are_named_for() -> None:
    """A look-alike that shows nothing would prove nothing."""
    spike = Run("lookalike-cpu-spike", seed=2)
    victim = spike.lab.cluster.vms[spike.lab.cluster.cast["victim"].members[0]].name
    assert spike.vcpus("% Run", victim).mean(axis=0).max() > 95
    boot = Run("lookalike-vm-boot", seed=2)
    booting = boot.lab.cluster.vms[boot.lab.cluster.cast["booting"].members[0]].name
    busy = boot.vcpus("% Run", booting).mean(axis=0) > 80
    assert 5 <= int(busy.sum()) <= 20
    left = Run("lookalike-mem-past-balloon", seed=2)
    kept = left.lab.cluster.vms[left.lab.cluster.cast["victim"].members[0]].name
    assert left.group("Group Memory", "Memctl MBytes", kept).min() > 100
    assert not left.group("Group Memory", "Memctl Target MBytes", kept).any()


def test_every_problem_and_every_cause_that_shows_has_a_scenario() -> None:
    told = {(expect.problem, expect.cause) for one in OF_CARDS.values() for expect in one.truth}
    assert {problem for problem, _ in told} >= PROBLEMS
    for problem, causes in CAUSES.items():
        assert causes <= {cause for of, cause in told if of == problem}, problem


def test_quiet_scenarios_claim_nothing_and_all_say_what_an_expert_would() -> None:
    for one in SCENARIOS.values():
        assert len(one.expert.strip()) > 80, one.id
        assert one.title
        assert bool(one.truth) == (one.kind in ("problem", "demo")), one.id
        assert bool(one.problem) == (one.kind == "problem"), one.id
        if one.kind == "problem":
            assert one.problem in {expect.problem for expect in one.truth}, one.id
    assert {SCENARIOS[name].load for name in QUIET if SCENARIOS[name].kind == "healthy"} >= {
        ("low",), ("normal",), ("high",),
    }  # fmt: skip


def test_scenarios_change_parameters_that_are_there() -> None:
    for one in SCENARIOS.values():
        assert {inject.parameter for inject in one.inject} <= CONTROLS.keys(), one.id


def test_an_unknown_scenario_names_its_neighbours() -> None:
    with pytest.raises(NotFoundError, match="cpu-limit-vm"):
        find_scenario(SCENARIOS, "cpu-limit")


def test_truth_depends_on_the_seed_alone() -> None:
    one, again, other = (Run("cpu-limit-vm", seed=seed, seconds=5).lab.truth() for seed in (1, 1, 2))
    assert one == again
    assert one != other


def test_workloads_are_read_whole() -> None:
    path = Path(__file__).parents[2] / "resources" / "lab" / "site" / "workloads.toml"
    written = tomllib.loads(path.read_text(encoding="utf-8"))
    assert [role.name for role in load_workloads().role] == [role["name"] for role in written["role"]]
