"""What the user made of a screen of the esxtop view: its columns and their order, widths, and the sorting."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Annotated

import msgspec

_Width = Annotated[int, msgspec.Meta(ge=1, le=10_000)]
"""Pixels; a stored layout, which may be damaged, is refused with any other number."""
NAME, HOST = "name", "host"
"""The ids of the two columns before the counters."""


class ScreenLayout(msgspec.Struct, frozen=True):
    """The user's columns of a screen.

    ``columns`` are counters in their order (empty: the screen's standard), ``widths`` pixels by column id for
    columns whose edge was dragged. ``sort`` is the id of the column that is sorted by (empty: the screen's
    standard).
    """

    columns: tuple[str, ...] = ()
    widths: dict[str, _Width] = {}
    sort: str = ""
    descending: bool = True


def reordered(columns: Sequence[str], shown: Sequence[str]) -> tuple[str, ...]:
    """Return ``columns`` in the order of ``shown``, which are those of them that have numbers.

    A column that is not shown stays behind the one that it stood behind.
    """
    found = list(dict.fromkeys(shown))
    for number, column in enumerate(columns):
        if column not in found:
            before = columns[number - 1] if number else None
            found.insert(found.index(before) + 1 if before in found else 0, column)
    return tuple(found)


def moved(columns: Sequence[str], column: str, steps: int) -> tuple[str, ...]:
    """Return ``columns`` with one of them moved by some places: to the left if ``steps`` is negative."""
    others = [one for one in columns if one != column]
    at = min(max(list(columns).index(column) + steps, 0), len(others))
    return (*others[:at], column, *others[at:])


def without(columns: Sequence[str], hidden: Collection[str]) -> tuple[str, ...]:
    """Return ``columns`` without the hidden ones, but never without all of them."""
    left = tuple(one for one in columns if one not in hidden)
    return left or tuple(columns)
