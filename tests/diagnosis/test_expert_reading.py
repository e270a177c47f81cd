"""What an expert signs of captures that no card was made for, sentence by sentence."""

from __future__ import annotations

import re

import numpy as np
import pytest

from diagnosis import diagnose_session
from diagnosis.plain_text import report_text
from sessions.findings import Finding
from sessions.model import EntityRef, Event, SourceSpec
from tests.diagnosis.recordings import (
    START,
    Level,
    Recording,
    catalogue,
    cause,
    diagnosed,
    during,
    findings,
    only,
    problems,
    session,
    verdicts,
)
from tests.diagnosis.test_cards_storage import BUSY, LUN, OTHER, host, lun
from tests.diagnosis.test_cards_vcenter import DISK, check, vcenter

ALL_PATHS_DOWN = f"{LUN}: all paths to it are down"


def dead_lun() -> Recording:
    """After 400 s nothing comes back any more from a LUN that served 300 I/Os a second."""
    recording = host()
    served = {"commands": 300.0, "reads": 200.0, "writes": 100.0, "read_mb": 2.0, "write_mb": 1.0}
    took = {"device_latency": 1.5, "device_latency_read": 1.5, "device_latency_write": 1.5}
    device = lun(recording, OTHER)
    levels: dict[str, Level] = {f"disk.{name}": during(0, 400, one) for name, one in (served | took).items()}
    waiting: dict[str, Level] = {
        "disk.active": during(0, 400, 2.0, 28.0),
        "disk.queued": during(0, 400, 0.0, 6.0),
    }
    recording.shared(LUN, {**BUSY, **levels, **waiting})
    assert device.key == OTHER, "another LUN of the array answers"
    return recording


def of(found: list[Finding], problem: str) -> Finding:
    [one] = [one for one in found if one.problem == problem]
    return one


class TestDeadLun:
    PROBLEM = "storage.device_latency"

    def test_no_load_is_blamed_for_a_device_that_does_not_answer(self) -> None:
        found = only(dead_lun(), problem=self.PROBLEM)
        assert found.severity == "critical"
        assert (found.causes[0].cause, found.causes[0].verdict) == ("lun_gone", "likely")
        for blameless in ("own_load", "large_io", "write_cache", "noisy_neighbour"):
            told = cause(found, blameless)
            assert told.verdict == "ruled out", blameless
            assert "–" not in told.because
            assert "correlation" not in told.because or "1.00" not in told.because

    def test_commands_that_never_came_back_took_no_0_ms(self) -> None:
        found = only(dead_lun(), problem=self.PROBLEM)
        said = " ".join([found.conclusion, *(one.because for one in found.causes)])
        assert not re.search(r"(?<![\d.])0 ms", said)

    def test_a_log_that_tells_of_it_makes_no_second_trouble_of_it(self) -> None:
        made = session(dead_lun())
        at = START + 401_000
        event = Event(
            at, "storage", ALL_PATHS_DOWN, EntityRef("device", LUN), at + 140_000, "log:1", log="vobd.log"
        )
        made.add_source(
            SourceSpec("log", "esx01"), np.zeros(0, np.int64), [], np.zeros((0, 0)), events=[event]
        )
        found = list(diagnose_session(made, problems(), catalogue()).findings)
        hangs, paths = of(found, self.PROBLEM), of(found, "storage.path")
        assert hangs.consequence_of is None
        assert f"{ALL_PATHS_DOWN} [vobd.log]" in hangs.conclusion
        assert paths.consequence_of is not None
        assert paths.consequence_of[0] == self.PROBLEM
        assert "answered in" not in paths.conclusion


def test_a_neighbour_whose_vm_nobody_recorded_is_not_called_none_of_them() -> None:
    victim, noisy = host("esx01"), host("esx02")
    lun(victim, device_latency=during(300, 900, 30.0, 2.0), commands=during(300, 900, 400.0, 150.0))
    lun(noisy, device_latency=during(300, 900, 30.0, 2.0), commands=during(300, 900, 6_000.0, 50.0))
    for found in findings(victim, noisy):
        said = " ".join([found.conclusion, *found.remedies, *(one.because for one in found.causes)])
        assert "none of them" not in said
    [asked, *_] = only(victim, noisy, problem="storage.device_latency").remedies
    assert asked.startswith("See what the busiest VM on it does; move its disk")


@pytest.mark.parametrize("problem", [card.id for card in problems().cards])
def test_no_step_speaks_of_somebody_unknown(problem: str) -> None:
    """Names of several, of whom none may be known, stand in brackets, which are then left out."""
    for one in problems().card(problem).causes:
        for step in one.remedies:
            plain = re.sub(r"\([^()]*\{top\([^()]*\)[^()]*\)|\[[^\[\]]*\]", "", step)
            assert "{top(" not in plain, step


def test_of_several_numbers_the_first_may_be_unknown() -> None:
    recording = vcenter()
    levels = {name: level for name, level in DISK.items() if name != "vdisk.latency_read"}
    writing = {
        **levels,
        "vdisk.reads": 0.0,
        "vdisk.writes": 300.0,
        "vdisk.latency_write": during(0, 420, 40.0, 1.0),
    }
    recording.add("vdisk", "scsi0:0", writing, parent=recording.vm("ingest01", {"cpu.ready": 0.5}))
    told = only(recording, problem="storage.vm_latency").conclusion
    assert "(writes 40 ms)" in told


class TestFirstWrite:
    PROBLEM = "storage.first_write"

    def disk(self, slow: Level) -> Recording:
        recording = vcenter()
        vm = recording.vm("ingest01", {"cpu.ready": 0.5})
        levels: dict[str, Level] = {**DISK, "vdisk.latency_write": slow, "vdisk.reads": 2.0}
        recording.add("vdisk", "scsi0:0", levels, parent=vm)
        return recording

    def test_counters_alone_make_it_possible_and_say_what_would_decide(self) -> None:
        found = only(self.disk(during(0, 420, 25.0, 1.0)), problem=self.PROBLEM)
        told = cause(found, "first_write")
        assert told.verdict == "possible"
        assert "Whether its disk is thin or lazily zeroed would decide" in told.because
        assert "–" not in told.because
        assert "device" not in found.conclusion, "none was recorded"

    @pytest.mark.parametrize(("first", "is_found"), [(1500.0, True), (3000.0, False)])
    def test_as_many_writes_must_be_fast_at_some_other_time(self, first: float, is_found: bool) -> None:
        """A load test writes at random: later 1,100 to 1,600 a second, and as many as it ever did first."""
        recording = vcenter()
        writes: dict[str, Level] = {
            "vdisk.latency_write": during(0, 420, 25.0, 1.0), "vdisk.reads": 2.0,
            "vdisk.writes": lambda t: np.where(t < 420, first, np.where(t % 240 < 120, 1100.0, 1600.0)),
        }  # fmt: skip
        recording.add("vdisk", "scsi0:0", DISK | writes, parent=recording.vm("ingest01", {"cpu.ready": 0.5}))
        assert bool(findings(recording, problem=self.PROBLEM)) == is_found

    def test_writes_that_were_fast_before_are_no_first_writes(self) -> None:
        assert findings(self.disk(during(700, 900, 25.0, 1.0)), problem=self.PROBLEM) == []


class TestAdapterType:
    def busy(self, *types: str) -> Recording:
        recording = vcenter()
        vm = recording.vm("app07", {"cpu.ready": 0.5, "cpu.run": 60.0, "cpu.system": 22.0})
        port: dict[str, Level] = {
            "net.packets_rx": 60_000.0, "net.packets_tx": 40_000.0, "net.mbits_rx": 600.0,
            "net.mbits_tx": 200.0, "net.drops_rx": 0.6, "net.drops_tx": 0.0,
        }  # fmt: skip
        recording.add("port", "4000", port, parent=vm)
        for number, adapter in enumerate(types or ("e1000",), start=4000):
            recording.fact(vm, f"nic.{number}.type", adapter)
        return recording

    def test_of_adapters_of_both_kinds_nobody_knows_which_carries_the_traffic(self) -> None:
        found = only(self.busy("e1000", "vmxnet3"), problem="net.adapter_type")
        assert found.severity == "info"
        assert (
            "adapters of the types e1000, vmxnet3 and moves 600 Mbit/s over all of them" in found.conclusion
        )
        assert found.causes[0].verdict == "possible"
        dropped = only(self.busy("e1000", "vmxnet3"), problem="net.rx_drops")
        assert verdicts(dropped)["adapter_type"] == "possible"
        system = only(self.busy("e1000", "vmxnet3"), problem="cpu.system_time")
        assert verdicts(system)["emulated_device"] != "likely"

    def test_what_it_costs_follows_from_it(self) -> None:
        for problem in ("net.rx_drops", "cpu.system_time"):
            found = only(self.busy(), problem=problem)
            assert found.consequence_of is not None, problem
            assert found.consequence_of[0] == "net.adapter_type"

    def test_the_adapter_is_not_ruled_out_by_the_packets_that_go_over_it(self) -> None:
        found = only(self.busy(), problem="cpu.system_time")
        assert (found.causes[0].cause, found.causes[0].verdict) == ("emulated_device", "likely")
        assert "type e1000" in found.causes[0].because


def test_a_memory_limit_is_told_in_percent() -> None:
    recording = Recording()
    levels: dict[str, Level] = {
        "mem.size": 8_192.0, "mem.alloc_max": 8_000.0, "mem.consumed": 6_000.0, "mem.balloon": 0.0,
        "mem.balloon_target": 0.0, "mem.compress_rate": 0.0, "mem.swap_write": 0.0, "mem.swap_read": 0.0,
    }  # fmt: skip
    recording.vm("db01", levels)
    number = check(diagnosed(recording), "mem.limit").number
    assert number is not None
    assert (number.unit, number.value, number.limit) == ("%", 75.0, 90.0)


class TestFaultTolerance:
    def lagging(self, part: float | None) -> Finding:
        recording = vcenter()
        vm = recording.vm("ft01", {"cpu.ready": 0.5})
        recording.fact(vm, "ft.latency_status", "yellow")
        recording.fact(vm, "ft.secondary_latency_ms", 4_200.0)
        if part is not None:
            recording.add("nic", "vmnic1", {"net.mbits_ft": 10_000.0 * part, "net.link_speed": 10_000.0})
        return only(recording, problem="ft.slow")

    def test_a_secondary_that_nothing_speaks_against_gives_no_orders_but_to_find_out(self) -> None:
        found = self.lagging(None)
        assert verdicts(found)["secondary_starved"] == "unknown"
        [step] = found.remedies
        assert step.startswith("Find out which cause it is before you change anything.")

    def test_with_room_on_the_logging_network_it_is_the_secondary(self) -> None:
        assert verdicts(self.lagging(0.1))["secondary_starved"] == "possible"
        assert verdicts(self.lagging(0.9))["secondary_starved"] == "ruled out"


def test_why_a_check_was_not_done_is_said_as_it_is() -> None:
    """Snapshots are no matter of more samples: esxtop does not know them."""
    recording = host()
    vm = recording.vm("db01", {"cpu.ready": 0.5})
    recording.add("vdisk", "scsi0:0", DISK, parent=vm)
    text = re.sub(r"\s+", " ", report_text(diagnosed(recording)))
    assert "storage.snapshots: no source tells of snapshots; vCenter does" in text


@pytest.mark.parametrize(("level", "is_found"), [(0.09, False), (0.4, False), (2.3, True)])
def test_an_nvme_that_takes_many_times_its_usual_is_slow(level: float, is_found: bool) -> None:
    """0.09 ms at 4,000 I/Os a second, and then 2.3 ms at the same load: on flash 2 ms is unusual."""
    recording = host()
    slow = during(800, 1200, level, 0.09)
    lun(recording, "t10.NVMe____Dell_Ent_NVMe_0100", device_latency=slow, commands=4_000.0)
    found = findings(recording, problem="storage.device_latency")
    assert bool(found) == is_found
    assert all("times its usual 90 µs" in one.conclusion for one in found)


class TestNeighbours:
    def test_the_way_of_one_host_is_not_asked_for_where_another_waits_as_long(self) -> None:
        pair = [host("esx01"), host("esx02")]
        for one in pair:
            lun(one, device_latency=during(300, 900, 30.0, 2.0), commands=200.0)
        told = cause(only(*pair, problem="storage.device_latency"), "path_fault")
        assert told.verdict == "ruled out"
        assert "(other hosts: 30 ms)" in told.because

    def test_a_few_more_ios_beside_a_large_load_are_nobodys_fault(self) -> None:
        """An array that rebuilds: 30 ms, while another host happens to send 50 /s more of 1,040."""
        victim, other = host("esx01"), host("esx02")
        lun(victim, device_latency=during(300, 900, 30.0, 2.0), commands=1_000.0)
        lun(other, device_latency=during(300, 900, 30.0, 2.0), commands=during(300, 900, 90.0, 40.0))
        assert findings(victim, other, problem="storage.noisy_neighbour") == []
        found = only(victim, other, problem="storage.device_latency")
        assert (found.causes[0].cause, found.causes[0].verdict) == ("below_host", "likely")

    @pytest.mark.parametrize(("switch", "is_found"), [("vSwitch0", True), ("vSwitch1", False), ("", True)])
    def test_who_loses_packets_on_another_switch_is_no_victim(self, switch: str, is_found: bool) -> None:
        recording = Recording()
        calm: dict[str, Level] = {"net.packets_tx": 5_000.0, "net.mbits_rx": 40.0, "net.drops_tx": 0.0}
        rising = during(300, 900, 9_000.0, 700.0)
        uplink: dict[str, Level] = {**calm, "net.mbits_tx": rising, "net.link_speed": 10_000.0}
        nic = recording.add("nic", "esx01/vmnic2", uplink)
        recording.fact(nic, "nic.switch", "vSwitch0")
        for name, sends, lost, where in (
            ("backup01", during(300, 900, 8_500.0, 300.0), 0.0, "vSwitch0"),
            ("web01", 40.0, during(300, 900, 2.0), switch),
        ):
            vm = recording.vm(name, {"cpu.ready": 0.5, "cpu.run": 20.0})
            levels: dict[str, Level] = {**calm, "net.mbits_tx": sends, "net.drops_tx": lost}
            port = recording.add("port", name, levels, parent=vm)
            if where:
                recording.fact(port, "port.switch", where)
        assert bool(findings(recording, problem="net.noisy_neighbour")) == is_found


@pytest.mark.parametrize("interval", [5.0, 60.0, 300.0])
def test_aborts_of_ten_minutes_are_found_however_coarse_the_recording(interval: float) -> None:
    recording = Recording(seconds=4 * 3600, interval=interval)
    recording.on_host({"cpu.pcpu_util": 40.0, "cpu.pcpu_used": 40.0})
    lun(recording, aborts=during(3600, 3899, 0.02))
    assert only(recording, problem="storage.aborts").severity in ("warning", "critical")


class TestWholeClassesLacking:
    def text(self, *recordings: Recording) -> str:
        return re.sub(r"\s+", " ", report_text(diagnosed(*recordings)))

    def test_finding_nothing_in_cpu_alone_clears_nothing_else(self) -> None:
        recording = Recording()
        recording.on_host({"cpu.pcpu_util": 35.0, "cpu.pcpu_used": 35.0})
        recording.vm("db01", {"cpu.ready": 0.5, "cpu.run": 20.0, "cpu.costop": 0.0})
        said = "This is no all-clear for memory, storage and network: the samples have nothing"
        assert said in self.text(recording)

    def test_of_one_class_it_is_said_alone(self) -> None:
        recording = host()
        recording.on_host({"mem.state": 0.0, "mem.free": 20_000.0, "mem.kernel_minfree": 1_900.0})
        lun(recording)
        recording.vm("db01", {"cpu.ready": 0.5, "cpu.run": 20.0, "cpu.costop": 0.0})
        assert "This is no all-clear for network: the samples have nothing" in self.text(recording)


class TestWhoseNumberItIs:
    def test_two_sources_of_one_host_are_told_apart(self) -> None:
        pair = [Recording("esx01"), Recording("esx01", source="vcenter", interval=20.0)]
        for one in pair:
            one.on_host({"cpu.pcpu_util": 40.0, "cpu.pcpu_used": 40.0})
            lun(one, device_latency=34.0)
        found = only(*pair, problem="storage.device_latency")
        told = [item.instance for item in found.evidence if item.statistic == "p95"]
        assert sorted(told) == ["esx01 (esxtop)", "esx01 (vCenter)"]

    def test_two_rules_that_hold_of_one_host_are_no_two_sources(self) -> None:
        recording = Recording("vcsa", source="vcenter", interval=20.0)
        recording.on_host({})
        short: dict[str, Level] = {
            "mem.state": 3.0, "mem.free": 500.0, "mem.kernel_minfree": 1_925.0, "mem.machine": 131_072.0,
            "mem.balloon": 30_000.0, "mem.swap_used": 8_000.0,
        }  # fmt: skip
        recording.another_host("esx03", short)
        found = only(recording, problem="mem.host_state")
        assert len(found.evidence) > 4
        assert not any(item.instance == "vcsa" for item in found.evidence)


def test_a_vm_without_a_memory_limit_is_not_said_to_have_one_of_minus_1() -> None:
    recording = host()
    recording.on_host({"mem.state": 2.0, "mem.free": 900.0, "mem.kernel_minfree": 1_925.0})
    taken: dict[str, Level] = {
        "mem.size": 8_192.0, "mem.alloc_max": -1.0, "mem.consumed": 5_000.0, "mem.balloon": 3_000.0,
        "mem.balloon_target": 3_000.0, "cpu.mem_latency": 2.0,
    }  # fmt: skip
    recording.vm("db01", taken)
    found = only(recording, problem="mem.ballooning")
    assert cause(found, "vm_limit").because == "It has no memory limit that binds."
