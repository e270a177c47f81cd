"""Shortened names: they fit, and no two different names look alike."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from resources.foreign_text import shown
from viewmodels.elision import NameSet

_LETTERS = "ab…#1 ُ\u0301ﷺ👍\N{HEBREW LETTER ALEF}"
_STEMS = ("", "srv-customer-", "naa.600508b4000603860001287d", "vm (billing) ", "……", "#")
_NAMES = st.builds(
    lambda stem, middle, end: shown(stem + middle + end),
    st.sampled_from(_STEMS),
    st.text(_LETTERS, max_size=6) | st.text(max_size=12),
    st.sampled_from(("", "-production-database", " 003", "…", "#2")),
)


def width(text: str) -> float:
    """A font in which some letters are wide, and none has a width of 0."""
    return sum(7.0 + ord(letter) % 5 for letter in text)


@given(st.lists(_NAMES, unique=True, max_size=12), st.lists(st.integers(0, 400), min_size=1, max_size=3))
@example(["a…b", "axb", "ab", "a"], [20, 30])
@example(["x#1", "y#1", "…#1", "…#2"], [0, 25])
def test_two_names_never_look_alike_in_whatever_rooms(names: list[str], rooms: list[int]) -> None:
    """Rooms differ in a tree: what is indented has less."""
    found = NameSet(names)
    for room in rooms:
        assert len({found.elided(name, room, width) for name in names}) == len(names)
    owners: dict[str, str] = {}
    for room in rooms:
        for name in names:
            assert owners.setdefault(found.elided(name, room, width), name) == name


@given(st.lists(_NAMES, unique=True, min_size=1, max_size=12), st.integers(0, 400))
def test_they_fit_where_a_number_has_room(names: list[str], room: int) -> None:
    found = NameSet(names)
    enough = width("…#999")
    for name in names:
        text = found.elided(name, room, width)
        assert width(text) <= max(room, enough)
        assert text == name or width(name) > room


@pytest.mark.parametrize(
    ("names", "room", "expected"),
    [
        # the number stays, and what follows it is cut first
        (["JBOSS 05 (billing)", "JBOSS 06 (billing)"], 12, ["JBOSS 05…ng)", "JBOSS 06…ng)"]),
        # what all share is cut in its middle
        (
            ["naa.600508b4000603860001", "naa.600508b4000603860002"],
            10,
            ["naa.6…0001", "naa.6…0002"],
        ),
        # what differs stands in the middle: cutting there would make them look alike
        (
            ["srv-customer-a-production-database", "srv-customer-b-production-database"],
            16,
            ["srv-customer-a…e", "srv-customer-b…e"],
        ),
        (
            ["srv-customer-a-production-database", "srv-customer-b-production-database"],
            12,
            ["s…er-a-pro…e", "s…er-b-pro…e"],
        ),
        (["web01", "web02"], 5, ["web01", "web02"]),
    ],
)
def test_what_differs_stays(names: list[str], room: int, expected: list[str]) -> None:
    found = NameSet(names)
    assert [found.elided(name, room, len) for name in names] == expected
