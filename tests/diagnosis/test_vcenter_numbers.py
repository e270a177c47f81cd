"""What a vCenter's numbers are: means of an interval beside moments of it, and uses that end at 100 %."""

from __future__ import annotations

import numpy as np
import pytest

from sessions.model import FloatArray
from tests.diagnosis.recordings import Level, Recording, findings, only, verdicts

LUN = "naa.600508b4000603860000000000000001"


@pytest.mark.parametrize("is_moment_first", [False, True])
@pytest.mark.parametrize(("mean", "moment", "is_found"), [(9.0, 26.0, False), (26.0, 9.0, True)])
def test_one_moment_of_an_interval_does_not_stand_for_its_mean(
    mean: float, moment: float, is_found: bool, is_moment_first: bool
) -> None:
    """The lab's swapping hosts: each 20 s ended in a slow second, and half of them were fast."""
    recording = Recording(source="vcenter", interval=20.0)
    recording.on_host({"cpu.pcpu_util": 40.0, "cpu.pcpu_used": 40.0})
    recording.shared(LUN, {"disk.commands": 600.0, "disk.device_latency": 4.0})
    vm = recording.vm("sql01", {"cpu.run": 20.0, "cpu.used": 20.0, "cpu.ready": 0.4})
    disk = recording.add("vdisk", "scsi0:0", {"vdisk.reads": 300.0, "vdisk.writes": 0.0}, parent=vm)
    both = [
        (mean, "virtualDisk.totalReadLatency.average[scsi0:0]"),
        (moment, "virtualDisk.readLatencyUS.latest[scsi0:0]"),
    ]
    for level, label in reversed(both) if is_moment_first else both:
        recording.has(disk, {"vdisk.latency_read": level}, label=label)
    found = findings(recording, problem="storage.vm_latency")
    assert [one.entity_name for one in found] == (["sql01"] if is_found else [])


def test_a_moment_is_better_than_nothing() -> None:
    recording = Recording(source="vcenter", interval=20.0)
    recording.on_host({"cpu.pcpu_util": 40.0, "cpu.pcpu_used": 40.0})
    vm = recording.vm("sql01", {"cpu.run": 20.0, "cpu.used": 20.0, "cpu.ready": 0.4})
    disk = recording.add("vdisk", "scsi0:0", {"vdisk.reads": 300.0, "vdisk.writes": 0.0}, parent=vm)
    recording.has(disk, {"vdisk.latency_read": 26.0}, label="virtualDisk.readLatencyUS.latest[scsi0:0]")
    assert only(recording, problem="storage.vm_latency").entity_name == "sql01"


class TestUseThatEndsAtItsCores:
    """A vCenter's usage ends at 100 % of the cores: only the samples beside it tell of the clock."""

    def full_host(self, usage: Level) -> Recording:
        recording = Recording(source="vcenter", interval=20.0)
        recording.on_host({
            "cpu.pcpu_util": full(99.0, 45.0), "cpu.core_util": full(100.0, 70.0), "cpu.pcpu_used": usage,
            "cpu.threads_per_core": 2.0,
        })  # fmt: skip
        for number in range(12):
            ready = full(16.0, 0.4)
            recording.vm(f"app{number:02}", {"cpu.ready": ready, "cpu.run": full(45.0, 20.0)}, vcpus=4)
        for number in range(20):
            recording.on_host({"cpu.pcpu_util": full(99.0, 45.0)}, str(number))
        return recording

    def test_the_edges_of_a_full_time_say_nothing_of_its_clock(self) -> None:
        """One sample of fifteen is half full, and below the end."""
        found = only(self.full_host(full(100.0, 80.0, edge=92.0)), problem="cpu.host_saturated")
        assert verdicts(found)["power_capped"] == "unknown"
        assert found.causes[0].cause == "too_many_vms"

    def test_a_use_below_its_end_all_the_time_does(self) -> None:
        found = only(self.full_host(full(84.0, 60.0)), problem="cpu.host_saturated")
        assert verdicts(found)["power_capped"] == "possible"


def full(level: float, otherwise: float, *, edge: float | None = None) -> Level:
    """A level from 400 s on for 300 s, another before and after it, a third one at the two ends."""

    def of(seconds: FloatArray) -> FloatArray:
        values = np.where((seconds >= 400) & (seconds <= 700), level, otherwise)
        return values if edge is None else np.where((seconds == 400) | (seconds == 700), edge, values)

    return of
