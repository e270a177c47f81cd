"""Resource pools: the pool that holds its VMs back is named, and its VMs follow from it."""

from __future__ import annotations

from collections.abc import Mapping

from sessions.model import EntityRef
from tests.diagnosis.recordings import Level, Recording, cause, diagnosed, findings, only, verdicts

QUIET: dict[str, Level] = {
    "cpu.run": 30.0, "cpu.used": 30.0, "cpu.ready": 0.5, "cpu.max_limited": 0.0,
    "mem.consumed": 3_000.0, "mem.balloon": 0.0, "mem.balloon_target": 0.0, "mem.swap_write": 0.0,
}  # fmt: skip


class Site(Recording):
    """One host of a vCenter with pools."""

    def __init__(self) -> None:
        super().__init__(interval=20.0, source="vcenter")
        self.on_host({"cpu.pcpu_util": 30.0, "cpu.pcpu_used": 50.0, "mem.state": 0.0})

    def pool(
        self, name: str, facts: Mapping[str, float] | None = None, parent: EntityRef | None = None
    ) -> EntityRef:
        ref = self.add("pool", name, {}, parent=parent)
        for fact, value in {"cpu.shares": 4_000.0, **(facts or {})}.items():
            self.fact(ref, fact, value)
        return ref

    def member(self, pool: EntityRef, name: str, limit: float | None = None, **levels: Level) -> EntityRef:
        given = {name_.replace("_", ".", 1): level for name_, level in levels.items()}
        vm = self.vm(name, {**QUIET, **given})
        self.fact(vm, "pool", pool.key)
        self.fact(vm, "cpu.shares", 2_000.0)
        self.fact(vm, "mem.size_mb", 4_096.0)
        if limit is not None:
            self.fact(vm, "cpu.limit_mhz", limit)
        return vm


def held_back() -> tuple[Site, EntityRef]:
    site = Site()
    silver = site.pool("Silver", {"cpu.limit_mhz": 6_000.0})
    for name in ("a", "b"):
        site.member(silver, name, cpu_max_limited=12.0, cpu_ready=13.0)
    site.member(site.pool("Gold"), "c")
    return site, silver


def test_the_pool_is_named_and_its_vms_follow_from_it() -> None:
    site, silver = held_back()
    found = only(site, problem="pool.cpu")
    assert (found.entity, found.entity_name, found.severity) == (silver, "Silver", "critical")
    assert "6 GHz" in found.conclusion
    assert "2 of its 2 VMs" in found.conclusion
    held = findings(site, problem="cpu.limit")
    assert [one.consequence_of for one in held] == [("pool.cpu", silver)] * 2
    assert all(one.remedies == () for one in held)


def test_a_pool_inside_the_limited_one_is_held_back_too() -> None:
    site = Site()
    outer = site.pool("Outer", {"cpu.limit_mhz": 6_000.0})
    site.member(site.pool("Inner", parent=outer), "a", cpu_max_limited=12.0, cpu_ready=13.0)
    assert only(site, problem="pool.cpu").entity == outer
    assert only(site, problem="cpu.limit").consequence_of == ("pool.cpu", outer)


def test_a_vm_with_a_limit_of_its_own_is_not_its_pools_fault() -> None:
    site = Site()
    site.member(site.pool("Silver", {"cpu.limit_mhz": 60_000.0}), "a", 1_000.0, cpu_max_limited=12.0)
    assert not findings(site, problem="pool.cpu")
    assert only(site, problem="cpu.limit").consequence_of is None


def test_a_pool_without_a_limit_is_judged_and_fine() -> None:
    site = Site()
    site.member(site.pool("Gold"), "a")
    checks = {one.problem: one for one in diagnosed(site).verdict.checks}
    assert (checks["pool.cpu"].verdict, checks["pool.cpu"].judged) == ("not found", 1)


def test_without_an_inventory_there_is_no_pool_to_judge() -> None:
    recording = Recording()
    recording.vm("web01", QUIET)
    checks = {one.problem: one for one in diagnosed(recording).verdict.checks}
    assert checks["pool.cpu"].verdict == "not applicable"


def test_a_memory_limit_of_a_pool() -> None:
    site = Site()
    silver = site.pool("Silver", {"mem.limit_mb": 6_200.0})
    for name in ("a", "b"):
        site.member(silver, name, mem_balloon=900.0, mem_balloon_target=900.0)
    found = only(site, problem="pool.memory_limit")
    assert (found.entity, found.causes[0].cause) == (silver, "pool_limit")
    roomy = Site()
    gold = roomy.pool("Gold", {"mem.limit_mb": 60_000.0})
    roomy.member(gold, "a", mem_balloon=900.0, mem_balloon_target=900.0)
    assert not findings(roomy, problem="pool.memory_limit")


def test_what_a_full_pool_swapped_is_read_back_because_of_it() -> None:
    """Its host has room: "an earlier shortage" is that of the pool, which goes on."""
    site = Site()
    silver = site.pool("Silver", {"mem.limit_mb": 6_200.0})
    for name in ("a", "b"):
        reads = 0.2 if name == "a" else 0.0
        site.member(
            silver, name, mem_balloon=900.0, mem_balloon_target=900.0,
            mem_swapped=300.0, mem_swap_read=reads, mem_swap_write=0.0,
        )  # fmt: skip
    full = only(site, problem="pool.memory_limit")
    back = only(site, problem="mem.swapping")
    assert back.causes[0].cause in ("recovering", "pool_limit")
    assert (back.consequence_of, back.remedies) == ((full.problem, full.entity), ())
    assert all(one.threshold is None for one in full.evidence if one.what == "Memory limit of the pool")


def diluted(vms: int) -> Site:
    """Two VMs in a pool of normal shares, and so many in one of high shares, which wait."""
    site = Site()
    high = site.pool("High", {"cpu.shares": 8_000.0})
    for number in range(vms):
        site.member(high, f"hi{number}", cpu_ready=12.0)
    normal = site.pool("Normal", {"cpu.shares": 4_000.0})
    for number in range(2):
        site.member(normal, f"no{number}")
    return site


def test_a_pool_that_divides_its_shares_among_many() -> None:
    """Six VMs with 8,000 shares get 1,333 each, two with 4,000 get 2,000 (Denneman's numbers)."""
    found = next(one for one in findings(diluted(6), problem="cpu.ready_high") if one.entity_name == "hi0")
    first = found.causes[0]
    assert (first.cause, first.verdict) == ("share_dilution", "likely")
    assert "8,000 shares for the 6" in first.because
    assert verdicts(found)["low_shares"] == "ruled out"


def test_a_pool_with_enough_for_all_is_not_blamed() -> None:
    found = next(one for one in findings(diluted(3), problem="cpu.ready_high") if one.entity_name == "hi0")
    assert cause(found, "share_dilution").verdict == "ruled out"


def test_vms_that_vsphere_runs_for_itself_are_no_workload() -> None:
    site = Site()
    pool = site.pool("Gold")
    for name in ("vCLS (1)", "vCLS-4c4c4544-0036-3510-8056-b6c04f4d3132"):
        site.member(pool, name, cpu_ready=30.0)
    agent = site.member(pool, "agent", cpu_ready=30.0)
    site.fact(agent, "managed_by", "com.vmware.vim.eam")
    assert not findings(site)
    site.member(pool, "vCLSish", cpu_ready=30.0)
    assert [one.entity_name for one in findings(site, problem="cpu.ready_high")] == ["vCLSish"]


class TestAPowerOnThatFailedForWantOfMemory:
    REFUSED = "The available memory resources in the parent resource pool are insufficient for the operation."

    def site(self, text: str) -> Site:
        site = Site()
        gold = site.pool("Gold", {"mem.reservation_mb": 131_072.0, "mem.reservation_expandable": 0.0})
        for name in ("a", "b"):
            site.fact(site.member(gold, name), "mem.reservation_mb", 65_536.0)
        site.member(site.pool("Silver"), "c")
        off = site.add("vm", "sql09", {})
        site.fact(off, "pool", gold.key)
        site.event(off, "power", text, 300)
        return site

    def test_its_pool_is_told_with_what_is_reserved_there(self) -> None:
        found = only(self.site(f"Power on of sql09 failed: {self.REFUSED}"), problem="pool.memory_limit")
        assert (found.entity_name, found.severity) == ("Gold", "warning")
        told = cause(found, "reservations_full")
        assert told.verdict == "likely"
        assert "reserve 128 GB of its 128 GB" in told.because
        assert "not expandable" in told.because
        assert found.remedies[0].startswith("Lower the memory reservations of VMs in pool Gold")

    def test_a_power_on_that_failed_for_a_locked_file_is_no_matter_of_memory(self) -> None:
        assert not findings(
            self.site("Power on of sql09 failed: file is locked"), problem="pool.memory_limit"
        )
