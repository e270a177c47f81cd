"""Damaged rows cost themselves, are named by their line, and nothing else is lost."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from collectors.esxtop import lines
from collectors.esxtop_names import ColumnPath
from resources.failures import BadInputError
from sessions.store import SessionReader
from tests.esxtop.captures import HOST, Written, capture, imported

COLUMNS = [ColumnPath(HOST, "Memory", "", counter) for counter in ("Free MBytes", "Kernel MBytes")]


def ten_rows() -> list[str]:
    return Written(COLUMNS, [[str(row), "512"] for row in range(10)]).lines()


@pytest.mark.parametrize(
    "row", ['"03/09/2026 14:21:55","4",', '"03/09/2026 14:21:55","4","5","6",', '"03/09/2026 14:21:55"']
)
def test_a_row_of_another_length_is_left_out(row: str, tmp_path: Path) -> None:
    text = ten_rows()
    text[5] = row
    (tmp_path / "a.csv").write_text("\n".join(text) + "\n")
    report, session = imported(tmp_path / "a.csv")
    assert session[HOST, "mem.free", ""] == [0, 1, 2, 3, 5, 6, 7, 8, 9]
    (damage,) = report.damaged
    assert (damage.file, damage.line, damage.cells, damage.whole) == ("a.csv", 6, 2, True)
    assert "a.csv, line 6" in " ".join(report.notes)
    with SessionReader.open(report.out) as reader:
        (gap,) = reader.gaps()
    assert (gap.ticks, gap.reason) == (1, "the rows could not be read")


def test_a_cell_that_is_no_number_costs_itself(tmp_path: Path) -> None:
    text = ten_rows()
    text[5] = text[5].replace('"4"', '"4x"')
    (tmp_path / "a.csv").write_text("\n".join(text) + "\n")
    report, session = imported(tmp_path / "a.csv")
    assert np.isnan(session[HOST, "mem.free", ""]).tolist() == [row == 4 for row in range(10)]
    assert session[HOST, "mem.kernel", ""] == [512] * 10
    (damage,) = report.damaged
    assert (damage.line, damage.cells, damage.whole) == (6, 1, False)
    assert "'4x' in column 2" in damage.why.replace('"', "")


def test_a_row_without_a_readable_time(tmp_path: Path) -> None:
    text = ten_rows()
    text[5] = text[5].replace("03/09/2026", "99/99/2026")
    (tmp_path / "a.csv").write_text("\n".join(text) + "\n")
    report, session = imported(tmp_path / "a.csv")
    assert len(session.times) == 9
    assert report.damaged[0].line == 6


@pytest.mark.parametrize("cut", [1, 2, 6, 20, 25])
def test_a_last_line_that_was_cut_is_left_out_with_a_note(cut: int, tmp_path: Path) -> None:
    whole = "\n".join(ten_rows())
    (tmp_path / "a.csv").write_text(whole[:-1][:-cut])
    report, session = imported(tmp_path / "a.csv")
    assert len(session.times) in (9, 10)
    assert session[HOST, "mem.kernel", ""] == [512] * len(session.times)
    if len(session.times) == 9:
        assert "line 11" in " ".join(report.notes)


def test_a_last_line_without_an_end_is_whole(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("\n".join(ten_rows()))
    report, session = imported(tmp_path / "a.csv")
    assert len(session.times) == 10
    assert not report.notes


def test_two_lines_that_run_into_each_other(tmp_path: Path) -> None:
    text = ten_rows()
    text[5:7] = [text[5][:30] + text[6]]
    (tmp_path / "a.csv").write_text("\n".join(text) + "\n")
    report, session = imported(tmp_path / "a.csv")
    assert len(session.times) == 8
    assert report.damaged_rows == 1


def test_a_hole_of_null_bytes(tmp_path: Path) -> None:
    """What a crash leaves of a file that was being written."""
    text = ten_rows()
    text[5] = "\0" * 5000
    (tmp_path / "a.csv").write_text("\n".join(text) + "\n")
    report, session = imported(tmp_path / "a.csv")
    assert len(session.times) == 9
    assert report.damaged_rows == 1


def test_a_line_without_an_end_in_sight(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LONGEST_LINE", 3 << 20)
    text = ten_rows()
    text[5] = "x" * (8 << 20)
    (tmp_path / "a.csv").write_text("\n".join(text) + "\n")
    report, session = imported(tmp_path / "a.csv")
    assert len(session.times) == 9
    assert (report.damaged_rows, report.damaged[0].line) == (1, 6)


def test_a_header_in_the_middle_that_is_damaged(tmp_path: Path) -> None:
    text = ten_rows()
    text.insert(5, '"(PDH-CSV 4.0) (UTC')
    (tmp_path / "a.csv").write_text("\n".join(text) + "\n")
    report, session = imported(tmp_path / "a.csv")
    assert len(session.times) == 10
    assert report.damaged_rows == 1


def test_a_column_name_that_is_cut(tmp_path: Path) -> None:
    text = ten_rows()
    text[0] = text[0].replace(r"\Kernel MBytes", "")
    (tmp_path / "a.csv").write_text("\n".join(text) + "\n")
    report, session = imported(tmp_path / "a.csv")
    assert session[HOST, "mem.free", ""] == list(range(10))
    assert (report.columns, report.series) == (3, 1)
    assert "1 column name can't be read" in " ".join(report.notes)


def test_many_damaged_rows_are_counted_and_some_named(tmp_path: Path) -> None:
    text = ten_rows()[:2] + [f'"03/09/2026 14:{row // 60:02d}:{row % 60:02d}","1",' for row in range(300)]
    (tmp_path / "a.csv").write_text("\n".join(text) + "\n")
    report, _ = imported(tmp_path / "a.csv")
    assert (report.damaged_rows, len(report.damaged)) == (300, 100)
    assert len(report.notes) < 10


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ('"03/09/2026 14:21:55","x","z",', "in column 2 is not a number"),
        ('"03/09/2026 14:21:55","4",', "2 fields where the header has 3"),
        ('"99/99/2026 14:21:55","4","5",', "time"),
        ('"03/09/2026 14:2', ""),
    ],
)
@pytest.mark.parametrize("rows", [1, 3])
def test_a_capture_of_which_no_row_can_be_read_is_refused(
    row: str, why: str, rows: int, tmp_path: Path
) -> None:
    (tmp_path / "a.csv").write_text("\n".join([ten_rows()[0], *[row] * rows]) + "\n")
    with pytest.raises(BadInputError, match=r"damaged, and no value could be read \(line 2: ") as refused:
        imported(tmp_path / "a.csv")
    assert why in str(refused.value)
    assert "No session was written." in str(refused.value)
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


def test_one_sound_row_is_kept_among_files_of_which_no_row_can_be_read(tmp_path: Path) -> None:
    text = ten_rows()
    (tmp_path / "a.csv").write_text("\n".join([text[0], '"03/09/2026 14:21:55","x","z",']) + "\n")
    (tmp_path / "b.csv").write_text("\n".join(text[:2]) + "\n")
    report, _ = imported(tmp_path / "a.csv", tmp_path / "b.csv")
    assert (report.rows, report.damaged_rows) == (2, 1)


@pytest.mark.parametrize("text", [["header"], ["header", ""]])
def test_a_header_alone_names_its_columns(text: list[str], tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("\n".join([capture(0).lines()[0], *text[1:]]))
    report, _ = imported(tmp_path / "a.csv")
    assert (report.rows, report.samples, report.start) == (0, 0, None)
    assert report.entities["vm"] == 1
    assert "no sample" in " ".join(report.notes)


@pytest.mark.parametrize("wild", ["18446744073709551615.00", "-9223372036854775808", "18446744073709551616"])
def test_a_counter_that_overflowed_is_no_value(wild: str, tmp_path: Path) -> None:
    """esxtop prints a 64-bit number without a sign where a difference was negative: no host has 16 EB."""
    written = capture(3)
    written.rows[1][0] = wild
    report, found = imported(written.save(tmp_path / "a.csv"))
    free = found[HOST, "mem.free", ""]
    assert [math.isnan(value) for value in free] == [False, True, False]
    assert (report.damaged_rows, report.lost_values) == (1, 1)
    assert f"line 3: {wild!r} in column 2 is a counter that overflowed" in " ".join(report.notes)
