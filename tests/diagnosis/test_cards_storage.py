"""The storage cards on small captures: which layer, whose load, which hosts."""

from __future__ import annotations

import numpy as np
import pytest

from diagnosis import diagnose
from sessions.model import EntityRef
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

LUN = "naa.600508b4000603860000000000000001"
OTHER = "naa.600508b4000603860000000000000002"  # the same array: the first 16 digits are alike
ELSEWHERE = "naa.624a9370b53e4d5700000000000000aa"
BUSY: dict[str, Level] = {
    "disk.commands": 300.0,
    "disk.reads": 200.0,
    "disk.writes": 100.0,
    "disk.read_mb": 2.0,
    "disk.write_mb": 1.0,
    "disk.device_latency": 1.5,
    "disk.device_latency_read": 1.5,
    "disk.device_latency_write": 1.5,
    "disk.kernel_latency": 0.02,
    "disk.queue_latency": 0.0,
    "disk.queue_depth": 64.0,
    "disk.active": 2.0,
    "disk.queued": 0.0,
    "disk.aborts": 0.0,
    "disk.resets": 0.0,
    "disk.failed_commands": 0.0,
}


def host(name: str = "esx01", util: float = 40.0) -> Recording:
    recording = Recording(name)
    recording.on_host({"cpu.pcpu_util": util, "cpu.pcpu_used": util})
    return recording


def lun(recording: Recording, name: str = LUN, **levels: Level) -> EntityRef:
    return recording.shared(name, {**BUSY, **{"disk." + counter: level for counter, level in levels.items()}})


class TestAVmThatCameAfterEsxtopWasStarted:
    """esxtop lists the VMs that were there when it began; of a later one only memory and load show."""

    def causes(self, taken_mb: float) -> dict[str, str]:
        """Verdicts of the causes: at second 300 esx02 begins to send 1,800 a second, not from a listed VM."""
        waiting, came = host("esx01"), host("esx02")
        lun(waiting, commands=200.0, device_latency=during(300, 600, 35.0, 1.5))
        waiting.has(waiting.vm("db01", {"cpu.ready": 0.1}), {"disk.commands": 200.0}, LUN)
        lun(came, commands=during(300, 600, 1840.0, 40.0), device_latency=during(305, 600, 34.0, 1.5))
        came.has(came.vm("db02", {"cpu.ready": 0.1}), {"disk.commands": 40.0}, LUN)
        came.on_host({"mem.free": during(300, 600, 60_000.0 - taken_mb, 60_000.0)})
        found = only(waiting, came, problem="storage.device_latency")
        return {one.cause: one.verdict for one in found.causes}

    def test_memory_that_went_on_the_sending_host_tells_of_it(self) -> None:
        told = self.causes(8192.0)
        assert (told["storage_vmotion"], told["noisy_neighbour"]) == ("unknown", "likely")

    def test_without_it_the_host_may_send_it_itself(self) -> None:
        told = self.causes(0.0)
        assert (told["storage_vmotion"], told["noisy_neighbour"]) == ("possible", "ruled out")


class TestALunThatIsSlowAllTheTime:
    @pytest.mark.parametrize(("quiet_until", "verdict"), [(0, "possible"), (200, "ruled out")])
    def test_the_array_is_asked_at_once_where_no_quiet_time_tells_more(
        self, quiet_until: float, verdict: str
    ) -> None:
        recording = host()
        slow = during(quiet_until, 3600, 38.0, 1.5)
        lun(
            recording,
            commands=1660.0,
            device_latency=slow,
            device_latency_read=slow,
            device_latency_write=slow,
        )
        found = only(recording, problem="storage.device_latency")
        assert cause(found, "slow_throughout").verdict == verdict
        ordered = " ".join(found.remedies)
        assert ("Look at the array now" in ordered) == (verdict == "possible")
        assert "deeper queue" not in ordered


class TestDeviceLatency:
    PROBLEM = "storage.device_latency"

    @pytest.mark.parametrize(
        ("latency", "iops", "severity"),
        [
            (10.0, 300.0, None),
            (10.5, 300.0, "warning"),
            (21.0, 300.0, "critical"),
            (500.0, 19.0, None),
            (500.0, 20.0, "critical"),
        ],
    )
    def test_boundaries(self, latency: float, iops: float, severity: str | None) -> None:
        recording = host()
        lun(recording, device_latency=latency, commands=iops)
        assert [one.severity for one in findings(recording)] == ([severity] if severity else [])

    def test_it_begins_and_ends_with_the_samples_that_are_bad(self) -> None:
        """Its mean over five minutes is over the limit before the first of them, and after the last."""
        recording = host()
        lun(recording, device_latency=during(300, 900, 60.0, 1.5))
        (window,) = only(recording, problem=self.PROBLEM).windows
        assert ((window.start - START) / 1000, (window.end - START) / 1000) == (300.0, 900.0)

    def test_a_cdrom_that_nobody_uses(self) -> None:
        recording = host()
        recording.add(
            "device", "mpx.vmhba0:C0:T5:L0", {**BUSY, "disk.commands": 0.5, "disk.device_latency": 31.5}
        )
        assert findings(recording) == []

    def test_partitions_are_not_judged_apart(self) -> None:
        recording = host()
        ref = lun(recording)
        recording.has(ref, {"disk.commands": 300.0, "disk.device_latency": 80.0}, "partition 8")
        assert findings(recording) == []

    def test_hosts_share_one_finding_and_evidence_names_them(self) -> None:
        first, second = host("esx01"), host("esx02")
        lun(first, device_latency=25.0)
        lun(second, device_latency=15.0)
        found = only(first, second, problem=self.PROBLEM)
        assert found.entity_name == LUN
        shown = {(item.instance, item.value) for item in found.evidence if item.statistic == "mean"}
        assert {("esx01", 25.0), ("esx02", 15.0)} <= shown
        assert found.severity == "critical"

    def test_a_direction_in_which_nothing_is_asked_has_no_latency(self) -> None:
        """esxtop prints 0 ms for the reads of a log LUN that is only written."""
        recording = host()
        lun(recording, device_latency=40.0, device_latency_read=0.0, device_latency_write=40.0, reads=0.0)
        found = only(recording, problem=self.PROBLEM)
        shown = {item.counter for item in found.evidence}
        assert "disk.device_latency_write" in shown
        assert "disk.device_latency_read" not in shown
        assert "reads" not in cause(found, "write_cache").because

    def test_all_hosts_load_it(self) -> None:
        recordings = [host(f"esx0{number}") for number in range(4)]
        for recording in recordings:
            lun(
                recording, device_latency=during(300, 900, 30.0, 2.0), commands=during(300, 900, 900.0, 200.0)
            )
        assert only(*recordings, problem=self.PROBLEM).causes[0].cause == "own_load"

    def test_latency_that_follows_a_load_near_the_edge_is_no_fault_below(self) -> None:
        """Near its limit a device takes many times as long for a few commands more."""
        recording = host()
        wave: Level = lambda t: np.where((t > 300) & (t < 900), 1_150.0 + 100.0 * (t % 60 / 60), 1_100.0)  # noqa: E731
        slow: Level = lambda t: np.where((t > 300) & (t < 900), 20.0 + 30.0 * (t % 60 / 60), 4.0)  # noqa: E731
        lun(recording, commands=wave, device_latency=slow, queued=during(300, 900, 30.0))
        found = only(recording, problem=self.PROBLEM)
        assert (found.causes[0].cause, verdicts(found)["below_host"]) == ("own_load", "ruled out")

    def test_a_load_is_told_by_bytes_as_well_as_by_commands(self) -> None:
        recording = host()
        slow = during(300, 900, 60.0, 1.8)
        lun(recording, commands=500.0, write_mb=during(300, 900, 46.0, 4.0), device_latency=slow)
        found = only(recording, problem=self.PROBLEM)
        assert (found.causes[0].cause, verdicts(found)["below_host"]) == ("own_load", "ruled out")

    def test_a_lun_of_a_slow_array_has_no_noisy_neighbour(self) -> None:
        first, second = host("esx01"), host("esx02")
        for name, rate in ((LUN, 140.0), (OTHER, 300.0)):
            lun(first, name, device_latency=37.0, commands=rate)
            lun(second, name, device_latency=37.0, commands=40.0)
        found = findings(first, second, problem=self.PROBLEM)
        assert {(one.causes[0].cause, verdicts(one)["noisy_neighbour"]) for one in found} == {
            ("array_wide", "ruled out")
        }

    def test_with_no_time_before_the_sender_of_most_is_possible(self) -> None:
        first, second = host("esx01"), host("esx02")
        lun(first, device_latency=30.0, commands=1_400.0)
        lun(second, device_latency=30.0, commands=40.0)
        found = only(first, second, problem=self.PROBLEM)
        assert verdicts(found)["noisy_neighbour"] == "possible"
        assert all(step.startswith("If so") for step in found.remedies)

    def test_a_vm_that_esxtop_does_not_list_is_no_copy(self) -> None:
        recording = host()
        recording.on_host({"mem.free": during(300, 1200, 80_000.0, 96_000.0)})
        lun(
            recording, commands=during(300, 1200, 2_100.0, 350.0), device_latency=during(300, 1200, 30.0, 2.0)
        )
        ref = recording.vm("listed", {"mem.consumed": 8_000.0})
        recording.has(ref, {"disk.commands": 340.0}, LUN)
        found = only(recording, problem=self.PROBLEM)
        assert (found.causes[0].cause, verdicts(found)["storage_vmotion"]) == ("own_load", "unknown")

    def test_one_host_loads_it(self) -> None:
        victim, noisy = host("esx01"), host("esx02")
        lun(victim, device_latency=during(300, 900, 30.0, 2.0), commands=150.0)
        lun(noisy, device_latency=during(300, 900, 30.0, 2.0), commands=during(300, 900, 6_000.0, 50.0))
        found = only(victim, noisy, problem=self.PROBLEM)
        assert found.causes[0].cause == "noisy_neighbour"

    def test_the_host_whose_load_stayed_is_not_said_to_make_it(self) -> None:
        victim, noisy = host("esx01"), host("esx02")
        lun(victim, device_latency=during(300, 900, 40.0, 2.0), commands=550.0)
        lun(noisy, device_latency=during(300, 900, 30.0, 2.0), commands=during(300, 900, 1_400.0, 370.0))
        because = only(victim, noisy, problem=self.PROBLEM).causes[0].because
        assert "One host makes the load: esx01" not in because
        assert "esx01 sent 550 /s (before and after 550 /s)" in because
        assert "and esx02, the busiest of the others, 1,400 /s" in because

    def test_clocks_that_differ_by_a_moment_still_compare(self) -> None:
        victim, noisy = host("esx01"), host("esx02")
        noisy.seconds = noisy.seconds + 2.0
        lun(victim, device_latency=30.0, commands=150.0)
        lun(noisy, device_latency=30.0, commands=6_000.0)
        assert only(victim, noisy, problem=self.PROBLEM).causes[0].cause == "noisy_neighbour"

    def test_other_luns_of_the_array_are_slow_too(self) -> None:
        recording = host()
        lun(recording, device_latency=30.0)
        lun(recording, OTHER, device_latency=25.0)
        lun(recording, ELSEWHERE, device_latency=0.5)
        found = findings(recording, problem=self.PROBLEM)
        assert {one.entity_name for one in found} == {LUN, OTHER}
        assert {one.causes[0].cause for one in found} == {"array_wide"}

    def test_other_hosts_get_an_answer_in_time(self) -> None:
        slow, fast = host("esx01"), host("esx02")
        for name in (LUN, OTHER):
            lun(slow, name, device_latency=30.0)
            lun(fast, name, device_latency=1.5)
        found = findings(slow, fast, problem=self.PROBLEM)
        assert {one.causes[0].cause for one in found} == {"path_fault"}
        assert {verdicts(one)["array_wide"] for one in found} == {"ruled out"}
        assert "Other hosts get an answer from it in 1.50 ms, esx01 in 30 ms" in found[0].causes[0].because

    def test_what_slow_paths_have_in_common(self) -> None:
        recording = host()
        for number, name in enumerate((LUN, OTHER)):
            lun(recording, name, device_latency=20.0, commands=300.0 * (1 + number))
            for adapter, latency in (("vmhba1", 39.0), ("vmhba2", 1.0)):
                levels: dict[str, Level] = {
                    "disk.commands": 150.0 * (1 + number), "disk.device_latency": latency,
                }  # fmt: skip
                recording.add("path", f"esx01/{adapter}:C0:T0:L{number}", levels)
        for adapter, latency in (("vmhba1", 39.0), ("vmhba2", 1.0)):
            recording.add("adapter", adapter, {"disk.commands": 300.0, "disk.device_latency": latency})
        found = findings(recording, problem=self.PROBLEM)
        assert {one.causes[0].cause for one in found} == {"path_fault"}
        assert {verdicts(one)["array_wide"] for one in found} == {"ruled out"}
        assert "(what goes over adapter vmhba1: 39 ms" in found[0].causes[0].because

    def test_only_writes(self) -> None:
        recording = host()
        lun(recording, device_latency=18.0, device_latency_read=2.0, device_latency_write=40.0)
        lun(recording, OTHER)
        assert only(recording, problem=self.PROBLEM).causes[0].cause == "write_cache"

    def test_large_ios(self) -> None:
        recording = host()
        lun(recording, device_latency=15.0, read_mb=150.0, commands=300.0)
        assert only(recording, problem=self.PROBLEM).causes[0].cause == "large_io"

    def test_plain_esxtop_cannot_tell_reads_from_writes(self) -> None:
        recording = host()
        kept = {
            counter: level for counter, level in BUSY.items() if not counter.endswith(("_read", "_write"))
        }
        recording.shared(LUN, {**kept, "disk.device_latency": 30.0})
        found = only(recording, problem=self.PROBLEM)
        assert verdicts(found)["write_cache"] == "unknown"
        assert verdicts(found)["noisy_neighbour"] == "unknown"


class TestQueueing:
    PROBLEM = "storage.queueing"

    @pytest.mark.parametrize(("lasts_s", "is_found"), [(20, False), (40, False), (60, True)])
    def test_a_queue_that_a_checkpoint_fills_has_done_its_work_when_it_is_empty(
        self, lasts_s: float, is_found: bool
    ) -> None:
        """Every 200 s: of 20 s samples one or two have it, though it may have lasted for ten seconds."""
        recording = Recording(source="vcenter", interval=20.0, seconds=1200)
        recording.on_host({"cpu.pcpu_used": 30.0})
        ref = EntityRef("device", LUN)
        recording.shared(LUN, {})
        recording.has(
            ref, {**BUSY, "disk.kernel_latency": lambda t: np.where(t % 200 < lasts_s, 4.0, 0.0)}, "esx01"
        )
        assert [one.entity_name for one in findings(recording, problem=self.PROBLEM)] == [LUN] * is_found

    def test_the_queue_is_too_short(self) -> None:
        recording = host()
        lun(recording, kernel_latency=6.0, queue_latency=6.0, active=32.0, queue_depth=32.0, queued=20.0)
        found = only(recording, problem=self.PROBLEM)
        assert (found.severity, found.causes[0].cause) == ("critical", "lun_queue_depth")

    def test_a_queue_that_many_wait_for_is_full_though_whole_milliseconds_say_less(self) -> None:
        """13,000 a second in 1.2 ms are 16 commands; a vCenter says 1 ms, which makes 13."""
        recording = Recording(source="vcenter", interval=20.0)
        recording.on_host({"cpu.pcpu_used": 30.0})
        recording.shared(LUN, {})
        waiting: dict[str, Level] = {
            "disk.kernel_latency": 8.0,
            "disk.queue_latency": 8.0,
            "disk.queued": 101.0,
        }
        busy: dict[str, Level] = {"disk.active": 13.0, "disk.queue_depth": 16.0, "disk.device_latency": 1.0}
        recording.has(
            EntityRef("device", LUN), {**BUSY, "disk.commands": 13_000.0, **waiting, **busy}, "esx01"
        )
        recording.shared(OTHER, {})
        recording.has(EntityRef("device", OTHER), BUSY, "esx01")
        found = only(recording, problem=self.PROBLEM)
        assert cause(found, "lun_queue_depth").verdict == "likely"

    def test_a_slow_device_fills_it(self) -> None:
        recording = host()
        lun(recording, kernel_latency=6.0, active=32.0, queue_depth=32.0, queued=20.0, device_latency=40.0)
        found = only(recording, problem=self.PROBLEM)
        assert found.causes[0].cause == "device_slow"
        assert found.consequence_of is not None
        assert found.consequence_of[0] == "storage.device_latency"

    def test_the_depth_was_throttled(self) -> None:
        recording = host()
        depth = during(300, 900, 16.0, 64.0)
        lun(
            recording,
            kernel_latency=during(300, 900, 5.0),
            active=during(300, 900, 16.0),
            queue_depth=depth,
            queued=during(300, 900, 9.0),
        )
        assert only(recording, problem=self.PROBLEM).causes[0].cause == "throttled_depth"

    def test_on_the_host_that_queues_it_explains_slow_virtual_disks(self) -> None:
        first, queueing = host("esx01"), host("esx02")
        lun(first)
        lun(queueing, kernel_latency=30.0, queue_latency=30.0, queued=40.0, active=12.0, queue_depth=12.0)
        disk = {"vdisk.reads": 100.0, "vdisk.writes": 100.0, "vdisk.latency_read": 32.0}
        for one in (first, queueing):
            levels: dict[str, Level] = {**disk, "vdisk.latency_write": 32.0}
            one.add("vdisk", "scsi0:0", levels, parent=one.vm(f"db-{one.host.key}", {"cpu.run": 20.0}))
        follows = {
            one.entity_name: one.consequence_of and one.consequence_of[0]
            for one in findings(first, queueing, problem="storage.vm_latency")
        }
        assert follows == {"db-esx01": None, "db-esx02": "storage.queueing"}

    def test_the_host_is_too_busy(self) -> None:
        recording = host(util=97.0)
        lun(recording, kernel_latency=3.0, queued=0.0)
        assert only(recording, problem=self.PROBLEM).causes[0].cause == "host_cpu_starved"

    def test_the_adapter_is_full(self) -> None:
        recording = host()
        for name in (LUN, ELSEWHERE):
            lun(recording, name, kernel_latency=5.0, active=20.0, queued=12.0)
        found = findings(recording, problem=self.PROBLEM)
        assert {one.causes[0].cause for one in found} == {"adapter_queue"}

    @pytest.mark.parametrize(("other_waits", "verdict"), [(0.02, "likely"), (6.0, "ruled out")])
    def test_the_adapter_that_alone_keeps_commands_waiting_is_full(
        self, other_waits: float, verdict: str
    ) -> None:
        """No command is queued for a device, and its own queue has room: it was possible at most."""
        recording = host()
        for name, waits, depth, commands in (
            ("vmhba64", 9.0, 32.0, 8000.0),
            ("vmhba1", other_waits, 4096.0, 400.0),
        ):
            levels: dict[str, Level] = {
                "disk.commands": commands,
                "disk.kernel_latency": waits,
                "disk.device_latency": 1.2,
                "disk.adapter_queue_depth": depth,
            }
            recording.add("adapter", f"esx01/{name}", levels)
        lun(recording, commands=8000.0, kernel_latency=9.0, queue_latency=9.0, active=6.0, queue_depth=128.0)
        (found,) = findings(recording, problem=self.PROBLEM)
        told = cause(found, "adapter_queue")
        assert told.verdict == verdict
        assert ("esx01/vmhba64 has 2.55 times as many commands as it takes" in told.because) == (
            verdict == "likely"
        )

    def test_an_idle_device_is_not_judged(self) -> None:
        recording = host()
        lun(recording, kernel_latency=9.0, commands=3.0)
        assert findings(recording) == []


class TestAborts:
    PROBLEM = "storage.aborts"

    def test_the_array_is_overloaded(self) -> None:
        first, second = host("esx01"), host("esx02")
        for recording in (first, second):
            lun(recording, aborts=1.5, device_latency=400.0)
        found = only(first, second, problem=self.PROBLEM)
        assert found.causes[0].cause == "array_overloaded"

    def test_a_path_of_one_host(self) -> None:
        first, second = host("esx01"), host("esx02")
        lun(first, aborts=1.5, failed_commands=3.0, device_latency=8.0)
        lun(second)
        assert only(first, second, problem=self.PROBLEM).causes[0].cause == "path_fault"

    @pytest.mark.parametrize(("elsewhere", "verdict"), [(0.0, "unknown"), (100.0, "likely")])
    def test_a_host_that_asks_nothing_of_it_does_not_show_that_a_path_is_at_fault(
        self, elsewhere: float, verdict: str
    ) -> None:
        first, second = host("esx01"), host("esx02")
        for name in (LUN, f"{LUN[:-1]}7"):
            lun(first, name, aborts=1.5, device_latency=3_500.0)
            lun(second, name, commands=elsewhere)
        one = next(one for one in findings(first, second, problem=self.PROBLEM) if one.entity_name == LUN)
        assert verdicts(one)["path_fault"] == verdict

    def test_one_impatient_guest(self) -> None:
        first, second = host("esx01"), host("esx02")
        lun(first, aborts=0.5)
        lun(second)
        for name, aborts in (("impatient", 0.5), ("calm", 0.0)):
            ref = first.vm(name, {})
            first.has(ref, {"disk.aborts": aborts, "disk.commands": 100.0}, LUN)
        found = only(first, second, problem=self.PROBLEM)
        assert found.causes[0].cause == "guest_timeout"
        assert "impatient" in found.causes[0].because

    def test_no_guest_lost_a_command_of_its_own(self) -> None:
        recording = host()
        lun(recording, aborts=0.5)
        for name in ("web01", "web02"):
            recording.has(recording.vm(name, {}), {"disk.aborts": 0.0, "disk.commands": 100.0}, LUN)
        told = cause(only(recording, problem=self.PROBLEM), "guest_timeout")
        assert told.verdict == "ruled out"
        assert told.because == "No VM lost a command of its own here (0 /s counted)."

    def test_what_is_not_known_leaves_no_hole(self) -> None:
        recording = host()
        lun(recording, aborts=1.5, failed_commands=0.0, device_latency=2.0)
        found = only(recording, problem=self.PROBLEM)
        assert not any("–" in one.because or "none of them" in one.because for one in found.causes)

    @pytest.mark.parametrize("is_the_path", [True, False])
    def test_rare_aborts_are_counted_before_paths_are_compared(self, is_the_path: bool) -> None:
        """In each sample that has an abort all of it went over one path, even where both lose as many."""
        recording = host()
        samples = [[0.0] * 240, [0.0] * 240]
        for number in range(24):
            lossy = 0 if is_the_path else number % 2
            samples[lossy][20 + 9 * number] = 0.2
        lun(recording, aborts=list(np.sum(samples, axis=0)))
        for name, aborts in zip(("vmhba1", "vmhba2"), samples, strict=True):
            recording.add("path", name, {"disk.aborts": aborts}, parent=EntityRef("device", LUN))
        found = only(recording, problem=self.PROBLEM)
        assert verdicts(found)["path_fault"] == ("likely" if is_the_path else "ruled out")

    def test_one_abort_is_a_blip_two_are_not(self) -> None:
        for count, expected in ((1, 0), (2, 1)):
            samples = [0.0] * 240
            for number in range(count):
                samples[100 + 20 * number] = 0.2
            recording = host()
            lun(recording, aborts=samples)
            assert len(findings(recording)) == expected


class TestNfs:
    PROBLEM = "storage.nfs_latency"

    def volume(self, recording: Recording, latency: Level, iops: float = 200.0) -> EntityRef:
        counters: dict[str, Level] = {
            "nfs.latency": latency,
            "nfs.commands": iops,
            "nfs.read_mb": 2.0,
            "nfs.write_mb": 1.0,
        }
        return recording.shared("nfs-vol01", counters, "datastore")

    def nic(self, recording: Recording, mbits: float) -> None:
        levels: dict[str, Level] = {"net.mbits_tx": 5.0, "net.mbits_rx": mbits, "net.link_speed": 1_000.0}
        recording.add("nic", "esx01/vmnic1", {**levels, "net.drops_rx": 0.0, "net.drops_tx": 0.0})

    def test_the_server_is_slow(self) -> None:
        recording = host()
        self.volume(recording, 35.0)
        self.nic(recording, 60.0)
        found = only(recording, problem=self.PROBLEM)
        assert (found.entity.kind, found.entity_name, found.severity) == (
            "datastore",
            "nfs-vol01",
            "critical",
        )
        assert found.causes[0].cause == "server_slow"

    def test_a_server_that_answers_another_host_in_time(self) -> None:
        first, second = host("esx01"), host("esx02")
        self.volume(first, 200.0)
        self.volume(second, 2.0)
        for one in (first, second):
            one.add(
                "nic",
                f"{one.host.key}/vmnic1",
                {"net.mbits_rx": 600.0, "net.mbits_tx": 10.0, "net.link_speed": 1_000.0},
            )
        found = only(first, second, problem=self.PROBLEM)
        told = {"server_gone": "ruled out", "network_saturated": "possible", "server_slow": "ruled out"}
        assert verdicts(found) == told
        assert "get an answer from the server in 2 ms, esx01 in 200 ms" in found.causes[0].because

    def test_the_network_is_full(self) -> None:
        recording = host()
        self.volume(recording, 22.0)
        self.nic(recording, 960.0)
        found = only(recording, problem=self.PROBLEM)
        assert (found.severity, found.causes[0].cause) == ("warning", "network_saturated")
        assert found.consequence_of is not None

    def test_boundaries(self) -> None:
        for latency, iops in ((20.0, 200.0), (100.0, 10.0)):
            recording = host()
            self.volume(recording, latency, iops)
            assert findings(recording) == []


def test_one_lun_of_many_hosts_is_judged_in_one_pass_whatever_their_number() -> None:
    recordings = [host(f"esx{number:02d}") for number in range(12)]
    for recording in recordings:
        lun(recording, device_latency=lambda t: 30.0 + np.sin(t))
    found = diagnose(session(*recordings), problems(), catalogue())
    assert [one.entity_name for one in found] == [LUN]
    assert len({item.instance for item in found[0].evidence}) == 12


def test_a_window_of_time_is_judged_alone() -> None:
    recording = host()
    lun(recording, device_latency=during(800, 1200, 40.0, 2.0))
    span = session(recording).span()
    assert span is not None
    assert diagnosed(recording).findings
    early = type(span)(span.start, span.start + 700_000)
    assert diagnose(session(recording), problems(), catalogue(), early) == []


class TestAHostThatStopped:
    """What a host that gives no samples any more sends is unknown, not nothing."""

    PROBLEM = "storage.device_latency"

    def test_its_load_is_not_counted_as_none(self) -> None:
        """The noisy host's recording ended before the LUN got slow: nobody can say whose load it is."""
        victim, quiet = host("esx01"), host("esx02")
        lun(victim, device_latency=during(600, 1200, 30.0, 2.0), commands=150.0)
        lun(quiet, device_latency=2.0, commands=during(600, 1200, 90.0, 20.0))
        noisy = Recording("esx03", seconds=580)
        noisy.on_host({"cpu.pcpu_util": 40.0, "cpu.pcpu_used": 40.0})
        lun(noisy, device_latency=2.0, commands=6_000.0)
        found = only(victim, quiet, noisy, problem=self.PROBLEM)
        assert verdicts(found)["noisy_neighbour"] == "unknown"
        assert verdicts(found)["below_host"] == "possible"
        assert verdicts(found)["own_load"] != "likely"
        assert "6,000" not in found.causes[0].because

    def test_a_gap_of_another_host_leaves_the_rest_to_judge_by(self) -> None:
        victim, noisy, other = host("esx01"), host("esx02"), host("esx03")
        lun(victim, device_latency=during(300, 900, 30.0, 2.0), commands=150.0)
        lun(noisy, device_latency=during(300, 900, 30.0, 2.0), commands=during(300, 900, 6_000.0, 50.0))
        lun(other, commands=lambda t: np.where((t > 400) & (t < 500), np.nan, 40.0))
        found = only(victim, noisy, other, problem=self.PROBLEM)
        assert found.causes[0].cause == "noisy_neighbour"
        assert found.causes[0].verdict == "likely"

    def test_without_other_hosts_the_load_is_the_own_one(self) -> None:
        alone = host("esx01")
        lun(alone, device_latency=during(300, 900, 30.0, 2.0), commands=during(300, 900, 3_000.0, 200.0))
        assert verdicts(only(alone, problem=self.PROBLEM))["own_load"] == "likely"


class TestNoisyNeighbour:
    PROBLEM = "storage.noisy_neighbour"

    def pair(
        self, *, own: Level = 150.0, others: Level = 50.0, slow: Level = 2.0, read_mb: Level = 0.4
    ) -> tuple[Recording, Recording]:
        victim, other = host("esx01"), host("esx02")
        lun(victim, device_latency=slow, commands=own)
        lun(other, device_latency=slow, commands=others, read_mb=read_mb)
        return victim, other

    def test_the_host_whose_load_stayed_suffers(self) -> None:
        pair = self.pair(others=during(300, 900, 6_000.0, 50.0), slow=during(300, 900, 30.0, 2.0))
        found = only(*pair, problem=self.PROBLEM)
        assert (found.entity_name, found.causes[0].cause) == (LUN, "noisy_neighbour")
        assert "30 ms to answer esx01, whose own load was as ever (150 /s" in found.conclusion
        assert "esx02" in found.causes[0].because
        slow = only(*pair, problem="storage.device_latency")
        assert slow.consequence_of is not None
        assert slow.consequence_of[0] == self.PROBLEM

    def test_the_datastore_on_it_is_named_where_it_is_known(self) -> None:
        victim, other = self.pair(others=during(300, 900, 6_000.0, 50.0), slow=during(300, 900, 30.0, 2.0))
        store = victim.shared("prod-01", {}, "datastore")
        victim.fact(EntityRef("device", LUN), "device.datastore", store.key)
        found = only(victim, other, problem=self.PROBLEM)
        assert found.conclusion.startswith(f"{LUN} (datastore prod-01) took 30 ms")

    def test_a_neighbour_who_goes_on_stays_one(self) -> None:
        """What lasts for most of the recording is no better time of it."""
        pair = self.pair(others=during(120, 1200, 6_000.0, 50.0), slow=during(120, 1200, 30.0, 2.0))
        found = only(*pair, problem=self.PROBLEM)
        assert (found.causes[0].cause, found.share) == ("noisy_neighbour", 0.9)

    def test_where_all_others_send_more_none_is_the_neighbour(self) -> None:
        """The device can't take what all hosts send; one of them sent as much before."""
        victim = host("esx01")
        lun(victim, device_latency=during(120, 1200, 88.0, 4.0), commands=735.0)
        others = [host(f"esx0{number}") for number in (2, 3, 4)]
        for other in others:
            lun(other, device_latency=during(120, 1200, 88.0, 4.0), commands=during(120, 1200, 735.0, 400.0))
        assert findings(victim, *others, problem=self.PROBLEM) == []

    def test_bursts_that_come_back(self) -> None:
        def bursts(high: float, low: float) -> Level:
            return lambda t: np.where(t % 300 < 45, high, low)

        assert only(*self.pair(others=bursts(4_000.0, 50.0), slow=bursts(25.0, 2.0)), problem=self.PROBLEM)

    @pytest.mark.parametrize(
        ("own", "others"),
        [(during(300, 900, 900.0, 150.0), during(300, 900, 6_000.0, 50.0)), (150.0, 50.0)],
        ids=["its own load rose as well", "nobody sends more: the array itself"],
    )
    def test_slow_without_a_neighbour(self, own: Level, others: Level) -> None:
        pair = self.pair(own=own, others=others, slow=during(300, 900, 30.0, 2.0))
        assert findings(*pair, problem=self.PROBLEM) == []

    def test_a_neighbour_who_hurts_nobody(self) -> None:
        assert findings(*self.pair(others=during(300, 900, 6_000.0, 50.0)), problem=self.PROBLEM) == []

    @pytest.mark.parametrize("is_swapped", [True, False])
    def test_a_neighbour_that_is_swapped_follows_from_its_lack_of_memory(self, is_swapped: bool) -> None:
        victim, other = self.pair(
            others=during(300, 900, 6_000.0, 50.0),
            slow=during(300, 900, 30.0, 2.0),
            read_mb=during(300, 900, 80.0, 0.4),
        )
        rate = during(300, 900, 38.0 if is_swapped else 0.0)
        ref = other.vm("db01", {"cpu.run": 20.0, "mem.swap_read": rate, "mem.swap_write": rate})
        other.has(ref, {"disk.commands": during(300, 900, 6_000.0, 50.0)}, LUN)
        found = only(victim, other, problem=self.PROBLEM)
        slow = only(victim, other, problem="storage.device_latency")
        assert found.causes[0].cause == ("swapping" if is_swapped else "noisy_neighbour")
        if is_swapped:
            assert "db01 (76 MB/s)" in found.causes[0].because
            assert found.consequence_of == slow.consequence_of == ("mem.swapping", ref)
            assert (found.remedies, slow.remedies) == ((), ())
