"""A host that esxtop and a vCenter both recorded: each finding once, and nobody counts double."""

from __future__ import annotations

import numpy as np
import pytest

from sessions.findings import Finding
from sessions.model import Entity, EntityRef
from tests.diagnosis.recordings import (
    START,
    Level,
    Recording,
    cause,
    diagnosed,
    during,
    findings,
    only,
)

WAITS: dict[str, float] = {
    "cpu.ready": 14.0, "cpu.run": 60.0, "cpu.used": 55.0, "cpu.max_limited": 12.0, "cpu.costop": 0.0,
}  # fmt: skip
LIMITED: dict[str, Level] = {**WAITS}
SLOW: dict[str, Level] = {
    "disk.device_latency": 60.0, "disk.reads": 300.0, "disk.writes": 100.0, "disk.commands": 400.0,
    "disk.guest_latency": 60.0, "disk.kernel_latency": 0.0, "disk.queue_latency": 0.0, "disk.aborts": 0.0,
}  # fmt: skip
LUN = "naa.600508b4000603860000000000000001"


def capture(*names: str, levels: dict[str, Level] = LIMITED) -> Recording:
    """What esxtop says of the host: VMs by name."""
    recording = Recording("esx01", interval=5.0)
    recording.on_host({"cpu.pcpu_util": 47.0, "cpu.pcpu_used": 40.0})
    for name in names:
        recording.fact(recording.vm(name, levels), "host", recording.host.key)  # as the header states it
    return recording


class Inventory(Recording):
    """What a vCenter says of the same host: VMs by their UUID, with placement and limits."""

    def __init__(self, host: str = "esx01") -> None:
        super().__init__(host, source="vcenter", interval=20.0)
        self.on_host({"cpu.pcpu_util": 47.0, "cpu.pcpu_used": 40.0})

    def known(
        self, name: str, uuid: str, levels: dict[str, Level] = LIMITED, cluster: EntityRef | None = None
    ) -> EntityRef:
        ref = EntityRef("vm", uuid)
        self._entities.append(Entity(ref, name, cluster))
        self.has(ref, levels)
        self.fact(ref, "vcpus", 2.0)
        self.fact(ref, "cpu.limit_mhz", 1000.0)
        self.fact(ref, "host", self.host.key)
        return ref


def named(found: list[Finding], problem: str) -> list[tuple[str, str]]:
    return sorted((one.entity_name, one.entity.key) for one in found if one.problem == problem)


def test_a_vm_of_both_has_each_finding_once() -> None:
    inventory = Inventory()
    inventory.known("db01", "uuid-1")
    inventory.known("web01", "uuid-2")
    found = findings(capture("db01", "web01"), inventory)
    assert named(found, "cpu.limit") == [("db01", "uuid-1"), ("web01", "uuid-2")]


def test_evidence_is_named_by_its_source() -> None:
    inventory = Inventory()
    inventory.known("db01", "uuid-1")
    found = only(capture("db01"), inventory, problem="cpu.limit")
    assert len(found.evidence) > len(only(capture("db01"), problem="cpu.limit").evidence)


def test_what_only_the_inventory_knows_decides_causes_of_what_esxtop_saw() -> None:
    """How long a snapshot has been there stands in the vCenter; a capture alone knows of none."""
    inventory = Inventory()
    ref = inventory.known("db01", "uuid-1", {"cpu.ready": 0.5})
    inventory.fact(ref, "snapshots", 6.0)
    esxtop = capture()
    vm = esxtop.vm("db01", {"cpu.ready": 0.5})
    reads: dict[str, Level] = {"vdisk.reads": 90.0, "vdisk.writes": 40.0, "vdisk.latency_read": 2.0}
    esxtop.add("vdisk", "scsi0:0", reads, parent=vm)
    found = only(esxtop, inventory, problem="storage.snapshots")
    assert found.entity == EntityRef("vm", "uuid-1")
    assert cause(found, "snapshot_chain").verdict == "likely"


def test_who_is_connected_to_a_vcenter_is_not_told_to_connect() -> None:
    """What its vCenter did not tell is looked up there; a capture alone is sent to one."""
    alone = cause(only(capture("db01"), problem="cpu.limit"), "vm_limit").because
    assert alone.endswith(
        "record esxtop of esx01 again, with -a, or connect to vCenter (config.cpuAllocation.limit)."
    )
    both = cause(only(capture("db01"), Inventory(), problem="cpu.limit"), "vm_limit").because
    assert both.endswith(
        "record esxtop of esx01 again, with -a, or look in the vSphere Client "
        "(this session has nothing of it from its vCenter; config.cpuAllocation.limit)."
    )
    assert alone.partition(":")[0] == both.partition(":")[0]


def test_nobody_is_told_to_record_what_is_recorded() -> None:
    """A capture with -a has limits of memory; what it does not tell, another one would not tell either."""
    full = capture()
    full.vm("db01", {"cpu.max_limited": 8.0, "cpu.ready": 8.5, "cpu.run": 50.0, "mem.alloc_max": -1.0})
    said = cause(only(full, problem="cpu.limit"), "vm_limit").because
    assert said == (
        "Alloc Max (AMAX) would decide, which esxtop of esx01 does not tell: "
        "connect to vCenter (config.cpuAllocation.limit)."
    )
    full = capture()
    levels = {"cpu.run": 50.0, "numa.local_pct": 60.0, "numa.remote": 2_000.0, "mem.alloc_max": -1.0}
    full.vm("db01", levels)
    said = cause(only(full, problem="numa.remote_memory"), "recent_migration").because
    assert said == "NUMA migrations (NMIG) would decide, which esxtop of esx01 does not tell."


def test_a_vcenter_alone_is_told_which_host_s_esxtop_to_record() -> None:
    inventory = Inventory()
    inventory.known("db01", "uuid-1", {"cpu.ready": 12.0})
    said = cause(only(inventory, problem="cpu.ready_high"), "power_management").because
    assert said == (
        "A/MPERF would decide: record esxtop of esx01 (esxtop://, or esxtop -b -a there), "
        "or read the host's power policy in vCenter."
    )


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("esx01 [old", "esx01 [old"), ("esx[01]", "esx[01]"), ("(a", "(a"), ("a\ue001b", "a�b"),
        ("\ue003a\ue002", "�a�"), ("x" * 1_000_000, "x" * 299 + "…"),
    ],
)  # fmt: skip
def test_a_name_does_not_change_the_sentence_that_it_stands_in(name: str, shown: str) -> None:
    """Whatever brackets and marks a template is put together with."""
    inventory = Inventory()
    inventory.known("db01", "uuid-1", {"cpu.ready": 12.0})
    inventory.fact(inventory.host, "name", name)
    said = cause(only(inventory, problem="cpu.ready_high"), "power_management").because
    assert said == (
        f"A/MPERF would decide: record esxtop of {shown} (esxtop://, or esxtop -b -a there), "
        "or read the host's power policy in vCenter."
    )


def test_two_of_one_name_stay_apart() -> None:
    """Nobody knows which is which: no finding is taken for the other's."""
    inventory = Inventory()
    inventory.known("db01", "uuid-1", {"cpu.ready": 0.5})
    inventory.known("db01", "uuid-2", {"cpu.ready": 0.5})
    found = findings(capture("db01"), inventory, problem="cpu.limit")
    assert [one.entity.key for one in found] == ["esx01/vm/db01"]


def test_one_of_that_name_on_another_host_is_another() -> None:
    inventory = Inventory("esx02")
    inventory.known("db01", "uuid-1")
    found = findings(capture("db01"), inventory)
    assert named(found, "cpu.limit") == [("db01", "esx01/vm/db01"), ("db01", "uuid-1")]


def test_one_that_was_renamed_meanwhile_is_still_the_same() -> None:
    """A capture calls it as it was called when esxtop was started."""
    inventory = Inventory()
    ref = inventory.known("db01", "uuid-1")
    inventory.fact(ref, "name", "erp-db01", from_s=300.0)
    assert named(findings(capture("db01"), inventory), "cpu.limit") == [("erp-db01", "uuid-1")]


def test_one_that_got_the_name_of_another_is_not_taken_for_it() -> None:
    inventory = Inventory()
    inventory.known("db01", "uuid-1")
    inventory.fact(inventory.known("db02", "uuid-2"), "name", "db01", from_s=300.0)
    found = named(findings(capture("db01"), inventory), "cpu.limit")
    assert [key for _, key in found if key.startswith("esx01/vm/")]


def test_hosts_and_devices_of_both_have_each_finding_once() -> None:
    esxtop, inventory = capture("db01", levels={"cpu.ready": 0.5}), Inventory()
    esxtop.shared(LUN, SLOW)
    device = inventory.shared(LUN, {})
    inventory.has(device, SLOW, "esx01")
    found = findings(esxtop, inventory)
    assert named(found, "storage.device_latency") == [(LUN, LUN)]


def test_the_users_of_a_device_count_once() -> None:
    """What VMs send to a LUN was twice what reaches it."""
    rates: dict[str, Level] = {"disk.reads": 150.0, "disk.writes": 50.0, "disk.commands": 200.0}
    esxtop, inventory = capture(), Inventory()
    quick = SLOW | {"disk.device_latency": during(300, 1100, 60.0, 2.0), "disk.guest_latency": 60.0}
    for name, uuid in (("db01", "uuid-1"), ("web01", "uuid-2")):
        esxtop.has(esxtop.vm(name, {"cpu.ready": 0.5}), rates, LUN)
        inventory.has(inventory.known(name, uuid, {"cpu.ready": 0.5}), rates, LUN)
    esxtop.shared(LUN, quick)
    found = only(esxtop, inventory, problem="storage.device_latency")
    told = cause(found, "storage_vmotion").because
    assert told.endswith("(400 /s) comes from them (VMs that are listed: 400 /s).")


def test_a_host_that_a_capture_told_of_first_is_in_its_cluster() -> None:
    """A host's own counters know no cluster: what is judged of the cluster was lost beside a capture."""
    full: dict[str, Level] = {"cpu.pcpu_util": 99.0, "cpu.pcpu_used": 99.0}
    short: dict[str, Level] = {"cpu.ready": 25.0, "cpu.run": 60.0, "cpu.max_limited": 0.0}

    def vcenter(cluster: EntityRef) -> Inventory:
        inventory = Inventory()
        inventory.on_host(full)
        inventory.fact(inventory.cluster(cluster.key), "drs.behavior", "manual")
        for number in range(3):
            inventory.known(f"db0{number}", f"uuid-{number}", short, cluster)
        inventory.another_host("esx02", {"cpu.pcpu_util": 10.0, "cpu.pcpu_used": 10.0}, cluster)
        return inventory

    cluster = EntityRef("cluster", "Cluster-01")
    esxtop = Recording("esx01", interval=5.0)
    esxtop.on_host(full)
    found = findings(esxtop, vcenter(cluster), problem="cluster.imbalance")
    assert [one.entity for one in found] == [cluster]


class TestPoweredOnMeanwhile:
    """A VM that was switched on in the middle of a recording is judged from its own first sample on."""

    def recording(self, on_at_s: float, *, bad: bool = True) -> Recording:
        recording = Recording("esx01", source="vcenter", interval=20.0, seconds=3600.0)
        recording.on_host({"cpu.pcpu_util": 47.0, "cpu.pcpu_used": 40.0})
        levels = WAITS if bad else WAITS | {"cpu.max_limited": 0.0, "cpu.ready": 0.5}
        there = recording.seconds >= on_at_s
        recording.vm(
            "late01", {one: np.where(there, level, np.nan).tolist() for one, level in levels.items()}
        )
        return recording

    def test_it_is_found_from_its_first_sample_on(self) -> None:
        for on_at_s in (600.0, 3000.0, 3300.0):
            found = only(self.recording(on_at_s), problem="cpu.limit")
            assert (found.windows[0].start - START) / 1000 == on_at_s
            assert found.share == 1.0, "all of the time that it was there"

    def test_that_it_was_off_before_is_no_lack_of_samples(self) -> None:
        told = diagnosed(self.recording(3000.0, bad=False))
        assert [one.problem for one in told.findings] == []
        (check,) = [one for one in told.verdict.checks if one.problem == "cpu.limit"]
        assert (check.verdict, check.entities, check.judged) == ("not found", 1, 1)
