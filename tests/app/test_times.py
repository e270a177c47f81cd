"""``--times`` is the zone of times typed and printed: the same instants, whatever it is."""

from __future__ import annotations

import csv
import json
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from app.program import run
from sessions.model import Entity, EntityRef, SeriesSpec, SourceSpec
from sessions.store import SessionWriter, encode_block
from tests.gui.recordings import record


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five minutes of the lab's demo."""
    return record(tmp_path_factory.mktemp("times") / "demo.hscope", seconds=300)


def printed(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    """Run a command, and return what it printed, or its complaint."""
    capsys.readouterr()
    run([str(word) for word in words])
    said = capsys.readouterr()
    return said.out or said.err


def instants(rows: list[str]) -> list[datetime]:
    return [datetime.fromisoformat(row.split(",")[0]).astimezone(UTC) for row in rows]


def test_what_is_typed_and_printed_is_in_the_zone(capsys: pytest.CaptureFixture[str], session: Path) -> None:
    words = ("query", session, "--entity", "web01", "--counter", "cpu.ready", "--csv", "--from")
    utc = printed(capsys, *words, "2026-04-08T02:35").splitlines()[1:]
    berlin = printed(capsys, *words, "2026-04-08T04:35", "--times", "Europe/Berlin").splitlines()[1:]
    assert instants(berlin) == instants(utc)
    assert berlin[0].startswith("2026-04-08T04:35:01+02:00,")
    assert utc[0].startswith("2026-04-08T02:35:01Z,")
    typed = printed(capsys, *words, "2026-04-08T02:35Z", "--times", "Europe/Berlin").splitlines()[1:]
    assert typed == berlin, "a time that tells its own zone is what it says"


def test_info_and_the_report_tell_their_zone(capsys: pytest.CaptureFixture[str], session: Path) -> None:
    info = printed(capsys, "info", session, "--times", "asia/kolkata")
    assert "2026-04-08T08:01:16+05:30 to 2026-04-08T08:06:11+05:30" in info
    report = printed(capsys, "diagnose", session, "--no-keep", "--times", "America/New_York")
    assert "2026-04-07 22:31:16 to 22:36:11 (4 min 55 s), times in EDT" in report
    assert "times in UTC" in printed(capsys, "diagnose", session, "--no-keep")
    document = json.loads(printed(capsys, "info", session, "--json", "--times", "Asia/Kolkata"))
    assert document["start"] == "2026-04-08T02:31:16Z"


@pytest.mark.parametrize(
    ("zone", "complaint"),
    [
        ("host", "No source of this session tells"),
        ("berlin", "Do you mean Europe/Berlin?"),
        ("", "no time zone"),
    ],
)
def test_what_is_no_zone_is_said(
    capsys: pytest.CaptureFixture[str], session: Path, zone: str, complaint: str
) -> None:
    assert complaint in printed(capsys, "info", session, "--times", zone)


def test_an_export_has_the_same_instants_in_any_zone(
    capsys: pytest.CaptureFixture[str], session: Path, tmp_path: Path
) -> None:
    part = ("--entity", "web01", "--from", "2026-04-08T02:35Z")
    for name, *words in (("utc", "--csv"), ("zone", "--csv", "--times", "Europe/Berlin")):
        printed(capsys, "export", session, "-o", tmp_path / name, *words, *part)
    printed(capsys, "export", session, "-o", tmp_path / "p", "--parquet", "--times", "Europe/Berlin", *part)
    rows = {}
    for name in ("utc", "zone"):
        with (tmp_path / name / "samples.csv").open(encoding="utf-8") as file:
            rows[name] = [row["time"] for row in csv.DictReader(file)]
    assert rows["zone"][0] == "2026-04-08T04:35:01.000+02:00"
    assert instants(rows["zone"]) == instants(rows["utc"])
    times = pq.read_table(tmp_path / "p" / "samples.parquet")["time"]
    assert str(times.type) == "timestamp[ms, tz=Europe/Berlin]"
    assert [time.as_py().astimezone(UTC) for time in times] == instants(rows["utc"])


def test_a_capture_whose_clock_was_a_century_off_is_judged_and_the_verdict_kept(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """It was a bug: the time between samples of 1970 and of 2126 was more than a stored check took."""
    path, vm, host = tmp_path / "far.hscope", EntityRef("vm", "db"), EntityRef("host", "esx01")
    times = np.array([0, 1_767_225_600_000, 4_922_899_200_000, -2_000_000_000_000], np.int64)
    with SessionWriter.create(path, durable=False) as writer:
        source = writer.add_source(SourceSpec("esxtop", "esx01", 5.0))
        writer.add_entities([Entity(host, "esx01"), Entity(vm, "db", host)])
        ids = writer.add_series(source, [SeriesSpec(vm, "cpu.ready", "%"), SeriesSpec(vm, "cpu.run", "%")])
        layout = writer.add_layout(source, ids)
        writer.add_block(layout, encode_block(np.sort(times), np.full((4, 2), 5.0)))
    printed(capsys, "diagnose", path)
    assert "Not judged yet" not in printed(capsys, "info", path)
