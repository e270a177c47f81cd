"""Sentences with foreign names and numbers may be broken anywhere but between a number and its unit."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.foreign_text import breakable, shorten_long_words, shown, visible, without_controls
from resources.units import UNITS, format_duration, format_value

NO_BREAK, JOINER = "\N{NO-BREAK SPACE}", "\N{WORD JOINER}"


@given(st.floats(0.01, 1e7), st.sampled_from([unit for unit in UNITS if unit != "s"]))
def test_a_number_stays_with_its_unit(value: float, unit: str) -> None:
    text = format_value(value, unit)
    assert " " not in breakable(f"{text}; then")[:-6]


def test_a_line_does_not_end_behind_the_slash_of_a_unit() -> None:
    assert breakable("905 /s and 2.61 MB/s of 4 read/write") == (
        f"905{NO_BREAK}/{JOINER}s and 2.61{NO_BREAK}MB/{JOINER}s of 4 read/write"
    )


@given(st.floats(0.01, 1e7))
def test_so_does_a_duration(seconds: float) -> None:
    parts = breakable(format_duration(seconds)).split(" ")
    assert all(NO_BREAK in part for part in parts)


@pytest.mark.parametrize("text", ["552 I/Os a second", "4 hosts", "vm 12 standby", "1 datastore", "2 MBs"])
def test_other_words_after_a_number_may_go_on_the_next_line(text: str) -> None:
    assert breakable(text) == text


def test_a_heading_has_the_begin_and_the_end_of_a_device() -> None:
    device = "naa.600508b4000603860001287dbba3"
    assert (
        shorten_long_words(f"Slow storage device: {device}") == "Slow storage device: naa.600508b4…01287dbba3"
    )
    assert (
        shorten_long_words("Held back by a CPU limit: JBOSS 11 (billing)")
        == "Held back by a CPU limit: JBOSS 11 (billing)"
    )


@pytest.mark.parametrize(
    ("word", "pieces"),
    [
        ("administrator@vsphere.local", ["administrator@", "vsphere.", "local"]),
        ("naa.600508b4000603860001287dbba3", ["naa.", "600508", "b40006", "038600", "01287dbba3"]),
        ("vmnic0:transmit-packets-dropped", ["vmnic0:", "transmit-", "packets-", "dropped"]),
        ("supercalifragilistic", ["superc", "alifragilistic"]),
        ("a_short_one", ["a_short_one"]),
    ],
)
def test_a_long_word_breaks_where_its_parts_end(word: str, pieces: list[str]) -> None:
    assert breakable(word).split("\u200b") == pieces


@given(st.text())
def test_nothing_else_changes(text: str) -> None:
    def plain(one: str) -> str:
        return one.replace("\u200b", "").replace("\u200e", "").replace(NO_BREAK, " ").replace(JOINER, "")

    assert plain(breakable(text)) == plain(text)


def test_what_could_command_a_terminal_becomes_visible() -> None:
    assert visible("a\tb\x00\x9b\x1b[2J\x07\u202e\u2028\x7f") == "a b\ufffd\ufffd\ufffd[2J\ufffd\ufffd \ufffd"
    assert visible("Ünïcode 日本 🙂") == "Ünïcode 日本 🙂"


def test_a_file_keeps_the_lines_of_a_text_and_new_letters() -> None:
    hostile = "two\r\nlines\tof \x1b]0;owned\x07 \u202etxt\ud800, \U0003fffe"
    assert without_controls(hostile) == "two\r\nlines\tof �]0;owned� �txt�, \U0003fffe"


@given(st.text())
def test_no_text_has_control_characters_or_line_breaks_left(text: str) -> None:
    assert len(visible(text)) == len(text)
    for safe in (visible(text), shown(text)):
        assert not re.search("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]", safe)
        assert len(safe.splitlines()) <= 1
        safe.encode()


def test_a_sentence_that_begins_with_a_hebrew_name_runs_from_left_to_right() -> None:
    mark = "\N{LEFT-TO-RIGHT MARK}"
    hebrew, arabic = "\u05e9\u05e8\u05ea", "\u062e\u0627\u062f\u0645"
    assert breakable(f"{hebrew}-01 has 259 MB.").startswith(mark)
    assert breakable(f"12 {arabic} waits.").startswith(mark)
    for text in ("esx01 waits.", f"esx01: {hebrew}", "12 %", "Wörk waits.", ""):
        assert not breakable(text).startswith(mark)
