"""Times: milliseconds inside, ISO 8601 in UTC outside."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.failures import UsageError
from sessions.times import TimeRange, iso, parse_time

instants = st.integers(min_value=0, max_value=4_102_444_800_000)  # 1970 to 2100
ranges = st.tuples(instants, instants).map(lambda pair: TimeRange(min(pair), max(pair)))


def test_times_are_written_in_utc_and_without_needless_milliseconds() -> None:
    assert iso(1_795_270_895_000) == "2026-11-21T14:21:35Z"
    assert iso(1_795_270_895_020) == "2026-11-21T14:21:35.020Z"


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("2026-11-21T14:21:35Z", "2026-11-21T14:21:35Z"),
        ("2026-11-21T14:21:35", "2026-11-21T14:21:35Z"),
        ("2026-11-21 14:21", "2026-11-21T14:21:00Z"),
        ("2026-11-21T15:21:35+01:00", "2026-11-21T14:21:35Z"),
        ("2026-11-21", "2026-11-21T00:00:00Z"),
    ],
)
def test_what_an_admin_types_is_understood(text: str, means: str) -> None:
    assert iso(parse_time(text)) == means


def test_what_is_no_time_is_refused_with_an_example() -> None:
    with pytest.raises(UsageError, match=r"'yesterday' is not a time.*2026-11-21T14:21:35Z"):
        parse_time("yesterday")


@given(instants)
def test_written_and_read_again_is_the_same_instant(t_ms: int) -> None:
    assert parse_time(iso(t_ms)) == t_ms


@given(ranges, ranges)
def test_the_shared_part_is_in_both(one: TimeRange, other: TimeRange) -> None:
    shared = one.intersect(other)
    assert shared == other.intersect(one)
    if shared is None:
        assert one.end < other.start or other.end < one.start
    else:
        assert all(whole.contains(t) for whole in (one, other) for t in (shared.start, shared.end))


def test_a_range_does_not_end_before_it_starts() -> None:
    with pytest.raises(ValueError, match="ends"):
        TimeRange(2, 1)
