"""Cards that rest on what newer vSphere tells: memory tiers, DPUs, fault tolerance, DRS scores."""

from __future__ import annotations

import pytest

from sessions.model import EntityRef
from tests.diagnosis.recordings import (
    Level,
    Recording,
    cause,
    diagnosed,
    during,
    findings,
    only,
    verdicts,
)
from tests.diagnosis.test_cards_vcenter import check, vcenter

GB = 1024.0


class TestMemoryTiering:
    PROBLEM = "mem.tiering"

    def host(
        self, active_gb: float, latency_ms: float = 0.09, tiering: str = "softwareTiering", reads: float = 0.0
    ) -> Recording:
        """A host with 256 GB of DRAM and as much NVMe, two VMs, and the device that is its slow tier."""
        recording = Recording(source="vcenter", interval=20.0)
        recording.on_host({"cpu.pcpu_used": 30.0, "mem.consumed": 300 * GB, "mem.swap_write": 0.0})
        recording.fact(recording.host, "mem.size_mb", 256 * GB)
        if tiering:
            recording.fact(recording.host, "mem.tiering", tiering)
            recording.fact(recording.host, "tier.dram_mb", 256 * GB)
            recording.fact(recording.host, "tier.nvme_mb", 256 * GB)
        for name, part in (("db01", 0.7), ("web01", 0.3)):
            vm = recording.vm(name, {"mem.touched": part * active_gb * GB, "mem.granted": 100 * GB})
            recording.fact(vm, "mem.size_mb", 256 * GB)
            if name == "db01" and reads:
                recording.fact(vm, "tier.nvme.read_mbps", reads)
        device = recording.add("device", "eui.tier", busy(latency_ms))
        recording.fact(device, "device.memory_tier", True)
        return recording

    @pytest.mark.parametrize(
        ("active_gb", "severity"), [(100, None), (120, None), (140, "warning"), (190, "critical")]
    )
    def test_active_memory_counts_against_dram(self, active_gb: float, severity: str | None) -> None:
        found = findings(self.host(active_gb), problem=self.PROBLEM)
        assert [one.severity for one in found] == ([severity] if severity else [])
        assert all(one.causes[0].cause == "working_set" for one in found)
        assert all("db01" in " ".join(one.remedies) for one in found)

    def test_a_slow_device(self) -> None:
        found = only(self.host(60, latency_ms=0.6), problem=self.PROBLEM)
        assert found.causes[0].cause == "slow_tier_device"
        assert verdicts(found)["working_set"] == "ruled out"
        assert "eui.tier" in found.conclusion

    def test_one_vm_that_reads_the_slow_tier(self) -> None:
        told = cause(only(self.host(150, reads=120.0), problem=self.PROBLEM), "one_vm")
        assert told.verdict == "possible"
        assert "db01 read 120 MB/s" in told.because

    def test_what_vcenter_told_is_evidence(self) -> None:
        recording = self.host(60, latency_ms=0.6)
        text = "Active memory of esx01 is too much for its DRAM"
        recording.event(recording.host, "tiering", text, 300)
        told = cause(only(recording, problem=self.PROBLEM), "working_set")
        assert told.verdict == "possible"
        assert text in told.because

    def test_a_host_without_tiers_is_not_judged(self) -> None:
        told = check(diagnosed(self.host(190, tiering="")), self.PROBLEM)
        assert told.verdict == "not applicable"
        assert "a vCenter tells which these are" in told.reason

    def test_the_tiers_device_is_no_slow_datastore(self) -> None:
        """It serves pages, hundreds of them at a time: its latency is that of memory."""
        recording = self.host(60, latency_ms=60.0)
        problems = {one.problem for one in findings(recording)}
        assert self.PROBLEM in problems
        assert not any(problem.startswith("storage.") for problem in problems)
        same_without = Recording(source="vcenter", interval=20.0)
        same_without.on_host({"cpu.pcpu_used": 30.0})
        same_without.add("device", "eui.tier", busy(60.0))
        assert any(one.problem == "storage.device_latency" for one in findings(same_without))

    def test_consumed_memory_counts_against_both_tiers(self) -> None:
        """300 GB are consumed of 256 GB of DRAM and as much NVMe: that is what tiering is for."""
        found = {one.problem for one in findings(self.host(100))}
        assert "mem.host_demand" not in found

    def test_active_memory_of_host_demand_is_of_dram(self) -> None:
        found = only(self.host(230), problem="mem.host_demand")
        assert "of its 256 GB of DRAM, its tier of 256 GB apart" in found.conclusion
        assert found.consequence_of


def busy(latency_ms: float) -> dict[str, Level]:
    """A device that serves many reads."""
    return {
        "disk.reads": 2000.0, "disk.writes": 500.0, "disk.commands": 2500.0,
        "disk.device_latency": latency_ms, "disk.device_latency_read": latency_ms,
        "disk.device_latency_write": latency_ms, "disk.guest_latency": latency_ms,
        "disk.kernel_latency": 0.0, "disk.queue_latency": 0.0, "disk.aborts": 0.0,
    }  # fmt: skip


class TestFaultTolerance:
    def vm(self, **facts: float | str) -> Recording:
        recording = vcenter()
        vm = recording.vm("ft01", {"cpu.ready": 0.5})
        for name, value in facts.items():
            recording.fact(vm, name.replace("__", "."), value)
        return recording

    @pytest.mark.parametrize(
        ("lag_ms", "severity"), [(1500.0, None), (2500.0, "warning"), (7000.0, "critical")]
    )
    def test_the_steps_of_its_latency(self, lag_ms: float, severity: str | None) -> None:
        recording = self.vm(ft__latency_status="green", ft__secondary_latency_ms=lag_ms)
        found = findings(recording, problem="ft.slow")
        assert [one.severity for one in found] == ([severity] if severity else [])
        assert all(one.evidence[1].threshold == 2000.0 for one in found)

    def test_one_without_a_secondary_is_not_protected(self) -> None:
        recording = self.vm(ft__latency_status="gray", ft__protection="needSecondary")
        found = only(recording, problem="ft.slow")
        assert "not protected now" in found.conclusion
        assert found.causes[0].cause == "no_secondary"

    @pytest.mark.parametrize("state", ["running", "starting", "disabled", "enabled"])
    def test_other_states_are_no_problem(self, state: str) -> None:
        assert findings(self.vm(ft__latency_status="green", ft__protection=state)) == []

    def test_an_ordinary_vm_is_not_judged(self) -> None:
        told = check(diagnosed(self.vm()), "ft.slow")
        assert told.verdict == "not applicable"


class TestDrsScore:
    PROBLEM = "cluster.drs_score"

    def cluster(
        self,
        score: float | None,
        idlest: float = 30.0,
        hottest: float = 70.0,
        ready: float = 1.0,
        **facts: float,
    ) -> Recording:
        recording = Recording("elsewhere", source="vcenter", interval=20.0)
        place = recording.cluster("cluster01")
        busy_host = recording.another_host(
            "esx01", {"cpu.pcpu_used": hottest, "cpu.pcpu_util": hottest}, place
        )
        recording.another_host("esx02", {"cpu.pcpu_used": idlest, "cpu.pcpu_util": idlest}, place)
        vm = recording.add("vm", "db01", {"cpu.ready": ready, "mem.swap_read": 0.0}, parent=busy_host)
        recording.fact(vm, "vcpus", 2.0)
        recording.fact(place, "drs.enabled", 1.0)
        recording.fact(place, "drs.behavior", "fullyAutomated")
        if score is not None:
            recording.fact(place, "drs.score", score)
        for name, value in facts.items():
            recording.fact(place, f"drs.{name}", value)
        return recording

    @pytest.mark.parametrize(
        ("score", "severity"), [(95, None), (80, None), (72, "warning"), (50, "critical")]
    )
    def test_how_low_it_is(self, score: float, severity: str | None) -> None:
        found = findings(self.cluster(score), problem=self.PROBLEM)
        assert [one.severity for one in found] == ([severity] if severity else [])

    def test_how_many_vms_have_which(self) -> None:
        scores = {"vms_0_20": 2.0, "vms_21_40": 1.0, "vms_41_60": 4.0, "vms_61_80": 3.0, "vms_81_100": 40.0}
        found = only(self.cluster(72, **scores), problem=self.PROBLEM)
        assert "7 of its 50 VMs have 60 % or less (2 of them 20 % or less)" in found.conclusion

    def test_a_full_cluster(self) -> None:
        found = only(self.cluster(50, idlest=92.0, hottest=96.0, ready=12.0), problem=self.PROBLEM)
        assert found.causes[0].cause == "cluster_full"
        assert found.causes[0].verdict == "likely"

    def test_neither_cpu_nor_memory(self) -> None:
        found = only(self.cluster(72), problem=self.PROBLEM)
        assert [one.cause for one in found.causes if one.verdict != "ruled out"] == ["something_else"]

    def test_unknown_says_who_would_know(self) -> None:
        told = check(diagnosed(self.cluster(None)), self.PROBLEM)
        assert told.verdict == "insufficient data"
        assert "a vCenter of 7.0 or later does" in told.reason


class TestDpu:
    @pytest.mark.parametrize("dpu", ["", "dpu-1"])
    def test_loss_on_a_host_with_a_dpu_says_what_counters_may_not_see(self, dpu: str) -> None:
        recording = vcenter()
        for name in ("vmnic0", "vmnic1"):
            nic = recording.add("nic", name, {"net.packets_rx": 5000.0, "net.dropped_rx": 0.0})
            if dpu:
                recording.fact(nic, "nic.dpu", dpu)
        vm = recording.vm("web01", {"cpu.ready": 0.5, "cpu.run": 20.0})
        recording.add("port", "eth0", {"net.packets_rx": 5000.0, "net.dropped_rx": 100.0}, parent=vm)
        found = only(recording, problem="net.rx_drops")
        assert any("uplinks on a DPU (2)" in note for note in found.notes) == bool(dpu)
        assert all(found.notes), "no empty note"


def test_a_half_duplex_uplink_is_known_from_the_inventory() -> None:
    recording = vcenter()
    nic = recording.add("nic", "vmnic0", {"net.mbits_tx": 40.0, "net.mbits_rx": 30.0})
    recording.fact(nic, "nic.speed_mbps", 1000.0)
    recording.fact(nic, "nic.full_duplex", False)
    assert only(recording, problem="net.errors").entity_name == "vmnic0"


def test_rules_and_overrides_are_named_where_vms_do_not_move() -> None:
    recording = Recording("elsewhere", source="vcenter", interval=20.0)
    place = recording.cluster("cluster01")
    busy_host = recording.another_host("esx01", {"cpu.pcpu_used": 95.0, "cpu.pcpu_util": 95.0}, place)
    recording.another_host("esx02", {"cpu.pcpu_used": 20.0, "cpu.pcpu_util": 20.0}, place)
    vm = recording.add("vm", "db01", {"cpu.ready": 12.0}, parent=busy_host)
    recording.fact(vm, "vcpus", 2.0)
    for name, value in (("enabled", 1.0), ("rate", 3.0), ("rules", 4.0), ("overrides", 7.0)):
        recording.fact(place, f"drs.{name}", value)
    recording.fact(place, "drs.behavior", "fullyAutomated")
    told = cause(only(recording, problem="cluster.imbalance"), "vms_tied")
    assert "4 rules are in force, 7 VMs have a setting of their own" in told.because


class TestTeams:
    def team(self, role: str) -> Recording:
        """Twelve VMs that fill one uplink of a switch while the other one is idle."""
        recording = vcenter()
        for name, mbits, its in (("vmnic0", 950.0, "active"), ("vmnic1", 1.0, role)):
            nic = recording.add(
                "nic", name, {"net.mbits_tx": mbits, "net.mbits_rx": 20.0, "net.drops_tx": 0.0}
            )
            recording.fact(nic, "nic.speed_mbps", 1000.0)
            recording.fact(nic, "nic.switch", "vSwitch0")
            if role:
                recording.fact(
                    nic, "nic.teaming", "failover_explicit" if role == "standby" else "loadbalance_srcid"
                )
                recording.fact(nic, "nic.team_role", its)
        for number in range(12):
            vm = recording.vm(f"web{number:02}", {"cpu.ready": 0.5})
            recording.add("port", "eth0", {"net.mbits_tx": 79.0, "net.mbits_rx": 2.0}, parent=vm)
        return recording

    @pytest.mark.parametrize("role", ["", "active"])
    def test_an_active_uplink_that_idles_is_an_uneven_team(self, role: str) -> None:
        first = only(self.team(role), problem="net.saturated").causes[0]
        assert (first.cause, first.verdict) == ("unbalanced_team", "likely")
        assert ("policy is loadbalance_srcid" in first.because) == bool(role)

    def test_one_on_standby_is_none(self) -> None:
        """Nothing is wrong with how ports are spread: there is one uplink to spread them over."""
        found = only(self.team("standby"), problem="net.saturated")
        assert (found.causes[0].cause, found.causes[0].verdict) == ("others_on_standby", "likely")
        assert "vmnic1" in found.causes[0].because
        assert verdicts(found)["unbalanced_team"] == "ruled out"


class TestPartsOfVsan:
    """What the performance service tells of disks, disk groups and hosts decides, and is named."""

    def store(self, **levels: Level) -> tuple[Recording, EntityRef]:
        recording = Recording(source="vcenter", interval=300.0, seconds=7200)
        store = recording.shared(
            "vsanDatastore", {f"vsan.{name}": level for name, level in levels.items()}, "datastore"
        )
        recording.fact(store, "datastore.type", "vsan")
        return recording, store

    def part(self, recording: Recording, store: EntityRef, name: str, **levels: Level) -> None:
        ref = recording.add("vsan", name, {f"vsan.{counter}": level for counter, level in levels.items()})
        recording.fact(ref, "datastore", store.key)

    @pytest.mark.parametrize(
        ("reads", "writes", "is_hot"), [(24_000.0, 0.2, True), (110.0, 24.0, False), (2.0, 0.2, False)],
        ids=["hot", "dying", "idle"],
    )  # fmt: skip
    def test_a_hot_block_draws_reads(self, reads: float, writes: float, is_hot: bool) -> None:
        recording, store = self.store(disk_skew=40.0)
        for number in range(4):
            is_worst = not number
            self.part(
                recording, store, f"vSAN capacity disk naa.{number} (esx01)",
                reads=reads if is_worst else reads / 4 if is_hot else reads,
                latency_device=6.0 if is_worst else 0.15, latency_write=writes if is_worst else 0.1,
            )  # fmt: skip
        found = findings(recording, problem="vsan.dedup_hot_block")
        assert bool(found) == is_hot
        assert all("vSAN capacity disk naa.0 (esx01) took 6 ms" in one.conclusion for one in found)

    @pytest.mark.parametrize(("latency", "is_felt"), [(0.3, False), (7.0, True)])
    def test_a_resync_that_nobody_feels_is_vsan_at_work(self, latency: float, is_felt: bool) -> None:
        recording, store = self.store(resync_mb=during(1800, 5400, 220.0))
        levels: dict[str, Level] = {"latency_read": during(1800, 5400, latency, 0.3), "latency_write": 0.3}
        self.part(recording, store, "vSAN, as VMs see it (esx02)", **levels)
        found = findings(recording, problem="vsan.resync")
        assert bool(found) == is_felt
        assert all("vSAN, as VMs see it (esx02) most" in one.conclusion for one in found)

    def test_a_resync_is_told_of_the_cluster_and_explains_what_its_vms_wait_for(self) -> None:
        recording, store = self.store(resync_mb=during(1800, 5400, 220.0))
        at = recording.another_host("esx02", {"cpu.pcpu_util": 20.0}, recording.cluster("cluster-01"))
        levels: dict[str, Level] = {
            "vsan.latency_read": during(1800, 5400, 25.0, 0.3), "vsan.latency_write": 0.3,
        }  # fmt: skip
        seen = recording.add("vsan", "vSAN, as VMs see it (esx02)", levels, parent=at)
        recording.fact(seen, "datastore", store.key)
        vm = recording.vm("db01", {"cpu.ready": 0.2})
        slow: dict[str, Level] = {
            "vdisk.latency_read": during(1800, 5400, 25.0, 0.3), "vdisk.latency_write": 0.3,
            "vdisk.reads": 400.0, "vdisk.writes": 40.0,
        }  # fmt: skip
        recording.add("vdisk", "scsi0:0", slow, parent=vm)
        recording.fact(vm, "vdisk.scsi0:0.datastore", store.key)
        found = findings(recording, problem="vsan.resync")
        assert [(one.entity.kind, one.entity_name) for one in found] == [("cluster", "cluster-01")]
        assert "220 MB/s on vsanDatastore" in found[0].conclusion
        (waits,) = findings(recording, problem="storage.vm_latency")
        assert waits.consequence_of == ("vsan.resync", found[0].entity)

    @pytest.mark.parametrize(("reads", "is_found"), [(3.0, False), (2_000.0, True)])
    def test_misses_of_hardly_any_reads_say_nothing(self, reads: float, is_found: bool) -> None:
        recording, store = self.store(cache_miss=48.0)
        self.part(recording, store, "vSAN disk group 1 (esx01)", reads=reads)
        self.part(recording, store, "vSAN disk group of another datastore (esx09)")
        assert bool(findings(recording, problem="vsan.cache_miss")) == is_found

    def of_host(
        self, recording: Recording, store: EntityRef, host: str, name: str, **levels: Level
    ) -> EntityRef:
        """A part of vSAN on one host; a level whose counter is written with / is of an instance."""
        at = EntityRef("host", host)
        ref = recording.add("vsan", f"{name} ({host})", {}, parent=at)
        recording.fact(ref, "datastore", store.key)
        for counter, level in levels.items():
            key, _, instance = counter.partition("__")
            recording.has(ref, {f"vsan.{key}": level}, instance)
        return ref

    def test_congestion_is_of_the_host_whose_disks_do_not_keep_up(self) -> None:
        recording, store = self.store(congestion=210.0, write_buffer_free=4.0)
        for host, ssd in (("esx01", 0.0), ("esx02", 210.0), ("esx03", 12.0)):
            self.of_host(
                recording, store, host, "vSAN disk group 1",
                congestion__SSD=ssd, congestion__log=0.0, write_buffer_free=4.0 if ssd > 60 else 80.0,
            )  # fmt: skip
            self.of_host(recording, store, host, "vSAN, as VMs see it", latency_write=30.0)
        of_host, of_store = findings(recording, problem="vsan.congestion")
        assert (of_host.entity.key, of_host.severity) == ("esx02", "critical")
        assert of_host.causes[0].cause == "write_buffer_full"
        assert "most vSAN disk group 1 (esx02)" in of_host.conclusion
        assert of_store.consequence_of == ("vsan.congestion", of_host.entity)
        assert of_store.conclusion == (
            "vSAN of vsanDatastore was congested by 210 of 255 (up to 210), most by "
            "vSAN disk group 1 (esx02): 210 (write buffer free: 4 %)."
        )

    def test_what_holds_back_no_vm_is_not_said_to_hold_them_back(self) -> None:
        recording, store = self.store(congestion=130.0)
        self.part(recording, store, "vSAN, as VMs see it (cluster-01)", congestion=0.0)
        found = only(recording, problem="vsan.congestion")
        assert found.conclusion == "vSAN of vsanDatastore was congested by 130 of 255 (up to 130)."
        recording, store = self.store(congestion=130.0)
        self.part(recording, store, "vSAN, as VMs see it (cluster-01)", congestion=70.0)
        found = only(recording, problem="vsan.congestion")
        assert found.conclusion.endswith("(up to 130); what VMs send was held back by 70.")

    def test_the_express_architecture_tells_of_reads_and_writes_and_has_no_kinds(self) -> None:
        recording, store = self.store(congestion=130.0)
        levels: dict[str, Level] = {"congestion__writes": 130.0, "congestion__reads": 20.0}
        self.of_host(recording, store, "esx01", "vSAN, as VMs see it", **levels)
        found = next(
            one for one in findings(recording, problem="vsan.congestion") if one.entity.kind == "host"
        )
        assert "in writing by 130, in reading by 20" in found.conclusion
        assert [one.cause for one in found.causes if one.verdict != "ruled out"] == ["express_held_back"]

    @pytest.mark.parametrize(
        ("crc", "missed", "drops", "first"),
        [
            (0.9, 0.0, 0.0, "damaged_frames"),
            (0.0, 0.9, 0.0, "no_buffer"),
            (0.0, 0.0, 0.9, "port_drops"),
            (0.0, 0.0, 0.0, "lossy_network"),
        ],
    )
    def test_what_the_uplinks_count_tells_where_packets_are_lost(
        self, crc: float, missed: float, drops: float, first: str
    ) -> None:
        """The host that does not receive them is named, not those that send again."""
        recording, store = self.store(packet_loss=0.9)
        for host, lost, again in (("esx01", 0.9, 0.0), ("esx02", 0.0, 0.3), ("esx03", 0.0, 0.3)):
            part = 1.0 if lost else 0.0
            self.of_host(
                recording, store, host, "vSAN network",
                packet_loss_rx=lost, packet_loss_tx=again, port_drops_rx=part * drops, port_drops_tx=0.0,
            )  # fmt: skip
            self.of_host(
                recording,
                store,
                host,
                "vSAN uplink vmnic2",
                crc_errors=part * crc,
                missed_packets=part * missed,
            )
        hosts = [one for one in findings(recording, problem="vsan.network") if one.entity.kind == "host"]
        assert [one.entity.key for one in hosts] == ["esx01"]
        assert (hosts[0].causes[0].cause, hosts[0].causes[0].verdict) == (first, "likely")

    @pytest.mark.parametrize(("times", "first"), [(1, "disk_fails"), (5, "more_load")])
    def test_a_slow_disk_of_the_express_architecture_is_told_whatever_it_gets(
        self, times: int, first: str
    ) -> None:
        recording, store = self.store(disk_skew=100.0)
        for number in range(4):
            slow = not number
            ref = self.of_host(
                recording, store, "esx01", f"vSAN disk eui.{number}",
                reads=120.0 * (times if slow else 1), writes=20.0,
                latency_device=60.0 if slow else 0.4, latency_read=60.0 if slow else 0.4, latency_write=0.3,
            )  # fmt: skip
            recording.fact(ref, "vsan.device", f"eui.{number}")
        found = next(one for one in findings(recording) if one.problem == "vsan.slow_disk")
        assert (found.entity_name, found.causes[0].cause) == ("vSAN disk eui.0 (esx01)", first)
        assert "smart get -d eui.0" in " ".join(found.remedies)

    @pytest.mark.parametrize(
        ("reads", "latency_write", "problem"),
        [(120.0, 24.0, "vsan.slow_disk"), (24_000.0, 0.1, "vsan.dedup_hot_block"), (2.0, 24.0, None)],
        ids=["dying", "hot", "idle"],
    )
    def test_a_disk_is_named_itself(self, reads: float, latency_write: float, problem: str | None) -> None:
        recording, store = self.store(disk_skew=100.0)
        for number in range(4):
            slow = not number
            self.of_host(
                recording, store, "esx01", f"vSAN capacity disk naa.{number}",
                reads=reads if slow else min(reads, 120.0), writes=0.0 if reads < 20 else 20.0,
                latency_device=24.0 if slow else 0.15, latency_read=24.0 if slow else 0.15,
                latency_write=latency_write if slow else 0.1,
            )  # fmt: skip
        found = [one for one in findings(recording) if one.entity.kind == "vsan"]
        named = [(one.problem, one.entity_name) for one in found]
        assert named == ([(problem, "vSAN capacity disk naa.0 (esx01)")] if problem else [])
        assert all(one.causes[0].verdict == "likely" for one in found)

    def test_a_cache_that_gets_warm_is_not_too_small(self) -> None:
        falling = [max(4.0, 60.0 - 9.0 * number) for number in range(24)]
        for level, first in ((falling, "cache_warms_up"), (50.0, "working_set_too_large")):
            recording, store = self.store(cache_miss=level)
            self.part(recording, store, "vSAN disk group 1 (esx01)", reads=900.0)
            found = only(recording, problem="vsan.cache_miss")
            assert (found.causes[0].cause, found.causes[0].verdict) == (first, "likely")
