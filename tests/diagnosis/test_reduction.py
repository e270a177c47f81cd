"""Members of an entity as one value a sample: long series and short ones give the same."""

from __future__ import annotations

import numpy as np
import pytest

from diagnosis.arrays import earliest_mean, first_after, sample_seconds, smoothed, usual_step
from diagnosis.reduction import reduce_members
from sessions.model import FloatArray, IntArray

ROWS = np.repeat(np.arange(8), (1, 2, 7, 8, 9, 20, 130, 300))
"""The entity of each member; numpy adds up to eight, up to 128 and more numbers each in another order."""
INSTANTS = 1100
HOWS = ("max", "min", "sum", "mean", "count")


def samples(absent: float) -> FloatArray:
    rng = np.random.default_rng(7)
    values = rng.normal(size=(ROWS.size, INSTANTS)) * 10.0 ** rng.integers(-3, 6, (ROWS.size, INSTANTS))
    values[rng.random(values.shape) < absent] = np.nan
    return values


@pytest.mark.parametrize("absent", [0.0, 0.3])
@pytest.mark.parametrize("how", HOWS)
def test_long_series_are_reduced_as_their_parts_are(how: str, absent: float) -> None:
    values = samples(absent)
    whole = reduce_members(values, ROWS, 8, how)
    parts = [reduce_members(values[:, at : at + 500], ROWS, 8, how) for at in range(0, INSTANTS, 500)]
    np.testing.assert_allclose(whole, np.concatenate(parts, axis=1), rtol=1e-12, atol=1e-6)


@pytest.mark.parametrize("absent", [0.0, 0.3])
def test_weights_count_alike_in_long_series_and_in_their_parts(absent: float) -> None:
    values, weight = samples(absent), np.abs(samples(0.0))
    whole = reduce_members(values, ROWS, 8, "mean", weight)
    parts = [
        reduce_members(values[:, at : at + 500], ROWS, 8, "mean", weight[:, at : at + 500])
        for at in range(0, INSTANTS, 500)
    ]
    np.testing.assert_allclose(whole, np.concatenate(parts, axis=1), rtol=1e-12, atol=1e-6)


def test_an_entity_without_members_has_no_value() -> None:
    values = reduce_members(np.ones((2, 1500)), np.array([0, 2]), 3, "sum")
    assert values[0, 0] == 1
    assert np.isnan(values[1]).all()


def test_means_around_a_sample_with_gaps_and_without() -> None:
    times: IntArray = np.arange(0, 40_000, 5_000, dtype=np.int64)
    values = np.arange(8, dtype=np.float64)[None]
    assert smoothed(values, times, 10, 0).tolist() == [[0, 0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5]]
    values[0, 3] = np.nan
    found = smoothed(values, times, 10, 0)[0]
    assert np.isnan(found[3])
    assert found[[2, 4, 5]].tolist() == [1.5, 4.0, 4.5]


@pytest.mark.parametrize("hole", [False, True])
def test_a_mean_is_of_one_stay_on_a_host_alone(hole: bool) -> None:
    values = np.array([[1.0, 3.0, 5.0, 90.0, 80.0, 70.0]] * 2)
    if hole:
        values[0, 4] = np.nan
    times = np.arange(6, dtype=np.int64) * 5000
    found = smoothed(values, times, 10, 10, {1: np.array([3])})
    assert found[1].tolist() == [3.0, 3.0, 3.0, 80.0, 80.0, 80.0]
    assert found[0, 2] == (np.nanmean(values[0, :5]))


def test_axes_that_come_and_go_are_not_mistaken_for_each_other() -> None:
    """What is kept of an axis goes by the array itself, whose place in memory another one may get."""
    for step in range(1, 100):
        times = np.arange(0, 10_000 * step, 1000 * step, dtype=np.int64)
        assert usual_step(times) == 1000 * step
        assert sample_seconds(times).tolist() == [step] * 10
        assert first_after(times, -1000 * step, "left").tolist() == [0, *range(9)]
        assert first_after(times, 0, "right").tolist() == list(range(1, 11))


def test_places_in_two_axes_in_turn() -> None:
    """Only those of the axis that was asked about last are kept."""
    fine, coarse = (np.arange(0, 10_000, step, dtype=np.int64) for step in (1000, 5000))
    for _ in range(3):
        assert first_after(fine, -2000, "right").tolist() == [0, 0, 1, 2, 3, 4, 5, 6, 7, 8]
        assert first_after(coarse, -2000, "right").tolist() == [0, 1]


def test_the_earliest_mean_is_of_the_first_seconds_that_are_known() -> None:
    """Each entity's own first sample counts, and what is unknown in between does not."""
    times = np.arange(6, dtype=np.int64) * 20_000
    values = np.array([[4.0, 2.0, 9.0, 9.0, 9.0, 9.0], [np.nan, np.nan, 6.0, np.nan, 1.0, 1.0]])
    assert earliest_mean(values, times, 40.0).tolist() == [[3.0], [6.0]]
    assert np.isnan(earliest_mean(values[:, :0], times[:0], 40.0)).all()


@pytest.mark.parametrize("how", ["lower", "median", "upper"])
def test_a_quarter_is_the_same_where_all_is_known_and_where_one_member_says_nothing(how: str) -> None:
    """With all of them known they need not be put in order."""
    values = samples(0.0)[:, :40]
    silent = np.concatenate([values, np.full((8, 40), np.nan)])
    rows = np.concatenate([ROWS, np.arange(8)])
    order = np.argsort(rows, kind="stable")
    known, mixed = reduce_members(values, ROWS, 8, how), reduce_members(silent[order], rows[order], 8, how)
    np.testing.assert_array_equal(known, mixed)
    one_more = reduce_members(values[:3], ROWS[:3], 2, how)
    np.testing.assert_array_equal(one_more[0], values[0])
