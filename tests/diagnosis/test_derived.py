"""What vCenter does not count but what follows: counters and facts made of others, samples and bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from diagnosis.derived import with_derived
from diagnosis.members import MemberBook
from diagnosis.topology import Topology
from resources.derived_counters import DerivedCounter, DerivedFact, DerivedFile
from resources.failures import KnowledgeError
from resources.problem_cards import Signal, load_problems
from sessions.model import (
    Entity,
    EntityRef,
    Fact,
    FloatArray,
    SampleSource,
    SeriesSpec,
    SourceKind,
    SourceSpec,
)
from sessions.times import TimeRange
from tests.diagnosis.recordings import Recording, diagnosed
from tests.sessions.memory_session import MemorySession

START = 1_790_000_000_000
WINDOW = TimeRange(START, START + 120_000)
HOSTS = tuple(EntityRef("host", f"esx{n}") for n in (1, 2))
CLUSTER = EntityRef("cluster", "c")
VM = EntityRef("vm", "v1")
DISK = EntityRef("vdisk", "v1/scsi0:0")
OTHER_DISK = EntityRef("vdisk", "v1/scsi0:1")
LUN = EntityRef("device", "naa.1")
STORE = EntityRef("datastore", "ds:///1")
ENTITIES = (
    *(Entity(host, host.key, CLUSTER) for host in HOSTS), Entity(CLUSTER, "c"), Entity(VM, "db01", CLUSTER),
    Entity(DISK, "scsi0:0", VM), Entity(OTHER_DISK, "scsi0:1", VM), Entity(LUN, "naa.1"),
    Entity(STORE, "nfs01"),
)  # fmt: skip
Samples = Mapping[tuple[EntityRef, str, str], Sequence[float]]


def session(samples: Samples, facts: Sequence[Fact] = (), kind: SourceKind = "vcenter") -> MemorySession:
    """Series by entity, counter and instance, sampled every 20 s."""
    count = max(len(values) for values in samples.values())
    times = START + 20_000 * np.arange(count, dtype=np.int64)
    specs = [SeriesSpec(ref, counter, "", instance) for ref, counter, instance in samples]
    found = MemorySession()
    found.add_source(
        SourceSpec(kind, "vc01", 20.0), times, specs, np.array(list(samples.values())).T, entities=ENTITIES,
        facts=facts,
    )  # fmt: skip
    return found


def values_of(source: SampleSource, counter: str, ref: EntityRef, instance: str = "") -> FloatArray:
    (series,) = [
        one for one in source.series([counter]) if one.entity == ref and one.spec.instance == instance
    ]
    (frame,) = source.read(np.array([series.id]))
    stats = source.stats(np.array([series.id]))
    values = frame.values[:, 0]
    known = values[~np.isnan(values)]
    if known.size:
        assert stats.minimum[0] <= known.min()
        assert stats.maximum[0] >= known.max()
    return values


def shipped(found: MemorySession, *counters: str) -> SampleSource:
    return with_derived(found, load_problems().derived, counters, WINDOW)


def test_a_disk_s_commands_are_its_reads_and_writes() -> None:
    found = session({(DISK, "vdisk.reads", ""): [10, np.nan, 30], (DISK, "vdisk.writes", ""): [1, 2, 3]})
    assert values_of(shipped(found, "vdisk.commands"), "vdisk.commands", DISK) == pytest.approx(
        [11, np.nan, 33], nan_ok=True
    )


def test_what_is_there_is_not_derived_again() -> None:
    found = session({
        (DISK, "vdisk.reads", ""): [10], (DISK, "vdisk.writes", ""): [1], (DISK, "vdisk.commands", ""): [99],
    })  # fmt: skip
    assert values_of(shipped(found, "vdisk.commands"), "vdisk.commands", DISK) == [99]


def test_esxtop_s_sessions_are_left_as_they_are() -> None:
    found = session({(DISK, "vdisk.reads", ""): [10], (DISK, "vdisk.writes", ""): [1]}, kind="esxtop")
    assert shipped(found, "vdisk.commands") is found


def test_a_vm_s_load_of_a_device_is_that_of_its_disks_there() -> None:
    found = session(
        {(disk, f"vdisk.{way}", ""): [10] for disk in (DISK, OTHER_DISK) for way in ("reads", "writes")},
        [
            Fact(VM, "vdisk.scsi0:0.datastore", STORE.key, START),
            Fact(VM, "vdisk.scsi0:1.datastore", "elsewhere", START),
            Fact(LUN, "device.datastore", STORE.key, START),
        ],
    )
    source = shipped(found, "disk.commands", "vdisk.commands")
    assert values_of(source, "disk.commands", VM, "naa.1") == [20]
    assert values_of(source, "vdisk.commands", VM) == [40]


def test_a_disk_that_moved_loads_each_device_while_it_lay_there() -> None:
    other_lun, other_store = EntityRef("device", "naa.2"), EntityRef("datastore", "ds:///2")
    moved = START + 40_000
    found = session(
        {(DISK, "vdisk.reads", ""): [10, np.nan, 30, 40], (DISK, "vdisk.writes", ""): [1, 2, 3, 4]},
        [
            Fact(VM, "vdisk.scsi0:0.datastore", STORE.key, START),
            Fact(VM, "vdisk.scsi0:0.datastore", other_store.key, moved),
            Fact(LUN, "device.datastore", STORE.key, START),
            Fact(other_lun, "device.datastore", other_store.key, START),
        ],
    )
    source = shipped(found, "disk.commands", "vdisk.commands")
    before = values_of(source, "disk.commands", VM, "naa.1")
    after = values_of(source, "disk.commands", VM, "naa.2")
    assert before == pytest.approx([11, np.nan, 0, 0], nan_ok=True)
    assert after == pytest.approx([0, np.nan, 33, 44], nan_ok=True)


def test_little_s_law_gives_what_is_at_a_device_and_what_waits() -> None:
    seen_by = HOSTS[0].key
    found = session({
        (LUN, "disk.commands", seen_by): [2000], (LUN, "disk.device_latency", seen_by): [16],
        (LUN, "disk.queue_latency", seen_by): [4],
    })  # fmt: skip
    source = shipped(found, "disk.active", "disk.queued")
    assert values_of(source, "disk.active", LUN, seen_by) == [32]
    assert values_of(source, "disk.queued", LUN, seen_by) == [8]


@pytest.mark.parametrize(("type_", "made"), [("NFS", 1), ("NFS41", 1), ("VMFS", 0)])
def test_only_nfs_has_latency_of_its_own(type_: str, made: int) -> None:
    names = ("nfs.reads", "nfs.writes", "nfs.latency_read", "nfs.latency_write")
    found = session(
        {(STORE, name, HOSTS[0].key): [level] for name, level in zip(names, (30, 10, 20, 40), strict=True)},
        [Fact(STORE, "datastore.type", type_, START)],
    )
    source = shipped(found, "nfs.latency")
    assert len(source.series(["nfs.latency"])) == made
    if made:
        assert values_of(source, "nfs.latency", STORE, HOSTS[0].key) == [25]


def test_dropped_packets_are_a_share_and_none_where_there_are_no_packets() -> None:
    port = EntityRef("nic", "esx1/vmnic0")
    found = MemorySession()
    times = START + 20_000 * np.arange(3, dtype=np.int64)
    specs = [SeriesSpec(port, "net.dropped_rx", "/s"), SeriesSpec(port, "net.packets_rx", "/s")]
    found.add_source(
        SourceSpec("esxi", "esx1", 20.0), times, specs, np.array([[1.0, 99], [0, 0], [0, 5]]),
        entities=[Entity(port, "vmnic0", None)],
    )  # fmt: skip
    assert values_of(shipped(found, "net.drops_rx"), "net.drops_rx", port) == pytest.approx(
        [1, np.nan, 0], nan_ok=True
    )


def test_a_limit_is_a_series_that_follows_its_facts() -> None:
    facts = [
        Fact(VM, "mem.size_mb", 8192.0, START),
        Fact(VM, "cpu.shares", 2000.0, START),
        Fact(VM, "cpu.limit_mhz", 1000.0, START + 40_000, START + 60_000),
        Fact(VM, "cpu.limit_mhz", 3000.0, START + 60_000),
    ]
    source = shipped(
        session({(VM, "cpu.ready", ""): [1, 1, 1, 1, 1]}, facts),
        "cpu.ready",
        "cpu.alloc_max",
        "mem.alloc_max",
    )
    assert values_of(source, "cpu.alloc_max", VM).tolist() == [1000, 1000, 1000, 3000, 3000]
    assert values_of(source, "mem.alloc_max", VM).tolist() == [-1] * 5


def test_without_an_inventory_nothing_is_said_to_be_unlimited() -> None:
    source = shipped(session({(VM, "cpu.ready", ""): [1]}), "cpu.ready", "cpu.alloc_max")
    assert not source.series(["cpu.alloc_max"])


def said(source: SampleSource, name: str) -> dict[EntityRef, object]:
    return {fact.entity: fact.value for fact in source.facts() if fact.name == name}


def test_the_smallest_limit_of_the_pools_above_holds() -> None:
    outer, inner = EntityRef("pool", "outer"), EntityRef("pool", "inner")
    free = EntityRef("vm", "v2")
    found = MemorySession()
    found.add_source(
        SourceSpec("vcenter", "vc01", 20.0), np.array([START], np.int64), [SeriesSpec(VM, "cpu.ready", "%")],
        np.array([[1.0]]),
        entities=[
            Entity(outer, "outer", CLUSTER), Entity(inner, "inner", outer), *ENTITIES,
            Entity(free, "web", CLUSTER),
        ],
        facts=[
            Fact(outer, "cpu.limit_mhz", 4000.0, START), Fact(inner, "cpu.limit_mhz", 9000.0, START),
            Fact(VM, "pool", "inner", START), Fact(VM, "cpu.shares", 2000.0, START),
            Fact(free, "cpu.shares", 2000.0, START),
        ],
    )  # fmt: skip
    limits = said(shipped(found, "cpu.ready"), "pool.cpu_limit_mhz")
    assert (limits[VM], limits[free]) == (4000.0, -1.0)


LATE = START + 400_000
"""Later than an inventory takes to be read."""


def over_time(source: SampleSource, name: str, ref: EntityRef) -> list[tuple[object, int, int | None]]:
    """What a fact was when."""
    return [
        (one.value, one.start, one.end) for one in source.facts() if one.name == name and one.entity == ref
    ]


def test_the_limit_of_a_vm_s_pools_changes_with_them_and_with_the_vm_s_pool() -> None:
    low, high = EntityRef("pool", "low"), EntityRef("pool", "high")
    facts = [
        Fact(VM, "cpu.shares", 2000.0, START), Fact(VM, "pool", "low", START, LATE),
        Fact(VM, "pool", "high", LATE), Fact(low, "cpu.limit_mhz", 900.0, START),
        Fact(low, "cpu.shares", 4000.0, START), Fact(high, "cpu.shares", 4000.0, START),
        Fact(high, "cpu.limit_mhz", 5000.0, LATE + 60_000, LATE + 90_000),
    ]  # fmt: skip
    found = session({(VM, "cpu.ready", ""): [1.0] * 30}, facts)
    source = with_derived(found, load_problems().derived, ["cpu.ready"], TimeRange(START, LATE + 120_000))
    assert over_time(source, "pool.cpu_limit_mhz", VM) == [
        (900.0, START, LATE),
        (-1.0, LATE, LATE + 60_000),
        (5000.0, LATE + 60_000, LATE + 90_000),
        (-1.0, LATE + 90_000, None),
    ]


def test_of_a_disk_s_limits_the_lower_one_holds_at_each_time() -> None:
    name = "vdisk.scsi0:0."
    facts = [
        Fact(VM, f"{name}limit_iops", 500.0, START, LATE), Fact(VM, f"{name}limit_iops", 3000.0, LATE),
        Fact(VM, f"{name}policy_limit_iops", 1000.0, START + 30_000),
        Fact(VM, "vdisk.scsi0:1.limit_iops", 700.0, LATE),
    ]  # fmt: skip
    found = session({(DISK, "vdisk.reads", ""): [1.0] * 30}, facts)
    source = with_derived(found, load_problems().derived, ["vdisk.reads"], TimeRange(START, LATE + 60_000))
    assert over_time(source, "limit_iops", DISK) == [(500.0, START, LATE), (1000.0, LATE, None)]
    assert over_time(source, "limit_iops", OTHER_DISK) == [(700.0, LATE, None)]
    assert over_time(source, "vdisk.iops_limit", VM) == [(1000.0, START, LATE), (3000.0, LATE, None)]
    seen = Topology(source, ["vdisk.reads"], TimeRange(START, LATE + 60_000))
    before, after = seen.facts.over_time("limit_iops", [OTHER_DISK], np.array([START, LATE]))[0].tolist()
    assert np.isnan(before)  # its VM was told of long before: nobody had set it
    assert after == 700.0


def test_a_fact_that_changes_a_thousand_times_is_that_many_values() -> None:
    """A session is untrusted: what follows from such a fact takes no time that grows faster than it."""
    changes = [
        Fact(VM, "tools", ("guestToolsRunning", "guestToolsNotRunning")[n % 2], START + n)
        for n in range(2000)
    ]
    pools = [Fact(VM, "pool", str(n % 7), START + n) for n in range(2000)]
    limits = [Fact(EntityRef("pool", str(n)), "cpu.limit_mhz", 100.0 + n, START) for n in range(7)]
    told = sorted(
        [*changes, *pools, *limits, Fact(VM, "cpu.shares", 1.0, START)], key=lambda fact: fact.start
    )
    source = with_derived(
        session({(VM, "cpu.ready", ""): [1.0] * 3}, told), load_problems().derived, ["cpu.ready"], WINDOW
    )
    assert len(over_time(source, "tools.running", VM)) == 2000
    assert len(over_time(source, "pool.cpu_limit_mhz", VM)) == 2000


def test_pools_divide_their_shares() -> None:
    """Six VMs in a pool of 8,000 have less each than two in one of 4,000 (the numbers of Frank Denneman)."""
    pools = [EntityRef("pool", name) for name in ("high", "normal")]
    vms = [EntityRef("vm", f"v{n}") for n in range(8)]
    facts = [
        Fact(pool, "cpu.shares", level, START) for pool, level in zip(pools, (8000.0, 4000.0), strict=True)
    ]
    for number, vm in enumerate(vms):
        pool = pools[0] if number < 6 else pools[1]
        facts += [Fact(vm, "cpu.shares", 1000.0, START), Fact(vm, "pool", pool.key, START)]
    found = MemorySession()
    found.add_source(
        SourceSpec("vcenter", "vc01", 20.0), np.array([START], np.int64),
        [SeriesSpec(vms[0], "cpu.ready", "%")], np.array([[1.0]]),
        entities=[Entity(ref, ref.key) for ref in (*pools, *vms)], facts=facts,
    )  # fmt: skip
    counted = said(shipped(found, "cpu.ready"), "cpu.shares_in_pools")
    assert counted[vms[0]] == pytest.approx(8000 / 6)
    assert counted[vms[7]] == pytest.approx(2000)


def test_pools_in_a_circle_come_to_an_end() -> None:
    first, second = EntityRef("pool", "1"), EntityRef("pool", "2")
    facts = [
        Fact(VM, "pool", "1", START),
        *(Fact(ref, "cpu.shares", 5.0, START) for ref in (VM, first, second)),
    ]
    found = MemorySession()
    found.add_source(
        SourceSpec("vcenter", "vc01", 20.0), np.array([START], np.int64), [SeriesSpec(VM, "cpu.ready", "%")],
        np.array([[1.0]]), entities=[Entity(VM, "v"), Entity(first, "1", second), Entity(second, "2", first)],
        facts=facts,
    )  # fmt: skip
    assert said(shipped(found, "cpu.ready"), "pool.cpu_limit_mhz") == dict.fromkeys((VM, first, second), -1.0)


def test_words_and_lists_become_numbers() -> None:
    facts = [
        Fact(VM, "tools", "guestToolsNotRunning", START), Fact(VM, "cpu.affinity", "12, 13,14", START),
        Fact(HOSTS[0], "power_policy", "dynamic", START), Fact(HOSTS[1], "power_policy", "custom", START),
    ]  # fmt: skip
    source = shipped(session({(VM, "cpu.ready", ""): [1]}, facts), "cpu.ready")
    assert said(source, "tools.running") == {VM: 0.0}
    assert said(source, "cpu.affinity_pcpus") == {VM: 3.0}
    assert said(source, "power.saving") == {HOSTS[0]: 1.0}


def test_a_wrong_expression_names_its_counter() -> None:
    rule = DerivedCounter(counter="x.y", entities=["vm"], expr="a +", source="s", counters={"a": "cpu.ready"})
    with pytest.raises(KnowledgeError, match=r"x\.y"):
        with_derived(
            session({(VM, "cpu.ready", ""): [1]}), DerivedFile(["vcenter"], [], [rule]), ["x.y"], WINDOW
        )


@given(
    st.lists(st.one_of(st.just(float("nan")), st.floats(0, 1e6)), min_size=1, max_size=8),
    st.lists(st.one_of(st.just(float("nan")), st.floats(0, 1e6)), min_size=8, max_size=8),
    st.sampled_from(
        ["a + b", "a - b", "max(a - b, 0)", "a * b / 1000", "where(a > b, a, unknown)", "coalesce(a, b)"]
    ),
)
@example([1.691662047162327e-117], [1.691662047162327e-117] * 8, "a * b / 1000")
def test_bounds_are_never_too_narrow(a: list[float], b: list[float], expr: str) -> None:
    rule = DerivedCounter(
        counter="x.y", entities=["vm"], expr=expr, source="s", counters={"a": "cpu.ready", "b": "cpu.run"},
    )  # fmt: skip
    found = session({(VM, "cpu.ready", ""): a, (VM, "cpu.run", ""): b[: len(a)]})
    source = with_derived(found, DerivedFile(["vcenter"], [], [rule]), ["x.y"], WINDOW)
    assert values_of(source, "x.y", VM).shape == (len(a),)


def test_each_host_s_view_of_a_shared_device_is_judged_by_itself() -> None:
    found = session(
        {(LUN, "disk.commands", host.key): [level] for host, level in zip(HOSTS, (10, 20), strict=True)}
    )
    topology = Topology(found, ["disk.commands"], WINDOW)
    views = topology.rows(1, "device")
    assert [topology.base(view) for view in views] == [LUN, LUN]
    assert [topology.host(1, view) for view in views] == list(HOSTS)
    assert {topology.entity(view).name for view in views} == {"naa.1"}
    elsewhere, book = Signal(counter="disk.commands", of="elsewhere"), MemberBook(topology)
    members = book.of(elsewhere, {"value": "disk.commands"}, 1, views)
    assert members.refs == [views[1], views[0]]
    on_host = book.of(Signal(counter="disk.commands", of="host.device"), {"value": "disk.commands"}, 1, views)
    assert on_host.refs == views


def test_a_vm_is_on_the_host_where_it_was_at_the_time() -> None:
    facts = [
        Fact(VM, "host", HOSTS[0].key, START, START + 20_000),
        Fact(VM, "host", HOSTS[1].key, START + 20_000, START + 80_000),
        Fact(VM, "host", HOSTS[0].key, START + 80_000),
    ]
    found = session({(VM, "cpu.ready", ""): [1] * 6, (DISK, "vdisk.reads", ""): [1] * 6}, facts)
    topology = Topology(found, ["cpu.ready", "vdisk.reads"], TimeRange(START, START + 100_000))
    for ref in (VM, DISK):
        assert topology.host(1, ref) == HOSTS[1]  # most of the window
        assert topology.host(1, ref, [TimeRange(START, START + 9_000)]) == HOSTS[0]
        assert topology.host(1, ref, [TimeRange(START + 90_000, START + 90_000)]) == HOSTS[0]
    early = Topology(found, ["cpu.ready", "vdisk.reads"], TimeRange(START, START + 10_000))
    assert early.host(1, VM) == HOSTS[0]
    assert early.below(1, HOSTS[1], "vm") == ()
    assert [placed.periods for placed in early.below(1, HOSTS[0], "vm")] == [None]


def test_every_shipped_rule_says_who_says_so() -> None:
    problems = load_problems()
    rules: list[DerivedCounter | DerivedFact] = [*problems.derived.counters, *problems.derived.facts]
    for rule in rules:
        tag = rule.source.partition(":")[0]
        assert tag in problems.sources or tag.startswith("measured in"), rule


def test_an_inventory_whose_only_fact_held_for_no_time_is_as_if_it_told_nothing() -> None:
    recording = Recording(source="vcenter", seconds=1200)
    vm = recording.vm("web01", {"cpu.ready": 0.5})
    recording.fact(vm, "cpu.shares", 1000.0, 900.0, 900.0)
    assert not diagnosed(recording).findings
