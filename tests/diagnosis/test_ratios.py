"""Differences between settings: seen as often as planned, and never invented; sameness is proven, not
assumed.
"""

from __future__ import annotations

from math import exp, inf, log, sqrt

import numpy as np
import pytest

from diagnosis.statistics.blocks import block_means, lag_correlation, mean_interval
from diagnosis.statistics.equivalence import equivalence
from diagnosis.statistics.power import power_of, rounds_to_tell, smallest_difference
from diagnosis.statistics.ratio import RatioLimits, chance, noise_floor, ratio_of_pairs, scatter_of
from diagnosis.statistics.student import t_probability, t_quantile, two_sided
from tests.diagnosis.noise import abba_rounds, wandering

LIMITS = RatioLimits(confidence=0.95, floor_confidence=0.98)


@pytest.mark.parametrize(
    ("freedom", "confidence", "quantile"),
    [  # printed tables of Student's t, two-sided
        (1, 0.95, 12.706),
        (2, 0.95, 4.303),
        (3, 0.90, 2.353),
        (4, 0.95, 2.776),
        (5, 0.99, 4.032),
        (10, 0.98, 2.764),
        (30, 0.95, 2.042),
        (120, 0.99, 2.617),
        (1e9, 0.95, 1.960),
    ],
)
def test_students_t_agrees_with_printed_tables(freedom: float, confidence: float, quantile: float) -> None:
    assert two_sided(confidence, freedom) == pytest.approx(quantile, abs=0.0006)
    assert t_probability(quantile, freedom) == pytest.approx((1 + confidence) / 2, abs=0.0002)


def test_one_degree_of_freedom_is_cauchys_distribution() -> None:
    for t in (-30.0, -1.0, 0.0, 0.4, 3.0):
        assert t_probability(t, 1) == pytest.approx(0.5 + np.arctan(t) / np.pi, abs=1e-12)
    assert t_quantile(0.25, 1) == pytest.approx(-1.0)
    assert t_quantile(0.975, 0) == inf


def test_the_ratio_of_three_pairs_by_hand() -> None:
    # Logarithms of 1.10, 1.20, 1.30: mean 0.180 and standard deviation 0.0836; ± 4.303 · 0.0836 / √3.
    found = ratio_of_pairs([100.0, 100.0, 100.0], [110.0, 120.0, 130.0], LIMITS)
    logs = [log(1.1), log(1.2), log(1.3)]
    mean = sum(logs) / 3
    spread = sqrt(sum((one - mean) ** 2 for one in logs) / 2)
    assert found.value == pytest.approx(exp(mean))
    assert found.low == pytest.approx(exp(mean - 4.3027 * spread / sqrt(3)), rel=1e-4)
    assert found.high == pytest.approx(exp(mean + 4.3027 * spread / sqrt(3)), rel=1e-4)
    assert found.pairs == 3


def test_a_steady_drift_cancels_out_in_the_order_a_b_b_a() -> None:
    # 4 % slower each round; B is 10 % faster.
    levels = [1000 * 0.96**number for number in range(8)]
    a = [levels[number] for number in (0, 3, 4, 7)]
    b = [levels[number] * 1.1 for number in (1, 2, 5, 6)]
    assert ratio_of_pairs(a, b, LIMITS).value == pytest.approx(1.1)


def test_equal_settings_are_declared_different_in_at_most_5_percent_of_200_runs() -> None:
    for seed in (1, 2, 3):
        random = np.random.default_rng(seed)
        declared = 0
        for run in range(200):
            a, b = abba_rounds(random, 3 + run % 4, 2.0)
            declared += ratio_of_pairs(a, b, LIMITS).difference != "none seen"
        assert declared <= 10


@pytest.mark.parametrize(("change", "scatter"), [(5.0, 1.5), (10.0, 3.0), (-5.0, 1.5), (-10.0, 4.0)])
def test_a_difference_is_found_with_the_power_that_the_plan_promised(change: float, scatter: float) -> None:
    rounds = rounds_to_tell(change, scatter / 100, 0.8, LIMITS, at_most=60)
    assert rounds is not None
    promised = power_of(rounds, scatter / 100, change, LIMITS)
    random = np.random.default_rng(9)
    found = 0
    for _ in range(200):
        a, b = abba_rounds(random, rounds, scatter, change)
        ratio = ratio_of_pairs(a, b, LIMITS, noise_floor(scatter / 100, 1e9, rounds, LIMITS))
        found += ratio.difference == ("higher" if change > 0 else "lower")
    # 200 runs of a chance of 0.8 scatter by 0.028; the drift and the noise within rounds cost a little.
    assert found / 200 >= promised - 0.07
    assert promised >= 0.8


def test_the_planned_power_agrees_with_a_simulation_of_the_rule() -> None:
    random = np.random.default_rng(4)
    for rounds, scatter, change in ((3, 0.02, 8.0), (5, 0.03, 5.0), (10, 0.05, 7.0)):
        logs = log(1 + change / 100) + scatter * sqrt(2) * random.standard_normal((40_000, rounds))
        reach = two_sided(0.95, rounds - 1) * logs.std(axis=1, ddof=1) / sqrt(rounds)
        floor = 2.3263 * scatter * sqrt(2 / rounds)
        found = (np.abs(logs.mean(axis=1)) > np.maximum(reach, floor)).mean()
        assert power_of(rounds, scatter, change, LIMITS) == pytest.approx(found, abs=0.01)


def test_smaller_differences_and_noisier_rounds_need_more_rounds() -> None:
    needed = [rounds_to_tell(one, 0.02, 0.8, LIMITS, 200) for one in (20.0, 10.0, 5.0, 3.0)]
    known = [one for one in needed if one is not None]
    assert known == sorted(known)
    assert known[0] == 3
    assert rounds_to_tell(1.0, 0.10, 0.8, LIMITS, 20) is None
    assert smallest_difference(known[2], 0.02, 0.8, LIMITS) <= 5.0
    assert smallest_difference(1, 0.02, 0.8, LIMITS) == inf


def test_a_change_below_the_noise_floor_is_no_difference() -> None:
    found = ratio_of_pairs([100.0, 101.0, 99.0], [102.0, 103.0, 101.0], LIMITS, floor=1.03)
    assert found.low > 1.0
    assert found.difference == "none seen"
    assert ratio_of_pairs([100.0], [200.0], LIMITS).difference == "undecided"


def test_the_noise_floor_holds_all_but_two_of_a_hundred_comparisons_of_equal_rounds() -> None:
    random = np.random.default_rng(8)
    scatter = scatter_of([[float(one) for one in np.exp(0.03 * random.standard_normal(4000))]])
    floor = noise_floor(scatter, 3999, 3, LIMITS)
    means = 0.03 * random.standard_normal((20_000, 2, 3)).mean(axis=2)
    beyond = (np.abs(means[:, 0] - means[:, 1]) > log(floor)).mean()
    assert beyond == pytest.approx(0.02, abs=0.004)


def test_the_chance_of_a_ratio_is_small_where_its_interval_excludes_1() -> None:
    clear = ratio_of_pairs([100.0, 101.0, 99.0, 100.0], [120.0, 121.0, 119.0, 122.0], LIMITS)
    unclear = ratio_of_pairs([100.0, 90.0, 110.0, 100.0], [101.0, 95.0, 104.0, 99.0], LIMITS)
    assert chance(clear, 0.95) < 0.01
    assert chance(unclear, 0.95) > 0.5


def test_the_same_is_said_only_where_a_difference_is_excluded() -> None:
    a = [100.0, 101.0, 99.5, 100.2]
    assert equivalence(a, [one * 1.01 for one in a], 5.0, 0.05).verdict == "same"
    assert equivalence(a, [one * 1.20 for one in a], 5.0, 0.05).verdict == "different"
    assert equivalence([100.0, 140.0, 80.0], [120.0, 90.0, 110.0], 5.0, 0.05).verdict == "undecided"
    assert equivalence([100.0], [100.0], 5.0, 0.05).verdict == "undecided"


def test_settings_that_differ_by_the_margin_are_called_the_same_in_at_most_5_percent() -> None:
    random = np.random.default_rng(12)
    wrong = 0
    for _ in range(1000):
        a = np.exp(0.02 * random.standard_normal(5)) * 100
        b = np.exp(0.02 * random.standard_normal(5)) * 105
        wrong += equivalence(a.tolist(), b.tolist(), 5.0, 0.05).verdict == "same"
    assert wrong <= 65  # 50 expected, ± 2 · 7


def test_the_interval_of_one_rounds_mean_knows_that_neighbours_are_alike() -> None:
    random = np.random.default_rng(6)
    covered = naive = 0
    for _ in range(300):
        samples = wandering(random, 600, 5.0, 0.9)
        mean, low, high = mean_interval(samples, 0.95)
        covered += low <= 1000.0 <= high
        naive += bool(abs(mean - 1000.0) <= 1.96 * samples.std(ddof=1) / sqrt(600))
    assert covered >= 0.90 * 300
    assert naive <= 0.60 * 300


def test_blocks_keep_the_newest_samples_and_gaps_out() -> None:
    means = block_means(np.array([9.0, 1.0, 3.0, np.nan, 6.0, np.nan, np.nan]), 2)
    assert means[:2].tolist() == [2.0, 6.0]
    assert np.isnan(means[2])
    assert lag_correlation(np.full(50, 3.0)) == 0.0
    assert np.isnan(mean_interval(np.full(3, np.nan), 0.95)[0])
