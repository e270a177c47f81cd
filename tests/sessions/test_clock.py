"""Times in a zone: how they are shown with it, and how typed ones are read."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from resources.failures import UsageError
from sessions.clock import UTC_CLOCK, Clock, clock_named, fixed_clock, zone_names
from sessions.times import TimeRange

BERLIN, NEW_YORK, KOLKATA = (
    clock_named(name) for name in ("Europe/Berlin", "america/new_york", "Asia/Kolkata")
)
CLOCKS = (BERLIN, NEW_YORK, KOLKATA, UTC_CLOCK, clock_named("Australia/Lord_Howe"), clock_named("local"))


def ms(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1000)


NOVEMBER = ms("2026-11-21T14:21:35Z")
TWICE = (ms("2026-10-25T00:30:00Z"), ms("2026-10-25T01:30:00Z"))


@pytest.mark.parametrize(
    ("clock", "moment", "stamp", "iso"),
    [
        (UTC_CLOCK, "14:21:35 UTC", "2026-11-21 14:21:35 UTC", "2026-11-21T14:21:35Z"),
        (BERLIN, "15:21:35 CET", "2026-11-21 15:21:35 CET", "2026-11-21T15:21:35+01:00"),
        (NEW_YORK, "09:21:35 EST", "2026-11-21 09:21:35 EST", "2026-11-21T09:21:35-05:00"),
        (KOLKATA, "19:51:35 IST", "2026-11-21 19:51:35 IST", "2026-11-21T19:51:35+05:30"),
        (
            clock_named("America/Sao_Paulo"),
            "11:21:35 UTC−3", "2026-11-21 11:21:35 UTC−3", "2026-11-21T11:21:35-03:00",
        ),
        (fixed_clock(60, "CET"), "15:21:35 CET", "2026-11-21 15:21:35 CET", "2026-11-21T15:21:35+01:00"),
        (fixed_clock(0, "UTC"), "14:21:35 UTC", "2026-11-21 14:21:35 UTC", "2026-11-21T14:21:35Z"),
    ],
)  # fmt: skip
def test_a_time_with_its_zone(clock: Clock, moment: str, stamp: str, iso: str) -> None:
    assert (clock.moment(NOVEMBER), clock.stamp(NOVEMBER), clock.iso(NOVEMBER)) == (moment, stamp, iso)
    assert clock.parse(iso) == NOVEMBER


def test_the_hour_that_comes_twice_is_told_apart() -> None:
    assert [BERLIN.time(t) for t in TWICE] == ["02:30:00 +2", "02:30:00 +1"]
    assert [BERLIN.moment(t) for t in TWICE] == ["02:30:00 +2 CEST", "02:30:00 +1 CET"]
    assert [BERLIN.iso(t) for t in TWICE] == ["2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00"]
    assert BERLIN.time(ms("2026-10-24T23:59:59Z")) == "01:59:59"
    assert BERLIN.time(ms("2026-10-25T02:00:00Z")) == "03:00:00"


def test_a_window_with_its_zone() -> None:
    half = 15 * 60_000
    assert BERLIN.window(TimeRange(NOVEMBER, NOVEMBER + half)) == "21 Nov 15:21 – 15:36 CET"
    assert BERLIN.window(TimeRange(NOVEMBER, NOVEMBER + 20_000)) == "21 Nov 15:21:35 – 15:21:55 CET"
    night = TimeRange(NOVEMBER, NOVEMBER + 12 * 3_600_000)
    assert BERLIN.window(night) == "21 Nov 15:21 – 22 Nov 03:21 CET"
    assert UTC_CLOCK.window(night, zone=False) == "21 Nov 14:21 – 22 Nov 02:21"
    autumn = TimeRange(ms("2026-10-24T22:00:00Z"), ms("2026-10-25T12:00:00Z"))
    assert BERLIN.window(autumn) == "25 Oct 00:00 – 13:00 CEST, then CET"


def test_typed_times_are_of_the_clock_unless_they_tell_their_own_zone() -> None:
    assert BERLIN.parse("2026-11-21T15:21:35") == NOVEMBER
    assert BERLIN.parse("2026-11-21T14:21:35Z") == NOVEMBER
    assert BERLIN.parse("2026-10-25T02:30:00") == TWICE[0]  # the first of the two
    assert BERLIN.parse("2026-03-29T02:30:00") == ms("2026-03-29T01:30:00Z")  # there is no such time of day
    with pytest.raises(UsageError, match=re.escape("'14:21' is not a time.")) as caught:
        BERLIN.parse("14:21")
    assert "Europe/Berlin" in str(caught.value)


@pytest.mark.parametrize("name", ["", "Europe", "../../etc/passwd", "Mars/Olympus", "localtime\0"])
def test_what_is_no_zone_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="is no time zone"):
        clock_named(name)


def test_a_part_of_a_zone_leads_to_it() -> None:
    with pytest.raises(UsageError, match="Do you mean Europe/Berlin"):
        clock_named("berlin")
    assert {"Europe/Berlin", "Asia/Kolkata"} < set(zone_names())


@given(st.integers(-(2**62), 2**62), st.sampled_from(CLOCKS))
@example(0, NEW_YORK)
def test_any_number_is_shown_as_some_time(t_ms: int, clock: Clock) -> None:
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d( [+−]\d+(:\d\d)?)? \S+", clock.stamp(t_ms))


@given(st.datetimes(datetime(1980, 1, 1), datetime(2037, 1, 1)), st.sampled_from(CLOCKS))
def test_what_was_written_is_read_back(when: datetime, clock: Clock) -> None:
    t_ms = round(when.replace(tzinfo=UTC, microsecond=0).timestamp() * 1000)
    assert clock.parse(clock.iso(t_ms)) == t_ms
    twins = [t_ms + hours * 1_800_000 for hours in (-2, -1, 1, 2)]
    same = [t for t in twins if clock(t).replace(tzinfo=None) == clock(t_ms).replace(tzinfo=None)]
    assert clock.is_repeated(t_ms) == bool(same)


def test_the_day_before_is_told_by_the_clock_on_the_wall() -> None:
    berlin = clock_named("Europe/Berlin")
    after = berlin.parse("2026-10-25T07:30")
    before = berlin.days_later(after, -1)
    assert berlin.stamp(before).startswith("2026-10-24 07:30:00")
    assert after - before == 25 * 3_600_000  # clocks were set back in that night
    assert berlin.days_later(before, 1) == after
