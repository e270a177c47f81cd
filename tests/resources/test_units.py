"""Numbers as an admin reads them."""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from resources.units import (
    ABSENT,
    UNITS,
    format_bytes,
    format_change,
    format_changes,
    format_count,
    format_duration,
    format_rate,
    format_value,
)

finite = st.floats(allow_nan=False, allow_infinity=False)
ordinary = st.floats(min_value=-1e12, max_value=1e12, allow_nan=False)


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (5, "%", "5 %"),
        (12.5, "%", "12.5 %"),
        (5.312, "%", "5.31 %"),
        (99.97, "%", "100 %"),
        (0.004, "%", "0.004 %"),
        (1e-9, "%", "≈0 %"),
        (-0.2, "%", "−0.20 %"),
        (0, "%", "0 %"),
        (-0.0, "%", "0 %"),
        (0.32, "ms", "0.32 ms"),
        (0.05, "ms", "50 µs"),
        (31.57, "ms", "31.6 ms"),
        (999.7, "ms", "1.00 s"),
        (2500, "ms", "2.50 s"),
        (0, "ms", "0 ms"),
        (4, "µs", "4 µs"),
        (1500, "µs", "1.50 ms"),
        (5324, "MB", "5.20 GB"),
        (590, "MB", "590 MB"),
        (1023.9, "MB", "1.00 GB"),
        (2048, "MB", "2 GB"),
        (3 * 1024 * 1024, "MB", "3 TB"),
        (0.01, "MB/s", "0.01 MB/s"),
        (1536, "MB/s", "1.50 GB/s"),
        (10_000, "Mbit/s", "10 Gbit/s"),
        (743.2, "Mbit/s", "743 Mbit/s"),
        (800, "MHz", "800 MHz"),
        (3300, "MHz", "3.30 GHz"),
        (212.4, "W", "212 W"),
        (1234.5, "/s", "1,234 /s"),
        (18.87, "/s", "18.9 /s"),
        (7631, "count", "7,631"),
        (-1.84e19, "/s", "−1.84×10¹⁹ /s"),
        (0.5, "count", "0.50"),
        (6.0000000001, "count", "6"),
        (0.78, "ratio", "0.78"),
        (-3, "shares", "−3"),
        (1, "flag", "yes"),
        (0, "flag", "no"),
        (0.5, "flag", "0.50"),
        (2, "state", "2"),
        (70, "s", "1 min 10 s"),
        (5, "", "5"),
        (5, "furlongs", "5 furlongs"),
    ],
)
def test_values(value: float, unit: str, text: str) -> None:
    assert format_value(value, unit) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (0.0004, "0.40 ms"),
        (0.00004, "40 µs"),
        (0.085, "85 ms"),
        (0.9996, "1 s"),
        (5.0004, "5 s"),
        (5.25, "5.2 s"),
        (9.97, "10 s"),
        (59.6, "1 min"),
        (70, "1 min 10 s"),
        (3599.7, "1 h"),
        (7500, "2 h 5 min"),
        (86_399, "1 d"),
        (273_600, "3 d 4 h"),
        (400.4 * 86_400, "400 d"),
        (-90, "−1 min 30 s"),
        (math.nan, ABSENT),
        (math.inf, ABSENT),
    ],
)
def test_durations(seconds: float, text: str) -> None:
    assert format_duration(seconds) == text


def test_bytes_rates_and_counts() -> None:
    assert format_bytes(712) == "712 B"
    assert format_bytes(712_003) == "695 KB"
    assert format_bytes(300 * 1024**2) == "300 MB"
    assert format_rate(269 * 1024**2, "B") == "269 MB/s"
    assert format_rate(1234, "rows") == "1,234 rows/s"
    assert format_rate(12.5) == "12.5 /s"
    assert format_count(17_427) == "17,427"
    assert format_count(31.7) == "31.7"


@given(st.sampled_from([math.nan, math.inf, -math.inf]), st.sampled_from([*UNITS, "", "raw"]))
def test_what_is_absent_has_no_unit(value: float, unit: str) -> None:
    assert format_value(value, unit) == ABSENT


@given(finite, st.sampled_from([*UNITS, "", "raw"]))
def test_any_number_has_a_short_text(value: float, unit: str) -> None:
    text = format_value(value, unit)
    assert text == text.strip()
    assert text
    assert len(text) <= 40
    assert "-" not in text.replace("e-", "")


@given(ordinary, st.sampled_from(sorted(set(UNITS) - {"flag", "s"})))
def test_a_negative_number_reads_as_the_positive_one_with_a_minus(value: float, unit: str) -> None:
    positive, negative = format_value(abs(value), unit), format_value(-abs(value), unit)
    assert negative in {positive, f"−{positive}"}


SIZES: dict[str, dict[str, float]] = {
    "B": {"B": 1, "KB": 1024, "MB": 1024**2, "GB": 1024**3, "TB": 1024**4, "PB": 1024**5},
    "MB": {"MB": 1, "GB": 1024, "TB": 1024**2, "PB": 1024**3},
    "MB/s": {"MB/s": 1, "GB/s": 1024, "TB/s": 1024**2},
    "Mbit/s": {"Mbit/s": 1, "Gbit/s": 1000, "Tbit/s": 1000**2},
    "MHz": {"MHz": 1, "GHz": 1000},
    "ms": {"µs": 0.001, "ms": 1, "s": 1000},
    "µs": {"µs": 1, "ms": 1000, "s": 1000**2},
    "%": {"%": 1},
    "/s": {"/s": 1},
    "W": {"W": 1},
}


@given(st.floats(min_value=0.01, max_value=1e12), st.sampled_from(sorted(SIZES)))
def test_the_text_is_within_one_percent_of_the_value(value: float, unit: str) -> None:
    number, name = format_value(value, unit).split(" ")
    read = float(number.replace(",", "")) * SIZES[unit][name]
    rounding = 0.006 * SIZES[unit][name] if value < SIZES[unit][name] else 0.0
    assert read == pytest.approx(value, rel=0.0055, abs=rounding)


@given(ordinary, st.floats(min_value=0, max_value=1e6), st.sampled_from(["%", "/s", "ratio", "W", "count"]))
def test_a_larger_number_never_reads_smaller(value: float, more: float, unit: str) -> None:
    def read(text: str) -> float:
        return float(text.partition(" ")[0].replace(",", "").replace("−", "-").replace("≈", ""))

    assert read(format_value(value, unit)) <= read(format_value(value + more, unit))


SECONDS = {"d": 86_400.0, "h": 3600.0, "min": 60.0, "s": 1.0, "ms": 1e-3, "µs": 1e-6}


@given(st.floats(min_value=0.001, max_value=1e9))
@example(1.25)
@example(0.9996)
@example(11.5)
def test_a_duration_reads_back(seconds: float) -> None:
    words = format_duration(seconds).replace(",", "").split(" ")
    read = sum(float(n) * SECONDS[name] for n, name in zip(words[::2], words[1::2], strict=True))
    least = 0.501 if seconds >= 9.95 else 0.0501 if seconds >= 1 else 0  # 1.25 s is 1.2 s, 11.5 s are 12 s
    assert read == pytest.approx(seconds, rel=0.021, abs=least)
    assert len(words) in {2, 4}


def test_changes_of_percentages_are_points() -> None:
    assert format_change(3.1, "%") == "+3.10 points"
    assert format_change(-31.8, "%") == "−31.8 points"
    assert format_change(0.0, "%") == "0 points"
    assert format_change(0.05, "ms") == "+50 µs"
    assert format_change(1229.0, "MB") == "+1.20 GB"
    assert format_change(0.9, "ratio") == "+0.90"
    assert format_change(math.nan, "%") == "–"
    assert format_changes(-33.0, -30.5, "%") == "−33 … −30.5 points"
    assert format_changes(240, 1229.0, "MB") == "+240 MB … +1.20 GB"
