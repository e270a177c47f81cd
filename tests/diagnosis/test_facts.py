"""What is known of an entity in a window: also what an inventory told only after it."""

from __future__ import annotations

from diagnosis.facts import FactTable
from sessions.model import EntityRef, Fact
from sessions.times import TimeRange

VM = EntityRef("vm", "4217-a")
RECORDED, INVENTORY, LATER = 1_000_000, 1_003_000, 2_000_000
"""Esxtop's first sample, the vCenter's inventory three seconds after it, and a change."""
BACKFILLED = TimeRange(0, RECORDED - 1)
ESXTOP = [Fact(VM, name, value, RECORDED) for name, value in (("host", "esx1"), ("vcpus", 4.0))]
READ = [
    Fact(VM, name, value, INVENTORY)
    for name, value in (("host", "esx1"), ("vcpus", 4.0), ("power_state", "poweredOn"), ("tools", "running"))
]
CHANGED = [Fact(VM, "cpu.limit_mhz", 500.0, LATER), Fact(VM, "power_state", "poweredOff", LATER)]


def known(facts: list[Fact], window: TimeRange) -> dict[str, object]:
    table = FactTable(sorted(facts, key=lambda fact: fact.start), window)
    names = {fact.name for fact in facts}
    return {name: value for name in names if (value := table.latest(name).get(VM)) is not None}


def test_a_first_reading_held_before() -> None:
    wanted = {"host": "esx1", "vcpus": 4.0, "power_state": "poweredOn", "tools": "running"}
    assert known(READ + CHANGED, BACKFILLED) == wanted


def test_an_inventory_that_was_read_after_esxtop_s_first_sample_held_before() -> None:
    """Both are recorded at once, and the hour before is looked at, which the vCenter has back-filled."""
    wanted = {"host": "esx1", "vcpus": 4.0, "power_state": "poweredOn", "tools": "running"}
    assert known(ESXTOP + READ + CHANGED, BACKFILLED) == wanted


def test_what_an_inventory_tells_later_did_not_hold_before() -> None:
    assert known(ESXTOP + READ + CHANGED, TimeRange(0, LATER + 1))["cpu.limit_mhz"] == 500.0
    assert known(ESXTOP + CHANGED[:1], BACKFILLED) == {"host": "esx1", "vcpus": 4.0}
