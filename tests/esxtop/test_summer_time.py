"""Local stamps over the start and the end of summer time: no row is lost, none stands an hour off."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

from tests.esxtop.captures import Style, Written, capture, imported

_WINTER = "(W. Europe Standard Time)(-60)"
_SUMMER = "(W. Europe Daylight Time)(-120)"


class _Moved(Written):
    """A capture whose stamps move from one of its rows on."""

    def stamps(self) -> list[str]:
        half = len(self.rows) // 2
        moved = [timedelta(hours=self.hours if row >= half else 0) for row in range(len(self.rows))]
        step = timedelta(seconds=self.interval)
        return [(self.start + step * row + move).strftime(self.style.stamp) for row, move in enumerate(moved)]

    hours = 0


def _written(start: datetime, hours: int, zone: str) -> _Moved:
    made = capture(12, style=Style(zone=zone))
    moved = _Moved(made.columns, made.rows, made.style, start, 30.0)
    moved.hours = hours
    return moved


def test_the_hour_that_comes_twice_is_there_twice(tmp_path: Path) -> None:
    """The clock goes from 02:59:30 back to 02:00:00."""
    start = datetime(2026, 10, 25, 2, 57)
    report, found = imported(_written(start, -1, _SUMMER).save(tmp_path / "a.csv"))
    assert [(after - before) for before, after in zip(found.times[:-1], found.times[1:], strict=True)] == [
        30_000
    ] * 11
    assert "Summer time ends at line 8" in " ".join(report.notes)
    assert "go back" not in " ".join(report.notes)


def test_the_hour_that_is_left_out_is_no_gap(tmp_path: Path) -> None:
    """The clock goes from 01:59:30 on to 03:00:00."""
    start = datetime(2026, 3, 29, 1, 57)
    report, found = imported(_written(start, 1, _WINTER).save(tmp_path / "a.csv"))
    assert int(found.times[-1] - found.times[0]) == 11 * 30_000
    assert "Summer time begins at line 8" in " ".join(report.notes)


def test_a_pause_of_an_hour_by_day_is_a_pause(tmp_path: Path) -> None:
    start = datetime(2026, 3, 29, 11, 57)
    _, found = imported(_written(start, 1, _WINTER).save(tmp_path / "a.csv"))
    assert int(found.times[-1] - found.times[0]) == 11 * 30_000 + 3_600_000


def test_utc_has_no_summer_time(tmp_path: Path) -> None:
    """Rows that go back an hour there are copies, or a clock that was set."""
    start = datetime(2026, 10, 25, 2, 57)
    report, found = imported(_written(start, -1, "(UTC)(0)").save(tmp_path / "a.csv"))
    assert int(found.times[-1] - found.times[0]) > 3_000_000
    assert "go back" in " ".join(report.notes)
