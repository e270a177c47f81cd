"""Reading rows: what a cell means, and that the fast way never differs from the definition."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from collectors.esxtop.fast_rows import RowParser
from collectors.esxtop.rows import ExactRows, FieldKind, RowError, RowShape, read_cell

STAMP = b'"03/09/2026 14:21:35"'


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        (b'"12.50"', 12.5),
        (b"12.5", 12.5),
        (b' "-3" ', -3.0),
        (b"007", 7.0),
        (b".5", 0.5),
        (b"+1", 1.0),
        (b"1e5", 1e5),
        (b"Y", 1.0),
        (b'"N"', 0.0),
        (b"9007199254740993", float(9007199254740993)),
        (b"123456789012345678901234567890", 123456789012345678901234567890.0),
    ],
)
def test_a_cell_is_a_number(cell: bytes, value: float) -> None:
    assert read_cell(cell) == value


@pytest.mark.parametrize("cell", [b"", b'""', b'" "', b"nan", b'"NaN"', b"-", b"N/A"])
def test_a_cell_without_a_value_is_absent(cell: bytes) -> None:
    assert math.isnan(read_cell(cell) or 0.0)


@pytest.mark.parametrize(
    "cell", [b"1_000", b"inf", b"1e999", b"12.3.4", b'1"2', b"0x10", b"\x001", b"vmnic0"]
)
def test_a_cell_that_is_neither_is_trouble(cell: bytes) -> None:
    assert read_cell(cell) is None


@pytest.mark.parametrize(("cell", "value"), [(b"1,5", 1.5), (b"1.5", 1.5), (b"1.234,5", 1234.5), (b"7", 7.0)])
def test_a_decimal_comma(cell: bytes, value: float) -> None:
    assert read_cell(cell, decimal_comma=True) == value


NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(0, 1e6).map("{:.2f}".format),
    st.integers(-(10**25), 10**25).map(str),
    st.sampled_from(
        ["0", "0.00", "-0.00", "007", "1e5", "1E+5", "+1", ".5", "5.", "-", "", " ", "nan", "inf"]
    ),
    st.sampled_from(
        ["-8.125e307", "-81.25e306", "Y", "true", "[1]", "{}", '1"2', "1,2", "1;2", "1 2", "\x00", "1_0"]
    ),
    st.text(alphabet='0123456789.eE+-", ;[]{}ntfu\t', max_size=8),
)
QUOTES = st.sampled_from(['"{}"', "{}", ' "{}"', '{}"', '"{}'])


@st.composite
def rows(draw: st.DrawFn) -> tuple[RowShape, bytes]:
    kinds = draw(st.lists(st.sampled_from(["number"] * 6 + ["glued", "text"]), min_size=1, max_size=8))
    delimiter = draw(st.sampled_from(",,,;\t"))
    cells = []
    for kind in kinds:
        cell = draw(QUOTES).format(draw(NUMBERS))
        if kind == "glued" and draw(st.booleans()):
            cell = f'    {draw(NUMBERS)}"{draw(NUMBERS)}"'
        if kind == "text" and draw(st.booleans()):
            cell = '"vmrdma0"'
        cells.append(cell)
    cells += draw(
        st.lists(QUOTES.map(lambda quote: quote.format("1")), max_size=1 if draw(st.booleans()) else 0)
    )
    line = delimiter.join((STAMP.decode(), *cells)) + draw(st.sampled_from(["", delimiter]))
    typed: tuple[FieldKind, ...] = tuple(kinds)  # type: ignore[arg-type]
    return RowShape(delimiter.encode(), typed, draw(st.booleans())), line.encode()


@settings(max_examples=600, deadline=None)
@given(rows())
@example((RowShape(b",", ("number", "glued")), STAMP + b',"1.00",    73.1"8.93",'))
@example((RowShape(b",", ("number", "glued")), STAMP + b',"1"2.00",    73.1,'))
@example((RowShape(b",", ("number", "number")), STAMP + b",,"))
@example((RowShape(b",", ("text", "number")), STAMP + b',"a,b","1"'))
@example((RowShape(b",", ("number", "text", "number"), trailing=True), STAMP + b',"1","a",,'))
def test_the_fast_way_is_the_definition(case: tuple[RowShape, bytes]) -> None:
    shape, line = case
    try:
        values, trouble = ExactRows(shape).read(line)
    except RowError:
        with pytest.raises(RowError):
            RowParser(shape).one(line)
        assert RowParser(shape).several([line]) is None
        return
    fast, fast_trouble = RowParser(shape).one(line)
    np.testing.assert_array_equal(fast, values)
    assert fast_trouble == trouble
    together = RowParser(shape).several([line, line])
    if together is not None:
        np.testing.assert_array_equal(together, np.stack([values, values]))


def test_rows_that_together_have_the_right_number_of_fields_are_not_mixed_up() -> None:
    parser = RowParser(RowShape(b",", ("number",) * 2))
    assert parser.several([STAMP + b",1,2,3", STAMP + b",4"]) is None


def test_sound_rows_go_the_fast_way() -> None:
    """The definition is exact but slow; esxtop's own rows must not need it."""
    plain = RowParser(RowShape(b",", ("number",) * 3))
    assert plain.several([STAMP + b',"1.00","2","-3.50",', STAMP + b',"1.00","2","-3.50"']) is not None
    glued = RowParser(RowShape(b",", ("number", "glued", "number")))
    together = glued.several([STAMP + b',"1.00",    73.1"8.93",    81.0'])
    assert together is not None
    assert together.tolist() == [[1.0, 73.1, 8.93, 81.0]]


def test_a_last_field_that_is_blank_is_one_before_the_comma_at_the_end() -> None:
    shape = RowShape(b",", ("number",) * 2, trailing=True)
    values, trouble = ExactRows(shape).read(STAMP + b',"1.00",,')
    np.testing.assert_array_equal(values, [1.0, np.nan])
    assert trouble is None
    with pytest.raises(RowError):
        ExactRows(shape).read(STAMP + b',"1.00",')


def test_a_stray_quotation_mark_does_not_move_values() -> None:
    """The count of inner quotation marks is right, their places are not."""
    parser = RowParser(RowShape(b",", ("number", "glued")))
    values, trouble = parser.one(STAMP + b',"1"2",    73.1,')
    assert trouble is not None
    assert trouble.fields == [0]
    assert values[2] == 73.1
