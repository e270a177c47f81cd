"""What esxtop prints but does not mean: first rows, zero fills, counts since boot, glued fields, words."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from collectors.esxtop import cutting, importing, sections
from collectors.esxtop_names import ColumnPath
from sessions.store import SessionReader
from tests.esxtop.captures import (
    DEVICE,
    HOST,
    START_MS,
    Written,
    capture,
    host_columns,
    imported,
    plausible_rows,
)

DEVICE_COLUMNS = [ColumnPath(HOST, "Physical Disk SCSI Device", "naa.600", counter) for counter in DEVICE]


@pytest.fixture(
    params=["as it is", "one row a piece", "three rows a piece", "one row at once", "one row a block"]
)
def any_pieces(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """However rows are dealt out, the result is the same."""
    if request.param in ("one row at once", "one row a block"):
        monkeypatch.setattr(sections, "_BATCH_BYTES", 1)
    if request.param == "one row a block":
        monkeypatch.setattr(importing, "_SIZES", ((1, 1024),))
    rows = {"one row a piece": 1, "three rows a piece": 3}.get(request.param)
    if rows:
        monkeypatch.setattr(cutting, "_FIRST_ROWS", rows)
        monkeypatch.setattr(importing, "_SIZES", ((48 << 20, rows),))
        monkeypatch.setattr(sections, "_MAX_ROWS", rows)


def device_capture(*rows: str) -> Written:
    """Rows of queue depth, commands, latency and ATS."""
    return Written(DEVICE_COLUMNS, [row.split() for row in rows])


def same(found: list[float], expected: list[float]) -> bool:
    return np.array_equal(found, expected, equal_nan=True)


nan = math.nan


@pytest.mark.usefixtures("any_pieces")
def test_the_first_row_has_no_disk_counters(tmp_path: Path) -> None:
    written = device_capture(
        "64 0.00 0.00 0", "64 12.00 3.50 20000", "64 15.00 4.50 20010", "64 9.00 4.00 20035"
    )
    report, session = imported(written.save(tmp_path / "a.csv"))
    assert session[("naa.600", "disk.queue_depth", "")] == [64, 64, 64, 64]
    assert same(session[("naa.600", "disk.commands", "")], [nan, 12, 15, 9])
    assert same(session[("naa.600", "disk.device_latency", "")], [nan, 3.5, 4.5, 4])
    # The count of the first row is not one either: the first rate is between the second row and the third.
    assert same(session[("naa.600", "vaai.ats", "")], [nan, nan, 2, 5])
    assert "first sample has no disk counters" in " ".join(report.notes)


@pytest.mark.usefixtures("any_pieces")
def test_a_capture_whose_beginning_was_cut_off_keeps_its_first_row(tmp_path: Path) -> None:
    written = device_capture("64 12.00 3.50 20000", "64 15.00 4.50 20010")
    report, session = imported(written.save(tmp_path / "a.csv"))
    assert session[("naa.600", "disk.commands", "")] == [12, 15]
    assert same(session[("naa.600", "vaai.ats", "")], [nan, 2])
    assert not report.notes


@pytest.mark.usefixtures("any_pieces")
def test_a_count_that_fell_was_reset(tmp_path: Path) -> None:
    written = device_capture("64 1 1 100", "64 1 1 150", "64 1 1 20", "64 1 1 30")
    _, session = imported(written.save(tmp_path / "a.csv"))
    assert same(session[("naa.600", "vaai.ats", "")], [nan, 10, nan, 2])


@pytest.mark.usefixtures("any_pieces")
def test_rates_divide_by_the_time_that_passed(tmp_path: Path) -> None:
    written = device_capture("64 1 1 100", "64 1 1 150", "64 1 1 200")
    lines = written.lines()
    lines[3] = lines[3].replace("14:21:45", "14:22:05")
    (tmp_path / "a.csv").write_text("\n".join(lines) + "\n")
    _, session = imported(tmp_path / "a.csv")
    assert same(session[("naa.600", "vaai.ats", "")], [nan, 10, 2])


def zero_filled(rows: int, filled: range) -> Written:
    """A capture whose helper group, its world and a VM's first vCPU are zeros in some rows."""
    written = capture(rows)
    for at, path in enumerate(written.columns):
        if path.instance.startswith("8:helper") or ":vmx-vcpu-0:" in path.instance:
            for row in filled:
                written.rows[row][at] = "0.00"
    return written


@pytest.mark.usefixtures("any_pieces")
def test_zero_filled_groups_and_worlds_are_gaps(tmp_path: Path) -> None:
    _, session = imported(zero_filled(8, range(3, 6)).save(tmp_path / "a.csv"))
    for key in (
        ("helper", "cpu.used", ""),
        ("helper", "cpu.members", ""),
        ("HELPER_QUEUE-15-2", "cpu.ready", ""),
        ("vCPU 0", "cpu.run", ""),
    ):
        assert np.isnan(session[key]).tolist() == [False] * 3 + [True] * 3 + [False] * 2
    assert not np.isnan(session["vCPU 1", "cpu.run", ""]).any()
    with SessionReader.open(tmp_path / "a.csv.hscope") as reader:
        entities = reader.entities()
        gaps = {(entities[gap.entity].name, gap.start - START_MS, gap.end - START_MS, gap.ticks)
                for gap in reader.gaps() if gap.entity}  # fmt: skip
    # The world's zeros are told by its group's gap; the vCPU's group is sound.
    assert gaps == {("helper", 15_000, 25_000, 3), ("vCPU 0", 15_000, 25_000, 3)}


def test_memory_of_a_zero_filled_group_is_absent_if_it_is_zero_too(tmp_path: Path) -> None:
    columns = [
        ColumnPath(HOST, "Group Cpu", "7:web", "Members"),
        ColumnPath(HOST, "Group Cpu", "7:web", "% VmWait"),
        ColumnPath(HOST, "Group Memory", "7:web", "Memory Size MBytes"),
        ColumnPath(HOST, "Group Memory", "7:web", "Memctl MBytes"),
    ]
    written = Written(columns, [["9", "1.00", "512.00", "0.00"], ["0", "0.00", "0.00", "0.00"],
                                ["0", "0.00", "512.00", "0.00"]])  # fmt: skip
    _, session = imported(written.save(tmp_path / "a.csv"))
    assert same(session["web", "mem.size", ""], [512, nan, 512])
    assert same(session["web", "mem.balloon", ""], [0, nan, 0])


def power_columns() -> list[ColumnPath]:
    return [
        ColumnPath(HOST, "PCPU Power State", f"PCPU {pcpu}", f"%C-State C{state}")
        for pcpu in (0, 1)
        for state in (0, 1)
    ]


@pytest.mark.usefixtures("any_pieces")
def test_aperf_mperf_is_unglued_and_belongs_to_the_pcpu_before(tmp_path: Path) -> None:
    """As ``-a`` prints it: without a comma before the next column, and without a name."""
    lines = Written(power_columns(), [["1.00", "99.00", "8.93", "91.07"]] * 2).lines()
    second = r'"\\esx01.lab.local\PCPU Power State(PCPU 1)\%C-State C0"'
    head = lines[0].rstrip(",").replace(second, "   -" + second) + ",   -"
    rows = [line.rstrip(",").replace('"8.93"', '    73.1"8.93"') + ",    81.4" for line in lines[1:]]
    (tmp_path / "a.csv").write_text("\n".join([head, *rows]) + "\n")
    report, session = imported(tmp_path / "a.csv")
    assert session[HOST, "power.aperf_mperf", "PCPU 0"] == [73.1, 73.1]
    assert session[HOST, "power.aperf_mperf", "PCPU 1"] == [81.4, 81.4]
    assert session[HOST, "power.cstate", "PCPU 1 C0"] == [8.93, 8.93]
    assert session[HOST, "power.cstate", "PCPU 1 C1"] == [91.07, 91.07]
    assert (report.damaged_rows, report.notes) == (0, ())


def test_words_become_facts(tmp_path: Path) -> None:
    columns = [
        ColumnPath(HOST, "Memory", "", "Free MBytes"),
        ColumnPath(HOST, "RDMA Device", "vmrdma0:bnxtroce:Active", "Name"),
        ColumnPath(HOST, "RDMA Device", "vmrdma0:bnxtroce:Active", "Team Uplink"),
        ColumnPath(HOST, "RDMA Device", "vmrdma0:bnxtroce:Active", "Queue Pairs Allocated"),
    ]
    report, session = imported(
        Written(columns, [["512", "vmrdma0", "vmnic4", "3"]] * 3).save(tmp_path / "a.csv")
    )
    assert session[HOST, "mem.free", ""] == [512] * 3
    assert (report.columns, report.series, report.damaged_rows) == (5, 2, 0)
    with SessionReader.open(tmp_path / "a.csv.hscope") as reader:
        facts = {fact.name: fact.value for fact in reader.facts()}
    assert facts == {"rdma.name": "vmrdma0", "rdma.team_uplink": "vmnic4"}


def test_flags_may_be_words(tmp_path: Path) -> None:
    columns = [ColumnPath(HOST, "Group Memory", "7:web", "Memctl?"), *DEVICE_COLUMNS[:1]]
    _, session = imported(Written(columns, [["Y", "64"], ["N", "64"], ["1", "64"]]).save(tmp_path / "a.csv"))
    assert session["web", "mem.balloon_driver", ""] == [1, 0, 1]


def test_constant_columns_state_facts(tmp_path: Path) -> None:
    columns = [
        ColumnPath(HOST, "Group Memory", "7:web", "Memory Size MBytes"),
        ColumnPath(HOST, "Group Cpu", "7:web", "Alloc Max"),
        ColumnPath(HOST, "Group Cpu", "7:web", "% VmWait"),
        *DEVICE_COLUMNS[:1],
    ]
    imported(Written(columns, [["4096.00", "-1", "1.00", "64"], ["4096.00", "-1", "1.00", "32"]])
             .save(tmp_path / "a.csv"))  # fmt: skip
    with SessionReader.open(tmp_path / "a.csv.hscope") as reader:
        facts = {fact.name: (fact.value, fact.start, fact.end) for fact in reader.facts()}
    # Unlimited is no limit, and a queue depth that changed is no fact of the whole capture.
    assert facts == {"host": (HOST, START_MS, None), "mem.size_mb": (4096.0, START_MS, None)}


@pytest.mark.usefixtures("any_pieces")
def test_percentages_of_a_vm_are_per_vcpu_and_stored_as_written(tmp_path: Path) -> None:
    columns = host_columns(vms={"web": 4})
    written = Written(columns, plausible_rows(columns, 3))
    _, session = imported(written.save(tmp_path / "a.csv"))
    at = columns.index(ColumnPath(HOST, "Group Cpu", "1000:web", "% Ready"))
    assert session["web", "cpu.ready", ""] == [float(row[at]) * 0.25 for row in written.rows]
    assert session.series["web", "cpu.ready", ""].spec.scale == 0.25
