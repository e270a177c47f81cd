"""Sessions that the program of version 1 wrote: read in place, diagnosed, exported, and gone on with."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from app.program import run
from resources.failures import AlreadyExistsError, TooNewError
from sessions.store import SessionReader, SessionWriter, check_session
from sessions.store.schema import VERSION
from tests.recorder.conftest import Record, record
from tests.recorder.running import samples_of

__all__ = ["record"]

FILES = Path(__file__).parent / "version1"
HELD = {
    "esxtop": {"series": 4681, "samples": 261_252, "facts": 43, "marks": [], "findings": 2, "gaps": 0},
    "lab": {
        "series": 41_198,
        "samples": 278_465,
        "facts": 167,
        "marks": ["I moved the backup"],
        "findings": 4,
        "gaps": 0,
    },
    "vcenter": {
        "series": 823,
        "samples": 57_663,
        "facts": 215,
        "marks": ["I changed the limit of the VM"],
        "findings": 8,
        "gaps": 1,
    },
}
ALL = [*HELD, "killed"]


def taken(name: str, folder: Path) -> Path:
    """A copy of one of the files, with its log if it has one."""
    for file in FILES.glob(f"{name}.hscope*"):
        shutil.copy(file, folder)
    return folder / f"{name}.hscope"


def version_of(path: Path) -> int:
    connection = sqlite3.connect(path)
    try:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
    finally:
        connection.close()
    return int(version)


def printed(capsys: pytest.CaptureFixture[str], *words: str | Path) -> Any:
    capsys.readouterr()
    assert run([*map(str, words), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("name", HELD)
def test_they_are_read_in_place(name: str, tmp_path: Path) -> None:
    path = taken(name, tmp_path)
    before = path.read_bytes()
    with SessionReader.open(path) as reader:
        info = reader.info()
        held = {
            "series": info.series,
            "samples": info.samples,
            "facts": len(reader.facts()),
            "marks": [mark.text for mark in reader.marks()],
            "findings": len(reader.findings()),
            "gaps": len(reader.gaps()),
        }
        assert (reader.journal(), reader.test_runs()) == ([], [])
    assert held == HELD[name]
    assert check_session(path, thorough=True) == []
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_one_whose_recorder_was_killed_is_read(tmp_path: Path) -> None:
    path = taken("killed", tmp_path)
    with SessionReader.open(path) as reader:
        assert {source.state for source in reader.sources()} == {"interrupted"}
        assert reader.info().samples > 10_000
    assert check_session(path, thorough=True) == []
    assert version_of(path) == 1


@pytest.mark.parametrize("name", ALL)
def test_every_reading_command_takes_them(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = taken(name, tmp_path)
    assert printed(capsys, "info", path)["samples"] == HELD.get(name, {"samples": 53_016})["samples"]
    chosen = printed(capsys, "query", path, "--counter", "cpu.ready", "--entity", "vm:*")["series"]
    assert chosen
    assert all(len(one["t"]) == len(one["v"]) > 0 for one in chosen)
    printed(capsys, "export", path, "-o", tmp_path / "out", "--csv")
    assert version_of(path) == 1


def test_diagnosing_one_migrates_it_after_a_backup(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = taken("esxtop", tmp_path)
    before = path.read_bytes()
    found = printed(capsys, "diagnose", path)["findings"]
    assert {"cpu.ready_high", "cpu.costop"} <= {finding["problem"] for finding in found}
    assert version_of(path) == VERSION
    backup = tmp_path / "esxtop.hscope.v1.bak"
    assert backup.read_bytes()[100:] == before[100:]
    assert version_of(backup) == 1
    assert check_session(path, thorough=True) == []
    with SessionReader.open(path) as reader:
        assert reader.info().samples == HELD["esxtop"]["samples"]
        assert len(reader.findings()) == len(found)


def test_a_recording_goes_on(record: Record, tmp_path: Path) -> None:
    path = taken("lab", tmp_path)
    with SessionReader.open(path) as reader:
        before, ends = samples_of(reader), {source.end for source in reader.sources()}
    recorder = record(path, "lab:storage-latency-array-port?seed=3", "--speed", "30", "--attached")
    recorder.wait_for(lambda event: event["event"] == "status" and event["samples"] > 100_000)
    recorder.say(do="stop")
    assert recorder.end()["code"] == 0
    assert recorder.events[0]["resumed"]
    assert version_of(path) == VERSION
    assert check_session(path, thorough=True) == []
    with SessionReader.open(path) as reader:
        after = samples_of(reader)
        assert len(reader.sources()) == 4
        assert all(source.start < min(ends) < source.end for source in reader.sources())  # type: ignore[operator,type-var]
        assert len(reader.marks()) == 1
    assert before.keys() <= after.keys()
    for key, (times, values) in before.items():
        assert after[key][0].startswith(times)
        assert after[key][1].startswith(values)
    with SessionReader.open(tmp_path / "lab.hscope.v1.bak") as reader:
        assert samples_of(reader) == before


@pytest.mark.parametrize("name", ["vcenter", "killed"])
def test_another_source_joins(name: str, record: Record, tmp_path: Path) -> None:
    path = taken(name, tmp_path)
    with SessionReader.open(path) as reader:
        before = samples_of(reader)
    recorder = record(path, "lab:data-few-samples?seed=3&fields=diagnosis", "--speed", "0")
    assert recorder.end()["code"] == 0
    assert version_of(path) == VERSION
    assert check_session(path, thorough=True) == []
    with SessionReader.open(path) as reader:
        after = samples_of(reader)
        assert [source.spec.kind for source in reader.sources()] == ["vcenter", "vcenter", *["lab"] * 4]
    assert before.items() <= after.items()


def test_what_was_imported_is_not_recorded_into(record: Record, tmp_path: Path) -> None:
    path = taken("esxtop", tmp_path)
    before = path.read_bytes()
    recorder = record(path, "lab:data-few-samples", "--speed", "0")
    assert recorder.process.wait(300) == AlreadyExistsError.exit_code
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.glob("esxtop*")] == [path.name]


def test_a_newer_version_is_refused(tmp_path: Path) -> None:
    path = taken("vcenter", tmp_path)
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    connection.close()
    for opening in (SessionReader.open, SessionWriter.open):
        with pytest.raises(TooNewError, match=f"newer Hyperscope .format {VERSION + 1}, not {VERSION}"):
            opening(path)
