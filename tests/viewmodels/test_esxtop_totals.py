"""The totals above the esxtop table: over hosts, with the worst of them, its state in words."""

from __future__ import annotations

import pytest

from resources.catalogue import load_catalogue
from resources.problem_cards import load_problems
from resources.views import load_limits, load_screens
from viewmodels.esxtop_totals import totals_of, without_text

CATALOGUE = load_catalogue()
LIMITS = load_limits(load_problems())
[MEMORY] = [one for one in load_screens(CATALOGUE) if one.id == "memory"]


def texts(**values: list[float]) -> list[str]:
    """The totals for values of hosts esx01, esx02 …, by the last part of the counter's key."""
    by_counter = {
        f"mem.{key}": [(value, f"esx{number:02}.lab.local") for number, value in enumerate(of_hosts, 1)]
        for key, of_hosts in values.items()
    }
    return totals_of(MEMORY, by_counter, CATALOGUE, LIMITS)[0]


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        ([0.0], "state high"),
        ([1.0], "state clear (2 of 5)"),
        ([3.0, 3.0], "state hard (4 of 5)"),
        ([0.0, 0.0], "state high"),
        ([1.0, 0.0, 0.0, 0.0], "state clear (2 of 5) on esx01, high on 3 hosts"),
        ([0.0, 3.0, 1.0], "state hard (4 of 5) on esx02, clear (2 of 5) on esx03, high on esx01"),
        ([9.0], "state 9"),
    ],
)
def test_the_state_says_where_and_that_clear_is_not_all_clear(states: list[float], expected: str) -> None:
    assert texts(state=states)[0].lstrip("◆▲ ") == expected


def test_a_host_that_swaps_shows_it_whatever_its_state() -> None:
    """Free memory decides the state; the host may be clear and still read back what it swapped."""
    found = texts(state=[1.0, 0.0], swap_read=[2.57, 0.0], swap_write=[3.5, 0.0])
    assert found[1:] == ["▲ SWR/s 2.57 MB/s on esx01", "▲ SWW/s 3.50 MB/s on esx01"]


def test_sums_over_hosts_and_the_one_with_least_free_memory() -> None:
    assert texts(free=[1024.0, 4096.0]) == ["PMEM free 5 GB (min 1 GB esx01)"]
    assert texts(free=[1024.0]) == ["PMEM free 1 GB"]
    assert texts(swap_used=[0.0, 0.0]) == ["SWAP curr 0 MB"]
    assert texts(swap_used=[1.0, 3.0]) == ["SWAP curr 4 MB (max 3 MB esx02)"]
    assert texts(overcommit_1m=[0.0, 0.5]) == ["MEM overcommit avg 0.25"]


def test_totals_say_whom_they_leave_out() -> None:
    """A host that stopped is not a host that has nothing."""
    assert without_text([]) == []
    assert without_text(["esx02"]) == ["◆ totals without esx02: no sample at this time"]
    assert without_text([f"esx{n}" for n in "4321"]) == [
        "◆ totals without esx1, esx2 and 2 more: no sample at this time"
    ]
