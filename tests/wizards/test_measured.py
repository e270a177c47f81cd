"""How a round adds its workers up: I/Os are summed, means weighted, percentiles come from merged I/Os."""

from __future__ import annotations

import numpy as np
import pytest

from collectors.fio.histogram import Histogram
from sessions.times import TimeRange
from wizards.flows.measured import Measured, Round, Transfers, WorkerRound
from wizards.flows.verdict import Verdict


def worker(name: str, reads: int, read_ms: float, writes: int = 0, write_ms: float = 0.0) -> WorkerRound:
    """A worker whose reads and writes all take equally long, 4 KB each."""

    def side(ios: int, ms: float) -> Transfers:
        latencies = Histogram.of_latencies(np.full(ios, int(ms * 1e6), np.int64))
        return Transfers(ios, ios * 4096, ms if ios else float("nan"), latencies)

    return WorkerRound(name, side(reads, read_ms), side(writes, write_ms))


ROUND = Round("off", 1, TimeRange(0, 10_000), (worker("a", 900, 1.0), worker("b", 80, 2.0, 20, 40.0)))


def test_iops_and_mb_are_summed_over_the_common_window() -> None:
    assert ROUND.iops() == 100.0
    assert ROUND.mb_per_second() == pytest.approx(100 * 4096 / (1 << 20))


def test_the_mean_latency_is_weighted_by_the_ios() -> None:
    assert ROUND.latency_ms() == pytest.approx((900 * 1.0 + 80 * 2.0 + 20 * 40.0) / 1000)


def test_percentiles_come_from_the_merged_ios_and_not_from_the_workers_own() -> None:
    # 980 of the 1,000 I/Os took at most 2 ms, so the 98th percentile is 2 ms and the 99th is 40 ms.
    assert ROUND.percentile_ms(98) == pytest.approx(2.0, rel=1 / 128)
    assert ROUND.percentile_ms(99) == pytest.approx(40.0, rel=1 / 128)


def test_a_round_without_io_has_no_latency() -> None:
    idle = Round("off", 1, TimeRange(0, 10_000), (worker("a", 0, 0.0),))
    assert idle.iops() == 0.0
    assert np.isnan(idle.latency_ms())
    assert np.isnan(idle.percentile_ms(99))


def test_rounds_are_found_by_their_step() -> None:
    again = Round("on", 1, TimeRange(20_000, 30_000), ())
    measured = Measured((ROUND, again, Round("off", 2, TimeRange(40_000, 50_000), ())))
    assert measured.steps() == ("off", "on")
    assert [one.number for one in measured.of_step("off")] == [1, 2]


def test_a_verdict_has_at_most_six_notes() -> None:
    with pytest.raises(ValueError, match="7 notes"):
        Verdict(True, "", "The same.", "", "high", notes=tuple("1234567"))
