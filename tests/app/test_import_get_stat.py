"""``import`` of tables of Get-Stat at a terminal: alone, with logs, with options, refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.program import run
from tests.logs.writing_logs import SENSE, vmkernel

HEADER = "MetricId,Timestamp,Value,Unit,Entity,EntityId,IntervalSecs,Instance"
ONE_DAY = (
    f"{HEADER}\r\ncpu.ready.summation,4/3/2026 2:10:00 PM,6000,millisecond,db1,VirtualMachine-vm-7,300,0\r\n"
)


@pytest.fixture
def stats(tmp_path: Path) -> Path:
    path = tmp_path / "stats.csv"
    path.write_text(ONE_DAY, encoding="utf-8", newline="")
    return path


def said(capsys: pytest.CaptureFixture[str]) -> str:
    both = capsys.readouterr()
    return both.out + both.err


def test_what_nothing_decides_the_options_do(
    stats: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "s.hscope"
    assert run(["import", str(stats), "-o", str(out)]) == 2
    assert "Say it with --dates dmy (day first) or --dates mdy (month first)." in said(capsys)
    assert not out.exists()
    options = ["--dates", "mdy", "--times", "Europe/Berlin"]
    assert run(["import", str(stats), "-o", str(out), *options]) == 0
    assert "1 sample (every 5 min) of 1 series of 1 object from 157 B" in said(capsys)
    assert run(["info", str(out)]) == 0
    text = said(capsys)
    assert "2026-04-03T12:10:00Z" in text
    assert "times in the files: CEST" in text


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        (("--dates", "dym"), "'dym' is no order of a date's numbers."),
        (("--times", "Berlin"), "'Berlin' is no time zone. Do you mean Europe/Berlin?"),
        (("--times", "host"), "Tables of Get-Stat don't tell a host's zone."),
    ],
)
def test_an_option_that_means_nothing(
    option: tuple[str, str],
    sentence: str,
    stats: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["import", str(stats), "-o", str(tmp_path / "s.hscope"), *option]) == 2
    assert sentence in said(capsys)
    assert [path.name for path in tmp_path.iterdir()] == ["stats.csv"]


def test_logs_of_a_host_come_with_it(stats: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log, out = tmp_path / "vmkernel.log", tmp_path / "s.hscope"
    log.write_text(vmkernel(0, SENSE), encoding="utf-8")
    options = ["--dates", "dmy", "--times", "utc", "--host", "esx01", "--json"]
    assert run(["import", str(stats), str(log), "-o", str(out), *options]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["samples"], told["intervals_s"], told["logs"]["known"]) == (1, [300], 1)


def test_nothing_else_can_be_in_its_session(
    stats: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other.csv"
    other.write_text('"(PDH-CSV 4.0) (UTC)(0)","\\\\h\\Memory\\Free MBytes"\n', encoding="utf-8")
    assert run(["import", str(stats), str(other), "-o", str(tmp_path / "s.hscope")]) == 2
    assert "stats.csv is of PowerCLI's Get-Stat, other.csv is not." in said(capsys)
