"""Rows read as hundredths: never other numbers than the definition's, and esxtop's own rows always."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from collectors.esxtop.fixed_point import read_hundredths
from collectors.esxtop.rows import ExactRows, FieldKind, RowError, RowShape
from sessions.model import FloatArray
from sessions.store import numbers_of

STAMP = '"03/09/2026 14:21:35",'
PRINTED = st.one_of(
    st.integers(-99_999_999, 999_999_999).map(lambda whole: f"{whole / 100:.2f}"),
    st.integers(-99_999, 99_999).map(lambda whole: f"{whole / 10:.1f}"),
    st.integers(-999_999, 9_999_999).map(str),
    st.sampled_from(["0.00", "-0.00", "-1.00", "9999999.99", "-999999.99", "00.50", "0"]),
)
"""Numbers as a host prints them."""
ODD = st.one_of(
    st.sampled_from(
        ["", "-", ".5", "5.", "1.234", "1e5", "+1", "12345678.00", "1-2.00", "--1.00", "1.0.", "nan"]
    ),
    st.text(alphabet='0123456789.-", ', max_size=6),
)


def read(lines: Sequence[str], width: int) -> FloatArray | None:
    """Rows with line ends between them, as they lie in a file, behind bytes that are none of theirs."""
    data = b"1.00\n"
    starts, ends = [], []
    for line in lines:
        starts.append(len(data))
        data += line.encode()
        ends.append(len(data))
        data += b"\n"
    whole = read_hundredths(data, starts, ends, width)
    return None if whole is None else numbers_of(whole)


def _numbers(width: int) -> tuple[FieldKind, ...]:
    kinds: list[FieldKind] = ["number"] * width
    return tuple(kinds)


def row(cells: Sequence[str], end: str = "") -> str:
    return STAMP + ",".join(f'"{cell}"' for cell in cells) + end


def table(cells: st.SearchStrategy[str]) -> st.SearchStrategy[list[list[str]]]:
    return st.integers(1, 6).flatmap(
        lambda width: st.lists(st.lists(cells, min_size=width, max_size=width), min_size=1, max_size=5)
    )


@settings(max_examples=300, deadline=None)
@given(table(PRINTED), st.sampled_from(["", ","]))
def test_what_a_host_prints_is_read_to_the_digit(cells: list[list[str]], end: str) -> None:
    values = read([row(line, end) for line in cells], len(cells[0]))
    assert values is not None
    np.testing.assert_array_equal(values, np.array([[float(cell) for cell in line] for line in cells]))


@settings(max_examples=800, deadline=None)
@given(
    table(st.one_of(PRINTED, ODD)),
    st.lists(st.sampled_from(["", ",", " ", '"', ",,"]), min_size=5, max_size=5),
)
@example([["1.00", "2.00"], ['1.00","2.00', "3.00"]], [""] * 5)
@example([["1.00"]], [",", "", "", "", ""])
@example([['1"', "2"]], [""] * 5)
def test_rows_that_are_written_otherwise_are_refused_or_mean_the_same(
    cells: list[list[str]], ends: list[str]
) -> None:
    width = len(cells[0])
    lines = [row(line, end) for line, end in zip(cells, ends, strict=False)]
    values = read(lines, width)
    if values is None:
        return
    exact = ExactRows(RowShape(b",", _numbers(width)))
    for line, found in zip(lines, values, strict=True):
        try:
            expected, trouble = exact.read(line.encode())
        except RowError:
            pytest.fail(f"{line} has another number of fields")
        assert trouble is None
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    "lines",
    [
        [STAMP + '"1.00","2.00"', STAMP + '"1.00"'],
        [STAMP + '"1.00"', STAMP + '"1.00","2.00","3.00"'],
        [STAMP + '1.00,"2.00"'],
        [STAMP + '"1.00",2.00'],
        [STAMP + '"1.00";"2.00"'],
        [STAMP + '"1.00",    73.1"8.93"'],
        [STAMP + '"1.00","2.00" '],
        [STAMP + '"21474836.48","2.00"'],
        ['"1.00","2.00"'],
        ["", ""],
    ],
)
def test_rows_of_another_form_are_left_to_others(lines: list[str]) -> None:
    assert read(lines, 2) is None
