"""Facts hold in time: what was said first held before too, a later change only from then on."""

from __future__ import annotations

import numpy as np

from diagnosis.topology import Topology
from sessions.model import Entity, EntityRef, Fact, SeriesSpec, SourceSpec
from sessions.times import TimeRange
from tests.sessions.memory_session import MemorySession

START = 1_790_000_000_000
END = START + 60_000
VM, OTHER = EntityRef("vm", "a"), EntityRef("vm", "b")


def topology(*facts: Fact, end: int = END) -> Topology:
    """The session as a window sees it that ends at ``end``."""
    found = MemorySession()
    times = START + 20_000 * np.arange(4, dtype=np.int64)
    specs = [SeriesSpec(VM, "cpu.ready", "%"), SeriesSpec(OTHER, "cpu.ready", "%")]
    entities = (Entity(VM, "a"), Entity(OTHER, "b"))
    found.add_source(
        SourceSpec("vcenter", "vc01", 20.0), times, specs, np.zeros((4, 2)), entities=entities, facts=facts
    )
    return Topology(found, ["cpu.ready"], TimeRange(START, end))


def test_what_a_back_filling_recorder_learned_after_the_samples_holds_for_them() -> None:
    late = topology(Fact(VM, "vcpus", 4.0, END + 5_000), Fact(OTHER, "vcpus", 2.0, END + 5_000))
    assert late.facts("vcpus", [VM, OTHER]) == [4.0, 2.0]


def test_a_change_counts_only_from_when_it_was_made() -> None:
    facts = (
        Fact(VM, "vcpus", 4.0, START),
        Fact(VM, "cpu.limit_mhz", 2_000.0, END + 5_000),
        Fact(VM, "vcpus", 8.0, END + 5_000),
    )
    before, after = topology(*facts), topology(*facts, end=END + 5_000)
    assert before.facts("vcpus", [VM]) == [4.0]
    assert np.isnan(before.facts("cpu.limit_mhz", [VM])[0])
    assert after.facts("vcpus", [VM]) == [8.0]
    assert after.facts("cpu.limit_mhz", [VM]) == [2_000.0]


def test_the_pool_of_a_vm_is_the_one_of_the_window() -> None:
    facts = (Fact(VM, "pool", "gold", START), Fact(VM, "pool", "silver", END + 5_000))
    assert topology(*facts).pools.nearest(VM) == EntityRef("pool", "gold")
    assert topology(*facts, end=END + 5_000).pools.nearest(VM) == EntityRef("pool", "silver")


def test_a_disk_lies_where_it_lay_in_the_window() -> None:
    store = EntityRef("datastore", "fast")
    facts = (
        Fact(VM, "vdisk.scsi0:0.datastore", "fast", START - 9_000, START - 1_000),
        Fact(VM, "vdisk.scsi0:0.datastore", "slow", START - 1_000),
        Fact(OTHER, "vdisk.scsi0:0.datastore", "fast", START - 9_000, START + 1_000),
    )
    assert topology(*facts).stored_on(store) == [OTHER]
