"""The cards of CPU time that VMs wait for, on small captures: a problem, what looks like one, why."""

from __future__ import annotations

import numpy as np
import pytest

from sessions.findings import Finding
from sessions.model import EntityRef
from tests.diagnosis.cpu_sites import host, vcpu_runs, vm, with_pcpus
from tests.diagnosis.recordings import START, Level, Recording, cause, during, findings, only, verdicts


class TestReadyHigh:
    PROBLEM = "cpu.ready_high"

    def test_waiting_on_a_host_with_room_is_found_with_its_numbers(self) -> None:
        recording = host()
        vm(recording, "web01", ready=12.0)
        found = only(recording, problem=self.PROBLEM)
        assert found.severity == "critical"
        assert found.entity_name == "web01"
        assert found.conclusion == (
            "web01 was ready to run but not run for 12 % of the time on its worst vCPU, "
            "while esx01's CPUs were 45 % busy (45 % over the whole recording); all VMs of esx01 together "
            "waited 12 %."
        )
        ready = next(item for item in found.evidence if item.counter == "cpu.ready")
        assert (ready.statistic, ready.value, ready.threshold, ready.unit) == ("mean", 12.0, 5.0, "%")

    @pytest.mark.parametrize(
        ("ready", "severity"), [(5.0, None), (5.1, "warning"), (10.0, "warning"), (10.1, "critical")]
    )
    def test_boundaries(self, ready: float, severity: str | None) -> None:
        recording = host()
        vm(recording, "web01", ready=ready)
        assert [one.severity for one in findings(recording)] == ([severity] if severity else [])

    def test_five_minutes_make_it_critical_one_minute_a_warning(self) -> None:
        for last, severity in ((340, "warning"), (410, "critical")):
            recording = host()
            vm(recording, "web01", ready=during(100, last, 15.0))
            assert only(recording, problem=self.PROBLEM).severity == severity

    def test_what_a_limit_holds_back_is_not_waiting_for_the_host(self) -> None:
        recording = host()
        vm(recording, "web01", ready=14.0, max_limited=13.0, alloc_max=2000.0)
        assert [one.problem for one in findings(recording)] == ["cpu.limit"]

    def test_on_a_full_host_the_host_is_the_problem(self) -> None:
        recording = host(util=95.0, used=70.0)
        vm(recording, "web01", ready=12.0)
        assert [one.problem for one in findings(recording)] == ["cpu.host_saturated"]

    def test_the_first_and_last_minutes_of_a_full_host_belong_to_it(self) -> None:
        """A mean of five minutes calls it full later, and not full any more earlier, than it is."""
        recording = host(util=during(900, 2700, 90.0, 12.0), used=during(900, 2700, 60.0, 10.0), seconds=3600)
        for name in ("a", "b"):
            vm(recording, name, ready=during(900, 2700, 14.0, 0.4), run=during(900, 2700, 80.0, 10.0))
        (found,) = findings(recording)
        assert found.problem == "cpu.host_saturated"
        (window,) = found.windows
        assert (window.start, window.end) == (START + 900_000, START + 2_700_000)

    def test_who_waits_far_more_than_all_others_has_a_reason_of_his_own(self) -> None:
        recording = host(util=during(900, 2700, 90.0, 12.0), used=during(900, 2700, 60.0, 10.0), seconds=3600)
        for name in ("a", "b", "c", "poor"):
            waits = 20.0 if name == "poor" else 4.0
            vm(recording, name, ready=during(900, 2700, waits, 0.4), run=during(900, 2700, 60.0, 10.0))
        told = {(one.problem, one.entity_name) for one in findings(recording)}
        assert told == {("cpu.host_saturated", "esx01"), (self.PROBLEM, "poor")}

    def test_who_waits_before_and_after_a_full_host_waits_for_something_else(self) -> None:
        recording = host(util=during(900, 2700, 90.0, 12.0), used=during(900, 2700, 60.0, 10.0), seconds=3600)
        vm(recording, "a", ready=14.0, run=50.0)
        vm(recording, "b", ready=during(900, 2700, 14.0, 0.4), run=during(900, 2700, 80.0, 10.0))
        waiting, full = findings(recording)
        assert (waiting.problem, waiting.entity_name) == (self.PROBLEM, "a")
        assert [(one.start - START) // 1000 for one in waiting.windows] == [0, 2705]
        assert full.problem == "cpu.host_saturated"

    def test_worlds_that_are_no_vms_are_not_judged(self) -> None:
        recording = host()
        recording.add("world", "system", {"cpu.ready": 300.0, "cpu.swap_wait": 50.0, "cpu.costop": 20.0})
        assert findings(recording) == []

    def test_a_sum_over_unknown_vcpus_is_not_compared(self) -> None:
        recording = host()
        ref = vm(recording, "web01", ready=1.0)
        recording.has(ref, {"cpu.ready": 40.0}, "sum")
        assert findings(recording) == []

    def test_few_shares(self) -> None:
        recording = host()
        vm(recording, "poor", ready=12.0, alloc_shares=400.0)
        for number in range(4):
            vm(recording, f"rich{number}", ready=1.0)
        found = only(recording, problem=self.PROBLEM)
        assert found.causes[0].cause == "low_shares"
        assert "200 shares a vCPU" in found.causes[0].because.replace("200 shares shares", "200 shares")

    def test_a_hot_numa_node(self) -> None:
        recording = with_pcpus(host(util=60.0), [97.0] * 8 + [25.0] * 8)
        vm(recording, "web01", ready=12.0)
        assert only(recording, problem=self.PROBLEM).causes[0].cause == "numa_imbalance"

    def test_affinity(self) -> None:
        recording = with_pcpus(host(util=40.0), [30.0] * 14 + [99.0, 99.0])
        ref = vm(recording, "pinned", ready=20.0)
        for number in range(2):
            levels: dict[str, Level] = {"cpu.ready": 20.0, "cpu.max_limited": 0.0}
            levels["cpu.last_pcpu"] = lambda t, n=number: 14.0 + (t // 5 + n) % 2  # type: ignore[misc]
            recording.add("vcpu", f"vCPU {number}", levels, parent=ref)
        assert only(recording, problem=self.PROBLEM).causes[0].cause == "affinity"

    def test_slow_cores(self) -> None:
        recording = host()
        recording.on_host({"power.aperf_mperf": 60.0}, "PCPU 0")
        vm(recording, "web01", ready=8.0, run=50.0, used=30.0)
        assert only(recording, problem=self.PROBLEM).causes[0].cause == "power_management"

    def test_bursts_of_all_vms_together(self) -> None:
        def burst(high: float, low: float) -> Level:
            return lambda t: np.where(t % 300 < 80, high, low)

        recording = host(util=burst(97.0, 30.0), used=burst(70.0, 25.0), seconds=1800)
        for name in ("a", "b", "c", "d"):
            vm(recording, name, ready=burst(15.0, 0.5), run=burst(80.0, 20.0))
        full, *waiting = findings(recording)
        assert (full.problem, full.entity_name) == ("cpu.host_saturated", "esx01")
        assert full.conclusion == (
            "In bursts esx01's CPUs were 97 % busy (47.9 % over the whole recording) and nearly all its "
            "VMs had to wait then, 15 % of the time on average; a most, 15 % of the time on each vCPU."
        )
        (step,) = full.remedies
        assert step.startswith("Find what runs in all guests of esx01 at that minute")
        assert full.notes == (
            "It comes back every 5 min: 6 times, for 1 min 20 s at most. Look for what runs that often.",
        )
        assert {one.problem for one in waiting} == {self.PROBLEM}
        assert {one.consequence_of for one in waiting} == {("cpu.host_saturated", full.entity)}
        assert {one.causes[0].cause for one in (full, *waiting)} == {"synchronised_bursts"}
        assert {one.title for one in waiting} == {"High ready time"}  # says nothing of a host that is full
        assert len(full.windows) == 6

    @pytest.mark.parametrize(("between", "comes_back"), [(1.0, True), (4.4, False)])
    def test_what_is_hardly_better_in_between_does_not_come_back(
        self, between: float, comes_back: bool
    ) -> None:
        recording = host(util=50.0, used=45.0, seconds=1800)
        vm(recording, "web01", ready=lambda t: np.where(t % 130 < 40, 5.6, between), run=50.0)
        (note,) = only(recording, problem=self.PROBLEM).notes
        assert note.startswith(
            "It comes back every 2 min 10 s" if comes_back else "It comes and goes, and was hardly better"
        )

    def test_bursts_of_some_vms_leave_the_host_alone(self) -> None:
        def burst(high: float, low: float) -> Level:
            return lambda t: np.where(t % 300 < 80, high, low)

        recording = host(util=burst(97.0, 30.0), used=burst(70.0, 25.0), seconds=1800)
        for name in ("a", "b", "c", "d", "e", "f"):
            levels = (burst(15.0, 0.5), burst(80.0, 20.0)) if name in "ab" else (0.5, 20.0)
            vm(recording, name, ready=levels[0], run=levels[1])
        assert {(one.problem, one.entity_name) for one in findings(recording)} == {
            (self.PROBLEM, "a"), (self.PROBLEM, "b"),
        }  # fmt: skip

    @pytest.mark.parametrize("moments", [1, 2])
    def test_a_host_that_was_full_for_a_moment_is_no_full_host(self, moments: int) -> None:
        def burst(high: float, low: float) -> Level:
            return lambda t: np.where((t % 300 < 50) & (t < 300 * moments), high, low)

        recording = host(util=burst(97.0, 30.0), used=burst(70.0, 25.0), seconds=1800)
        for name in ("a", "b", "c", "d"):
            vm(recording, name, ready=burst(15.0, 0.5), run=burst(80.0, 20.0))
        assert findings(recording) == []

    def test_one_vm_whose_bursts_fill_the_host_is_named(self) -> None:
        def burst(high: float, low: float) -> Level:
            return lambda t: np.where(t % 300 < 80, high, low)

        recording = host(util=burst(97.0, 30.0), used=burst(70.0, 25.0), seconds=1800)
        vm(recording, "wide", vcpus=12, ready=burst(15.0, 0.5), run=burst(95.0, 5.0))
        for name in ("a", "b", "c", "d", "e"):
            vm(recording, name, ready=burst(12.0, 0.5), run=20.0)
        full = findings(recording)[0]
        assert (full.problem, full.causes[0].cause) == ("cpu.host_saturated", "few_heavy_vms")
        assert full.remedies[0].startswith("Move the heaviest to another host: wide")

    def test_what_is_missing_is_named(self) -> None:
        recording = host()
        recording.vm("web01", {"cpu.ready": 12.0})
        found = only(recording, problem=self.PROBLEM)
        undecided = [name for name, verdict in verdicts(found).items() if verdict == "unknown"]
        assert undecided == [
            "affinity", "numa_imbalance", "low_shares", "share_dilution", "power_management",
            "costop_wide_vm", "pool_limit",
        ]  # fmt: skip
        assert "esxtop of esx01 again, with -a" in cause(found, "low_shares").because
        assert "esxtop of esx01 again, with -a" in cause(found, "affinity").because


class TestHostSaturated:
    PROBLEM = "cpu.host_saturated"

    def test_busy_and_waiting(self) -> None:
        recording = with_pcpus(host(util=96.0, used=68.0), [96.0] * 16)
        vm(recording, "big", vcpus=8, ready=9.0, run=95.0, used=60.0)
        for number in range(6):
            vm(recording, f"small{number}", ready=6.0, run=15.0)
        found = only(recording, problem=self.PROBLEM)
        assert (found.entity.kind, found.entity_name, found.severity) == ("host", "esx01", "warning")
        assert found.causes[0].cause == "few_heavy_vms"
        assert "big (832 %)" in found.causes[0].because

    @pytest.mark.parametrize(("ready", "is_found"), [(3.0, True), (2.0, False)])
    def test_full_cores_on_which_everybody_waits_a_little(self, ready: float, is_found: bool) -> None:
        """OPS allows the worst vCPU 2.5 %: where the mean of all is above that, nobody need stand out."""
        recording = with_pcpus(host(util=78.0, used=60.0, core=99.5), [78.0] * 16)
        for number in range(8):
            vm(recording, f"web{number}", ready=ready, run=45.0)
        assert len(findings(recording, problem=self.PROBLEM)) == is_found

    def crowded_by_others(self) -> Recording:
        """Half of the PCPUs work for nobody who is listed, and memory went to nobody at the same moment."""
        came = during(300, 1200, 100.0, 45.0)
        recording = with_pcpus(host(util=came, used=during(300, 1200, 62.0, 40.0)), [100.0] * 16)
        recording.on_host({"mem.free": during(300, 1200, 60_000.0, 98_000.0)})
        for number in range(4):
            ref = vm(recording, f"web{number}", ready=during(300, 1200, 12.0, 0.2), run=80.0)
            vcpu_runs(recording, ref, 80.0, 80.0)
            recording.has(ref, {"mem.consumed": 8_000.0})
        return recording

    def test_what_came_after_esxtop_was_started_is_no_work_of_the_vmkernel(self) -> None:
        found = only(self.crowded_by_others(), problem=self.PROBLEM)
        assert (found.causes[0].cause, found.causes[0].verdict) == ("unlisted_vms", "likely")
        assert {verdicts(found)[one] for one in ("kernel_overhead", "few_heavy_vms")} == {"ruled out"}
        assert found.remedies[0].startswith("Start esxtop again")

    def test_who_came_is_no_riddle_where_a_vcenter_tells(self) -> None:
        inventory = Recording(source="vcenter", interval=20.0)
        inventory.on_host({"cpu.pcpu_util": during(300, 1200, 99.0, 45.0)})
        origin = inventory.another_host("esx02", {"cpu.pcpu_util": 20.0})
        mover = inventory.namesake("batch01", 9, {"cpu.run": 90.0})
        inventory.stays(mover, (0.0, origin), (300.0, inventory.host))
        inventory.event(mover, "vmotion", "Migrated batch01 from esx02 to esx01", 295, 5.0)
        full = findings(self.crowded_by_others(), inventory, problem=self.PROBLEM)
        (found,) = [one for one in full if one.entity_name == "esx01"]
        assert verdicts(found)["unlisted_vms"] == "ruled out"
        assert (found.causes[0].cause, found.causes[0].verdict) == ("recent_failover", "possible")
        assert cause(found, "unlisted_vms").because.startswith(
            "No VMs came unseen: events of this session tell of 1 that came in the hour before"
        )

    def test_a_vcenters_usage_ends_at_its_nominal_clock(self) -> None:
        """10 busy cores with turbo do more: 100 % is the end of the scale, no slow clock."""
        recording = host(util=99.9, used=100.0, core=100.0, source="vcenter")
        recording.fact(recording.host, "cpu.cores", 10.0)
        recording.fact(recording.host, "cpu.threads", 20.0)
        for number in range(12):
            vm(recording, f"web{number}", ready=14.0, run=90.0)
        assert verdicts(only(recording, problem=self.PROBLEM))["power_capped"] == "unknown"

    def test_busy_alone_is_good_use(self) -> None:
        recording = host(util=96.0, used=68.0)
        vm(recording, "big", ready=1.0, run=60.0)
        assert findings(recording) == []

    def test_many_small_vms(self) -> None:
        recording = with_pcpus(host(util=96.0, used=60.0), [96.0] * 16)
        for number in range(30):
            ref = vm(recording, f"vdi{number}", ready=11.0, run=45.0)
            vcpu_runs(recording, ref, 45.0, 45.0)
        found = only(recording, problem=self.PROBLEM)
        assert found.severity == "critical"
        assert found.causes[0].cause == "too_many_vms"
        assert verdicts(found)["recent_failover"] == "unknown"

    def failed_over(
        self, kind: str, arrivals: int, *, hour: float = 3000.0, told_of_host: str = ""
    ) -> Finding:
        """A host that VMs came to in the hour before, seen by a vCenter."""
        recording = with_pcpus(host(util=96.0, used=60.0, source="vcenter"), [96.0] * 16)
        for number in range(30):
            ref = vm(recording, f"vdi{number}", ready=11.0, run=45.0)
            vcpu_runs(recording, ref, 45.0, 45.0)
            recording.fact(ref, "host", "esx02" if number < arrivals else "esx01", -9000)
            if number < arrivals:
                recording.event(ref, kind, f"vdi{number} came", -hour + number, 20.0)
                recording.fact(ref, "host", "esx01", -hour + number + 30)
        elsewhere = vm(recording, "other", ready=0.0)
        recording.fact(elsewhere, "host", "esx02", -9000)
        recording.event(elsewhere, kind, "other was restarted where it was", -hour)
        if told_of_host:
            recording.event(EntityRef("host", "esx02"), "host", told_of_host, -hour)
        return only(recording, problem=self.PROBLEM)

    def test_a_failover_in_the_hour_before(self) -> None:
        found = self.failed_over("ha", 7)
        assert verdicts(found)["recent_failover"] == "likely"
        assert found.causes[0].cause == "recent_failover"
        assert cause(found, "recent_failover").because.endswith("VMs of another host here: 7.")
        assert len(found.changes) == 5
        assert found.changes_left == 2
        assert [event.text for event in found.changes] == [f"vdi{number} came" for number in range(2, 7)]

    def test_vms_that_came_by_vmotion_are_possible_only(self) -> None:
        assert verdicts(self.failed_over("vmotion", 7))["recent_failover"] == "possible"
        assert verdicts(self.failed_over("vmotion", 4))["recent_failover"] == "ruled out"
        assert verdicts(self.failed_over("ha", 7, hour=5400.0))["recent_failover"] == "ruled out"

    @pytest.mark.parametrize(
        ("told", "verdict"),
        [
            ("Host esx02 in Datacenter has entered maintenance mode", "likely"),
            ("Maintenance mode of esx02: on, before off", "likely"),
            ("Host esx02 in Datacenter has exited maintenance mode", "possible"),
            ("Maintenance mode of esx02: off, before on", "possible"),
        ],
    )
    def test_vms_that_came_when_a_host_was_emptied(self, told: str, verdict: str) -> None:
        found = self.failed_over("vmotion", 7, told_of_host=told)
        assert verdicts(found)["recent_failover"] == verdict
        because = cause(found, "recent_failover").because
        assert (because == f"In the hour before, 7 VMs came here by vMotion, and this was told: {told}.") == (
            verdict == "likely"
        )
        few = self.failed_over("vmotion", 4, told_of_host=told)
        assert verdicts(few)["recent_failover"] == "ruled out"

    def test_power_cap(self) -> None:
        recording = with_pcpus(host(util=96.0, used=45.0), [96.0] * 16)
        recording.on_host({"power.usage": 399.0, "power.cap": 400.0})
        vm(recording, "big", ready=9.0)
        assert only(recording, problem=self.PROBLEM).causes[0].cause == "power_capped"

    def test_kernel(self) -> None:
        recording = with_pcpus(host(util=96.0, used=68.0), [96.0] * 16)
        ref = vm(recording, "web", ready=9.0)
        vcpu_runs(recording, ref, 40.0, 40.0)
        assert only(recording, problem=self.PROBLEM).causes[0].cause == "kernel_overhead"

    def test_what_follows_from_it(self) -> None:
        recording = with_pcpus(
            host(util=during(300, 900, 97.0, 50.0), used=during(300, 900, 75.0, 40.0)), [96.0] * 16
        )
        for name in ("a", "b"):
            vm(recording, name, vcpus=4, ready=during(300, 900, 12.0), costop=during(300, 900, 12.0))
        found = {(one.problem, one.entity_name): one for one in findings(recording)}
        saturated = found[self.PROBLEM, "esx01"]
        assert saturated.consequence_of is None
        for name in ("a", "b"):
            costop = found["cpu.costop", name]
            assert costop.consequence_of == (self.PROBLEM, saturated.entity)
            assert costop.severity == "warning"


class TestLimit:
    PROBLEM = "cpu.limit"

    @pytest.mark.parametrize(
        ("alloc_max", "first", "verdict"),
        [(3000.0, "vm_limit", "likely"), (-1.0, "pool_limit", "likely")],
    )
    def test_whose_limit(self, alloc_max: float, first: str, verdict: str) -> None:
        recording = host()
        vm(recording, "web01", max_limited=8.0, ready=8.5, alloc_max=alloc_max)
        found = only(recording, problem=self.PROBLEM)
        assert (found.causes[0].cause, found.causes[0].verdict) == (first, verdict)
        assert verdicts(found)["vm_limit" if first == "pool_limit" else "pool_limit"] == "ruled out"

    def test_a_limit_that_was_lifted_is_the_cause_of_what_was_before(self) -> None:
        """The last samples of the bad time are of the minute in which it was lifted."""
        recording = host()
        found = vm(
            recording, "web01", max_limited=during(0, 600, 8.0), ready=during(0, 600, 8.5),
            alloc_max=during(0, 560, 3000.0, -1.0),
        )  # fmt: skip
        recording.fact(found, "pool.cpu_limit_mhz", 2500.0)
        told = only(recording, problem=self.PROBLEM)
        assert verdicts(told) == {"vm_limit": "likely", "pool_limit": "ruled out"}
        assert cause(told, "vm_limit").because == "Its limit was 3 GHz."
        assert [one.value for one in told.evidence if one.counter == "cpu.alloc_max"] == [3000.0]
        assert any("limit of 3 GHz is gone at the end" in one for one in told.notes)

    def test_a_limit_that_was_raised_is_told_with_what_it_is_now(self) -> None:
        recording = host()
        vm(
            recording, "web01", max_limited=during(0, 600, 8.0), ready=during(0, 600, 8.5),
            alloc_max=during(0, 600, 3000.0, 9000.0),
        )  # fmt: skip
        (note,) = only(recording, problem=self.PROBLEM).notes
        assert note.startswith(
            "At the end of the recording its limit is 9 GHz: look whether that still holds"
        )

    def test_a_limit_that_is_still_set_is_not_called_gone(self) -> None:
        recording = host()
        vm(recording, "web01", max_limited=during(0, 600, 8.0), ready=8.5, alloc_max=3000.0)
        assert not only(recording, problem=self.PROBLEM).notes

    def test_neither_the_vm_nor_a_pool_has_one(self) -> None:
        recording = host()
        found = vm(recording, "web01", max_limited=8.0, ready=8.5, alloc_max=-1.0)
        recording.fact(found, "pool.cpu_limit_mhz", -1.0)
        because = cause(only(recording, problem=self.PROBLEM), "pool_limit").because
        assert because == "No pool above it has a CPU limit."

    def test_plain_esxtop_cannot_tell_whose(self) -> None:
        recording = host()
        recording.vm("web01", {"cpu.max_limited": 8.0, "cpu.ready": 8.5})
        found = only(recording, problem=self.PROBLEM)
        assert verdicts(found) == {"vm_limit": "unknown", "pool_limit": "unknown"}
        assert (
            "Alloc Max (AMAX) would decide: record esxtop of esx01 again, with -a"
            in cause(found, "vm_limit").because
        )

    def test_rounding_is_not_a_limit(self) -> None:
        recording = host()
        vm(recording, "web01", max_limited=0.05)
        assert findings(recording) == []


class TestCostop:
    PROBLEM = "cpu.costop"

    @pytest.mark.parametrize(
        ("levels", "first"),
        [
            ({"costop": 8.0, "ready": 2.0}, "oversized_vcpus"),
            ({"costop": 8.0, "ready": 2.0, "vmwait": 15.0}, "io_blocked"),
            ({"costop": 8.0, "ready": 2.0, "max_limited": 2.0, "alloc_max": 900.0}, "limit"),
        ],
    )
    def test_causes(self, levels: dict[str, Level], first: str) -> None:
        recording = with_pcpus(host(), [45.0] * 16)
        vm(recording, "wide", vcpus=12, **levels)
        assert only(recording, problem=self.PROBLEM).causes[0].cause == first

    @pytest.mark.parametrize("vmwait", [1.0, 15.0])
    def test_what_a_snapshot_stops_is_not_too_wide(self, vmwait: float) -> None:
        """More vCPUs than it needs was possible beside a removal that stunned the VM all the time."""
        recording = Recording(source="vcenter", interval=20.0)
        recording.on_host({"cpu.pcpu_util": 40.0, "cpu.pcpu_used": 40.0})
        wide = vm(recording, "wide", vcpus=8, costop=during(300, 700, 8.0), ready=1.0, vmwait=vmwait)
        recording.event(wide, "snapshot", "Remove snapshot: wide", 290.0, 400.0)
        found = only(recording, problem=self.PROBLEM)
        told = {one.cause: one.verdict for one in found.causes}
        assert told["io_blocked"] == ("likely" if vmwait > 5 else "possible")
        assert told["oversized_vcpus"] == "ruled out"
        assert not any("fewer vCPUs" in step for step in found.remedies)

    def test_a_snapshot_at_another_time_explains_nothing(self) -> None:
        recording = Recording(source="vcenter", interval=20.0)
        recording.on_host({"cpu.pcpu_util": 40.0, "cpu.pcpu_used": 40.0})
        wide = vm(recording, "wide", vcpus=8, costop=during(300, 1000, 8.0), ready=1.0, vmwait=1.0)
        recording.event(wide, "snapshot", "Create snapshot: wide", 310.0, 4.0)
        found = only(recording, problem=self.PROBLEM)
        assert found.causes[0].cause == "oversized_vcpus"

    def test_neighbours_wait_too(self) -> None:
        recording = host(util=70.0)
        vm(recording, "wide", vcpus=4, costop=6.0, ready=8.0)
        for number in range(4):
            vm(recording, f"other{number}", ready=4.0)
        assert only(recording, problem=self.PROBLEM).causes[0].cause == "sibling_ready"

    def test_one_vcpu_has_no_siblings(self) -> None:
        recording = host()
        vm(recording, "single", vcpus=1, costop=8.0)
        assert findings(recording) == []


class TestSpeedOfAVcentersHost:
    """A vCenter's usage is of all cores; two busy threads of a core share what it does [MON70, OPS]."""

    PROBLEM = "cpu.power_management"

    def esx(self, usage: float, util: float, core: float, threads: float = 32.0) -> Recording:
        recording = Recording(interval=20.0, source="vcenter")
        recording.on_host({"cpu.pcpu_used": usage, "cpu.pcpu_util": util, "cpu.core_util": core})
        for name, value in (("cpu.cores", 16.0), ("cpu.threads", threads), ("cpu.mhz", 2_500.0)):
            recording.fact(recording.host, name, value)
        return recording

    @pytest.mark.parametrize(
        ("usage", "util", "core", "threads", "is_found"),
        [
            (80.0, 42.0, 80.0, 32.0, False),  # a thread a core, at nominal frequency
            (52.0, 42.0, 80.0, 32.0, True),
            (48.0, 40.0, 80.0, 32.0, True),  # half-used PCPUs of busy cores are load
            (80.0, 40.0, 80.0, 32.0, False),
            (14.0, 20.0, 38.0, 32.0, False),  # an idle host saves power on purpose
            (100.0, 95.0, 100.0, 32.0, False),  # full: usage ends at 100 %
            (96.0, 90.0, 97.0, 32.0, False),  # nearly all threads busy, at nominal frequency
            (85.0, 90.0, 97.0, 32.0, True),
            (60.0, 60.0, 60.0, 16.0, False),  # no hyper-threading
            (45.0, 60.0, 60.0, 16.0, True),
        ],
    )
    def test_use_against_time(
        self, usage: float, util: float, core: float, threads: float, is_found: bool
    ) -> None:
        found = findings(self.esx(usage, util, core, threads), problem=self.PROBLEM)
        assert bool(found) == is_found

    @pytest.mark.parametrize(("used", "is_found"), [(50.0, False), (46.0, False), (43.0, True)])
    def test_two_busy_threads_have_half_of_a_core_each(self, used: float, is_found: bool) -> None:
        """MON70, PCPU USED: busy beside a busy partner each PCPU has half; at nominal clock that is 50 %."""
        found = findings(host(util=100.0, used=used, core=100.0), problem=self.PROBLEM)
        assert bool(found) == is_found

    @pytest.mark.parametrize(("used", "verdict"), [(49.5, "unknown"), (40.0, "possible")])
    def test_a_full_host_at_nominal_clock_is_not_called_slow(self, used: float, verdict: str) -> None:
        recording = host(util=99.0, used=used, core=100.0)
        for number in range(12):
            vm(recording, f"web{number}", ready=14.0, run=80.0)
        found = only(recording, problem="cpu.host_saturated")
        assert verdicts(found)["power_capped"] == verdict

    def test_the_policy_is_its_cause(self) -> None:
        recording = self.esx(52.0, 42.0, 80.0)
        recording.fact(recording.host, "power_policy", "low")
        assert only(recording, problem=self.PROBLEM).causes[0].cause == "power_policy"


def test_only_the_heaviest_vms_are_called_heavy() -> None:
    recording = with_pcpus(host(util=96.0, used=68.0), [96.0] * 16)
    vm(recording, "monster", vcpus=16, ready=9.0, run=90.0, used=60.0)
    for number in range(6):
        vm(recording, f"app{number}", ready=6.0, run=15.0)
    told = cause(only(recording, problem="cpu.host_saturated"), "few_heavy_vms").because
    assert "monster" in told
    assert "app" not in told


def test_samples_of_five_minutes_make_one_spell_with_a_length() -> None:
    recording = Recording(seconds=7_200, interval=300.0)
    recording.on_host({"cpu.pcpu_util": 45.0, "cpu.pcpu_used": 40.0})
    recording.vm("app02", {"cpu.ready": during(1_800, 3_000, 15.0, 0.5), "cpu.max_limited": 0.0})
    (window,) = only(recording, problem="cpu.ready_high").windows
    assert (window.start - START, window.end - START) == (1_500_000, 3_000_000)


def rollups(usage: float, ready: list[float], threads: float = 64.0) -> Recording:
    """What a vCenter keeps of the past at statistics level 1: a host's usage of its cores, the VMs' ready."""
    recording = Recording(seconds=3_600, interval=300.0, source="vcenter")
    recording.on_host({"cpu.pcpu_used": usage})
    recording.fact(recording.fact(recording.host, "cpu.cores", 32.0), "cpu.threads", threads)
    for number, level in enumerate(ready):
        recording.vm(f"app{number:02}", {"cpu.ready": level})
    return recording


class TestRollupsOfAVcenter:
    """No utilisation is kept: a usage of 90 % of the cores can be half of the hyper-threads [KB-431027]."""

    HALF_WAITS = [22.0] * 4 + [0.2] * 6

    def test_ready_of_some_is_told_though_the_host_may_be_full(self) -> None:
        found = findings(rollups(90.0, self.HALF_WAITS))
        assert {(one.problem, one.entity_name) for one in found} == {
            ("cpu.ready_high", f"app{number:02}") for number in range(4)
        }
        assert found[0].conclusion == (
            "app00 was ready to run but not run for 22 % of the time on its worst vCPU; all VMs "
            "of esx01 together waited 8.92 %; how busy its CPUs were, this data does not say: its usage of "
            "90 % counts turbo and hyper-threads."
        )
        assert not {"likely", "possible"} & set(verdicts(found[0]).values())

    def test_a_host_on_which_nearly_all_wait_is_full(self) -> None:
        found = only(rollups(90.0, [12.0] * 9 + [0.1]), problem="cpu.host_saturated")
        assert found.conclusion.startswith(
            "esx01 used 90 % of its cores (hyper-threads and turbo count). Its VMs had to wait"
        )

    def test_without_hyper_threads_usage_tells_a_full_host(self) -> None:
        found = findings(rollups(90.0, self.HALF_WAITS, threads=32.0))
        assert [one.problem for one in found] == ["cpu.host_saturated"]

    def test_a_crowd_that_waits_on_an_idle_host_waits_for_something_else(self) -> None:
        """A limit of their pool: at this level nobody counts the time that it holds them back."""
        problems = {one.problem for one in findings(rollups(25.0, [12.0] * 10))}
        assert problems == {"cpu.ready_high"}


class TestACrowdThatWaits:
    """A mean use of five minutes hides that nothing was left most of that time."""

    def five_minutes(self, util: float, ready: list[float]) -> Recording:
        recording = Recording(seconds=3_600, interval=300.0)
        recording.on_host({"cpu.pcpu_util": util, "cpu.pcpu_used": 0.7 * util, "cpu.core_util": util})
        for number, level in enumerate(ready):
            vm(recording, f"app{number:02}", ready=level)
        return recording

    @pytest.mark.parametrize(
        ("util", "ready", "problem"),
        [
            (72.0, [15.0] * 12, "cpu.host_saturated"),
            (72.0, [15.0] * 9 + [0.3] * 3, "cpu.host_saturated"),
            (72.0, [15.0] * 6 + [0.3] * 6, "cpu.ready_high"),
            (55.0, [15.0] * 12, "cpu.ready_high"),
            (72.0, [15.0] * 3, "cpu.ready_high"),
        ],
    )
    def test_the_host_is_full_where_three_of_four_wait(
        self, util: float, ready: list[float], problem: str
    ) -> None:
        assert {one.problem for one in findings(self.five_minutes(util, ready))} == {problem}

    def test_short_bursts_of_all_are_no_full_host(self) -> None:
        """70 s of every five minutes, in samples that show them."""
        recording = host(seconds=2_400, util=62.0)
        for number in range(8):
            vm(recording, f"app{number:02}", ready=lambda t: np.where(t % 300 < 70, 35.0, 0.5))
        assert {one.problem for one in findings(recording)} == {"cpu.ready_high"}
