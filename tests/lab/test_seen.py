"""Ticks that are shown together: the same, to the last digit, as each of them alone."""

from __future__ import annotations

import numpy as np
import pytest

from lab import Lab, load_scenarios
from lab.lab import Tick

SCENARIOS = load_scenarios()
TICKS = 33


def alone(lab: Lab) -> list[Tick]:
    return [tick for _ in range(TICKS) if (tick := lab.tick()) is not None]


def together(lab: Lab) -> list[Tick]:
    return [tick for count in (1, 16, 15, 1) for tick in lab.ticks_of(lab.steps(count))]


@pytest.mark.parametrize(
    "scenario",
    [
        "event-vmotion-into-full-host", "vsan-resync-rebuild", "data-gaps", "storage-device-dead",
        "event-ha-failover",
    ],
)  # fmt: skip
def test_ticks_together_are_those_of_each_alone(scenario: str) -> None:
    ours, others = (Lab(SCENARIOS[scenario], seed=4) for _ in range(2))
    mine, theirs = together(ours), alone(others)
    assert [tick.t_ms for tick in mine] == [tick.t_ms for tick in theirs]
    for one, other in zip(mine, theirs, strict=True):
        for row, expected in zip(one.rows, other.rows, strict=True):
            np.testing.assert_array_equal(row, expected)
    np.testing.assert_array_equal(ours.esxtop_tables.flat, others.esxtop_tables.flat)


def test_what_is_kept_of_a_tick_is_not_changed_by_the_next() -> None:
    ours, others = (Lab(SCENARIOS["storage-sioc-throttles"], seed=4) for _ in range(2))
    seen = ours.steps(4)
    for tick in range(4):
        others.step()
        for part, names in (("storage", ("throttled", "device_ms", "depth")), ("network", ("speed", "tx"))):
            for name in names:
                kept = getattr(getattr(seen, part), name)[tick]
                np.testing.assert_array_equal(kept, getattr(getattr(others, part), name))


def test_missed_ticks_have_no_sample_but_are_seen() -> None:
    lab = Lab(SCENARIOS["data-gaps"], seed=4)
    seen = lab.steps(round(lab.duration_s / lab.tick_s))
    missed = int((~seen.is_taken).sum())
    assert missed > 0
    assert len(seen.taken()) == len(seen) - missed == len(lab.ticks_of(seen))
