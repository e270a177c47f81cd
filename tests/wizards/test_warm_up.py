"""When a warm-up ends: a ramp is not steady in a short window either."""

from __future__ import annotations

import numpy as np
import pytest

from diagnosis.statistics.steady import SteadyLimits, steadiness
from wizards.flows.load import limits_over

LIMITS = SteadyLimits(window_s=300, block_s=10, drift_percent=1.0, variation_percent=5.0, confidence=0.99)


@pytest.mark.parametrize("warm_up_s", [20.0, 60.0, 120.0, 300.0, 900.0])
@pytest.mark.parametrize("per_window", [1.5, 2.5, -2.0, 10.0])
def test_a_ramp_is_no_end_of_a_short_warm_up(warm_up_s: float, per_window: float) -> None:
    """tests.md §0.2: at most 1 % in 5 minutes; a ramp of 2 % is one in whatever part of them."""
    limits = limits_over(LIMITS, warm_up_s)
    noise = np.random.default_rng(5).standard_normal(1200)
    for seconds in (100, 200, 300, 600, 1200):
        at = np.arange(seconds)
        load = (1000 * (1 + per_window / 100 * at / 300) + 0.5 * noise[:seconds]).astype(np.float64)
        assert not steadiness(load, 1.0, limits).is_steady


@pytest.mark.parametrize("warm_up_s", [20.0, 60.0, 300.0])
def test_a_level_load_ends_a_warm_up(warm_up_s: float) -> None:
    load = 1000 + 2 * np.random.default_rng(5).standard_normal(600)
    assert steadiness(load, 1.0, limits_over(LIMITS, warm_up_s)).is_steady
