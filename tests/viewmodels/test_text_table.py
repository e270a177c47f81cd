"""A table as text, HTML and CSV: what a spreadsheet, a terminal or a mail gets."""

from __future__ import annotations

import csv
import io
import math

from hypothesis import given
from hypothesis import strategies as st

from resources.foreign_text import without_controls
from viewmodels.text_table import TextTable, as_csv, as_html, as_tsv, rows_label

TABLE = TextTable(
    "Waiting VMs",
    ("VM", "ready (%)", "vCPUs", "since"),
    (("db-prod", 33.75, 8, "14:21:35"), ("erp-app", math.nan, None, "")),
)


def test_text_for_the_clipboard_is_one_line_a_row() -> None:
    assert as_tsv(TABLE) == "VM\tready (%)\tvCPUs\tsince\ndb-prod\t33.75\t8\t14:21:35\nerp-app\t\t\t\n"


def test_csv_has_absent_values_as_empty_cells() -> None:
    assert as_csv(TABLE) == "VM,ready (%),vCPUs,since\ndb-prod,33.75,8,14:21:35\nerp-app,,,\n"


def test_html_says_which_cells_are_numbers() -> None:
    assert '<td align="right" x:num="33.75" sdval="33.75">33.75</td>' in as_html(TABLE)
    assert "<th>ready (%)</th>" in as_html(TABLE)


def test_names_are_never_run_by_a_spreadsheet_or_a_terminal() -> None:
    hostile = TextTable("x", ("=1+1",), (("=cmd|' /C calc'!A0",), ("a\tb\r\nrm -rf \x1b[2J",), ("<b>x</b>",)))
    head, formula, control, markup, end = as_tsv(hostile).split("\n")
    assert (head, formula, markup, end) == ("'=1+1", "'=cmd|' /C calc'!A0", "<b>x</b>", "")
    assert control == "a b  rm -rf \ufffd[2J"
    assert "&lt;b&gt;x&lt;/b&gt;" in as_html(hostile)
    assert ">'=1+1<" in as_html(hostile)
    rows = list(csv.reader(io.StringIO(as_csv(hostile), newline="")))
    assert rows[0] == ["'=1+1"]
    assert rows[1] == ["'=cmd|' /C calc'!A0"]
    assert rows[2] == ["a\tb\r\nrm -rf \ufffd[2J"], "a file keeps its lines"


@given(st.lists(st.tuples(st.text(), st.floats(allow_nan=False), st.integers())))
def test_csv_read_again_has_the_same_cells(rows: list[tuple[str, float, int]]) -> None:
    table = TextTable("x", ("name", "number", "count"), tuple(rows))
    read = list(csv.reader(io.StringIO(as_csv(table), newline="")))[1:]
    assert [(float(number), int(count)) for _, number, count in read] == [row[1:] for row in rows]
    names = [without_controls(row[0]) for row in rows]
    assert [name.replace("'", "") for name, _, _ in read] == [name.replace("'", "") for name in names]


@given(st.lists(st.lists(st.text(), min_size=2, max_size=2), max_size=5))
def test_text_always_has_as_many_lines_and_cells_as_the_table(rows: list[list[str]]) -> None:
    text = as_tsv(TextTable("x", ("a", "b"), tuple(map(tuple, rows))))
    lines = text.removesuffix("\n").split("\n")
    assert [line.count("\t") for line in lines] == [1] * (len(rows) + 1)
    assert len(text.splitlines()) == len(lines)


def test_how_many_rows() -> None:
    assert [rows_label(1), rows_label(1200), rows_label(2, "mark")] == ["1 row", "1,200 rows", "2 marks"]
