"""Times of rows: esxtop's own stamps, and what is found of others."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collectors.esxtop.timestamps import NO_TIME, esxtop_times, parse_timestamp, spread, times_of_rows
from sessions.model import IntArray


def ms(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


def of_lines(*lines: str) -> list[int]:
    data = "\n".join(lines).encode()
    ends = np.cumsum([len(line) + 1 for line in lines]) - 1
    starts = ends - [len(line) for line in lines]
    return esxtop_times(np.frombuffer(data, dtype=np.uint8), starts, ends).tolist()  # type: ignore[no-any-return]


def found(*cells: str) -> tuple[list[int], tuple[str, ...]]:
    stamps = [parse_timestamp(cell.encode()) for cell in cells]
    numbers = np.array([stamp.numbers() if stamp else (-2,) * 6 for stamp in stamps])
    dotted = any(stamp.dotted for stamp in stamps if stamp)
    found = times_of_rows(numbers, dotted=dotted)
    return spread(found.times, found.resolution_ms).tolist(), found.notes


@settings(deadline=None)
@given(st.datetimes(datetime(1970, 1, 1), datetime(2199, 12, 31)), st.booleans())
def test_esxtop_writes_month_day_year(when: datetime, quoted: bool) -> None:
    when = when.replace(microsecond=0)
    stamp = when.strftime("%m/%d/") + f"{when.year:04d}" + when.strftime(" %H:%M:%S")
    line = f'"{stamp}","1.00"' if quoted else f"{stamp},1.00"
    assert of_lines(line) == [ms(when.isoformat())]


@pytest.mark.parametrize(
    "line",
    [
        '"13/01/2026 00:00:00",',
        '"02/29/2025 00:00:00",',
        '"02/30/2024 00:00:00",',
        '"03/09/2026 24:00:00",',
        '"03/09/2026 14:21",',
        '"03/09/2026 14:21:355",',
        "",
        '"',
        "(PDH-CSV 4.0)",
    ],
)
def test_other_lines_have_no_esxtop_time(line: str) -> None:
    assert of_lines(line) == [NO_TIME]


def test_a_leap_day() -> None:
    assert of_lines('"02/29/2024 12:00:00",') == [ms("2024-02-29T12:00:00")]


def test_rows_of_one_minute_are_spread_over_it() -> None:
    times, notes = found(*["3/26/2015 22:42"] * 3, *["3/26/2015 22:43"] * 4, *["3/26/2015 22:44"] * 2)
    start = ms("2015-03-26T22:42:00")
    # The first minute was cut at its beginning and the last at its end: both keep the usual 20 s.
    assert [(time - start) / 1000 for time in times] == [0, 20, 40, 60, 75, 90, 105, 120, 140]
    assert "no seconds" in notes[0]


def test_a_first_minute_that_was_cut_keeps_its_end() -> None:
    times, _ = found("1/2/2015 10:00", *["1/2/2015 10:01"] * 4, *["1/2/2015 10:02"] * 4)
    assert times[0] == ms("2015-01-02T10:00:45")


def test_two_digit_years() -> None:
    assert found("05/09/24 10:50", "05/14/24 10:51")[0] == [
        ms("2024-05-09T10:50"),
        ms("2024-05-14T10:51"),
    ]


def test_a_day_above_twelve_tells_the_order() -> None:
    times, notes = found("12/03/2026 10:00:00", "13/03/2026 10:00:00")
    assert times == [ms("2026-03-12T10:00"), ms("2026-03-13T10:00")]
    assert not notes


def test_time_does_not_run_backwards() -> None:
    times, _ = found("30.01.2026 23:59:55".replace("30", "11"), "12.01.2026 00:00:00")
    assert times == [ms("2026-01-11T23:59:55"), ms("2026-01-12T00:00:00")]
    times, _ = found("10/02/2026 08:00:00", "11/02/2026 08:00:00", "01/03/2026 08:00:00")
    assert times == [ms("2026-02-10T08:00"), ms("2026-02-11T08:00"), ms("2026-03-01T08:00")]


def test_the_shorter_capture_is_the_likelier() -> None:
    """Midnight from 11 to 12 March, day first: not a jump of a month."""
    times, _ = found("11/03/2026 23:59:55", "12/03/2026 00:00:00")
    assert times == [ms("2026-03-11T23:59:55"), ms("2026-03-12T00:00:00")]


def test_a_single_ambiguous_day_is_read_as_esxtop_writes_it() -> None:
    times, notes = found("03/04/2026 10:00:00", "03/04/2026 10:00:05")
    assert times[0] == ms("2026-03-04T10:00:00")
    assert "can't be told apart" in notes[0]


def test_iso_dates_and_half_days() -> None:
    assert found("2026-03-09 14:21:35")[0] == [ms("2026-03-09T14:21:35")]
    assert found("3/9/2026 2:21:35 PM")[0] == [ms("2026-03-09T14:21:35")]
    assert found("3/9/2026 12:00:01 AM")[0] == [ms("2026-03-09T00:00:01")]


def test_times_without_a_date_run_over_midnight() -> None:
    times, notes = found("23:59:55", "00:00:00", "00:00:05")
    assert np.diff(times).tolist() == [5000, 5000]
    assert "no date" in notes[0]


def test_a_row_without_a_time_stays_without() -> None:
    times, _ = found("3/9/2026 10:00", "rubbish", "3/9/2026 10:01")
    assert times == [ms("2026-03-09T10:00"), NO_TIME, ms("2026-03-09T10:01")]


@settings(max_examples=60, deadline=None)
@given(st.data(), st.integers(1, 400), st.integers(2, 90))
def test_any_order_that_can_be_told_is_told(data: st.DataObject, rows: int, step: int) -> None:
    """A capture across several days, written in any custom, gives its own times back."""
    start = data.draw(st.datetimes(datetime(2001, 1, 1), datetime(2090, 1, 1))).replace(microsecond=0)
    form = data.draw(st.sampled_from(["%d/%m/%Y %H:%M:%S", "%m/%d/%Y %H:%M:%S", "%Y-%m-%d %H:%M:%S"]))
    times = [start + timedelta(minutes=step * 30 * row) for row in range(max(rows, 4 * 48))]
    cells = [when.strftime(form) for when in times]
    assert found(*cells)[0] == [ms(when.isoformat()) for when in times]


@settings(deadline=None)
@given(st.lists(st.integers(0, 5), min_size=1, max_size=60))
def test_spreading_keeps_the_order_and_the_stamp(steps: list[int]) -> None:
    times: IntArray = np.cumsum(steps).astype(np.int64) * 60_000
    out = spread(times, 60_000)
    assert (np.diff(out) > 0).all()
    assert (out // 60_000 == times // 60_000).all()
