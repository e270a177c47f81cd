"""Histograms: buckets and percentiles as fio has them, merged and taken apart."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from collectors.fio.histogram import BUCKETS, Histogram, bucket_of, merged, middle_of

LATENCIES = st.lists(st.integers(0, (1 << 34) - 1), min_size=1, max_size=60).map(
    lambda found: np.array(found, np.int64)
)


def test_every_bucket_holds_its_middle() -> None:
    buckets = np.arange(BUCKETS)
    middles = middle_of(buckets)
    assert (bucket_of(middles) == buckets).all()
    assert (np.diff(middles) > 0).all()
    assert bucket_of(np.array([1 << 34, 1 << 60])).tolist() == [BUCKETS - 1] * 2


@given(LATENCIES)
def test_a_latency_is_within_a_hundredth_of_the_middle_of_its_bucket(latencies: Any) -> None:
    middles = middle_of(bucket_of(latencies))
    assert (np.abs(middles - latencies) <= latencies / 128).all()


@given(LATENCIES, LATENCIES, st.floats(0.1, 100))
def test_a_percentile_of_merged_workers_is_that_of_all_ios(one: Any, two: Any, percent: float) -> None:
    together = np.sort(np.concatenate([one, two]))
    exact = together[max(0, math.ceil(percent / 100 * together.size - 1e-9) - 1)]
    found = merged([Histogram.of_latencies(one), Histogram.of_latencies(two)]).percentile(percent)
    assert abs(bucket_of(np.array([int(found)]))[0] - bucket_of(np.array([exact]))[0]) <= 0


@given(LATENCIES, LATENCIES)
def test_what_came_after_is_what_was_merged(one: Any, two: Any) -> None:
    before, new = Histogram.of_latencies(one), Histogram.of_latencies(two)
    after = merged([before, new]).since(before)
    assert after.values.tolist() == new.values.tolist()
    assert after.counts.tolist() == new.counts.tolist()


def test_a_histogram_of_another_run_is_no_earlier_one() -> None:
    one, other = Histogram.of_bins({1000: 3}), Histogram.of_bins({2000: 1})
    with pytest.raises(ValueError, match="lost"):
        one.since(other)
    with pytest.raises(ValueError, match="lost"):
        one.since(Histogram.of_bins({1000: 4}))


def test_without_ios_there_is_no_percentile() -> None:
    assert math.isnan(merged([]).percentile(99))
    assert Histogram.of_bins({500: 0}).total == 0
    with pytest.raises(ValueError, match="negative"):
        Histogram.of_bins({500: -1})


def test_percentiles_are_those_that_fio_prints(last_document: dict[str, Any]) -> None:
    compared = 0
    for job in last_document["jobs"]:
        for way in ("read", "write"):
            clat = job[way]["clat_ns"]
            histogram = Histogram.of_bins({int(key): count for key, count in clat["bins"].items()})
            assert histogram.total == clat["N"]
            for percent, expected in clat["percentile"].items():
                assert histogram.percentile(float(percent)) == expected
                compared += 1
    assert compared == 4 * 17
