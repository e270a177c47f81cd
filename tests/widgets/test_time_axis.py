"""The time axis: round times of the clock that the user sees."""

from __future__ import annotations

from datetime import datetime
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from pytestqt.qtbot import QtBot

from sessions.clock import Clock, clock_named, fixed_clock
from viewmodels.time_labels import UTC_CLOCK, time_label, time_ticks
from widgets.charts.axes import TimeAxis, value_label

INDIA = fixed_clock(330, "")
BERLIN, NEW_YORK, LORD_HOWE = (
    clock_named(name) for name in ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe")
)


def ms(text: str) -> float:
    return datetime.fromisoformat(text).timestamp() * 1000


def labels(start: str, end: str, pixels: float, at: Clock = UTC_CLOCK) -> list[str]:
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
    found = labels("2026-11-21T00:00:00+00:00", "2026-11-21T03:00:00+00:00", 400, INDIA)
    assert found == ["06:00", "07:00", "08:00"]


def test_numbers_of_the_value_axis() -> None:
    assert [value_label(v, s) for v, s in [(37.5, 12.5), (0.0, 10), (20_000, 5_000), (1.5e6, 5e5)]] == [
        "37.5",
        "0",
        "20k",
        "1.5M",
    ]


def test_an_hour_that_comes_twice_is_told_apart() -> None:
    found = labels("2026-10-25T00:00:00+00:00", "2026-10-25T02:00:00+00:00", 400, BERLIN)
    assert found == ["02:00 +2", "02:30 +2", "02:00 +1", "02:30 +1", "03:00"]


def test_hours_stay_round_after_clocks_were_set() -> None:
    autumn = labels("2026-10-24T20:00:00+00:00", "2026-10-25T14:00:00+00:00", 500, BERLIN)
    assert autumn == ["25 Oct", "03:00", "06:00", "09:00", "12:00", "15:00"]
    spring = labels("2026-03-28T20:00:00+00:00", "2026-03-29T14:00:00+00:00", 500, BERLIN)
    assert spring == ["21:00", "29 Mar", "03:00", "06:00", "09:00", "12:00", "15:00"]
    days = labels("2026-10-23T12:00:00+00:00", "2026-10-27T12:00:00+00:00", 500, NEW_YORK)
    assert days == ["24 Oct", "25 Oct", "26 Oct", "27 Oct"]


@given(
    st.integers(1_700_000_000, 1_800_000_000),
    st.integers(1, 40 * 86_400),
    st.floats(150, 3000),
    st.sampled_from([BERLIN, NEW_YORK, LORD_HOWE, INDIA, UTC_CLOCK]),
)
def test_an_axis_has_no_hole_and_no_crowd(start: int, seconds: int, pixels: float, at: Clock) -> None:
    ticks, step = time_ticks(start * 1000, (start + seconds) * 1000, pixels, at)
    assert all(step / 2 <= after - before <= 2 * step for before, after in pairwise(ticks))
    assert all(start * 1000 <= tick <= (start + seconds) * 1000 for tick in ticks)
    texts = [(at.day(tick), time_label(tick, step, at)) for tick in ticks]
    assert len(set(texts)) == len(texts)


def test_an_axis_of_centuries_has_room_for_its_labels() -> None:
    start, end = "0001-01-01T00:00:00+00:00", "9999-12-31T00:00:00+00:00"
    assert len(labels(start, end, 740, BERLIN)) <= 12
    assert labels("2020-01-01T00:00:00+00:00", "2030-01-01T00:00:00+00:00", 500) == [
        "2021-07", "2023-12", "2026-06", "2028-11"
    ]  # fmt: skip


class Written(QPainter):
    """A painter that writes down where it draws which text."""

    def __init__(self, image: QImage) -> None:
        super().__init__(image)
        self.texts: dict[str, QRectF] = {}

    def drawText(self, box: QRectF, flags: Qt.AlignmentFlag, text: str) -> None:  # type: ignore[override]
        """Write down the box that a text fills."""
        self.texts[text] = self.boundingRect(box, int(flags), text)


def test_no_label_lies_over_the_zone(qtbot: QtBot) -> None:
    axis = TimeAxis(UTC_CLOCK)
    axis.tickValues(ms("2026-11-21T02:40:00+00:00"), ms("2026-11-21T02:55:00+00:00"), 600)
    centred = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip
    image = QImage(700, 40, QImage.Format.Format_ARGB32)
    painter = Written(image)
    labels_at = {
        "near": QRectF(-60, 6, 80, 14),
        "first": QRectF(-18, 6, 36, 14),
        "far": QRectF(60, 6, 36, 14),
    }
    specs = [(box, centred, text) for text, box in labels_at.items()]
    axis.drawPicture(painter, (axis.pen(), QPointF(0, 0), QPointF(600, 0)), [], specs)
    painter.end()
    zone = painter.texts.pop("UTC")
    assert "far" in painter.texts
    assert "near" not in painter.texts
    assert not any(zone.intersects(box) for box in painter.texts.values())
