"""Several files of one host, several hosts of one file, in any order and overlapping."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from collectors.esxtop.importing import import_captures
from collectors.esxtop_names import ColumnPath
from sessions.store import SessionReader, check_session
from tests.esxtop.captures import (
    HOST,
    START,
    START_MS,
    Session,
    Written,
    capture,
    host_columns,
    imported,
    plausible_rows,
)

COLUMNS = [
    ColumnPath(HOST, "Memory", "", counter) for counter in ("Free MBytes", "Kernel MBytes", "Kernel State")
]


def part(folder: Path, name: str, rows: range, columns: list[ColumnPath] = COLUMNS) -> Path:
    """A capture of some rows of one long run; the value of each cell is its row."""
    whole = Written(columns, [[str(row)] * len(columns) for row in range(20)])
    header, *lines = whole.lines()
    file = folder / name
    file.write_text("\n".join([header, *(lines[row] for row in rows)]) + "\n")
    return file


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_parts_in_any_order_that_overlap(order: tuple[int, ...], tmp_path: Path) -> None:
    parts = [
        part(tmp_path, f"{n}.csv", rows) for n, rows in enumerate((range(8), range(5, 14), range(14, 20)))
    ]
    report, session = imported(*(parts[at] for at in order))
    assert session[HOST, "mem.free", ""] == list(range(20))
    assert report.rows == 23
    assert "3 rows repeat" in " ".join(report.notes)
    with SessionReader.open(report.out) as reader:
        (source,) = reader.sources()
        assert source.ticks == 20
        assert source.samples == 60
        assert dict(source.spec.attributes)["files"] == ", ".join(f"{at}.csv" for at in order)
        assert not reader.gaps()


def test_files_with_other_columns_complement_each_other(tmp_path: Path) -> None:
    """Each instant of each series once, wherever it comes from."""
    first = part(tmp_path, "a.csv", range(10), COLUMNS[:2])
    second = part(tmp_path, "b.csv", range(5, 15), COLUMNS[1:])
    report, session = imported(first, second)
    assert np.isnan(session[HOST, "mem.free", ""]).tolist() == [False] * 10 + [True] * 5
    assert session[HOST, "mem.kernel", ""] == list(range(15))
    assert np.isnan(session[HOST, "mem.state", ""]).tolist() == [True] * 5 + [False] * 10
    assert report.columns == 4
    assert report.samples == 10 + 15 + 10
    assert not check_session(report.out, thorough=True)


def test_a_hole_between_two_files_is_a_gap(tmp_path: Path) -> None:
    report, _ = imported(part(tmp_path, "a.csv", range(5)), part(tmp_path, "b.csv", range(9, 14)))
    with SessionReader.open(report.out) as reader:
        (gap,) = reader.gaps()
        times = reader.times(1)
    assert (gap.start, gap.end, gap.ticks) == (times[4] + 5000, times[5] - 5000, 4)
    assert gap.entity is None


def test_several_hosts_in_one_file(tmp_path: Path) -> None:
    columns = host_columns("esx01") + host_columns("esx02", vms={"web": 1, "db": 4})
    written = Written(columns, plausible_rows(columns, 5))
    report, session = imported(written.save(tmp_path / "a.csv"))
    assert report.hosts == ("esx01", "esx02")
    assert report.entities["vm"] == 3
    assert report.entities["device"] == 1  # naa.600 is one device, seen by both
    with SessionReader.open(report.out) as reader:
        assert [source.spec.name for source in reader.sources()] == ["esx01", "esx02"]
    at = columns.index(ColumnPath("esx02", "Memory", "", "Free MBytes"))
    assert session["esx02", "mem.free", ""] == [float(row[at]) for row in written.rows]


def test_captures_that_were_put_into_one_file(tmp_path: Path) -> None:
    """Each header starts anew: its first row has no disk counters, and its columns may be others."""
    disk = [ColumnPath(HOST, "Physical Disk SCSI Device", "naa.1", "Reads/sec")]
    first = Written(disk, [["0.00"], ["5.00"], ["6.00"]])
    second = Written(disk, [["0.00"], ["7.00"]])
    third = Written([*disk, *COLUMNS[:1]], [["0.00", "1"], ["8.00", "2"]])
    lines = first.lines() + [line.replace("14:21", "14:25") for line in second.lines()]
    lines += [line.replace("14:21", "14:28") for line in third.lines()]
    (tmp_path / "a.csv").write_text("\n".join(lines) + "\n")
    report, session = imported(tmp_path / "a.csv")
    reads = session["naa.1", "disk.reads", ""]
    assert [value for value in reads if value == value] == [5, 6, 7, 8]
    assert [value for value in session[HOST, "mem.free", ""] if value == value] == [1, 2]
    assert report.damaged_rows == 0


def test_rows_that_were_copied(tmp_path: Path) -> None:
    file = part(tmp_path, "a.csv", range(10))
    header, *lines = file.read_text().splitlines()
    file.write_text("\n".join([header, *lines * 4]) + "\n")
    report, session = imported(file)
    assert session[HOST, "mem.free", ""] == list(range(10))
    assert report.samples == 30
    assert "30 rows repeat" in " ".join(report.notes)


def test_rows_that_were_copied_are_counted_for_each_of_several_hosts(tmp_path: Path) -> None:
    """Four hosts in one capture of 180 rows had "240 rows" left out, without a word of hosts."""
    columns = [ColumnPath(host, "Memory", "", "Free MBytes") for host in ("esx01", "esx02")]
    written = Written(columns, [[str(row)] * 2 for row in range(4)])
    header, *lines = written.lines()
    for rows, told in ((lines[:3], "6 rows repeat"), (lines[:1], "2 rows repeat")):
        file = tmp_path / f"{len(rows)}.csv"
        file.write_text("\n".join([header, *lines, *rows]) + "\n")
        notes = " ".join(imported(file)[0].notes)
        assert f"{told} instants that were read already (of 2 hosts, each counted): left out." in notes
    one = Written(COLUMNS, [["1"] * len(COLUMNS)] * 2)
    header, *lines = one.lines()
    file = tmp_path / "one.csv"
    file.write_text("\n".join([header, *lines, lines[0]]) + "\n")
    assert "1 row repeats instants that were read already: left out." in imported(file)[0].notes


def test_workers_give_what_one_process_gives(tmp_path: Path) -> None:
    file = capture(3000).save(tmp_path / "a.csv")
    alone = import_captures([file], tmp_path / "alone.hscope", workers=0)
    helped = import_captures([file], tmp_path / "helped.hscope", workers=2)
    assert (alone.rows, alone.samples, alone.gaps) == (helped.rows, helped.samples, helped.gaps)
    one, two = Session.read(alone.out), Session.read(helped.out)
    assert one.values.keys() == two.values.keys()
    for key, values in one.values.items():
        np.testing.assert_array_equal(two.values[key], values)


def test_what_a_session_says_of_its_source(tmp_path: Path) -> None:
    report, _ = imported(capture(4).save(tmp_path / "night.csv"))
    with SessionReader.open(report.out) as reader:
        (source,) = reader.sources()
    said = dict(source.spec.attributes)
    assert (said["files"], said["rows"], said["time zone"]) == ("night.csv", "4", "UTC")
    assert int(said["columns"]) == report.columns
    assert (source.spec.kind, source.spec.name, source.spec.interval_s) == ("esxtop", HOST, 5.0)
    assert source.state == "complete"


def title_of(*files: Path) -> str:
    report, _ = imported(*files)
    with SessionReader.open(report.out) as reader:
        return reader.info().title


def test_a_session_has_a_title(tmp_path: Path) -> None:
    files = [part(tmp_path, "night.csv", range(3)), part(tmp_path, "day.csv", range(3, 6))]
    assert title_of(*files) == f"{HOST}: night.csv, day.csv"


def test_a_title_can_be_shown(tmp_path: Path) -> None:
    files = [part(tmp_path, name, range(3)) for name in ("in\u200bvisible.csv", *"abcd")]
    assert title_of(*files) == f"{HOST}: in\ufffdvisible.csv, a, b and 2 more"


def of_interval(folder: Path, name: str, start: datetime, seconds: Sequence[int]) -> Path:
    """A capture with rows at so many seconds after ``start``."""
    whole = Written(COLUMNS, [["1"] * len(COLUMNS) for _ in seconds])
    header, *lines = whole.lines()
    stamped = [
        (start + timedelta(seconds=after)).strftime('"%m/%d/%Y %H:%M:%S"') + line[line.index(",") :]
        for after, line in zip(seconds, lines, strict=True)
    ]
    file = folder / name
    file.write_text("\n".join([header, *stamped]) + "\n")
    return file


def holes(*files: Path) -> list[tuple[int, int, int | None]]:
    """The gaps of an import: first and last missing second after START, and how many instants."""
    report, _ = imported(*files)
    with SessionReader.open(report.out) as reader:
        return [
            ((gap.start - START_MS) // 1000, (gap.end - START_MS) // 1000, gap.ticks) for gap in reader.gaps()
        ]


def test_two_captures_at_different_intervals_have_gaps_only_where_samples_are_missing(tmp_path: Path) -> None:
    """Every 5 s with one row lost, and an hour later every 60 s with two rows lost."""
    fast = of_interval(tmp_path, "a.csv", START, [5 * n for n in range(60) if n != 30])
    slow = of_interval(tmp_path, "b.csv", START, [3600 + 60 * n for n in range(60) if n not in (20, 21)])
    assert holes(fast, slow) == [(150, 150, 1), (300, 3540, 660), (4800, 4860, 2)]


def test_an_interval_that_changes_is_no_row_of_gaps(tmp_path: Path) -> None:
    seconds = [5 * n for n in range(12)] + [60 * n for n in range(1, 13)] + [721 + 2 * n for n in range(20)]
    assert holes(of_interval(tmp_path, "a.csv", START, seconds)) == []


def test_two_holes_in_a_row_at_the_end_are_no_interval(tmp_path: Path) -> None:
    seconds = [5 * n for n in range(20)] + [195, 295]
    assert holes(of_interval(tmp_path, "a.csv", START, seconds)) == [(100, 190, 19), (200, 290, 19)]
