"""Steps from sample to sample over the samples of several series."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewmodels.sample_steps import nearest_instant, outer_instants, stepped_instant

FAST = np.array([0, 5, 10, 15, 20], np.int64)
SLOW = np.array([0, 20, 40], np.int64)


@pytest.mark.parametrize(
    ("when", "steps", "at"),
    [(5, 1, 10), (5, -1, 0), (7, 1, 10), (7, -1, 5), (10, 3, 40), (10, 10, 40), (10, -10, 0), (0, 2, 10)],
)
def test_a_step_goes_to_the_next_instant_of_any_series(when: int, steps: int, at: int) -> None:
    assert stepped_instant([FAST, SLOW], when, steps) == at


def test_there_is_no_step_beyond_the_ends() -> None:
    assert stepped_instant([FAST, SLOW], 40, 1) is None
    assert stepped_instant([FAST, SLOW], 0, -1) is None
    assert stepped_instant([], 0, 1) is None


def test_a_click_finds_the_nearest_instant_but_not_across_a_gap() -> None:
    assert nearest_instant([FAST, SLOW], 12.4, 5) == 10
    assert nearest_instant([FAST, SLOW], 12.6, 5) == 15
    assert nearest_instant([SLOW], 31, 5) == 31
    assert nearest_instant([], 31, 5) == 31


def test_the_first_and_the_last_instant_in_sight() -> None:
    assert outer_instants([FAST, SLOW], 3, 30) == (5, 20)
    assert outer_instants([FAST, SLOW], 21, 39) is None


@given(
    st.lists(st.sets(st.integers(0, 200)), min_size=1, max_size=4),
    st.integers(-10, 210),
    st.integers(-12, 12).filter(bool),
)
def test_steps_are_those_of_the_union(series: list[set[int]], when: int, steps: int) -> None:
    union = sorted(set().union(*series))
    beyond = [t for t in union if (t > when if steps > 0 else t < when)]
    reached = beyond[:steps] if steps > 0 else beyond[steps:][::-1]
    wanted = reached[-1] if reached else None
    assert stepped_instant([np.array(sorted(one), np.int64) for one in series], when, steps) == wanted
