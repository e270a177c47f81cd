"""How long a condition must hold: in seconds, whatever the interval, and never on too little data."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnosis.sustained import (
    Windows,
    close_bursts,
    fitted,
    present_windows,
    sustained_windows,
    too_short,
)
from resources.problem_cards import Hold
from sessions.model import FloatArray, IntArray
from tests.diagnosis.recordings import problems

CONTENTION = problems().sustained["contention"]
ZERO = problems().sustained["zero_tolerance"]
NAN = float("nan")


def axis(samples: int, interval: float) -> IntArray:
    return (np.arange(samples) * interval * 1000).astype(np.int64)


def spans(
    true: list[float] | FloatArray, interval: float, rule_name: str = "contention"
) -> list[tuple[float, float]]:
    """Windows in seconds."""
    row = np.asarray(true, dtype=np.float64)[None, :]
    times = axis(row.shape[1], interval)
    rule = problems().sustained[rule_name]
    found = sustained_windows(row, times, rule.warning, rule)
    return [(times[a] / 1000, times[b] / 1000) for a, b in zip(found.first, found.last, strict=True)]


@pytest.mark.parametrize("interval", [2.0, 5.0, 20.0])
def test_a_minute_of_the_last_hundred_seconds_is_a_warning_at_any_interval(interval: float) -> None:
    length = int(400 / interval)
    seconds = np.arange(length) * interval
    enough = np.where((seconds >= 100) & (seconds < 160), 1.0, 0.0)
    short = np.where((seconds >= 100) & (seconds < 160 - 2 * interval), 1.0, 0.0)
    assert spans(enough, interval) == [(100.0, 160.0 - interval)]
    assert spans(short, interval) == []


def test_three_of_five_twenty_second_samples_need_not_be_in_a_row() -> None:
    assert spans([0, 0, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0], 20) == [(40, 100)]
    assert spans([0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0], 20) == []


def test_jitter_of_the_clock_does_not_change_what_three_of_five_means() -> None:
    times = np.array([0, 19_900, 40_050, 59_950, 80_100, 99_950, 120_020], dtype=np.int64)
    true = np.array([[0, 0, 1, 1, 1, 0, 0]], dtype=np.float64)
    found = sustained_windows(true, times, CONTENTION.warning, CONTENTION)
    assert (found.first.tolist(), found.last.tolist()) == ([2], [4])


def test_a_hundred_good_seconds_end_a_window_and_fewer_do_not() -> None:
    bad, pause, gap = [1.0] * 20, [0.0] * 19, [0.0] * 21
    assert len(spans(bad + pause + bad, 5)) == 1
    assert len(spans(bad + gap + bad, 5)) == 2


def test_what_is_absent_is_neither_good_nor_bad() -> None:
    assert spans([1.0] * 10 + [NAN] * 4 + [1.0] * 10, 5) == [(0, 115)]
    # 60 s of violations, but 40 % of the time looked at unknown: not enough data to say so.
    assert spans([0.0] * 20 + [1.0, NAN, 1.0, NAN, 1.0] * 4 + [0.0] * 20, 5) == []
    assert spans([NAN] * 40, 5) == []


def test_one_sample_however_bad_is_no_problem() -> None:
    for rule in problems().sustained.keys() - {"any_sample"}:
        assert spans([0.0] * 50 + [1.0] + [0.0] * 50, 5, rule) == []
        assert spans([0.0] * 20 + [1.0] + [0.0] * 20, 20, rule) == []


@pytest.mark.parametrize("interval", [2, 5, 20, 60, 300, 1800])
def test_one_sample_of_a_state_that_is_never_harmless_is_enough(interval: int) -> None:
    found = spans([0.0] * 9 + [1.0] + [0.0] * 9, interval, "any_sample")
    assert found == [(9.0 * interval, 9.0 * interval)]


def bursts(starts: list[int], length: int, total: int = 1800, step: int = 5) -> list[float]:
    return [float(any(at <= t < at + length for at in starts)) for t in range(0, total, step)]


@pytest.mark.parametrize(
    ("starts", "length", "found"),
    [
        ([60, 360, 660, 960, 1260, 1560], 25, 6),  # every five minutes
        ([60, 365, 655, 960], 25, 4),  # give or take
        ([60, 360], 25, 0),  # twice is no pattern
        ([60, 200, 700, 1500], 25, 0),  # no even distance
        ([60, 360, 660, 960], 10, 0),  # too short to be bursts
    ],
)
def test_bursts_that_come_back_are_a_pattern(starts: list[int], length: int, found: int) -> None:
    assert len(spans(bursts(starts, length), 5, "contention")) == found
    assert len(spans(bursts(starts, length), 5, "bursts")) == found
    assert spans(bursts(starts, length), 5, "steady") == []  # a link that is full for a moment does its work


def test_what_lasts_is_no_burst_however_long() -> None:
    assert spans(bursts([60], 900), 5, "bursts") == []
    assert len(spans(bursts([60, 300, 540], 110), 5, "bursts")) == 3


@pytest.mark.parametrize(
    ("every", "length", "total", "is_found"),
    [
        (30, 6, 300, True),  # rings too small for bursts: a fifth of the time, for five minutes
        (30, 6, 200, False),  # not for a minute together
        (100, 10, 1800, True),
        (120, 30, 500, True),  # 90 good seconds in between end no problem
        (150, 10, 3600, False),  # further apart than what ends a problem, and too short to be bursts
        (30, 2, 1800, False),  # lone samples: a moment that the interval spreads
    ],
)
def test_short_bursts_that_soon_come_back_count_together(
    every: int, length: int, total: int, is_found: bool
) -> None:
    row = bursts(list(range(20, total, every)), length, total + 120, step=2)
    assert (len(spans(row, 2)) == 1) == is_found
    assert spans(row, 2, "steady") == []
    rule = problems().sustained["contention"]
    if is_found:
        told = close_bursts(np.array(row) == 1, axis(len(row), 2), rule)
        assert told is not None
        assert (told.every_ms, told.lasts_ms) == (every * 1000, length * 1000)
        assert len(told.spans) == len(range(20, total, every))


def test_short_bursts_without_an_order_are_noise() -> None:
    starts = np.cumsum(np.random.default_rng(7).integers(12, 90, 40)).tolist()
    assert spans(bursts(starts, 4, 2400, step=2), 2) == []


@pytest.mark.parametrize(
    ("starts", "found"),
    [
        (list(range(60, 960, 120)), 8),
        (list(range(60, 500, 120)), 0),  # four lone samples may be chance
        ([60, 180, 400, 460, 700, 780, 1000], 0),  # no even distance
    ],
)
def test_bursts_of_one_sample_must_come_back_more_often(starts: list[int], found: int) -> None:
    assert len(spans(bursts(starts, 20, step=20), 20)) == found


def test_two_blips_in_five_minutes_are_enough_for_what_must_never_happen() -> None:
    blips = np.zeros(300)
    blips[[40, 90]] = 1  # 250 s apart
    assert spans(blips, 5, "zero_tolerance") == [(200, 450)]
    blips = np.zeros(300)
    blips[[40, 110]] = 1  # 350 s apart
    assert spans(blips, 5, "zero_tolerance") == []


def test_a_long_gap_counts_for_nothing() -> None:
    times = np.concatenate([axis(6, 5), 3_600_000 + axis(6, 5)])
    true = np.ones((1, 12))
    assert not sustained_windows(true, times, CONTENTION.warning, CONTENTION).entity.size


def test_short_captures_show_states_only() -> None:
    times = axis(3, 5)
    assert too_short(times, CONTENTION.warning)
    assert not too_short(times, ZERO.warning)
    assert not too_short(axis(12, 5), CONTENTION.warning)
    true = np.array([[1, 1, 1], [1, 1, 0], [NAN, 1, 1], [NAN, NAN, 1]], dtype=np.float64)
    found = present_windows(true)
    assert (found.entity.tolist(), found.first.tolist(), found.last.tolist()) == ([0, 2], [0, 1], [2, 2])


@given(
    st.lists(st.sampled_from([0.0, 1.0, NAN]), min_size=1, max_size=120),
    st.sampled_from([2.0, 5.0, 20.0]),
)
@settings(max_examples=200, deadline=None)
def test_windows_begin_and_end_with_a_violation_and_hold_long_enough(
    true: list[float], interval: float
) -> None:
    times = axis(len(true), interval)
    row = np.array([true])
    found = sustained_windows(
        row, times, Hold(of_s=100, hold_s=60), msgspec.structs.replace(CONTENTION, returning=None)
    )
    ends = -1
    for first, last in zip(found.first.tolist(), found.last.tolist(), strict=True):
        assert true[first] == 1
        assert true[last] == 1
        assert first > ends
        assert sum(one == 1 for one in true[first : last + 1]) * interval >= 60 - interval / 2
        ends = last
    assert found.mask(1, len(true)).sum() >= sum(
        last - first + 1 for first, last in zip(found.first.tolist(), found.last.tolist(), strict=True)
    )


def test_windows_are_moved_to_the_spells_of_bad_samples_that_they_meet() -> None:
    bad = np.zeros((3, 40))
    bad[0, 10:20] = 1.0  # a mean found it early, and lost it early
    bad[1, [5, 8, 12]] = 1.0  # good samples in between end nothing
    windows = Windows(np.array([0, 1, 2]), np.array([6, 7, 3]), np.array([15, 9, 9]))
    found = fitted(windows, bad, axis(40, 20.0), 100.0)
    assert [*zip(found.entity.tolist(), found.first.tolist(), found.last.tolist(), strict=True)] == [
        (0, 10, 19), (1, 5, 12), (2, 3, 9),
    ]  # fmt: skip


@settings(max_examples=200)
@given(
    st.lists(
        st.lists(st.sampled_from([0.0, 0.0, 1.0, 1.0, NAN]), min_size=90, max_size=90), min_size=2, max_size=3
    ),
    st.integers(0, 40),
    st.sampled_from(["contention", "zero_tolerance", "bursts"]),
    st.sampled_from([5.0, 20.0, 60.0]),
)
def test_what_others_do_or_good_time_before_changes_no_window(
    rows: list[list[float]], good: int, name: str, interval: float
) -> None:
    """Only the part of the time is looked at in which something is bad: with others it is a longer one."""
    rule = problems().sustained[name]
    true = np.array(rows)
    for number in range(len(rows)):
        true[number, : number * good] = 0.0
        true[number, 90 - (number + 1) * good // 2 :] = 0.0
    times = axis(90, interval)
    for hold in (rule.warning, rule.critical):
        together = sustained_windows(true, times, hold, rule)
        for number in range(len(rows)):
            alone = sustained_windows(true[number : number + 1], times, hold, rule)
            own = together.entity == number
            assert together.first[own].tolist() == alone.first.tolist()
            assert together.last[own].tolist() == alone.last.tolist()
