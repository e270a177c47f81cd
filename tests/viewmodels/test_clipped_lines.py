"""Lines that are cut at the borders of a plot, and round values for its axis."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewmodels.clipped_lines import clipped_lines
from viewmodels.value_ticks import value_ticks

BOX = (0.0, 0.0, 10.0, 10.0)
_PLACE = st.floats(-30, 40, allow_nan=False)


def test_a_line_is_cut_where_it_leaves_and_goes_on_where_it_returns() -> None:
    x, y = np.array([-5.0, 5.0, 5.0, 15.0]), np.array([5.0, 5.0, 20.0, 0.0])
    parts = clipped_lines(x, y, np.array([True, True, True]), BOX)
    assert [part.tolist() for part in parts] == [
        [[0.0, 5.0], [5.0, 5.0], [5.0, 10.0]],
        [[10.0, 10.0], [10.0, 10.0]],
    ]


def test_a_gap_stays_a_gap_and_a_lone_point_stays() -> None:
    x, y = np.array([1.0, 2.0, 3.0, 4.0, 50.0]), np.ones(5)
    parts = clipped_lines(x, y, np.array([True, False, False, False]), BOX)
    assert sorted(len(part) for part in parts) == [1, 1, 2]


@given(st.lists(st.tuples(_PLACE, _PLACE, st.booleans()), min_size=1, max_size=30))
def test_nothing_is_drawn_outside_and_nothing_inside_is_lost(points: list[tuple[float, float, bool]]) -> None:
    x, y = np.array([one[0] for one in points]), np.array([one[1] for one in points])
    joined = np.array([one[2] for one in points[:-1]], bool)
    parts = clipped_lines(x, y, joined, BOX)
    drawn = np.concatenate([np.zeros((0, 2)), *parts])
    assert ((drawn >= -1e-9) & (drawn <= 10 + 1e-9)).all()
    for inside in zip(x.tolist(), y.tolist(), strict=True):
        if all(0 <= value <= 10 for value in inside):
            assert (np.abs(drawn - inside).max(axis=1) < 1e-6).any()


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0, 44.8, [0, 10, 20, 30, 40]), (0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]), (-3, 3, [-2, 0, 2]), (5, 5, [])],
)
def test_values_of_an_axis_are_round(low: float, high: float, expected: list[float]) -> None:
    assert value_ticks(low, high, 5)[0] == pytest.approx(expected)
