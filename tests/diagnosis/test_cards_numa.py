"""NUMA: memory that is far away, VMs that are moved about, and what says nothing."""

from __future__ import annotations

import numpy as np
import pytest

from sessions.model import EntityRef
from tests.diagnosis.recordings import Level, Recording, cause, diagnosed, findings, only, verdicts

VM: dict[str, Level] = {
    "cpu.run": 40.0, "mem.size": 8_192.0, "numa.local_pct": 100.0, "numa.remote": 0.0, "numa.migrations": 0.0,
}  # fmt: skip


def host(first: Level = 40.0, second: Level = 40.0) -> Recording:
    recording = Recording()
    recording.on_host({"cpu.pcpu_util": 40.0, "mem.machine": 131_072.0})
    for number in range(16):
        recording.on_host({"cpu.pcpu_util": 40.0}, str(number))
    recording.on_host({"numa.node_used": first}, "0")
    recording.on_host({"numa.node_used": second}, "1")
    return recording


def plain_host() -> Recording:
    """A host of 16 cores whose capture lacks the columns of NUMA nodes."""
    recording = Recording()
    recording.on_host({"cpu.pcpu_util": 40.0, "mem.machine": 131_072.0})
    for number in range(16):
        recording.on_host({"cpu.pcpu_util": 40.0}, str(number))
    return recording


def vm(recording: Recording, name: str, vcpus: int = 2, **levels: Level) -> EntityRef:
    given = {name_.replace("_", ".", 1): level for name_, level in levels.items()}
    return recording.vm(name, {**VM, **given}, vcpus=vcpus)


class TestRemoteMemory:
    PROBLEM = "numa.remote_memory"

    @pytest.mark.parametrize(
        ("local", "remote", "run", "severity"),
        [
            (100.0, 0.0, 40.0, None),
            (70.0, 2_400.0, 40.0, "warning"),
            (40.0, 4_900.0, 40.0, "critical"),
            (0.0, 0.0, 40.0, None),  # a host of one node prints 0
            (70.0, 100.0, 40.0, None),  # too little to matter
            (70.0, 2_400.0, 1.0, None),  # idle
        ],
    )
    def test_locality(self, local: float, remote: float, run: float, severity: str | None) -> None:
        recording = host()
        vm(recording, "db01", numa_local_pct=local, numa_remote=remote, cpu_run=run)
        assert [one.severity for one in findings(recording, problem=self.PROBLEM)] == (
            [severity] if severity else []
        )

    @pytest.mark.parametrize("knows_nodes", [True, False])
    @pytest.mark.parametrize(("local", "is_found"), [(100.0, False), (85.0, False), (55.0, True)])
    def test_all_home_nodes_of_a_wide_vm_count_as_its_own(
        self, local: float, is_found: bool, knows_nodes: bool
    ) -> None:
        recording = host() if knows_nodes else plain_host()
        vm(recording, "hana01", vcpus=12, numa_local_pct=local, numa_remote=90_000.0)
        assert bool(findings(recording, problem=self.PROBLEM)) == is_found

    def test_a_vm_that_fits_a_node_has_all_of_it_there_whatever_the_capture_tells_of_nodes(self) -> None:
        recording = plain_host()
        vm(recording, "db01", vcpus=8, numa_local_pct=55.0, numa_remote=4_000.0)
        assert findings(recording, problem=self.PROBLEM)

    def test_more_memory_than_a_node(self) -> None:
        recording = host()
        vm(recording, "db01", numa_local_pct=60.0, numa_remote=36_000.0, mem_size=90_112.0)
        found = only(recording, problem=self.PROBLEM)
        assert found.causes[0].cause == "memory_larger_than_node"
        assert "64 GB" in found.causes[0].because
        assert verdicts(found)["wider_than_node"] == "ruled out"
        assert verdicts(found)["cpu_hot_add"] == "unknown"

    def test_more_vcpus_than_a_node(self) -> None:
        recording = host()
        vm(recording, "db01", vcpus=12, numa_local_pct=30.0, numa_remote=5_200.0)
        assert only(recording, problem=self.PROBLEM).causes[0].cause == "wider_than_node"

    def test_a_wide_vm_has_the_memory_of_all_nodes_that_its_vcpus_need(self) -> None:
        recording = host()
        vm(recording, "hana01", vcpus=12, numa_local_pct=55.0, numa_remote=3_000.0, mem_size=90_112.0)
        found = only(recording, problem=self.PROBLEM)
        assert found.causes[0].cause == "wider_than_node"
        assert verdicts(found)["memory_larger_than_node"] == "ruled out"

    @pytest.mark.parametrize(
        ("vcpus", "size", "verdict"),
        [(12, 8_192.0, "likely"), (2, 90_112.0, "likely"), (2, 8_192.0, "ruled out")],
    )
    def test_hot_add_hides_nodes_from_a_vm_that_needs_more_than_one(
        self, vcpus: int, size: float, verdict: str
    ) -> None:
        recording = host()
        ref = vm(recording, "db01", vcpus, numa_local_pct=55.0, numa_remote=4_000.0, mem_size=size)
        recording.fact(ref, "cpu.hot_add", True)
        assert verdicts(only(recording, problem=self.PROBLEM))["cpu_hot_add"] == verdict

    def test_hot_add_comes_before_the_width_that_it_spoils(self) -> None:
        recording = host()
        ref = vm(recording, "db01", 12, numa_local_pct=55.0, numa_remote=4_000.0)
        recording.fact(ref, "cpu.hot_add", True)
        found = only(recording, problem=self.PROBLEM)
        assert [one.cause for one in found.causes[:2]] == ["cpu_hot_add", "wider_than_node"]

    def test_a_vcenter_beside_it_knows_the_nodes(self) -> None:
        recording = plain_host()
        recording.fact(recording.on_host({}), "numa.nodes", 2.0)
        vm(recording, "db01", vcpus=12, numa_local_pct=30.0, numa_remote=5_200.0)
        found = only(recording, problem=self.PROBLEM)
        assert found.causes[0].cause == "wider_than_node"
        assert "8 cores" in found.causes[0].because

    def test_a_vcenter_says_that_esxtop_would_tell(self) -> None:
        recording = Recording(interval=20.0, source="vcenter")
        recording.vm("db01", {"cpu.run": 40.0, "cpu.ready": 1.0})
        check = next(one for one in diagnosed(recording).verdict.checks if one.problem == self.PROBLEM)
        assert check.verdict == "insufficient data"
        assert "esxtop" in check.reason


class TestMigrations:
    PROBLEM = "numa.migrations"

    def test_moves_without_end_on_even_nodes(self) -> None:
        recording = host()
        vm(recording, "db01", numa_migrations=1.0)
        found = only(recording, problem=self.PROBLEM)
        assert (found.entity.kind, found.causes[0].cause) == ("host", "action_affinity")
        assert "db01 most" in found.conclusion

    def test_moves_because_one_node_is_full(self) -> None:
        recording = host(90.0, 40.0)
        vm(recording, "db01", numa_migrations=1.0)
        found = only(recording, problem=self.PROBLEM)
        assert found.causes[0].cause == "node_imbalance"
        assert cause(found, "action_affinity").verdict == "ruled out"

    def test_a_move_now_and_then_is_normal(self) -> None:
        recording = host()
        vm(recording, "db01", numa_migrations=lambda t: np.where(t % 120 == 0, 1.0, 0.0))
        assert not findings(recording)
