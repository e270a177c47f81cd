"""Virtual disks that are slow though their device is not: one direction, a limit, a controller; and flash."""

from __future__ import annotations

import pytest

from sessions.model import EntityRef
from tests.diagnosis.recordings import Level, Recording, during, findings, only, verdicts

LUN = "naa.600508b4000603860000000000000001"
NVME = "eui.00d0231000b7e6a5"
DISK: dict[str, Level] = {
    "vdisk.reads": 300.0, "vdisk.writes": 300.0, "vdisk.latency_read": 1.2, "vdisk.latency_write": 1.0,
}  # fmt: skip


def site(source: str = "esxtop", *, device: str = LUN, **levels: Level) -> Recording:
    recording = Recording(interval=20.0 if source == "vcenter" else 5.0, source=source)  # type: ignore[arg-type]  # a test's own word
    recording.on_host({"cpu.pcpu_util": 40.0, "cpu.pcpu_used": 40.0})
    given = {"disk." + counter: level for counter, level in levels.items()}
    recording.shared(device, {
        "disk.commands": 600.0, "disk.device_latency": 1.0, "disk.kernel_latency": 0.02, "disk.active": 1.0,
        "disk.queued": 0.0, **given,
    })  # fmt: skip
    return recording


def vm(recording: Recording, name: str = "sql01", **levels: Level) -> EntityRef:
    ref = recording.vm(name, {"cpu.run": 20.0, "cpu.used": 20.0, "cpu.ready": 0.4})
    given = {"vdisk." + counter: level for counter, level in levels.items()}
    recording.add("vdisk", "scsi0:0", {**DISK, **given}, parent=ref)
    return ref


class TestOneDirection:
    PROBLEM = "storage.vm_latency"

    @pytest.mark.parametrize(
        ("reads", "writes", "is_found"),
        [(300.0, 300.0, True), (60.0, 600.0, True), (10.0, 600.0, False)],  # ten a second say nothing
    )
    def test_slow_reads_are_not_hidden_by_fast_writes(
        self, reads: float, writes: float, is_found: bool
    ) -> None:
        recording = site()
        vm(recording, reads=reads, writes=writes, latency_read=24.0, latency_write=0.8)
        found = findings(recording, problem=self.PROBLEM)
        assert [one.entity_name for one in found] == (["sql01"] if is_found else [])
        for one in found:
            assert "reads 24 ms" in one.conclusion
            assert "writes 0.80 ms" in one.conclusion


def test_the_mean_of_a_busy_disk_and_one_that_wakes_from_sleep_is_nobodys() -> None:
    """A VM's own mean stands for its disks only where these are not listed."""
    recording = site()
    ref = vm(recording, reads=9.0, writes=9.0, latency_read=0.3, latency_write=0.2)
    asleep = {"reads": 2.0, "writes": 2.0, "latency_read": 140.0, "latency_write": 75.0}
    recording.add("vdisk", "scsi0:1", {"vdisk." + key: value for key, value in asleep.items()}, parent=ref)
    whole = {
        "vdisk.reads": 11.0,
        "vdisk.writes": 11.0,
        "vdisk.latency_read": 26.0,
        "vdisk.latency_write": 14.0,
    }
    recording.has(ref, whole)
    assert findings(recording) == []
    alone = site()
    alone.has(alone.vm("web01", {"cpu.run": 20.0, "cpu.used": 20.0, "cpu.ready": 0.4}), whole)
    assert only(alone, problem="storage.vm_latency").entity_name == "web01"


class TestHalfOfTheWaitIsTheDevices:
    @pytest.mark.parametrize(("reads", "is_found"), [(17.5, False), (22.0, True)])
    def test_most_of_the_time_must_be_lost_before_the_device(self, reads: float, is_found: bool) -> None:
        """A device's mean of 10 ms is of all its VMs: one of them waits longer than that."""
        recording = site("vcenter", device_latency=6.0, device_latency_read=10.0, device_latency_write=4.0)
        vm(recording, latency_read=reads, latency_write=6.0)
        found = findings(recording, problem="storage.vm_latency")
        assert [one.entity_name for one in found] == (["sql01"] if is_found else [])


class TestLimitAndSnapshot:
    def held_back(self, limit: float | None, iops: Level) -> Recording:
        recording = site("vcenter")
        ref = vm(recording, reads=iops, writes=0.0, latency_read=30.0)
        recording.fact(ref, "snapshots", 1.0)
        if limit is not None:
            recording.fact(ref, "vdisk.scsi0:0.limit_iops", limit)
        other = vm(recording, "web01")
        recording.fact(other, "snapshots", 0.0)
        return recording

    def test_at_its_limit_one_delta_is_not_what_it_waits_for(self) -> None:
        recording = self.held_back(500.0, 498.0)
        assert findings(recording, problem="storage.iops_limit")
        found = only(recording, problem="storage.vm_latency")
        assert verdicts(found)["snapshots"] == "ruled out"
        assert verdicts(found)["iops_limit"] == "likely"
        assert found.consequence_of is not None
        assert found.consequence_of[0] == "storage.iops_limit"

    def test_under_its_limit_the_snapshot_is_the_cause(self) -> None:
        recording = self.held_back(5000.0, lambda t: 400.0 + 150.0 * (t % 60 / 60))
        assert not findings(recording, problem="storage.iops_limit")
        found = only(recording, problem="storage.vm_latency")
        assert (found.causes[0].cause, found.causes[0].verdict) == ("snapshots", "likely")


class TestFlash:
    PROBLEM = "storage.device_latency"

    @pytest.mark.parametrize(
        "name", [NVME, "t10.NVMe____Dell_Express_Flash_PM1725a", "naa.eui.0025385971b0a1c3"]
    )
    def test_an_nvme_device_far_off_its_own_usual_latency(self, name: str) -> None:
        recording = site(device=name, device_latency=during(600, 900, 6.0, 0.3))
        is_flash_by_name = not name.startswith("naa.")
        assert [one.entity_name for one in findings(recording, problem=self.PROBLEM)] == (
            [name] if is_flash_by_name else []
        )

    def test_an_nvme_device_that_is_slow_all_the_time_but_for_the_beginning(self) -> None:
        recording = site(device=NVME, device_latency=during(120, 1200, 6.0, 0.3))
        assert findings(recording, problem=self.PROBLEM)

    def test_a_spinning_disk_at_six_milliseconds_is_as_it_should_be(self) -> None:
        assert not findings(site(device_latency=during(600, 900, 6.0, 1.0)), problem=self.PROBLEM)

    def test_twenty_times_its_usual_latency_is_unusual_below_two_milliseconds_too(self) -> None:
        found = only(site(device=NVME, device_latency=during(600, 900, 1.9, 0.09)), problem=self.PROBLEM)
        assert "21.1 times its usual 90" in found.conclusion

    def test_flash_at_work_takes_a_little_longer(self) -> None:
        recording = site(device=NVME, device_latency=during(600, 900, 1.4, 0.3))
        assert not findings(recording, problem=self.PROBLEM)


class TestControllerDepth:
    PROBLEM = "storage.queue_depth"

    @pytest.mark.parametrize(("reads", "writes", "is_found"), [(24.0, 8.0, True), (12.0, 4.0, False)])
    def test_commands_in_flight_are_counted_where_latencies_are_whole_milliseconds(
        self, reads: float, writes: float, is_found: bool
    ) -> None:
        recording = site("vcenter", commands=24_000.0)
        ref = vm(recording, reads=18_000.0, writes=6_000.0, latency_read=1.0, latency_write=1.0,
                 outstanding_reads=reads, outstanding_writes=writes)  # fmt: skip
        recording.fact(ref, "vdisk.scsi0:0.controller", "lsilogic")
        found = findings(recording, problem=self.PROBLEM)
        assert [one.entity_name for one in found] == (["sql01"] if is_found else [])
        for one in found:
            assert "32" in one.conclusion
            assert "scsi0:0" in one.conclusion


class TestFlat:
    PROBLEM = "storage.vm_latency"

    def test_a_limit_that_was_set_in_the_meantime(self) -> None:
        """2,400 I/Os a second in half a millisecond, then 500 for ever in 60: no load does that."""
        recording = site()
        vm(
            recording,
            reads=during(300, 1200, 500.0, 2_400.0),
            writes=0.0,
            latency_read=during(300, 1200, 62.0, 0.5),
        )
        found = only(recording, problem=self.PROBLEM)
        assert (found.causes[0].cause, found.causes[0].verdict) == ("iops_limit", "likely")
        assert "did 500 I/Os a second all the time: flat" in found.causes[0].because
        assert found.remedies

    def test_fewer_that_are_as_slow_at_other_times_are_not_held_back_by_a_limit(self) -> None:
        """60 I/Os a second in 12 ms, and 40 in 9 at other times: what holds it up is no limit."""
        recording = site()
        latency = during(300, 1200, 12.0, 9.0)
        vm(recording, reads=during(300, 1200, 60.0, 40.0), writes=0.0, latency_read=latency)
        found = only(recording, problem=self.PROBLEM)
        assert verdicts(found)["iops_limit"] == "ruled out"

    def test_writes_of_a_vm_are_not_held_against_the_mean_of_its_device(self) -> None:
        """Nothing tells the device's writes from its reads: its mean is what the VM's mean is."""
        recording = site(device_latency=7.5)
        vm(recording, reads=300.0, writes=300.0, latency_read=0.5, latency_write=14.9)
        assert findings(recording, problem=self.PROBLEM) == []


class TestFirstWrites:
    """A disk that writes slowly for a time, and fast at the same rate later."""

    PROBLEM = "storage.vm_latency"

    def disk(self, latency_read: Level = 1.2) -> tuple[Recording, EntityRef]:
        recording = site("vcenter")
        ref = vm(recording, latency_write=during(0, 420, 30.0, 1.0), latency_read=latency_read)
        return recording, ref

    def test_reads_that_stay_as_they_were(self) -> None:
        recording, _ = self.disk()
        assert (
            verdicts(only(recording, problem=self.PROBLEM))["first_write"] == "possible"
        )  # it may lie on vSAN

    def test_reads_that_are_slow_as_well_wait_for_something_else(self) -> None:
        recording, _ = self.disk(during(0, 420, 13.0, 1.2))
        assert verdicts(only(recording, problem=self.PROBLEM))["first_write"] == "ruled out"

    def test_reads_that_are_always_like_that_say_nothing(self) -> None:
        recording, _ = self.disk(during(0, 420, 11.0, 9.0))
        assert (
            verdicts(only(recording, problem=self.PROBLEM))["first_write"] == "possible"
        )  # it may lie on vSAN

    def test_a_snapshot_that_is_merged_meanwhile(self) -> None:
        recording, ref = self.disk()
        recording.event(ref, "snapshot", "Remove snapshot of virtual machine sql01", 0, 420)
        found = only(recording, problem=self.PROBLEM)
        assert found.causes[0].cause == "snapshots"
        assert verdicts(found)["first_write"] == "ruled out"
        assert not any("eager zeroed" in step for step in found.remedies)
