"""What a stranger's scenarios showed of the cards: each rule with what looks like it and is none."""

from __future__ import annotations

import numpy as np
import pytest

from sessions.model import EntityRef
from tests.diagnosis.recordings import Level, Recording, cause, during, findings, only

LUN = "naa.600508b4000603860000000000000001"
OTHER = "naa.600508b4000603860000000000000002"
DISK: dict[str, Level] = {
    "vdisk.reads": 200.0, "vdisk.writes": 100.0, "vdisk.latency_read": 1.0, "vdisk.latency_write": 1.0,
}  # fmt: skip


def vcenter() -> Recording:
    recording = Recording(source="vcenter", interval=20.0)
    recording.on_host({"cpu.pcpu_used": 30.0})
    return recording


def vm_with_disks(recording: Recording, *disks: dict[str, Level], name: str = "sql01") -> EntityRef:
    ref = recording.vm(name, {"cpu.ready": 0.5})
    for number, levels in enumerate(disks):
        recording.add("vdisk", f"scsi0:{number}", DISK | levels, parent=ref)
    return ref


class TestALimitOfOneDisk:
    PROBLEM = "storage.iops_limit"

    def site(self, limited: str, iops: Level) -> Recording:
        recording = vcenter()
        quiet: dict[str, Level] = {"vdisk.reads": 20.0, "vdisk.writes": 0.0}
        busy: dict[str, Level] = {"vdisk.reads": iops, "vdisk.writes": 0.0, "vdisk.latency_read": 60.0}
        ref = vm_with_disks(recording, quiet, busy)
        recording.fact(ref, f"vdisk.{limited}.limit_iops", 500.0, from_s=300)
        return recording

    def test_what_it_did_before_the_limit_was_set_does_not_count(self) -> None:
        found = only(self.site("scsi0:1", during(0, 300, 2_000.0, 500.0)), problem=self.PROBLEM)
        assert found.conclusion.startswith("scsi0:1 of sql01 did 500 I/Os a second, and its limit was 500")

    def test_a_limit_of_another_disk_holds_nothing_back(self) -> None:
        assert findings(self.site("scsi0:0", 500.0), problem=self.PROBLEM) == []

    def test_a_disk_that_does_more_is_not_held_back(self) -> None:
        assert findings(self.site("scsi0:1", 800.0), problem=self.PROBLEM) == []


class TestPathsOfLunZero:
    PROBLEM = "storage.path"

    def site(self, second: Level) -> Recording:
        """A local disk is LUN 0, too, and does a twentieth of what the LUN does."""
        recording = Recording()
        recording.on_host({"cpu.pcpu_util": 30.0})
        recording.add("device", "t10.ATA_____LOCAL", {"disk.commands": 15.0, "disk.device_latency": 0.3})
        recording.add("path", "esx01/vmhba0:C0:T0:L0", {"disk.commands": 15.0})
        for number, name, commands in ((0, LUN, 300.0), (1, OTHER, 100.0)):
            recording.shared(name, {"disk.commands": commands, "disk.device_latency": 1.0})
            for adapter in (1, 2):
                recording.add("path", f"esx01/vmhba{adapter}:C0:T0:L{number}", {
                    "disk.commands": commands / 2 if number or adapter == 1 else second,
                })  # fmt: skip
        return recording

    def test_a_path_that_is_lost(self) -> None:
        found = only(self.site(during(0, 400, 150.0)), problem=self.PROBLEM)
        assert found.entity_name == LUN
        assert "vmhba2:C0:T0:L0" in found.causes[0].because
        assert not found.notes

    def test_a_path_that_is_back_in_the_end(self) -> None:
        """Nobody is to look for a dead path that carries again."""
        found = only(self.site(during(400, 800, 0.0, 150.0)), problem=self.PROBLEM)
        (note,) = found.notes
        assert note.startswith("At the end of the recording 2 paths carry its I/Os again")
        assert found.causes[0].because.startswith("Nothing went over 1 of its paths on esx01 (without")

    def test_both_that_carry(self) -> None:
        assert findings(self.site(150.0), problem=self.PROBLEM) == []


class TestAllPathsDown:
    @pytest.mark.parametrize(
        ("text", "is_found"),
        [
            (f"Device or filesystem with identifier {LUN} has entered the All Paths Down state.", True),
            (f"Device or filesystem with identifier {OTHER} has entered the All Paths Down state.", False),
            (f"The datastore on {LUN} was renamed.", False),
        ],
    )
    def test_a_vcenter_tells_of_a_datastore_in_words_that_name_its_device(
        self, text: str, is_found: bool
    ) -> None:
        recording = vcenter()
        recording.shared(LUN, {})
        for counter in ("disk.commands", "disk.device_latency"):
            recording.has(EntityRef("device", LUN), {counter: during(0, 300, 100.0)}, "esx01")
        recording.event(recording.shared("lun-b", {}, "datastore"), "storage", text, 300)
        found = findings(recording, problem="storage.path")
        assert [one.entity_name for one in found] == [LUN] * is_found


class TestConflictsOfOneMoment:
    PROBLEM = "storage.reservation_conflicts"

    @pytest.mark.parametrize(
        ("conflicts", "is_found"),
        [
            (during(300, 308, 1.4), False),  # two samples of one power-on
            (lambda t: np.where(t % 60 < 20, 1.4, 0.0), True),
            (during(300, 360, 0.4), True),
        ],
    )
    def test_a_power_on_is_no_storm(self, conflicts: Level, is_found: bool) -> None:
        recording = Recording()
        recording.on_host({"cpu.pcpu_util": 30.0})
        recording.shared(
            LUN, {"disk.commands": 300.0, "disk.device_latency": 1.0, "disk.conflicts": conflicts}
        )
        assert [one.entity_name for one in findings(recording, problem=self.PROBLEM)] == [LUN] * is_found

    @pytest.mark.parametrize(("last_s", "is_found"), [(319.0, False), (359.0, True)])
    def test_samples_of_20_s(self, last_s: float, is_found: bool) -> None:
        recording = vcenter()
        recording.shared(LUN, {})
        for counter, level in (
            ("disk.commands", 300.0),
            ("disk.device_latency", 1.0),
            ("disk.conflicts", during(300, last_s, 0.3)),
        ):
            recording.has(EntityRef("device", LUN), {counter: level}, "esx01")
        assert [one.entity_name for one in findings(recording, problem=self.PROBLEM)] == [LUN] * is_found


class TestAFullHostOfACluster:
    PROBLEM = "cluster.imbalance"

    def cluster(self, hot: Level, ready: Level) -> Recording:
        recording = Recording("elsewhere", source="vcenter", interval=20.0)
        place = recording.cluster("cluster01")
        for name, used in (("esx01", hot), ("esx02", 15.0)):
            recording.another_host(name, {"cpu.pcpu_used": used}, place)
        ref = recording.add("vm", "web01", {"cpu.ready": ready, "cpu.max_limited": 0.0}, parent=place)
        recording.stays(ref, (0, EntityRef("host", "esx01")))
        recording.fact(place, "drs.enabled", True)
        recording.fact(place, "drs.behavior", "manual")
        return recording

    def test_its_vms_need_not_wait_as_long_as_it_is_full(self) -> None:
        found = only(self.cluster(90.0, during(300, 480, 9.0, 3.0)), problem=self.PROBLEM)
        assert found.causes[0].cause == "drs_manual"

    @pytest.mark.parametrize("lasts", [60.0, 120.0])
    def test_a_host_that_is_full_for_minutes_is_a_boot(self, lasts: float) -> None:
        full, waits = during(300, 300 + lasts, 95.0, 20.0), during(300, 300 + lasts, 12.0, 1.0)
        assert findings(self.cluster(full, waits), problem=self.PROBLEM) == []


class TestTheLinkOfAVMotion:
    PROBLEM = "vmotion.slow"

    def moved(self, seconds: float, slow: float | None, fast: float | None = 0.0) -> Recording:
        """A VM of 24 GB, on a host with uplinks of 1 and 10 Gbit/s; what of vMotion each of them carries."""
        recording = vcenter()
        for name, speed, flow in (("vmnic0", 1_000.0, slow), ("vmnic2", 10_000.0, fast)):
            levels: dict[str, Level] = {"net.mbits_tx": 20.0, "net.mbits_rx": 10.0}
            if flow is not None:
                levels["net.mbits_vmotion"] = during(300, 300 + seconds, flow, 3.0 if flow else 0.0)
            recording.fact(recording.add("nic", f"esx01/{name}", levels), "nic.speed_mbps", speed)
        ref = recording.vm("sql02", {"cpu.ready": 0.5, "mem.touched": 4_000.0})
        recording.fact(ref, "mem.size_mb", 24.0 * 1024)
        recording.event(ref, "vmotion", "Migrating sql02 to esx02", 120, seconds)
        return recording

    @pytest.mark.parametrize(
        ("seconds", "slow", "fast", "is_found"),
        [
            (300.0, 690.0, 0.0, False),  # what 24 GB take over 1 Gbit/s
            (300.0, 0.0, 690.0, True),  # over 10 Gbit/s they take half a minute
            (300.0, None, None, False),  # nobody counts it: it may have taken the slow one
            (1_000.0, 150.0, 0.0, True),
        ],
    )
    def test_it_is_held_against_the_uplink_that_carries_it(
        self, seconds: float, slow: float | None, fast: float | None, is_found: bool
    ) -> None:
        found = findings(self.moved(seconds, slow, fast), problem=self.PROBLEM)
        assert [one.entity_name for one in found] == ["sql02"] * is_found

    def test_it_names_that_uplink(self) -> None:
        found = only(self.moved(1_000.0, 150.0), problem=self.PROBLEM)
        assert "vmnic0" in found.conclusion
        assert "1,000 Mbit/s" in found.conclusion or "1 Gbit/s" in found.conclusion


class TestARelocation:
    @pytest.mark.parametrize(("latency", "severity"), [(15.0, "info"), (120.0, "warning")])
    def test_what_makes_disks_many_times_slower_is_more_than_worth_knowing(
        self, latency: float, severity: str
    ) -> None:
        recording = vcenter()
        slow = during(300, 900, latency, 2.0)
        ref = vm_with_disks(recording, {"vdisk.latency_read": slow, "vdisk.latency_write": slow})
        recording.event(ref, "storage_vmotion", "Relocating sql01 to lun-a", 300, 600)
        assert only(recording, problem="svmotion.impact").severity == severity

    def test_one_that_lasts_for_most_of_the_recording(self) -> None:
        recording = vcenter()
        slow = during(100, 1200, 120.0, 2.0)
        ref = vm_with_disks(recording, {"vdisk.latency_read": slow, "vdisk.latency_write": slow})
        recording.event(ref, "storage_vmotion", "Relocating sql01 to lun-a", 100, 1100)
        assert only(recording, problem="svmotion.impact").severity == "warning"


class TestDisksAboveTheirDevice:
    PROBLEM = "storage.vm_latency"

    @pytest.mark.parametrize(
        ("disk", "device", "severity"),
        [
            (14.0, 5.0, "warning"),  # a chain of snapshots
            (12.0, 9.0, None),  # what the device takes, and a little
            (9.0, 1.0, None),
            (30.0, 5.0, "critical"),
        ],
    )
    def test_ten_milliseconds_that_the_device_does_not_take(
        self, disk: float, device: float, severity: str | None
    ) -> None:
        recording = Recording()
        recording.on_host({"cpu.pcpu_util": 30.0})
        recording.shared(LUN, {"disk.commands": 300.0, "disk.device_latency": device})
        vm_with_disks(recording, {"vdisk.latency_read": disk})
        found = findings(recording, problem=self.PROBLEM)
        assert [one.severity for one in found] == ([severity] if severity else [])

    @pytest.mark.parametrize(("of_device", "is_found"), [(20.0, False), (2.0, True)])
    @pytest.mark.parametrize("are_counted", [True, False])
    def test_slow_writes_are_held_against_the_writes_of_the_device(
        self, of_device: float, is_found: bool, are_counted: bool
    ) -> None:
        recording = Recording()
        recording.on_host({"cpu.pcpu_util": 30.0})
        counted: dict[str, Level] = {
            "disk.commands": 300.0, "disk.device_latency": 7.0,
            "disk.device_latency_read": 0.5, "disk.device_latency_write": of_device,
        }  # fmt: skip
        if are_counted:
            counted |= {"disk.reads": 200.0, "disk.writes": 100.0}
        recording.shared(LUN, counted)
        vm_with_disks(recording, {"vdisk.latency_write": 22.0})
        assert [one.entity_name for one in findings(recording, problem=self.PROBLEM)] == ["sql01"] * is_found


class TestAffinityThatAVcenterTells:
    @pytest.mark.parametrize(
        ("pcpus", "busy", "is_first"),
        [("0,1", 30.0, True), ("0,1,2,3,4,5,6,7,8,9", 30.0, False), ("0,1", 75.0, False)],
    )
    def test_two_pcpus_of_an_idle_host(self, pcpus: str, busy: float, is_first: bool) -> None:
        recording = Recording(source="vcenter", interval=20.0)
        recording.on_host({"cpu.pcpu_util": busy, "cpu.pcpu_used": busy})
        for number in range(12):
            recording.on_host({"cpu.pcpu_util": busy}, str(number))
        ref = recording.vm("app02", {"cpu.ready": 18.0, "cpu.max_limited": 0.0, "cpu.run": 38.0})
        recording.fact(ref, "cpu.affinity", pcpus)
        found = only(recording, problem="cpu.ready_high")
        assert (cause(found, "affinity").verdict == "likely") == is_first
