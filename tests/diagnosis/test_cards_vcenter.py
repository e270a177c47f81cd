"""Cards that rest on what a vCenter's inventory and events tell: snapshots, SIOC, clusters, vMotion, vSAN."""

from __future__ import annotations

import pytest

from diagnosis import Diagnosis
from sessions.model import EntityRef
from sessions.verdicts import CheckReach
from tests.diagnosis.recordings import (
    START,
    Level,
    Recording,
    cause,
    diagnosed,
    during,
    findings,
    only,
    session,
    verdicts,
)

LUN = "naa.600508b4000603860000000000000001"
DISK: dict[str, Level] = {
    "vdisk.reads": 80.0,
    "vdisk.writes": 40.0,
    "vdisk.latency_read": 2.0,
    "vdisk.latency_write": 2.0,
}


def vcenter() -> Recording:
    recording = Recording(source="vcenter", interval=20.0)
    recording.on_host({"cpu.pcpu_used": 30.0})
    return recording


def check(found: Diagnosis, problem: str) -> CheckReach:
    return next(one for one in found.verdict.checks if one.problem == problem)


def alternating(every_s: float, level: float, ahead_s: float = 0.0) -> Level:
    """A level for some seconds, nothing for as long, and so on."""
    return lambda t: ((t + ahead_s) // every_s % 2) * level


class TestSnapshots:
    PROBLEM = "storage.snapshots"

    def vm(self, recording: Recording, name: str, snapshots: float | None, **levels: Level) -> EntityRef:
        ref = recording.vm(name, {"cpu.ready": 0.5})
        if snapshots is not None:
            recording.fact(ref, "snapshots", snapshots)
        given = {f"vdisk.{counter}": level for counter, level in levels.items()}
        recording.add("vdisk", "scsi0:0", DISK | given, parent=ref)
        return ref

    @pytest.mark.parametrize(
        ("last", "note"),
        [
            (6.0, "At the end of the recording it has 6 snapshots: the chain grows."),
            (5.0, ""),
            (0.0, "The 5 snapshots are gone at the end of the recording: steps against them come too late"),
        ],
    )
    def test_how_many_it_has_at_the_end(self, last: float, note: str) -> None:
        recording = vcenter()
        vm = self.vm(recording, "sql01", 5.0)
        recording.fact(vm, "snapshots", last, 1000)
        found = only(recording, problem=self.PROBLEM)
        assert found.conclusion.startswith("sql01 has 5 snapshots")
        assert [one for one in found.notes if "at the end" in one.lower()][:1] == [
            one for one in found.notes if note and one.startswith(note)
        ]

    @pytest.mark.parametrize(("snapshots", "is_found"), [(0.0, False), (3.0, False), (4.0, True)])
    def test_a_chain_is_deep_from_four_on(self, snapshots: float, is_found: bool) -> None:
        recording = vcenter()
        self.vm(recording, "sql01", snapshots)
        found = findings(recording, problem=self.PROBLEM)
        assert [one.entity_name for one in found] == ["sql01"] * is_found
        assert all(one.causes[0].cause == "snapshot_chain" for one in found)

    def test_two_that_cost_something_are_found(self) -> None:
        recording = vcenter()
        self.vm(recording, "sql01", 2.0, latency_read=15.0)
        self.vm(recording, "web01", 0.0)
        found = only(recording, problem=self.PROBLEM)
        assert "disks of other VMs 2 ms" in found.causes[0].because

    def test_a_forgotten_one(self) -> None:
        recording = vcenter()
        ref = self.vm(recording, "sql01", 1.0)
        recording.fact(ref, "snapshot.oldest", "2026-09-01T00:00:00Z")
        found = only(recording, problem=self.PROBLEM)
        assert found.causes[0].cause == "old_snapshot"
        assert "(the oldest is 20 d 15 h old)" in found.conclusion

    def test_a_backups_snapshot_is_fine(self) -> None:
        recording = vcenter()
        ref = self.vm(recording, "sql01", 1.0)
        recording.fact(ref, "snapshot.oldest", "2026-09-20T20:00:00Z")
        assert START == 1_790_000_000_000  # 2026-09-21: some hours later
        assert findings(recording) == []

    def test_deltas_that_a_backup_left(self) -> None:
        recording = vcenter()
        ref = self.vm(recording, "sql01", 0.0)
        recording.fact(ref, "consolidation_needed", 1.0)
        assert only(recording, problem=self.PROBLEM).causes[0].cause == "consolidation_left"

    def test_esxtop_does_not_know_and_says_who_does(self) -> None:
        recording = Recording()
        self.vm(recording, "sql01", None)
        told = check(diagnosed(recording), self.PROBLEM)
        assert told.verdict == "insufficient data"
        assert told.reason == "no source tells of snapshots; vCenter does"


class TestStorageIoControl:
    PROBLEM = "storage.sioc_throttling"

    def store(self, active: Level, latency: Level, threshold: float | None = None) -> Recording:
        recording = vcenter()
        ref = recording.shared("lun-c", {}, "datastore")
        for counter, level in (
            ("datastore.sioc_active", active), ("datastore.size_normalized_latency", latency),
            ("nfs.reads", 300.0), ("nfs.writes", 100.0),
            ("nfs.latency_read", latency), ("nfs.latency_write", latency),
        ):  # fmt: skip
            recording.has(ref, {counter: level}, "esx01")
        recording.fact(ref, "datastore.type", "VMFS")
        if threshold is not None:
            recording.fact(ref, "sioc.threshold_ms", threshold)
        return recording

    @pytest.mark.parametrize(
        ("active", "severity"), [(0.0, None), (4.0, None), (20.0, "warning"), (80.0, "critical")]
    )
    def test_how_much_it_holds_back(self, active: float, severity: str | None) -> None:
        found = findings(self.store(active, 32.0), problem=self.PROBLEM)
        assert [one.severity for one in found] == ([severity] if severity else [])
        assert {one.entity_name for one in found} <= {"lun-c"}

    def test_an_overload(self) -> None:
        found = only(self.store(40.0, 32.0, 30.0), problem=self.PROBLEM)
        assert verdicts(found)["real_overload"] == "likely"
        assert found.causes[0].cause == "real_overload"

    def test_a_threshold_below_what_is_slow(self) -> None:
        found = only(self.store(40.0, 6.0, 5.0), problem=self.PROBLEM)
        assert found.causes[0].cause == "threshold_low"
        assert "its threshold is 5 ms" in found.causes[0].because

    def test_a_load_from_outside_that_an_event_tells_of(self) -> None:
        recording = self.store(40.0, 32.0)
        recording.event(EntityRef("datastore", "lun-c"), "storage", "Non-VI workload on lun-c", 300)
        found = only(recording, problem=self.PROBLEM)
        assert found.causes[0].cause == "external_workload"
        assert "Non-VI workload on lun-c" in found.causes[0].because

    @pytest.mark.parametrize(("lies_on_it", "first"), [(True, "throttled_depth"), (False, "")])
    def test_the_queue_that_it_holds_back_follows_from_it(self, lies_on_it: bool, first: str) -> None:
        """Of the datastore that lies on the device: another one of the host tells nothing of its queue."""
        recording = self.store(60.0, 6.0, 5.0)
        device = recording.shared(LUN, {}, "device")
        for counter, level in (
            ("disk.kernel_latency", 20.0), ("disk.queue_latency", 20.0), ("disk.device_latency", 6.0),
            ("disk.commands", 400.0), ("disk.queued", 8.0), ("disk.active", 3.0), ("disk.queue_depth", 64.0),
        ):  # fmt: skip
            recording.has(device, {counter: level}, "esx01")
        recording.fact(device, "device.datastore", "lun-c" if lies_on_it else "lun-d")
        found = only(recording, problem="storage.queueing")
        likely = [one.cause for one in found.causes if one.verdict == "likely"]
        assert likely == ([first] if first else [])
        above = found.consequence_of
        assert (above[0] if above else "") == (self.PROBLEM if lies_on_it else "")


class TestPaths:
    PROBLEM = "storage.path"

    def device(self, *paths: Level, iops: Level = 2_000.0) -> Recording:
        recording = Recording()
        recording.on_host({"cpu.pcpu_util": 30.0})
        recording.shared(LUN, {"disk.commands": iops, "disk.device_latency": 1.0})
        for number, level in enumerate(paths):
            recording.add("path", f"esx01/vmhba{number}:C0:T0:L3", {"disk.commands": level})
        return recording

    def test_a_path_that_carries_nothing_any_more(self) -> None:
        recording = self.device(during(0, 600, 1_000.0), during(0, 600, 1_000.0, 2_000.0))
        found = only(recording, problem=self.PROBLEM)
        assert found.severity == "critical"  # one path is left
        assert found.causes[0].cause == "path_down"
        assert "vmhba0:C0:T0:L3" in found.causes[0].because

    def test_paths_that_were_never_used_are_no_loss(self) -> None:
        assert findings(self.device(2_000.0, 0.0), problem=self.PROBLEM) == []

    def test_round_robin_under_little_load_takes_turns(self) -> None:
        recording = self.device(alternating(40.0, 30.0), alternating(40.0, 30.0, 40.0), iops=30.0)
        assert findings(recording, problem=self.PROBLEM) == []

    def test_a_device_that_jumps_from_path_to_path(self) -> None:
        recording = self.device(alternating(20.0, 2_000.0), alternating(20.0, 2_000.0, 20.0))
        assert only(recording, problem=self.PROBLEM).causes[0].cause == "thrashing"
        recording.fact(EntityRef("device", LUN), "device.path_policy", "VMW_PSP_FIXED")
        first = only(recording, problem=self.PROBLEM).causes[0]
        assert first.because.endswith("(path policy, as vCenter tells it: VMW_PSP_FIXED).")

    def test_what_vcenter_tells_of_a_device_of_the_host(self) -> None:
        recording = vcenter()
        recording.shared(LUN, {})
        for counter, level in (("disk.commands", 100.0), ("disk.device_latency", 1.0)):
            recording.has(EntityRef("device", LUN), {counter: level}, "esx01")
        text = f"Path redundancy to storage device {LUN} degraded. Path vmhba2:C0:T0:L3 is down."
        recording.event(recording.host, "storage", text, 300)
        found = only(recording, problem=self.PROBLEM)
        assert found.conclusion.endswith("Path vmhba2:C0:T0:L3 is down (it answered in 1 ms).")
        assert found.windows[0].start == START + 300_000

    def test_what_vcenter_tells_of_another_device(self) -> None:
        recording = vcenter()
        recording.shared(LUN, {})
        recording.has(EntityRef("device", LUN), {"disk.commands": 100.0}, "esx01")
        recording.event(recording.host, "storage", f"Path redundancy to {LUN}9 degraded.", 300)
        assert findings(recording, problem=self.PROBLEM) == []


class TestCluster:
    PROBLEM = "cluster.imbalance"

    def cluster(self, hot: float, cool: float, ready: float, **drs: float | str) -> Recording:
        recording = Recording("elsewhere", source="vcenter", interval=20.0)
        place = recording.cluster("cluster01")
        for name, used in (("esx01", hot), ("esx02", cool)):
            recording.another_host(name, {"cpu.pcpu_used": used}, place)
        vm = recording.add("vm", "web01", {"cpu.ready": ready, "cpu.max_limited": 0.0}, parent=place)
        recording.stays(vm, (0, EntityRef("host", "esx01")))
        for name, value in {"enabled": 1.0, **drs}.items():
            recording.fact(place, f"drs.{name}", value)
        recording.fact(place, "anything", 1.0)
        return recording

    @pytest.mark.parametrize(
        ("hot", "cool", "ready", "is_found"),
        [(95.0, 15.0, 12.0, True), (95.0, 15.0, 2.0, False), (95.0, 80.0, 12.0, False),
         (45.0, 5.0, 12.0, False), (100.0, 65.0, 12.0, False)],
    )  # fmt: skip
    def test_a_spread_counts_where_vms_wait_on_the_busy_host(
        self, hot: float, cool: float, ready: float, is_found: bool
    ) -> None:
        found = findings(self.cluster(hot, cool, ready), problem=self.PROBLEM)
        assert [one.entity_name for one in found] == ["cluster01"] * is_found

    def test_it_names_both_hosts_and_who_waits(self) -> None:
        found = only(self.cluster(95.0, 15.0, 12.0), problem=self.PROBLEM)
        assert found.conclusion.startswith(
            "esx01 was 95 % busy and esx02 of the same cluster 15 %, while web01 waited 12 %"
        )
        shown = {(item.instance, item.value) for item in found.evidence if item.statistic == "mean"}
        assert {
            ("esx01", 95.0),
            ("esx02", 15.0),
        } <= shown  # the idlest one is not called by the busiest's name

    @pytest.mark.parametrize(
        ("settings", "first"),
        [({"enabled": 0.0}, "drs_off"), ({"behavior": "manual"}, "drs_manual"),
         ({"behavior": "fullyAutomated", "rate": 5.0}, "drs_conservative"),
         ({"behavior": "fullyAutomated", "rate": 3.0}, "vms_tied")],
    )  # fmt: skip
    def test_why_nobody_moves_them(self, settings: dict[str, float | str], first: str) -> None:
        found = only(self.cluster(95.0, 15.0, 12.0, **settings), problem=self.PROBLEM)
        assert found.causes[0].cause == first

    def test_a_pinned_vm_waits_for_its_pcpus(self) -> None:
        recording = self.cluster(95.0, 15.0, 12.0)
        recording.fact(EntityRef("vm", "cluster01/vm/web01"), "cpu.affinity", "0,1")
        assert findings(recording, problem=self.PROBLEM) == []

    def test_a_host_in_maintenance_is_empty_on_purpose(self) -> None:
        recording = self.cluster(95.0, 15.0, 12.0)
        recording.fact(EntityRef("host", "esx02"), "maintenance", 1.0)
        assert findings(recording, problem=self.PROBLEM) == []


class TestVMotion:
    PROBLEM = "vmotion.slow"

    def moved(self, seconds: float, speed: float = 10_000.0, flow: float = 100.0) -> Recording:
        recording = vcenter()
        nic = recording.add("nic", "esx01/vmnic0", {"net.mbits_tx": 120.0, "net.mbits_rx": 10.0,
                                                    "net.mbits_vmotion": flow})  # fmt: skip
        recording.fact(nic, "nic.speed_mbps", speed)
        vm = recording.vm("sql02", {"cpu.ready": 0.5, "mem.touched": 4_000.0})
        recording.fact(vm, "mem.size_mb", 64.0 * 1024)
        recording.event(vm, "vmotion", "Migrating sql02 to esx02", 300, seconds)
        return recording

    @pytest.mark.parametrize(("seconds", "is_found"), [(40.0, False), (150.0, False), (600.0, True)])
    def test_three_times_what_its_memory_takes(self, seconds: float, is_found: bool) -> None:
        found = findings(self.moved(seconds), problem=self.PROBLEM)
        assert [one.entity_name for one in found] == ["sql02"] * is_found

    def test_a_network_that_gives_it_little(self) -> None:
        found = only(self.moved(600.0), problem=self.PROBLEM)
        assert found.causes[0].cause == "network_gives_little"
        assert "took 10 min (Migrating sql02 to esx02 (10 min))" in found.conclusion
        assert found.windows[0].start == START + 300_000

    def test_a_slow_link(self) -> None:
        found = only(self.moved(2_400.0, speed=1_000.0, flow=900.0), problem=self.PROBLEM)
        assert found.causes[0].cause == "link_slow"
        assert cause(found, "network_gives_little").verdict == "ruled out"


class TestStorageVMotion:
    def test_the_disks_of_a_vm_that_is_moved_are_worth_knowing(self) -> None:
        recording = vcenter()
        vm = recording.vm("app03", {"cpu.ready": 0.5})
        slow = during(300, 900, 25.0, 2.0)
        levels = {"vdisk.latency_read": slow, "vdisk.latency_write": slow}
        recording.add("vdisk", "scsi0:0", DISK | levels, parent=vm)
        recording.event(vm, "storage_vmotion", "Relocating app03 from lun-b to lun-a", 300, 600)
        found = only(recording, problem="svmotion.impact")
        assert found.severity == "info"
        assert "Relocating app03 from lun-b to lun-a (10 min)" in found.conclusion

    def test_a_disk_that_leaves_a_slow_datastore_was_slow_before(self) -> None:
        recording = vcenter()
        vm = recording.vm("app03", {"cpu.ready": 0.5})
        slow = during(0, 600, 25.0, 2.0)
        levels = {"vdisk.latency_read": slow, "vdisk.latency_write": slow}
        recording.add("vdisk", "scsi0:0", DISK | levels, parent=vm)
        recording.event(vm, "storage_vmotion", "Relocating app03 from lun-b to lun-a", 300, 300)
        assert not findings(recording, problem="svmotion.impact")

    @pytest.mark.parametrize("text", ["Relocating app03 from lun-b to lun-a", "Relocating app03"])
    def test_it_is_the_cause_where_the_datastore_slows_down(self, text: str) -> None:
        recording = vcenter()
        store = recording.shared("lun-a", {}, "datastore")
        recording.shared(LUN, {})
        device = EntityRef("device", LUN)
        recording.fact(device, "device.datastore", store.key)
        for counter, level in (
            ("disk.commands", during(300, 900, 900.0, 200.0)),
            ("disk.device_latency", during(300, 900, 24.0, 2.0)),
        ):
            recording.has(device, {counter: level}, "esx01")
        vm = recording.vm("web01", {"cpu.ready": 0.5})
        recording.add("vdisk", "scsi0:0", DISK | {"vdisk.reads": 60.0}, parent=vm)
        recording.fact(vm, "vdisk.scsi0:0.datastore", store.key)
        mover = recording.vm("app03", {"cpu.ready": 0.5})
        recording.event(mover, "storage_vmotion", text, 300, 600)
        found = only(recording, problem="storage.device_latency")
        assert found.causes[0].cause == "storage_vmotion"
        assert not any("See what web01" in step for step in found.remedies)


class TestQueueOfTheController:
    PROBLEM = "storage.queue_depth"

    @pytest.mark.parametrize(
        ("controller", "latency", "is_found"),
        [("lsilogic", 1.6, True), ("lsilogic", 0.8, False), ("pvscsi", 1.6, False), ("pvscsi", 3.2, True),
         ("lsilogic", 3.2, False)],
    )  # fmt: skip
    def test_as_many_in_flight_as_it_takes(self, controller: str, latency: float, is_found: bool) -> None:
        recording = vcenter()
        vm = recording.vm("sql03", {"cpu.ready": 0.5})
        levels = {"vdisk.reads": 15_000.0, "vdisk.writes": 5_000.0,
                  "vdisk.latency_read": latency, "vdisk.latency_write": latency}  # fmt: skip
        recording.add("vdisk", "scsi0:0", DISK | levels, parent=vm)
        recording.fact(vm, "vdisk.scsi0:0.controller", controller)
        found = findings(recording, problem=self.PROBLEM)
        assert [one.entity_name for one in found] == ["sql03"] * is_found
        assert all(controller in one.conclusion for one in found)


class TestIopsLimit:
    PROBLEM = "storage.iops_limit"

    @pytest.mark.parametrize(("limit", "is_found"), [(125.0, True), (500.0, False), (100.0, False)])
    def test_it_is_blamed_where_it_binds(self, limit: float, is_found: bool) -> None:
        recording = vcenter()
        vm = recording.vm("pg01", {"cpu.ready": 0.5})
        recording.add("vdisk", "scsi0:0", DISK, parent=vm)
        recording.fact(vm, "vdisk.scsi0:0.limit_iops", limit)
        found = findings(recording, problem=self.PROBLEM)
        assert [one.causes[0].cause for one in found] == ["iops_limit"] * is_found

    def test_without_a_limit_it_does_not_apply(self) -> None:
        recording = vcenter()
        vm = recording.vm("pg01", {"cpu.ready": 0.5})
        recording.add("vdisk", "scsi0:0", DISK, parent=vm)
        assert check(diagnosed(recording), self.PROBLEM).verdict == "not applicable"


class TestDiskOfAVm:
    PROBLEM = "storage.vm_latency"

    def disk(self, **levels: Level) -> Recording:
        recording = vcenter()
        vm = recording.vm("ingest01", {"cpu.ready": 0.5})
        given = {f"vdisk.{counter}": level for counter, level in levels.items()}
        recording.add("vdisk", "scsi0:0", DISK | given, parent=vm)
        store = recording.shared("vsanDatastore", {}, "datastore")
        recording.fact(store, "datastore.type", "vsan")
        recording.fact(vm, "vdisk.scsi0:0.datastore", store.key)
        return recording

    def test_reads_alone_may_be_slow(self) -> None:
        found = only(self.disk(latency_read=24.0), problem=self.PROBLEM)
        assert cause(found, "vsan").verdict == "possible"
        assert "vSAN's own performance service" in cause(found, "vsan").because

    def test_writes_that_are_fast_at_the_same_rate_later_are_first_writes(self) -> None:
        recording = self.disk(latency_write=during(0, 420, 25.0, 1.0), latency_read=1.0)
        found = only(recording, problem=self.PROBLEM)
        assert found.causes[0].cause == "first_write"
        assert cause(found, "iops_limit").verdict == "ruled out"


class TestVcenterItself:
    def tasks(self, number: int, seconds: float) -> Recording:
        recording = vcenter()
        above = EntityRef("vcenter", "vc01")
        for name in ("esx02",):
            recording.another_host(name, {"cpu.pcpu_used": 20.0}, above)
        for one in range(number):
            vm = recording.vm(f"vm{one}", {"cpu.ready": 0.5})
            recording.event(vm, "reconfigure", "Reconfigure virtual machine", 300 + one, seconds)
        return recording

    @pytest.mark.parametrize(
        ("number", "seconds", "is_found"), [(5, 240.0, True), (5, 20.0, False), (2, 240.0, False)]
    )
    def test_many_short_tasks_that_take_minutes(self, number: int, seconds: float, is_found: bool) -> None:
        found = findings(self.tasks(number, seconds), problem="vcenter.slow")
        assert [one.causes[0].cause for one in found] == ["queueing_tasks"] * is_found

    def test_that_nothing_is_found_clears_nothing(self) -> None:
        told = check(diagnosed(self.tasks(1, 10.0)), "vcenter.slow")
        assert told.verdict == "not applicable"
        assert told.reason == "only a vCenter tells of itself"


class TestFaultTolerance:
    @pytest.mark.parametrize(
        ("status", "severity"), [("green", None), ("yellow", "warning"), ("red", "critical")]
    )
    def test_the_secondary_lags(self, status: str, severity: str | None) -> None:
        recording = vcenter()
        vm = recording.vm("ft01", {"cpu.ready": 0.5})
        recording.fact(vm, "ft.latency_status", status)
        found = findings(recording, problem="ft.slow")
        assert [one.severity for one in found] == ([severity] if severity else [])


class TestRecommendations:
    def test_what_waits_is_worth_knowing(self) -> None:
        recording = Recording("elsewhere", source="vcenter", interval=20.0)
        place = recording.cluster("cluster01")
        recording.another_host("esx01", {"cpu.pcpu_used": 40.0}, place)
        recording.fact(place, "drs.recommendations", 3.0)
        recording.fact(place, "drs.behavior", "manual")
        found = only(recording, problem="cluster.recommendations_ignored")
        assert found.severity == "info"
        assert found.causes[0].cause == "not_automatic"

    def test_what_waits_while_the_host_is_full_hurts_now(self) -> None:
        recording = Recording("elsewhere", source="vcenter", interval=20.0)
        place = recording.cluster("cluster01")
        full = recording.another_host("esx01", {"cpu.pcpu_used": 97.0}, place)
        vm = recording.add("vm", "db01", {"cpu.ready": 21.0, "cpu.max_limited": 0.0}, parent=full)
        recording.fact(vm, "vcpus", 2.0)
        recording.fact(place, "drs.recommendations", 3.0)
        recording.fact(place, "drs.behavior", "manual")
        found = only(recording, problem="cluster.recommendations_ignored")
        assert found.severity == "warning"
        assert "esx01 is 97 % busy and db01 waits 21 % of the time" in found.conclusion


class TestVsan:
    def test_what_a_host_reports_while_vms_wait(self) -> None:
        for latency, is_found in ((45.0, True), (2.0, False)):
            recording = vcenter()
            vm = recording.vm("db01", {"cpu.ready": 0.5})
            recording.add("vdisk", "scsi0:0", DISK | {"vdisk.latency_write": latency}, parent=vm)
            text = "LSOM SSD Congestion State: Exceeded. Congestion Threshold: 200 Current Congestion: 255."
            recording.event(recording.host, "vsan", text, 300)
            found = findings(recording, problem="vsan.congestion")
            assert [one.entity_name for one in found] == ["esx01"] * is_found
            assert all(text.rstrip(".") in one.conclusion for one in found)

    def test_what_nobody_counts_says_who_would(self) -> None:
        recording = vcenter()
        store = recording.shared("vsanDatastore", {"nfs.latency_write": 3.0}, "datastore")
        recording.fact(store, "datastore.type", "vsan")
        told = check(diagnosed(recording), "vsan.congestion")
        assert told.verdict == "insufficient data"
        assert told.reason == "no source has vSAN congestion; the vSAN performance service has it"

    def test_a_site_without_vsan(self) -> None:
        recording = vcenter()
        store = recording.shared("lun-a", {"nfs.latency_write": 3.0}, "datastore")
        recording.fact(store, "datastore.type", "VMFS")
        told = check(diagnosed(recording), "vsan.congestion")
        assert (told.verdict, told.entities) == ("not applicable", 0)
        assert "vSAN" in told.reason


class TestFirstWrite:
    PROBLEM = "storage.first_write"

    def disk(self, **levels: Level) -> Recording:
        recording = vcenter()
        vm = recording.vm("ingest01", {"cpu.ready": 0.5})
        given = {f"vdisk.{counter}": level for counter, level in levels.items()}
        recording.add("vdisk", "scsi0:0", DISK | given, parent=vm)
        return recording

    def test_slow_only_until_the_blocks_are_there(self) -> None:
        recording = self.disk(latency_write=during(0, 420, 25.0, 1.0), latency_read=1.0)
        found = only(recording, problem=self.PROBLEM)
        assert (found.entity_name, found.causes[0].cause) == ("ingest01", "first_write")
        assert "25 ms for a write, and takes 1 ms at other times" in found.conclusion
        slow = only(recording, problem="storage.vm_latency")
        assert slow.consequence_of is not None
        assert slow.consequence_of[0] == self.PROBLEM

    def test_disks_of_several_vms_that_wait_at_once_share_a_reason(self) -> None:
        """As on a vSAN that was congested for a while: no disk of them is written for the first time."""
        recording = self.disk(latency_write=during(0, 420, 25.0, 1.0), latency_read=1.0)
        beside = recording.vm("ingest02", {"cpu.ready": 0.5})
        levels = DISK | {"vdisk.latency_write": during(0, 420, 20.0, 1.0), "vdisk.latency_read": 1.0}
        recording.add("vdisk", "scsi0:0", levels, parent=beside)
        assert findings(recording, problem=self.PROBLEM) == []
        slow = findings(recording, problem="storage.vm_latency")
        assert {one.entity_name for one in slow} == {"ingest01", "ingest02"}
        said = [cause(one, "first_write") for one in slow]
        assert {one.verdict for one in said} == {"ruled out"}
        assert "disks of other VMs on esx01 waited for a write as well, 20 ms" in said[0].because

    def test_a_second_disk_of_the_vm_is_no_other_s(self) -> None:
        recording = self.disk(latency_write=during(0, 420, 25.0, 1.0), latency_read=1.0)
        (vm,) = (ref for ref in session(recording).entities() if ref.kind == "vm")
        levels = DISK | {"vdisk.latency_write": during(0, 420, 22.0, 1.0), "vdisk.latency_read": 1.0}
        recording.add("vdisk", "scsi0:1", levels, parent=vm)
        assert only(recording, problem=self.PROBLEM).causes[0].cause == "first_write"

    def test_congestion_of_its_vsan_explains_it(self) -> None:
        recording = self.disk(latency_write=during(0, 420, 25.0, 1.0), latency_read=1.0)
        (vm,) = (ref for ref in session(recording).entities() if ref.kind == "vm")
        store = recording.shared(
            "vsanDatastore", {"vsan.congestion": during(0, 420, 210.0, 0.0)}, "datastore"
        )
        recording.fact(store, "datastore.type", "vsan")
        recording.fact(vm, "vdisk.scsi0:0.datastore", store.key)
        found = only(recording, problem=self.PROBLEM)
        assert found.consequence_of == ("vsan.congestion", store)

    @pytest.mark.parametrize(
        "levels",
        [
            {"latency_write": during(0, 420, 25.0, 1.0), "latency_read": during(0, 420, 22.0, 1.0)},
            {"latency_write": during(0, 420, 25.0, 1.0), "writes": during(0, 420, 900.0, 60.0)},
            {"latency_write": 25.0},
            {"latency_write": during(0, 400, 7.0, 25.0)},
        ],
        ids=["reads are slow, too", "it wrote more", "it stays slow", "it was quick first"],
    )
    def test_what_looks_alike(self, levels: dict[str, Level]) -> None:
        recording = self.disk(**{"latency_read": 1.0, **levels})
        assert findings(recording, problem=self.PROBLEM) == []


def test_usage_of_cores_alone_tells_no_full_host_of_an_uneven_cluster() -> None:
    """At statistics level 1: 90 % of the cores can be half of the hyper-threads [KB 431027]."""
    recording = Recording(seconds=3_600, interval=300.0, source="vcenter")
    cluster = recording.cluster("Cluster-01")
    for name, usage in (("esx02", 90.0), ("esx03", 20.0)):
        ref = recording.another_host(name, {"cpu.pcpu_used": usage}, cluster)
        recording.fact(recording.fact(ref, "cpu.cores", 32.0), "cpu.threads", 64.0)
        for number in range(8):
            ready = 20.0 if number < 3 and name == "esx02" else 0.2
            vm = recording.add("vm", f"{name}-app{number}", {"cpu.ready": ready}, parent=ref)
            recording.fact(vm, "vcpus", 2.0)
    found = diagnosed(recording)
    assert "cluster.imbalance" not in {one.problem for one in found.findings}
    assert check(found, "cluster.imbalance").verdict == "insufficient data"


def test_hosts_that_differ_are_no_all_clear_where_no_vm_tells_whether_it_waits() -> None:
    recording = Recording(source="vcenter")
    cluster = recording.cluster("c1")
    hosts = [
        recording.another_host(f"esx1{number}", {"cpu.pcpu_util": util}, cluster)
        for number, util in enumerate((95.0, 10.0))
    ]
    vm = recording.vm("web01", {"cpu.ready": float("nan")})
    recording.stays(vm, (0.0, hosts[0]))
    checks = {one.problem: one for one in diagnosed(recording).verdict.checks}
    assert checks["cluster.imbalance"].verdict != "not found"
