"""Knees, queues, a single server's line, fairness: numbers of the studies, worked out by hand."""

from __future__ import annotations

from math import isnan

import pytest

from diagnosis.statistics.curves import knee, littles_deviation_percent, serial_service
from diagnosis.statistics.shares import due, fairness, variation_percent, weighted_latency


def test_the_knee_is_where_a_doubling_gains_less_than_5_percent() -> None:
    found = knee([1, 2, 4, 8, 16, 32], [10.0, 19.5, 36.0, 50.0, 51.0, 51.5], 5.0)
    assert found is not None
    assert (found.setting, found.value) == (8, 50.0)
    assert found.share == pytest.approx(50.0 / 51.5)


def test_a_curve_that_still_rises_has_no_knee() -> None:
    assert knee([1, 2, 4], [10.0, 19.0, 30.0], 5.0) is None
    assert knee([1], [10.0], 5.0) is None


def test_a_single_flat_step_before_a_rise_is_no_knee() -> None:
    found = knee([1, 2, 4, 8, 16], [10.0, 10.1, 20.0, 20.1, 20.2], 5.0)
    assert found is not None
    assert found.setting == 4


def test_uneven_steps_are_judged_by_their_doublings() -> None:
    # From 8 to 12 (0.58 doublings) 4 % more: 6.9 % a doubling, so it still pays.
    assert knee([4, 8, 12], [10.0, 18.0, 18.72], 5.0) is None
    found = knee([4, 8, 64], [10.0, 18.0, 20.0], 5.0)  # 11 % more in three doublings: 3.6 % each
    assert found is not None
    assert found.setting == 8


def test_littles_law() -> None:
    assert littles_deviation_percent(32, 16_000, 2.0) == pytest.approx(0.0)
    assert littles_deviation_percent(64, 16_000, 2.0) == pytest.approx(-50.0)
    assert isnan(littles_deviation_percent(0, 10, 1))


def test_the_studys_latencies_of_one_block_are_a_serial_server() -> None:
    # tests.md W1: 0.0945 ms an I/O, 10.5 to 10.6 thousand I/Os a second, and a queue of about 128.
    found = serial_service([1, 16, 32, 64, 128, 256], [0.12, 1.51, 3.06, 6.07, 12.08, 12.68], 5.0)
    assert found is not None
    assert found.service_ms == pytest.approx(0.0945, abs=0.0005)
    assert found.ceiling_iops == pytest.approx(10_550, abs=50)
    assert found.points == 4
    assert found.depth == pytest.approx(128, abs=8)
    assert found.base_ms == 0.12


def test_a_device_that_works_in_parallel_is_no_serial_server() -> None:
    assert serial_service([1, 2, 4, 8, 16], [0.5, 0.5, 0.51, 0.53, 0.6], 5.0) is None


def test_a_serial_server_without_an_end_of_its_queue() -> None:
    found = serial_service([1, 4, 16, 64], [0.1, 0.4, 1.6, 6.4], 5.0)
    assert found is not None
    assert isnan(found.depth)
    assert found.points == 4


def test_fairness_variation_and_what_is_due() -> None:
    assert fairness([5.0, 5.0, 5.0, 5.0]) == 1.0
    assert fairness([8.0, 0.0, 0.0, 0.0]) == 0.25
    assert isnan(fairness([0.0, 0.0]))
    assert variation_percent([90.0, 100.0, 110.0]) == pytest.approx(10.0)
    assert isnan(variation_percent([100.0]))
    assert due({"db": 2000, "web": 1000, "log": 1000}, 8000) == {"db": 4000.0, "web": 2000.0, "log": 2000.0}


def test_latency_is_weighted_by_the_mix_of_io() -> None:
    assert weighted_latency({"read": 1.0, "write": 5.0}, {"read": 0.7, "write": 0.3}) == pytest.approx(2.2)
    assert weighted_latency({"read": 1.0}, {"read": 100, "write": 0}) == 1.0
    assert isnan(weighted_latency({}, {}))
