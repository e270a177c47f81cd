"""The cards of what guests do with their CPUs, on small captures: a problem, what looks like one, why."""

from __future__ import annotations

import numpy as np
import pytest

from tests.diagnosis.cpu_sites import host, vcpu_runs, vm
from tests.diagnosis.recordings import Level, Recording, during, findings, only, verdicts


class TestGuestSaturated:
    PROBLEM = "cpu.guest_saturated"

    def test_work_that_comes_and_goes_is_an_undersized_vm(self) -> None:
        recording = host()
        ref = vm(recording, "db", run=lambda t: 88.0 + 8.0 * np.sin(t / 30))
        vcpu_runs(
            recording, ref, lambda t: 88.0 + 8.0 * np.sin(t / 30), lambda t: 88.0 + 8.0 * np.cos(t / 30)
        )
        found = only(recording, problem=self.PROBLEM)
        assert found.causes[0].cause == "undersized"

    def test_a_loop_never_pauses(self) -> None:
        recording = host()
        ref = vm(recording, "db", run=99.5, vcpus=1)
        vcpu_runs(recording, ref, 99.5)
        assert only(recording, problem=self.PROBLEM).causes[0].cause == "spinning_process"

    @pytest.mark.parametrize("how", ["reserved", "latency sensitivity"])
    def test_a_guest_with_cpu_of_its_own_that_was_quiet_before_spins(self, how: str) -> None:
        recording = host(seconds=1500)
        run = during(420, 1500, 99.5, 12.0)
        ref = vm(recording, "pay01", run=run, alloc_min=4000.0 if how == "reserved" else 0.0)
        if how != "reserved":
            recording.fact(ref, "latency.high", 1.0)
        vcpu_runs(recording, ref, run, run)
        recording.has(ref, {"vdisk.commands": 30.0})
        recording.add("port", "p1", {"net.packets_tx": 50.0, "net.packets_rx": 50.0}, parent=ref)
        found = only(recording, problem=self.PROBLEM)
        assert found.severity != "info"
        assert (found.causes[0].cause, found.causes[0].verdict) == ("spinning_process", "likely")
        assert verdicts(found)["polling"] == "possible"

    @pytest.mark.parametrize("how", ["reserved", "latency sensitivity"])
    def test_a_guest_that_polls_and_restarts_in_between_polls_on_purpose(self, how: str) -> None:
        recording = host(seconds=1500)
        run = during(400, 520, 20.0, 99.5)
        ref = vm(recording, "nfv01", run=run, alloc_min=4000.0 if how == "reserved" else 0.0)
        if how != "reserved":
            recording.fact(ref, "latency.high", 1.0)
        vcpu_runs(recording, ref, run, run)
        found = only(recording, problem=self.PROBLEM)
        assert (found.severity, found.causes[0].cause) == ("info", "polling")

    def test_a_boot_is_over_soon(self) -> None:
        recording = host()
        vm(recording, "db", run=during(100, 280, 98.0, 20.0))
        assert findings(recording) == []

    def test_a_vm_that_waits_for_the_host_is_not_judged_by_its_use(self) -> None:
        recording = host()
        vm(recording, "db", run=90.0, ready=7.0)
        assert [one.problem for one in findings(recording)] == ["cpu.ready_high"]

    def test_at_its_limit(self) -> None:
        recording = host()
        vm(recording, "db", run=80.0, max_limited=15.0, ready=16.0, alloc_max=4000.0)
        found = {one.problem: one for one in findings(recording)}
        limit = found["cpu.limit"]
        assert limit.severity == "critical"
        assert found[self.PROBLEM].causes[0].cause == "limit_clips"
        assert found[self.PROBLEM].consequence_of == ("cpu.limit", limit.entity)


class TestSingleVcpu:
    PROBLEM = "cpu.single_vcpu"

    def test_one_thread(self) -> None:
        recording = host(seconds=1500)
        ref = vm(recording, "batch", vcpus=4)
        vcpu_runs(recording, ref, 5.0, 97.0, 4.0, 3.0)
        recording.add("port", "p1", {"net.packets_tx": 50.0, "net.packets_rx": 50.0}, parent=ref)
        assert only(recording, problem=self.PROBLEM).causes[0].cause == "single_threaded"

    def test_it_may_move_from_vcpu_to_vcpu(self) -> None:
        recording = host(seconds=1500)
        ref = vm(recording, "batch", vcpus=2)
        vcpu_runs(
            recording,
            ref,
            lambda t: np.where(t // 5 % 2 == 0, 95.0, 4.0),
            lambda t: np.where(t // 5 % 2 == 1, 95.0, 4.0),
        )
        assert only(recording, problem=self.PROBLEM).causes[0].cause in (
            "single_threaded",
            "interrupt_pinned",
        )

    def test_interrupts_on_the_first_vcpu(self) -> None:
        recording = host(seconds=1500)
        ref = vm(recording, "proxy", vcpus=4)
        vcpu_runs(recording, ref, 93.0, 8.0, 8.0, 8.0, system=14.0)
        recording.add("port", "p1", {"net.packets_tx": 60_000.0, "net.packets_rx": 60_000.0}, parent=ref)
        assert only(recording, problem=self.PROBLEM).causes[0].cause == "interrupt_pinned"

    def test_a_batch_job_of_some_minutes_is_not_one(self) -> None:
        recording = host(seconds=1500)
        ref = vm(recording, "batch", vcpus=2)
        vcpu_runs(recording, ref, 5.0, during(100, 500, 97.0, 5.0))
        assert findings(recording) == []


class TestVmwait:
    PROBLEM = "cpu.vmwait"

    @pytest.mark.parametrize(("level", "severity"), [(2.0, None), (8.0, "warning"), (30.0, "critical")])
    def test_levels(self, level: float, severity: str | None) -> None:
        recording = host()
        vm(recording, "db01", vmwait=level)
        assert [one.severity for one in findings(recording, problem=self.PROBLEM)] == (
            [severity] if severity else []
        )

    def test_waiting_for_swapped_memory_is_not_counted(self) -> None:
        recording = host()
        vm(recording, "db01", vmwait=9.0, swap_wait=7.0)
        assert not findings(recording, problem=self.PROBLEM)

    def test_slow_disks_are_the_cause(self) -> None:
        recording = host()
        ref = vm(recording, "db01", vmwait=12.0)
        recording.has(ref, {"vdisk.commands": 200.0})
        recording.add(
            "vdisk", "scsi0:0", {"vdisk.latency_read": 40.0, "vdisk.latency_write": 3.0}, parent=ref
        )
        found = only(recording, problem=self.PROBLEM)
        assert (found.causes[0].cause, found.causes[0].verdict) == ("slow_storage", "likely")
        assert "40 ms" in found.causes[0].because
        assert "–" not in found.causes[0].because


class TestSystemTime:
    PROBLEM = "cpu.system_time"

    @pytest.mark.parametrize(
        ("run", "system", "severity"),
        [(95.0, 9.0, None), (80.0, 14.0, "warning"), (30.0, 12.0, "critical"), (3.0, 1.0, None)],
    )
    def test_levels(self, run: float, system: float, severity: str | None) -> None:
        recording = host()
        vm(recording, "web01", run=run, system=system)
        assert [one.severity for one in findings(recording, problem=self.PROBLEM)] == (
            [severity] if severity else []
        )

    def test_packets(self) -> None:
        recording = host()
        ref = vm(recording, "web01", run=60.0, system=12.0)
        recording.has(ref, {"vdisk.commands": 5.0})
        recording.add("port", "1", {"net.packets_tx": 20_000.0, "net.packets_rx": 20_000.0}, parent=ref)
        found = only(recording, problem=self.PROBLEM)
        assert found.causes[0].cause == "packet_rate"
        assert verdicts(found)["emulated_device"] == "ruled out"


class TestPolling:
    PROBLEM = "cpu.guest_saturated"

    def busy(self, name: str = "", value: float | str = 0.0, run: Level = 99.5) -> Recording:
        recording = host(source="vcenter")
        recording.fact(recording.host, "cpu.mhz", 2_500.0)
        ref = vm(recording, "upf01", run=run, used=run)
        vcpu_runs(recording, ref, 99.5, 99.5)
        recording.fact(ref, "cpu.shares", 2_000.0)
        if name:
            recording.fact(ref, name, value)
        return recording

    def test_a_latency_sensitive_vm_polls(self) -> None:
        found = only(self.busy("latency_sensitivity", "high"), problem=self.PROBLEM)
        assert (found.severity, found.causes[0].cause) == ("info", "polling")
        assert verdicts(found)["spinning_process"] == "ruled out"

    @pytest.mark.parametrize(("reserved", "severity"), [(5_000.0, "info"), (1_000.0, "critical")])
    def test_a_fully_reserved_vm_polls(self, reserved: float, severity: str) -> None:
        found = only(self.busy("cpu.reservation_mhz", reserved), problem=self.PROBLEM)
        assert found.severity == severity

    def test_a_reserved_vm_that_begins_to_spin_does_not_poll(self) -> None:
        spinning = self.busy("cpu.reservation_mhz", 5_000.0, during(400, 1200, 99.5, 15.0))
        assert only(spinning, problem=self.PROBLEM).causes[0].cause != "polling"

    def test_no_sentence_has_a_hole_where_nothing_came_before(self) -> None:
        for one in only(self.busy(), problem=self.PROBLEM).causes:
            if one.cause in ("spinning_process", "undersized"):
                assert "–" not in one.because


class TestSharedCores:
    """Both threads of nearly all cores are busy: each vCPU runs longer for the same work."""

    PROBLEM = "cpu.guest_saturated"

    @pytest.mark.parametrize(
        ("util", "core", "host_used", "used", "verdict"),
        [
            (77.0, 97.0, 56.0, 64.0, "likely"),  # 85 % of run time that a core of its own does in 64 %
            (77.0, 97.0, 56.0, 84.0, "ruled out"),  # charged in full: it shares nothing
            (40.0, 75.0, 40.0, 64.0, "ruled out"),  # cores are idle
            (77.0, 97.0, 30.0, 40.0, "ruled out"),  # far less than threads explain: the clock
        ],
    )
    def test_what_it_is_charged_tells(
        self, util: float, core: float, host_used: float, used: float, verdict: str
    ) -> None:
        recording = host(util=util, core=core, used=host_used)
        vcpu_runs(recording, vm(recording, "calc01", run=85.0, used=used, ready=1.0), 95.0, 75.0)
        assert verdicts(only(recording, problem=self.PROBLEM))["shared_cores"] == verdict

    def test_more_vcpus_are_not_ordered(self) -> None:
        recording = host(util=77.0, core=97.0, used=56.0)
        vcpu_runs(recording, vm(recording, "calc01", run=92.0, used=69.0, ready=1.0), 93.0, 91.0)
        found = only(recording, problem=self.PROBLEM)
        assert found.causes[0].cause == "shared_cores"
        assert "short of CPU" not in found.conclusion
        assert not any(step.startswith("Add vCPUs") for step in found.remedies)
