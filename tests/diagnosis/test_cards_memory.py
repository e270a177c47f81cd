"""The memory cards on small captures: pressure now, pressure past, whose fault, and what can't be told."""

from __future__ import annotations

import pytest

from sessions.model import EntityRef
from tests.diagnosis.recordings import Level, Recording, cause, diagnosed, during, findings, only, verdicts

CALM: dict[str, Level] = {
    "mem.state": 0.0,
    "mem.free": 20_000.0,
    "mem.kernel_minfree": 1_925.0,
    "mem.machine": 131_072.0,
    "mem.kernel_managed": 130_000.0,
    "mem.overcommit_1m": 0.0,
    "mem.balloon": 0.0,
    "mem.swap_used": 0.0,
}
SHORT: dict[str, Level] = {"mem.free": 1_000.0, "mem.overcommit_1m": 0.4, "mem.balloon": 9_000.0}
VM: dict[str, Level] = {
    "mem.size": 8_192.0,
    "mem.balloon": 0.0,
    "mem.balloon_target": 0.0,
    "mem.balloon_max": 5_000.0,
    "mem.balloon_driver": 1.0,
    "mem.alloc_max": -1.0,
    "mem.alloc_min": 0.0,
    "mem.granted": 8_192.0,
    "mem.consumed": 8_000.0,
    "mem.swapped": 0.0,
    "mem.swap_read": 0.0,
    "mem.swap_write": 0.0,
    "mem.llswap_read": 0.0,
    "mem.llswap_write": 0.0,
    "mem.compress_rate": 0.0,
    "mem.decompress_rate": 0.0,
    "mem.compressed_used": 0.0,
    "cpu.swap_wait": 0.0,
    "cpu.mem_latency": 0.0,
}


def host(seconds: float = 1200, **levels: Level) -> Recording:
    recording = Recording(seconds=seconds)
    recording.on_host({**CALM, **{"mem." + name: level for name, level in levels.items()}})
    return recording


def short_host(state: Level = 2.0) -> Recording:
    recording = Recording()
    recording.on_host({**CALM, **SHORT, "mem.state": state})
    return recording


def vm(recording: Recording, name: str, **levels: Level) -> EntityRef:
    given = {
        ("cpu." if name_ in ("swap_wait", "mem_latency") else "mem.") + name_: one
        for name_, one in levels.items()
    }
    return recording.vm(name, {**VM, **given})


class TestHostState:
    PROBLEM = "mem.host_state"

    @pytest.mark.parametrize(
        ("state", "free", "severity"),
        [
            (0.0, 20_000.0, None),
            (1.0, 1_500.0, None),  # clear, as ESXi 6 and later mean 1
            (1.0, 1_000.0, "warning"),  # soft, as ESXi 5 meant 1: less free than 64 % of minFree
            (2.0, 1_100.0, "warning"),
            (3.0, 500.0, "critical"),
            (4.0, 200.0, "critical"),
        ],
    )
    def test_states(self, state: float, free: float, severity: str | None) -> None:
        recording = host(state=state, free=free, overcommit_1m=0.3)
        assert [one.severity for one in findings(recording)] == ([severity] if severity else [])

    def test_a_moment_of_soft_is_normal(self) -> None:
        assert findings(host(state=during(300, 345, 2.0))) == []

    def test_overcommitted(self) -> None:
        recording = short_host()
        vm(recording, "a")
        found = only(recording, problem=self.PROBLEM)
        assert found.causes[0].cause == "overcommit"
        assert found.conclusion.startswith("esx01 was short of memory: 1,000 MB free of 128 GB")

    def test_reservations(self) -> None:
        recording = short_host()
        for name in ("a", "b", "c"):
            vm(recording, name, alloc_min=33_000.0)
        assert only(recording, problem=self.PROBLEM).causes[0].cause == "large_reservations"

    def test_without_reservations_told_overcommitment_is_only_possible(self) -> None:
        """Plain esxtop -b has no Alloc Min."""
        recording = short_host()
        recording.vm("a", {"mem.size": 8_192.0, "mem.granted": 8_192.0, "mem.consumed": 8_000.0})
        told = verdicts(only(recording, problem=self.PROBLEM))
        assert (told["overcommit"], told["large_reservations"]) == ("possible", "unknown")

    def test_vms_that_were_just_started(self) -> None:
        recording = host(state=during(300, 480, 2.0), free=during(300, 480, 1_100.0, 20_000.0))
        vm(recording, "a", consumed=during(300, 480, 20_000.0, 8_000.0))
        assert only(recording, problem=self.PROBLEM).causes[0].cause == "power_on_burst"


class TestBallooning:
    PROBLEM = "mem.ballooning"

    def test_a_short_host(self) -> None:
        recording = short_host()
        for name in ("a", "b"):
            vm(recording, name, balloon=2_000.0, balloon_target=2_000.0)
        found = findings(recording, problem=self.PROBLEM)
        assert {one.entity_name for one in found} == {"a", "b"}
        assert {one.causes[0].cause for one in found} == {"host_overcommit"}
        assert all(one.consequence_of == ("mem.host_state", recording.host) for one in found)

    def test_it_hurts_when_memory_latency_says_so(self) -> None:
        for latency, severity in ((0.9, "warning"), (1.1, "critical")):
            recording = host()
            vm(recording, "a", balloon=900.0, balloon_target=900.0, mem_latency=latency)
            assert only(recording, problem=self.PROBLEM).severity == severity

    def test_the_vms_own_limit(self) -> None:
        recording = host()
        vm(recording, "limited", balloon=3_000.0, balloon_target=3_000.0, alloc_max=4_096.0)
        found = only(recording, problem=self.PROBLEM)
        assert found.causes[0].cause == "vm_limit"
        assert "Its limit was 4 GB and its size 8 GB" in found.causes[0].because
        assert verdicts(found)["host_overcommit"] == "ruled out"

    @pytest.mark.parametrize("overcommit", [None, 0.0, 0.6])
    def test_a_host_with_room_is_not_short_whatever_its_vms_add_up_to(self, overcommit: float | None) -> None:
        """A vCenter counts no overcommitment: state and free memory decide without it."""
        recording = Recording()
        recording.on_host({name: level for name, level in CALM.items() if name != "mem.overcommit_1m"})
        if overcommit is not None:
            recording.on_host({"mem.overcommit_1m": overcommit})
        vm(recording, "left", balloon=1_500.0, balloon_target=0.0)
        found = only(recording, problem=self.PROBLEM)
        assert found.causes[0].cause == "leftover"
        assert verdicts(found)["host_overcommit"] == "ruled out"

    def test_a_limit_above_its_size_is_none(self) -> None:
        recording = host()
        vm(recording, "a", balloon=3_000.0, balloon_target=3_000.0, alloc_max=16_384.0)
        assert only(recording, problem=self.PROBLEM).causes[0].cause == "pool_limit"

    def test_a_pool_at_its_limit(self) -> None:
        recording = host()
        for name in ("a", "b"):
            vm(recording, name, balloon=3_000.0, balloon_target=3_000.0)
        assert {one.causes[0].cause for one in findings(recording)} == {"pool_limit"}

    def test_left_over_is_only_worth_knowing(self) -> None:
        recording = host()
        vm(recording, "a", balloon=800.0, balloon_target=0.0)
        found = only(recording, problem=self.PROBLEM)
        assert (found.severity, found.causes[0].cause) == ("info", "leftover")

    def test_without_balloons_per_vm_it_names_the_host_and_where_to_get_them(self) -> None:
        recording = Recording(seconds=15)
        recording.on_host(
            {**CALM, "mem.state": 1.0, "mem.free": 576.0, "mem.kernel_minfree": 403.0, "mem.machine": 8_083.0,
             "mem.overcommit_1m": 0.78, "mem.balloon": 5_331.0, "mem.balloon_target": 5_330.0}
        )  # fmt: skip
        for name in ("hermes", "styx"):
            recording.vm(
                name, {"mem.size": 2_097.8, "mem.swapped": 258.6, "mem.swap_read": 0.0, "mem.swap_write": 0.0}
            )
        found = diagnosed(recording).findings
        assert [(one.problem, one.severity, one.entity_name) for one in found] == [
            ("mem.ballooning", "warning", "esx01"),
            ("mem.swapped_past", "info", "hermes"),
            ("mem.swapped_past", "info", "styx"),
            ("data.insufficient", "info", "esx01"),
        ]
        balloon = found[0]
        assert next(item.value for item in balloon.evidence if item.counter == "mem.balloon") == 5_331.0
        assert "Memctl MBytes" in balloon.notes[0]
        assert (
            "record esxtop of esx01 again, with -a, or connect to vCenter (mem.vmmemctl)" in balloon.notes[0]
        )
        assert "3 samples (10 s): few" in balloon.notes[1]
        assert balloon.causes[0].cause == "host_overcommit"

    @pytest.mark.parametrize(
        ("state", "free", "says"),
        [
            (2.0, 1_000.0, "; the host is short of memory: 1,000 MB are free; which VMs"),
            (0.0, 80_000.0, "; the host has 78.1 GB free and needs none of it: a limit of a VM or of a pool"),
            (0.0, 5_000.0, " (target 6 GB); which VMs"),
        ],
    )
    def test_balloons_of_unknown_vms_say_whether_the_host_is_short(
        self, state: float, free: float, says: str
    ) -> None:
        recording = host(state=state, free=free, balloon=6_144.0, balloon_target=6_144.0)
        recording.vm("a", {"mem.size": 8_192.0})
        assert says in only(recording, problem=self.PROBLEM).conclusion


class TestSwapping:
    PROBLEM = "mem.swapping"

    def test_on_a_short_host(self) -> None:
        recording = short_host(3.0)
        vm(
            recording,
            "a",
            swap_write=2.0,
            swap_read=0.5,
            swapped=900.0,
            balloon=5_000.0,
            balloon_target=5_000.0,
        )
        found = only(recording, problem=self.PROBLEM)
        assert found.causes[0].cause == "host_overcommit"
        assert found.consequence_of == ("mem.host_state", recording.host)
        assert found.severity == "warning"  # critical, but it follows from the host's shortage

    def test_without_tools(self) -> None:
        recording = short_host(3.0)
        vm(recording, "bare", swap_write=2.0, balloon_driver=0.0, balloon_max=0.0)
        vm(recording, "other", balloon=2_000.0, balloon_target=2_000.0)
        assert only(recording, problem=self.PROBLEM).causes[0].cause == "tools_missing"

    def test_own_limit_and_pool_limit(self) -> None:
        for limit, expected in ((4_096.0, "vm_limit"), (-1.0, "pool_limit")):
            recording = host()
            vm(
                recording,
                "a",
                swap_write=1.5,
                swap_read=1.5,
                alloc_max=limit,
                balloon=100.0,
                balloon_target=100.0,
            )
            assert only(recording, problem=self.PROBLEM).causes[0].cause == expected

    def test_a_limit_that_was_lifted_is_the_cause_of_what_was_before(self) -> None:
        """What was swapped comes back for minutes afterwards."""
        recording = host()
        vm(
            recording, "a", swap_write=1.5, swap_read=1.5, balloon=100.0, balloon_target=100.0,
            alloc_max=during(0, 800, 4_096.0, -1.0),
        )  # fmt: skip
        found = only(recording, problem=self.PROBLEM)
        assert found.causes[0].cause == "vm_limit"
        assert "Its limit was 4 GB" in found.causes[0].because

    def test_swapping_out_and_then_in_is_one_spell(self) -> None:
        recording = host()
        vm(
            recording, "a", swap_write=during(300, 600, 3.0), swap_read=during(600, 1500, 2.0),
            balloon=100.0, balloon_target=100.0, alloc_max=4_096.0, swapped=900.0,
        )  # fmt: skip
        assert len(only(recording, problem=self.PROBLEM).windows) == 1

    @pytest.mark.parametrize(("limit", "says"), [(-1.0, " had no limit."), (7_168.0, " own limit was ")])
    def test_a_vm_without_a_limit_is_said_to_have_none(self, limit: float, says: str) -> None:
        recording = short_host(3.0)
        vm(recording, "a", swap_write=2.0, alloc_max=limit)
        because = cause(only(recording, problem=self.PROBLEM), "pool_limit").because
        assert says in because
        assert "−1" not in because

    @pytest.mark.parametrize(
        ("limit", "says"), [(-1.0, "no pool above it limits its 8 GB."), (6_144.0, "limited to 6 GB.")]
    )
    def test_pools_without_a_limit_are_said_to_have_none(self, limit: float, says: str) -> None:
        recording = short_host(3.0)
        member = vm(recording, "a", swap_write=2.0, alloc_max=-1.0)
        recording.fact(member, "pool.mem_limit_mb", limit)
        because = cause(only(recording, problem=self.PROBLEM), "pool_limit").because
        assert because.endswith(says)
        assert "−1" not in because

    def test_the_balloon_was_not_quick_enough(self) -> None:
        recording = short_host(3.0)
        grows = [10.0 * at for at in range(240)]
        vm(recording, "a", swap_write=2.0, balloon=grows, balloon_target=3_000.0)
        assert only(recording, problem=self.PROBLEM).causes[0].cause == "balloon_lag"

    def test_a_balloon_that_stands_is_behind_not_slow(self) -> None:
        recording = short_host(3.0)
        vm(recording, "a", swap_write=2.0, balloon=500.0, balloon_target=3_000.0)
        found = only(recording, problem=self.PROBLEM)
        assert found.causes[0].cause == "balloon_behind"
        assert found.consequence_of is not None
        assert found.consequence_of[0] == "mem.ballooning"

    def test_reading_back_on_a_host_with_room_is_recovery(self) -> None:
        recording = host()
        vm(recording, "a", swap_read=0.4, swapped=900.0, balloon=500.0, balloon_target=3_000.0)
        found = only(recording, problem=self.PROBLEM)
        assert found.causes[0].cause == "recovering"
        lag = cause(found, "balloon_lag")
        assert (lag.verdict, lag.because.partition(":")[0]) == (
            "ruled out",
            "Nothing was written to swap meanwhile (0 MB/s)",
        )

    def test_two_blips_in_five_minutes_but_not_one(self) -> None:
        one, two = [0.0] * 240, [0.0] * 240
        one[60] = two[60] = two[100] = 0.3
        for samples, expected in ((one, 0), (two, 1)):
            recording = short_host(1.0)
            vm(recording, "a", swap_write=samples)
            assert len(findings(recording, problem=self.PROBLEM)) == expected

    def test_a_number_that_is_missing_leaves_no_dash(self) -> None:
        """A vCenter's rollups at level 1 have the rates, and not what is swapped."""
        recording = short_host(3.0)
        recording.vm("a", {"mem.swap_write": 2.0, "mem.swap_read": 0.5})
        assert only(recording, problem=self.PROBLEM).conclusion == (
            "esx01 swaps a's memory: 2 MB/s written, 0.50 MB/s read back."
        )

    def test_what_plain_esxtop_cannot_tell(self) -> None:
        """That the host is short is seen; not why it swaps this VM instead of ballooning."""
        recording = short_host(3.0)
        recording.vm("a", {"mem.swap_write": 2.0, "mem.swap_read": 0.0, "mem.size": 8_192.0})
        found = only(recording, problem=self.PROBLEM)
        assert verdicts(found) == {
            "host_overcommit": "possible",
            "vm_limit": "unknown",
            "tools_missing": "unknown",
            "balloon_behind": "unknown",
            "balloon_lag": "unknown",
            "recovering": "ruled out",
            "pool_limit": "ruled out",
        }
        assert "Memctl? would decide" in cause(found, "tools_missing").because


class TestSwapWaitAndPast:
    def test_swapping_explains_waiting(self) -> None:
        recording = short_host(3.0)
        ref = vm(recording, "a", swap_write=1.0, swap_read=3.0, swapped=2_000.0, swap_wait=12.0)
        found = {one.problem: one for one in findings(recording)}
        wait = found["mem.swap_wait"]
        assert wait.causes[0].cause == "swap_in"
        assert wait.consequence_of == ("mem.swapping", ref)
        assert found["mem.swapping"].consequence_of == ("mem.host_state", recording.host)

    @pytest.mark.parametrize(
        ("rates", "first"),
        [
            ({"llswap_read": 4.0}, "host_cache"),
            ({"decompress_rate": 4.0}, "decompression"),
            ({"swap_read": 4.0}, "swap_in"),
        ],
    )
    def test_what_it_waits_for(self, rates: dict[str, Level], first: str) -> None:
        recording = host()
        vm(recording, "a", swap_wait=6.0, swapped=500.0, **rates)
        found = findings(recording, problem="mem.swap_wait")[0]
        assert found.causes[0].cause == first

    @pytest.mark.parametrize(
        ("lasts", "moved", "is_found"), [(80, True, False), (80, False, True), (400, True, True)]
    )
    def test_old_pages_that_come_back_after_a_move_are_soon_read(
        self, lasts: float, moved: bool, is_found: bool
    ) -> None:
        recording = Recording(seconds=1200, interval=20.0, source="vcenter")
        recording.on_host({"cpu.pcpu_util": 40.0})
        ref = recording.vm("app03", {"cpu.swap_wait": during(300, 300 + lasts, 6.0), "cpu.run": 20.0})
        if moved:
            recording.event(ref, "vmotion", "app03 migrated from esx02 to esx01", 292.0, lasted_s=8.0)
        else:
            recording.event(recording.host, "host", "esx01 connected", 10.0)
        assert bool(findings(recording, problem="mem.swap_wait")) == is_found

    def test_a_hundredth_is_rounding(self) -> None:
        recording = host()
        vm(recording, "a", swap_wait=0.01)
        assert findings(recording) == []

    def test_past_swapping_is_only_worth_knowing(self) -> None:
        recording = host()
        vm(recording, "a", swapped=577.3, swap_read=0.01)
        found = only(recording, problem="mem.swapped_past")
        assert (found.severity, found.causes[0].cause) == ("info", "past_pressure")
        assert found.conclusion.startswith("a has 577 MB of 8 GB in its swap file; ")

    def test_what_a_limit_took_before_it_was_lifted(self) -> None:
        recording = host()
        vm(recording, "a", swapped=577.0, alloc_max=during(0, 300, 4_096.0, -1.0))
        found = only(recording, problem="mem.swapped_past")
        assert verdicts(found) == {"vm_limit": "likely", "past_pressure": "possible"}
        assert "Its memory limit was 4 GB in this recording" in found.causes[0].because

    def test_a_size_that_nobody_tells_leaves_no_hole(self) -> None:
        recording = host()
        recording.vm("a", {"mem.swapped": 577.3, "mem.swap_read": 0.01, "mem.swap_write": 0.0})
        found = only(recording, problem="mem.swapped_past")
        assert found.conclusion.startswith("a has 577 MB in its swap file; ")

    def test_less_than_a_megabyte_is_nothing(self) -> None:
        recording = host()
        vm(recording, "a", swapped=0.9)
        assert findings(recording) == []


class TestCompressing:
    PROBLEM = "mem.compressing"

    @pytest.mark.parametrize(
        ("levels", "first"),
        [
            ({"alloc_max": 4_096.0}, "vm_limit"),
            ({"balloon_driver": 0.0}, "balloon_missing"),
            ({}, "pool_limit"),
        ],
    )
    def test_causes_on_a_host_with_room(self, levels: dict[str, Level], first: str) -> None:
        recording = host()
        vm(recording, "a", compress_rate=0.5, **levels)
        assert only(recording, problem=self.PROBLEM).causes[0].cause == first

    def test_a_short_host(self) -> None:
        recording = short_host(3.0)
        vm(recording, "a", compress_rate=2.0, decompress_rate=1.0)
        assert only(recording, problem=self.PROBLEM).causes[0].cause == "host_overcommit"

    def test_history_is_no_problem(self) -> None:
        recording = host()
        vm(recording, "a", compressed_used=400.0)
        assert findings(recording) == []


class TestHostCache:
    PROBLEM = "mem.host_cache"

    def test_swapping_to_flash_is_its_own_problem(self) -> None:
        recording = short_host(3.0)
        vm(recording, "web01", llswap_read=0.8, llswap_write=0.5, swapped=900.0)
        found = only(recording, problem=self.PROBLEM)
        assert (found.severity, found.causes[0].cause) == ("warning", "host_overcommit")
        assert not findings(recording, problem="mem.swapping")

    def test_a_single_blip_is_none(self) -> None:
        recording = short_host(3.0)
        vm(recording, "web01", llswap_read=during(300, 310, 0.2), swapped=90.0)
        assert not findings(recording, problem=self.PROBLEM)

    def test_it_is_read_back_after_the_shortage(self) -> None:
        recording = host()
        vm(recording, "web01", llswap_read=0.8, swapped=900.0)
        assert only(recording, problem=self.PROBLEM).causes[0].cause == "recovering"


class TestLatency:
    PROBLEM = "mem.latency"

    @pytest.mark.parametrize(("level", "severity"), [(0.5, None), (2.0, "warning"), (7.0, "critical")])
    def test_levels(self, level: float, severity: str | None) -> None:
        recording = host()
        vm(recording, "web01", mem_latency=level)
        assert [one.severity for one in findings(recording, problem=self.PROBLEM)] == (
            [severity] if severity else []
        )

    def test_a_short_host_is_what_its_vms_wait_for(self) -> None:
        """One step, on the host, not one for each VM."""
        recording = short_host(3.0)
        for number in range(3):
            vm(recording, f"web{number}", mem_latency=7.0)
        found = findings(recording)
        waits = [one for one in found if one.problem == self.PROBLEM]
        assert {one.consequence_of for one in waits} == {("mem.host_state", recording.host)}
        assert len(waits) == 3
        (host_state,) = [one for one in found if one.problem == "mem.host_state"]
        assert host_state.severity == "critical"

    def test_what_is_waited_for(self) -> None:
        recording = short_host(3.0)
        vm(recording, "web01", mem_latency=7.0, decompress_rate=2.0)
        found = only(recording, problem=self.PROBLEM)
        assert found.causes[0].cause == "decompression"
        assert verdicts(found)["swap_in"] == "ruled out"

    def test_it_follows_from_swapping(self) -> None:
        recording = short_host(3.0)
        ref = vm(recording, "web01", mem_latency=7.0, swap_read=2.0, swap_write=2.0, swapped=900.0)
        assert only(recording, problem=self.PROBLEM).consequence_of == ("mem.swapping", ref)


class TestDemand:
    @pytest.mark.parametrize(
        ("touched", "severity"), [(8_000.0, None), (14_000.0, "warning"), (15_500.0, "critical")]
    )
    def test_a_host_whose_memory_is_all_in_use(self, touched: float, severity: str | None) -> None:
        recording = host()
        for number in range(8):
            vm(recording, f"app{number}", size=16_384.0, touched=touched)
        assert [one.severity for one in findings(recording, problem="mem.host_demand")] == (
            [severity] if severity else []
        )

    def test_consumed_near_100_percent_is_normal(self) -> None:
        recording = host(free=2_500.0)
        for number in range(8):
            vm(recording, f"app{number}", size=16_384.0, consumed=16_000.0, touched=3_000.0)
        assert not findings(recording, problem="mem.host_demand")

    def test_full_and_mostly_active(self) -> None:
        recording = host(free=5_000.0)
        for number in range(8):
            vm(recording, f"app{number}", size=16_384.0, touched=12_000.0)
        found = only(recording, problem="mem.host_demand")
        assert "96.2 % full" in found.conclusion

    def test_the_vm_that_uses_most_is_named(self) -> None:
        recording = host()
        vm(recording, "sap01", size=98_304.0, touched=90_000.0)
        vm(recording, "web01", touched=6_000.0)
        vm(recording, "app01", size=16_384.0, touched=12_000.0)
        found = only(recording, problem="mem.host_demand")
        assert found.causes[0].cause == "few_large_vms"
        assert "sap01" in found.causes[0].because
        assert "web01" not in found.causes[0].because

    def test_a_small_guest_takes_half_an_hour_to_show(self) -> None:
        for seconds, verdict in ((1_200, "suspected"), (3_600, "problem")):
            recording = host(seconds=seconds)
            vm(recording, "sql01", touched=7_500.0)
            check = next(
                one for one in diagnosed(recording).verdict.checks if one.problem == "mem.guest_demand"
            )
            assert check.verdict == verdict

    def test_a_guest_whose_memory_the_host_took_is_not_called_small(self) -> None:
        recording = host(seconds=3_600)
        vm(recording, "sql01", touched=7_500.0, balloon=2_000.0, balloon_target=2_000.0)
        assert only(recording, problem="mem.guest_demand").causes[0].cause == "memory_taken"


class TestMemoryLimit:
    PROBLEM = "mem.limit"

    def test_it_explains_what_is_taken_from_the_vm(self) -> None:
        recording = host()
        taken = {"balloon": 3_000.0, "balloon_target": 3_000.0, "swap_write": 0.5, "swapped": 400.0}
        ref = vm(recording, "sql01", alloc_max=4_096.0, consumed=4_050.0, **taken)
        found = only(recording, problem=self.PROBLEM)
        assert found.causes[0].cause == "vm_limit"
        assert found.causes[0].verdict == "likely"
        assert "sql01 has 8 GB and was allowed 4 GB of it" in found.conclusion
        for downstream in ("mem.ballooning", "mem.swapping"):
            assert only(recording, problem=downstream).consequence_of == (self.PROBLEM, ref)

    @pytest.mark.parametrize(
        ("limit", "consumed"),
        [(-1.0, 8_000.0), (16_384.0, 8_000.0), (4_096.0, 2_000.0)],
        ids=["none", "above its size", "far from it"],
    )
    def test_a_limit_that_does_not_bind_is_not_blamed(self, limit: float, consumed: float) -> None:
        recording = host()
        vm(recording, "a", alloc_max=limit, consumed=consumed, balloon=3_000.0, balloon_target=3_000.0)
        assert findings(recording, problem=self.PROBLEM) == []

    def test_a_limit_that_takes_nothing_now_is_no_problem(self) -> None:
        recording = host()
        vm(recording, "a", alloc_max=4_096.0, consumed=4_000.0)
        assert findings(recording, problem=self.PROBLEM) == []

    def test_on_a_short_host_it_may_be_either(self) -> None:
        recording = short_host()
        vm(recording, "a", alloc_max=4_096.0, consumed=4_000.0, balloon=3_000.0, balloon_target=3_000.0)
        assert only(recording, problem=self.PROBLEM).causes[0].verdict == "possible"
