"""Captures from real hosts: nothing is lost, and every value comes back as it was written."""

from __future__ import annotations

import csv
from pathlib import Path
from shutil import copy

import numpy as np
import pytest

from collectors.esxtop.importing import import_captures
from collectors.esxtop_names import columns_by_host, parse_path
from resources.catalogue import load_catalogue
from sessions.store import SessionReader, check_session
from tests.esxtop.captures import imported


@pytest.fixture
def default_capture(real: Path, tmp_path: Path) -> Path:
    return Path(copy(real / "esxtop-batch-default.csv", tmp_path))


def test_all_columns_of_a_default_capture_are_kept(default_capture: Path) -> None:
    report, session = imported(default_capture)
    assert (report.columns, report.series, report.rows) == (7631, 7630, 3)
    assert report.entities["vm"] == 6
    assert (report.damaged_rows, report.lost_values) == (0, 0)
    assert report.interval_s == 5.0
    assert not check_session(default_capture.with_name(default_capture.name + ".hscope"), thorough=True)
    assert session[("localhost.home", "mem.balloon", "")] == [5324.0, 5335.0, 5335.0]


def test_every_value_of_a_default_capture_comes_back(default_capture: Path) -> None:
    """Stored × scale is the cell × scale; absent is only what is known to be no data."""
    out = default_capture.with_suffix(".hscope")
    import_captures([default_capture], out)
    header, *rows = csv.reader(default_capture.read_text().splitlines())
    cells = np.array([[float(cell) for cell in row[1:-1]] for row in rows])
    (layout,) = columns_by_host([parse_path(name) for name in header[1:-1]], load_catalogue())
    assert layout.columns.tolist() == list(range(7630))
    with SessionReader.open(out) as reader:
        series = reader.series()
        (frame,) = reader.read(np.array([one.id for one in series]))
    assert [one.spec for one in series] == list(layout.specs)
    expected = cells * np.array([spec.scale for spec in layout.specs])
    absent = np.isnan(frame.values)
    assert np.array_equal(frame.values[~absent], expected[~absent])

    io, helper = np.zeros(7630, dtype=bool), np.zeros(7630, dtype=bool)
    io[layout.io] = True
    for at, name in enumerate(header[1:-1]):
        helper[at] = "(8:helper" in name
    assert absent[0].tolist() == io.tolist()
    assert absent[2].tolist() == helper.tolist()
    assert not absent[1].any()
    assert (cells[0, io] == 0).all()
    assert (cells[2, helper] == 0).all()


def test_a_zero_filled_group_is_one_gap(default_capture: Path) -> None:
    out = default_capture.with_suffix(".hscope")
    import_captures([default_capture], out)
    with SessionReader.open(out) as reader:
        (gap,) = reader.gaps()
        assert gap.entity is not None
        assert reader.entities()[gap.entity].name == "helper"
        assert (gap.ticks, gap.start) == (1, gap.end)
        facts = {(reader.entities()[fact.entity].name, fact.name): fact.value for fact in reader.facts()}
        assert facts["ouranos", "host"] == "localhost.home"
        assert facts["ouranos", "vcpus"] == 1.0
        assert facts["poseidon", "mem.size_mb"] > 0  # type: ignore[operator]


def test_a_capture_saved_again_by_a_spreadsheet(real: Path, tmp_path: Path) -> None:
    report, session = imported(Path(copy(real / "esxtop-resaved-by-excel.csv", tmp_path)))
    assert (report.columns, report.rows, report.damaged_rows) == (12, 514, 0)
    assert len(session.times) == 514
    steps = np.diff(session.times)
    assert steps.min() > 5000
    assert steps.max() < 6600
    assert session[("proma-2n-dhcp60.eng.vmware.com", "cpu.pcpu_used", "0")][:2] == [24.41, 23.33]


def test_extracts_of_one_host_and_a_list_of_columns(real: Path, tmp_path: Path) -> None:
    files = [Path(copy(file, tmp_path)) for file in sorted(real.glob("nfs-*"))]
    report, session = imported(*files)
    assert report.hosts == ("local",)
    assert report.series == 17
    latency = session[("NFS_Datastore", "nfs.latency_read", "")]
    assert max(value for value in latency if value == value) == 171.45
    assert "holds no sample" in " ".join(report.notes)
