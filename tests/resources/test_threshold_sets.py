"""Files of threshold sets: what is read back, and what is refused with which sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.failures import BadInputError, NotFoundError
from resources.problem_cards import load_problems
from resources.threshold_sets import (
    MAX_BYTES,
    ChosenClass,
    EarlierVersion,
    OwnSet,
    OwnThresholds,
    read_thresholds,
    thresholds_of,
    thresholds_text,
)

CLASSES = load_problems().storage.classes
SETS = """
format = 1
[[sets]]
name = "SSD, yours"
class = "ssd"
version = 3
saved = "2026-11-22"
[sets.numbers]
latency_warn = 4
"""
SECOND = SETS.replace("format = 1", "", 1)


def refused(text: str | bytes) -> str:
    with pytest.raises(BadInputError) as caught:
        thresholds_of(text.encode() if isinstance(text, str) else text, "mine.toml", CLASSES)
    return caught.value.happened


def test_a_file_as_an_admin_writes_it() -> None:
    own = thresholds_of(SETS.encode(), "mine.toml", CLASSES)
    [one] = own.sets
    assert (one.label, one.numbers, one.used) == ("SSD, yours v3 of 2026-11-22", {"latency_warn": 4.0}, True)
    assert own.used("ssd") == one
    assert own.used("nvme") is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[[", "mine.toml can't be used: it is not TOML:"),
        (b"\xff\xfe", "mine.toml can't be used: it is not UTF-8 at byte 0."),
        (SETS.replace("= 1\n", "= 2\n", 1), "its format is 2, and this version knows format 1."),
        (SETS.replace('"ssd"', '"tape"'), "set 'SSD, yours': there is no class 'tape'"),
        (SETS.replace("latency_warn =", "latency_warm ="), "class 'ssd' has no number 'latency_warm'."),
        (SETS.replace("latency_warn = 4", "latency_warn = 0"), "warning can't be 0: it goes from 50 µs"),
        (SETS.replace("latency_warn = 4", "latency_warn = nan"), "can't be nan"),
        (SETS.replace("latency_warn = 4", "latency_warn = inf"), "can't be inf"),
        (SETS.replace("warn = 4", "warn = '4'"), "sets: a value of numbers must be a number, not a text."),
        (SETS.replace("latency_warn = 4", "latency_warn = " + "9" * 400), "is too large a number."),
        (SETS.replace("latency_warn = 4", "latency_warn = 30"), "is lower than Device latency, warning."),
        (SETS.replace("2026-11-22", "yesterday"), "'yesterday' is no day (2026-11-22)."),
        (SETS.replace("version = 3", "version = 0"), "sets: version must be a whole number of at least 1."),
        (SETS.replace("version = 3", "version = 3.5"), "must be a whole number, not one with decimals."),
        (SETS.replace('"SSD, yours"', '"' + "a" * 61 + '"'), "name must be a text of at most 60 characters."),
        (SETS.replace('class = "ssd"', ""), "entry 1 of sets lacks the field 'class'."),
        (SETS.replace("[[sets]]", "[sets]").replace("[sets.n", "[x.n"), "sets must be a list, not a table."),
        (SETS + SECOND, "two sets are named 'SSD, yours'."),
        (SETS + SECOND.replace("SSD, yours", "b"), "two sets are used for the class 'ssd'."),
        (SETS + "[[chosen]]\npattern = ''\nclass = 'ssd'\n", "must be a text of at least 1 character"),
        (SETS + "[[chosen]]\npattern = 'a'\nclass = 'ssd'\nkind = 'vm'\n", "1 of chosen: kind can't be 'vm'"),
        (SETS + "[[chosen]]\npattern = 'a*'\nclass = 'tape'\n", "pattern 'a*': there is no class 'tape'"),
        ("surprise = 1\n" + SETS, "mine.toml can't be used: it has an unknown field 'surprise'."),
        ("a = " + "[" * 5000, "mine.toml can't be used: it is"),
        ("format = " + "1" * 5000, "mine.toml can't be used: it is not TOML"),
    ],
)  # fmt: skip
def test_what_can_not_be_used_is_one_sentence(text: str | bytes, said: str) -> None:
    sentence = refused(text)
    assert said in sentence
    assert "\n" not in sentence


def test_text_in_a_hostile_file_reaches_no_terminal_as_it_is() -> None:
    assert "\x1b" not in refused(SETS.replace('"ssd"', '"\\u001b]0;owned\\u0007"'))


def test_a_file_that_is_too_large_or_not_there(tmp_path: Path) -> None:
    large = tmp_path / "large.toml"
    large.write_bytes(b"#" * (MAX_BYTES + 1))
    with pytest.raises(BadInputError, match="larger than 1 MB"):
        read_thresholds(large, CLASSES)
    with pytest.raises(NotFoundError):
        read_thresholds(tmp_path / "none.toml", CLASSES)
    with pytest.raises(BadInputError, match="is a directory"):
        read_thresholds(tmp_path, CLASSES)


texts = st.text(min_size=1, max_size=40)


@given(name=texts, note=st.text(max_size=60), pattern=texts, value=st.floats(0.05, 20.0))
def test_what_is_written_is_read_back(name: str, note: str, pattern: str, value: float) -> None:
    before = EarlierVersion(1, "2026-11-20", {"own_rise": 7.0}, note)
    own = OwnThresholds(
        sets=[OwnSet(name, "ssd", {"latency_warn": value}, 2, "2026-11-22", note, earlier=[before])],
        chosen=[ChosenClass(pattern, "hdd", "datastore", note)],
    )
    text = thresholds_text(own, CLASSES)
    again = thresholds_of(text.encode(), "a.toml", CLASSES)
    assert thresholds_text(again, CLASSES) == text
    assert again == own


@pytest.mark.parametrize("dots", [".a", ' . "a"', ".'a'"])
def test_a_key_of_thousands_of_parts_is_refused_at_once(dots: str) -> None:
    for text in (f"a{dots * 50_000} = 1", f"[a{dots * 50_000}]", "x = {a" + dots * 50_000 + " = 1}"):
        assert "too many parts" in refused(text)


def test_a_pattern_with_many_dots_is_no_long_key() -> None:
    pattern = ".".join("abcdefghijklmnop") + "." * 40
    text = f'format = 1\n[[chosen]]\npattern = "{pattern}"\nclass = "ssd"\n'
    assert thresholds_of(text.encode(), "mine.toml", CLASSES).chosen[0].pattern == pattern
