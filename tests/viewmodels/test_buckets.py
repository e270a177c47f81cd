"""Samples in buckets of time: what stands in each, and what stays empty."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from sessions.store.overview import overview
from sessions.times import TimeRange
from viewmodels.buckets import Buckets, BucketTotals, line_points

NAN = np.nan


def column(*values: float) -> np.ndarray:
    """Samples of one series as a frame has them."""
    return np.array(values, np.float64)[:, np.newaxis]


def test_each_bucket_has_the_highest_the_mean_and_the_share_of_its_samples() -> None:
    buckets = Buckets(TimeRange(0, 40_000), 2)
    times = np.arange(0, 50_000, 10_000)
    values = column(1, 5, 2, 4, 9)
    assert buckets.bucket_of(times).tolist() == [0, 0, 1, 1, 1]
    assert_array_equal(buckets.highest(times, values), [[5, 9]])
    assert_array_equal(buckets.mean(times, values), [[3, 5]])
    assert_allclose(buckets.share_over(times, values, 4), [[50, 100 / 3]])


def test_absent_samples_count_nowhere() -> None:
    buckets = Buckets(TimeRange(0, 40_000), 2)
    times = np.arange(0, 50_000, 10_000)
    values = np.array([[1, NAN], [NAN, NAN], [NAN, 7], [5, NAN], [NAN, NAN]])
    assert_array_equal(buckets.highest(times, values), [[1, 5], [NAN, 7]])
    assert_array_equal(buckets.mean(times, values), [[1, 5], [NAN, 7]])
    assert_array_equal(buckets.share_over(times, values, 4), [[0, 100], [NAN, 100]])


def test_no_sample_at_all_is_nothing_in_every_bucket() -> None:
    buckets = Buckets(TimeRange(0, 1_000), 3)
    none = np.zeros(0, np.int64)
    assert_array_equal(buckets.highest(none, np.zeros((0, 2))), np.full((2, 3), NAN))
    assert_array_equal(buckets.hold_last(none, np.full((2, 3), NAN)), np.full((2, 3), NAN))


def test_a_window_of_one_instant_has_its_sample() -> None:
    buckets = Buckets(TimeRange(5, 5), 4)
    found = buckets.highest(np.array([5]), column(3))
    assert np.nanmax(found) == 3


def test_a_sample_is_held_until_the_next_one_but_not_over_a_gap() -> None:
    buckets = Buckets(TimeRange(0, 1_000), 10)
    times = np.array([0, 200, 400, 800])
    found = buckets.hold_last(times, buckets.highest(times, column(1, 2, 3, 4)))
    # the usual distance is the longest of nine in ten: here the gap itself is not usual
    assert found[0, :6].tolist() == [1, 1, 2, 2, 3, 3]
    assert found[0, 8:].tolist() == [4, 4]


def test_a_gap_stays_empty_where_most_samples_come_on_time() -> None:
    buckets = Buckets(TimeRange(0, 60_000), 60)
    times = np.array([second * 1_000 for second in (*range(0, 40, 2), *range(50, 60, 2))])
    found = buckets.hold_last(times, buckets.highest(times, np.ones((times.size, 1))))
    assert_array_equal(np.flatnonzero(np.isnan(found[0])), np.arange(40, 50))


def test_a_series_that_misses_a_sample_is_empty_until_its_next() -> None:
    buckets = Buckets(TimeRange(0, 600), 6)
    times = np.array([0, 200, 400])
    values = np.array([[1.0, 1.0], [NAN, 2.0], [3.0, 3.0]])
    found = buckets.hold_last(times, buckets.highest(times, values))
    assert_array_equal(found, [[1, 1, NAN, NAN, 3, 3], [1, 1, 2, 2, 3, 3]])


def test_buckets_a_little_shorter_than_the_interval_have_no_holes() -> None:
    """240 buckets of 0.98 s for samples each 5 s: the sixth bucket is sometimes the next to have one."""
    buckets = Buckets(TimeRange(0, 235_000), 240)
    times = np.arange(0, 240_000, 5_000)
    found = buckets.hold_last(times, buckets.highest(times, np.ones((times.size, 1))))
    assert not np.isnan(found).any()
    missing = np.delete(times, 20)
    found = buckets.hold_last(missing, buckets.highest(missing, np.ones((missing.size, 1))))
    empty = np.flatnonzero(np.isnan(found[0]))
    begin, end = buckets.edges[empty[0]] / 1000, buckets.edges[empty[-1] + 1] / 1000
    assert 100 <= begin < 101, "the sample before lasts until this one was due"
    assert 104 < end <= 105


def test_the_mean_of_several_series_counts_each_series_once() -> None:
    """However often it is sampled: a host each 300 s weighs as much as one each 5 s, and lasts as long."""
    buckets = Buckets(TimeRange(0, 3_600_000), 720)
    totals = BucketTotals(buckets)
    slow, fast = np.arange(0, 3_900_000, 300_000), np.arange(1_800_000, 3_605_000, 5_000)
    for times, value in ((slow, 20.0), (fast, 80.0)):
        values = np.full(times.size, value)
        totals.add_overview(overview(times, values, buckets.window, buckets.count))
    assert_allclose(totals.mean()[:360], 20)
    assert_allclose(totals.mean()[360:], 50)


def test_the_mean_of_several_series_counts_each_value_once() -> None:
    window = TimeRange(0, 100)
    totals = BucketTotals(Buckets(window, 2))
    for times, values in (([0, 60], [2.0, NAN]), ([0, 60], [4.0, 8.0]), ([10], [9.0])):
        totals.add_overview(overview(np.array(times), np.array(values), window, 2))
    assert_array_equal(totals.mean(), [5, 8])


@given(
    values=st.lists(st.floats(0, 100) | st.just(NAN), min_size=60, max_size=60),
    count=st.sampled_from([1, 2, 5, 12, 60]),
)
def test_a_series_read_as_an_overview_has_the_same_mean(values: list[float], count: int) -> None:
    """Where a bucket has samples; an empty one may have the value before it."""
    times = np.arange(60, dtype=np.int64) * 1_000
    window = TimeRange(0, 59_999)
    read = BucketTotals(Buckets(window, count))
    read.add_overview(overview(times, np.array(values), window, count))
    direct = Buckets(window, count).mean(times, column(*values))[0]
    there = np.isfinite(direct)
    assert_allclose(read.mean()[there], direct[there])


def test_a_line_goes_over_buckets_that_are_shorter_than_the_interval_and_breaks_at_a_gap() -> None:
    middles = np.arange(12.0)
    values = np.array([1, NAN, 2, NAN, 3, NAN, NAN, NAN, NAN, NAN, 4, NAN])
    times, shown = line_points(middles, values)
    assert_array_equal(times, [0, 2, 4, 5, 10])
    assert_array_equal(shown, [1, 2, 3, NAN, 4])


def test_a_line_that_stays_level_is_one_piece_and_keeps_its_gaps() -> None:
    values = np.array([1.0] * 5 + [2.0] * 4 + [NAN] * 3 + [2.0] * 4)
    times, shown = line_points(np.arange(16.0), values)
    assert_array_equal(times, [0, 4, 5, 8, 9, 12, 15])
    assert_array_equal(shown, [1, 1, 2, 2, NAN, 2, 2])


@pytest.mark.parametrize("values", [[NAN, NAN, NAN], [NAN, 1.0, NAN]])
def test_a_line_of_fewer_than_two_values_is_left_as_it_is(values: list[float]) -> None:
    times, shown = line_points(np.arange(3.0), np.array(values))
    assert_array_equal(times, [0, 1, 2])
    assert_array_equal(shown, values)
