"""Curves: what is thinned keeps its spikes, and a gap stays a gap."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from viewmodels.curve import Curve, newest_values

T0 = 1_700_000_000_000


def curve(values: list[float] | np.ndarray, step: int = 5_000) -> Curve:
    array = np.asarray(values, np.float64)
    return Curve(T0 + np.arange(array.size, dtype=np.int64) * step, array)


def test_a_spike_of_one_sample_survives_any_zoom() -> None:
    values = np.ones(172_800)
    values[123_456] = 99.0
    values[7] = -5.0
    found = curve(values, 500)
    for points in (40, 400, 2_000):
        line = found.line(found.x[0], found.x[-1], points)
        assert line.y.max() == 99.0
        assert line.y.min() == -5.0
        assert line.x.size <= 2 * points
    assert found.x[123_456] in found.line(found.x[0], found.x[-1], 400).x


def test_a_gap_is_a_break() -> None:
    found = curve([1, 2, 3, math.nan, math.nan, 6, 7])
    line = found.line(T0, T0 + 60_000, 100)
    assert line.y.tolist() == [1, 2, 3, 6, 7]
    assert line.joined.tolist() == [True, True, False, True]


def test_samples_that_are_missing_from_the_times_are_a_break_too() -> None:
    times = T0 + np.array([0, 5, 10, 40, 45], np.int64) * 1000
    line = Curve(times, np.arange(5.0)).line(T0, T0 + 60_000, 100)
    assert line.joined.tolist() == [True, True, False, True]


def test_a_gap_narrower_than_a_pixel_is_not_drawn() -> None:
    values = np.ones(100_000)
    values[50_000] = math.nan
    found = curve(values)
    assert found.line(found.x[0], found.x[-1], 400).joined.all()
    at = found.times[50_000]
    assert not found.line(at - 60_000, at + 60_000, 400).joined.all()


def test_values_at_the_crosshair() -> None:
    found = curve([1, 2, math.nan, math.nan, math.nan, 6])
    assert found.value_at(T0 + 5_400) == 2
    assert math.isnan(found.value_at(T0 + 19_000))
    assert math.isnan(found.value_at(T0 - 1))
    assert found.value_at(T0 + 25_000) == 6


def test_a_host_that_stopped_has_no_newest_value_beside_those_that_run() -> None:
    running, late, stopped = (curve(np.arange(float(count))) for count in (60, 58, 40))
    never = curve([math.nan] * 60)
    rollup = curve([float(n) if n % 15 == 0 else math.nan for n in range(60)])
    end = T0 + 59 * 5_000
    found = newest_values([running, late, stopped, never, rollup], T0, end)
    assert [found[0], found[1], found[4]] == [59, 57, 45]
    assert np.isnan(found[2:4]).all()
    assert newest_values([stopped], T0, end) == [39], "alone it has the newest of all that there is"
    assert newest_values([running, stopped], T0, T0 + 39 * 5_000) == [39, 39], "before it stopped"
    assert np.isnan(newest_values([stopped], end, end + 1)).all()


def test_nothing_at_all() -> None:
    empty = curve([])
    assert empty.line(T0, T0 + 1, 100).x.size == 0
    assert empty.summary(T0, T0 + 1).count == 0
    assert all(math.isnan(bound) for bound in empty.bounds(T0, T0 + 1))
    absent = curve([math.nan, math.nan])
    assert absent.line(T0, T0 + 10_000, 100).x.size == 0


def test_summary_of_what_is_visible() -> None:
    found = curve([5, 1, 2, 3, 100]).summary(T0 + 5_000, T0 + 15_000)
    assert (found.last, found.low, found.mean, found.high, found.count) == (3, 1, 2, 3, 3)
    assert found.p95 == pytest.approx(2.9)


@settings(deadline=None, max_examples=60)
@given(
    st.integers(1, 40_000),
    st.integers(0, 2**32 - 1),
    st.floats(0, 1),
    st.floats(0, 1),
    st.integers(4, 3_000),
)
def test_bounds_are_exact(size: int, seed: int, a: float, b: float, points: int) -> None:
    values = np.random.default_rng(seed).normal(size=size)
    found = curve(values)
    start, end = sorted((T0 + a * size * 5_000, T0 + b * size * 5_000))
    inside = values[(found.times >= start) & (found.times <= end)]
    low, high = found.bounds(start, end)
    if inside.size:
        assert (low, high) == (inside.min(), inside.max())
    else:
        assert math.isnan(low)
    line = found.line(start, end, points)
    assert (np.diff(line.x) >= 0).all()
    assert line.joined.size == max(line.x.size - 1, 0)
