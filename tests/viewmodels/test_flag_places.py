"""The words of marks and events in a chart: within its edges, none over another, beside their line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.model import Event, Mark
from sessions.times import TimeRange
from viewmodels.axis_events import Track
from viewmodels.flag_places import Flag, placed_flags, visible_flags

MARK = Mark(0, "users call")


@given(st.lists(st.tuples(st.integers(100, 600), st.integers(5, 400)), max_size=40))
def test_no_flag_stands_over_another_or_beyond_an_edge(flags: list[tuple[int, int]]) -> None:
    placed = placed_flags([Flag(x, width, MARK) for x, width in flags], 100, 600)
    assert len(placed) <= len(flags)
    for number, one in enumerate(placed):
        assert 100 <= one.left < one.right <= 600
        assert all(
            other.row != one.row or other.right <= one.left or one.right <= other.left
            for other in placed[:number]
        )
    if flags:
        assert placed, "there is room for at least one"


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ([(200, 80)], [(200, 280, 0)]),
        ([(600, 80)], [(520, 600, 0)]),  # at the right edge: left of its line
        ([(570, 80)], [(490, 570, 0)]),
        ([(100, 80)], [(100, 180, 0)]),
        ([(200, 80), (240, 80)], [(200, 280, 0), (240, 320, 1)]),  # the next row
        ([(200, 80), (290, 900)], [(200, 280, 0), (290, 460, 0)]),  # never wider than this
        ([(200, 80), (160, 80)], [(200, 280, 0), (160, 240, 1)]),
        # both rows are taken at 230, so the line of the third has no words
        ([(200, 80), (210, 80), (230, 80)], [(200, 280, 0), (210, 290, 1)]),
    ],
)
def test_a_flag_stands_beside_its_line(
    flags: list[tuple[int, int]], expected: list[tuple[int, int, int]]
) -> None:
    placed = placed_flags([Flag(x, width, MARK) for x, width in flags], 100, 600)
    assert [(one.left, one.right, one.row) for one in placed] == expected


def test_marks_come_first_and_what_lasts_is_named_at_the_edge() -> None:
    backup = Event(500, "task", "Backup of db01", end=3_000)
    moved = Event(2_000, "migrated", "db01 moved to esx02")
    early = Mark(100, "too early")
    flags = visible_flags(
        Track([early, Mark(2_500, "users call")]),
        Track([backup, moved]),
        TimeRange(1_000, 3_000),
        (0, 200),
        lambda _one: 50,
    )
    assert [(flag.x, flag.of.text) for flag in flags] == [
        (150, "users call"),
        (0, "Backup of db01"),
        (100, "db01 moved to esx02"),
    ]
