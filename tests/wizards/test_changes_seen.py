"""Which changes guided troubleshooting sees, and what it calls those whom they are of."""

from __future__ import annotations

import numpy as np

from resources.guided_flow import load_flow
from resources.problem_cards import load_problems
from sessions.model import Entity, EntityRef, Event, Fact, SeriesSpec, SourceSpec
from sessions.times import TimeRange
from tests.sessions.memory_session import MemorySession
from wizards.flows.troubleshooting.changes import Around, changes_seen

T0 = 1_700_000_000_000
VM = EntityRef("vm", "50-1")


def test_a_vm_that_was_renamed_is_called_as_it_is_now_whatever_tells_of_it() -> None:
    session, renamed = MemorySession(), T0 + 60_000
    session.add_source(
        SourceSpec("vcenter", "vc01", 20),
        T0 + 20_000 * np.arange(12, dtype=np.int64),
        [SeriesSpec(VM, "cpu.ready", "%")],
        np.ones((12, 1)),
        entities=[Entity(VM, "old")],
        facts=[
            Fact(VM, "name", "old", T0, renamed),
            Fact(VM, "name", "db-prod", renamed),
            Fact(VM, "cpu.limit_mhz", 1822.0, T0, T0 + 100_000),
        ],
        events=[Event(T0 + 100_000, "reconfigure", "Reconfigured on esx01", VM, by="root")],
    )
    found = changes_seen(
        session, Around({VM}, ()), TimeRange(T0, T0 + 220_000), load_flow(), load_problems().changes
    )
    assert [(one.name, one.what) for one in found] == [
        ("db-prod", "Reconfigured on esx01"),
        ("db-prod", "CPU limit: 1.82 GHz → unlimited"),
    ]
