"""The user's own columns of an esxtop screen: moved, hidden, and those without numbers in between."""

from __future__ import annotations

import pytest

from viewmodels.esxtop_layout import moved, reordered, without

COLUMNS = ("ready", "costop", "used", "run")


@pytest.mark.parametrize(
    ("column", "steps", "expected"),
    [
        ("used", -2, "used ready costop run"),
        ("used", -9, "used ready costop run"),
        ("ready", 1, "costop ready used run"),
        ("ready", 3, "costop used run ready"),
        ("ready", 99, "costop used run ready"),
        ("run", 0, "ready costop used run"),
    ],
)
def test_a_column_is_moved_by_some_places(column: str, steps: int, expected: str) -> None:
    assert " ".join(moved(COLUMNS, column, steps)) == expected


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ("run used costop ready", "run used costop ready"),
        ("run used ready", "run used ready costop"),  # costop has no numbers: it stays behind ready
        ("run costop", "ready run costop used"),
    ],
)
def test_columns_without_numbers_keep_their_neighbour(shown: str, expected: str) -> None:
    assert " ".join(reordered(COLUMNS, shown.split())) == expected


def test_hiding_leaves_at_least_one_column() -> None:
    assert without(COLUMNS, {"ready", "run"}) == ("costop", "used")
    assert without(COLUMNS, COLUMNS) == COLUMNS
