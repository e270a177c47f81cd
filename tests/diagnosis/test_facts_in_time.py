"""Facts hold in time: what was said first held before too, a later change only from then on."""

from __future__ import annotations

import numpy as np

from diagnosis.topology import Topology
from sessions.memory import MemorySession
from sessions.model import Entity, EntityRef, Fact, SeriesSpec, SourceSpec

START = 1_790_000_000_000
END = START + 60_000
VM, OTHER = EntityRef("vm", "a"), EntityRef("vm", "b")


def topology(*facts: Fact) -> Topology:
    found = MemorySession()
    times = START + 20_000 * np.arange(4, dtype=np.int64)
    specs = [SeriesSpec(VM, "cpu.ready", "%"), SeriesSpec(OTHER, "cpu.ready", "%")]
    entities = (Entity(VM, "a"), Entity(OTHER, "b"))
    found.add_source(
        SourceSpec("vcenter", "vc01", 20.0), times, specs, np.zeros((4, 2)), entities=entities, facts=facts
    )
    return Topology(found, ["cpu.ready"])


def test_what_a_back_filling_recorder_learned_after_the_samples_holds_for_them() -> None:
    late = topology(Fact(VM, "vcpus", 4.0, END + 5_000), Fact(OTHER, "vcpus", 2.0, END + 5_000))
    assert late.fact("vcpus", [VM, OTHER], END) == [4.0, 2.0]


def test_a_change_counts_only_from_when_it_was_made() -> None:
    changed = topology(
        Fact(VM, "vcpus", 4.0, START),
        Fact(VM, "cpu.limit_mhz", 2_000.0, END + 5_000),
        Fact(VM, "vcpus", 8.0, END + 5_000),
    )
    assert changed.fact("vcpus", [VM], END) == [4.0]
    assert np.isnan(changed.fact("cpu.limit_mhz", [VM], END)[0])
    assert changed.fact("cpu.limit_mhz", [VM], END + 5_000) == [2_000.0]
