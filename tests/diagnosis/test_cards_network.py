"""The network cards on small captures: guest, ring, uplink or wire."""

from __future__ import annotations

import numpy as np
import pytest

from sessions.model import EntityRef, SourceKind
from tests.diagnosis.recordings import Level, Recording, cause, diagnosed, during, findings, only, verdicts

PORT: dict[str, Level] = {
    "net.packets_rx": 5_000.0,
    "net.packets_tx": 5_000.0,
    "net.mbits_rx": 40.0,
    "net.mbits_tx": 40.0,
    "net.drops_rx": 0.0,
    "net.drops_tx": 0.0,
}


def vm(
    recording: Recording, name: str, *, ready: float = 0.5, run: float = 20.0, **levels: Level
) -> EntityRef:
    ref = recording.vm(name, {"cpu.ready": ready, "cpu.run": run, "cpu.costop": 0.0, "cpu.max_limited": 0.0})
    given = {"net." + counter: level for counter, level in levels.items()}
    recording.add("port", f"vSwitch0:{name}", {**PORT, **given}, parent=ref)
    return ref


def nic(recording: Recording, name: str = "vmnic2", **levels: Level) -> EntityRef:
    given = {"net." + counter: level for counter, level in levels.items()}
    return recording.add("nic", f"esx01/{name}", {**PORT, "net.link_speed": 10_000.0, **given})


class TestRxDrops:
    PROBLEM = "net.rx_drops"

    @pytest.mark.parametrize(
        ("drops", "packets", "severity"),
        [
            (0.05, 5_000.0, None),
            (0.2, 5_000.0, "warning"),
            (1.5, 5_000.0, "critical"),
            (20.0, 5.0, None),
            (0.8, 90.0, None),
            (6.0, 60.0, "critical"),  # few packets: by their count
        ],
    )
    def test_boundaries(self, drops: float, packets: float, severity: str | None) -> None:
        recording = Recording()
        vm(recording, "web01", drops_rx=drops, packets_rx=packets)
        assert [one.severity for one in findings(recording)] == ([severity] if severity else [])

    def test_a_guest_without_cpu(self) -> None:
        recording = Recording()
        ref = vm(recording, "web01", drops_rx=0.8, ready=9.0)
        recording.on_host({"cpu.pcpu_util": 50.0, "cpu.pcpu_used": 45.0})
        found = only(recording, problem=self.PROBLEM)
        assert found.causes[0].cause == "guest_cpu_starved"
        assert found.consequence_of == ("cpu.ready_high", ref)

    @pytest.mark.parametrize(
        ("others", "ready", "is_alone"), [(12.0, 0.2, True), (92.0, 0.2, False), (12.0, 9.0, False)]
    )
    def test_one_vcpu_that_takes_all_packets_is_no_shortage(
        self, others: float, ready: float, is_alone: bool
    ) -> None:
        recording = Recording()
        run = (97.5 + 3 * others) / 4
        ref = vm(recording, "fw01", drops_rx=3.0, packets_rx=180_000.0, ready=ready, run=run)
        for number in range(4):
            levels: dict[str, Level] = {"cpu.run": others if number else 97.5, "cpu.ready": ready}
            recording.add("vcpu", f"vCPU {number}", levels, parent=ref)
        found = only(recording, problem=self.PROBLEM)
        assert found.causes[0].cause == ("one_vcpu_takes_all" if is_alone else "guest_cpu_starved")
        assert any(one.startswith("Spread receive work") for one in found.remedies) == is_alone

    def test_a_small_ring(self) -> None:
        recording = Recording()
        vm(recording, "web01", drops_rx=0.8)
        assert only(recording, problem=self.PROBLEM).causes[0].cause == "ring_buffer_burst"

    def test_the_wire(self) -> None:
        recording = Recording()
        nic(recording, drops_rx=0.8)
        found = only(recording, problem=self.PROBLEM)
        assert (found.entity.kind, found.entity_name) == ("nic", "esx01/vmnic2")
        assert verdicts(found) == {"physical_layer": "likely"}

    @pytest.mark.parametrize(("every", "is_found"), [(30.0, True), (290.0, False)])
    def test_bursts_of_six_seconds(self, every: float, is_found: bool) -> None:
        recording = Recording(seconds=300, interval=2.0)
        vm(
            recording, "web04",
            drops_rx=lambda t: np.where((t >= 20) & ((t - 20) % every < 6), 4.0, 0.0),
            packets_rx=lambda t: np.where((t >= 20) & ((t - 20) % every < 8), 25_000.0, 2_000.0),
        )  # fmt: skip
        found = findings(recording, problem=self.PROBLEM)
        assert bool(found) == is_found
        for one in found:
            assert one.causes[0].cause == "ring_buffer_burst"
            assert any("every 30 s" in note for note in one.notes)


class TestTxDrops:
    PROBLEM = "net.tx_drops"

    def test_a_full_uplink(self) -> None:
        recording = Recording()
        vm(recording, "web01", drops_tx=2.0, mbits_tx=9_000.0)
        link = nic(recording, mbits_tx=9_700.0)
        found = {one.problem: one for one in findings(recording)}
        drops = found[self.PROBLEM]
        assert drops.causes[0].cause == "uplink_saturated"
        assert drops.consequence_of == ("net.saturated", link)
        assert found["net.saturated"].causes[0].cause == "one_vm_dominates"

    def test_shaping(self) -> None:
        recording = Recording()
        vm(recording, "web01", drops_tx=2.0)
        nic(recording)
        assert only(recording, problem=self.PROBLEM).causes[0].cause == "shaping_limit"

    def test_without_link_speed_it_cannot_be_told(self) -> None:
        recording = Recording()
        vm(recording, "web01", drops_tx=2.0)
        recording.add("nic", "esx01/vmnic2", PORT)
        found = only(recording, problem=self.PROBLEM)
        assert set(verdicts(found).values()) == {"unknown"}

    def test_the_link_speed_may_be_a_fact(self) -> None:
        recording = Recording()
        vm(recording, "web01", drops_tx=2.0)
        recording.fact(recording.add("nic", "esx01/vmnic2", PORT), "nic.speed_mbps", 10_000.0)
        assert only(recording, problem=self.PROBLEM).causes[0].cause == "shaping_limit"


class TestSaturated:
    PROBLEM = "net.saturated"

    @pytest.mark.parametrize(
        ("mbits", "severity"), [(7_500.0, None), (7_600.0, "warning"), (9_100.0, "critical")]
    )
    def test_each_direction_counts_alone(self, mbits: float, severity: str | None) -> None:
        recording = Recording()
        nic(recording, mbits_rx=mbits, mbits_tx=mbits)
        assert [one.severity for one in findings(recording)] == ([severity] if severity else [])

    def test_a_link_that_is_down_has_no_speed(self) -> None:
        recording = Recording()
        nic(recording, link_speed=0.0, mbits_rx=10.0)
        assert findings(recording) == []

    def test_the_vmkernel(self) -> None:
        recording = Recording()
        nic(recording, mbits_tx=9_500.0)
        recording.add("port", "esx01/vmk0", {**PORT, "net.mbits_tx": 9_000.0})
        assert only(recording, problem=self.PROBLEM).causes[0].cause == "kernel_traffic"

    def test_many_vms_and_an_idle_uplink(self) -> None:
        for other, expected in ((100.0, "unbalanced_team"), (7_000.0, "many_vms")):
            recording = Recording()
            nic(recording, mbits_tx=9_500.0)
            nic(recording, "vmnic3", mbits_tx=other)
            recording.add("port", "esx01/vmk0", PORT)
            for number in range(10):
                vm(recording, f"web{number}", mbits_tx=950.0)
            assert only(recording, problem=self.PROBLEM).causes[0].cause == expected

    def test_the_idle_uplink_is_named_though_nothing_tells_of_vmkernel_ports(self) -> None:
        recording = Recording()
        nic(recording, mbits_tx=9_500.0)
        nic(recording, "vmnic3", mbits_tx=100.0)
        for number in range(10):
            vm(recording, f"web{number}", mbits_tx=950.0)
        found = only(recording, problem=self.PROBLEM)
        assert found.causes[0].cause == "unbalanced_team"
        assert "esx01/vmnic3, was only 1 % full" in found.causes[0].because

    @pytest.mark.parametrize("kernel", ["port", "kind of traffic", "nothing tells"])
    def test_a_link_full_of_fault_tolerance_is_no_matter_of_teaming(self, kernel: str) -> None:
        recording = Recording(source="vcenter", interval=20.0)
        logging = {"mbits_ft": 6_000.0} if kernel == "kind of traffic" else {}
        nic(recording, "vmnic2", mbits_tx=8_600.0, mbits_rx=7_000.0, **logging)
        nic(recording, "vmnic3", mbits_tx=100.0)
        if kernel == "port":
            recording.add("port", "esx01/vmk2", {**PORT, "net.mbits_tx": 6_000.0})
        vm(recording, "web01", mbits_tx=1_500.0)
        found = only(recording, problem=self.PROBLEM)
        assert found.causes[0].cause == "kernel_traffic"
        assert verdicts(found)["unbalanced_team"] in ("ruled out", "unknown")
        assert found.causes[0].verdict == ("possible" if kernel == "nothing tells" else "likely")

    @pytest.mark.parametrize("source", ["esxtop", "vcenter"])
    def test_a_team_that_lost_a_link(self, source: SourceKind) -> None:
        """A vCenter tells no speed of a link that is down."""
        recording = Recording(source=source, interval=20.0, seconds=1800)
        is_down = during(600, 1200, 0.0, 1.0)
        of_full: dict[str, Level] = {"net.mbits_tx": during(600, 1200, 9_600.0, 4_800.0)}
        of_lost: dict[str, Level] = {"net.mbits_tx": during(600, 1200, 0.0, 4_800.0)}
        if source == "esxtop":
            of_full |= {"net.link_up": 1.0, "net.link_speed": 10_000.0}
            of_lost |= {"net.link_up": is_down, "net.link_speed": 10_000.0}
        full = recording.add("nic", "esx01/vmnic2", PORT | of_full)
        lost = recording.add("nic", "esx01/vmnic3", PORT | of_lost)
        for one in (full, lost):
            recording.fact(one, "nic.switch", "vSwitch0")
        if source == "vcenter":
            recording.fact(full, "nic.speed_mbps", 10_000.0)
            recording.fact(lost, "nic.speed_mbps", 10_000.0, 0, 600)
            recording.fact(lost, "nic.speed_mbps", 10_000.0, 1205)
        for number in range(10):
            vm(recording, f"web{number}", mbits_tx=950.0)
        found = {one.entity_name: one for one in findings(recording)}
        because = found["esx01/vmnic2"].causes[0].because
        assert found["esx01/vmnic2"].causes[0].cause == "team_lost_a_link"
        assert because.startswith("esx01/vmnic3 of the same switch was down meanwhile (0 of the other links")
        assert verdicts(found["esx01/vmnic2"])["unbalanced_team"] == "ruled out"
        assert found["esx01/vmnic2"].consequence_of == ("net.errors", lost)
        assert "was down for 10 min" in found["esx01/vmnic3"].conclusion

    def test_a_plain_capture_does_not_tell_of_links(self) -> None:
        recording = Recording(seconds=1800)
        nic(recording, mbits_tx=during(600, 1200, 9_600.0, 4_800.0))
        nic(recording, "vmnic3", mbits_tx=during(600, 1200, 0.0, 4_800.0))
        assert verdicts(only(recording, problem=self.PROBLEM))["team_lost_a_link"] == "unknown"

    def test_a_kind_of_traffic_that_is_not_known_leaves_no_hole(self) -> None:
        recording = Recording(source="vcenter", interval=20.0)
        nic(recording, mbits_tx=9_500.0, mbits_vmotion=9_000.0)
        because = only(recording, problem=self.PROBLEM).causes[0].because
        assert "(vMotion: 9 Gbit/s)" in because
        assert "NFS" not in because


class TestErrors:
    PROBLEM = "net.errors"

    @pytest.mark.parametrize(("errors", "severity"), [(0.0, None), (0.05, "warning"), (0.5, "critical")])
    def test_any_error_is_worth_a_look(self, errors: float, severity: str | None) -> None:
        recording = Recording(source="vcenter", interval=20.0)
        nic(recording, errors_rx=errors)
        found = findings(recording, problem=self.PROBLEM)
        assert [one.severity for one in found] == ([severity] if severity else [])
        assert {one.entity_name for one in found} <= {"esx01/vmnic2"}

    def test_a_single_blip_is_none(self) -> None:
        recording = Recording(source="vcenter", interval=20.0)
        nic(recording, errors_rx=during(300, 310, 5.0))
        assert findings(recording, problem=self.PROBLEM) == []

    def test_errors_of_one_uplink_alone_are_on_its_way(self) -> None:
        for other, verdict in ((0.0, "likely"), (0.4, "possible")):
            recording = Recording(source="vcenter", interval=20.0)
            nic(recording, errors_rx=0.5)
            nic(recording, "vmnic3", errors_rx=other)
            found = findings(recording, problem=self.PROBLEM)
            assert cause(found[0], "physical_errors").verdict == verdict

    def test_a_link_that_comes_and_goes(self) -> None:
        recording = Recording()
        nic(recording, link_up=lambda t: ((t // 30) % 4 != 3) * 1.0)
        found = only(recording, problem=self.PROBLEM)
        assert found.causes[0].cause == "flapping"
        assert "was down for" in found.conclusion

    @pytest.mark.parametrize("is_recorded", [True, False])
    def test_a_link_that_was_up_in_each_sample_did_not_go_away(self, is_recorded: bool) -> None:
        """No vCenter tells of a capture's links: what it counted itself decides."""
        recording = Recording()
        slow = nic(recording, link_speed=100.0)
        nic(recording, "vmnic3")
        if is_recorded:
            recording.has(slow, {"net.link_up": 1.0})
        found = only(recording, problem=self.PROBLEM)
        assert verdicts(found)["flapping"] == ("ruled out" if is_recorded else "unknown")

    def test_a_link_that_nobody_uses_is_down_all_the_time(self) -> None:
        recording = Recording()
        nic(recording, link_up=0.0, link_speed=0.0, mbits_rx=0.0, mbits_tx=0.0)
        assert findings(recording) == []

    def test_what_vcenter_tells_of_a_link(self) -> None:
        recording = Recording(source="vcenter", interval=20.0)
        nic(recording)
        nic(recording, "vmnic21")
        recording.event(recording.host, "network", "Physical NIC vmnic2 is flapping on esx01", 300)
        found = only(recording, problem=self.PROBLEM)
        assert found.entity_name == "esx01/vmnic2"
        assert "Physical NIC vmnic2 is flapping on esx01" in found.causes[0].because


class TestWhatVcenterCountsAsDropped:
    PROBLEM = "net.rx_drops"

    def dropping(self, adapter: str = "") -> Recording:
        recording = Recording(source="vcenter", interval=20.0)
        ref = vm(recording, "web06", drops_rx=2.0, dropped_rx=100.0)
        if adapter:
            recording.fact(ref, "nic.4000.type", adapter)
        return recording

    def test_it_may_be_frames_that_were_filtered(self) -> None:
        found = only(self.dropping(), problem=self.PROBLEM)
        assert cause(found, "filtered_frames").verdict == "possible"
        assert any("%DRPRX in esxtop" in step for step in found.remedies)

    def test_esxtop_counts_no_filtered_frames(self) -> None:
        recording = Recording()
        vm(recording, "web06", drops_rx=2.0)
        told = cause(only(recording, problem=self.PROBLEM), "filtered_frames")
        assert told.verdict == "ruled out"
        assert told.because == "The 2 % are esxtop's count, which has no filtered frames in it."

    @pytest.mark.parametrize(
        ("adapter", "verdict"),
        [("e1000", "likely"), ("e1000e", "likely"), ("vmxnet3", "ruled out"), ("", "unknown")],
    )
    def test_the_type_of_its_adapter(self, adapter: str, verdict: str) -> None:
        told = cause(only(self.dropping(adapter), problem=self.PROBLEM), "adapter_type")
        assert told.verdict == verdict
        assert adapter in told.because


class TestNoisyNeighbour:
    PROBLEM = "net.noisy_neighbour"

    def site(self, *, sends: Level, loss: Level = 0.0, link: Level = 9_000.0) -> Recording:
        recording = Recording()
        nic(recording, mbits_tx=link)
        vm(recording, "backup01", mbits_tx=sends)
        vm(recording, "web01", drops_tx=loss)
        return recording

    def test_who_sends_and_who_loses(self) -> None:
        recording = self.site(
            sends=during(300, 900, 8_500.0, 300.0),
            link=during(300, 900, 9_000.0, 700.0),
            loss=during(300, 900, 2.0),
        )
        found = only(recording, problem=self.PROBLEM)
        assert found.entity_name == "esx01/vmnic2"
        assert found.causes[0].cause == "one_vm"
        assert "backup01" in found.causes[0].because
        assert "web01" in found.conclusion
        full = only(recording, problem="net.saturated")
        assert full.consequence_of is not None
        assert full.consequence_of[0] == self.PROBLEM

    def test_a_neighbour_who_goes_on_stays_one(self) -> None:
        recording = self.site(
            sends=during(120, 1200, 8_500.0, 300.0),
            link=during(120, 1200, 9_000.0, 700.0),
            loss=during(120, 1200, 2.0),
        )
        assert only(recording, problem=self.PROBLEM).share == 0.9

    @pytest.mark.parametrize(
        ("sends", "loss"),
        [(during(300, 900, 8_500.0, 300.0), 0.0), (100.0, during(300, 900, 2.0))],
        ids=["nobody loses anything", "nobody sends most of it"],
    )
    def test_a_full_link_without_a_neighbour(self, sends: Level, loss: Level) -> None:
        recording = self.site(sends=sends, loss=loss, link=during(300, 900, 9_000.0, 700.0))
        assert findings(recording, problem=self.PROBLEM) == []


class TestAdapterType:
    PROBLEM = "net.adapter_type"

    @pytest.mark.parametrize(
        ("adapter", "mbits", "severity"),
        [
            ("e1000", 40.0, "info"),
            ("VirtualE1000e", 400.0, "warning"),
            ("vmxnet3", 400.0, None),
            ("VirtualVmxnet3", 40.0, None),
        ],
    )
    def test_it_matters_as_much_as_it_carries(self, adapter: str, mbits: float, severity: str | None) -> None:
        recording = Recording(source="vcenter", interval=20.0)
        ref = vm(recording, "app07", mbits_rx=mbits)
        recording.fact(ref, "nic.4000.type", adapter)
        found = findings(recording, problem=self.PROBLEM)
        assert [one.severity for one in found] == ([severity] if severity else [])
        assert all(one.causes[0].verdict == "likely" and adapter in one.conclusion for one in found)

    def test_what_esxtop_cannot_tell(self) -> None:
        recording = Recording()
        vm(recording, "app07", mbits_rx=400.0)
        judged = {one.problem: one for one in diagnosed(recording).verdict.checks}[self.PROBLEM]
        assert judged.verdict == "insufficient data"
        assert "vCenter" in judged.reason
