"""Facts hold in time: what was said first held before too, a later change only from then on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from diagnosis.topology import Topology
from sessions.model import Entity, EntityRef, Fact, SeriesSpec, SourceSpec
from sessions.times import TimeRange
from tests.sessions.memory_session import MemorySession

START = 1_790_000_000_000
END = START + 60_000
LATER = START + 600_000
"""Later than an inventory takes to be read."""
VM, OTHER = EntityRef("vm", "a"), EntityRef("vm", "b")


def topology(*facts: Fact, end: int = END, entities: Sequence[Entity] = ()) -> Topology:
    """The session as a window sees it that ends at ``end``."""
    found = MemorySession()
    times = START + 20_000 * np.arange(4, dtype=np.int64)
    every = (Entity(VM, "a"), Entity(OTHER, "b"), *entities)
    specs = [SeriesSpec(VM, "cpu.ready", "%"), SeriesSpec(OTHER, "cpu.ready", "%")]
    found.add_source(
        SourceSpec("vcenter", "vc01", 20.0), times, specs, np.zeros((4, 2)), entities=every, facts=facts
    )
    return Topology(found, ["cpu.ready"], TimeRange(START, end))


def told(found: Topology, name: str, *refs: EntityRef) -> list[list[float]]:
    """What a fact is at START, at END, and at LATER; one column where it never changed."""
    values: list[list[float]] = found.facts.over_time(name, refs, np.array([START, END, LATER])).tolist()
    return values


def test_what_a_back_filling_recorder_learned_after_the_samples_holds_for_them() -> None:
    late = topology(Fact(VM, "vcpus", 4.0, END + 5_000), Fact(OTHER, "vcpus", 2.0, END + 5_000))
    assert told(late, "vcpus", VM, OTHER) == [[4.0], [2.0]]


def test_a_change_counts_only_from_when_it_was_made() -> None:
    facts = (
        Fact(VM, "vcpus", 4.0, START),
        Fact(VM, "cpu.limit_mhz", 2_000.0, LATER),
        Fact(VM, "vcpus", 8.0, LATER),
        Fact(OTHER, "vcpus", 1.0, START),
    )
    before, after = topology(*facts), topology(*facts, end=LATER)
    assert told(before, "vcpus", VM) == [[4.0]]
    assert np.isnan(told(before, "cpu.limit_mhz", VM)).all()
    assert told(after, "vcpus", VM, OTHER) == [[4.0, 4.0, 8.0], [1.0, 1.0, 1.0]]
    assert told(after, "vcpus", OTHER) == [[1.0]]
    never, now = told(after, "cpu.limit_mhz", VM)[0][:2], told(after, "cpu.limit_mhz", VM)[0][2]
    assert np.isnan(never).all()
    assert now == 2_000.0


def test_what_an_inventory_tells_a_little_later_than_the_rest_was_so_before() -> None:
    """It is read in parts: storage policies after the VMs."""
    facts = (Fact(VM, "vcpus", 4.0, END), Fact(VM, "mem.limit_mb", 512.0, END + 90_000))
    assert told(topology(*facts, end=LATER), "mem.limit_mb", VM) == [[512.0]]
    assert told(topology(*facts, end=START + 1_000), "mem.limit_mb", VM) == [[512.0]]


def test_what_has_ended_holds_no_more() -> None:
    facts = (Fact(VM, "vcpus", 4.0, START), Fact(VM, "cpu.limit_mhz", 900.0, START, END))
    found = told(topology(*facts, end=LATER), "cpu.limit_mhz", VM)
    assert found[0][0] == 900.0
    assert np.isnan(found[0][1:]).all()


def test_a_value_that_is_told_again_is_no_change() -> None:
    facts = (Fact(VM, "vcpus", 4.0, START, END), Fact(VM, "vcpus", 4.0, END))
    assert told(topology(*facts, end=LATER), "vcpus", VM) == [[4.0]]


def test_bounds_of_a_fact_are_those_of_all_its_values() -> None:
    facts = (
        Fact(VM, "vcpus", 4.0, START), Fact(VM, "vcpus", 2.0, END), Fact(VM, "vcpus", 8.0, LATER),
        Fact(OTHER, "tools", "running", START),
    )  # fmt: skip
    low, high = topology(*facts, end=LATER).facts.ends("vcpus", [VM, OTHER])
    assert (low[0], high[0]) == (2.0, 8.0)
    assert np.isnan([low[1], high[1]]).all()


def test_the_words_of_a_fact_are_those_that_held_for_most_of_the_windows() -> None:
    facts = (Fact(VM, "drs.behavior", "manual", START), Fact(VM, "drs.behavior", "fullyAutomated", END))
    found = topology(*facts, end=LATER)
    assert found.facts.words("drs.behavior", VM, [TimeRange(START, END + 1_000)]) == "manual"
    assert found.facts.words("drs.behavior", VM, [TimeRange(END - 1_000, LATER)]) == "fullyAutomated"
    assert found.facts.words("drs.behavior", OTHER, [TimeRange(START, LATER)]) == ""


def test_the_pool_of_a_vm_is_the_one_of_the_window() -> None:
    facts = (Fact(VM, "pool", "gold", START), Fact(VM, "pool", "silver", LATER))
    moved = topology(*facts, end=LATER + 5_000)
    assert topology(*facts).pools.nearest(VM) == EntityRef("pool", "gold")
    assert moved.pools.nearest(VM) == EntityRef("pool", "silver")
    assert moved.pools.nearest(VM, [TimeRange(START, LATER)]) == EntityRef("pool", "gold")


def test_a_vm_counts_for_a_pool_only_while_it_was_there() -> None:
    gold, silver = EntityRef("pool", "gold"), EntityRef("pool", "silver")
    facts = (
        Fact(VM, "pool", "gold", START),
        Fact(VM, "pool", "silver", LATER),
        Fact(OTHER, "pool", "gold", START),
    )
    found = topology(*facts, end=LATER + 5_000, entities=(Entity(gold, "Gold"), Entity(silver, "Silver")))
    own, other = found.below(1, gold, "vm")
    assert own.periods is not None
    assert [end for _, end in own.periods] == [LATER]
    assert other.periods is None
    assert [one.ref for one in found.below(1, silver, "vm")] == [VM]
    assert set(found.pools.above(VM)) == {gold, silver}


def test_a_disk_lies_where_it_lay_in_the_window() -> None:
    store = EntityRef("datastore", "fast")
    facts = (
        Fact(VM, "vdisk.scsi0:0.datastore", "fast", START - 9_000, START - 1_000),
        Fact(VM, "vdisk.scsi0:0.datastore", "slow", START - 1_000),
        Fact(OTHER, "vdisk.scsi0:0.datastore", "fast", START - 9_000, START + 1_000),
    )
    assert topology(*facts).stored_on(store) == [OTHER]
