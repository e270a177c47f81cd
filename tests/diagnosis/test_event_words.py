"""Events that name something: only as a word of its own, in their order, however many others there are."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnosis.event_words import EventWords
from sessions.model import Event

NAMES = [
    "vmnic1",
    "vmnic10",
    "naa.600508",
    "naa.600508:2",
    "mpx.vmhba0:C0:T0:L0",
    "ds-a",
    "ds a",
    "ds (a)",
    "a",
    "--",
    "esx01.site.local",
    "Zürich",
]


def events(*texts: str) -> list[Event]:
    return [Event(1_000 * number, "storage", text, None) for number, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("esx01/vmnic1", [0, 3]),
        ("vmnic10", [1]),
        ("naa.600508", [2, 5]),
        ("naa.600508:3", [5]),
        ("mpx.vmhba0:C0:T0:L1", [6]),
        ("mpx.vmhba0:C0:T0:L10", []),
        ("vmhba0", []),
        ("naa.60050", []),
        ("iSCSI 1 (old)", [4]),
        ("--", [4]),
    ],
)
def test_a_name_is_found_as_a_word_of_its_own(name: str, found: list[int]) -> None:
    told = events(
        "vmnic1 is down", "vmnic10 is up, vmnic11 too", "Path to naa.600508, lost", "team of vmnic0,vmnic1.",
        "Datastore iSCSI 1 (old) -- full", "Volume on naa.600508:3 was lost; not naa.6005081:3, naa.600508:x",
        "Partition mpx.vmhba0:C0:T0:L1:5 is gone",
    )  # fmt: skip
    assert EventWords(told).naming(name) == [told[one] for one in found]


@given(st.lists(st.lists(st.sampled_from([*NAMES, ",", " ", ":", "-", "."]), max_size=6), max_size=12))
def test_the_index_finds_what_reading_every_text_finds(parts: list[list[str]]) -> None:
    told = events(*("".join(one) for one in parts))
    words = EventWords(told)
    for name in NAMES:
        partition = r"(?::\d+)?" if name.startswith(("naa.", "mpx.")) else ""
        pattern = re.compile(rf"(?<![\w.:-]){re.escape(name)}{partition}(?![\w:-])")
        assert list(words.naming(name)) == [one for one in told if pattern.search(one.text)]


def test_a_thousand_names_in_ten_thousand_events_are_found_in_no_time() -> None:
    told = events(
        *(f"Path to naa.6005{number % 1000:08d} lost on vmhba{number % 4}" for number in range(10_000))
    )
    names = [f"naa.6005{number:08d}" for number in range(1000)]
    begun = time.process_time()
    words = EventWords(told)
    assert all(len(words.naming(name)) == 10 for name in names)
    spent = time.process_time() - begun
    begun = time.process_time()
    for name in names[:20]:
        pattern = re.compile(rf"(?<![\w.:-]){re.escape(name)}(?![\w:-])")
        assert len([one for one in told if pattern.search(one.text)]) == 10
    assert spent < 50 * (time.process_time() - begun) / 4  # a quarter of what reading every text would take
