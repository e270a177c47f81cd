"""A load is called steady when it is, and never on a ramp, whatever noise is on it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnosis.statistics.steady import SteadyLimits, steadiness
from tests.diagnosis.noise import wandering

LIMITS = SteadyLimits(window_s=300, block_s=10, drift_percent=1.0, variation_percent=5.0, confidence=0.99)


def ramp(samples: int, percent_per_window: float) -> np.ndarray:
    """A factor that grows by so many percent of its mean in each 300 samples."""
    return 1 + percent_per_window / 100 * (np.arange(samples) / 300 - samples / 600)


@given(
    drift=st.floats(2.0, 60.0),
    downwards=st.booleans(),
    spread=st.floats(0.0, 30.0),
    memory=st.floats(0.0, 0.9),
    samples=st.integers(300, 1200),
    seed=st.integers(0, 2**32 - 1),
)
def test_a_ramp_is_never_steady_whatever_its_noise(
    drift: float, downwards: bool, spread: float, memory: float, samples: int, seed: int
) -> None:
    slope = ramp(samples, -drift if downwards else drift)
    load = wandering(np.random.default_rng(seed), samples, spread, memory) * slope
    assert not steadiness(np.maximum(load, 0.0), 1.0, LIMITS).is_steady


@pytest.mark.parametrize("drift", [1.05, 1.5, 2.0, 5.0])
@pytest.mark.parametrize("memory", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("spread", [0.3, 1.0, 3.0])
def test_ramps_just_over_the_limit_are_told_from_noise_in_99_of_100_loads(
    drift: float, memory: float, spread: float
) -> None:
    random = np.random.default_rng(7)
    wrong = sum(
        steadiness(wandering(random, 600, spread, memory) * ramp(600, drift), 1.0, LIMITS).is_steady
        for _ in range(100)
    )
    assert wrong <= 2  # the limit's own confidence is 99 % for both directions together


def test_a_warm_up_becomes_steady_only_after_it_levelled_off() -> None:
    # 1 − e^(−t/200 s): over the window before 1,000 s it still grows by 3 %, before 1,800 s by 0.04 %.
    t = np.arange(2400.0)
    load = wandering(np.random.default_rng(3), 2400, 1.0, 0.3) * (1 - np.exp(-t / 200))
    steady = [int(at) for at in range(300, 2401, 30) if steadiness(load[:at], 1.0, LIMITS).is_steady]
    assert steady
    assert min(steady) > 1000
    assert min(steady) < 2000


@pytest.mark.parametrize(
    ("spread", "memory", "samples"), [(1.0, 0.0, 400), (2.0, 0.5, 900), (4.0, 0.5, 1500)]
)
def test_a_level_load_with_usual_noise_is_steady(spread: float, memory: float, samples: int) -> None:
    random = np.random.default_rng(1)
    found = [steadiness(wandering(random, samples, spread, memory), 1.0, LIMITS) for _ in range(100)]
    assert sum(one.is_steady for one in found) >= 85


def test_the_drift_is_told_with_its_uncertainty() -> None:
    found = steadiness(ramp(600, 6.0) * 500.0, 1.0, LIMITS)
    assert found.drift_percent == pytest.approx(6.0, rel=0.01)
    assert found.drift_error < 0.1


def test_the_interval_of_the_drift_covers_it_as_often_as_it_says() -> None:
    random = np.random.default_rng(11)
    covered = 0
    for _ in range(300):
        found = steadiness(wandering(random, 300, 3.0, 0.7) * ramp(300, 8.0), 1.0, LIMITS)
        covered += abs(found.drift_percent - 8.0) <= found.drift_error
    assert covered >= 0.97 * 300


def test_a_load_that_jumps_about_is_not_steady() -> None:
    load = np.where(np.arange(600) // 40 % 2, 1200.0, 800.0)
    found = steadiness(load, 1.0, LIMITS)
    assert not found.is_steady
    assert found.variation_percent == pytest.approx(20.0, rel=0.1)
    assert found.more_s > 0


def test_too_few_samples_say_how_long_is_missing() -> None:
    found = steadiness(np.full(120, 1000.0), 1.0, LIMITS)
    assert not found.is_steady
    assert found.more_s == 180.0


def test_noise_that_hides_the_drift_only_takes_longer() -> None:
    found = steadiness(wandering(np.random.default_rng(5), 300, 6.0, 0.3), 1.0, LIMITS)
    assert not found.is_steady
    assert 0 < found.more_s < 3600


def test_gaps_are_left_out_and_no_samples_are_no_steady_load() -> None:
    load = wandering(np.random.default_rng(2), 600, 1.0, 0.2)
    load[100:140] = np.nan
    assert steadiness(load, 1.0, LIMITS).is_steady
    assert not steadiness(np.full(600, np.nan), 1.0, LIMITS).is_steady
    assert not steadiness(np.zeros(600), 1.0, LIMITS).is_steady
