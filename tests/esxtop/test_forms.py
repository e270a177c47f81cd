"""Captures as other programs left them: separators, line ends, encodings, times, compression."""

from __future__ import annotations

import gzip
import lzma
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
import zstandard

from tests.esxtop.captures import HOST, START_MS, Session, Style, Written, capture, imported


@pytest.fixture
def expected(tmp_path: Path) -> Session:
    """The capture as esxtop wrote it."""
    return imported(capture(6).save(tmp_path / "genuine.csv"))[1]


def assert_same(found: Session, expected: Session) -> None:
    assert found.times.tolist() == expected.times.tolist()
    assert found.values.keys() == expected.values.keys()
    for key, values in expected.values.items():
        np.testing.assert_array_equal(found.values[key], values, err_msg=str(key))


STYLES = {
    "unquoted": Style(quote="", trailing=False),
    "unquoted with a trailing comma": Style(quote=""),
    "CRLF": Style(line_end="\r\n"),
    "CRLF unquoted": Style(line_end="\r\n", quote="", trailing=False),
    "CR only": Style(line_end="\r", quote="", trailing=False),
    "blank lines between": Style(line_end="\r\n\r\n", quote=""),
    "semicolons": Style(delimiter=";", quote="", trailing=False, decimal=","),
    "semicolons, points": Style(delimiter=";", quote="", trailing=False),
    "tabs": Style(delimiter="\t", quote="", trailing=False, decimal=","),
    "tabs quoted": Style(delimiter="\t"),
    "ISO dates": Style(stamp="%Y-%m-%d %H:%M:%S", quote=""),
    "another zone": Style(zone="(Pacific Standard Time)(0)"),
    "no zone": Style(zone=""),
}


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES.keys())
def test_a_form_changes_nothing(style: Style, tmp_path: Path, expected: Session) -> None:
    report, found = imported(capture(6, style=style).save(tmp_path / "a.csv"))
    assert_same(found, expected)
    assert report.damaged_rows == 0


def test_trailing_zeros_are_no_information(tmp_path: Path, expected: Session) -> None:
    written = capture(6, style=Style(quote=""))
    written.rows = [[f"{float(cell):g}" for cell in row] for row in written.rows]
    assert_same(imported(written.save(tmp_path / "a.csv"))[1], expected)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be"])
def test_encodings(encoding: str, tmp_path: Path, expected: Session) -> None:
    text = capture(6, style=Style(quote="", line_end="\r\n")).text()
    mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
    (tmp_path / "a.csv").write_bytes(mark + text.encode(encoding))
    assert_same(imported(tmp_path / "a.csv")[1], expected)


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.csv.xz", "a.csv.zst"])
@pytest.mark.parametrize(
    "pack", [gzip.compress, lzma.compress, zstandard.compress], ids=["gzip", "xz", "zstd"]
)
def test_compression_is_told_by_content(pack, name: str, tmp_path: Path, expected: Session) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / name).write_bytes(pack(capture(6).text().encode()))
    assert_same(imported(tmp_path / name)[1], expected)


@pytest.mark.parametrize(
    "pack", [gzip.compress, lzma.compress, zstandard.compress], ids=["gzip", "xz", "zstd"]
)
def test_compressed_parts_one_after_another(pack, tmp_path: Path, expected: Session) -> None:  # type: ignore[no-untyped-def]
    data = capture(6).text().encode()
    (tmp_path / "a.csv.gz").write_bytes(pack(data[:999]) + pack(data[999:]))
    assert_same(imported(tmp_path / "a.csv.gz")[1], expected)


@pytest.mark.parametrize(
    "pack", [gzip.compress, lzma.compress, zstandard.compress], ids=["gzip", "xz", "zstd"]
)
def test_a_compressed_file_that_ends_early_gives_what_it_has(pack, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    data = pack(capture(800).text().encode())
    (tmp_path / "a.csv.gz").write_bytes(data[: len(data) * 3 // 4])
    report, found = imported(tmp_path / "a.csv.gz")
    assert 100 < len(found.times) < 800
    assert "can't be unpacked to its end" in " ".join(report.notes)


def test_a_spreadsheets_separator_line(tmp_path: Path, expected: Session) -> None:
    text = "sep=;\r\n" + capture(6, style=Style(delimiter=";", quote="", line_end="\r\n")).text()
    (tmp_path / "a.csv").write_text(text, newline="")
    assert_same(imported(tmp_path / "a.csv")[1], expected)


def test_minutes_only(tmp_path: Path) -> None:
    written = capture(36, style=Style(stamp="%m/%d/%Y %H:%M", quote="", trailing=False))
    written.start = datetime(2026, 3, 26, 22, 42, tzinfo=UTC)
    report, found = imported(written.save(tmp_path / "a.csv"))
    assert np.diff(found.times).tolist() == [5000] * 35
    assert "no seconds" in " ".join(report.notes)


@pytest.mark.parametrize("form", ["%d/%m/%Y %H:%M:%S", "%d.%m.%Y %H:%M:%S", "%d/%m/%y %H:%M:%S"])
def test_day_first_where_it_can_be_told(form: str, tmp_path: Path) -> None:
    written = capture(6, style=Style(stamp=form, quote="", trailing=False))
    written.start = datetime(2026, 3, 26, 22, 42, tzinfo=UTC)
    _, found = imported(written.save(tmp_path / "a.csv"))
    assert found.times[0] == int(written.start.timestamp() * 1000)


def test_day_first_told_by_the_last_row_alone(tmp_path: Path) -> None:
    """esxtop's own layout, but the capture runs past the twelfth."""
    written = capture(300, style=Style(stamp="%d/%m/%Y %H:%M:%S"))
    written.start, written.interval = datetime(2026, 3, 12, 12, 0, tzinfo=UTC), 300
    _, found = imported(written.save(tmp_path / "a.csv"))
    assert found.times[0] == int(written.start.timestamp() * 1000)
    assert np.diff(found.times).tolist() == [300_000] * 299


def test_a_clock_that_is_not_utc(tmp_path: Path) -> None:
    report, found = imported(
        capture(2, style=Style(zone="(India Standard Time)(-330)")).save(tmp_path / "a.csv")
    )
    assert found.times[0] == START_MS - 330 * 60_000
    assert "India Standard Time" in " ".join(report.notes)


def test_rows_of_one_second_keep_their_order(tmp_path: Path) -> None:
    written = capture(4)
    written.interval = 0
    _, found = imported(written.save(tmp_path / "a.csv"))
    assert (np.diff(found.times) > 0).all()
    assert found.times[-1] - found.times[0] < 1000


def test_columns_that_were_removed(tmp_path: Path) -> None:
    written = capture(3)
    keep = [at for at, path in enumerate(written.columns) if path.counter == "% Ready"]
    slim = Written([written.columns[at] for at in keep], [[row[at] for at in keep] for row in written.rows])
    report, _ = imported(slim.save(tmp_path / "a.csv"))
    assert report.series == len(keep)


def test_blank_cells_are_absent(tmp_path: Path) -> None:
    written = capture(3)
    written.rows[1][0] = ""
    written.rows[2][1] = "nan"
    report, found = imported(written.save(tmp_path / "a.csv"))
    assert np.isnan(found[HOST, "mem.free", ""]).tolist() == [False, True, False]
    assert np.isnan(found[HOST, "mem.state", ""]).tolist() == [False, False, True]
    assert report.damaged_rows == 0


def test_rows_that_were_copied_are_one_row(tmp_path: Path) -> None:
    """Each row twice, as an editor leaves it: no sample is between two seconds, and none is missing."""
    written = capture(6)
    header, *rows = written.lines()
    (tmp_path / "a.csv").write_text("\n".join([header, *(row for row in rows for _ in range(2))]) + "\n")
    report, found = imported(tmp_path / "a.csv")
    assert np.diff(found.times).tolist() == [5000] * 5
    assert report.gaps == 0
    assert "6 rows repeat" in " ".join(report.notes)


def test_copied_rows_further_down_are_one_row(tmp_path: Path) -> None:
    """Where the first rows are esxtop's own, row by row."""
    written = capture(3000)
    header, *rows = written.lines()
    copied = [row for at, row in enumerate(rows) for _ in range(1 + (at == 2500))]
    (tmp_path / "a.csv").write_text("\n".join([header, *copied]) + "\n")
    _, found = imported(tmp_path / "a.csv")
    assert np.diff(found.times).tolist() == [5000] * 2999


@pytest.mark.parametrize("rows", [24, 3000])
def test_a_clock_that_is_set_back_is_told(rows: int, tmp_path: Path) -> None:
    """By half a minute in the middle: what lies at an instant that was sampled already is left out."""
    written = capture(rows)
    header, *lines = written.lines()
    half = rows // 2
    stamps = [written.start + timedelta(seconds=5 * at - (31 if at >= half else 0)) for at in range(rows)]
    moved = [
        when.strftime('"%m/%d/%Y %H:%M:%S"') + line[line.index(",") :]
        for when, line in zip(stamps, lines, strict=True)
    ]
    (tmp_path / "a.csv").write_text("\n".join([header, *moved]) + "\n")
    report, found = imported(tmp_path / "a.csv")
    assert found.times.tolist() == sorted({int(when.timestamp() * 1000) for when in stamps})
    assert f"Times go back at line {half + 2} by 26 s" in " ".join(report.notes)


def test_an_older_capture_behind_another_goes_back_without_a_word(tmp_path: Path) -> None:
    later, earlier = capture(5), capture(5)
    earlier.start = later.start - timedelta(hours=1)
    (tmp_path / "a.csv").write_text(later.text() + earlier.text())
    report, _ = imported(tmp_path / "a.csv")
    assert "go back" not in " ".join(report.notes)


def test_a_decimal_comma_between_quotes_is_read(tmp_path: Path, expected: Session) -> None:
    """resxtop under a German or French locale: fields are quoted and parted by commas all the same."""
    file = capture(6, style=Style(decimal=",")).save(tmp_path / "a.csv")
    report, found = imported(file)
    assert_same(found, expected)
    assert not report.damaged_rows


def test_thousands_between_quotes_are_read(tmp_path: Path) -> None:
    """A spreadsheet that shows 1,234.50 writes it so, with quotation marks."""
    written = capture(3)
    written.rows[0][0], written.rows[1][0], written.rows[2][0] = "1,234.50", "12,345,678", "-1,234"
    _, found = imported(written.save(tmp_path / "a.csv"))
    assert found[HOST, "mem.free", ""] == [1234.5, 12345678.0, -1234.0]


BANNER = (
    "The time and date of this login have been sent to the system logs.\n\n"
    "WARNING:\n   All commands run on the ESXi shell are logged, and may be included in support bundles.\n"
)


def test_what_a_login_says_before_the_header_is_left_out(tmp_path: Path, expected: Session) -> None:
    """ssh esx01 esxtop -b > a.csv writes the host's banner into the file."""
    (tmp_path / "a.csv").write_text(BANNER + capture(6).text())
    report, found = imported(tmp_path / "a.csv")
    assert_same(found, expected)
    assert not report.damaged_rows
    assert "3 lines before the header" in " ".join(report.notes)
