"""Lagged correlation, changes and rhythms: analytic truth, and chance that stays chance."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnosis.correlation.patterns import find_pattern
from diagnosis.statistics.changes import changes
from diagnosis.statistics.lagged import centred, chance_of, lagged_correlations, surrogate_spread
from resources.correlation_roles import load_correlation
from sessions.model import FloatArray, IntArray

NUMBERS = load_correlation().numbers
LAGS = np.arange(-10, 11)


def noise(rows: int, times: int, r: float, seed: int = 1) -> FloatArray:
    """Series in which each sample depends on the one before with correlation ``r``; variance 1."""
    rng = np.random.default_rng(seed)
    steps = rng.standard_normal((rows, times)) * np.sqrt(1 - r * r)
    values = np.empty((rows, times))
    values[:, 0] = rng.standard_normal(rows)
    for at in range(1, times):
        values[:, at] = r * values[:, at - 1] + steps[:, at]
    return values


@pytest.mark.parametrize("lag", [-7, -1, 0, 3, 10])
def test_a_shifted_copy_is_found_at_its_lag(lag: int) -> None:
    reference = noise(1, 400, 0.5)[0]
    copy = np.full(400, np.nan)
    if lag >= 0:
        copy[lag:] = reference[: 400 - lag]
    else:
        copy[:lag] = reference[-lag:]
    found = lagged_correlations(centred(copy[None, :]), centred(reference[None, :])[0], LAGS)[0]
    assert LAGS[found.argmax()] == lag
    assert found.max() > 0.99


def test_gaps_neither_make_nor_hide_a_correlation() -> None:
    rng = np.random.default_rng(3)
    reference = noise(1, 600, 0.3)[0]
    holed = np.where(rng.random(600) < 0.4, np.nan, 2.0 * reference + 7.0)
    other = np.where(rng.random(600) < 0.4, np.nan, noise(1, 600, 0.3, seed=9)[0])
    found = lagged_correlations(centred(np.stack([holed, other])), centred(reference[None, :])[0], LAGS)
    assert found[0, 10] > 0.98
    assert np.abs(found[1]).max() < 0.25


@given(st.integers(0, 10_000), st.integers(20, 90), st.floats(0.0, 0.95))
def test_the_spread_is_that_of_all_circular_shifts(seed: int, times: int, r: float) -> None:
    rows = centred(noise(2, times, r, seed))
    reference = rows[1]
    shifts = [float(rows[0] @ np.roll(reference, k)) for k in range(times)]
    spread = surrogate_spread(rows[:1], reference)[0]
    assert spread == pytest.approx(np.sqrt(np.mean(np.square(shifts))), abs=1e-9)


@pytest.mark.parametrize("r", [0.0, 0.5, 0.9, 0.98])
def test_independent_autocorrelated_series_are_no_hits_beyond_the_nominal_rate(r: float) -> None:
    values = centred(noise(1501, 500, r, seed=5))
    rows, reference = values[1:], values[0]
    best = np.abs(lagged_correlations(rows, reference, LAGS)).max(axis=1)
    spread = surrogate_spread(rows, reference)
    chances = np.array([chance_of(b, s, LAGS.size, 500) for b, s in zip(best, spread, strict=True)])
    for nominal in (0.05, 0.01):
        assert (chances <= nominal).mean() <= 1.5 * nominal + 0.002
    if r > 0.8:  # what does not know of autocorrelation is fooled
        naive = np.array([chance_of(b, 1 / np.sqrt(500), LAGS.size, 500) for b in best])
        assert (naive <= 0.01).mean() > 0.2


@pytest.mark.parametrize("r", [0.0, 0.5, 0.9])
def test_series_that_did_not_change_are_changed_at_the_nominal_rate(r: float) -> None:
    values = noise(1500, 500, r, seed=11)
    found = changes(values[:, 400:], values[:, :400])
    chances = np.array([found.chance(row) for row in range(1500)])
    assert (chances <= 0.05).mean() <= 0.08
    assert (chances <= 0.01).mean() <= 0.025


def test_a_change_is_told_with_its_means_and_errors() -> None:
    values = noise(1, 500, 0.5)
    values[:, 400:] += 4.0
    found = changes(values[:, 400:], values[:, :400])
    assert found.window[0] - found.baseline[0] == pytest.approx(4.0, abs=0.5)
    assert found.chance(0) < 1e-9
    still = changes(np.full((1, 9), 2.0), np.full((1, 9), 2.0))
    assert still.errors[0] == 0.0
    stepped = changes(np.full((1, 9), 3.0), np.full((1, 9), 2.0))
    assert stepped.errors[0] > 50


def rhythm(
    every: int, length: int, *, count: int = 12, missed: tuple[int, ...] = (), late: int = 0
) -> FloatArray:
    rng = np.random.default_rng(2)
    values = rng.normal(5.0, 0.3, every * count // 5 + 200)
    for number in range(count):
        if number not in missed:
            at = 100 + (number * every + int(rng.integers(0, late + 1))) // 5
            values[at : at + length // 5] += 20.0
    return values


def times_of(values: FloatArray) -> IntArray:
    return 1_790_000_000_000 + 5000 * np.arange(values.size)


@pytest.mark.parametrize(("missed", "late"), [((), 0), ((3, 7), 0), ((), 10)])
def test_a_burst_every_five_minutes_is_a_pattern(missed: tuple[int, ...], late: int) -> None:
    values = rhythm(300, 20, missed=missed, late=late)
    found = find_pattern(times_of(values), values, 5000, NUMBERS)
    assert found is not None
    assert found.period_s == pytest.approx(300, abs=4)
    assert found.length_s == pytest.approx(20, abs=5)
    assert found.since == pytest.approx(1_790_000_000_000 + 500_000, abs=late * 1000 + 5000)
    assert (found.bursts, found.expected) == (12 - len(missed), 12)


def test_bursts_at_random_times_are_no_pattern() -> None:
    found = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        values = rng.normal(5.0, 0.3, 1200)
        for at in rng.integers(20, 1180, 12).tolist():
            values[at : at + 4] += 20.0
        found += find_pattern(times_of(values), values, 5000, NUMBERS) is not None
    assert found <= 4


def test_noise_and_a_constant_have_no_pattern() -> None:
    for values in (noise(1, 2000, 0.9)[0], np.full(2000, 3.0), np.zeros(3)):
        assert find_pattern(times_of(values), values, 5000, NUMBERS) is None
