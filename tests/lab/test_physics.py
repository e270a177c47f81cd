"""Laws that hold for everything that the lab prints, whatever is injected."""

from __future__ import annotations

from functools import lru_cache

import msgspec
import numpy as np
import pytest

from lab import Lab
from lab.fields import APERF
from lab.scenario import Role, Scenario
from tests.lab.runs import SCENARIOS, Run

HARD_CASES = (
    "cpu-saturated-few-heavy",
    "cpu-limit-pool",
    "mem-swapping-tools-missing",
    "mem-swapping-balloon-lag",
    "storage-latency-noisy-neighbour",
    "net-tx-drops-uplink-saturated",
    "healthy-high",
)


@lru_cache(maxsize=2)  # each holds 46,000 series
def run(scenario: str, seed: int = 3) -> Run:
    return Run(scenario, seed, fields="all", seconds=600)


@pytest.fixture(params=HARD_CASES, scope="module")  # one case after another: each process runs few of them
def any_run(request: pytest.FixtureRequest) -> Run:
    return run(request.param)


def test_vcpus_never_run_more_than_there_are_pcpus(any_run: Run) -> None:
    for host, spec in enumerate(any_run.lab.cluster.hosts):
        worlds = any_run.all("Vcpu", "% Run", host)
        total = np.sum([values for name, values in worlds.items() if "vmx-vcpu-" in name], axis=0)
        assert (total <= 100.0 * spec.pcpus + 1.0).all()


def test_utilisation_is_what_runs(any_run: Run) -> None:
    """PCPU UTIL holds what vCPUs ran, and little more: the VMkernel's own time."""
    for host, spec in enumerate(any_run.lab.cluster.hosts):
        worlds = any_run.all("Vcpu", "% Run", host)
        ran = sum(values for name, values in worlds.items() if "vmx-vcpu-" in name) / spec.pcpus
        utilised = any_run.one("Physical Cpu", "% Util Time", host, "_Total")
        assert (utilised >= ran - 1.5).all()
        assert (utilised <= ran + 8.0).all()


def test_two_busy_threads_share_the_work_of_their_core(any_run: Run) -> None:
    """PCPU USED: beside a busy partner each has half [MON70], so that two never have more than one core."""
    for host, spec in enumerate(any_run.lab.cluster.hosts):
        used, cores = (
            np.array([any_run.one("Physical Cpu", name, host, str(number)) for number in range(spec.pcpus)])
            for name in ("% Processor Time", "% Core Util Time")
        )
        clock = np.mean(list(any_run.all("PCPU Power State", APERF, host).values()), axis=0) / 100.0
        work = cores[::2] * clock
        assert np.median(np.abs(used[::2] + used[1::2] - work)) < 0.01 * np.median(work)


def test_states_of_a_world_add_up(any_run: Run) -> None:
    """Run + ready + co-stop + wait is 100 %, but for late rows and esxtop's own noise."""
    for host in range(4):
        states = [any_run.all("Vcpu", name, host) for name in ("% Run", "% Ready", "% CoStop", "% Wait")]
        for world in states[0]:
            if "vmx-vcpu-" in world:
                total = np.sum([state[world] for state in states], axis=0)
                assert total.min() > 96.5, world
                assert total.max() < 101.0, world


def test_limits_are_part_of_ready_and_swap_wait_of_wait(any_run: Run) -> None:
    for host in range(4):
        ready, limited = any_run.all("Vcpu", "% Ready", host), any_run.all("Vcpu", "% Max Limited", host)
        wait, swap = any_run.all("Vcpu", "% VmWait", host), any_run.all("Vcpu", "% Swap Wait", host)
        for world in ready:
            if "vmx-vcpu-" in world:
                assert (limited[world] <= ready[world] + 0.02).all()
                assert (swap[world] <= wait[world] + 0.02).all()


def test_groups_are_sums_of_their_worlds(any_run: Run) -> None:
    for counter in ("% Run", "% Ready", "% CoStop", "% Used"):
        worlds = any_run.all("Vcpu", counter, 0)
        for group, values in any_run.all("Group Cpu", counter, 0).items():
            mine = [series for name, series in worlds.items() if name.startswith(f"{group}:")]
            np.testing.assert_allclose(values, np.sum(mine, axis=0), atol=0.02 * len(mine))


def test_a_vm_with_one_vcpu_is_never_co_stopped(any_run: Run) -> None:
    for vm in any_run.lab.cluster.vms:
        if vm.vcpus == 1:
            assert not any_run.vcpus("% CoStop", vm.name).any()


def test_guest_latency_is_device_and_kernel_latency(any_run: Run) -> None:
    """GAVG = DAVG + KAVG within esxtop's rounding, and QAVG is part of KAVG; for reads and writes as well."""
    for per in ("Command", "Read", "Write"):
        for host in range(4):
            layers = {
                layer: any_run.all("Physical Disk SCSI Device", f"Average {layer} MilliSec/{per}", host)
                for layer in ("Driver", "Kernel", "Guest", "Queue")
            }
            for device, guest in layers["Guest"].items():
                both = layers["Driver"][device] + layers["Kernel"][device]
                np.testing.assert_allclose(guest, both, atol=0.0151)
                assert (layers["Queue"][device] <= layers["Kernel"][device] + 0.011).all()


@pytest.mark.parametrize("scenario", ["healthy-high", "storage-latency-noisy-neighbour"])
def test_littles_law_on_busy_devices(scenario: str) -> None:
    """Commands in flight are their rate times how long they take, on average over ten minutes."""
    tried = 0
    for host in range(4):
        rates = run(scenario).all("Physical Disk SCSI Device", "Commands/sec", host)
        for device, rate in rates.items():
            latency = run(scenario).one(
                "Physical Disk SCSI Device", "Average Driver MilliSec/Command", host, device
            )
            active = run(scenario).one("Physical Disk SCSI Device", "Active Commands", host, device)
            expected = float((rate * latency / 1000.0).mean())
            if expected > 0.5:
                tried += 1
                assert float(active.mean()) == pytest.approx(expected, rel=0.3)
    assert tried > 2


def test_no_more_commands_in_flight_than_the_queue_holds(any_run: Run) -> None:
    for host in range(4):
        depth = any_run.all("Physical Disk SCSI Device", "Device Q Depth", host)
        for device, active in any_run.all("Physical Disk SCSI Device", "Active Commands", host).items():
            assert (active <= depth[device]).all()


def test_the_hosts_memory_is_the_sum_of_its_parts(any_run: Run) -> None:
    for host in range(4):
        total = {
            name: any_run.one("Memory", f"{name} MBytes", host)
            for name in ("Machine", "Kernel", "NonKernel", "Free")
        }
        used = total["Kernel"] + total["NonKernel"] + total["Free"]
        np.testing.assert_allclose(used, total["Machine"], atol=2.0)


@pytest.mark.parametrize(
    ("of_host", "of_vm"),
    [("Memctl Current MBytes", "Memctl MBytes"), ("Swap Used MBytes", "Swapped MBytes"),
     ("Swap MBytes Read/sec", "Swap Read MBytes/sec")],
)  # fmt: skip
def test_a_hosts_reclaimed_memory_is_its_vms(any_run: Run, of_host: str, of_vm: str) -> None:
    for host in range(4):
        vms = any_run.all("Group Memory", of_vm, host)
        np.testing.assert_allclose(any_run.one("Memory", of_host, host), sum(vms.values()), atol=1.0)


def test_no_balloon_without_a_driver_and_none_above_its_maximum(any_run: Run) -> None:
    for host in range(4):
        driver = any_run.all("Group Memory", "Memctl?", host)
        most = any_run.all("Group Memory", "Memctl Max MBytes", host)
        for group, balloon in any_run.all("Group Memory", "Memctl MBytes", host).items():
            assert (balloon <= most[group] + 0.01).all()
            assert not balloon[driver[group] == 0].any()


def test_uplinks_carry_no_more_than_their_speed(any_run: Run) -> None:
    for host in range(4):
        speed = any_run.all("Network Port", "Link Speed (Mb/s)", host)
        for way in ("Transmitted", "Received"):
            for port, mbits in any_run.all("Network Port", f"MBits {way}/sec", host).items():
                if port.rpartition(":")[2].startswith("vmnic"):
                    assert (mbits <= speed[port]).all()


def turned(scenario: Scenario, role: str, **changes: object) -> Lab:
    """The scenario with its role configured differently, same seed."""
    cast = dict(scenario.cast)
    cast[role] = msgspec.structs.replace(cast[role], **changes)
    return Lab(msgspec.structs.replace(scenario, cast=cast), seed=5, fields="diagnosis")


def role(name: str, cast: str) -> Role:
    return SCENARIOS[name].cast[cast]


def test_a_lower_limit_holds_back_more() -> None:
    held = []
    for share in (0.7, 0.55, 0.4, 0.25):
        lab = turned(SCENARIOS["cpu-limit-vm"], "victim", cpu_limit=(share, share))
        victim = lab.cluster.cast["victim"].members[0]
        for _ in range(80):
            lab.tick()
        held.append(float(lab.cpu.limited[lab.index.vcpu_vm == victim].mean()))
    assert held == sorted(held)
    assert held[-1] > held[0] + 0.1


def test_fewer_shares_wait_longer() -> None:
    waited = []
    for shares in (1000, 500, 200):
        lab = turned(SCENARIOS["cpu-ready-low-shares"], "victim", cpu_shares=shares)
        victim = lab.cluster.cast["victim"].members[0]
        ready = []
        for _ in range(120):
            lab.tick()
            ready.append(float(lab.cpu.ready[lab.index.vcpu_vm == victim].mean()))
        waited.append(float(np.mean(ready[60:])))
    assert waited == sorted(waited)
    assert waited[-1] > 2 * waited[0]


def test_a_reserved_vm_keeps_its_memory() -> None:
    """Under the same pressure reclamation takes nothing from a VM whose memory is reserved."""
    taken = []
    for reservation in (None, (1.0, 1.0)):
        lab = turned(SCENARIOS["mem-balloon-overcommit"], "idle", mem_reservation=reservation)
        for _ in range(120):
            lab.tick()
        idle = list(lab.cluster.cast["idle"].members)
        taken.append(float(lab.memory.balloon[idle].sum() + lab.memory.swapped[idle].sum()))
    assert taken[0] > 100.0
    assert taken[1] == 0.0


def test_compression_comes_first_and_swapping_takes_over_as_the_cache_fills() -> None:
    lab = Lab(SCENARIOS["mem-compressing-overcommit"], seed=3)
    rates = []
    for _ in range(180):
        lab.step()
        compressed, swapped = float(lab.memory.zip_rate.sum()), float(lab.memory.swap_out.sum())
        if compressed + swapped > 5.0:
            rates.append((compressed, swapped))
    first, last = rates[0], rates[-1]
    assert first[0] > 2.0 * first[1]
    assert last[1] > 1.2 * last[0]
    alike = [one for one in rates if abs(one[0] - one[1]) < 0.001 * one[1]]
    assert len(alike) < 0.05 * len(rates)
