"""The time axis: round times of the clock that the user sees."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from viewmodels.time_labels import time_label, time_ticks
from widgets.charts.axes import value_label

INDIA = timezone(timedelta(hours=5, minutes=30))


def utc(t_ms: int) -> datetime:
    return datetime.fromtimestamp(t_ms / 1000, UTC)


def india(t_ms: int) -> datetime:
    return datetime.fromtimestamp(t_ms / 1000, INDIA)


def ms(text: str) -> float:
    return datetime.fromisoformat(text).timestamp() * 1000


def labels(start: str, end: str, pixels: float, at=utc) -> list[str]:  # type: ignore[no-untyped-def]
    ticks, step = time_ticks(ms(start), ms(end), pixels, at)
    return [time_label(tick, step, at) for tick in ticks]


def test_half_an_hour() -> None:
    found = labels("2026-11-21T14:05:00+00:00", "2026-11-21T14:35:00+00:00", 740)
    assert found == ["14:05", "14:10", "14:15", "14:20", "14:25", "14:30", "14:35"]


def test_seconds_where_they_tell_labels_apart() -> None:
    found = labels("2026-11-21T14:05:00+00:00", "2026-11-21T14:05:40+00:00", 500)
    assert found == ["14:05:00", "14:05:10", "14:05:20", "14:05:30", "14:05:40"]


def test_a_day_begins() -> None:
    found = labels("2026-11-21T22:30:00+00:00", "2026-11-22T02:30:00+00:00", 500)
    assert found == ["23:00", "22 Nov", "01:00", "02:00"]


def test_weeks() -> None:
    assert labels("2026-11-01T00:00:00+00:00", "2026-11-05T00:00:00+00:00", 500) == [
        "1 Nov",
        "2 Nov",
        "3 Nov",
        "4 Nov",
        "5 Nov",
    ]


def test_a_clock_half_an_hour_off() -> None:
    found = labels("2026-11-21T00:00:00+00:00", "2026-11-21T03:00:00+00:00", 400, india)
    assert found == ["06:00", "07:00", "08:00"]


def test_numbers_of_the_value_axis() -> None:
    assert [value_label(v, s) for v, s in [(37.5, 12.5), (0.0, 10), (20_000, 5_000), (1.5e6, 5e5)]] == [
        "37.5",
        "0",
        "20k",
        "1.5M",
    ]
