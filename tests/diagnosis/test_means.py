"""Means of autocorrelated samples, Student's t for many, and the correction: against truths that can be
computed.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from diagnosis.statistics.false_discovery import corrected
from diagnosis.statistics.means import means_of
from diagnosis.statistics.student import t_probability, two_sided
from diagnosis.statistics.student_arrays import two_sided_chance, two_sided_reach
from sessions.model import FloatArray

CHANCES = hnp.arrays(np.float64, st.integers(1, 40), elements=st.floats(0, 1) | st.just(np.nan))


def autocorrelated(series: int, samples: int, phi: float, seed: int = 1) -> FloatArray:
    """AR(1) of mean 0 and standard deviation 1."""
    noise = np.random.default_rng(seed).normal(size=(series, samples + 200))
    values = noise.copy()
    for at in range(1, samples + 200):
        values[:, at] = phi * values[:, at - 1] + noise[:, at] * np.sqrt(1 - phi * phi)
    return values[:, 200:]


def test_the_error_of_independent_samples_is_their_spread_by_the_root_of_n() -> None:
    means = means_of(autocorrelated(400, 500, 0.0))
    assert np.median(means.error) == pytest.approx(1 / np.sqrt(500), rel=0.1)
    assert np.median(means.effective) > 400


@pytest.mark.parametrize("phi", [0.5, 0.8, 0.9])
def test_the_error_of_neighbours_that_resemble_each_other_is_that_of_their_effective_number(
    phi: float,
) -> None:
    """The variance of the mean of an AR(1) is its variance by n, times (1 + phi) / (1 − phi)."""
    values = autocorrelated(600, 1000, phi)
    truth = np.sqrt((1 + phi) / (1 - phi) / 1000)
    means = means_of(values)
    assert np.median(means.error) == pytest.approx(truth, rel=0.15)
    assert means.mean.std() == pytest.approx(truth, rel=0.1)
    assert np.median(means.effective) == pytest.approx(1000 * (1 - phi) / (1 + phi), rel=0.3)


@pytest.mark.parametrize("phi", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("samples", [90, 360])
def test_an_interval_holds_the_truth_in_95_of_100(phi: float, samples: int) -> None:
    means = means_of(autocorrelated(1500, samples, phi, seed=3))
    reach = two_sided_reach(0.95, means.freedom) * means.error
    assert (np.abs(means.mean) <= reach).mean() >= 0.93


def test_noise_on_top_of_a_slow_load_does_not_hide_it() -> None:
    """Neighbours then correlate by half only, which for an AR(1) would leave a third of the samples."""
    slow = autocorrelated(1200, 360, 0.95, seed=5) + autocorrelated(1200, 360, 0.0, seed=6)
    means = means_of(slow)
    reach = two_sided_reach(0.95, means.freedom) * means.error
    assert (np.abs(means.mean) <= reach).mean() >= 0.92


def test_what_stands_still_has_no_error() -> None:
    means = means_of(np.full((1, 100), 0.1))
    assert (means.error[0], means.spread[0], means.count[0]) == (0.0, 0.0, 100.0)
    assert means.mean[0] == pytest.approx(0.1)


def test_absent_samples_do_not_count() -> None:
    whole = autocorrelated(1, 200, 0.5)
    holes = np.insert(whole, [50, 50, 120], np.nan, axis=1)
    a, b = means_of(whole), means_of(holes)
    assert (b.count[0], b.mean[0], b.spread[0]) == (
        200.0,
        pytest.approx(a.mean[0]),
        pytest.approx(a.spread[0]),
    )
    assert b.error[0] == pytest.approx(a.error[0], rel=0.1)


def test_without_samples_nothing_is_known() -> None:
    means = means_of(np.array([[np.nan, np.nan, np.nan], [np.nan, 4.0, np.nan]]))
    assert means.count.tolist() == [0.0, 1.0]
    assert np.isnan(means.mean[0])
    assert means.mean[1] == 4.0
    assert np.isnan(means.error).all()


@given(hnp.arrays(np.float64, (3, 12), elements=st.floats(-1e6, 1e6) | st.just(np.nan)))
def test_any_samples_give_numbers_that_fit_together(values: FloatArray) -> None:
    means = means_of(values)
    known = means.count >= 2
    assert (means.error[known] >= 0).all()
    assert (means.effective <= means.count).all()
    assert (means.freedom[known] > 0).all()
    for row, mean in zip(values, means.mean, strict=True):
        if not np.isnan(row).all():
            assert mean == pytest.approx(np.nanmean(row), rel=1e-9, abs=1e-6)


@given(st.floats(-60, 60), st.floats(1, 500))
def test_many_ts_are_those_of_one(t: float, freedom: float) -> None:
    (many,) = two_sided_chance(np.array([t]), np.array([freedom]))
    assert many == pytest.approx(2 * t_probability(-abs(t), freedom), rel=1e-6, abs=1e-280)


def test_a_reach_is_never_too_short() -> None:
    freedoms = np.array([1.0, 2.5, 7.0, 33.3, 120.0, 1e9])
    reach = two_sided_reach(0.95, freedoms)
    exact = [two_sided(0.95, one) for one in freedoms.tolist()]
    assert (reach >= np.array(exact) * (1 - 1e-9)).all()
    assert reach[-1] == pytest.approx(1.96, abs=0.001)


@given(CHANCES)
def test_the_correction_is_that_of_benjamini_and_hochberg(chances: FloatArray) -> None:
    """By the definition: the k-th of n counts if any p(j), j ≥ k, is at most q j / n."""
    after = corrected(chances)
    known = np.sort(chances[~np.isnan(chances)])
    for rate in (0.01, 0.05, 0.3):
        below = np.flatnonzero(known <= rate * np.arange(1, known.size + 1) / max(known.size, 1))
        limit = known[below[-1]] if below.size else -1.0
        with np.errstate(invalid="ignore"):
            assert ((after <= rate + 1e-12) >= (chances <= limit)).all()
            assert ((after <= rate - 1e-12) <= (chances <= limit)).all()
    assert (np.isnan(after) == np.isnan(chances)).all()
